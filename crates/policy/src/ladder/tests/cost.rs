//! What a decision costs, counted: no clock is read here.

use allocation_counter::measure;

use super::*;
use crate::Frozen;

/// A few hundred rules of all kinds, so that no list of them is short by chance, and those of the case.
fn sample(rules: &str) -> Sample {
    let mut many = String::from(rules);
    for n in 0..300 {
        let behavior = ["allow", "ask", "deny"][n % 3];
        many += &format!("\n{behavior} Bash(prog{} sub{n} *)", n % 7);
        many += &format!("\n{behavior} Edit(/area{}/part{n}/**)", n % 7);
        many += &format!("\nuser: {behavior} Read(~/area{n}/x.txt)");
        many += &format!("\n{behavior} WebFetch(domain:h{n}.test)");
    }
    Sample::new().with(&many)
}

/// The decision and the number of allocations that it took.
#[track_caller]
fn check(rules: &str, call: &Call, expect: PermissionDecision) {
    let sample = sample(rules);
    let (frozen, _) = Frozen::new(sample.context());
    let (folder, tree) = (path("/w/proj"), &sample.tree);
    let question = Question {
        tool: &call.tool,
        input: &call.input,
        effects: &call.effects,
        folder: &folder,
        frozen: &frozen,
        overlay: &sample.overlay,
        vote: &sample.vote,
        tree,
    };
    // What is made once a process is made here.
    assert_eq!(decide(&question).decision, expect, "{call:?}");
    let counted = measure(|| drop(decide(&question)));
    assert_eq!(counted.count_total, 0, "{call:?}");
    let counted = measure(|| drop(judge(&question)));
    assert!(
        counted.count_total <= 6,
        "{} for {call:?}",
        counted.count_total
    );
}

#[test]
fn a_decision_that_rules_settle_allocates_nothing() {
    let git = Call::bash(&[&["git", "push", "origin", "main"]]);
    check("allow Bash(git push *)", &git, Allow);
    check("ask Bash(git push *)", &git, Ask);
    check("deny Bash(git push *)\nallow Bash(git *)", &git, Deny);
    check("allow Bash(* origin *)", &git, Allow);
    check("", &git, Ask);
    let two = Call::bash(&[&["git", "pull"], &["npm", "x"]]);
    check("allow Bash(git pull)\nallow Bash(npm *)", &two, Allow);
    check("", &Call::bash(&[&["ls", "-f"]]), Allow);
    check("", &Call::read("src/a.rs"), Allow);
    check("deny Read(*.pem)", &Call::read("src/a.pem"), Deny);
    check("allow Edit(/src/**)", &Call::write("src/a.rs"), Allow);
    check("deny Edit(/src/**)", &Call::write("src/a.rs"), Deny);
    check("", &Call::write("src/a.rs"), Ask);
    check("allow Agent", &Call::spawn("Explore"), Allow);
    check("allow Bash", &git, Allow);
}

proptest! {
    #[test]
    fn a_ruling_is_the_judgement_without_its_texts(sample in any_sample(8), call in any_call()) {
        let told = sample.judge(&call);
        let ruled = sample.ask(&call, decide);
        prop_assert_eq!(ruled.decision, told.decision);
        prop_assert_eq!(ruled.insistence, told.insistence);
        prop_assert_eq!(Some(ruled.rung), told.trail.0.last().map(|step| step.rung));
        let decided = match &told.reason {
            DecisionReason::DontAsk { question } => &**question,
            other => other,
        };
        let named = match decided {
            DecisionReason::Rule { rule, .. } | DecisionReason::RuleMayMatch { rule, .. } => Some(rule),
            DecisionReason::Covered { by } => by.iter().find_map(|cover| match cover {
                pointsman_model::Cover::Rule { rule } => Some(rule),
                _ => None,
            }),
            _ => None,
        };
        prop_assert_eq!(ruled.rule.as_ref(), named);
    }
}
