//! Hooks over a whole run: its begin and end, its agents, and the halt of all of them.

use pointsman_ledger::{RecordBody, RecordKind};
use pointsman_model::{Attended, FilePlace, Millis, RuleSource};
use pointsman_policy::settings::{
    HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting,
};
use pointsman_swarm::{
    ExitCode, Leader, LeaderHandle, LeaderOptions, RunSummary, StartError, StopReason,
};
use serde_json::Value;

use super::stage::{Stage, in_time};
use super::stopping::check_group_is_gone;

fn hook(event: HookEvent, line: &str) -> HookSetting {
    HookSetting {
        event,
        matcher: HookMatcher::All,
        condition: None,
        run: HookRun::Shell { line: line.into() },
        timeout: Millis(60_000),
        duty: HookDuty::Plain,
        life: HookLife::OneCall,
        source: RuleSource::UserSettings,
        place: FilePlace {
            file: "settings.json".into(),
            line: 1,
            column: 1,
        },
    }
}

async fn run(options: LeaderOptions) -> RunSummary {
    let (_handle, leader) = Leader::start(options).await.unwrap();
    in_time(leader.finish()).await
}

const FAMILY: &str = r#"
[agents.scout]
step = [{ tool = "Bash", input = { command = "echo found" } }]

[[job]]
name = "lead"
step = [{ tool = "Agent", input = { subagent_type = "scout", prompt = "look" } }]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_told_of_the_run_its_agents_and_what_they_do() {
    let stage = Stage::new();
    let told = stage.file("told");
    let mut options = stage.options(FAMILY, Attended::No);
    let line = format!("cat >> {}", told.display());
    options.loaded.hooks.hooks = [
        HookEvent::SessionStart,
        HookEvent::SubagentStart,
        HookEvent::PostToolUse,
        HookEvent::SubagentStop,
        HookEvent::Stop,
        HookEvent::SessionEnd,
    ]
    .map(|event| hook(event, &line))
    .into();
    let summary = run(options).await;
    assert_eq!(summary.exit, ExitCode::Done);
    let events: Vec<String> = std::fs::read_to_string(told)
        .unwrap()
        .lines()
        .map(|line| {
            let told: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| told[name].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {}",
                text("hook_event_name"),
                text("agent_type"),
                text("tool_name")
            )
        })
        .collect();
    assert_eq!(
        events,
        [
            "SessionStart - -",
            "SubagentStart scout -",
            "PostToolUse scout Bash",
            "SubagentStop scout -",
            "PostToolUse - Agent",
            "Stop - -",
            "SessionEnd - -",
        ]
    );
    let recorded = stage.records(RecordKind::HooksTold).len();
    assert_eq!(recorded, events.len());
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_says_not_to_continue_halts_all_jobs() {
    let stage = Stage::new();
    let jobs = r#"
slots = 1

[defaults]
allow = ["Bash(echo *)"]

[[job]]
name = "first"
step = [{ tool = "Bash", input = { command = "echo 1" } }]

[[job]]
name = "second"
needs = ["first"]
step = [{ tool = "Bash", input = { command = "echo 2" } }]

[[job]]
name = "third"
step = [{ tool = "Bash", input = { command = "echo 3" } }]
"#;
    let mut options = stage.options(jobs, Attended::No);
    let line = r#"echo '{"continue":false,"stopReason":"the budget is spent"}'"#;
    options.loaded.hooks.hooks = vec![hook(HookEvent::PreToolUse, line)];
    let summary = run(options).await;
    assert_eq!(summary.exit, ExitCode::Halted);
    let stopped = summary.stopped.unwrap().to_string();
    assert!(stopped.contains("the budget is spent"), "{stopped}");
    let asked = stage.records(RecordKind::CallRequested).len();
    assert_eq!(asked, 1, "a job started after the halt");
    stage.check_ledger();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_does_not_wait_for_hooks_that_are_told_of_the_begin() {
    let stage = Stage::new();
    let begun = stage.file("begun");
    let mut options = stage.options(FAMILY, Attended::No);
    let line = format!("touch {}; sleep 600", begun.display());
    options.loaded.hooks.hooks = vec![HookSetting {
        timeout: Millis(900_000),
        ..hook(HookEvent::SessionStart, &line)
    }];
    let (handle, leader) = Leader::start(options).await.unwrap();
    let run = tokio::spawn(leader.finish());
    in_time(async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    handle.stop(StopReason::Signal {
        name: "SIGINT".into(),
    });
    let summary = in_time(run).await.unwrap();
    assert_eq!(summary.exit, ExitCode::Cancelled);
    assert_eq!(stage.records(RecordKind::CallStarted).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_halted_at_its_begin_starts_nothing() {
    let stage = Stage::new();
    let mut options = stage.options(FAMILY, Attended::No);
    let line = r#"echo '{"continue":false,"stopReason":"not on fridays"}'"#;
    options.loaded.hooks.hooks = vec![hook(HookEvent::SessionStart, line)];
    let summary = run(options).await;
    assert_eq!(summary.exit, ExitCode::Halted);
    assert_eq!(stage.records(RecordKind::CallStarted).len(), 0);
}

/// Where nobody is there to look after it: what the guard was to make sure of at the begin is not sure.
#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_guard_that_fails_at_the_begin_halts_an_unattended_run() {
    for (attended, duty, exit) in [
        (Attended::No, HookDuty::Guard, ExitCode::Halted),
        (Attended::No, HookDuty::Plain, ExitCode::Done),
        (Attended::Yes, HookDuty::Guard, ExitCode::Done),
    ] {
        let stage = Stage::new();
        let job =
            "[[job]]\nname = \"a\"\nstep = [{ tool = \"Bash\", input = { command = \"true\" } }]\n";
        let mut options = stage.options(job, attended);
        options.loaded.hooks.hooks = vec![HookSetting {
            duty,
            ..hook(HookEvent::SessionStart, "exit 3")
        }];
        let summary = run(options).await;
        assert_eq!(summary.exit, exit, "{attended:?} {duty:?}");
        let started = stage.records(RecordKind::CallStarted).len();
        assert_eq!(
            started,
            usize::from(exit == ExitCode::Done),
            "{attended:?} {duty:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn law_15_a_guard_that_can_not_start_keeps_an_unattended_run_from_starting() {
    let stage = Stage::new();
    let mut options = stage.options(FAMILY, Attended::No);
    options.loaded.hooks.hooks = vec![HookSetting {
        duty: HookDuty::Guard,
        ..hook(HookEvent::PreToolUse, "no-such-program")
    }];
    let Err(StartError::Settings { problems }) = Leader::start(options).await else {
        panic!("it started")
    };
    assert!(problems[0].message.contains("no-such-program"));

    let mut options = stage.options(FAMILY, Attended::No);
    options.loaded.hooks.hooks = vec![hook(HookEvent::PreToolUse, "no-such-program")];
    let (_handle, leader) = Leader::start(options).await.unwrap();
    assert!(leader.problems()[0].message.contains("no-such-program"));
    let summary = in_time(leader.finish()).await;
    let failed = stage.records(RecordKind::CallHooked).into_iter().any(|body| {
        matches!(body, RecordBody::CallHooked(hooked) if hooked.hooks[0].text.contains("127"))
    });
    assert!(failed && summary.exit == ExitCode::Done);
}

/// No rule lets a call pass that a hook wants asked, so none is told.
#[tokio::test(flavor = "multi_thread")]
async fn the_census_names_no_rule_where_a_hook_asked() {
    let stage = Stage::new();
    let asks = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'"#;
    for (line, duty, rule) in [
        ("exit 1", HookDuty::Guard, None),
        (asks, HookDuty::Plain, None),
        ("exit 1", HookDuty::Plain, Some("Bash(touch x)")),
    ] {
        let job = "[[job]]\nname = \"a\"\nstep = [{ tool = \"Bash\", input = { command = \"touch x\" } }]\n";
        let mut options = stage.options(job, Attended::No);
        options.loaded.hooks.hooks = vec![HookSetting {
            duty,
            ..hook(HookEvent::PreToolUse, line)
        }];
        let summary = run(options).await;
        let told: Vec<_> = summary
            .census
            .iter()
            .map(|line| line.rule.as_ref())
            .collect();
        assert_eq!(told.len(), 1, "{line}");
        let told = told[0].map(|rule| rule.as_str());
        assert_eq!(told, rule, "{line}");
    }
}

/// A hook that nobody waits for, at work beside a question of the job.
async fn beside_a_hook(
    stage: &Stage,
    at_end: Option<HookSetting>,
) -> (LeaderHandle, tokio::task::JoinHandle<RunSummary>) {
    let job =
        "[[job]]\nname = \"a\"\nstep = [{ tool = \"Bash\", input = { command = \"touch x\" } }]\n";
    let other = job.replace("\"a\"", "\"b\"");
    let mut options = stage.options(&format!("slots = 2\n{job}{other}"), Attended::Yes);
    let pid = stage.file("pid");
    let line = format!(
        "[ $POINTSMAN_WORKER = w1-1 ] || exit 0; echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600",
        pid.display()
    );
    let beside = HookSetting {
        life: HookLife::Detached,
        timeout: Millis(900_000),
        ..hook(HookEvent::PreToolUse, &line)
    };
    options.loaded.hooks.hooks = [Some(beside), at_end].into_iter().flatten().collect();
    let (handle, leader) = Leader::start(options).await.unwrap();
    let run = tokio::spawn(leader.finish());
    in_time(async {
        while handle.requests().list().len() < 2 || !pid.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (handle, run)
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_a_cancelled_run_waits_for_no_hook_that_nobody_waits_for() {
    let stage = Stage::new();
    let (pid, gone) = (stage.file("pid"), stage.file("gone"));
    // It ends in time only if the other one is not left to the end of the run, which comes after this.
    let line = format!(
        "while kill -0 $(cat {}); do sleep 0.02; done; touch {}",
        pid.display(),
        gone.display()
    );
    let at_end = HookSetting {
        timeout: Millis(40_000),
        ..hook(HookEvent::SessionEnd, &line)
    };
    let (handle, run) = beside_a_hook(&stage, Some(at_end)).await;
    handle.stop(StopReason::Signal {
        name: "SIGINT".into(),
    });
    let summary = in_time(run).await.unwrap();
    assert_eq!(summary.exit, ExitCode::Cancelled);
    assert!(gone.exists(), "it was left to the end of the run");
    check_group_is_gone(&pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn law_21_the_stop_of_an_agent_reaches_its_hooks_that_nobody_waits_for() {
    let stage = Stage::new();
    let (handle, run) = beside_a_hook(&stage, None).await;
    let pid = std::fs::read_to_string(stage.file("pid")).unwrap();
    let of_pid = std::path::Path::new("/proc").join(pid.trim());
    let first = handle.workers()[0].lineage.agent().worker;
    handle.stop_worker(first, "not needed").await.unwrap();
    // The other agent asks still, so the run goes on; the stopped one leaves when all is told.
    in_time(async {
        while of_pid.exists() || handle.workers().len() > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let left = handle.workers();
    assert_ne!(left[0].lineage.agent().worker, first);
    handle.stop(StopReason::Signal {
        name: "SIGINT".into(),
    });
    in_time(run).await.unwrap();
    check_group_is_gone(&stage.file("pid"));
}

/// A guard that is late passes no call, and who looks at the run's end sees how often it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_guard_passes_no_call_and_how_often_it_was_late_is_told() {
    let stage = Stage::new();
    let job = r#"
[[job]]
name = "a"
allow = ["Bash"]
step = [
    { tool = "Bash", input = { command = "true" } },
    { tool = "Bash", input = { command = "touch one" } },
    { tool = "Bash", input = { command = "touch two" } },
]
"#;
    let mut options = stage.options(job, Attended::No);
    options.loaded.hooks.hooks = vec![HookSetting {
        duty: HookDuty::Guard,
        timeout: Millis(3_000),
        ..hook(
            HookEvent::PreToolUse,
            "case $(cat) in *touch*) sleep 600;; esac",
        )
    }];
    let summary = run(options).await;
    assert_eq!(stage.records(RecordKind::CallStarted).len(), 1);
    let told = "failed 2 of the 3 times it was run: it took longer than its time limit";
    let remarks = &summary.remarks;
    assert!(remarks.iter().any(|it| it.ends_with(told)), "{remarks:?}");
}
