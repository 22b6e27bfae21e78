use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pointsman_model::{
    CallId, CallState, JsonText, Outcome, RequestId, RequestedCall, ToolName, VerdictKind, WorkerId,
};

use super::{Place, sample};
use crate::{
    AppendError, CallEnded, CallLeft, CallRequested, Filter, Ledger, OpenError, RecordBody,
    RecordKind, WorkerEnd, WorkerEnded,
};

fn open_error(path: &Path) -> OpenError {
    Ledger::open(path, sample::clock()).err().unwrap()
}

#[tokio::test]
async fn a_full_disk_is_a_clear_error_and_nothing_promised_is_lost() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let call = CallId::new(run, 1);
    ledger.append(run, sample::requested(call)).await.unwrap();
    // The database may not grow beyond what it has; for SQLite that is the same as a full disk.
    ledger.limit_pages(30).await;
    let mut promised = 2_u32;
    let full = loop {
        let call = CallId::new(run, promised);
        match ledger.append(run, sample::requested(call)).await {
            Ok(_) => promised += 1,
            Err(error) => break error,
        }
        assert!(promised < 10_000, "the disk was never full");
    };
    assert!(matches!(full, AppendError::Full(_)), "{full:?}");
    assert_eq!(
        full.to_string(),
        format!(
            "no space is left for the ledger `{}`: free some space and try again",
            place.path.display()
        )
    );
    assert!(ledger.failing().is_some());
    let note = sample::requested(CallId::new(run, promised));
    assert!(
        ledger.note(run, note).await.is_err(),
        "a note that can't be kept was taken"
    );

    ledger.limit_pages(1 << 20).await;
    let call = CallId::new(run, promised);
    ledger.append(run, sample::requested(call)).await.unwrap();
    assert!(ledger.failing().is_none());
    let kept = place.reader().records(&Filter {
        kinds: vec![RecordKind::CallRequested],
        ..Filter::of_run(run)
    });
    assert_eq!(kept.unwrap().records.len(), promised as usize);
    assert!(place.reader().verify().unwrap().is_sound());
}

#[tokio::test]
async fn a_note_that_was_lost_leaves_its_mark_in_the_chain() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    ledger.limit_pages(1).await;
    let large = |number| CallRequested {
        worker: WorkerId::new(run, 1),
        call: RequestedCall {
            id: CallId::new(run, number),
            tool: ToolName::parse("Bash").unwrap(),
            input: large_input(),
        },
    };
    // Two notes are queued before the first failure is known.
    for number in 1..=2 {
        let _ = ledger.note(run, large(number)).await;
    }
    ledger.append(run, large(3)).await.unwrap_err();
    ledger.limit_pages(1 << 20).await;
    let call = sample::requested(CallId::new(run, 4));
    ledger.append(run, call).await.unwrap();
    let records = place
        .reader()
        .records(&Filter::of_run(run))
        .unwrap()
        .records;
    let lost: Vec<_> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::RecordsLost(lost) => Some(lost),
            _ => None,
        })
        .collect();
    assert_eq!(lost.len(), 1);
    assert!((1..=2).contains(&lost[0].count), "{lost:?}");
    assert!(lost[0].why.contains("no space is left"), "{lost:?}");
    assert!(place.reader().verify().unwrap().is_sound());
}

/// The ends of calls and agents are told nevertheless, so they come on record, in their order, as soon as that can be.
#[tokio::test]
async fn ends_that_could_not_be_written_are_written_when_there_is_space_again() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    ledger.limit_pages(1).await;
    let ended = |number: u32| CallEnded {
        worker: WorkerId::new(run, 1),
        call: CallId::new(run, number),
        state: CallState::Error,
        outcome: Some(Outcome::Unavailable),
        // Large enough for no free page to take it in.
        text: "x".repeat(1 << 20).into(),
        exit_code: None,
        took: None,
        left: CallLeft::default(),
    };
    ledger.append(run, ended(1)).await.unwrap_err();
    ledger.note(run, ended(2)).await.unwrap_err();
    let worker = WorkerEnded {
        worker: WorkerId::new(run, 1),
        end: WorkerEnd::Halted,
        text: "x".into(),
    };
    ledger.append(run, worker.clone()).await.unwrap_err();
    let expect = [ended(1).into(), ended(2).into(), worker.into()];
    assert_eq!(ledger.settle(run).await.unwrap(), expect);
    assert_eq!(
        ledger.settle(run).await.unwrap(),
        expect,
        "given away before it was written"
    );

    ledger.limit_pages(1 << 20).await;
    assert_eq!(ledger.settle(run).await.unwrap(), []);
    assert!(ledger.failing().is_none());
    let call = sample::requested(CallId::new(run, 3));
    ledger.append(run, call).await.unwrap();
    let records = place.reader().records(&Filter {
        kinds: vec![
            RecordKind::CallEnded,
            RecordKind::WorkerEnded,
            RecordKind::RecordsLost,
        ],
        ..Filter::of_run(run)
    });
    let records = records.unwrap().records.into_iter();
    let bodies: Vec<_> = records.map(|record| record.body).collect();
    assert_eq!(bodies, expect);
    assert!(place.reader().verify().unwrap().is_sound());
}

/// Large enough for no free page to take it in.
fn large_input() -> JsonText {
    JsonText::parse(&format!(r#"{{"command":"{}"}}"#, "x".repeat(1 << 20))).unwrap()
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let path = file.join("ledger.db");
    let error = open_error(&path);
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains(&*path.to_string_lossy()));
}

#[tokio::test]
async fn a_ledger_of_a_newer_pointsman_and_a_foreign_file_are_left_alone() {
    let place = Place::new();
    // Its writer has let go of the files, and moves nothing from one to the other any more.
    place.open().0.close().await;
    let raw = place.raw();
    raw.pragma_update(None, "user_version", 7).unwrap();
    drop(raw);
    let before = std::fs::read(&place.path).unwrap();
    let newer = open_error(&place.path);
    assert!(
        matches!(newer, OpenError::Newer { version: 7, .. }),
        "{newer:?}"
    );
    assert_eq!(std::fs::read(&place.path).unwrap(), before);

    let place = Place::new();
    std::fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    place.raw().execute("CREATE TABLE songs (x)", []).unwrap();
    let foreign = open_error(&place.path);
    assert!(matches!(foreign, OpenError::Foreign(_)), "{foreign:?}");
}

#[test]
fn the_ledger_is_the_users_alone() {
    let place = Place::new();
    let (ledger, _) = place.open();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.path), 0o600);
    assert_eq!(mode(place.path.parent().unwrap()), 0o700);
    drop(ledger);
}

/// A verdict that somebody waits for counts only when it is on disk; the end of a question that was told without that
/// comes on record as soon as it can.
#[tokio::test]
async fn the_end_of_a_request_that_was_told_is_written_when_there_is_space_again() {
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    let (id, call) = (RequestId::new(run, 1), CallId::new(run, 1));
    ledger.append(run, sample::opened(id, call)).await.unwrap();
    ledger.limit_pages(1).await;
    let closed = |text: &str| {
        let mut closed = sample::closed(id, call);
        let outcome = Outcome::Unavailable;
        // Large enough for no free page to take it in.
        let text = format!("{text}{}", "x".repeat(1 << 20)).into();
        closed.verdict.kind = VerdictKind::Ended { outcome, text };
        closed
    };
    ledger.append(run, closed("waited for")).await.unwrap_err();
    ledger.keep_close(closed("told")).await.unwrap();
    assert_eq!(ledger.settle(run).await.unwrap(), []);
    assert!(ledger.failing().is_some());
    ledger.limit_pages(1 << 20).await;
    ledger.settle(run).await.unwrap();
    assert!(ledger.failing().is_none());
    let closings = place.reader().records(&Filter {
        kinds: vec![RecordKind::RequestClosed],
        ..Filter::of_run(run)
    });
    let closings = closings.unwrap().records.into_iter();
    let closings: Vec<_> = closings.map(|record| record.body).collect();
    assert_eq!(closings, [closed("told").into()]);
}
