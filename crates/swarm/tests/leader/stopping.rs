//! Stopping: whoever stops the run, nothing is left of it.

use std::path::Path;

use pointsman_ledger::{RecordBody, RecordKind, RunOrder};
use pointsman_model::{Answerer, Attended, Outcome, Surface};
use pointsman_swarm::{
    ExitCode, JobEnd, JobState, JobStop, RetryWhich, RunEvent, StopReason, StopWorker,
};
use pointsman_testkit::{Operator, Reply};

use super::stage::{Stage, in_time, records};

/// One job that runs a process, one that asks at depth 2 and is not answered.
const BUSY: &str = r#"
[[job]]
name = "runs"
mode = "bypassPermissions"
step = [{ tool = "Bash", input = { command = "echo $$ > pid; sleep 600 & sleep 600" } }]

[[job]]
name = "asks"
step = [{ tool = "Agent", input = { subagent_type = "asker", prompt = "ask" } }]

[agents.asker]
step = [{ tool = "Bash", input = { command = "touch never" } }]
"#;

/// The process group whose leader wrote its number to a file has no process any more.
#[track_caller]
pub(crate) fn check_group_is_gone(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).unwrap().trim().to_owned();
    let mut left = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap() {
        let stat = entry.unwrap().path().join("stat");
        let Ok(text) = std::fs::read_to_string(stat) else {
            continue;
        };
        // After the name in parentheses: state, parent, group.
        let fields: Vec<&str> = text.rsplit(") ").next().unwrap().split(' ').collect();
        if fields[2] == pid && fields[0] != "Z" {
            left.push(text);
        }
    }
    assert_eq!(left, Vec::<String>::new());
}

async fn busy(
    stage: &Stage,
) -> (
    pointsman_swarm::LeaderHandle,
    tokio::task::JoinHandle<pointsman_swarm::RunSummary>,
) {
    let (handle, leader) = stage.start(BUSY, Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    let pid = stage.file("pid");
    in_time(async {
        while handle.requests().list().is_empty()
            || !std::fs::read(&pid).is_ok_and(|text| !text.is_empty())
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (handle, run)
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_a_stop_ends_every_question_and_every_process() {
    let stage = Stage::new();
    let (handle, run) = busy(&stage).await;
    handle.stop(StopReason::Signal {
        name: "SIGINT".into(),
    });
    let summary = in_time(run).await.unwrap();
    assert_eq!(summary.exit, ExitCode::Cancelled);
    assert!(
        summary.jobs.iter().all(|job| job.end == JobEnd::Stopped),
        "{summary:?}"
    );
    assert_eq!(summary.remarks, Vec::<Box<str>>::new());
    assert!(handle.requests().list().is_empty() && handle.workers().is_empty());
    check_group_is_gone(&stage.file("pid"));
    assert!(!stage.file("never").exists());
    let closed = stage.records(RecordKind::RequestClosed);
    let [RecordBody::RequestClosed(closed)] = &closed[..] else {
        panic!("{closed:?}")
    };
    assert_eq!(closed.verdict.outcome(), Outcome::Cancelled);
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_a_dropped_leader_leaves_no_process() {
    let stage = Stage::new();
    let (handle, run) = busy(&stage).await;
    run.abort();
    assert!(in_time(run).await.unwrap_err().is_cancelled());
    // What a drop starts ends soon after it, without anyone to wait for.
    in_time(async {
        while !handle.workers().is_empty() {
            tokio::task::yield_now().await;
        }
        let pid = stage.file("pid");
        let gone = || std::panic::catch_unwind(|| check_group_is_gone(&pid)).is_ok();
        while !gone() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_agent_is_stopped_with_all_below_it_and_the_others_go_on() {
    let stage = Stage::new();
    let (handle, run) = busy(&stage).await;
    let asks = handle
        .workers()
        .into_iter()
        .find(|card| card.lineage.to_string() == "asks")
        .unwrap();
    let worker = asks.lineage.agent().worker;
    let mut events = handle.events();
    assert_eq!(
        handle.stop_worker(worker, "enough").await.unwrap(),
        StopWorker::Stopping
    );
    in_time(async {
        loop {
            if let RunEvent::JobEnded { job, end } = events.recv().await.unwrap() {
                assert_eq!((job.as_ref(), end), ("asks", JobEnd::Stopped));
                break;
            }
        }
    })
    .await;
    assert_eq!(
        handle.stop_worker(worker, "again").await.unwrap(),
        StopWorker::NotAtWork
    );
    assert!(handle.requests().list().is_empty());
    let left: Vec<String> = handle
        .workers()
        .iter()
        .map(|card| card.lineage.to_string())
        .collect();
    assert_eq!(left, ["runs"]);
    handle.stop(StopReason::Person {
        text: "done with it".into(),
    });
    assert_eq!(in_time(run).await.unwrap().exit, ExitCode::Cancelled);
    stage.check_ledger();
}

/// One slot, which the first job has until somebody answers it.
const WAITING: &str = r#"
slots = 1

[[job]]
name = "asks"
step = [{ tool = "Bash", input = { command = "touch asked" } }]

[[job]]
name = "queued"
step = [{ tool = "Bash", input = { command = "touch queued" } }]

[[job]]
name = "needs-queued"
needs = ["queued"]
step = [{ tool = "Bash", input = { command = "touch after" } }]

[[job]]
name = "needs-asks"
needs = ["asks"]
step = [{ tool = "Bash", input = { command = "touch last" } }]
"#;

async fn waiting(
    stage: &Stage,
) -> (
    pointsman_swarm::LeaderHandle,
    tokio::task::JoinHandle<pointsman_swarm::RunSummary>,
) {
    let (handle, leader) = stage.start(WAITING, Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    in_time(async {
        while handle.requests().list().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (handle, run)
}

/// What people had ordered.
fn orders(stage: &Stage) -> Vec<RunOrder> {
    let given = stage.records(RecordKind::OrderGiven).into_iter();
    let orders = given.map(|body| match body {
        RecordBody::OrderGiven(given) => given.order,
        other => panic!("{other:?}"),
    });
    orders.collect()
}

/// Whoever shows the jobs by what is told of the run has to hear that one which ended has not.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_open_again_is_told_and_can_be_stopped_once_more() {
    let stage = Stage::new();
    let (handle, run) = waiting(&stage).await;
    let by = || Answerer::Person {
        surface: Surface::Command,
    };
    let waited = || JobStop::Waited {
        skipped: vec!["needs-queued".into()],
    };
    assert_eq!(handle.stop_job("queued", "", by()).await.unwrap(), waited());
    let mut events = handle.events();
    let which = RetryWhich::Named(vec!["queued".into()]);
    handle.retry(which, by()).await.unwrap();
    let mut reopened = Vec::new();
    in_time(async {
        while reopened.len() < 2 {
            if let RunEvent::JobReopened { job } = events.recv().await.unwrap() {
                reopened.push(job.to_string());
            }
        }
    })
    .await;
    assert_eq!(reopened, ["queued", "needs-queued"]);
    assert_eq!(handle.stop_job("queued", "", by()).await.unwrap(), waited());
    handle.stop(StopReason::Person { text: "".into() });
    in_time(run).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_waits_is_stopped_before_it_begins_and_the_others_go_on() {
    let stage = Stage::new();
    let (handle, run) = waiting(&stage).await;
    let by = || Answerer::Person {
        surface: Surface::Command,
    };
    let stopped = handle.stop_job("queued", "not needed", by()).await.unwrap();
    let skipped = vec!["needs-queued".into()];
    assert_eq!(stopped, JobStop::Waited { skipped });
    // Whoever looks right after it sees it.
    let states: Vec<JobState> = handle.jobs().into_iter().map(|card| card.state).collect();
    assert_eq!(states[1], JobState::Ended(JobEnd::Stopped));
    assert!(matches!(states[2], JobState::Ended(JobEnd::Skipped { .. })));
    for (job, why) in [
        ("queued", "the job `queued` is not at work: stopped"),
        (
            "needs-queued",
            "the job `needs-queued` is not at work: skipped",
        ),
        (
            "none",
            "the run has no job `none`; it has asks, queued, needs-queued, needs-asks",
        ),
    ] {
        let refused = handle.stop_job(job, "", by()).await.unwrap_err();
        assert_eq!(refused.to_string(), why);
    }
    let last = handle.stop_job("needs-asks", "nor this", by()).await;
    assert_eq!(
        last.unwrap(),
        JobStop::Waited {
            skipped: Vec::new()
        }
    );
    // By its name one at work is stopped as well.
    let at_work = handle.stop_job("asks", "enough", by()).await.unwrap();
    assert!(
        matches!(at_work, JobStop::Worker(_, StopWorker::Stopping)),
        "{at_work:?}"
    );
    let summary = in_time(run).await.unwrap();
    let ends: Vec<String> = summary
        .jobs
        .iter()
        .map(|job| format!("{} {} after {}", job.name, job.end.as_str(), job.tries))
        .collect();
    assert_eq!(
        ends,
        [
            "asks stopped after 1",
            "queued stopped after 0",
            "needs-queued skipped after 0",
            "needs-asks stopped after 0"
        ]
    );
    // As when one at work was stopped: the run was not, and not all is done.
    assert_eq!((summary.exit, summary.stopped), (ExitCode::JobFailed, None));
    let order = |job: &str, text: &str| RunOrder::StopJob {
        job: job.into(),
        text: text.into(),
    };
    assert_eq!(
        orders(&stage),
        [
            order("queued", "not needed"),
            order("needs-asks", "nor this")
        ]
    );
    stage.check_ledger();
}

/// Two leaders of one project: each with its own run, neither in the other's way.
#[tokio::test(flavor = "multi_thread")]
async fn two_leaders_of_one_project_both_run() {
    let stage = Stage::new();
    let (first, run) = busy(&stage).await;
    let jobs = "[[job]]\nname = \"a\"\nstep = [{ tool = \"Bash\", input = { command = \"touch here\" } }]\n";
    let (handle, leader) = stage.start(jobs, Attended::Yes).await;
    assert_ne!(handle.run(), first.run());
    assert_ne!(handle.socket(), first.socket());
    let operator =
        tokio::spawn(Operator::new(handle.requests().clone(), |_| Reply::allow()).work());
    let summary = in_time(leader.finish()).await;
    assert_eq!(summary.exit, ExitCode::Done);
    assert_eq!(in_time(operator).await.unwrap().seen.len(), 1);
    assert_eq!(first.requests().list().len(), 1);
    first.stop(StopReason::Person {
        text: "enough".into(),
    });
    in_time(run).await.unwrap();
    assert_eq!(records(&stage.ledger(), RecordKind::RunEnded).len(), 2);
    stage.check_ledger();
}
