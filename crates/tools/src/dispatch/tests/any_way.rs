//! Whatever answers, changes and stops come in between: a call moves by the table alone, is started at
//! most once, ends once, and never runs what was not let pass.

use std::sync::atomic::{AtomicUsize, Ordering};

use pointsman_model::CallState as S;
use pointsman_model::{Answerer, CallState, JsonText, Outcome, VerdictKind};
use proptest::prelude::*;
use serde_json::json;

use super::bench::{Bench, Layout, person, yes};
use crate::Admission;

/// What one answer says.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Yes,
    No,
    HookNo,
    Nobody,
    Expired,
    EditToDenied,
    EditToAsked,
    HookEditToAsked,
    EditToNonsense,
}

impl Answer {
    const ALL: [Self; 9] = [
        Self::Yes,
        Self::No,
        Self::HookNo,
        Self::Nobody,
        Self::Expired,
        Self::EditToDenied,
        Self::EditToAsked,
        Self::HookEditToAsked,
        Self::EditToNonsense,
    ];

    fn verdict(self) -> (VerdictKind, Answerer) {
        let hook = || Answerer::Hook { name: "h".into() };
        let edit = |input: &str| VerdictKind::Allow {
            edited: Some(JsonText::parse(input).unwrap()),
            grant: None,
        };
        let ended = |outcome| VerdictKind::Ended {
            outcome,
            text: "so it ended".into(),
        };
        match self {
            Self::Yes => (yes(), person()),
            Self::No => (VerdictKind::Deny { text: None }, person()),
            Self::HookNo => (VerdictKind::Deny { text: None }, hook()),
            Self::Nobody => (ended(Outcome::NobodyCanAnswer), Answerer::Runtime),
            Self::Expired => (ended(Outcome::Expired), Answerer::Runtime),
            Self::EditToDenied => (edit(r#"{"command":"touch denied"}"#), person()),
            Self::EditToAsked => (edit(r#"{"command":"sh asked.sh"}"#), person()),
            Self::HookEditToAsked => (edit(r#"{"command":"sh asked.sh"}"#), hook()),
            Self::EditToNonsense => (edit(r#"{"comand":"x"}"#), person()),
        }
    }
}

/// What happens between the pass and the start.
#[derive(Debug, Clone, Copy)]
enum Between {
    Nothing,
    ScriptChanges,
    Stop,
    Drop,
}

const COMMANDS: [&str; 4] = ["sh asked.sh", "touch denied", "true", "exit 7"];

async fn walk(command: &str, answers: Vec<Answer>, between: Between) -> Result<(), TestCaseError> {
    let asked = AtomicUsize::new(0);
    let bench = Layout::rules(&[
        "deny Bash(touch denied)",
        "ask Bash(sh *)",
        "allow Bash(true)",
    ])
    .answer(move |_| {
        let at = asked.fetch_add(1, Ordering::Relaxed);
        Some(answers[at % answers.len()].verdict())
    })
    .build()
    .await;
    bench.write("asked.sh", "touch ran\n");
    let asked = Bench::asked("Bash", &json!({ "command": command }));
    let end = match bench.dispatch.admit(asked).await {
        Admission::Ended(end) => Some(end),
        Admission::Admitted(call) => match between {
            Between::Drop => {
                drop(call);
                None
            }
            Between::Stop => {
                bench.stop.cancel();
                Some(bench.dispatch.execute(call).await)
            }
            Between::ScriptChanges => {
                bench.write("asked.sh", "touch swapped\n");
                Some(bench.dispatch.execute(call).await)
            }
            Between::Nothing => Some(bench.dispatch.execute(call).await),
        },
    };
    let moves = bench.all_moves();
    prop_assert_eq!(
        moves.first().map(|first| (first.from, first.to)),
        Some((None, CallState::Validating))
    );
    for moved in moves.iter().skip(1) {
        let from = moved.from.unwrap();
        prop_assert!(LEGAL.contains(&(from, moved.to)), "{from} to {}", moved.to);
    }
    let last = moves.last().unwrap().to;
    prop_assert!(last.is_end());
    let kinds = bench.kinds().await;
    let count = |kind: &str| kinds.iter().filter(|it| **it == kind).count();
    prop_assert!(count("call_started") <= 1);
    let executed = moves.iter().any(|moved| moved.to == CallState::Executing);
    prop_assert_eq!(executed, count("call_started") == 1);
    prop_assert!(!bench.root.join("denied").as_path().exists());
    if let Some(end) = end {
        prop_assert_eq!(end.state, last);
        prop_assert_eq!(count("call_ended"), 1);
        prop_assert_eq!(end.is_refusal(), !executed && end.outcome.is_some());
        prop_assert!(end.state != CallState::Success || executed);
    } else {
        prop_assert_eq!(last, CallState::Cancelled);
    }
    Ok(())
}

/// The table, written out once more, so that it is not its own witness.
const LEGAL: [(CallState, CallState); 14] = [
    (S::Validating, S::AwaitingApproval),
    (S::Validating, S::Scheduled),
    (S::Validating, S::Error),
    (S::Validating, S::Cancelled),
    (S::AwaitingApproval, S::Scheduled),
    (S::AwaitingApproval, S::Error),
    (S::AwaitingApproval, S::Cancelled),
    (S::Scheduled, S::AwaitingApproval),
    (S::Scheduled, S::Executing),
    (S::Scheduled, S::Error),
    (S::Scheduled, S::Cancelled),
    (S::Executing, S::Success),
    (S::Executing, S::Error),
    (S::Executing, S::Cancelled),
];

proptest! {
    // Each case opens a database and starts a shell; more cases are a matter of patience alone.
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn law_20_any_call_is_started_at_most_once_and_ends_once(
        command in prop::sample::select(&COMMANDS[..]),
        answers in prop::collection::vec(prop::sample::select(&Answer::ALL[..]), 1..4),
        between in prop::sample::select(
            &[Between::Nothing, Between::ScriptChanges, Between::Stop, Between::Drop][..]
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(walk(command, answers, between))?;
    }
}
