use pointsman_model::{CallId, RunId};
use rusqlite::Connection;

use super::{Place, die, sample};
use crate::{Filter, RecordKind, VerifyReport};

/// A ledger of two runs, with `records` calls in the first, closed.
pub(super) async fn written(records: u32) -> (Place, RunId) {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=records {
        let call = sample::requested(CallId::new(run, number));
        ledger.note(run, call).await.unwrap();
    }
    die(ledger).await;
    let (ledger, _) = place.begin().await;
    ledger.close().await;
    (place, run)
}

/// Changes the ledger in a way that it forbids, as somebody with an editor would.
async fn tampered(change: &str) -> VerifyReport {
    let (place, _) = written(5).await;
    let raw = place.raw();
    forget_triggers(&raw);
    raw.execute(change, []).unwrap();
    drop(raw);
    place.reader().verify().unwrap()
}

fn forget_triggers(raw: &Connection) {
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF;
         DROP TRIGGER records_are_never_changed; DROP TRIGGER records_are_never_removed;
         DROP TRIGGER runs_are_never_changed; DROP TRIGGER runs_are_never_removed;",
    )
    .unwrap();
}

#[tokio::test]
async fn law_23_every_kind_of_tampering_is_found() {
    let (place, _) = written(5).await;
    assert!(place.reader().verify().unwrap().is_sound());
    let cases = [
        (
            "UPDATE records SET body = replace(body, 'echo', 'ecko') WHERE number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET at = at + 1 WHERE run = 1 AND number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET kind = 'call_ended' WHERE run = 1 AND number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET call = 77 WHERE run = 1 AND number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET worker = NULL WHERE run = 1 AND number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET hash = zeroblob(32) WHERE run = 1 AND number = 3",
            "fingerprint",
        ),
        (
            "UPDATE records SET hash = zeroblob(7) WHERE run = 1 AND number = 3",
            "Cannot read 32 byte",
        ),
        (
            "UPDATE records SET prev = zeroblob(32) WHERE run = 1 AND number = 3",
            "follow",
        ),
        (
            "UPDATE records SET body = 'x' WHERE run = 1 AND number = 3",
            "can't be read",
        ),
        (
            "DELETE FROM records WHERE run = 1 AND number = 3",
            "1 records before it are missing",
        ),
        (
            "DELETE FROM records WHERE run = 1 AND number > 3",
            "is missing or another",
        ),
        ("DELETE FROM records WHERE run = 1", "is missing"),
        (
            "DELETE FROM records WHERE run = 2",
            "all its records are missing",
        ),
        (
            "UPDATE records SET number = number + 1 WHERE run = 2",
            "missing",
        ),
    ];
    for (change, found) in cases {
        let report = tampered(change).await;
        assert!(!report.is_sound(), "not found: {change}");
        let told = report
            .damage
            .iter()
            .any(|damage| damage.why.contains(found));
        assert!(told, "{change}: {report:?}");
    }
}

#[tokio::test]
async fn damage_in_a_dead_run_is_told_at_the_next_start_and_work_goes_on() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=3 {
        let call = sample::requested(CallId::new(run, number));
        ledger.append(run, call).await.unwrap();
    }
    die(ledger).await;
    let raw = place.raw();
    forget_triggers(&raw);
    let change = "UPDATE records SET at = 0 WHERE number = 3";
    raw.execute(change, []).unwrap();
    drop(raw);

    let (ledger, report) = place.open();
    assert_eq!(report.damaged.len(), 1);
    assert_eq!((report.damaged[0].run, report.damaged[0].number), (run, 3));
    let next = ledger.begin_run(sample::run_start()).await.unwrap();
    let told = place.reader().records(&Filter {
        kinds: vec![RecordKind::DamageFound],
        ..Filter::of_run(next)
    });
    assert_eq!(told.unwrap().records.len(), 1);
    let call = sample::requested(CallId::new(next, 1));
    ledger.append(next, call).await.unwrap();
    let damage = place.reader().verify().unwrap().damage;
    assert_eq!(damage.len(), 1, "the damage spread: {damage:?}");
}
