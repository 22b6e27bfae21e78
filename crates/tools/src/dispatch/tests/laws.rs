//! The laws of the design that dispatch keeps.

use std::num::NonZeroU32;

use pointsman_approvals::NewGrant;
use pointsman_ledger::{CallStarted, RecordBody};
use pointsman_model::{
    Answerer, CallState, Digest, GrantScope, JsonText, Outcome, PermissionMode, PermissionRule,
    RuleBehavior, RuleSource, RuleText, Uses, VerdictKind,
};
use serde_json::json;

use super::bench::{Bench, Layout, person, yes};

#[tokio::test]
async fn law_1_no_verdict_lifts_a_deny_made_while_it_was_open() {
    let bench = Layout::rules(&["ask Bash(touch *)"])
        .answer(|_| None)
        .build()
        .await;
    let grants = bench.dispatch.seat().grants.clone();
    let rule = PermissionRule {
        behavior: RuleBehavior::Deny,
        text: RuleText::new("Bash(touch *)"),
        source: RuleSource::Session,
        place: None,
        anchor: bench.root.clone(),
    };
    // The person says yes right after the rule was made.
    grants.tighten(rule, person()).await.unwrap();
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Error, Some(Outcome::Refused))
    );
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn law_1_an_edited_input_is_judged_by_deny_rules() {
    for by in [person(), Answerer::Hook { name: "h".into() }] {
        let bench = Layout::rules(&["ask Bash(touch *)", "deny Bash(touch y)"])
            .answer(move |_| {
                let edited = JsonText::parse(r#"{"command":"touch y"}"#).unwrap();
                let kind = VerdictKind::Allow {
                    edited: Some(edited),
                    grant: None,
                };
                Some((kind, by.clone()))
            })
            .build()
            .await;
        let end = bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_eq!(
            (end.state, end.outcome),
            (CallState::Error, Some(Outcome::Refused))
        );
        assert!(end.text.contains("deny Bash(touch y)"), "{}", end.text);
        assert!(!bench.root.join("y").as_path().exists());
    }
}

#[tokio::test]
async fn law_2_a_hooks_edit_into_what_must_be_asked_is_asked_anew() {
    let mut round = 0;
    let bench = Layout::rules(&["ask Bash(touch y)"])
        .answer(move |request| {
            round += 1;
            if round > 1 {
                assert!(request.supersedes.is_some());
                return Some((yes(), person()));
            }
            let edited = JsonText::parse(r#"{"command":"touch y"}"#).unwrap();
            let kind = VerdictKind::Allow {
                edited: Some(edited),
                grant: None,
            };
            Some((kind, Answerer::Hook { name: "h".into() }))
        })
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.state, CallState::Success, "{}", end.text);
    assert_eq!(bench.questions().len(), 2);
    assert!(bench.root.join("y").as_path().exists());
}

#[tokio::test]
async fn law_6_no_edit_leaves_plan_mode() {
    let bench = Layout::rules(&["ask Read(f)"])
        .mode(PermissionMode::Plan)
        .answer(|_| {
            let edited = JsonText::parse(r#"{"command":"touch y"}"#).unwrap();
            let kind = VerdictKind::Allow {
                edited: Some(edited),
                grant: None,
            };
            Some((kind, person()))
        })
        .build()
        .await;
    bench.write("f", "text");
    let end = bench.call("Bash", json!({ "command": "cat f" })).await;
    assert_eq!(end.outcome, Some(Outcome::Refused), "{}", end.text);
    assert!(!bench.root.join("y").as_path().exists());
}

/// A session's rule for commands like `touch x`.
async fn tighten(bench: &Bench, behavior: RuleBehavior) {
    let rule = PermissionRule {
        behavior,
        text: RuleText::new("Bash(touch *)"),
        source: RuleSource::Session,
        place: None,
        anchor: bench.root.clone(),
    };
    let grants = &bench.dispatch.seat().grants;
    grants.tighten(rule, person()).await.unwrap();
}

#[tokio::test]
async fn law_1_a_deny_made_after_the_pass_is_kept() {
    // Let pass by a rule, and by a person.
    for rules in [&["allow Bash(touch *)"][..], &[]] {
        let bench = Layout::rules(rules).build().await;
        let touch = json!({ "command": "touch x" });
        let call = bench.admitted("Bash", touch).await;
        tighten(&bench, RuleBehavior::Deny).await;
        let end = bench.dispatch.execute(call).await;
        assert_eq!(
            (end.state, end.outcome),
            (CallState::Error, Some(Outcome::Refused))
        );
        assert!(!bench.root.join("x").as_path().exists());
        assert!(!bench.kinds().await.contains(&"call_started"));
    }
}

#[tokio::test]
async fn law_14_an_ask_rule_made_after_the_pass_is_kept() {
    let bench = Layout::rules(&["allow Bash(touch *)"])
        .answer(|_| Some((VerdictKind::Deny { text: None }, person())))
        .build()
        .await;
    let touch = json!({ "command": "touch x" });
    let call = bench.admitted("Bash", touch).await;
    tighten(&bench, RuleBehavior::Ask).await;
    let end = bench.dispatch.execute(call).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByPerson));
    assert_eq!(bench.questions().len(), 1);
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn law_12_a_question_has_a_deadline_and_ends_with_the_agent() {
    let bench = Layout::rules(&[]).answer(|_| None).build().await;
    let stop = bench.stop.clone();
    let (end, ()) = tokio::join!(bench.call("Bash", json!({ "command": "touch x" })), async {
        bench.until_asked().await;
        stop.cancel();
    });
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Cancelled, Some(Outcome::Cancelled))
    );
    let [question] = bench.questions().try_into().unwrap();
    assert_eq!(question.deadline.since(question.opened_at).0, 60_000);
}

#[tokio::test]
async fn law_16_each_decision_is_made_under_the_context_of_the_spawn() {
    let bench = Layout::rules(&["allow Bash(true)"]).build().await;
    for command in ["true", "touch x"] {
        bench.call("Bash", json!({ "command": command })).await;
    }
    let spawned = bench.dispatch.seat().frozen.context.digest();
    let decided = bench
        .bodies(|body| match body {
            RecordBody::CallDecided(decided) => Some(decided.context),
            _ => None,
        })
        .await;
    assert_eq!(decided, [spawned, spawned]);
    assert_eq!(bench.questions()[0].context, spawned);
}

async fn grant(bench: &Bench, rule: &str, scope: GrantScope, uses: Uses) {
    let new = NewGrant {
        rules: vec![RuleText::new(rule)],
        scope,
        anchor: bench.root.clone(),
        until: None,
        uses,
        by: person(),
        request: None,
    };
    bench.dispatch.seat().grants.add(new).await.unwrap();
}

#[tokio::test]
async fn law_17_a_grant_to_another_agent_lets_nothing_pass() {
    let bench = Layout::rules(&[]).build().await;
    let seat = bench.dispatch.seat();
    let other = GrantScope::Worker {
        worker: seat.ids.next_worker(),
    };
    grant(&bench, "Bash(touch *)", other, Uses::Unlimited).await;
    bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(bench.questions().len(), 1);
    let mine = GrantScope::Worker {
        worker: seat.worker,
    };
    grant(&bench, "Bash(touch *)", mine, Uses::Unlimited).await;
    bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(bench.questions().len(), 0);
}

#[tokio::test]
async fn law_1_a_guard_is_asked_of_each_call_whatever_is_granted() {
    let guard = r#"cat >> seen; grep -q forbidden seen && exit 2; exit 0"#;
    let bench = Layout::rules(&[]).hook(guard).build().await;
    let mine = GrantScope::Worker {
        worker: bench.dispatch.seat().worker,
    };
    grant(&bench, "Bash(touch *)", mine, Uses::Unlimited).await;
    for _ in 0..2 {
        let end = bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_eq!(end.state, CallState::Success);
    }
    let seen = bench.read("seen").matches("PreToolUse").count();
    assert_eq!(seen, 2, "the grant took the place of the guard");
    let end = bench
        .call("Bash", json!({ "command": "touch forbidden" }))
        .await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByHook));
    assert_eq!(bench.questions().len(), 0);
}

#[tokio::test]
async fn a_grant_is_used_no_more_often_than_it_says() {
    let bench = Layout::rules(&[]).build().await;
    let mine = GrantScope::Worker {
        worker: bench.dispatch.seat().worker,
    };
    let twice = Uses::Left(NonZeroU32::new(2).unwrap());
    grant(&bench, "Bash(touch *)", mine, twice).await;
    for asked in [0, 0, 1] {
        bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_eq!(bench.questions().len(), asked);
    }
    let kinds = bench.kinds().await;
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "grant_used").count(),
        2
    );
}

#[tokio::test]
async fn law_20_the_start_is_on_disk_before_the_tool_runs() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    // The command itself looks for the record of its start.
    let ledger = bench.root.parent().unwrap().join("ledger.db");
    let copy = format!("cp {ledger} {ledger}-wal . 2>/dev/null; true");
    bench.call("Bash", json!({ "command": copy })).await;
    let reader = pointsman_ledger::LedgerReader::open(bench.root.join("ledger.db").as_path());
    let records = reader
        .unwrap()
        .records(&Default::default())
        .unwrap()
        .records;
    let kinds: Vec<&str> = records
        .iter()
        .map(|record| record.body.kind().as_str())
        .collect();
    assert!(kinds.contains(&"call_started"), "{kinds:?}");
    assert!(!kinds.contains(&"call_ended"), "{kinds:?}");
    assert_eq!(
        bench.kinds().await,
        [
            "call_requested",
            "call_decided",
            "call_started",
            "process_group_started",
            "process_group_ended",
            "call_ended"
        ]
    );
}

#[tokio::test]
async fn law_20_what_can_not_be_recorded_does_not_run() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    let call = bench
        .admitted("Bash", json!({ "command": "touch x" }))
        .await;
    bench.dispatch.seat().ledger.close().await;
    let end = bench.dispatch.execute(call).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Error, Some(Outcome::Unavailable))
    );
    assert!(end.text.contains("the ledger is closed"), "{}", end.text);
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn law_20_what_has_a_start_on_record_does_not_run_and_keeps_its_end() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    let call = bench
        .admitted("Bash", json!({ "command": "touch x" }))
        .await;
    // As another leader of the run would have left it.
    let seat = bench.dispatch.seat();
    let started = CallStarted {
        worker: seat.worker,
        call: call.call().clone(),
        folder: bench.root.clone(),
        request: None,
        digest: Digest::of(b"that one"),
    };
    seat.ledger.append(seat.run, started).await.unwrap();
    let end = bench.dispatch.execute(call).await;
    assert_eq!((end.state, end.outcome), (CallState::Error, None));
    assert!(
        end.text.contains("nobody knows what it did"),
        "{}",
        end.text
    );
    assert!(!bench.root.join("x").as_path().exists());
    assert_eq!(
        bench.kinds().await,
        ["call_requested", "call_decided", "call_started"]
    );
}

#[tokio::test]
async fn law_22_what_is_shown_approved_and_run_are_the_same_bytes() {
    let bench = Layout::rules(&["ask Bash"]).build().await;
    let command = "printf '%s' \"$0 $# $-\" | tee shown; printf \"ä 'q' \\\"d\\\" $(echo sub)\"";
    let end = bench
        .call("Bash", json!({ "command": command, "description": "d" }))
        .await;
    let [question] = bench.questions().try_into().unwrap();
    assert_eq!(
        question.call.text.as_str(),
        json!({ "command": command, "description": "d" }).to_string()
    );
    let started = bench
        .bodies(|body| match body {
            RecordBody::CallStarted(started) => Some(*started),
            _ => None,
        })
        .await;
    let [started] = started.try_into().unwrap();
    assert_eq!(started.call, question.call);
    assert_eq!(
        (started.request, started.digest),
        (Some(question.id), question.digest)
    );
    // The line is what bash was given as its program: nothing is wrapped around it.
    assert!(
        bench.read("shown").contains("bash 0 "),
        "{}",
        bench.read("shown")
    );
    assert!(end.text.contains("ä 'q' \"d\" sub"), "{}", end.text);
}

#[tokio::test]
async fn law_22_hidden_characters_are_never_let_pass_unasked() {
    let bench = Layout::rules(&["allow Bash", "allow Edit", "allow Write"])
        .build()
        .await;
    bench
        .call("Bash", json!({ "command": "echo a\u{202e}b" }))
        .await;
    bench
        .call("Write", json!({ "file_path": "a\u{200b}b", "content": "" }))
        .await;
    assert_eq!(bench.questions().len(), 2);
}
