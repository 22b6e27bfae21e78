//! What hooks say at the door, with real programs: to the agent, to the run, to the rules.

use pointsman_ledger::RecordBody;
use pointsman_model::{Answerer, CallState, Outcome, RuleSource, VerdictKind};
use pointsman_policy::settings::HookEvent;
use serde_json::json;

use super::bench::{Layout, yes};
use crate::{HaltCause, StopWord};

/// A line that answers an event with these fields.
fn says(event: HookEvent, fields: &str) -> String {
    format!(
        r#"echo '{{"hookSpecificOutput":{{"hookEventName":"{}",{fields}}}}}'"#,
        event.as_str()
    )
}

const ALLOW: &[&str] = &["allow Bash"];

#[tokio::test]
async fn what_hooks_add_reaches_the_agent_with_the_end_of_the_call() {
    let pre = says(
        HookEvent::PreToolUse,
        r#""additionalContext":"the lint is off""#,
    );
    let post = says(HookEvent::PostToolUse, r#""additionalContext":"formatted""#);
    let failed = says(
        HookEvent::PostToolUseFailure,
        r#""additionalContext":"see the log""#,
    );
    let bench = Layout::rules(ALLOW)
        .hook(&pre)
        .told(HookEvent::PostToolUse, &post)
        .told(HookEvent::PostToolUseFailure, &failed)
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "echo hi" })).await;
    assert_eq!(
        end.text,
        "hi\n[hook `settings.json:1:1`] the lint is off\n[hook `settings.json:2:1`] formatted"
    );
    // It is kept when the tool fails.
    let end = bench.call("Bash", json!({ "command": "exit 3" })).await;
    assert_eq!(end.state, CallState::Error);
    assert!(end.text.ends_with(
        "[hook `settings.json:1:1`] the lint is off\n[hook `settings.json:3:1`] see the log"
    ));
    let ended = bench
        .bodies(|body| match body {
            RecordBody::CallEnded(ended) => Some(ended.text),
            _ => None,
        })
        .await;
    assert_eq!(
        *ended[1], *end.text,
        "the ledger holds what the agent was told"
    );
}

#[tokio::test]
async fn a_hook_objects_to_what_was_done_or_replaces_what_it_gave() {
    let bench = Layout::rules(ALLOW)
        .told(HookEvent::PostToolUse, "echo 'not formatted' >&2; exit 2")
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "echo hi" })).await;
    assert_eq!(end.state, CallState::Success);
    assert!(
        end.text
            .ends_with("it objects to what was done: not formatted"),
        "{}",
        end.text
    );

    let redact = says(
        HookEvent::PostToolUse,
        r#""updatedToolOutput":{"stdout":"[hidden]"}"#,
    );
    let bench = Layout::rules(ALLOW)
        .told(HookEvent::PostToolUse, &redact)
        .build()
        .await;
    let end = bench
        .call("Bash", json!({ "command": "echo s3cret" }))
        .await;
    assert_eq!(end.text, "[hidden]");
}

#[tokio::test]
async fn a_refused_call_is_no_failure_of_the_tool() {
    let bench = Layout::rules(&["deny Bash"])
        .told(HookEvent::PostToolUse, "touch told")
        .told(HookEvent::PostToolUseFailure, "touch told")
        .told(HookEvent::PermissionDenied, "touch told")
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "echo hi" })).await;
    assert_eq!(end.outcome, Some(Outcome::Refused));
    let end = bench.call("Bash", json!({ "comand": "echo hi" })).await;
    assert_eq!((end.state, end.outcome), (CallState::Error, None));
    assert!(!bench.root.join("told").as_path().exists());
}

#[tokio::test]
async fn a_classifiers_no_is_told_and_may_be_asked_again() {
    let again = format!(
        "cat > told; {}",
        says(HookEvent::PermissionDenied, r#""retry":true"#)
    );
    let bench = Layout::rules(&[])
        .told(HookEvent::PermissionDenied, &again)
        .answer(|_| {
            let no = VerdictKind::Deny {
                text: Some("too broad".into()),
            };
            Some((no, Answerer::Classifier { name: "c".into() }))
        })
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByClassifier));
    assert!(
        end.text.ends_with("says that it may be asked again"),
        "{}",
        end.text
    );
    let told: serde_json::Value = serde_json::from_str(&bench.read("told")).unwrap();
    assert_eq!(told["tool_input"]["command"], "touch x");
    assert!(told["reason"].as_str().unwrap().contains("too broad"));
}

#[tokio::test]
async fn continue_false_halts_the_run_at_every_event() {
    for event in [HookEvent::PreToolUse, HookEvent::PostToolUse] {
        let bench = Layout::rules(ALLOW)
            .told(
                event,
                r#"echo '{"continue":false,"stopReason":"budget spent"}'"#,
            )
            .build()
            .await;
        let call = bench.call("Bash", json!({ "command": "echo hi" }));
        // Whoever leads the run hears of it beside the agent's work, not after it.
        let (heard, _) = tokio::join!(bench.dispatch.halting(), call);
        let halt = bench.dispatch.halted().unwrap();
        assert_eq!(heard, halt);
        assert_eq!(halt.cause, HaltCause::Hook("settings.json:1:1".into()));
        assert!(halt.reason.ends_with("halted the run: budget spent"));
        let next = bench.call("Bash", json!({ "command": "echo hi" })).await;
        assert_eq!(next.outcome, Some(Outcome::Cancelled));
    }
}

#[tokio::test]
async fn an_agent_that_wants_to_stop_goes_on_eight_times_at_most() {
    let bench = Layout::rules(ALLOW)
        .told(
            HookEvent::Stop,
            r#"cat >> told; echo '{"decision":"block","reason":"run the tests"}'"#,
        )
        .build()
        .await;
    assert!(!bench.dispatch.is_stop_told());
    for _ in 0..8 {
        let StopWord::GoesOn { text } = bench.dispatch.stopping("done").await else {
            panic!("it stopped")
        };
        assert_eq!(
            text,
            "hook `settings.json:1:1` says to go on: run the tests"
        );
        assert!(!bench.dispatch.is_stop_told());
    }
    assert_eq!(bench.dispatch.stopping("done").await, StopWord::Stops);
    assert!(bench.dispatch.is_stop_told());
    let active: Vec<bool> = bench
        .read("told")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|told| told["stop_hook_active"].as_bool().unwrap())
        .collect();
    assert_eq!(active[..2], [false, true]);
    assert_eq!(active.len(), 9);
}

#[tokio::test]
async fn a_persons_hook_adds_rules_to_the_run_and_to_its_file() {
    let update = r#""permissionDecision":"ask","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch y"}],"behavior":"deny","destination":"projectSettings"}]"#;
    let bench = Layout::rules(ALLOW)
        .hook(&says(HookEvent::PreToolUse, update))
        .answer(|_| Some((yes(), super::bench::person())))
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.state, CallState::Success);
    let end = bench.call("Bash", json!({ "command": "touch y" })).await;
    assert_eq!(end.outcome, Some(Outcome::Refused));
    assert!(
        bench
            .read(".claude/settings.json")
            .contains("Bash(touch y)")
    );
    let tightened = bench
        .bodies(|body| match body {
            RecordBody::Tightened(tightened) => Some(tightened.rule.source),
            _ => None,
        })
        .await;
    assert_eq!(tightened.first(), Some(&RuleSource::Session));
}
