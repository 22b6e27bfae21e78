use pointsman_model::CallId;

use super::{Place, die, sample};
use crate::{
    AppendError, Filter, Ledger, ProcessGroupStarted, RecordKind, ResumeError, ResumeReport,
    RunState,
};

async fn resume(ledger: &Ledger, run: pointsman_model::RunId) -> Result<ResumeReport, ResumeError> {
    ledger.hold_run(run).await?.resume().await
}

#[tokio::test]
async fn two_leaders_on_one_project_get_different_runs_and_both_record() {
    let place = Place::new();
    let (one, first) = place.begin().await;
    let (two, report) = place.open();
    assert!(
        report.dead.is_empty(),
        "a living leader's run was taken for dead"
    );
    let second = two.begin_run(sample::run_start()).await.unwrap();
    assert_ne!(first, second);
    for number in 1..=20 {
        let of_first = sample::requested(CallId::new(first, number));
        let of_second = sample::requested(CallId::new(second, number));
        let (one, two) = tokio::join!(one.append(first, of_first), two.append(second, of_second));
        one.unwrap();
        two.unwrap();
    }
    let report = place.reader().verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 42);
}

#[tokio::test]
async fn a_runs_number_is_never_given_again() {
    let place = Place::new();
    let (ledger, first) = place.begin().await;
    die(ledger).await;
    let (ledger, second) = place.begin().await;
    die(ledger).await;
    let (_ledger, third) = place.begin().await;
    assert_eq!([first, second, third].map(|run| run.number()), [1, 2, 3]);
}

#[tokio::test]
async fn a_leader_whose_run_was_taken_over_can_record_nothing_more() {
    let place = Place::new();
    let (old, run) = place.begin().await;
    // Somebody removes the old leader's lock file under it, and so it is taken for dead.
    std::fs::remove_file(crate::run_lock::path_of(&place.path, run)).unwrap();
    let (_new, report) = place.open();
    assert_eq!(report.dead.len(), 1);
    for number in 1..=2 {
        let late = sample::requested(CallId::new(run, number));
        let refused = old.append(run, late).await;
        assert!(matches!(refused, Err(AppendError::TakenOver(of)) if of == run));
    }
    assert!(place.reader().verify().unwrap().is_sound());
}

#[tokio::test]
async fn only_a_dead_leaders_run_can_be_resumed() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let (other, _) = place.open();
    let alive = resume(&other, run).await;
    assert!(matches!(alive, Err(ResumeError::Alive(_))));
    die(ledger).await;

    let report = resume(&other, run).await.unwrap();
    assert_eq!(report.epoch, 2);
    assert_eq!(place.reader().runs().unwrap()[0].state, RunState::Live);
    let again = resume(&other, run).await;
    assert!(matches!(again, Err(ResumeError::Alive(_))));
    let unknown = pointsman_model::RunId::new(99).unwrap();
    let missing = resume(&other, unknown).await;
    assert!(matches!(missing, Err(ResumeError::Unknown(_))));

    let end = crate::RunEnded {
        exit_code: 0,
        text: "done".into(),
    };
    other.append(run, end).await.unwrap();
    other.close().await;
    let (next, _) = place.open();
    let ended = resume(&next, run).await;
    assert!(matches!(ended, Err(ResumeError::Ended(_))));
}

#[tokio::test]
async fn law_20_whoever_holds_a_run_keeps_others_out_and_leaves_no_trace() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    die(ledger).await;
    let (one, _) = place.open();
    let (two, _) = place.open();
    let records = || {
        place
            .reader()
            .records(&Filter::of_run(run))
            .unwrap()
            .records
    };
    let before = records();
    let held = one.hold_run(run).await.unwrap();
    // It is told apart from one that is led: it may be free in a moment.
    assert!(matches!(resume(&two, run).await, Err(ResumeError::Held(_))));
    drop(held);
    assert!(!crate::run_lock::path_of(&place.path, run).exists());
    assert_eq!(records(), before);
    assert_eq!(
        place.reader().runs().unwrap()[0].state,
        RunState::Interrupted
    );
    resume(&two, run).await.unwrap();
    assert!(matches!(
        one.hold_run(run).await.err(),
        Some(ResumeError::Alive(_))
    ));
}

#[tokio::test]
async fn law_21_whoever_holds_a_run_hears_of_groups_that_were_left_since_it_looked() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    die(ledger).await;
    let (late, report) = place.open();
    assert!(report.groups.is_empty());
    let (early, _) = place.open();
    resume(&early, run).await.unwrap();
    let group = ProcessGroupStarted {
        worker: None,
        call: None,
        group: sample::group(),
        program: "sleep".into(),
    };
    early.append(run, group.clone()).await.unwrap();
    die(early).await;
    assert_eq!(late.hold_run(run).await.unwrap().groups(), [group]);
}

#[tokio::test]
async fn law_20_no_call_is_started_twice_whoever_tries() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = |number| CallId::new(run, number);
    ledger.append(run, sample::started(call(1))).await.unwrap();
    let again = ledger.append(run, sample::started(call(1))).await;
    assert!(matches!(again, Err(AppendError::StartedBefore(of)) if of == call(1)));
    // Among others of one group, which are written.
    let (twice, once, thrice) = tokio::join!(
        ledger.append(run, sample::started(call(1))),
        ledger.append(run, sample::started(call(2))),
        ledger.append(run, sample::started(call(2))),
    );
    assert!(matches!(twice, Err(AppendError::StartedBefore(_))));
    assert!(once.is_ok());
    assert!(matches!(thrice, Err(AppendError::StartedBefore(_))));
    assert!(ledger.failing().is_none());
    die(ledger).await;
    let (next, _) = place.open();
    resume(&next, run).await.unwrap();
    let again = next.append(run, sample::started(call(2))).await;
    assert!(matches!(again, Err(AppendError::StartedBefore(_))));
    let starts = Filter {
        kinds: vec![RecordKind::CallStarted],
        ..Filter::of_run(run)
    };
    let starts = place.reader().records(&starts).unwrap().records;
    assert_eq!(starts.len(), 2);
    assert!(place.reader().verify().unwrap().is_sound());
}
