use std::sync::Arc;

use pointsman_gate::{HookPlace, sample_request};
use pointsman_ledger::{CallRequested, Ledger, Showing};
use pointsman_model::{
    AbsPath, Answerer, Attended, BashInput, JsonText, PermissionMode, RequestedCall, Surface,
    ToolInput, ToolName, Verdict, VerdictKind, WallTime,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::Whose;
use pointsman_process::Environment;
use pointsman_testkit::{FakeClock, run_start};

use super::*;

fn question() -> PermissionRequest {
    let place = HookPlace {
        project: AbsPath::parse("/w").unwrap(),
        home: AbsPath::parse("/home").unwrap(),
        environment: Environment::empty(),
        attended: Attended::Yes,
        tree: Arc::new(DiskTree),
        allow_rules: Whose::Everyones,
        ledger: None,
    };
    let input = BashInput {
        command: "touch x".into(),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    };
    let (tool, text) = (
        ToolName::parse("Bash").unwrap(),
        JsonText::of(&input).unwrap(),
    );
    let mode = PermissionMode::Default;
    sample_request(tool, ToolInput::Bash(input), text, mode, &place).unwrap()
}

fn by_person(kind: VerdictKind) -> (VerdictKind, Answerer) {
    let surface = Surface::Command;
    (kind, Answerer::Person { surface })
}

fn by_runtime(outcome: Outcome) -> (VerdictKind, Answerer) {
    let text = "why".into();
    (VerdictKind::Ended { outcome, text }, Answerer::Runtime)
}

/// How the question stands for the next leader when its last one has left these verdicts of it.
async fn stands(verdicts: &[(VerdictKind, Answerer)]) -> &'static str {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let clock = Arc::new(FakeClock::at(WallTime(0)));
    let (ledger, _) = Ledger::open(&path, clock).unwrap();
    let start = run_start(AbsPath::parse("/w").unwrap());
    let run = ledger.begin_run(start).await.unwrap();
    let request = question();
    let worker = request.lineage.agent().worker;
    let call = RequestedCall {
        id: request.call.id,
        tool: request.call.tool.clone(),
        input: request.call.text.clone(),
    };
    ledger
        .append(run, CallRequested { worker, call })
        .await
        .unwrap();
    let opened = RequestOpened {
        request: request.clone(),
        showing: Showing::AtOnce,
    };
    ledger.append(run, opened).await.unwrap();
    for (kind, by) in verdicts {
        let verdict = Verdict {
            kind: kind.clone(),
            by: by.clone(),
            at: WallTime(0),
            digest: request.digest,
        };
        let closed = RequestClosed {
            request: request.id,
            call: request.call.id,
            verdict,
        };
        ledger.append(run, closed).await.unwrap();
    }
    let past = Past::read(&path, run).unwrap().agent(worker);
    match &past.calls[0].became {
        Became::Waited(Some(question)) => match question.standing {
            Standing::Left => "left",
            Standing::Open(_) => "open",
            Standing::Closed => "closed",
        },
        Became::Waited(None) => "not asked",
        Became::Ended(_) | Became::Unknown => "not waiting",
    }
}

#[tokio::test]
async fn law_9_a_question_stands_for_the_next_leader_as_its_last_verdict_says() {
    let interrupted = by_runtime(Outcome::Interrupted);
    let no = by_person(VerdictKind::Deny { text: None });
    let yes = by_person(VerdictKind::Allow {
        edited: None,
        grant: None,
    });
    for (verdicts, expected) in [
        (vec![], "left"),
        (vec![interrupted.clone()], "left"),
        (vec![no.clone()], "closed"),
        (vec![yes], "closed"),
        (vec![interrupted, no], "closed"),
        (vec![by_runtime(Outcome::Expired)], "closed"),
        // Its call went on without it: asked again, it would hear that nobody waits for its answer.
        (vec![by_runtime(Outcome::Superseded)], "not asked"),
    ] {
        assert_eq!(stands(&verdicts).await, expected, "{verdicts:?}");
    }
}
