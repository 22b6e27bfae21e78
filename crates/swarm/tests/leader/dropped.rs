//! Agents that don't stop: dropped, told, and closed on the ledger.

use std::sync::{Arc, Mutex, mpsc};

use async_trait::async_trait;
use pointsman_ledger::{RecordBody, RecordKind, WorkerEnd};
use pointsman_model::{Attended, ExecutedCall, JsonText, ToolInput, ToolName, ToolSpec};
use pointsman_swarm::{ExitCode, Leader, StopReason};
use pointsman_tools::{InputProblem, Tool, ToolError, ToolOutput, ToolScene, Toolbox};

use super::stage::{Stage, in_time};

/// A `Read` that never lets go of its thread until the test does.
struct Hangs {
    read: Arc<dyn Tool>,
    begun: mpsc::SyncSender<()>,
    until: Mutex<mpsc::Receiver<()>>,
}

#[async_trait]
impl Tool for Hangs {
    fn spec(&self) -> &ToolSpec {
        self.read.spec()
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        self.read.check(raw)
    }

    async fn run(&self, _: &ExecutedCall, _: &ToolScene<'_>) -> Result<ToolOutput, ToolError> {
        self.begun.send(()).unwrap();
        // Ends with the sender's drop at the end of the test.
        let _ = self.until.lock().unwrap().recv();
        Ok(ToolOutput::text("too late"))
    }
}

const HANGS_BELOW: &str = r#"
[[job]]
name = "parent"
step = [{ tool = "Agent", input = { subagent_type = "child", prompt = "read" } }]

[agents.child]
step = [{ tool = "Read", input = { file_path = "there.txt" } }]
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn law_20_what_a_dropped_agent_had_started_is_unknown_and_each_agent_has_an_end() {
    let stage = Stage::new();
    std::fs::write(stage.file("there.txt"), "x").unwrap();
    let (begun, begins) = mpsc::sync_channel(1);
    let (let_go, until) = mpsc::channel();
    let mut toolbox = Toolbox::built_in();
    let read = toolbox.get(&ToolName::parse("Read").unwrap()).unwrap();
    toolbox.add(Arc::new(Hangs {
        read: Arc::clone(read),
        begun,
        until: Mutex::new(until),
    }));
    let mut options = stage.options(HANGS_BELOW, Attended::Yes);
    options.toolbox = Arc::new(toolbox);
    let (handle, leader) = Leader::start(options).await.unwrap();
    let run = tokio::spawn(leader.finish());
    let begins = tokio::task::spawn_blocking(move || begins.recv());
    in_time(begins).await.unwrap().unwrap();
    handle.stop(StopReason::Signal {
        name: "SIGINT".into(),
    });
    let summary = in_time(run).await.unwrap();
    drop(let_go);
    assert_eq!(summary.exit, ExitCode::Cancelled);
    assert!(
        summary
            .remarks
            .iter()
            .any(|remark| remark.contains("was dropped")),
        "{:?}",
        summary.remarks
    );
    // The parent's own call was broken off; what became of the child's nobody knows.
    assert_eq!((summary.counts.calls, summary.counts.unknown), (2, 1));
    assert_eq!(stage.records(RecordKind::CallUnknown).len(), 1);
    let ends: Vec<WorkerEnd> = stage
        .records(RecordKind::WorkerEnded)
        .into_iter()
        .map(|body| match body {
            RecordBody::WorkerEnded(ended) => ended.end,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ends, [WorkerEnd::Stopped, WorkerEnd::Stopped]);
    stage.check_ledger();
}
