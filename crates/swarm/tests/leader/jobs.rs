//! Jobs: order, slots, failures, retries, time.

use std::time::{Duration, Instant};

use pointsman_model::Attended;
use pointsman_swarm::{ExitCode, JobEnd, RunEvent, RunSummary};

use super::stage::{Stage, in_time};

/// `name: end` of each job, and the exit code.
fn told(summary: &RunSummary) -> String {
    let jobs: Vec<String> = summary
        .jobs
        .iter()
        .map(|job| format!("{} {} after {}", job.name, job.end.as_str(), job.tries))
        .collect();
    format!("{}; exit {}", jobs.join(", "), summary.exit.code())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_starts_when_what_it_needs_is_done() {
    let stage = Stage::new();
    let jobs = r#"
[defaults]
allow = ["Bash(echo *)", "Edit"]
mode = "acceptEdits"

[[job]]
name = "third"
needs = ["second"]
step = [{ tool = "Bash", input = { command = "echo 3 >> order" } }]

[[job]]
name = "first"
step = [{ tool = "Bash", input = { command = "echo 1 >> order" } }]

[[job]]
name = "second"
needs = ["first"]
step = [{ tool = "Bash", input = { command = "echo 2 >> order" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(
        told(&summary),
        "third done after 1, first done after 1, second done after 1; exit 0"
    );
    assert_eq!(
        std::fs::read_to_string(stage.file("order")).unwrap(),
        "1\n2\n3\n"
    );
    assert_eq!((summary.counts.calls, summary.counts.succeeded), (3, 3));
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn never_more_jobs_run_than_there_are_slots() {
    let stage = Stage::new();
    let mut jobs = String::from("slots = 2\n");
    for job in 0..6 {
        jobs.push_str(&format!(
            "[[job]]\nname = \"j{job}\"\nstep = [{{ tool = \"Glob\", input = {{ pattern = \"*\" }} }}]\n"
        ));
    }
    let (handle, leader) = stage.start(&jobs, Attended::No).await;
    let mut events = handle.events();
    let summary = in_time(leader.finish()).await;
    assert_eq!(summary.exit, ExitCode::Done);
    let (mut running, mut most) = (0_u32, 0);
    while let Ok(event) = events.try_recv() {
        match event {
            RunEvent::JobStarted { .. } => running += 1,
            RunEvent::JobEnded { .. } => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    assert_eq!((running, most), (0, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_job_is_tried_again_and_then_skips_those_that_need_it() {
    let stage = Stage::new();
    let jobs = r#"
[defaults]
mode = "bypassPermissions"

[[job]]
name = "flaky"
retry = { times = 3, wait_s = 0 }
step = [{ tool = "Bash", input = { command = "echo x >> tries; test $(wc -l < tries) -ge 3" } }]

[[job]]
name = "broken"
retry = { times = 1, wait_s = 0 }
step = [{ tool = "Bash", input = { command = "false" } }]

[[job]]
name = "after flaky"
needs = ["flaky"]
step = [{ tool = "Glob", input = { pattern = "*" } }]

[[job]]
name = "behind"
needs = ["broken"]
step = [{ tool = "Glob", input = { pattern = "*" } }]
"#
    .replace("after flaky", "after");
    let summary = stage.run_unattended(&jobs).await;
    assert_eq!(
        told(&summary),
        "flaky done after 3, broken failed after 2, after done after 1, behind skipped after 0; exit 1"
    );
    assert_eq!(
        summary.jobs[3].end,
        JobEnd::Skipped {
            because: "broken".into()
        }
    );
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_time_is_up_is_stopped_with_all_it_started() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "slow"
mode = "bypassPermissions"
timeout_s = 1
step = [{ tool = "Bash", input = { command = "echo $$ > pid; sleep 600 & sleep 600; wait" } }]
"#;
    let begun = Instant::now();
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(told(&summary), "slow timed_out after 1; exit 1");
    assert!(begun.elapsed() < Duration::from_secs(100));
    super::stopping::check_group_is_gone(&stage.file("pid"));
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_what_a_call_left_running_ends_with_the_run() {
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "leaves"
mode = "bypassPermissions"
step = [{ tool = "Bash", input = { command = "setsid sh -c 'echo $$ > pid; exec sleep 600' >/dev/null 2>&1 & until test -s pid; do sleep 0.02; done" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(told(&summary), "leaves done after 1; exit 0");
    super::stopping::check_group_is_gone(&stage.file("pid"));
}

#[tokio::test]
async fn an_agent_may_not_ask_for_a_mode_that_settings_switch_off() {
    use pointsman_model::Attended;
    use pointsman_policy::settings::Offer;
    let stage = Stage::new();
    let jobs = r#"
[[job]]
name = "works"
step = [{ tool = "Agent", input = { subagent_type = "free", prompt = "go" } }]
[agents.free]
mode = "bypassPermissions"
step = [{ tool = "Glob", input = { pattern = "*" } }]
"#;
    let mut options = stage.options(jobs, Attended::No);
    options.loaded.switches.bypass = Offer::Forbidden;
    let error = pointsman_swarm::Leader::start(options).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "the agent `free` asks for mode `bypassPermissions`, which the settings switch off"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_jobs_failure_stops_the_run_when_the_file_says_so() {
    let stage = Stage::new();
    let jobs = r#"
failure = "stop"
[defaults]
mode = "bypassPermissions"

[[job]]
name = "breaks"
step = [{ tool = "Bash", input = { command = "until test -s pid; do sleep 0.02; done; false" } }]

[[job]]
name = "runs"
step = [{ tool = "Bash", input = { command = "echo $$ > pid; sleep 600" } }]

[[job]]
name = "waits"
needs = ["runs"]
step = [{ tool = "Bash", input = { command = "touch never" } }]
"#;
    let summary = stage.run_unattended(jobs).await;
    assert_eq!(
        told(&summary),
        "breaks failed after 1, runs stopped after 1, waits stopped after 0; exit 1"
    );
    assert!(!stage.file("never").exists());
    super::stopping::check_group_is_gone(&stage.file("pid"));
    stage.check_ledger();
}

/// `examples/pipeline.toml`, in a folder that looks enough like this repository.
#[tokio::test(flavor = "multi_thread")]
async fn the_pipeline_example_runs_with_nobody_there() {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.file("crates/one/src")).unwrap();
    std::fs::write(stage.file("crates/one/src/lib.rs"), "").unwrap();
    let summary = stage
        .run_unattended(include_str!("../../../../examples/pipeline.toml"))
        .await;
    assert_eq!(
        told(&summary),
        "prepare done after 1, count done after 1, flaky done after 2, report done after 1; exit 0",
        "{summary:#?}"
    );
    let found = std::fs::read_to_string(stage.file("target/pipeline/files.txt")).unwrap();
    assert_eq!(found.trim(), "1");
    assert!(stage.file("target/pipeline/report.md").exists());
}
