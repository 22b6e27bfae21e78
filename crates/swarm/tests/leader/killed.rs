//! A leader that is killed: what it left open is closed and what it left running is ended by the
//! next one, and nothing runs twice.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pointsman_ledger::{LedgerReader, RecordBody, RecordKind};
use pointsman_model::{Attended, Outcome};
use pointsman_swarm::ExitCode;

use super::stage::{Stage, in_time};
use super::stopping::check_group_is_gone;

/// Names the stage of a victim, and makes a victim of the test binary.
const STAGE: &str = "POINTSMAN_TEST_STAGE";

const JOBS: &str = r#"
[[job]]
name = "runs"
mode = "bypassPermissions"
step = [{ tool = "Bash", input = { command = "echo $$ > pid; echo x >> started; sleep 600" } }]

[[job]]
name = "asks"
step = [{ tool = "Bash", input = { command = "touch never" } }]
"#;

/// The leader that is killed: a process of its own, started by the test below. By itself it does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn victim() {
    let Some(folder) = std::env::var_os(STAGE) else {
        return;
    };
    let stage = Stage::at(Path::new(&folder));
    let (_handle, leader) = stage.start(JOBS, Attended::Yes).await;
    leader.finish().await;
}

fn start_victim(stage: &Stage) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["leader::killed::victim", "--exact"])
        .env(STAGE, stage.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_what_outlives_a_killed_leader_is_ended_at_the_next_start() {
    let stage = Stage::new();
    let mut victim = start_victim(&stage);
    let pid = stage.file("pid");
    in_time(async {
        let asks = || {
            LedgerReader::open(&stage.ledger())
                .and_then(|reader| reader.open_requests())
                .is_ok_and(|open| open.len() == 1)
        };
        let runs = || std::fs::read(&pid).is_ok_and(|text| !text.is_empty());
        while !(asks() && runs()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    victim.kill().unwrap();
    assert_eq!(victim.wait().unwrap().signal(), Some(9));

    let jobs =
        "[[job]]\nname = \"next\"\nstep = [{ tool = \"Glob\", input = { pattern = \"*\" } }]\n";
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(summary.exit, ExitCode::Done);
    check_group_is_gone(&pid);
    assert_eq!(
        summary
            .remarks
            .iter()
            .map(AsRef::as_ref)
            .collect::<Vec<&str>>(),
        [
            "the leader of run-1 was killed, or could not record its end: 1 question was interrupted, the result of 1 call is unknown",
            "1 process group was still running, and ended",
        ]
    );
    let closed = stage.records(RecordKind::RequestClosed);
    let [RecordBody::RequestClosed(closed)] = &closed[..] else {
        panic!("{closed:?}")
    };
    assert_eq!(closed.verdict.outcome(), Outcome::Interrupted);
    assert_eq!(stage.records(RecordKind::CallUnknown).len(), 1);
    assert_eq!(
        std::fs::read_to_string(stage.file("started")).unwrap(),
        "x\n"
    );
    assert!(!stage.file("never").exists());
    stage.check_ledger();

    // What was ended once is not looked for again.
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(summary.remarks, Vec::<Box<str>>::new());
}
