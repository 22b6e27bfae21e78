use std::collections::HashSet;
use std::sync::Arc;

use pointsman_model::{CallId, RunId};

use super::{Place, sample};
use crate::ledger::Health;
use crate::writer::Queue;
use crate::{AppendError, Filter, Ledger, RecordBody, RecordKind, RunEnded, RunState};

#[tokio::test]
async fn what_append_returned_for_is_there_for_every_reader() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = CallId::new(run, 1);
    let seq = ledger.append(run, sample::requested(call)).await.unwrap();
    let found = place.reader().records(&Filter::of_call(call)).unwrap();
    assert_eq!(found.records.len(), 1);
    assert_eq!(found.records[0].seq, seq);
    assert_eq!(
        found.records[0].body,
        RecordBody::from(sample::requested(call))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_at_once_are_all_kept_in_one_sound_chain() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let appends: Vec<_> = (1..=1000)
        .map(|number| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                let call = CallId::new(run, number);
                ledger.append(run, sample::requested(call)).await.unwrap()
            })
        })
        .collect();
    let mut seqs = HashSet::new();
    for append in appends {
        assert!(
            seqs.insert(append.await.unwrap()),
            "a place was given twice"
        );
    }
    let report = place.reader().verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 1001);
}

#[tokio::test]
async fn notes_are_on_disk_before_a_later_append_returns_and_when_the_ledger_is_closed() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=50 {
        let note = sample::requested(CallId::new(run, number));
        ledger.note(run, note).await.unwrap();
    }
    let last = sample::requested(CallId::new(run, 51));
    ledger.append(run, last).await.unwrap();
    let of_run = Filter::of_run(run);
    assert_eq!(place.reader().records(&of_run).unwrap().records.len(), 52);

    let note = sample::requested(CallId::new(run, 52));
    ledger.note(run, note).await.unwrap();
    ledger.close().await;
    assert_eq!(place.reader().records(&of_run).unwrap().records.len(), 53);
    let after = ledger.append(run, sample::ended(CallId::new(run, 52), None));
    assert!(matches!(after.await, Err(AppendError::Closed)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_appends_while_the_ledger_is_closed_hears_of_it() {
    for _ in 0..20 {
        let place = Place::new();
        let (ledger, run) = place.begin().await;
        let mut appends = tokio::task::JoinSet::new();
        for number in 1..=100 {
            let ledger = ledger.clone();
            let call = sample::requested(CallId::new(run, number));
            appends.spawn(async move { ledger.append(run, call).await });
        }
        ledger.close().await;
        let told = appends.join_all().await;
        let kept = told.iter().filter(|told| told.is_ok()).count();
        let others = told.iter().filter_map(|told| told.as_ref().err());
        assert!(
            others
                .into_iter()
                .all(|error| matches!(error, AppendError::Closed))
        );
        let of_run = place.reader().records(&Filter::of_run(run)).unwrap();
        assert_eq!(of_run.records.len(), kept + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn law_12_whoever_appends_when_the_writer_breaks_down_hears_of_it() {
    let (queue, commands) = flume::bounded(4);
    let writer = std::thread::spawn(move || {
        let queue = Queue(commands);
        drop(queue.0.recv());
        std::panic::resume_unwind(Box::new("broken down"));
    });
    let place = Place::new();
    let ledger = Ledger::started(
        place.path,
        sample::clock(),
        queue,
        Arc::new(Health::default()),
    );
    for number in 1..=3 {
        let call = sample::requested(CallId::new(RunId::FIRST, number));
        let told = ledger.append(RunId::FIRST, call).await;
        assert!(matches!(told, Err(AppendError::Closed)));
    }
    drop(ledger);
    assert!(writer.join().is_err());
}

#[tokio::test]
async fn nothing_is_recorded_for_a_run_that_was_not_begun_here() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let other = RunId::new(run.number() + 1).unwrap();
    let call = CallId::new(other, 1);
    let refused = ledger.append(other, sample::requested(call)).await;
    assert!(matches!(refused, Err(AppendError::NotOurs(of)) if of == other));
}

#[tokio::test]
async fn law_23_records_can_be_neither_changed_nor_removed() {
    let place = Place::new();
    let (ledger, _) = place.begin().await;
    ledger.close().await;
    let raw = place.raw();
    for statement in [
        "UPDATE records SET body = '{}'",
        "DELETE FROM records",
        "UPDATE runs SET started_at = 0",
        "DELETE FROM runs",
    ] {
        let error = raw.execute(statement, []).unwrap_err();
        assert!(error.to_string().contains("never"), "{statement}: {error}");
    }
}

#[tokio::test]
async fn a_run_is_live_until_it_ends() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let state = |place: &Place| place.reader().runs().unwrap()[0].state.clone();
    assert_eq!(state(&place), RunState::Live);
    let end = RunEnded {
        exit_code: 3,
        text: "2 calls were refused".into(),
    };
    ledger.append(run, end).await.unwrap();
    assert!(matches!(
        state(&place),
        RunState::Ended { exit_code: 3, .. }
    ));
    ledger.close().await;
    let (_, report) = place.open();
    assert!(report.dead.is_empty(), "an ended run is not dead");
}

#[test]
fn each_kind_is_written_under_its_own_name() {
    let names: HashSet<_> = RecordKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(names.len(), RecordKind::ALL.len());
    let body = RecordBody::from(RunEnded {
        exit_code: 0,
        text: "".into(),
    });
    let json = serde_json::to_string(&body).unwrap();
    assert!(json.starts_with(r#"{"kind":"run_ended","#), "{json}");
}
