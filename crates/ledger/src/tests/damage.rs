use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;

use pointsman_model::{CallId, RunId};
use rusqlite::Connection;

use super::{Place, die, sample};
use crate::{Filter, RecordBody, RecordKind, VerifyReport};

/// A ledger of two runs, with `records` calls in the first, closed.
async fn written(records: u32) -> (Place, RunId) {
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
async fn a_flipped_bit_in_any_record_is_found_and_the_others_are_still_given() {
    let (place, run) = written(60).await;
    let raw = place.raw();
    forget_triggers(&raw);
    for number in 2..=61_u32 {
        let at = number % 40 + 8;
        raw.execute(
            "UPDATE records SET body =
               substr(body, 1, ?2) || char(unicode(substr(body, ?2 + 1, 1)) ^ 1) || substr(body, ?2 + 2)
             WHERE run = 1 AND number = ?1"
                // SQLite knows no exclusive or.
                .replace("char(unicode(substr(body, ?2 + 1, 1)) ^ 1)",
                    "char((unicode(substr(body, ?2 + 1, 1)) | 1) - (unicode(substr(body, ?2 + 1, 1)) & 1))")
                .as_str(),
            [number, at],
        )
        .unwrap();
        let report = place.reader().verify().unwrap();
        let hurt: Vec<_> = report.damage.iter().map(|damage| damage.number).collect();
        assert!(
            hurt.contains(&u64::from(number)),
            "bit in {number}: {hurt:?}"
        );
    }
    let list = place.reader().records(&Filter::of_run(run)).unwrap();
    assert!(!list.records.is_empty());
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

/// Whatever is done to the file, opening it must give a ledger that works, with a valid part of the old one, and no
/// run's number twice.
#[track_caller]
fn check_set_aside(place: &Place, what: &str, first: RunId) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (ledger, report) = place.open();
        let next = ledger.begin_run(sample::run_start()).await.unwrap();
        assert!(next.number() > 2, "{what}: {next} was used before");
        let call = sample::requested(CallId::new(next, 1));
        ledger.append(next, call).await.unwrap();
        let verified = place.reader().verify().unwrap();
        if let Some(aside) = &report.set_aside {
            assert!(aside.file.exists(), "{what}: nothing was kept");
            assert!(verified.is_sound(), "{what}: {verified:?}");
            let told = place.reader().records(&Filter {
                kinds: vec![RecordKind::SetAside],
                ..Filter::of_run(next)
            });
            let told = told.unwrap().records;
            assert_eq!(told.len(), 1, "{what}");
            let RecordBody::SetAside(said) = &told[0].body else {
                panic!("{what}: {told:?}");
            };
            assert_eq!(said.head, aside.head, "{what}");
            // What was kept is a part from the beginning, nothing in between is missing.
            let old = place.reader().records(&Filter::of_run(first)).unwrap();
            let numbers: Vec<_> = old.records.iter().map(|record| record.number).collect();
            let expected: Vec<_> = (1..=numbers.len() as u64).collect();
            assert_eq!(numbers, expected, "{what}");
        }
        ledger.close().await;
    });
}

/// The file that keeps the highest number of a run for a database that can't.
fn note_beside(place: &Place) -> std::path::PathBuf {
    crate::salvage::beside(&place.path, ".lock")
}

#[test]
fn a_file_cut_at_any_page_is_set_aside_and_work_goes_on() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (place, run) = runtime.block_on(written(200));
    let whole = fs::read(&place.path).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 20, "too small to be cut: {pages} pages");
    for page in 0..pages {
        let cut = Place::new();
        fs::create_dir_all(cut.path.parent().unwrap()).unwrap();
        fs::write(&cut.path, &whole[..page * 4096]).unwrap();
        fs::copy(note_beside(&place), note_beside(&cut)).unwrap();
        check_set_aside(&cut, &format!("cut at page {page}"), run);
    }
}

#[test]
fn a_file_with_a_garbled_page_never_stops_anyone() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (place, run) = runtime.block_on(written(200));
    let whole = fs::read(&place.path).unwrap();
    for page in 0..whole.len() / 4096 {
        let hurt = Place::new();
        fs::create_dir_all(hurt.path.parent().unwrap()).unwrap();
        fs::write(&hurt.path, &whole).unwrap();
        let file = OpenOptions::new().write(true).open(&hurt.path).unwrap();
        file.write_all_at(&[0xa5; 1024], page as u64 * 4096)
            .unwrap();
        drop(file);
        // As after a crash: the second run's lock is free and its end is missing, so the file is looked at.
        fs::copy(note_beside(&place), note_beside(&hurt)).unwrap();
        check_set_aside(&hurt, &format!("garbled at page {page}"), run);
    }
}

#[tokio::test]
async fn a_torn_write_ahead_log_loses_no_more_than_its_tail() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=40 {
        let call = sample::requested(CallId::new(run, number));
        ledger.append(run, call).await.unwrap();
    }
    // The files as a machine that lost its power would find them.
    let wal = crate::salvage::beside(&place.path, "-wal");
    let (main_bytes, wal_bytes) = (fs::read(&place.path).unwrap(), fs::read(wal).unwrap());
    let frame = 4096 + 24;
    for cut in (wal_bytes.len() - 2 * frame..=wal_bytes.len()).step_by(97) {
        let torn = Place::new();
        fs::create_dir_all(torn.path.parent().unwrap()).unwrap();
        fs::write(&torn.path, &main_bytes).unwrap();
        let torn_wal = crate::salvage::beside(&torn.path, "-wal");
        fs::write(torn_wal, &wal_bytes[..cut]).unwrap();
        let (opened, report) = torn.open();
        assert!(report.set_aside.is_none(), "cut at {cut}: {report:?}");
        assert!(report.damaged.is_empty(), "cut at {cut}: {report:?}");
        let kept = report.dead[0].not_started.len();
        assert!((38..=40).contains(&kept), "cut at {cut}: {kept} of 40 kept");
        drop(opened);
        assert!(torn.reader().verify().unwrap().is_sound(), "cut at {cut}");
    }
}
