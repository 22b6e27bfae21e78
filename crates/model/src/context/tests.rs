//! Law 16: a context is frozen at spawn, and never wider than the one it comes from.

use proptest::prelude::*;

use super::*;
use crate::{AgentName, RuleBehavior, RuleSource, RuleText, RunId, WorkerId};

const TOOLS: [&str; 5] = ["Bash", "Read", "Edit", "Agent", "mcp__git__log"];
const FOLDERS: [&str; 8] = [
    "/",
    "/w",
    "/w/p",
    "/w/p/src",
    "/w/p/srcs",
    "/w/p/src/deep",
    "/w/q",
    "/etc",
];

fn abs(text: &str) -> AbsPath {
    AbsPath::parse(text).unwrap()
}

fn step(number: u32) -> LineageStep {
    LineageStep {
        worker: WorkerId::new(RunId::new(1).unwrap(), number),
        label: format!("agent {number}").into(),
        agent: AgentName::new("steps"),
    }
}

fn a_tool_set() -> impl Strategy<Value = ToolSet> {
    let names = proptest::sample::subsequence(TOOLS.to_vec(), 0..=TOOLS.len());
    prop_oneof![
        1 => Just(ToolSet::All),
        3 => names.prop_map(|names| only(&names)),
    ]
}

fn only(names: &[&str]) -> ToolSet {
    ToolSet::Only(
        names
            .iter()
            .map(|name| ToolName::parse(name).unwrap())
            .collect(),
    )
}

fn a_mode() -> impl Strategy<Value = PermissionMode> {
    proptest::sample::select(PermissionMode::ALL.to_vec())
}

fn a_folder() -> impl Strategy<Value = AbsPath> {
    proptest::sample::select(FOLDERS.to_vec()).prop_map(abs)
}

fn a_rule() -> impl Strategy<Value = PermissionRule> {
    let behaviors = vec![RuleBehavior::Allow, RuleBehavior::Ask, RuleBehavior::Deny];
    let texts = vec!["Bash(ls *)", "Edit(src/**)", "Read"];
    (
        proptest::sample::select(behaviors),
        proptest::sample::select(texts),
    )
        .prop_map(|(behavior, text)| PermissionRule {
            behavior,
            text: RuleText::new(text),
            source: RuleSource::UserSettings,
            place: None,
            anchor: abs("/w/p"),
        })
}

prop_compose! {
    fn a_root()(
        mode in a_mode(),
        rules in proptest::collection::vec(a_rule(), 0..4),
        tools in a_tool_set(),
        tools_to_pass_on in a_tool_set(),
        directories in proptest::collection::vec(a_folder(), 1..3),
        depth_left in 0_u32..5,
        handler in proptest::sample::select(vec![
            HandlerKind::Interactive,
            HandlerKind::Coordinator,
            HandlerKind::SwarmWorker,
        ]),
        attended in proptest::sample::select(vec![Attended::Yes, Attended::No]),
        sandbox in proptest::sample::select(vec![
            SandboxState::Off,
            SandboxState::On,
            SandboxState::AutoAllow,
        ]),
    ) -> PermissionContext {
        PermissionContext::freeze(ContextParts {
            lineage: Lineage::root(step(1)),
            mode: ModeInForce::root(mode),
            rules: rules.into(),
            tools,
            tools_to_pass_on,
            folder: directories[0].clone(),
            project: abs("/w/p"),
            home: abs("/home/ada"),
            directories: directories.into(),
            depth_left,
            handler,
            attended,
            sandbox,
        })
    }
}

prop_compose! {
    fn a_child(number: u32)(
        mode in proptest::option::of((
            a_mode(),
            proptest::sample::select(vec![WhoSetMode::Person, WhoSetMode::Agent]),
        )),
        tools in a_tool_set(),
        folder in proptest::option::of(a_folder()),
    ) -> ChildContext {
        ChildContext { step: step(number), mode, tools, folder, rules: Vec::new() }
    }
}

fn children() -> impl Strategy<Value = Vec<ChildContext>> {
    (a_child(2), a_child(3), a_child(4), a_child(5), a_child(6))
        .prop_map(|(a, b, c, d, e)| vec![a, b, c, d, e])
}

/// Every tool that anybody could name.
fn names() -> impl Iterator<Item = ToolName> {
    TOOLS
        .iter()
        .chain(&["Write", "mcp__x__y"])
        .map(|name| ToolName::parse(name).unwrap())
}

fn offers_no_more(narrow: &ToolSet, wide: &ToolSet) -> bool {
    names().all(|tool| !narrow.contains(&tool) || wide.contains(&tool))
        && (*narrow != ToolSet::All || *wide == ToolSet::All)
}

proptest! {
    #[test]
    fn law_16_a_child_is_never_wider_than_its_parent(root in a_root(), children in children()) {
        let mut parent = root.clone();
        for child in children {
            let Ok(born) = parent.child(child.clone()) else { continue };
            let (p, c) = (parent.parts(), born.parts());
            prop_assert!(offers_no_more(&c.tools, &p.tools_to_pass_on));
            prop_assert!(offers_no_more(&c.tools, &child.tools));
            prop_assert!(offers_no_more(&c.tools_to_pass_on, &p.tools_to_pass_on));
            prop_assert_eq!(&c.rules, &p.rules);
            prop_assert_eq!(&c.directories, &p.directories);
            prop_assert!(
                c.folder == p.folder || p.directories.iter().any(|dir| c.folder.is_within(dir))
            );
            prop_assert_eq!(c.mode, p.mode.child(child.mode));
            prop_assert_eq!((c.attended, c.sandbox), (p.attended, p.sandbox));
            prop_assert_eq!((&c.project, &c.home), (&p.project, &p.home));
            parent = born;
        }
    }

    /// More trust than the parent's comes from a person's word alone; plan and dontAsk never wear off.
    #[test]
    fn law_16_trust_never_grows_on_an_agents_word(root in a_root(), children in children()) {
        let mut parent = root;
        for mut child in children {
            child.mode = child.mode.map(|(mode, _)| (mode, WhoSetMode::Agent));
            let Ok(born) = parent.child(child) else { continue };
            prop_assert!(born.parts().mode.mode() <= parent.parts().mode.mode());
            let refused = crate::Questions::Refused;
            if parent.parts().mode.questions() == refused {
                prop_assert_eq!(born.parts().mode.questions(), refused);
            }
            parent = born;
        }
    }

    #[test]
    fn law_16_a_spawned_agent_has_the_swarm_handler_and_one_generation_less(
        root in a_root(),
        children in children(),
    ) {
        let generations = root.parts().depth_left;
        let mut parent = root;
        let mut born = 0;
        for child in children {
            let left = parent.parts().depth_left;
            match parent.child(child) {
                Ok(context) => {
                    born += 1;
                    prop_assert!(left > 0);
                    prop_assert_eq!(context.parts().depth_left, left - 1);
                    prop_assert_eq!(context.parts().handler, HandlerKind::SwarmWorker);
                    let (above, below) = (&parent.parts().lineage, &context.parts().lineage);
                    prop_assert_eq!(&below.steps()[..above.steps().len()], above.steps());
                    prop_assert_eq!(below.depth(), above.depth() + 1);
                    prop_assert!(below.includes(above.agent().worker));
                    parent = context;
                }
                Err(SpawnContextError::TooDeep(depth)) => {
                    prop_assert_eq!((left, depth), (0, parent.parts().lineage.depth()));
                }
                Err(SpawnContextError::NoTools | SpawnContextError::FolderOutside(_)) => {}
            }
        }
        prop_assert!(born <= generations);
    }

    /// The digest of a decision is the digest of the spawn: nothing that happens to relatives changes it.
    #[test]
    fn law_16_the_digest_stays_what_it_was_at_spawn(root in a_root(), children in children()) {
        let mut family = vec![(root.digest(), root)];
        for child in children {
            let parent = family.last().map(|(_, context)| context.clone()).unwrap();
            if let Ok(born) = parent.child(child) {
                family.push((born.digest(), born));
            }
        }
        for (at_spawn, context) in &family {
            prop_assert_eq!(*at_spawn, context.digest_now());
            prop_assert_eq!(context.digest(), PermissionContext::freeze(context.parts().clone()).digest());
        }
        let mut digests: Vec<Digest> = family.iter().map(|(digest, _)| *digest).collect();
        digests.sort();
        digests.dedup();
        prop_assert_eq!(digests.len(), family.len(), "two agents share a digest");
    }

    #[test]
    fn an_intersection_holds_what_both_hold(one in a_tool_set(), other in a_tool_set()) {
        let both = one.intersection(&other);
        for tool in names() {
            prop_assert_eq!(both.contains(&tool), one.contains(&tool) && other.contains(&tool));
        }
    }
}

fn plain_root() -> ContextParts {
    ContextParts {
        lineage: Lineage::root(step(1)),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: Arc::from([]),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: abs("/w/p"),
        project: abs("/w/p"),
        home: abs("/home/ada"),
        directories: Arc::from([abs("/w/p")]),
        depth_left: 2,
        handler: HandlerKind::Coordinator,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    }
}

fn plain_child() -> ChildContext {
    ChildContext {
        step: step(2),
        mode: None,
        tools: ToolSet::All,
        folder: None,
        rules: Vec::new(),
    }
}

/// Whatever part of a context changes, its digest does.
#[test]
fn every_part_of_a_context_is_in_its_digest() {
    type Change = (&'static str, fn(&mut ContextParts));
    let changes: [Change; 14] = [
        ("lineage", |parts| parts.lineage = Lineage::root(step(9))),
        ("mode", |parts| {
            parts.mode = ModeInForce::root(PermissionMode::Plan)
        }),
        ("questions", |parts| {
            let who = WhoSetMode::Person;
            let plan = ModeInForce::root(PermissionMode::Plan);
            parts.mode = plan.child(Some((PermissionMode::DontAsk, who)));
        }),
        ("rules", |parts| {
            parts.rules = Arc::from([PermissionRule {
                behavior: RuleBehavior::Allow,
                text: RuleText::new("Bash"),
                source: RuleSource::CliArg,
                place: None,
                anchor: abs("/"),
            }]);
        }),
        ("tools", |parts| parts.tools = only(&["Bash"])),
        ("tools_to_pass_on", |parts| {
            parts.tools_to_pass_on = only(&["Bash"])
        }),
        ("folder", |parts| parts.folder = abs("/w/p/src")),
        ("project", |parts| parts.project = abs("/w")),
        ("home", |parts| parts.home = abs("/home/bob")),
        ("directories", |parts| {
            parts.directories = Arc::from([abs("/w")])
        }),
        ("depth_left", |parts| parts.depth_left = 1),
        ("handler", |parts| parts.handler = HandlerKind::SwarmWorker),
        ("attended", |parts| parts.attended = Attended::No),
        ("sandbox", |parts| parts.sandbox = SandboxState::On),
    ];
    let plain = PermissionContext::freeze(plain_root()).digest();
    let mut seen = vec![("nothing", plain)];
    for (part, change) in changes {
        let mut parts = plain_root();
        change(&mut parts);
        let digest = PermissionContext::freeze(parts).digest();
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == digest) {
            panic!("changing {part} gives the digest of changing {other}");
        }
        seen.push((part, digest));
    }
}

/// A coordinator without tools of its own can still have able workers: its limit binds it alone.
#[test]
fn an_agents_own_tool_limit_does_not_bind_those_it_spawns() {
    let mut parts = plain_root();
    parts.tools = only(&["Agent"]);
    let root = PermissionContext::freeze(parts);
    let child = root.child(plain_child()).unwrap();
    assert!(
        child
            .parts()
            .tools
            .contains(&ToolName::parse("Bash").unwrap())
    );

    let narrow = ChildContext {
        tools: only(&["Agent"]),
        ..plain_child()
    };
    let child = root.child(narrow).unwrap();
    let grandchild = child
        .child(ChildContext {
            step: step(3),
            ..plain_child()
        })
        .unwrap();
    assert!(
        grandchild
            .parts()
            .tools
            .contains(&ToolName::parse("Bash").unwrap())
    );
}

/// What a child is spawned with beside its parent's rules only tightens, and binds what it spawns.
#[test]
fn law_16_rules_of_a_child_only_tighten() {
    let root = PermissionContext::freeze(plain_root());
    let rule = |behavior, text| PermissionRule {
        behavior,
        text: RuleText::new(text),
        source: RuleSource::UserSettings,
        place: None,
        anchor: abs("/w/p"),
    };
    let child = root
        .child(ChildContext {
            rules: vec![
                rule(RuleBehavior::Allow, "Bash(rm *)"),
                rule(RuleBehavior::Deny, "Bash(git push *)"),
                rule(RuleBehavior::Ask, "Bash(make *)"),
            ],
            ..plain_child()
        })
        .unwrap();
    let added = |context: &PermissionContext| -> Vec<String> {
        let rules = &context.parts().rules[root.parts().rules.len()..];
        rules.iter().map(|rule| rule.text.to_string()).collect()
    };
    assert_eq!(added(&child), ["Bash(git push *)", "Bash(make *)"]);
    let grandchild = ChildContext {
        step: step(3),
        ..plain_child()
    };
    assert_eq!(added(&child.child(grandchild).unwrap()), added(&child));
    assert_ne!(child.digest(), root.child(plain_child()).unwrap().digest());
}

#[test]
fn a_child_that_would_have_nothing_or_stand_elsewhere_is_not_spawned() {
    let mut parts = plain_root();
    parts.tools_to_pass_on = only(&["Read"]);
    let root = PermissionContext::freeze(parts);
    let no_tools = ChildContext {
        tools: only(&["Bash"]),
        ..plain_child()
    };
    assert_eq!(root.child(no_tools), Err(SpawnContextError::NoTools));

    for (folder, fits) in [
        ("/w/p/src", true),
        ("/w/p", true),
        ("/w", false),
        ("/w/pq", false),
    ] {
        let child = ChildContext {
            folder: Some(abs(folder)),
            ..plain_child()
        };
        assert_eq!(root.child(child).is_ok(), fits, "{folder}");
    }
    // `..` is gone before anything is compared.
    let sly = ChildContext {
        folder: Some(abs("/w/p/../q")),
        ..plain_child()
    };
    assert_eq!(
        root.child(sly),
        Err(SpawnContextError::FolderOutside(abs("/w/q")))
    );
}

#[test]
fn an_agent_at_the_bottom_spawns_nobody() {
    let root = PermissionContext::freeze(plain_root());
    let child = root.child(plain_child()).unwrap();
    let last = child
        .child(ChildContext {
            step: step(3),
            ..plain_child()
        })
        .unwrap();
    let error = last
        .child(ChildContext {
            step: step(4),
            ..plain_child()
        })
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "agents may not be nested deeper than 3 here"
    );
}
