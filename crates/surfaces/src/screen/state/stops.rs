//! Stopping an agent, a job or the run, and leaving a run that goes on.

use pointsman_ledger::WorkerEnd;
use pointsman_model::Lineage;
use pointsman_swarm::JobEnd;

use super::*;
use crate::fixture;
use crate::screen::key::Key;
use crate::screen::stage::{Stage, request_of, step};
use crate::socket::JobWire;

/// What was ordered to stop since this was asked last.
fn stops(stage: &mut Stage) -> Vec<Effect> {
    let is_stop = |effect: &Effect| {
        matches!(
            effect,
            Effect::StopRun | Effect::StopWorker(_) | Effect::StopJob(_) | Effect::Interrupt
        )
    };
    let effects = std::mem::take(&mut stage.effects);
    effects.into_iter().filter(is_stop).collect()
}

fn job_ended(job: &str, end: JobEnd) -> Event {
    let job = job.into();
    Event::Run(RunEvent::JobEnded { job, end })
}

#[test]
fn stopping_takes_a_word_or_ctrl_c_twice() {
    let docs = Lineage::root(step(1, "docs"));
    let stops = |keys: &str| {
        let mut stage = Stage::new(80, 40);
        stage
            .spawned(&docs)
            .asks(request_of(1, "one", &docs))
            .press(keys);
        stops(&mut stage)
    };
    let worker = WorkerId::new(fixture::run(), 1);
    assert_eq!(stops("<enter>sstop<enter>"), [Effect::StopWorker(worker)]);
    assert_eq!(stops("<enter>s<tab>stop<enter>"), [Effect::StopRun]);
    assert_eq!(
        stops("<tab><down><down>sstop<enter>"),
        [Effect::StopWorker(worker)]
    );
    assert_eq!(stops("<C-c><C-c>"), [Effect::StopRun]);
    assert_eq!(
        stops("<C-c><C-c><C-c>"),
        [Effect::StopRun, Effect::Interrupt]
    );
    assert_eq!(stops("<C-c><esc>s<enter>"), []);
    assert_eq!(stops("<enter>ss<enter>y<enter>"), []);
}

#[test]
fn a_job_that_waits_is_stopped_and_one_that_has_its_end_is_not() {
    let docs = Lineage::root(step(1, "docs"));
    let mut stage = Stage::with_jobs(80, 40, &["docs", "fla\u{202e}ky", "waits"]);
    stage.spawned(&docs).press("<tab><end>s");
    let asked = stage.text();
    assert!(
        asked.contains("stop the job waits, which is not at work")
            && asked.contains("jobs that need it are skipped"),
        "{asked}"
    );
    stage.press("stop<enter>");
    assert_eq!(stops(&mut stage), [Effect::StopJob("waits".into())]);
    stage.press("s<tab>stop<enter>");
    assert_eq!(stops(&mut stage), [Effect::StopRun]);
    // One that waits for its next try is as one that has not begun, whatever its name.
    let flaky = Lineage::root(step(2, "fla\u{202e}ky"));
    stage
        .spawned(&flaky)
        .worker_ends(flaky.agent().worker, WorkerEnd::Failed, "no")
        .press("<up>s");
    let asked = stage.text();
    assert!(asked.contains("stop the job fla‹U+202E›ky"), "{asked}");
    stage.press("stop<enter>");
    let by_name = Effect::StopJob("fla\u{202e}ky".into());
    assert_eq!(stops(&mut stage), [by_name]);
    let summary = "done".into();
    stage
        .worker_ends(docs.agent().worker, WorkerEnd::Done, "")
        .take(job_ended("docs", JobEnd::Done { summary }))
        .press("<up>s");
    assert_eq!(stops(&mut stage), []);
    assert!(
        stage.text().contains("there is nothing to stop"),
        "{}",
        stage.text()
    );
    // One that needs it is left out: it will not be at work.
    let because = "docs".into();
    stage
        .take(job_ended("waits", JobEnd::Skipped { because }))
        .press("<end>s");
    assert_eq!(stops(&mut stage), []);
    assert!(
        stage.text().contains("there is nothing to stop"),
        "{}",
        stage.text()
    );
    // The leader's row is the run.
    stage.press("<home>sstop<enter>");
    assert_eq!(stops(&mut stage), [Effect::StopRun]);
}

/// Whatever it was ended by, a job that a person had opened again waits for its try, on the leader's screen and on one
/// that hears of jobs from another process.
#[test]
fn a_job_that_was_stopped_and_is_tried_again_is_stopped_once_more() {
    let docs = Lineage::root(step(1, "docs"));
    let opened_here = Event::Run(RunEvent::JobReopened { job: "docs".into() });
    let opened_there = Event::Jobs(vec![JobWire {
        name: "docs".into(),
        state: "waits".into(),
        worker: Some(docs.agent().worker),
        tries: 1,
        text: None,
    }]);
    for (opened, how) in [
        (&opened_here, WorkerEnd::Stopped),
        (&opened_there, WorkerEnd::Stopped),
        (&opened_here, WorkerEnd::Halted),
    ] {
        let mut stage = Stage::with_jobs(80, 40, &["docs"]);
        stage
            .spawned(&docs)
            .worker_ends(docs.agent().worker, how, "")
            .take(job_ended("docs", JobEnd::Stopped))
            .press("<tab><end>s");
        assert!(stage.text().contains("there is nothing to stop"));
        stage.take(opened.clone()).press("sstop<enter>");
        assert_eq!(stops(&mut stage), [Effect::StopJob("docs".into())]);
    }
}

#[test]
fn ctrl_c_in_an_attached_screen_leaves_the_run_on() {
    let mut stage = Stage::new(80, 40);
    stage.state.seat = Seat::Attached;
    stage.press("<C-c>");
    assert!(
        stage.text().contains("leave the run, which goes on"),
        "{}",
        stage.text()
    );
    // Two that came before the question was on the screen are one.
    stage.press("<esc>").take(Event::Key(Key::Chord('c')));
    stage.take(Event::Key(Key::Chord('c')));
    assert_eq!(stage.state.seat, Seat::Attached);
    stage.press("<C-c>");
    assert_eq!(stage.state.seat, Seat::Left);
    assert_eq!(stage.effects, []);
    let mut stage = Stage::new(80, 40);
    stage.state.seat = Seat::Attached;
    stage.press("<C-c><tab>stop<enter>");
    assert_eq!(stage.effects, [Effect::StopRun]);
}
