use pointsman_model::{CallId, RunId};
use rusqlite::Connection;

use super::{Place, die, sample};
use crate::{Filter, Pages, RecordKind, VerifyReport};

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

#[tokio::test]
async fn law_23_records_cut_off_the_end_and_an_emptied_ledger_are_noticed() {
    for change in [
        "DELETE FROM records WHERE run = 2 AND number = (SELECT max(number) FROM records WHERE run = 2)",
        "DELETE FROM records WHERE run = 2; DELETE FROM runs WHERE number = 2",
        "DELETE FROM records; DELETE FROM runs",
    ] {
        let (place, _) = written(5).await;
        let raw = place.raw();
        forget_triggers(&raw);
        raw.execute_batch(change).unwrap();
        drop(raw);
        let report = place.reader().verify().unwrap();
        let told = report
            .damage
            .iter()
            .any(|damage| damage.why.contains("missing"));
        assert!(told, "{change}: {report:?}");
    }
}

#[tokio::test]
async fn law_23_a_ledger_that_is_gone_is_no_ledger_that_never_was() {
    for leave in [None, Some("")] {
        let (place, _) = written(3).await;
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(crate::salvage::beside(&place.path, suffix));
        }
        match leave {
            None => std::fs::remove_file(&place.path).unwrap(),
            Some(text) => std::fs::write(&place.path, text).unwrap(),
        }
        let lost = crate::LedgerReader::open(&place.path).err().unwrap();
        assert!(
            matches!(lost, crate::ReadError::Lost { runs: 2, .. }),
            "{lost:?}"
        );
        // The next leader goes on, and what is missing is told for good.
        let (ledger, run) = place.begin().await;
        assert_eq!(run.number(), 3);
        ledger.close().await;
        let report = place.reader().verify().unwrap();
        assert_eq!(report.damage.len(), 1, "{report:?}");
        assert!(report.damage[0].why.contains("1 more runs"), "{report:?}");
    }
}

#[tokio::test]
async fn law_11_a_ledger_that_is_removed_cut_or_replaced_under_its_leader_takes_nothing_more() {
    type Harm = fn(&std::path::Path);
    let harms: [(&str, Harm); 4] = [
        ("removed", |path| std::fs::remove_file(path).unwrap()),
        ("emptied", |path| {
            drop(std::fs::File::create(path).unwrap());
        }),
        ("replaced", |path| {
            let other = path.with_extension("other");
            std::fs::copy(path, &other).unwrap();
            std::fs::rename(other, path).unwrap();
        }),
        ("without its log", |path| {
            std::fs::remove_file(crate::salvage::beside(path, "-wal")).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let place = Place::new();
        let (ledger, run) = place.begin().await;
        let call = |number| sample::requested(CallId::new(run, number));
        ledger.append(run, call(1)).await.unwrap();
        harm(&place.path);
        for number in [2, 3] {
            let refused = ledger.append(run, call(number)).await;
            assert!(
                matches!(refused, Err(crate::AppendError::Gone(_))),
                "{what}: {refused:?}"
            );
        }
        assert!(ledger.failing().is_some(), "{what}");
    }
}

#[tokio::test]
async fn law_23_verification_tells_what_was_set_aside() {
    let (place, _) = written(200).await;
    let bytes = std::fs::read(&place.path).unwrap();
    std::fs::write(&place.path, &bytes[..bytes.len() / 2]).unwrap();
    let (ledger, report) = place.open();
    let aside = report.set_aside.unwrap();
    ledger.begin_run(sample::run_start()).await.unwrap();
    let verified = place.reader().verify().unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    assert_eq!(verified.set_aside.len(), 1);
    assert_eq!(*verified.set_aside[0].file, *aside.file.to_string_lossy());
}

#[tokio::test]
async fn law_23_a_pruned_ledger_is_sound_and_keeps_what_is_whole_when_it_is_damaged() {
    let place = Place::new();
    for _ in 0..2 {
        let (ledger, run) = place.begin().await;
        let end = crate::RunEnded {
            exit_code: 0,
            text: "done".into(),
        };
        ledger.append(run, end).await.unwrap();
        ledger.close().await;
    }
    let (ledger, run) = place.begin().await;
    let keep = crate::Keep {
        newest: 1,
        since: None,
    };
    let pruned = crate::prune(&ledger, run, keep).await.unwrap();
    assert_eq!(pruned.runs.len(), 2);
    for number in 1..=200 {
        let call = sample::requested(CallId::new(run, number));
        ledger.note(run, call).await.unwrap();
    }
    ledger.close().await;
    let (ledger, _) = place.begin().await;
    ledger.close().await;
    let verified = place.reader().verify().unwrap();
    assert!(verified.is_sound(), "{verified:?}");

    let bytes = std::fs::read(&place.path).unwrap();
    std::fs::write(&place.path, &bytes[..bytes.len() / 4096 / 2 * 4096]).unwrap();
    let (ledger, report) = place.open();
    let kept = report.set_aside.unwrap().records_kept;
    assert!(kept > 20, "only {kept} records were kept");
    ledger.begin_run(sample::run_start()).await.unwrap();
    let verified = place.reader().verify().unwrap();
    assert!(verified.is_sound(), "{verified:?}");
}

/// The end of the database is gone, as when the last frames of its log are torn: all that was recorded behind `kept`
/// records of each run.
fn cut(place: &Place, kept: u64) {
    let raw = place.raw();
    let guard = "records_are_never_removed";
    let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    let guarded: String = raw.query_row(sql, [guard], |row| row.get(0)).unwrap();
    raw.execute_batch(&format!("DROP TRIGGER {guard}")).unwrap();
    raw.execute("DELETE FROM records WHERE number > ?1", [kept])
        .unwrap();
    raw.execute_batch(&guarded).unwrap();
}

#[tokio::test]
async fn law_20_each_run_that_lost_its_end_is_known_for_good_by_every_later_leader() {
    let place = Place::new();
    let (one, first) = place.begin().await;
    let (two, second) = place.begin().await;
    let (three, whole) = place.begin().await;
    for number in 1..=3 {
        for (ledger, run) in [(&one, first), (&two, second)] {
            let call = sample::requested(CallId::new(run, number));
            ledger.append(run, call).await.unwrap();
        }
    }
    for ledger in [one, two, three] {
        die(ledger).await;
    }
    cut(&place, 2);
    let found = |damage: Vec<crate::ChainDamage>| -> Vec<_> {
        let damage = damage.into_iter();
        damage.map(|damage| (damage.run, damage.number)).collect()
    };
    let lost = [(first, 4), (second, 4)];
    assert_eq!(found(place.reader().verify().unwrap().damage), lost);
    let (ledger, report) = place.open();
    assert_eq!(found(report.damaged), lost);
    ledger.close().await;
    // Whoever leads in between, nothing of it is forgotten, and it is told but once at a start.
    for _ in 0..2 {
        let (ledger, _) = place.begin().await;
        ledger.close().await;
        let (ledger, report) = place.open();
        assert_eq!(found(report.damaged), []);
        ledger.close().await;
        let reader = place.reader();
        let verified = reader.verify().unwrap();
        assert_eq!(found(verified.lost.clone()), lost);
        assert_eq!(found(verified.faults().cloned().collect()), lost);
        assert!(!verified.is_sound());
        for run in [first, second] {
            assert_eq!(found(reader.unknown_of_run(run).unwrap()), [(run, 4)]);
        }
        assert_eq!(found(reader.unknown_of_run(whole).unwrap()), []);
    }
}

#[tokio::test]
async fn law_23_a_run_that_lost_its_end_is_pruned_and_takes_the_loss_with_it() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=3 {
        let call = sample::requested(CallId::new(run, number));
        ledger.append(run, call).await.unwrap();
    }
    die(ledger).await;
    cut(&place, 2);
    let (ledger, care) = place.begin().await;
    let keep = |newest| crate::Keep {
        newest,
        since: None,
    };
    let none = crate::prune(&ledger, care, keep(2)).await.unwrap();
    assert_eq!(none.runs, []);
    assert!(!place.reader().verify().unwrap().is_sound());
    let pruned = crate::prune(&ledger, care, keep(0)).await.unwrap();
    assert_eq!(pruned.runs, [run]);
    let verified = place.reader().verify().unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    ledger.close().await;
    let (_ledger, report) = place.open();
    assert_eq!(report.damaged, []);
}

#[tokio::test]
async fn law_20_a_run_that_lost_its_end_with_a_database_that_was_set_aside_has_lost_it_for_good() {
    let (place, run) = written(200).await;
    let bytes = std::fs::read(&place.path).unwrap();
    std::fs::write(&place.path, &bytes[..bytes.len() / 2]).unwrap();
    let (ledger, report) = place.open();
    assert!(report.set_aside.is_some());
    ledger.close().await;
    let reader = place.reader();
    assert_eq!(reader.unknown_of_run(run).unwrap().len(), 1);
    assert!(reader.verify().unwrap().is_sound());
}

#[tokio::test]
async fn what_a_run_follows_is_no_fault_of_its_own_records() {
    let (place, _) = written(5).await;
    let raw = place.raw();
    forget_triggers(&raw);
    raw.execute("DELETE FROM records WHERE run = 1 AND number > 3", [])
        .unwrap();
    let second = RunId::new(2).unwrap();
    let reader = place.reader();
    let damage = reader.verify().unwrap().damage;
    let of_second = damage.iter().filter(|damage| damage.run == second);
    assert_eq!(of_second.count(), 1, "{damage:?}");
    assert_eq!(reader.unknown_of_run(second).unwrap(), []);
}

#[tokio::test]
async fn a_damaged_database_is_told_by_the_run_that_is_taken_up_after_it() {
    let place = Place::new();
    let (ledger, first) = place.begin().await;
    die(ledger).await;
    let (ledger, second) = place.begin().await;
    for number in 1..=200 {
        let call = sample::requested(CallId::new(second, number));
        ledger.note(second, call).await.unwrap();
    }
    die(ledger).await;
    let bytes = std::fs::read(&place.path).unwrap();
    std::fs::write(&place.path, &bytes[..bytes.len() / 2]).unwrap();
    let (ledger, report) = place.open();
    assert!(report.set_aside.is_some());
    let held = ledger.hold_run(first).await.unwrap();
    held.resume().await.unwrap();
    let told = place.reader().records(&Filter {
        kinds: vec![RecordKind::SetAside],
        ..Filter::of_run(first)
    });
    assert_eq!(told.unwrap().records.len(), 1);
    assert_eq!(place.reader().unknown_of_run(first).unwrap(), []);
}

/// A bit that turned over in a row and not in the index over it.
#[tokio::test]
async fn the_pages_of_a_run_come_to_an_end_where_the_number_of_a_pages_last_record_is_too_low() {
    let (place, run) = written(300).await;
    let raw = place.raw();
    let index = "records_in_run";
    let sql = "SELECT rootpage, sql FROM sqlite_schema WHERE name = ?1";
    let (root, made): (i64, String) = raw
        .query_row(sql, [index], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    raw.execute_batch("PRAGMA writable_schema = ON").unwrap();
    raw.execute("DELETE FROM sqlite_schema WHERE name = ?1", [index])
        .unwrap();
    drop(raw);
    let raw = place.raw();
    forget_triggers(&raw);
    raw.execute("UPDATE records SET number = 1 WHERE seq = 256", [])
        .unwrap();
    raw.execute_batch("PRAGMA writable_schema = ON").unwrap();
    raw.execute(
        "INSERT INTO sqlite_schema VALUES ('index', ?1, 'records', ?2, ?3)",
        rusqlite::params![index, root, made],
    )
    .unwrap();
    drop(raw);
    let reader = place.reader();
    let mut pages = Pages::of(Filter::of_run(run));
    let mut seqs = Vec::new();
    // Two whole ones and what is left.
    for _ in 0..3 {
        let page = pages.next(&reader).unwrap().unwrap();
        seqs.extend(page.records.iter().map(|record| record.seq.0));
        seqs.extend(page.unreadable.iter().map(|record| record.seq.0));
    }
    assert!(pages.next(&reader).unwrap().is_none());
    assert!(seqs.len() > 512, "{}", seqs.len());
    let all: Vec<i64> = (1..).take(seqs.len()).collect();
    assert_eq!(seqs, all);
}
