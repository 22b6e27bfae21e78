//! Behaviour of the plan: a few orders by hand, and its promises under any order of events.

use std::collections::BTreeSet;

use pointsman_agents::Steps;
use pointsman_model::ToolSet;
use proptest::prelude::*;

use super::*;
use crate::RetryWhich;
use crate::job_file::Work;

fn job(name: &str, needs: &[usize], retries: u32, on_failure: FailurePolicy) -> Job {
    Job {
        name: name.into(),
        task: name.into(),
        work: Work::Steps(Arc::new(Steps { steps: Vec::new() })),
        resumes: None,
        folder: ".".into(),
        directories: Vec::new(),
        mode: None,
        rules: Vec::new(),
        tools: ToolSet::All,
        time_max: Duration::from_secs(1),
        needs: needs.to_vec(),
        retry: Retry {
            times: retries,
            wait: Duration::from_secs(2),
        },
        on_failure,
        model_below: None,
    }
}

fn plain(name: &str, needs: &[usize]) -> Job {
    job(name, needs, 0, FailurePolicy::Continue)
}

fn done() -> TryEnd {
    TryEnd::Done {
        summary: "ok".into(),
    }
}

fn failed() -> TryEnd {
    TryEnd::Failed {
        reason: "no".into(),
    }
}

/// Effects as short words: `start 0.1`, `wait 0 2s`, `end 1 done`, `stop`, `finish`.
fn words(effects: Vec<PlanEffect>) -> Vec<String> {
    effects
        .into_iter()
        .map(|effect| match effect {
            PlanEffect::Start { job, attempt } => format!("start {job}.{attempt}"),
            PlanEffect::Wait { job, wait, .. } => format!("wait {job} {}s", wait.as_secs()),
            PlanEffect::Ended { job, end } => format!("end {job} {}", end.as_str()),
            PlanEffect::Reopened { job } => format!("open {job}"),
            PlanEffect::StopAll(_) => "stop".into(),
            PlanEffect::Finish => "finish".into(),
        })
        .collect()
}

#[track_caller]
fn check(plan: &mut Plan, event: PlanEvent, expect: &[&str]) {
    assert_eq!(words(plan.handle(event)), expect);
}

#[test]
fn a_held_run_starts_no_job_until_it_goes_on() {
    let mut plan = Plan::new(&[plain("a", &[]), plain("b", &[0])], 2);
    check(&mut plan, PlanEvent::Pause, &[]);
    check(&mut plan, PlanEvent::Begin, &[]);
    check(&mut plan, PlanEvent::GoOn, &["start 0.1"]);
    check(&mut plan, PlanEvent::Pause, &[]);
    let end = PlanEvent::TryEnded {
        job: 0,
        end: done(),
    };
    check(&mut plan, end, &["end 0 done"]);
    check(&mut plan, PlanEvent::GoOn, &["start 1.1"]);
}

#[test]
fn what_failed_is_tried_again_with_what_was_skipped_for_it() {
    let jobs = [
        plain("a", &[]),
        plain("b", &[0]),
        plain("c", &[0, 3]),
        plain("d", &[]),
    ];
    let mut plan = Plan::new(&jobs, 4);
    check(&mut plan, PlanEvent::Begin, &["start 0.1", "start 3.1"]);
    let end = |job, end| PlanEvent::TryEnded { job, end };
    let ends = ["end 0 failed", "end 1 skipped", "end 2 skipped"];
    check(&mut plan, end(0, failed()), &ends);
    let named = |name: &str| RetryWhich::Named(vec![name.into()]);
    let skipped = plan.retried(&named("b")).unwrap_err();
    assert!(
        skipped.to_string().contains("`a` did not end well"),
        "{skipped}"
    );
    assert_eq!(
        plan.retried(&named("d")),
        Err(NotRetried::NotEnded("d".into()))
    );
    assert_eq!(
        plan.retried(&named("e")),
        Err(NotRetried::Unknown("e".into()))
    );
    let jobs = plan.retried(&RetryWhich::AllFailed).unwrap();
    assert_eq!(jobs, [0]);
    let opens = ["open 0", "open 1", "open 2", "start 0.1"];
    check(&mut plan, PlanEvent::Retry { jobs }, &opens);
    check(&mut plan, end(0, done()), &["end 0 done", "start 1.1"]);
    check(&mut plan, end(3, done()), &["end 3 done", "start 2.1"]);
    check(&mut plan, end(1, done()), &["end 1 done"]);
    check(&mut plan, end(2, done()), &["end 2 done", "finish"]);
    assert_eq!(
        plan.retried(&RetryWhich::AllFailed),
        Err(NotRetried::Ending)
    );
}

#[test]
fn what_needs_another_job_that_did_not_end_well_does_not_wait_for_it() {
    let jobs = [
        plain("a", &[]),
        plain("b", &[]),
        plain("c", &[0, 1]),
        plain("d", &[2]),
        plain("e", &[]),
    ];
    let mut plan = Plan::new(&jobs, 3);
    let starts = ["start 0.1", "start 1.1", "start 4.1"];
    check(&mut plan, PlanEvent::Begin, &starts);
    let end = |job, end| PlanEvent::TryEnded { job, end };
    let ends = ["end 0 failed", "end 2 skipped", "end 3 skipped"];
    check(&mut plan, end(0, failed()), &ends);
    check(&mut plan, end(1, failed()), &["end 1 failed"]);
    let opens_and_ends = [
        "open 0",
        "open 2",
        "open 3",
        "end 2 skipped",
        "end 3 skipped",
        "start 0.1",
    ];
    check(
        &mut plan,
        PlanEvent::Retry { jobs: vec![0] },
        &opens_and_ends,
    );
    let why = plan.retried(&RetryWhich::Named(vec!["c".into()]));
    assert!(
        matches!(&why, Err(NotRetried::Skipped { because, .. }) if **because == *"b"),
        "{why:?}"
    );
    check(&mut plan, end(0, done()), &["end 0 done"]);
    check(&mut plan, end(4, done()), &["end 4 done", "finish"]);
}

#[test]
fn a_job_that_was_tried_again_by_order_is_open_with_what_was_skipped_for_it() {
    let with_a_retry = job("a", &[], 1, FailurePolicy::Continue);
    let mut plan = Plan::new(&[with_a_retry, plain("b", &[0])], 1);
    check(&mut plan, PlanEvent::Begin, &["start 0.1"]);
    let again = |end| PlanEvent::TriedAgain { job: 0, end };
    // The first is followed by the second without an order.
    check(&mut plan, again(failed()), &["wait 0 2s"]);
    check(&mut plan, PlanEvent::RetryDue { job: 0 }, &["start 0.2"]);
    let opens = [
        "end 0 failed",
        "end 1 skipped",
        "open 0",
        "open 1",
        "start 0.1",
    ];
    check(&mut plan, again(failed()), &opens);
    let end = |job| PlanEvent::TryEnded { job, end: done() };
    check(&mut plan, end(0), &["end 0 done", "start 1.1"]);
    check(&mut plan, end(1), &["end 1 done", "finish"]);
}

#[test]
fn jobs_that_join_wait_for_one_another_and_for_slots() {
    let mut plan = Plan::new(&[plain("a", &[])], 1);
    check(&mut plan, PlanEvent::Begin, &["start 0.1"]);
    let jobs = vec![plain("b", &[1]), plain("c", &[])];
    check(&mut plan, PlanEvent::Add { jobs }, &[]);
    let end = |job| PlanEvent::TryEnded { job, end: done() };
    check(&mut plan, end(0), &["end 0 done", "start 2.1"]);
    check(&mut plan, end(2), &["end 2 done", "start 1.1"]);
    check(&mut plan, end(1), &["end 1 done", "finish"]);
}

#[test]
fn slots_bound_what_runs_and_needs_order_it() {
    let jobs = [
        plain("a", &[]),
        plain("b", &[]),
        plain("c", &[]),
        plain("d", &[0, 1]),
    ];
    let mut plan = Plan::new(&jobs, 2);
    check(&mut plan, PlanEvent::Begin, &["start 0.1", "start 1.1"]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: done(),
        },
        &["end 0 done", "start 2.1"],
    );
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 1,
            end: done(),
        },
        &["end 1 done", "start 3.1"],
    );
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 2,
            end: done(),
        },
        &["end 2 done"],
    );
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 3,
            end: done(),
        },
        &["end 3 done", "finish"],
    );
}

#[test]
fn a_failed_job_is_tried_again_with_longer_waits_and_then_fails_what_needs_it() {
    let jobs = [
        job("a", &[], 2, FailurePolicy::Continue),
        plain("b", &[0]),
        plain("c", &[1]),
    ];
    let mut plan = Plan::new(&jobs, 1);
    check(&mut plan, PlanEvent::Begin, &["start 0.1"]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: failed(),
        },
        &["wait 0 2s"],
    );
    check(&mut plan, PlanEvent::RetryDue { job: 0 }, &["start 0.2"]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: failed(),
        },
        &["wait 0 4s"],
    );
    check(&mut plan, PlanEvent::RetryDue { job: 0 }, &["start 0.3"]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: failed(),
        },
        &["end 0 failed", "end 1 skipped", "end 2 skipped", "finish"],
    );
}

#[test]
fn the_failure_policy_stops_the_others() {
    let jobs = [
        job("a", &[], 0, FailurePolicy::Stop),
        plain("b", &[]),
        plain("c", &[]),
    ];
    let mut plan = Plan::new(&jobs, 2);
    check(&mut plan, PlanEvent::Begin, &["start 0.1", "start 1.1"]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: failed(),
        },
        &["end 0 failed", "stop", "end 2 stopped"],
    );
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 1,
            end: TryEnd::Stopped,
        },
        &["end 1 stopped", "finish"],
    );
    assert_eq!(
        plan.stopping(),
        Some(&StopReason::JobFailed { job: "a".into() })
    );
}

#[test]
fn a_stop_ends_what_waits_and_takes_no_retry() {
    let jobs = [job("a", &[], 5, FailurePolicy::Continue), plain("b", &[0])];
    let mut plan = Plan::new(&jobs, 1);
    let signal = StopReason::Signal {
        name: "SIGINT".into(),
    };
    check(&mut plan, PlanEvent::Begin, &["start 0.1"]);
    check(
        &mut plan,
        PlanEvent::Stop(signal.clone()),
        &["stop", "end 1 stopped"],
    );
    check(&mut plan, PlanEvent::Stop(signal), &[]);
    check(
        &mut plan,
        PlanEvent::TryEnded {
            job: 0,
            end: failed(),
        },
        &["end 0 failed", "finish"],
    );
    check(&mut plan, PlanEvent::RetryDue { job: 0 }, &[]);
}

#[test]
fn a_job_that_is_opened_again_waits_for_what_it_needs_and_is_still_open() {
    let jobs = [plain("a", &[]), plain("b", &[0]), plain("c", &[])];
    let mut plan = Plan::new(&jobs, 3);
    let end = |job, end| PlanEvent::TryEnded { job, end };
    check(&mut plan, PlanEvent::Begin, &["start 0.1", "start 2.1"]);
    let stop = PlanEvent::StopWaiting { job: 1 };
    check(&mut plan, stop, &["end 1 stopped"]);
    let again = || PlanEvent::Retry { jobs: vec![1] };
    check(&mut plan, again(), &["open 1"]);
    check(&mut plan, end(0, done()), &["end 0 done", "start 1.1"]);
    check(&mut plan, end(1, failed()), &["end 1 failed"]);
    check(&mut plan, again(), &["open 1", "start 1.1"]);
    check(&mut plan, end(1, done()), &["end 1 done"]);
    check(&mut plan, end(2, done()), &["end 2 done", "finish"]);
}

#[test]
fn a_job_is_opened_again_only_with_all_that_it_needs() {
    let jobs = [plain("a", &[]), plain("b", &[]), plain("c", &[0, 1])];
    let mut plan = Plan::new(&jobs, 2);
    let end = |job, end| PlanEvent::TryEnded { job, end };
    check(&mut plan, PlanEvent::Begin, &["start 0.1", "start 1.1"]);
    let stop = PlanEvent::StopWaiting { job: 2 };
    check(&mut plan, stop, &["end 2 stopped"]);
    check(&mut plan, end(0, failed()), &["end 0 failed"]);
    let named =
        |names: &[&str]| RetryWhich::Named(names.iter().map(|name| Box::from(*name)).collect());
    let held = plan.retried(&named(&["c"]));
    assert!(
        matches!(&held, Err(NotRetried::Held { because, .. }) if **because == *"a"),
        "{held:?}"
    );
    assert_eq!(plan.retried(&named(&["c", "a"])), Ok(vec![2, 0]));
    assert_eq!(plan.retried(&RetryWhich::AllFailed), Ok(vec![0, 2]));
    let opens = ["open 0", "open 2", "start 0.1"];
    check(&mut plan, PlanEvent::Retry { jobs: vec![0, 2] }, &opens);
    check(&mut plan, end(0, done()), &["end 0 done"]);
    check(&mut plan, end(1, done()), &["end 1 done", "start 2.1"]);
    check(&mut plan, end(2, done()), &["end 2 done", "finish"]);
}

#[test]
fn a_job_is_not_opened_again_behind_one_that_is_left_out_for_another() {
    let jobs = [
        plain("x", &[]),
        plain("y", &[]),
        plain("needs-both", &[0, 1]),
        plain("last", &[2]),
        plain("open", &[]),
    ];
    let mut plan = Plan::new(&jobs, 3);
    let end = |job| PlanEvent::TryEnded { job, end: failed() };
    check(
        &mut plan,
        PlanEvent::Begin,
        &["start 0.1", "start 1.1", "start 4.1"],
    );
    check(
        &mut plan,
        PlanEvent::StopWaiting { job: 3 },
        &["end 3 stopped"],
    );
    check(&mut plan, end(0), &["end 0 failed", "end 2 skipped"]);
    check(&mut plan, end(1), &["end 1 failed"]);
    let named =
        |names: &[&str]| RetryWhich::Named(names.iter().map(|name| Box::from(*name)).collect());
    let held = plan.retried(&named(&["x", "last"]));
    assert!(
        matches!(&held, Err(NotRetried::Held { job, because }) if (&**job, &**because) == ("last", "needs-both")),
        "{held:?}"
    );
    assert_eq!(plan.retried(&named(&["x", "y", "last"])), Ok(vec![0, 1, 3]));
}

#[test]
fn a_job_that_waits_is_stopped_alone_and_what_needs_it_is_skipped() {
    let jobs = [
        job("a", &[], 1, FailurePolicy::Stop),
        plain("b", &[]),
        plain("c", &[1]),
        plain("d", &[2]),
        plain("e", &[]),
    ];
    let mut plan = Plan::new(&jobs, 1);
    check(&mut plan, PlanEvent::Begin, &["start 0.1"]);
    let stop = |job| PlanEvent::StopWaiting { job };
    // It waits for others, for the slot, for its next try; who is at work is not meant.
    check(&mut plan, stop(2), &["end 2 stopped", "end 3 skipped"]);
    check(&mut plan, stop(4), &["end 4 stopped"]);
    check(&mut plan, stop(4), &[]);
    check(&mut plan, stop(0), &[]);
    let end = |job, end| PlanEvent::TryEnded { job, end };
    check(&mut plan, end(0, failed()), &["wait 0 2s", "start 1.1"]);
    check(&mut plan, stop(0), &["end 0 stopped"]);
    check(&mut plan, PlanEvent::RetryDue { job: 0 }, &[]);
    assert_eq!(plan.stopping(), None);
    let why = plan.retried(&RetryWhich::Named(vec!["d".into()]));
    assert!(
        matches!(&why, Err(NotRetried::Skipped { because, .. }) if **because == *"c"),
        "{why:?}"
    );
    let opens = ["open 2", "open 3"];
    check(&mut plan, PlanEvent::Retry { jobs: vec![2] }, &opens);
    check(&mut plan, end(1, done()), &["end 1 done", "start 2.1"]);
    check(&mut plan, end(2, done()), &["end 2 done", "start 3.1"]);
    check(&mut plan, end(3, done()), &["end 3 done", "finish"]);
}

#[test]
fn waits_stop_growing() {
    assert_eq!(back_off(Duration::from_secs(1), 1), Duration::from_secs(1));
    assert_eq!(back_off(Duration::from_secs(1), 4), Duration::from_secs(8));
    assert_eq!(back_off(Duration::from_secs(1), 60), RETRY_WAIT_MAX);
    assert_eq!(
        back_off(Duration::ZERO, 90),
        RETRY_WAIT_MAX.min(back_off(Duration::ZERO, 90))
    );
}

/// What drives a plan through one random life.
#[derive(Debug, Clone)]
struct Life {
    needs: Vec<Vec<usize>>,
    retries: Vec<u32>,
    stop_on_failure: Vec<bool>,
    slots: u32,
    /// Per moment: which of the open things moves on, and how a try ends.
    moves: Vec<(usize, u8)>,
}

fn life() -> impl Strategy<Value = Life> {
    (1_usize..7).prop_flat_map(|count| {
        // A job needs only earlier ones, so there is no cycle; the job file refuses those.
        let needs = (0..count)
            .map(|job| proptest::collection::btree_set(0..job.max(1), 0..=job.min(3)))
            .collect::<Vec<_>>();
        (
            needs,
            proptest::collection::vec(0_u32..3, count),
            proptest::collection::vec(proptest::bool::weighted(0.2), count),
            1_u32..4,
            proptest::collection::vec((0_usize..8, 0_u8..20), 0..60),
        )
            .prop_map(|(needs, retries, stop_on_failure, slots, moves)| Life {
                needs: needs
                    .into_iter()
                    .enumerate()
                    .map(|(job, needs)| needs.into_iter().filter(|need| *need < job).collect())
                    .collect(),
                retries,
                stop_on_failure,
                slots,
                moves,
            })
    })
}

proptest! {
    /// Whatever the order of events: never more than the slots run, no job starts before what it needs is done, each
    /// job ends exactly once, nothing starts after a stop, and the plan finishes exactly once and last.
    #[test]
    fn every_job_ends_once_and_the_plan_finishes(life in life()) {
        let jobs: Vec<Job> = life.needs.iter().enumerate().map(|(at, needs)| {
            let policy = match life.stop_on_failure[at] {
                true => FailurePolicy::Stop,
                false => FailurePolicy::Continue,
            };
            job(&at.to_string(), needs, life.retries[at], policy)
        }).collect();
        let mut plan = Plan::new(&jobs, life.slots);
        let mut running = BTreeSet::new();
        let mut resting = BTreeSet::new();
        let mut done = BTreeSet::new();
        let mut ended = BTreeSet::new();
        let (mut stopped, mut finished) = (false, false);
        let mut moves = life.moves.iter();
        let mut event = Some(PlanEvent::Begin);
        while let Some(now) = event.take() {
            for effect in plan.handle(now) {
                prop_assert!(!finished, "something came after the finish");
                match effect {
                    PlanEffect::Start { job, attempt } => {
                        prop_assert!(!stopped && running.insert(job));
                        prop_assert!(running.len() <= life.slots as usize);
                        prop_assert!(life.needs[job].iter().all(|need| done.contains(need)));
                        prop_assert!(attempt <= life.retries[job] + 1);
                    }
                    PlanEffect::Wait { job, .. } => prop_assert!(resting.insert(job)),
                    PlanEffect::Ended { job, end } => {
                        prop_assert!(ended.insert(job), "job {job} ended twice");
                        resting.remove(&job);
                        if matches!(end, JobEnd::Done { .. }) {
                            done.insert(job);
                        }
                    }
                    PlanEffect::Reopened { job } => prop_assert!(ended.remove(&job)),
                    PlanEffect::StopAll(_) => stopped = true,
                    PlanEffect::Finish => finished = true,
                }
            }
            // The random moves first; then everything open is driven to its end.
            let (pick, how) = moves.next().copied().unwrap_or((0, 0));
            let open: Vec<(usize, bool)> = running.iter().map(|job| (*job, true))
                .chain(resting.iter().map(|job| (*job, false))).collect();
            let Some((job, runs)) = open.get(pick % open.len().max(1)).copied() else { break };
            event = Some(match (how, runs) {
                (19, _) => PlanEvent::Stop(StopReason::Person { text: "".into() }),
                (18, _) => PlanEvent::StopWaiting { job: pick % jobs.len() },
                (17, _) if let Ok(jobs) = plan.retried(&RetryWhich::AllFailed) => {
                    PlanEvent::Retry { jobs }
                }
                (_, false) => {
                    resting.remove(&job);
                    PlanEvent::RetryDue { job }
                }
                (how, true) => {
                    running.remove(&job);
                    let end = match how {
                        0..=9 if stopped => TryEnd::Stopped,
                        0..=9 => self::done(),
                        10..=14 => failed(),
                        15 => TryEnd::Halted { reason: "".into() },
                        16 => TryEnd::TimedOut { time_max: Millis(1) },
                        _ => TryEnd::Stopped,
                    };
                    PlanEvent::TryEnded { job, end }
                }
            });
        }
        prop_assert!(finished);
        prop_assert_eq!(ended.len(), jobs.len());
    }
}
