//! Stopping an agent, a job or the run, and leaving a run that goes on.

use pointsman_ledger::WorkerEnd;
use pointsman_model::Lineage;
use pointsman_swarm::JobEnd;

use super::*;
use crate::fixture;
use crate::screen::key::Key;
use crate::screen::stage::{Stage, request_of, step};

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
    stage
        .worker_ends(docs.agent().worker, WorkerEnd::Done, "")
        .press("<up>s");
    assert_eq!(stops(&mut stage), []);
    assert!(
        stage.text().contains("there is nothing to stop"),
        "{}",
        stage.text()
    );
    // One that needs it is left out: it will not be at work.
    stage.take(Event::Run(RunEvent::JobEnded {
        job: "waits".into(),
        end: JobEnd::Skipped {
            because: "docs".into(),
        },
    }));
    stage.press("<end>s");
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
