//! Admission: rung 0, hooks, refusals and their texts, limits, batches, what is offered.

use std::sync::Arc;

use pointsman_ledger::RecordBody;
use pointsman_model::{AfterNoVote, CallState, NoVoteCause, Outcome, PermissionMode, VerdictKind};
use serde_json::{Value, json};

use super::bench::{Bench, Layout, person};
use crate::{AskedCall, HaltCause};

#[tokio::test]
async fn rung_0_tells_each_field_that_does_not_fit() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    let check = async |tool: &str, input: Value, expect: &[&str]| {
        let end = bench.call(tool, input).await;
        assert_eq!((end.state, end.outcome), (CallState::Error, None));
        for text in expect {
            assert!(end.text.contains(text), "no `{text}` in: {}", end.text);
        }
    };
    check("Bash", json!({}), &["`command` is missing"]).await;
    check(
        "Bash",
        json!({ "command": 3 }),
        &["`command` has to be a text that is not empty, it is 3"],
    )
    .await;
    check(
        "Bash",
        json!({ "comand": "ls", "timeout": 0 }),
        &[
            "`comand` is no field of this tool; did you mean `command`?",
            "`command` is missing",
            "`timeout` has to be a whole number from 1 to 600000, it is 0",
        ],
    )
    .await;
    check(
        "Bash",
        json!({ "command": "ls", "run_in_background": true }),
        &["`run_in_background`"],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "x", "output_mode": "all" }),
        &["one of content, files_with_matches, count"],
    )
    .await;
    check("Nope", json!({}), &["there is no tool `Nope`", "Bash"]).await;
    assert_eq!(bench.questions().len(), 0);
}

#[tokio::test]
async fn one_field_given_twice_is_refused_since_readers_differ_on_which_counts() {
    let bench = Layout::rules(&["allow Bash"]).build().await;
    let twice = pointsman_model::JsonText::parse(r#"{"command":"ls","command":"touch x"}"#);
    let [end] = bench
        .dispatch
        .batch(vec![AskedCall {
            tool: pointsman_model::ToolName::parse("Bash").unwrap(),
            input: twice.unwrap(),
        }])
        .await
        .try_into()
        .unwrap();
    assert!(
        end.text.contains("duplicate field `command`"),
        "{}",
        end.text
    );
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn a_refusal_names_rule_and_place_and_never_a_person() {
    let bench = Layout::rules(&["deny Bash(rm *)"]).build().await;
    let end = bench
        .call("Bash", json!({ "command": "rm -r build" }))
        .await;
    assert_eq!(
        end.text,
        "refused: `rm -r build` matches deny Bash(rm *) (projectSettings, settings.json:1:1). Asking again will be \
         refused again: do it in another way that is allowed, or leave it and say so in your report."
    );
}

#[tokio::test]
async fn plan_mode_says_what_to_do_instead() {
    let bench = Layout::rules(&[]).mode(PermissionMode::Plan).build().await;
    let end = bench
        .call("Write", json!({ "file_path": "f", "content": "" }))
        .await;
    assert_eq!(end.outcome, Some(Outcome::Refused));
    assert!(end.text.contains("mode plan"), "{}", end.text);
    assert!(end.text.contains("Describe the change"), "{}", end.text);
}

#[tokio::test]
async fn nobody_there_is_told_as_that() {
    let bench = Layout::rules(&[])
        .answer(|_| {
            let kind = VerdictKind::Ended {
                outcome: Outcome::NobodyCanAnswer,
                text: "nobody can answer in this run".into(),
            };
            Some((kind, pointsman_model::Answerer::Runtime))
        })
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Error, Some(Outcome::NobodyCanAnswer))
    );
    assert!(end.text.contains("nobody can answer"), "{}", end.text);
    assert!(end.text.contains("Bash(touch x)"), "{}", end.text);
    assert!(!end.text.contains("a person at"), "{}", end.text);
}

/// Each cause reads as itself, with the outcome it belongs to, and no person is said to have declined.
#[tokio::test]
async fn what_the_classifier_did_not_judge_is_told_as_that() {
    for cause in NoVoteCause::ALL {
        let bench = Layout::rules(&[])
            .answer(move |_| {
                let text = format!("so it is: {cause}").into();
                Some((
                    VerdictKind::Unjudged { cause, text },
                    pointsman_model::Answerer::Runtime,
                ))
            })
            .build()
            .await;
        let end = bench.call("Bash", json!({ "command": "touch x" })).await;
        assert_eq!(
            (end.state, end.outcome),
            (CallState::Error, Some(cause.outcome()))
        );
        let told = format!("so it is: {cause}");
        assert!(end.text.contains(&told), "{}", end.text);
        let halts = cause.afterwards() == AfterNoVote::Halts;
        assert_eq!(end.text.contains("halts here"), halts, "{}", end.text);
        let next = bench.call("Bash", json!({ "command": "touch y" })).await;
        assert_eq!(next.text.contains("was halted"), halts, "{}", next.text);
    }
}

#[tokio::test]
async fn a_persons_words_reach_the_agent() {
    let bench = Layout::rules(&[])
        .answer(|_| {
            let text = Some("use the other folder".into());
            Some((VerdictKind::Deny { text }, person()))
        })
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Cancelled, Some(Outcome::DeniedByPerson))
    );
    assert_eq!(
        end.text,
        "refused by a person at the terminal: use the other folder"
    );
}

#[tokio::test]
async fn the_same_refusal_again_and_again_halts_the_agent() {
    let bench = Layout::rules(&["deny Bash(rm *)"]).build().await;
    let mut told = Vec::new();
    for _ in 0..5 {
        assert_eq!(bench.dispatch.halted(), None);
        let end = bench.call("Bash", json!({ "command": "rm x" })).await;
        told.push(end.text.lines().nth(1).unwrap_or_default().to_owned());
    }
    assert_eq!(
        told,
        [
            "",
            "",
            "",
            "This was refused 4 times in the same way: asked once more, you are stopped.",
            "This was refused 5 times in the same way: you are stopped."
        ]
    );
    let halt = bench.dispatch.halted().unwrap();
    assert_eq!(halt.cause, HaltCause::EqualRefusals);
    assert!(halt.reason.contains("5 times"), "{}", halt.reason);
    let end = bench.call("Bash", json!({ "command": "true" })).await;
    assert_eq!(end.outcome, Some(Outcome::Cancelled));
}

#[tokio::test]
async fn other_refusals_do_not_add_up() {
    let bench = Layout::rules(&["deny Bash(rm *)"]).build().await;
    for n in 0..10 {
        let command = format!("rm {n}");
        bench.call("Bash", json!({ "command": command })).await;
    }
    assert_eq!(bench.dispatch.halted(), None);
}

const DENY: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}'"#;
const REWRITE: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"touch rewritten"}}}'"#;
const MISFIT: &str =
    r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":7}}}'"#;
const HALT: &str = r#"echo '{"continue":false,"stopReason":"enough"}'"#;

#[tokio::test]
async fn a_hooks_no_ends_the_call_with_its_words() {
    let bench = Layout::rules(&["allow Bash"]).hook(DENY).build().await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(
        (end.state, end.outcome),
        (CallState::Error, Some(Outcome::DeniedByHook))
    );
    assert!(end.text.contains("not here"), "{}", end.text);
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn a_hook_that_halts_ends_the_agent() {
    let bench = Layout::rules(&["allow Bash"]).hook(HALT).build().await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByHook));
    assert!(bench.dispatch.halted().unwrap().reason.contains("enough"));
}

#[tokio::test]
async fn a_rewritten_call_is_judged_in_both_forms_and_run_in_the_last() {
    let bench = Layout::rules(&["allow Bash(touch rewritten)"])
        .hook(REWRITE)
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.state, CallState::Success, "{}", end.text);
    assert!(bench.root.join("rewritten").as_path().exists());
    assert!(!bench.root.join("x").as_path().exists());
    assert_eq!(bench.questions().len(), 0);
    let kinds = bench.kinds().await;
    assert!(kinds.contains(&"call_hooked"), "{kinds:?}");

    let bench = Layout::rules(&["allow Bash", "deny Bash(touch x)"])
        .hook(REWRITE)
        .build()
        .await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.outcome, Some(Outcome::Refused), "{}", end.text);

    let bench = Layout::rules(&["allow Bash", "ask Bash(touch x)"])
        .hook(REWRITE)
        .build()
        .await;
    bench.call("Bash", json!({ "command": "touch x" })).await;
    let [question] = bench.questions().try_into().unwrap();
    assert_eq!(
        question.call.text.as_str(),
        r#"{"command":"touch rewritten"}"#
    );
    assert_eq!(
        question.rewritten_from.unwrap().as_str(),
        r#"{"command":"touch x"}"#
    );
}

#[tokio::test]
async fn a_rewrite_that_does_not_fit_refuses_with_the_hook_named() {
    let bench = Layout::rules(&["allow Bash"]).hook(MISFIT).build().await;
    let end = bench.call("Bash", json!({ "command": "touch x" })).await;
    assert_eq!(end.outcome, Some(Outcome::DeniedByHook));
    assert!(end.text.contains("rewrote the input"), "{}", end.text);
    assert!(!bench.root.join("x").as_path().exists());
}

#[tokio::test]
async fn a_bare_deny_takes_a_tool_out_of_the_offer() {
    let names = |bench: &Bench| -> Vec<String> {
        let offered = bench.dispatch.offered();
        offered.iter().map(|spec| spec.name.to_string()).collect()
    };
    let all = ["Agent", "Bash", "Edit", "Glob", "Grep", "Read", "Write"];
    assert_eq!(
        names(
            &Layout::rules(&["deny Bash(rm *)", "ask Write"])
                .build()
                .await
        ),
        all
    );
    let bench = Layout::rules(&["deny Bash"]).build().await;
    assert_eq!(
        names(&bench),
        ["Agent", "Edit", "Glob", "Grep", "Read", "Write"]
    );
    let end = bench.call("Bash", json!({ "command": "true" })).await;
    assert_eq!(end.outcome, Some(Outcome::Refused));
}

#[tokio::test]
async fn a_batch_keeps_its_order_around_changes() {
    let bench = Layout::rules(&["allow Edit", "allow Write"])
        .mode(PermissionMode::AcceptEdits)
        .build()
        .await;
    bench.write("f", "one");
    let read = || Bench::asked("Read", &json!({ "file_path": "f" }));
    let write =
        |content: &str| Bench::asked("Write", &json!({ "file_path": "f", "content": content }));
    let ends = bench
        .dispatch
        .batch(vec![
            read(),
            read(),
            write("two"),
            read(),
            write("three"),
            read(),
        ])
        .await;
    let texts: Vec<&str> = ends.iter().map(|end| end.text.trim()).collect();
    assert!(
        texts[0].ends_with("one") && texts[1].ends_with("one"),
        "{texts:?}"
    );
    assert!(
        texts[3].ends_with("two") && texts[5].ends_with("three"),
        "{texts:?}"
    );
}

/// A tool that waits for as many of its kind as it is told before any of them ends.
struct Meeting {
    spec: pointsman_model::ToolSpec,
    barrier: tokio::sync::Barrier,
}

#[async_trait::async_trait]
impl crate::Tool for Meeting {
    fn spec(&self) -> &pointsman_model::ToolSpec {
        &self.spec
    }

    fn check(
        &self,
        raw: &pointsman_model::JsonText,
    ) -> Result<pointsman_model::ToolInput, Vec<crate::InputProblem>> {
        Ok(pointsman_model::ToolInput::Other(
            pointsman_model::OtherInput { raw: raw.clone() },
        ))
    }

    async fn run(
        &self,
        _call: &pointsman_model::ExecutedCall,
        _scene: &crate::ToolScene<'_>,
    ) -> Result<crate::ToolOutput, crate::ToolError> {
        self.barrier.wait().await;
        Ok(crate::ToolOutput::text("met"))
    }
}

#[tokio::test]
async fn reads_of_a_batch_run_together() {
    let bench = Layout::rules(&["allow Meeting"]).build().await;
    let mut seat = bench.dispatch.seat().clone();
    let mut toolbox = crate::Toolbox::empty();
    toolbox.add(Arc::new(Meeting {
        spec: pointsman_model::ToolSpec {
            name: pointsman_model::ToolName::parse("Meeting").unwrap(),
            description: "waits for three".into(),
            input_schema: pointsman_model::JsonText::parse("{}").unwrap(),
            nature: pointsman_model::ToolNature::Reads,
        },
        barrier: tokio::sync::Barrier::new(3),
    }));
    seat.toolbox = Arc::new(toolbox);
    let dispatch = crate::Dispatch::new(seat);
    let meet = || Bench::asked("Meeting", &json!({}));
    let ends = dispatch.batch(vec![meet(), meet(), meet()]).await;
    assert!(ends.iter().all(|end| end.text == "met"), "{ends:?}");
}

#[tokio::test]
async fn the_transcript_has_absolute_paths() {
    let bench = Layout::rules(&[]).build().await;
    bench.write("f", "x");
    let input = json!({ "file_path": "./f", "offset": 1 });
    bench.call("Read", input.clone()).await;
    let decided = bench
        .bodies(|body| match body {
            RecordBody::CallDecided(decided) => Some(*decided),
            _ => None,
        })
        .await;
    let path = bench.root.join("f");
    assert_eq!(
        decided[0].recorded.input.as_str(),
        json!({ "file_path": path.as_str() }).to_string()
    );
    assert_eq!(decided[0].call.text.as_str(), input.to_string());
}
