//! The laws of rules and ladder, as properties and tables.

mod cost;
#[cfg(unix)]
mod disk;
mod spelling;

use pointsman_model::PermissionDecision::{Allow, Ask, Deny};
use pointsman_model::{
    DecisionReason, Insistence, OpaqueWhy, PermissionDecision, PermissionMode, RuleBehavior, Rung,
    RungOutcome, SandboxState,
};
use proptest::prelude::*;

use super::*;
use crate::sample::{
    Call, Sample, any_call, any_mode, any_rule, any_rules, any_sample, grant, path, rule,
};

fn hook_allow() -> HookVote {
    HookVote::Allow {
        hook: "hook".into(),
        text: "fine".into(),
    }
}

#[track_caller]
fn check(sample: &Sample, call: &Call, expect: PermissionDecision) {
    let judgement = sample.judge(call);
    assert_eq!(judgement.decision, expect, "{judgement:#?}");
}

/// A line through the real analyser.
fn bash_line(line: &str) -> Call {
    let at = pointsman_shell::Surroundings {
        folder: path("/w/proj"),
        home: path("/home/dev"),
        case: pointsman_shell::NameCase::Counts,
    };
    let mut call = Call::new("Bash", Vec::new());
    call.effects = pointsman_shell::analyse(line, &at).effects;
    call
}

fn is_deny_rule(reason: &DecisionReason) -> bool {
    matches!(reason, DecisionReason::Rule { rule, .. } if rule.behavior == RuleBehavior::Deny)
}

proptest! {
    // Most generated calls are no example of a law on denies or must-asks.
    #![proptest_config(ProptestConfig { max_global_rejects: 50_000, ..ProptestConfig::default() })]

    #[test]
    fn law_1_deny_first(
        sample in any_sample(6),
        call in any_call(),
        allows in proptest::collection::vec(any_rule(RuleBehavior::Allow), 0..6),
        mode in any_mode(),
    ) {
        let before = sample.judge(&call);
        prop_assume!(before.decision == Deny && is_deny_rule(&before.reason));
        let mut after = sample.clone().in_mode(mode);
        after.overlay.grants.extend(allows.iter().map(|it| grant(it.text.as_str())));
        after.rules.extend(allows);
        after.vote = hook_allow();
        after.sandbox = SandboxState::AutoAllow;
        let after = after.judge(&call);
        prop_assert_eq!(after.decision, Deny);
        prop_assert!(is_deny_rule(&after.reason));
    }

    #[test]
    fn law_2_must_ask_holds_in_every_mode(
        sample in any_sample(6),
        call in any_call(),
        mode in any_mode(),
        allow in any_rule(RuleBehavior::Allow),
    ) {
        let before = sample.clone().in_mode(PermissionMode::Default).judge(&call);
        prop_assume!(before.decision == Ask && before.insistence == Insistence::MustAsk);
        let mut after = sample.in_mode(mode);
        after.rules.push(allow);
        after.vote = hook_allow();
        prop_assert_ne!(after.judge(&call).decision, Allow);
    }

    #[test]
    fn law_3_dont_ask_turns_questions_and_nothing_else_into_refusals(
        sample in any_sample(6),
        call in any_call(),
    ) {
        let asked = sample.clone().in_mode(PermissionMode::Default).judge(&call).decision;
        let refused = sample.in_mode(PermissionMode::DontAsk).judge(&call).decision;
        prop_assert_eq!(refused, if asked == Allow { Allow } else { Deny });
    }

    #[test]
    fn law_4_opaque_is_allowed_by_no_rule_narrower_than_the_tool(
        rules in any_rules(8),
    ) {
        let narrow = rules.into_iter().filter(|it| it.text.as_str() != "Bash" && it.text.as_str() != "Bash(*)");
        let sample = Sample { rules: narrow.collect(), ..Sample::new() };
        let call = Call::opaque("Bash", OpaqueWhy::UnknownScript);
        prop_assert_ne!(sample.judge(&call).decision, Allow);
    }

    #[test]
    fn law_4_what_is_allowed_with_a_word_unknown_is_allowed_whatever_it_becomes(
        sample in any_sample(6),
        words in crate::sample::any_words(),
        at in 1usize..4,
        becomes in "[a-z-]{0,4}",
    ) {
        let mut unknown = words.clone();
        unknown.insert(at.min(words.len()), "?");
        let mut known = unknown.clone();
        known[at.min(words.len())] = &becomes;
        let before = sample.judge(&Call::bash(&[&unknown]));
        let after = sample.judge(&Call::bash(&[&known]));
        prop_assert!(before.decision != Allow || after.decision == Allow, "{before:#?}\n{after:#?}");
        prop_assert!(
            after.decision != Deny || before.decision != Allow,
            "a deny may hit, so it is asked"
        );
    }

    #[test]
    fn law_5_the_order_of_rules_never_matters(
        (sample, shuffled) in any_sample(8).prop_flat_map(|it| (Just(it.clone()), Just(it.rules).prop_shuffle())),
        call in any_call(),
    ) {
        let other = Sample { rules: shuffled, ..sample.clone() };
        prop_assert_eq!(sample.judge(&call), other.judge(&call));
    }

    #[test]
    fn law_5_the_order_of_parts_never_decides(
        sample in any_sample(8),
        call in any_call(),
    ) {
        let mut turned = call.clone();
        turned.effects.list.reverse();
        prop_assert_eq!(sample.judge(&call).decision, sample.judge(&turned).decision);
    }

    #[test]
    fn law_6_plan_lets_no_change_pass(
        rules in any_rules(8),
        call in any_call(),
    ) {
        let mut sample = Sample { rules, ..Sample::new() }.in_mode(PermissionMode::Plan);
        sample.overlay.grants.push(grant("Bash"));
        sample.vote = hook_allow();
        let changes = match call.tool.as_str() {
            "Bash" => call.effects.list.iter().any(|it| !matches!(
                &it.kind,
                pointsman_model::EffectKind::Run(run) if run.nature == pointsman_model::RunNature::KnownReader
            )),
            "Read" | "Agent" => false,
            _ => true,
        };
        prop_assume!(changes);
        prop_assert_eq!(sample.judge(&call).decision, Deny);
    }

    #[test]
    fn law_8_the_trail_ends_in_the_decision_and_nobody_never_asks(
        sample in any_sample(8),
        call in any_call(),
    ) {
        let judgement = sample.judge(&call);
        let last = judgement.trail.0.last().unwrap();
        prop_assert_eq!(&last.came_to, &RungOutcome::Decided {
            decision: judgement.decision,
            reason: judgement.reason.clone(),
        });
        prop_assert!(judgement.trail.0.is_sorted_by_key(|step| step.rung));
        prop_assert_ne!(judgement.if_nobody.decision, Ask);
        prop_assert!(judgement.decision == Ask || judgement.if_nobody.decision == judgement.decision);
    }

    #[test]
    fn adding_a_deny_or_ask_never_makes_anything_allowed(
        sample in any_sample(6),
        call in any_call(),
        more in prop_oneof![any_rule(RuleBehavior::Ask), any_rule(RuleBehavior::Deny)],
    ) {
        let before = sample.judge(&call).decision;
        let mut ruled = sample.clone();
        ruled.rules.push(more.clone());
        let mut tightened = sample;
        tightened.overlay.tightenings.push(more);
        prop_assert!(ruled.judge(&call).decision >= before);
        prop_assert_eq!(ruled.judge(&call).decision, tightened.judge(&call).decision);
    }

    #[test]
    fn a_narrower_context_never_allows_more(
        sample in any_sample(8),
        call in any_call(),
        kept in 0usize..8,
    ) {
        let mut narrower = sample.clone();
        narrower.directories.clear();
        let mut at = 0;
        narrower.rules.retain(|it| {
            at += 1;
            it.behavior != RuleBehavior::Allow || at <= kept
        });
        prop_assert!(narrower.judge(&call).decision >= sample.judge(&call).decision);
    }

    #[test]
    fn a_grant_allows_what_the_same_rule_allows(
        sample in any_sample(5),
        call in any_call(),
        allow in any_rule(RuleBehavior::Allow),
    ) {
        let mut granted = sample.clone();
        granted.overlay.grants.push(grant(allow.text.as_str()));
        let mut ruled = sample;
        ruled.rules.push(allow);
        prop_assert_eq!(granted.judge(&call).decision, ruled.judge(&call).decision);
    }

    #[test]
    fn denies_and_asks_alone_say_what_the_whole_ladder_says_of_them(
        sample in any_sample(8),
        call in any_call(),
    ) {
        let whole = sample.clone().in_mode(PermissionMode::Default).judge(&call);
        let ruled = |it: &DecisionReason| matches!(
            it,
            DecisionReason::Rule { .. } | DecisionReason::RuleMayMatch { .. }
        );
        let alone = sample.in_mode(PermissionMode::Default).ask(&call, judge_denies_and_asks);
        match alone {
            Some(alone) => prop_assert_eq!(alone.reason, whole.reason),
            None => prop_assert!(!ruled(&whole.reason)),
        }
    }
}

#[test]
fn law_8_a_question_names_the_first_part_that_nothing_covers() {
    let call = Call::bash(&[&["ls"], &["npm", "x"], &["git", "push"]]);
    let judgement = Sample::new().with("allow Bash(git *)").judge(&call);
    let DecisionReason::NothingDecided { matched } = &judgement.reason else {
        panic!("{judgement:#?}");
    };
    assert_eq!(&*matched.text, "npm x");
}

#[test]
fn law_8_the_tools_own_check_is_named_where_it_is_what_asks() {
    let sample = Sample::new();
    let outside = sample.judge(&Call::read("/etc/hosts"));
    assert!(
        matches!(outside.reason, DecisionReason::OutsideDirectories { .. }),
        "{outside:#?}"
    );
    let opaque = sample.judge(&bash_line("ls; $X y"));
    assert!(
        matches!(opaque.reason, DecisionReason::Opaque { .. }),
        "{opaque:#?}"
    );
    let objects = |judgement: &Judgement| {
        let own = |step: &&pointsman_model::TrailStep| step.rung == Rung::ToolCheck;
        judgement.trail.0.iter().find(own).unwrap().came_to.clone()
    };
    for judged in [&outside, &opaque] {
        assert!(
            matches!(objects(judged), RungOutcome::WouldAsk { .. }),
            "{judged:#?}"
        );
    }
    let inside = sample.judge(&bash_line("npm test"));
    assert_eq!(objects(&inside), RungOutcome::Passed, "{inside:#?}");
}

#[test]
fn law_2_the_sandbox_skips_a_bare_ask_but_in_plan() {
    let mut sample = Sample::new().with("ask Bash");
    let call = Call::bash(&[&["npm", "x"]]);
    check(&sample, &call, Ask);
    sample.sandbox = SandboxState::AutoAllow;
    check(&sample, &call, Allow);
    check(&sample.clone().with("ask Bash(npm *)"), &call, Ask);
    let mut outside = Call::read("/etc/hosts");
    outside.tool = call.tool.clone();
    check(&sample, &call, Allow);
    check(
        &Sample {
            rules: Vec::new(),
            ..sample.clone()
        }
        .in_mode(PermissionMode::Plan),
        &outside,
        Ask,
    );
    let reader = Call::bash(&[&["ls"]]);
    check(&sample.in_mode(PermissionMode::Plan), &reader, Ask);
}

#[test]
fn law_2_a_hook_that_asks_is_heard_in_bypass() {
    let mut sample = Sample::new().in_mode(PermissionMode::BypassPermissions);
    let call = Call::bash(&[&["npm", "x"]]);
    check(&sample, &call, Allow);
    sample.vote = HookVote::Ask {
        hook: "guard".into(),
        text: "look at this".into(),
    };
    let judgement = sample.judge(&call);
    assert_eq!(
        (judgement.decision, judgement.insistence),
        (Ask, Insistence::MustAsk)
    );
    assert!(matches!(judgement.reason, DecisionReason::Hook { .. }));
    let held_back = judgement
        .trail
        .0
        .iter()
        .find(|step| step.rung == Rung::Bypass);
    assert_eq!(held_back.unwrap().came_to, RungOutcome::HeldBack);
}

#[test]
fn law_1_a_hook_never_lifts_a_deny() {
    let mut sample = Sample::new().with("user: deny Bash(rm *)\nsession: allow Bash(rm *)");
    sample.vote = hook_allow();
    check(&sample, &Call::bash(&[&["rm", "x"]]), Deny);
    check(&sample, &Call::bash(&[&["rmdir", "x"]]), Allow);
}

#[test]
fn law_7_a_deny_that_is_no_rule_leaves_all_else_asking() {
    let sample = Sample::new().with("deny Bash(\nallow Bash\ndeny Read(.env)");
    check(&sample, &Call::bash(&[&["ls"]]), Ask);
    check(&sample, &Call::read("README.md"), Ask);
    check(&sample, &Call::read(".env"), Deny);
    check(
        &sample.in_mode(PermissionMode::BypassPermissions),
        &Call::read("README.md"),
        Ask,
    );
    let allow = Sample::new().with("allow Bash(\nallow Bash(npm *)");
    check(&allow, &Call::bash(&[&["npm", "x"]]), Allow);
}

#[test]
fn an_unknown_word_that_a_deny_may_mean_asks_even_in_bypass() {
    let sample = Sample::new()
        .with("deny Bash(git push *)\nallow Bash")
        .in_mode(PermissionMode::BypassPermissions);
    check(&sample, &Call::bash(&[&["git", "?", "origin"]]), Ask);
    check(&sample, &Call::bash(&[&["git", "push", "?"]]), Deny);
    check(&sample, &Call::bash(&[&["git", "pull", "?"]]), Allow);
    check(
        &sample,
        &Call::opaque("Bash", OpaqueWhy::UnknownScript),
        Ask,
    );
}

#[test]
fn a_wrapper_is_allowed_by_an_exact_rule_alone() {
    let call = Call::bash(&[&["sudo", "rm", "x"]]);
    check(&Sample::new().with("allow Bash(sudo *)"), &call, Ask);
    check(&Sample::new().with("allow Bash(sudo rm x)"), &call, Allow);
    check(&Sample::new().with("allow Bash"), &call, Allow);
}

#[test]
fn coverage_is_pooled() {
    let sample = Sample::new().with("allow Bash(npm x)\nallow Bash(git push)");
    let call = Call::bash(&[&["npm", "x"], &["ls"], &["git", "push"]]);
    let judgement = sample.judge(&call);
    match judgement.reason {
        DecisionReason::Covered { by } => assert_eq!(by.len(), 3, "{by:?}"),
        other => panic!("{other:?}"),
    }
    check(&sample, &Call::bash(&[&["npm", "x"], &["rm", "x"]]), Ask);
}

#[test]
fn a_protected_path_asks_under_every_allow() {
    let sample = Sample::new()
        .with("allow Edit\nallow Write\nallow Edit(//**)")
        .in_mode(PermissionMode::BypassPermissions);
    for file in [
        ".git/config",
        ".CLAUDE/settings.json",
        "sub/.bashrc",
        "/home/dev/.ssh/config",
    ] {
        check(&sample, &Call::write(file), Ask);
    }
    check(&sample, &Call::write("/home/dev/x"), Allow);
}

#[test]
fn a_bare_deny_and_a_starred_one_refuse() {
    for text in ["Write", "Write(*)", "Read", "Read(*)"] {
        let sample = Sample::new().with(&format!("allow Write\ndeny {text}"));
        check(&sample, &Call::write("src/a.rs"), Deny);
    }
    let mut sample = Sample::new().with("allow Write");
    sample.overlay.tightenings.push(rule("deny Read"));
    check(&sample, &Call::write("src/a.rs"), Deny);
    check(
        &Sample::new().with("allow Write\nask Read"),
        &Call::write("src/a.rs"),
        Allow,
    );
}

#[test]
fn what_a_line_only_works_out_is_asked_and_has_to_be_covered() {
    let denied = Sample::new().with("allow Bash\ndeny Bash(rm:*)");
    for line in [
        "$(echo rm) x",
        "busybox rm x",
        "echo 'rm x' | sh",
        "sh <<E\nrm x\nE",
    ] {
        let judged = denied.judge(&bash_line(line));
        assert_eq!(judged.decision, Ask, "{line}");
        assert_eq!(judged.insistence, Insistence::MustAsk, "{line}");
    }
    check(&denied, &bash_line("c=rm; $c x"), Deny);
    check(&denied, &bash_line("sh -c 'rm x'"), Deny);
    let allowed = Sample::new().with("allow Bash(sh)\nallow Bash(echo *)\nallow Bash(tool *)");
    check(&allowed, &bash_line("echo 'rm x' | sh"), Ask);
    check(&allowed, &bash_line("$(echo rm) x"), Ask);
    check(&allowed, &bash_line("$(echo tool) x"), Allow);
}

#[test]
fn a_word_of_unknown_value_needs_a_rule_that_spells_it() {
    let sample = Sample::new().with("allow Bash(tool *)\nallow Bash(other $X)\nallow Bash(echo *)");
    for line in [
        "tool $X",
        "tool \"$1\"",
        "tool $(cat a)",
        "tool a <(ls)",
        "tool =ls",
    ] {
        check(&sample, &bash_line(line), Ask);
    }
    for line in [
        "tool a",
        "tool '$X'",
        "tool ~root",
        "tool a*",
        "other $X",
        "echo $X",
        "for i in a b; do tool $i; done",
    ] {
        check(&sample, &bash_line(line), Allow);
    }
}

#[test]
fn an_agent_never_answers_for_itself() {
    let mut sample = Sample::new()
        .with("allow Bash")
        .in_mode(PermissionMode::BypassPermissions);
    sample
        .tree
        .add_link(&path("/w/proj/p"), "/usr/bin/pointsman");
    for line in [
        "pointsman trust --yes",
        "pointsman answer 1a2b yes",
        "pointsman grants revoke 3",
        "pointsman run jobs.toml",
        "pointsman mode auto",
        "pointsman hooks test",
        "/usr/local/bin/pointsman trust",
        "./target/debug/POINTSMAN answer 1 yes",
        "./p answer 1 yes",
        "p\\ointsman 'trust'",
        "env XDG_STATE_HOME=/x pointsman trust",
        "sudo -u me timeout 5 pointsman trust",
        "bash -c 'pointsman trust'",
        "sh <<< 'pointsman trust'",
        "echo answer | xargs pointsman",
        "find . -exec pointsman answer {} yes \\;",
        "eval pointsman trust",
        "p=pointsman; $p trust",
        "$(which pointsman) answer 1 yes",
        "/usr/bin/poin* trust",
        "f() { pointsman \"$@\"; }; f trust",
        "pointsman $WHAT",
        "pointsman --json answer 1 yes",
        "true && (pointsman trust)",
        "ls; echo \"$(pointsman answer 1 yes)\"",
        "alias p='pointsman trust'; p",
        "npx pointsman trust",
    ] {
        let judged = sample.judge(&bash_line(line));
        assert_eq!(judged.decision, Ask, "{line}: {:?}", judged.reason);
        assert_eq!(judged.insistence, Insistence::MustAsk, "{line}");
    }
    for line in [
        "pointsman check Bash ls",
        "pointsman why 3",
        "pointsman policy lint",
        "pointsman --version",
        "echo pointsman trust",
        "grep -r pointsman .",
        "$TOOL run",
    ] {
        check(&sample, &bash_line(line), Allow);
    }
}

#[test]
fn a_projects_deny_hangs_on_its_folder_too_and_the_persons_own_on_none_of_his() {
    let denied_at = |source: &str, anchor: &str| {
        let mut sample = Sample::new().with(&format!("{source}: deny Read(secrets/*.txt)"));
        for rule in &mut sample.rules {
            rule.anchor = path(anchor);
        }
        sample
            .judge(&Call::read(&format!("{anchor}/secrets/a.txt")))
            .decision
    };
    assert_eq!(denied_at("local", "/w/other"), Deny);
    assert_eq!(denied_at("user", "/home/dev/.claude"), Ask);
    assert_eq!(denied_at("policy", "/etc/claude-code"), Ask);
}

#[test]
fn links_are_judged_at_both_ends() {
    let mut sample = Sample::new().with("deny Read(secret.txt)\nallow Edit(/src/**)");
    sample.tree.add_link(&path("/w/proj/alias"), "secret.txt");
    sample.tree.add_link(&path("/w/proj/src/out"), "/etc/hosts");
    sample
        .tree
        .add_link(&path("/w/proj/src/hook"), "/w/proj/.git/hooks");
    check(&sample, &Call::read("alias"), Deny);
    check(&sample, &Call::write("src/out"), Ask);
    check(&sample, &Call::write("src/hook/pre-commit"), Ask);
    check(&sample, &Call::read("src/out"), Ask);
    check(&sample, &Call::write("src/a.rs"), Allow);
}

#[test]
fn case_is_folded_for_denies_always_and_for_allows_where_the_files_fold_it() {
    let mut sample = Sample::new().with("deny Read(Secret.txt)\nallow Edit(/src/**)");
    check(&sample, &Call::read("sEcret.TXT"), Deny);
    check(&sample, &Call::write("SRC/a.rs"), Ask);
    sample.tree.fold_case();
    check(&sample, &Call::write("SRC/a.rs"), Allow);
}

#[test]
fn a_rule_names_its_source_and_what_it_matched() {
    let sample = Sample::new().with("policy: deny Bash(rm *)\nuser: deny Bash(rm x)");
    match sample.judge(&Call::bash(&[&["ls"], &["rm", "x"]])).reason {
        DecisionReason::Rule {
            rule: found,
            matched,
        } => {
            assert_eq!(found, rule("policy: deny Bash(rm *)"));
            assert_eq!(&*matched.text, "rm x");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn law_16_a_child_judges_by_its_parents_rules() {
    use pointsman_model::{AgentName, ChildContext, LineageStep, RunId, ToolSet, WorkerId};
    let sample = Sample::new().with("deny Read(secret/**)\nallow Edit(src/**)");
    let (frozen, _) = Frozen::new(sample.context());
    let child = frozen
        .child(ChildContext {
            rules: Vec::new(),
            step: LineageStep {
                worker: WorkerId::new(RunId::new(1).unwrap(), 2),
                label: "child".into(),
                agent: AgentName::new("child"),
            },
            mode: None,
            tools: ToolSet::All,
            folder: Some(path("/w/proj/sub")),
        })
        .unwrap();
    let judged = |call: &Call| {
        judge(&Question {
            tool: &call.tool,
            input: &call.input,
            effects: &call.effects,
            folder: &path("/w/proj/sub"),
            frozen: &child,
            overlay: &sample.overlay,
            vote: &HookVote::None,
            tree: &sample.tree,
        })
        .decision
    };
    assert!(std::sync::Arc::ptr_eq(&frozen.index, &child.index));
    assert_eq!(judged(&Call::read("secret/x")), Deny);
    assert_eq!(judged(&Call::write("src/a.rs")), Allow);
    // An allow does not move with the child's folder.
    assert_eq!(judged(&Call::write("sub/src/a.rs")), Ask);
}
