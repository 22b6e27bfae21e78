//! Care: old files open, old runs go, and the chains stay verifiable.

use pointsman_model::{CallId, GroupFacts};

use super::{Place, sample};
use crate::{
    Compacted, Filter, Keep, Ledger, ProcessGroupEnded, ProcessGroupStarted, PruneError,
    PruneReport, RecordBody, RecordKind, RunEnded, RunStart, compact, prunable, prune,
};

/// Ends a run with some records.
async fn a_run(ledger: &Ledger) -> pointsman_model::RunId {
    let run = ledger.begin_run(sample::run_start()).await.unwrap();
    for number in 1..=3 {
        let call = CallId::new(run, number);
        ledger.append(run, sample::requested(call)).await.unwrap();
    }
    let ended = RunEnded {
        exit_code: 0,
        text: "done".into(),
    };
    ledger.append(run, ended).await.unwrap();
    run
}

/// The start of a run that has no jobs.
fn of_care() -> RunStart {
    RunStart {
        job_file: None,
        job_file_digest: None,
        ..sample::run_start()
    }
}

fn keep(newest: u32) -> Keep {
    Keep {
        newest,
        since: None,
    }
}

#[tokio::test]
async fn pruned_runs_are_gone_and_the_rest_verifies() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(a_run(&ledger).await);
    }
    // A pruning is a run of its own without jobs, and takes nobody's place among the newest.
    let care = ledger.begin_run(of_care()).await.unwrap();
    let would = prunable(&place.reader(), keep(3)).unwrap();
    assert_eq!((would.runs.as_slice(), would.records), (&runs[..3], 15));
    let pruned = prune(&ledger, care, keep(3)).await.unwrap();
    assert_eq!(pruned, would);
    // Once more, with the record of the first time still to be known.
    let again = a_run(&ledger).await;
    let later = ledger.begin_run(of_care()).await.unwrap();
    let ended = RunEnded {
        exit_code: 0,
        text: "pruned".into(),
    };
    ledger.append(care, ended).await.unwrap();
    let pruned = prune(&ledger, later, keep(2)).await.unwrap();
    assert_eq!(pruned.runs, [runs[3], runs[4]]);
    ledger.close().await;
    let reader = place.reader();
    let report = reader.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    let left: Vec<_> = reader.runs().unwrap().iter().map(|run| run.run).collect();
    assert_eq!(left, [runs[5], care, again, later]);
    // No number is given twice.
    let (_ledger, next) = place.begin().await;
    assert!(next > later);
}

/// What is pruned may hold secrets: nothing of it is left in the files, and its room is given back unless somebody has
/// the ledger open, who would take a file that shrinks for a damaged one.
#[tokio::test]
async fn what_is_pruned_is_gone_from_the_files_too() {
    const SECRET: &str = "hunter2-hunter2-hunter2";
    let place = Place::new();
    let (ledger, _) = place.open();
    let run = ledger.begin_run(sample::run_start()).await.unwrap();
    for _ in 0..400 {
        let ended = RunEnded {
            exit_code: 0,
            text: SECRET.into(),
        };
        ledger.append(run, ended).await.unwrap();
    }
    let care = ledger.begin_run(of_care()).await.unwrap();
    let found = |place: &Place| {
        let files = ["", "-wal"].map(|end| {
            let mut file = place.path.as_os_str().to_owned();
            file.push(end);
            std::fs::read(file).unwrap_or_default()
        });
        let lies_in = |bytes: &Vec<u8>| {
            let mut windows = bytes.windows(SECRET.len());
            windows.any(|window| window == SECRET.as_bytes())
        };
        (files.iter().any(lies_in), files[0].len())
    };
    assert!(found(&place).0);
    prune(&ledger, care, keep(0)).await.unwrap();
    assert_eq!(compact(&place.path).unwrap(), Compacted::InUse);
    let ended = RunEnded {
        exit_code: 0,
        text: "pruned".into(),
    };
    ledger.append(care, ended).await.unwrap();
    ledger.close().await;
    drop(ledger);
    let before = found(&place).1;
    assert_eq!(compact(&place.path).unwrap(), Compacted::Yes);
    let (left, after) = found(&place);
    assert!(!left && after * 2 < before, "{after} of {before} bytes");
    assert!(place.reader().verify().unwrap().is_sound());
}

#[tokio::test]
async fn a_run_that_goes_without_a_record_of_it_is_found() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let first = a_run(&ledger).await;
    a_run(&ledger).await;
    ledger.close().await;
    let raw = place.raw();
    raw.execute_batch(&format!(
        "DROP TRIGGER records_are_never_removed; DROP TRIGGER runs_are_never_removed;
         DELETE FROM records WHERE run = {0}; DELETE FROM runs WHERE number = {0};",
        first.number()
    ))
    .unwrap();
    let report = place.reader().verify().unwrap();
    // By the run that follows it, and by the note of what was recorded.
    assert_eq!(report.damage.len(), 2, "{report:?}");
    assert!(report.damage[0].why.contains("missing or another"));
    assert_eq!(report.damage[1].run, first);
}

#[tokio::test]
async fn nothing_is_pruned_from_a_damaged_ledger_and_no_live_run_is() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let live = ledger.begin_run(sample::run_start()).await.unwrap();
    a_run(&ledger).await;
    let care = ledger.begin_run(sample::run_start()).await.unwrap();
    let would = prunable(&place.reader(), keep(0)).unwrap();
    assert!(
        !would.runs.contains(&live) && !would.runs.contains(&care),
        "{would:?}"
    );
    place
        .raw()
        .execute_batch(
            "DROP TRIGGER records_are_never_changed;
             UPDATE records SET at = at + 1 WHERE seq = 2;",
        )
        .unwrap();
    let refused = prune(&ledger, care, keep(0)).await;
    assert!(
        matches!(refused, Err(PruneError::Damaged(_))),
        "{refused:?}"
    );
}

/// What a process group is found by after its leader was killed is on record of its run alone.
#[tokio::test]
async fn law_21_a_run_with_a_group_that_may_live_is_not_pruned() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let run = ledger.begin_run(sample::run_start()).await.unwrap();
    let group = GroupFacts {
        pgid: 4_711,
        started_ticks: 99,
        boot: "boot".into(),
        mark: "mark".into(),
    };
    let started = ProcessGroupStarted {
        worker: None,
        call: None,
        group: group.clone(),
        program: "/bin/sleep".into(),
    };
    ledger.append(run, started).await.unwrap();
    let ended = RunEnded {
        exit_code: 0,
        text: "done".into(),
    };
    ledger.append(run, ended).await.unwrap();
    let care = ledger.begin_run(of_care()).await.unwrap();
    let pruned = prune(&ledger, care, keep(0)).await.unwrap();
    assert_eq!(pruned, PruneReport::default());
    // One without goes, and the record of it tells of that one alone.
    let other = a_run(&ledger).await;
    let pruned = prune(&ledger, care, keep(0)).await.unwrap();
    assert_eq!((pruned.runs.as_slice(), pruned.records), (&[other][..], 5));
    let recorded = Filter {
        kinds: vec![RecordKind::RunsPruned],
        ..Filter::of_run(care)
    };
    let recorded = place.reader().records(&recorded).unwrap().records;
    let RecordBody::RunsPruned(recorded) = &recorded[0].body else {
        panic!("{recorded:?}");
    };
    assert_eq!((&recorded.runs, recorded.records), (&pruned.runs, 5));
    let ended = ProcessGroupEnded {
        call: None,
        group,
        text: "killed".into(),
    };
    ledger.append(care, ended).await.unwrap();
    let pruned = prune(&ledger, care, keep(0)).await.unwrap();
    assert_eq!(pruned.runs, [run]);
}

#[tokio::test]
async fn a_file_of_the_first_version_opens_and_is_brought_up_to_date() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let run = a_run(&ledger).await;
    ledger.close().await;
    drop(ledger);
    let raw = place.raw();
    raw.execute_batch("DROP INDEX records_of_worker; PRAGMA user_version = 1;")
        .unwrap();
    drop(raw);
    // Whoever only reads takes it as it is.
    assert!(place.reader().verify().unwrap().is_sound());
    let (ledger, _) = place.open();
    a_run(&ledger).await;
    ledger.close().await;
    let raw = place.raw();
    let version: i64 = raw
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    let indexes: i64 = raw
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'records_of_worker'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!((version, indexes), (2, 1));
    let reader = place.reader();
    assert!(reader.verify().unwrap().is_sound());
    let kinds = Filter {
        kinds: vec![RecordKind::RunEnded],
        ..Filter::of_run(run)
    };
    let found = reader.records(&kinds).unwrap().records;
    assert!(matches!(&found[0].body, RecordBody::RunEnded(_)));
}
