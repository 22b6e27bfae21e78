//! Durable appends: alone, and with many who wait at once, beside bare SQLite that syncs as often.

#![expect(
    clippy::expect_used,
    reason = "a bench that can't be set up has nothing to measure"
)]

use std::sync::Arc;

use divan::{Bencher, counter::ItemsCount};
use pointsman_ledger::{Ledger, RecordBody, RunStart, StopAsked, SystemClock};
use pointsman_model::{AbsPath, Attended, RunId};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

struct Place {
    _folder: tempfile::TempDir,
    runtime: Runtime,
    ledger: Ledger,
    run: RunId,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .expect("a runtime");
    let path = folder.path().join("ledger.db");
    let (ledger, _) = Ledger::open(&path, Arc::new(SystemClock)).expect("a ledger");
    let start = RunStart {
        project: AbsPath::root(),
        job_file: None,
        job_file_digest: None,
        job_file_at: None,
        attended: Attended::No,
        version: "0".into(),
    };
    let run = runtime.block_on(ledger.begin_run(start)).expect("a run");
    Place {
        _folder: folder,
        runtime,
        ledger,
        run,
    }
}

/// A record of about 300 bytes.
fn body() -> RecordBody {
    RecordBody::from(StopAsked {
        worker: None,
        reason: "x".repeat(260).into(),
    })
}

#[divan::bench(sample_count = 50)]
fn alone(bencher: Bencher<'_, '_>) {
    let place = place();
    bencher.bench_local(|| {
        place
            .runtime
            .block_on(place.ledger.append(place.run, body()))
            .expect("an append")
    });
}

#[divan::bench(args = [64, 1000, 10_000], sample_count = 20)]
fn all_wait_at_once(bencher: Bencher<'_, '_>, waiters: u32) {
    let place = place();
    bencher.counter(ItemsCount::new(waiters)).bench_local(|| {
        place.runtime.block_on(async {
            let mut appends = tokio::task::JoinSet::new();
            for _ in 0..waiters {
                let (ledger, run) = (place.ledger.clone(), place.run);
                appends.spawn(async move { ledger.append(run, body()).await.map(drop) });
            }
            while let Some(append) = appends.join_next().await {
                append.expect("a task").expect("an append");
            }
        });
    });
}

/// The floor: one transaction of so many rows, without queue, chain or waiters.
#[divan::bench(args = [1, 64, 1000, 10_000], sample_count = 20)]
fn floor_bare_sqlite(bencher: Bencher<'_, '_>, rows: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection =
        rusqlite::Connection::open(folder.path().join("bare.db")).expect("a database");
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "synchronous", "FULL"))
        .and_then(|()| connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)"))
        .expect("a table");
    let text = "x".repeat(300);
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        let tx = connection.transaction().expect("a transaction");
        for _ in 0..rows {
            tx.prepare_cached("INSERT INTO t (b) VALUES (?1)")
                .and_then(|mut insert| insert.execute([&text]))
                .expect("a row");
        }
        tx.commit().expect("a commit");
    });
}
