//! Grants and tightenings while a run goes on: whom they reach, and what becomes of open questions.

use pointsman_approvals::NewGrant;
use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_model::{
    Answerer, Attended, GrantRequest, GrantScope, Outcome, PermissionMode, PermissionRequest,
    PermissionRule, RuleBehavior, RuleSource, RuleText, Surface, Uses, VerdictKind,
};
use pointsman_swarm::{ExitCode, LeaderHandle, StopReason};
use pointsman_testkit::Reply;

use super::stage::{Stage, in_time};

const FAMILY: &str = r#"
[[job]]
name = "parent"
step = [
  { tool = "Bash", input = { command = "touch one" } },
  { tool = "Bash", input = { command = "touch two" } },
  { tool = "Agent", input = { subagent_type = "child", prompt = "touch" } },
]
[agents.child]
step = [{ tool = "Bash", input = { command = "touch three" } }]
"#;

const PERSON: Answerer = Answerer::Person {
    surface: Surface::Command,
};

/// Says yes to everything, and grants `Bash(touch *)` with it.
fn granting(
    scope: impl Fn(&PermissionRequest) -> GrantScope,
) -> impl FnMut(&PermissionRequest) -> Reply {
    move |request| {
        Reply::Answer(VerdictKind::Allow {
            edited: None,
            grant: Some(GrantRequest {
                rules: vec![RuleText::new("Bash(touch *)")],
                scope: scope(request),
                lasts: None,
                uses: Uses::Unlimited,
            }),
        })
    }
}

async fn who_was_asked(
    scope: impl Fn(&PermissionRequest) -> GrantScope + Send + 'static,
) -> Vec<String> {
    let stage = Stage::new();
    let (summary, operator) = stage.run_with(FAMILY, granting(scope)).await;
    assert_eq!(summary.exit, ExitCode::Done);
    assert!(
        ["one", "two", "three"]
            .iter()
            .all(|file| stage.file(file).exists())
    );
    stage.check_ledger();
    operator
        .seen
        .iter()
        .map(|request| request.lineage.to_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn law_17_what_a_parent_got_for_itself_does_not_reach_its_child() {
    let asked = who_was_asked(|request| GrantScope::Worker {
        worker: request.lineage.agent().worker,
    });
    assert_eq!(asked.await, ["parent", "parent › child"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn law_17_a_grant_to_the_job_reaches_all_below_it() {
    let asked = who_was_asked(|request| GrantScope::Job {
        worker: request.lineage.steps()[0].worker,
    });
    assert_eq!(asked.await, ["parent"]);
}

/// Two jobs, one question each, one of them from below; both open.
async fn both_open(
    stage: &Stage,
) -> (
    LeaderHandle,
    tokio::task::JoinHandle<pointsman_swarm::RunSummary>,
) {
    let jobs = r#"
[[job]]
name = "here"
step = [{ tool = "Bash", input = { command = "touch here" } }]
[[job]]
name = "above"
step = [{ tool = "Agent", input = { subagent_type = "below", prompt = "touch" } }]
[agents.below]
step = [{ tool = "Bash", input = { command = "touch below" } }]
"#;
    let (handle, leader) = stage.start(jobs, Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    in_time(async {
        while handle
            .requests()
            .list()
            .iter()
            .filter(|open| open.shown)
            .count()
            < 2
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (handle, run)
}

#[tokio::test(flavor = "multi_thread")]
async fn law_14_a_grant_answers_the_open_questions_that_it_covers() {
    let stage = Stage::new();
    let (handle, run) = both_open(&stage).await;
    let new = NewGrant {
        rules: vec![RuleText::new("Bash(touch *)")],
        scope: GrantScope::Run { run: handle.run() },
        anchor: stage.project(),
        until: None,
        uses: Uses::Unlimited,
        by: PERSON,
        request: None,
    };
    let grant = handle.grants().add(new).await.unwrap()[0].id;
    let summary = in_time(run).await.unwrap();
    assert_eq!(
        (summary.exit, summary.counts.succeeded),
        (ExitCode::Done, 3)
    );
    assert!(stage.file("here").exists() && stage.file("below").exists());
    for body in stage.records(RecordKind::RequestClosed) {
        let RecordBody::RequestClosed(closed) = body else {
            panic!("{body:?}")
        };
        assert_eq!(closed.verdict.by, Answerer::Grant { grant });
    }
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn law_14_a_deny_made_meanwhile_refuses_the_open_questions_that_it_matches() {
    let stage = Stage::new();
    let (handle, run) = both_open(&stage).await;
    let rule = PermissionRule {
        behavior: RuleBehavior::Deny,
        text: RuleText::new("Bash(touch *)"),
        source: RuleSource::Session,
        place: None,
        anchor: stage.project(),
    };
    handle.grants().tighten(rule, PERSON).await.unwrap();
    let summary = in_time(run).await.unwrap();
    // A rule's no is no failure of the run.
    assert_eq!((summary.exit, summary.counts.refused), (ExitCode::Done, 2));
    assert!(!stage.file("here").exists() && !stage.file("below").exists());
    let mut outcomes = Vec::new();
    for body in stage.records(RecordKind::RequestClosed) {
        let RecordBody::RequestClosed(closed) = body else {
            panic!("{body:?}")
        };
        assert_eq!(closed.verdict.by, Answerer::Ladder);
        outcomes.push(closed.verdict.outcome());
    }
    assert_eq!(outcomes, [Outcome::Refused, Outcome::Refused]);
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn law_12_a_question_that_nobody_answers_expires_and_is_counted() {
    let stage = Stage::new();
    let jobs = r#"
answer_within_s = 1
[[job]]
name = "asks"
step = [{ tool = "Bash", input = { command = "touch never" }, expect = { outcome = "expired" } }]
"#;
    let (summary, operator) = stage.run_with(jobs, |_| Reply::LeaveOpen).await;
    assert_eq!(operator.seen.len(), 1);
    assert_eq!(
        (summary.exit, summary.counts.unanswered),
        (ExitCode::Unanswered, 1)
    );
    assert_eq!(summary.census[0].outcome, Outcome::Expired);
    assert!(!stage.file("never").exists());
    stage.check_ledger();
}

/// One that asks, one in plan whose question is open, and one whose questions are refused.
const THREE_MODES: &str = r#"
slots = 3
[[job]]
name = "asks"
step = [{ tool = "Bash", input = { command = "touch one" } }]
[[job]]
name = "plans"
mode = "plan"
step = [{ tool = "Read", input = { file_path = "/etc/hostname" } }]
[[job]]
name = "silent"
mode = "dontAsk"
step = [{ tool = "Bash", input = { command = "touch two" } }]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn law_6_a_lower_mode_of_the_whole_run_alters_no_frozen_context() {
    let stage = Stage::new();
    let (handle, leader) = stage.start(THREE_MODES, Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    let open = || handle.requests().list().len();
    let ended = || stage.records(RecordKind::WorkerEnded).len();
    in_time(async {
        while open() < 2 || ended() < 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let spawned = || {
        let records = stage.records(RecordKind::WorkerSpawned).into_iter();
        records.map(|body| match body {
            RecordBody::WorkerSpawned(spawned) => *spawned,
            other => panic!("{other:?}"),
        })
    };
    let check_contexts = |when: &str| {
        let mut modes = Vec::new();
        for spawned in spawned() {
            let frozen = handle.context(spawned.lineage.agent().worker).unwrap();
            assert_eq!(frozen.context.digest(), spawned.context, "{when}");
            assert_eq!(frozen.context.parts().mode, spawned.mode, "{when}");
            modes.push(spawned.mode.mode().to_string());
        }
        modes.sort();
        assert_eq!(modes, ["default", "dontAsk", "plan"], "{when}");
    };
    check_contexts("before");
    let grants = handle.grants();
    grants
        .lower(None, PermissionMode::Plan, PERSON)
        .await
        .unwrap();
    // What would change something is refused now; the question of the one in plan stays.
    in_time(async {
        while open() > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    check_contexts("after");
    handle.stop(StopReason::Person {
        text: "seen enough".into(),
    });
    in_time(run).await.unwrap();
    for body in stage.records(RecordKind::CallDecided) {
        let RecordBody::CallDecided(decided) = body else {
            panic!("{body:?}")
        };
        let of = spawned().find(|spawned| spawned.lineage.agent().worker == decided.worker);
        assert_eq!(decided.context, of.unwrap().context);
    }
    assert!(!stage.file("one").exists() && !stage.file("two").exists());
    stage.check_ledger();
}
