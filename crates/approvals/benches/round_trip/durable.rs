//! Questions over the durable service, alone and many at once, with others pending.

use std::sync::Arc;

use divan::{Bencher, counter::ItemsCount};
use pointsman_approvals::{Answer, Answered, Requests, RequestsOptions, RequestsService, Ticket};
use pointsman_ledger::{Ledger, RunStart, Showing, SystemClock};
use pointsman_model::{AbsPath, Attended, RunId};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::question::{allow, person, request, runtime};

/// A service over a ledger on disk, with so many requests pending.
struct Durable {
    _folder: tempfile::TempDir,
    runtime: Runtime,
    requests: Requests,
    run: RunId,
    next: u32,
    _pending: Vec<Ticket>,
}

impl Durable {
    fn with_pending(pending: u32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = runtime();
        let path = folder.path().join("ledger.db");
        let clock = Arc::new(SystemClock);
        let (ledger, _) = Ledger::open(&path, clock.clone()).expect("a ledger");
        let start = RunStart {
            project: AbsPath::root(),
            job_file: None,
            job_file_digest: None,
            job_file_at: None,
            attended: Attended::Yes,
            version: "0".into(),
        };
        let run = runtime.block_on(ledger.begin_run(start)).expect("a run");
        let options = RequestsOptions::default();
        let (requests, service) = RequestsService::new(ledger, clock, &options);
        runtime.spawn(service.run(CancellationToken::new()));
        let tickets = runtime.block_on(async {
            let mut opens = tokio::task::JoinSet::new();
            for number in 1..=pending {
                let requests = requests.clone();
                opens.spawn(
                    async move { requests.open(request(run, number), Showing::AtOnce).await },
                );
            }
            opens.join_all().await
        });
        Self {
            _folder: folder,
            runtime,
            requests,
            run,
            next: pending,
            _pending: tickets.into_iter().map(|t| t.expect("a ticket")).collect(),
        }
    }

    /// So many questions opened and answered, all at once.
    fn round_trips(&mut self, count: u32) {
        let from = self.next;
        self.next += count;
        self.runtime.block_on(async {
            let mut trips = tokio::task::JoinSet::new();
            for number in from + 1..=from + count {
                let (requests, run) = (self.requests.clone(), self.run);
                trips.spawn(round_trip(requests, run, number));
            }
            while let Some(trip) = trips.join_next().await {
                trip.expect("a task");
            }
        });
    }
}

async fn round_trip(requests: Requests, run: RunId, number: u32) {
    let open = requests.open(request(run, number), Showing::AtOnce);
    let mut ticket = open.await.expect("a ticket");
    let answer = Answer {
        kind: allow(),
        by: person(),
        digest: None,
    };
    let answered = requests.answer(ticket.id(), answer).await;
    assert!(matches!(answered, Ok(Answered::Won(_))));
    ticket.verdict().await;
}

#[divan::bench(args = [1, 1000, 100_000], sample_count = 20, sample_size = 1)]
fn durable_one_by_pending(bencher: Bencher<'_, '_>, pending: u32) {
    let mut durable = Durable::with_pending(pending);
    bencher.bench_local(|| durable.round_trips(1));
}

#[divan::bench(args = [1000, 10_000], sample_count = 10, sample_size = 1)]
fn durable_many_at_once(bencher: Bencher<'_, '_>, askers: u32) {
    let mut durable = Durable::with_pending(1);
    bencher
        .counter(ItemsCount::new(askers))
        .bench_local(|| durable.round_trips(askers));
}

/// The floor: what SQLite takes for two synced groups of so many rows, one for the questions and one for the verdicts.
#[divan::bench(args = [1000, 10_000], sample_count = 10, sample_size = 1)]
fn floor_bare_sqlite_two_groups(bencher: Bencher<'_, '_>, rows: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection =
        rusqlite::Connection::open(folder.path().join("bare.db")).expect("a database");
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "synchronous", "FULL"))
        .and_then(|()| connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)"))
        .expect("a table");
    // As long as the two records of a question are.
    let texts = ["x".repeat(1400), "x".repeat(300)];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| {
        for text in &texts {
            let tx = connection.transaction().expect("a transaction");
            for _ in 0..rows {
                tx.prepare_cached("INSERT INTO t (b) VALUES (?1)")
                    .and_then(|mut insert| insert.execute([text]))
                    .expect("a row");
            }
            tx.commit().expect("a commit");
        }
    });
}
