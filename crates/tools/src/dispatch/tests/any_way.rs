//! Whatever answers, changes and stops come in between, in every combination: a call moves by the table alone, is started at
//! most once, ends once, and never runs what was not let pass.

use pointsman_model::CallState as S;
use pointsman_model::{Answerer, JsonText, Outcome, VerdictKind};
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

impl Between {
    const ALL: [Self; 4] = [Self::Nothing, Self::ScriptChanges, Self::Stop, Self::Drop];
}

/// Runs a script, which is asked.
const ASKED: &str = "sh asked.sh";

/// Allowed by a rule.
const ALLOWED: &str = "true";

async fn walk(command: &str, answers: [Answer; 2], between: Between) {
    let case = format!("{command}, {answers:?}, {between:?}");
    let mut asked = 0;
    let bench = Layout::rules(&[
        "deny Bash(touch denied)",
        "ask Bash(sh *)",
        "allow Bash(true)",
    ])
    .answer(move |_| {
        asked += 1;
        Some(answers[usize::from(asked > 1)].verdict())
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
    let first = moves.first().map(|first| (first.from, first.to));
    assert_eq!(first, Some((None, S::Validating)), "{case}");
    for moved in moves.iter().skip(1) {
        let step = (moved.from.unwrap(), moved.to);
        assert!(LEGAL.contains(&step), "{case}: {step:?}");
    }
    let last = moves.last().unwrap().to;
    let kinds = bench.kinds().await;
    let count = |kind: &str| kinds.iter().filter(|it| **it == kind).count();
    let executed = moves.iter().any(|moved| moved.to == S::Executing);
    assert_eq!(count("call_started"), usize::from(executed), "{case}");
    assert!(!bench.root.join("denied").as_path().exists(), "{case}");
    match end {
        Some(end) => {
            assert_eq!(end.state, last, "{case}");
            assert_eq!(count("call_ended"), 1, "{case}");
            assert_eq!(end.outcome.is_none(), executed, "{case}: {end:?}");
        }
        None => assert_eq!(last, S::Cancelled, "{case}"),
    }
}

/// The table, written out once more, so that it is not its own witness.
const LEGAL: [(S, S); 14] = [
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

#[tokio::test]
async fn law_20_any_call_is_started_at_most_once_and_ends_once() {
    for between in Between::ALL {
        walk(ALLOWED, [Answer::Yes; 2], between).await;
        for first in Answer::ALL {
            for then in [Answer::Yes, Answer::No] {
                walk(ASKED, [first, then], between).await;
            }
        }
    }
}
