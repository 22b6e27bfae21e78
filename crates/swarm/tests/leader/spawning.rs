//! Agents that agents spawn: frozen contexts, lineages, bounds, answers from any depth.

use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_model::{Attended, HandlerKind, PermissionMode};
use pointsman_swarm::ExitCode;
use pointsman_testkit::{Operator, Reply};

use super::stage::{Stage, in_time};

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

/// Agents of one batch live side by side, and each is answered for itself.
#[tokio::test(flavor = "multi_thread")]
async fn agents_of_one_batch_ask_side_by_side() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "parent"
[[job.step]]
parallel = [
  { tool = "Agent", input = { subagent_type = "yes", prompt = "ask" } },
  { tool = "Agent", input = { subagent_type = "no", prompt = "ask" } },
]
[agents.yes]
step = [{ tool = "Bash", input = { command = "touch yes" }, expect = { outcome = "success" } }]
[agents.no]
step = [{ tool = "Bash", input = { command = "touch no" }, expect = { outcome = "denied_by_person", text_contains = "not here" } }]
"#;
    // Answered only when both are open: one of them waiting for the other would hang.
    let (handle, leader) = stage.start(jobs, Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    in_time(async {
        while handle.requests().list().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let operator = Operator::new(handle.requests().clone(), |request| {
        match request.lineage.agent().label.as_ref() {
            "yes" => Reply::allow(),
            _ => Reply::deny("not here"),
        }
    });
    let operator = tokio::spawn(operator.work());
    let summary = in_time(run).await.unwrap();
    assert_eq!(summary.exit, ExitCode::Done, "{summary:#?}");
    assert_eq!(in_time(operator).await.unwrap().seen.len(), 2);
    assert!(stage.file("yes").exists() && !stage.file("no").exists());
    stage.check_ledger();
}

/// A sub-agent that asks for the same again and again is halted; the run says so though its job goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_halted_agent_shows_in_the_exit_code_from_any_depth() {
    let stage = Stage::new();
    let call = r#"{ tool = "Bash", input = { command = "touch never" } }"#;
    let jobs = format!(
        r#"
[[job]]
name = "patient"
step = [{{ tool = "Agent", input = {{ subagent_type = "stubborn", prompt = "try" }}, expect = {{ outcome = "error", text_contains = "halted" }} }}]
[agents.stubborn]
step = [{}]
"#,
        [call; 8].join(", ")
    );
    let summary = stage.run_unattended(&jobs).await;
    assert_eq!(summary.jobs[0].end.as_str(), "done", "{summary:#?}");
    assert_eq!(summary.exit, ExitCode::Halted);
    assert!(
        summary.remarks[0].starts_with("w1-2 was halted"),
        "{:?}",
        summary.remarks
    );
    assert!(!stage.file("never").exists());
    stage.check_ledger();
}

/// As deep as a job file may let agents be nested; each of them has a part of the one stack or a task of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_nested_as_deep_as_may_be_outgrow_no_stack() {
    let stage = Stage::new();
    let jobs = r#"
depth_max = 64

[agents.down]
step = [{ tool = "Agent", input = { subagent_type = "down", prompt = "on" } }]

[[job]]
name = "top"
step = [{ tool = "Agent", input = { subagent_type = "down", prompt = "on" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(summary.counts.agents, 64);
    stage.check_ledger();
}
