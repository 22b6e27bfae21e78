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

/// A PreToolUse hook of the person's own that decides so and wants every `touch` allowed, in the project's file too.
fn loosening(decision: &str) -> String {
    let update = r#""updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch *"}],"behavior":"allow","destination":"projectSettings"},{"type":"addDirectories","directories":["/srv"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]"#;
    let fields = match decision {
        "" => update.to_owned(),
        decision => format!(r#""permissionDecision":"{decision}",{update}"#),
    };
    // Once: a call that comes after it meets what is left of it alone.
    format!(
        "[ -e asked ] || {{ touch asked; {}; }}",
        says(HookEvent::PreToolUse, &fields)
    )
}

fn refused(why: &str) -> (VerdictKind, Answerer) {
    match why {
        "a person" => (VerdictKind::Deny { text: None }, super::bench::person()),
        "another hook" => {
            let hook = Answerer::Hook { name: "h".into() };
            (VerdictKind::Deny { text: None }, hook)
        }
        "nobody" => {
            let ended = VerdictKind::Ended {
                outcome: Outcome::NobodyCanAnswer,
                text: "nobody is there".into(),
            };
            (ended, Answerer::Runtime)
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_a_hook_loosens_goes_with_a_call_that_is_refused() {
    for (decision, guard, by) in [
        ("ask", "true", "a person"),
        ("ask", "true", "nobody"),
        ("ask", "true", "another hook"),
        ("", "true", "a person"),
        ("", "true", "nobody"),
        ("allow", "exit 1", "a person"),
        ("allow", "exit 1", "nobody"),
        ("allow", "exit 2", "a person"),
    ] {
        let case = format!("{decision}, {guard}, {by}");
        let bench = Layout::rules(&[])
            .hook(&loosening(decision))
            .guard(&format!("[ -e asked.1 ] || {{ touch asked.1; {guard}; }}"))
            .answer(move |_| Some(refused(by)))
            .build()
            .await;
        let end = bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_ne!(end.state, CallState::Success, "{case}");
        bench.questions();
        let left = bench
            .bodies(|body| match body {
                RecordBody::GrantMade(_) | RecordBody::RulesSaved(_) => Some(()),
                _ => None,
            })
            .await;
        assert_eq!(left.len(), 0, "{case}");
        let file = bench.root.join(".claude/settings.json");
        assert!(!file.as_path().exists(), "{case}");
        for (tool, input) in [
            ("Bash", json!({ "command": "touch y" })),
            ("Write", json!({ "file_path": "z", "content": "" })),
        ] {
            let end = bench.call(tool, input).await;
            assert_ne!(end.state, CallState::Success, "{case}: {tool}");
            assert_eq!(bench.questions().len(), 1, "{case}: {tool} was not asked");
        }
    }
}

#[tokio::test]
async fn what_a_hook_loosens_counts_once_its_call_has_passed() {
    for decision in ["ask", "", "allow"] {
        let bench = Layout::rules(&[]).hook(&loosening(decision)).build().await;
        let end = bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_eq!(end.state, CallState::Success, "{}", end.text);
        let asked = usize::from(decision != "allow");
        assert_eq!(bench.questions().len(), asked, "{decision}");
        let file = bench.read(".claude/settings.json");
        assert!(file.contains("Bash(touch *)"), "{file}");
        for (tool, input) in [
            ("Bash", json!({ "command": "touch y" })),
            ("Write", json!({ "file_path": "z", "content": "" })),
        ] {
            let end = bench.call(tool, input).await;
            assert_eq!(end.state, CallState::Success, "{}", end.text);
            assert_eq!(bench.questions().len(), 0, "{decision}: {tool} was asked");
        }
    }
}

#[tokio::test]
async fn a_refusal_names_the_guard_that_nobody_could_answer_for() {
    for (guard, said) in [
        (
            "echo boom >&2; exit 1",
            "the guard failed: it ended with code 1: boom",
        ),
        (
            &*says(
                HookEvent::PreToolUse,
                r#""permissionDecision":"ask","permissionDecisionReason":"too wide""#,
            ),
            "too wide",
        ),
    ] {
        let bench = Layout::rules(ALLOW)
            .guard(guard)
            .answer(|_| Some(refused("nobody")))
            .build()
            .await;
        let end = bench.call("Bash", json!({ "command": "echo hi" })).await;
        assert_eq!(end.outcome, Some(Outcome::NobodyCanAnswer));
        let named = format!("It had to be asked: hook `settings.json:1:1` says: {said}.");
        assert!(end.text.contains(&named), "{}", end.text);
        assert!(
            !end.text.contains("let it pass with the rule"),
            "{}",
            end.text
        );
    }
}

/// A call whose script changed after it was let pass is asked anew; refused then, it leaves nothing either.
#[tokio::test]
async fn what_a_hook_loosens_waits_for_the_start() {
    let bench = Layout::rules(&["ask Bash(sh *)"])
        .hook(&loosening("ask"))
        .answer({
            let mut asked = 0;
            move |_| {
                asked += 1;
                Some(if asked == 1 {
                    (yes(), super::bench::person())
                } else {
                    refused("a person")
                })
            }
        })
        .build()
        .await;
    bench.write("run.sh", "true\n");
    let call = bench
        .admitted("Bash", json!({ "command": "sh run.sh" }))
        .await;
    bench.write("run.sh", "false\n");
    let end = bench.dispatch.execute(call).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByPerson));
    let file = bench.root.join(".claude/settings.json");
    assert!(!file.as_path().exists());
}

/// What is on record as the input that hooks saw is what they saw.
#[tokio::test]
async fn the_hooked_form_is_what_hooks_read() {
    let update = r#"sed 's/.*"tool_input":\([^}]*}\).*/\1/' > seen"#;
    let bench = Layout::rules(&["allow Read", "allow Bash"])
        .hook(update)
        .build()
        .await;
    bench.write("b.txt", "text");
    for (tool, input) in [
        ("Read", json!({ "file_path": "./a/../b.txt" })),
        (
            "Read",
            json!({ "file_path": bench.root.join("b.txt").as_str() }),
        ),
        ("Bash", json!({ "command": "cat ./a/../b.txt" })),
    ] {
        bench.call(tool, input.clone()).await;
        let seen: serde_json::Value = serde_json::from_str(&bench.read("seen")).unwrap();
        let hooked = bench
            .bodies(|body| match body {
                RecordBody::CallHooked(hooked) => Some((hooked.call.input, hooked.rewritten)),
                _ => None,
            })
            .await;
        let (recorded, rewritten) = hooked.last().unwrap();
        let recorded: serde_json::Value = serde_json::from_str(recorded.as_str()).unwrap();
        assert_eq!(recorded, seen, "{input}");
        assert_eq!(*rewritten, None);
    }
}
