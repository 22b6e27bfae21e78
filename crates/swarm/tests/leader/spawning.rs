//! Agents that agents spawn: frozen contexts, lineages, bounds, answers from any depth.

use std::sync::atomic::{AtomicU32, Ordering};

use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_model::{HandlerKind, PermissionMode};
use pointsman_swarm::ExitCode;
use pointsman_testkit::Reply;

use super::stage::Stage;

const DEEP: &str = r#"
depth_max = 3

[[job]]
name = "top"
step = [{ tool = "Agent", input = { subagent_type = "middle", prompt = "go on" } }]

[agents.middle]
step = [{ tool = "Agent", input = { subagent_type = "bottom", prompt = "go on" } }]

[agents.bottom]
tools = ["Bash", "Agent"]
step = [
  { tool = "Bash", input = { command = "touch asked" }, on_refusal = "fail" },
  { tool = "Agent", input = { subagent_type = "bottom", prompt = "deeper" }, expect = { outcome = "error", text_contains = "nested deeper" } },
]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn law_18_a_question_comes_up_from_any_depth_with_its_lineage() {
    let stage = Stage::new();
    let (summary, operator) = stage.run_with(DEEP, |_| Reply::allow()).await;
    assert_eq!(summary.exit, ExitCode::Done, "{summary:#?}");
    let asked: Vec<String> = operator
        .seen
        .iter()
        .map(|request| request.lineage.to_string())
        .collect();
    assert_eq!(asked, ["top › middle › bottom"]);
    assert!(stage.file("asked").exists());
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn law_16_the_digest_of_every_decision_is_that_of_the_spawn() {
    let stage = Stage::new();
    stage.run_with(DEEP, |_| Reply::allow()).await;
    let spawned = stage.records(RecordKind::WorkerSpawned);
    let mut depths = Vec::new();
    let digest_of = |worker| {
        spawned.iter().find_map(|body| match body {
            RecordBody::WorkerSpawned(spawned) if spawned.lineage.agent().worker == worker => {
                Some(spawned.context)
            }
            _ => None,
        })
    };
    for body in &spawned {
        let RecordBody::WorkerSpawned(spawned) = body else {
            panic!("{body:?}")
        };
        let depth = spawned.lineage.depth();
        let handler = match depth {
            1 => HandlerKind::Coordinator,
            _ => HandlerKind::SwarmWorker,
        };
        assert_eq!((spawned.handler, spawned.depth_left), (handler, 3 - depth));
        depths.push(depth);
    }
    depths.sort();
    assert_eq!(depths, [1, 2, 3]);
    let decided = stage.records(RecordKind::CallDecided);
    assert!(decided.len() >= 3);
    for body in decided {
        let RecordBody::CallDecided(decided) = body else {
            panic!("{body:?}")
        };
        assert_eq!(Some(decided.context), digest_of(decided.worker));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_has_no_more_agents_than_it_may_have() {
    let stage = Stage::new();
    let jobs = r#"
agents_max = 3
depth_max = 2
[[job]]
name = "greedy"
step = [
  { tool = "Agent", input = { subagent_type = "leaf", prompt = "1" } },
  { tool = "Agent", input = { subagent_type = "leaf", prompt = "2" } },
  { tool = "Agent", input = { subagent_type = "leaf", prompt = "3" }, expect = { outcome = "error", text_contains = "3 agents" } },
]
[agents.leaf]
step = [{ tool = "Glob", input = { pattern = "*" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(summary.exit, ExitCode::Done, "{summary:#?}");
    assert_eq!(summary.counts.agents, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn law_16_a_child_stays_under_its_parents_mode() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "reader"
mode = "plan"
step = [{ tool = "Agent", input = { subagent_type = "writer", prompt = "write" } }]
[agents.writer]
mode = "bypassPermissions"
step = [{ tool = "Write", input = { file_path = "never", content = "" }, expect = { outcome = "refused" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    // In plan, an agent that is not in plan isn't even started; were it, its write would be refused.
    assert!(!stage.file("never").exists());
    assert_eq!(summary.exit, ExitCode::Done, "{summary:#?}");
    for body in stage.records(RecordKind::WorkerSpawned) {
        let RecordBody::WorkerSpawned(spawned) = body else {
            panic!("{body:?}")
        };
        assert_eq!(spawned.mode.mode(), PermissionMode::Plan);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_in_the_background_ends_with_its_job() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "parent"
step = [{ tool = "Agent", input = { subagent_type = "beside", prompt = "go", run_in_background = true } }]
[agents.beside]
step = [
  { tool = "Bash", input = { command = "touch beside" } },
  { tool = "Bash", input = { command = "false" } },
]
"#;
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let (summary, operator) = stage
        .run_with(jobs, |_| {
            ASKED.fetch_add(1, Ordering::Relaxed);
            Reply::allow()
        })
        .await;
    assert_eq!(summary.exit, ExitCode::Done, "{summary:#?}");
    assert!(stage.file("beside").exists());
    assert!(!operator.seen.is_empty());
    assert_eq!(summary.remarks.len(), 1, "{:?}", summary.remarks);
    assert!(summary.remarks[0].starts_with("`parent › beside`, in the background, failed"));
    stage.check_ledger();
}
