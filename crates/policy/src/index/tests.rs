//! The index against a plain walk over all rules.

use pointsman_model::{
    AgentName, AssignmentWeight, HostName, PathRole, PathUse, PathValue, PermissionRule, Reach,
    RuleBehavior, ToolName,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::CaseTree;
use crate::rule::PathAccess;
use crate::sample::{any_rules, path, rule, run, used};
use crate::subject::{CommandSubject, PathSubject};

fn anchors() -> Anchors {
    Anchors {
        folder: path("/w/proj"),
        project: path("/w/proj"),
        home: path("/home/dev"),
    }
}

/// What one behavior's rule says, for comparing: its text, its source, how surely it matches.
type Said = Option<(PermissionRule, Strength)>;

fn said(hit: Option<Hit<'_>>) -> Said {
    hit.map(|hit| (hit.compiled.rule.clone(), hit.strength))
}

fn said_all(hits: Hits<'_>) -> [Said; 3] {
    [said(hits.deny), said(hits.ask), said(hits.allow)]
}

/// The oracle: looks at every rule, knows no table.
fn walk(rules: &[PermissionRule], matches: impl Fn(&Compiled) -> Option<Strength>) -> [Said; 3] {
    [RuleBehavior::Deny, RuleBehavior::Ask, RuleBehavior::Allow].map(|behavior| {
        let mut best: Said = None;
        for rule in rules.iter().filter(|it| it.behavior == behavior) {
            let Ok((parsed, _)) = read(rule) else {
                continue;
            };
            let compiled = Compiled::new(rule.clone(), parsed, &anchors());
            let Some(strength) = matches(&compiled) else {
                continue;
            };
            let better = match &best {
                None => true,
                Some((there, theirs)) => {
                    strength > *theirs || (strength == *theirs && hits::order(rule, there).is_lt())
                }
            };
            if better {
                best = Some((rule.clone(), strength));
            }
        }
        best
    })
}

fn tree() -> CaseTree {
    let mut tree = CaseTree::new();
    for file in [
        "/w/proj/src/a.rs",
        "/w/proj/.env",
        "/w/proj/README.md",
        "/etc/hosts",
    ] {
        tree.add_file(&path(file), "");
    }
    tree.add_link(&path("/w/proj/link"), "/etc/hosts");
    // The home and one of its folders lie elsewhere.
    tree.add_link(&path("/home"), "/var/home");
    tree.add_link(&path("/var/home/dev/x"), "/srv/x");
    tree.add_link(&path("/w/proj/gen"), "/srv/gen");
    tree
}

fn any_use() -> impl Strategy<Value = PathUse> {
    let known = select(vec![
        "src/a.rs",
        "SRC/A.rs",
        ".env",
        "a/.env/b",
        "README.md",
        "link",
        "/etc/hosts",
        "/",
        "/home/dev/x/y.md",
        "/var/home/dev/z.md",
        "/var/home/dev/x/y.md",
        "/srv/x/y.md",
        "/srv/gen/x",
        "/srv",
        "src",
        "gen/x",
        "a/gen/y",
    ])
    .prop_map(|file| used(file).path);
    let other = select(vec![
        PathValue::Unknown("$X".into()),
        PathValue::Pattern {
            base: path("/w/proj"),
            glob: "*.md".into(),
        },
        PathValue::Pattern {
            base: path("/w/proj"),
            glob: ".en?".into(),
        },
        PathValue::Pattern {
            base: path("/w/proj/src"),
            glob: "*".into(),
        },
    ]);
    let reach = select(vec![Reach::Itself, Reach::NamesBelow, Reach::ContentBelow]);
    (prop_oneof![3 => known, 1 => other], reach).prop_map(|(path, reach)| PathUse {
        path,
        by: PathRole::Operand,
        reach,
        span: None,
    })
}

fn any_command() -> impl Strategy<Value = CommandSubject> {
    let words = select(vec![
        "git", "push", "pull", "rm", "ls", "-f", "x", "npm", "sudo", "?", "gi", "/bin/rm",
        "git push",
    ]);
    let words = proptest::collection::vec(words, 0..5);
    (words, any::<bool>()).prop_map(|(words, heavy)| {
        let mut run = run(&words);
        if heavy && let Some(word) = run.argv.first().cloned() {
            run.assignments.push(pointsman_model::Assignment {
                name: "FOO".into(),
                value: word,
                weight: AssignmentWeight::Unlisted,
            });
        }
        CommandSubject::of(&run)
    })
}

/// Rules of more shapes than the laws need.
fn more_rules() -> impl Strategy<Value = Vec<PermissionRule>> {
    let texts = select(vec![
        "Bash(gi*)",
        "Bash(*)",
        "Bash(* x)",
        "Bash('git push' *)",
        "Bash(g*t p*)",
        "Bash(FOO=git *)",
        "Bash(FOO=* x)",
        "Bash(rm * x *)",
        "Bash(git  push)",
        "Bash(/bin/rm *)",
        "Bash(rm -f *)",
        "Bash(git push -f x)",
        "Bash(~/x *)",
        "Read(/**)",
        "Read(**)",
        "Read(//w/proj/src/*)",
        "Read(./.env)",
        "Read(src/)",
        "Edit(..//**)",
        "Read(**/[a-z].rs)",
        "Read(*.md)",
        "Read(src/*)",
        "Read(/etc/hosts)",
        "WebFetch(domain:*)",
        "WebFetch(domain:xn--b.*)",
        "Read(~/x/**)",
        "Read(~/**)",
        "Edit(~/x/y.md)",
        "Edit(gen/**)",
        "Read(/gen/**)",
        "Skill(x *)",
        "Bash(",
    ]);
    let behavior = select(vec!["allow", "ask", "deny"]);
    let one = (behavior, texts).prop_map(|(behavior, text)| rule(&format!("{behavior} {text}")));
    (any_rules(10), proptest::collection::vec(one, 0..6))
        .prop_map(|(rules, more)| rules.into_iter().chain(more).collect())
}

proptest! {
    #[test]
    fn the_index_agrees_with_a_walk_on_commands(rules in more_rules(), command in any_command()) {
        let (index, _) = RuleIndex::build(&rules, &anchors());
        let subject = Subject::Command(&command);
        let expect = walk(&rules, |it| it.strength(&subject, &tree()));
        prop_assert_eq!(said_all(index.hits(&subject, &tree())), expect);
    }

    #[test]
    fn the_index_agrees_with_a_walk_on_paths(rules in more_rules(), used in any_use()) {
        let (index, _) = RuleIndex::build(&rules, &anchors());
        for access in [PathAccess::Read, PathAccess::Edit] {
            let path = PathSubject::of(&used, &tree());
            let subject = Subject::Path(access, &path);
            let expect = walk(&rules, |it| it.strength(&subject, &tree()));
            prop_assert_eq!(said_all(index.hits(&subject, &tree())), expect);
        }
    }

    #[test]
    fn the_index_agrees_with_a_walk_on_all_else(
        rules in more_rules(),
        host in select(vec!["a.test", "b.a.test", "c.b.a.test", "a.example", "test", "xn--b.a.test"]),
        agent in select(vec!["Explore", "Plan", "explore"]),
        tool in select(vec!["Bash", "Read", "Task", "mcp__s__get", "mcp__s__get_x", "mcp__t__x", "Write"]),
    ) {
        let (index, _) = RuleIndex::build(&rules, &anchors());
        let (host, agent) = (HostName::new(host), AgentName::new(agent));
        for subject in [
            Subject::Host(Some(&host)),
            Subject::Host(None),
            Subject::Agent(&agent),
            Subject::Skill("x y".into()),
            Subject::Anything,
        ] {
            let expect = walk(&rules, |it| it.strength(&subject, &tree()));
            prop_assert_eq!(said_all(index.hits(&subject, &tree())), expect);
        }
        let tool = ToolName::parse(tool).unwrap();
        let expect = walk(&rules, |it| tool_strength(it, &tool, &|_, _| true));
        prop_assert_eq!(said_all(index.tool(&tool, &|_, _| true)), expect);
    }
}

#[test]
fn a_call_costs_a_few_probes_whatever_the_number_of_rules() {
    let rules: Vec<PermissionRule> = (0..5_000)
        .map(|n| rule(&format!("allow Bash(tool{n} sub *)")))
        .collect();
    let (index, _) = RuleIndex::build(&rules, &anchors());
    let subject = CommandSubject::of(&run(&["tool42", "sub", "x", "y", "z"]));
    assert_eq!(index.tables.command(&subject, &index.rules).len(), 1);
}

#[test]
fn what_is_wrong_with_rules_is_told_with_its_weight() {
    let rules = [
        rule("allow Bash("),
        rule("deny Bash()"),
        rule("deny Write(x)"),
        rule("ask Bash(x)"),
    ];
    let (index, problems) = RuleIndex::build(&rules, &anchors());
    let weights: Vec<Severity> = problems.iter().map(|it| it.severity).collect();
    assert_eq!(
        weights,
        [
            Severity::DroppedAllow,
            Severity::StopsUnattended,
            Severity::Warning
        ]
    );
    assert_eq!(index.len(), 3);
    assert_eq!(index.unreadable().unwrap().text.as_str(), "Bash()");
}

#[test]
fn a_tool_with_a_bare_deny_is_known() {
    let rules = [
        rule("deny mcp__s"),
        rule("deny Web*"),
        rule("deny Bash(rm *)"),
    ];
    let (index, _) = RuleIndex::build(&rules, &anchors());
    let denied = |tool: &str| index.bare_deny(&ToolName::parse(tool).unwrap()).is_some();
    assert!(denied("mcp__s__x") && denied("WebFetch"));
    assert!(!denied("Bash") && !denied("mcp__t__x"));
}
