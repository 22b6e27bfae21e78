//! A leader, its workers and those who answer, simulated whole: the real table, mailbox, desk, handlers
//! and race, on a clock that jumps, a network that breaks and a disk that dies, all of it drawn from one
//! seed. The same seed leads to the same run.
//!
//! `scripts/simulate` runs many seeds, or one with all that happened in it.

mod leader;
mod lot;
mod network;
mod people;
mod witness;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use pointsman_ledger::{Clock, LedgerReader};
use pointsman_model::{Insistence, Millis, PermissionRequest, RunId, WallTime, WorkerId};
use tokio::time::{Instant, sleep, timeout};

use self::leader::{Leader, World};
use self::lot::Lot;
use self::network::Network;
use self::witness::Witness;
use self::worker::Worker;
use crate::fixture::question;

/// How many seeds are run, when that is set.
const RUNS: &str = "POINTSMAN_SIM_RUNS";

/// The first seed, when that is set.
const FIRST: &str = "POINTSMAN_SIM_FIRST";

/// The one seed to run, with its trace, when that is set.
const SEED: &str = "POINTSMAN_SIM_SEED";

/// How many seeds are run when nothing is set.
const RUNS_SHORT: u64 = 40;

/// Longer than anything may take in a run.
const TIME_MAX: Duration = Duration::from_secs(12 * 3600);

/// How long a request waits at most.
const PATIENCE_MAX: u64 = 120_000;

/// A wall clock that goes with the virtual time, and is set forwards and backwards.
pub(crate) struct SimClock {
    origin: Instant,
    offset: AtomicI64,
}

impl SimClock {
    fn jump(&self, millis: i64) {
        self.offset.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for SimClock {
    fn now(&self) -> WallTime {
        let passed = i64::try_from(self.origin.elapsed().as_millis()).unwrap();
        WallTime(1_800_000_000_000 + passed + self.offset.load(Ordering::SeqCst))
    }
}

/// What a run came to.
struct Outcome {
    trace: Vec<String>,
    asked: usize,
    answers: usize,
    leaders: u32,
    workers: u32,
    verdict: Result<(), String>,
}

/// Runs one seed from beginning to end.
fn run(seed: u64) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("ledger.db");
    let (witness, run, in_time) = runtime.block_on(async {
        let lot = Lot::new(seed);
        let world = World {
            clock: Arc::new(SimClock {
                origin: Instant::now(),
                offset: AtomicI64::new(0),
            }),
            witness: Witness::default(),
            database: Arc::from(database.as_path()),
            lot,
        };
        let mut stage = Stage::new(world, &database).await;
        let in_time = timeout(TIME_MAX, stage.play()).await.is_ok();
        let run = stage.run;
        let witness = stage.world.witness.clone();
        stage.end().await;
        (witness, run, in_time)
    });
    drop(runtime);
    // Whoever opens it next closes what the last leader left.
    let closed =
        pointsman_ledger::HandWriter::open(&database, Arc::new(pointsman_ledger::SystemClock));
    drop(closed.unwrap());
    let reader = LedgerReader::open(&database).unwrap();
    witness.see(|seen| Outcome {
        verdict: match in_time {
            true => witness::check(seen, &reader, run),
            false => Err("hanging: the run did not come to its end".into()),
        },
        asked: seen.asked.len(),
        answers: seen.given.len(),
        leaders: seen.leaders,
        workers: seen.workers,
        trace: std::mem::take(&mut seen.trace),
    })
}

/// The leader of the moment, the workers of the moment, and what befalls them.
struct Stage {
    world: World,
    database: std::path::PathBuf,
    network: Network,
    run: RunId,
    leader: Option<Leader>,
    workers: Vec<Worker>,
    /// The next number of a request.
    next: u32,
}

impl Stage {
    async fn new(world: World, database: &std::path::Path) -> Self {
        let network = Network::new(&world.lot);
        let own = 1 + u32::try_from(world.lot.below(8)).unwrap();
        let leader = loop {
            // It may die at its first breath; then the run has not begun, and begins with the next.
            let start = Leader::start(&world, database, None, &[], 1..own);
            match timeout(Duration::from_secs(30), start).await {
                Ok(leader) => break leader,
                Err(_) => world.witness.note("a leader died as it began".into()),
            }
        };
        network.leader_is(Some(leader.office.clone()));
        let mut stage = Self {
            run: leader.run,
            database: database.into(),
            network,
            leader: Some(leader),
            workers: Vec::new(),
            next: own,
            world,
        };
        for number in 2..=2 + u32::try_from(stage.world.lot.below(4)).unwrap() {
            stage.start_worker(number).await;
        }
        stage
    }

    async fn start_worker(&mut self, number: u32) {
        let worker = WorkerId::new(self.run, number);
        let Some(office) = self.network.office() else {
            return;
        };
        let admitted = timeout(Duration::from_secs(5), office.admit(worker)).await;
        let Ok(Ok(pass)) = admitted else {
            return;
        };
        let count = 1 + u32::try_from(self.world.lot.below(12)).unwrap();
        let numbers = self.next..self.next + count;
        self.next += count;
        let worker = Worker::start(&self.world, &self.network, self.run, pass, numbers);
        self.workers.push(worker);
    }

    /// Until every worker was told everything: time passes, and things happen.
    async fn play(&mut self) {
        while !self.workers.is_empty() {
            let pause = self.world.lot.up_to(40_000);
            let died = self.leader.as_ref().map(|leader| leader.died.clone());
            let mut died_by_itself = false;
            tokio::select! {
                biased;
                () = all_finished(&mut self.workers) => {}
                () = async {
                    match &died {
                        Some(died) => died.cancelled().await,
                        None => std::future::pending().await,
                    }
                } => died_by_itself = true,
                () = sleep(pause) => {}
            }
            if died_by_itself {
                self.new_leader().await;
            } else {
                self.happen().await;
            }
        }
    }

    async fn happen(&mut self) {
        let lot = self.world.lot.clone();
        match lot.below(10) {
            0 | 1 => {
                self.world.witness.note("the leader is killed".into());
                self.new_leader().await;
            }
            2 if !self.workers.is_empty() => {
                let at = usize::try_from(lot.below(self.workers.len() as u64)).unwrap();
                let number = self.workers.swap_remove(at).pass.worker.number();
                self.world
                    .witness
                    .note(format!("worker {number} is killed"));
                if lot.percent(50) {
                    sleep(lot.up_to(60_000)).await;
                    self.start_worker(number).await;
                }
            }
            3 => self.world.clock.jump(3_600_000),
            4 => self.world.clock.jump(-3_600_000),
            5 => self.world.clock.jump(8 * 3_600_000),
            _ => {}
        }
    }

    /// The leader is dead, at the latest now; after a while another one takes the run up.
    async fn new_leader(&mut self) {
        self.network.leader_is(None);
        self.leader = None;
        loop {
            sleep(self.world.lot.up_to(40_000)).await;
            let passes: Vec<_> = self
                .workers
                .iter()
                .map(|worker| worker.pass.clone())
                .collect();
            let start = Leader::start(&self.world, &self.database, Some(self.run), &passes, 0..0);
            match timeout(Duration::from_secs(30), start).await {
                Ok(leader) => {
                    self.network.leader_is(Some(leader.office.clone()));
                    self.leader = Some(leader);
                    return;
                }
                Err(_) => self.world.witness.note("a leader died as it began".into()),
            }
        }
    }

    async fn end(mut self) {
        self.workers.clear();
        if let Some(leader) = self.leader.take() {
            leader.end().await;
        }
    }
}

/// Waits until all that every worker asked was told; the workers are gone then.
async fn all_finished(workers: &mut Vec<Worker>) {
    for worker in workers.iter_mut() {
        worker.finished().await;
    }
    workers.clear();
}

/// A question of that worker, which waits some time and may have to be answered by a person.
fn request_of(
    run: RunId,
    worker: u32,
    number: u32,
    clock: &SimClock,
    lot: &Lot,
) -> PermissionRequest {
    let patience = Millis(1_000 + lot.below(PATIENCE_MAX));
    let mut request = question(run, worker, number, clock.now(), patience);
    if lot.percent(20) {
        request.judgement.insistence = Insistence::MustAsk;
    }
    request
}

fn number_in(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|number| number.parse().unwrap())
}

#[test]
fn simulated_runs_lose_nothing_double_nothing_misapply_nothing_and_hang_never() {
    if let Some(seed) = number_in(SEED) {
        let outcome = run(seed);
        for line in &outcome.trace {
            println!("{line}");
        }
        assert_eq!(outcome.verdict, Ok(()), "seed {seed}");
        return;
    }
    let first = number_in(FIRST).unwrap_or(0);
    let runs = number_in(RUNS).unwrap_or(RUNS_SHORT);
    let (mut asked, mut answers, mut leaders, mut workers) = (0, 0, 0, 0);
    let mut failed = Vec::new();
    for seed in first..first + runs {
        let outcome = run(seed);
        asked += outcome.asked;
        answers += outcome.answers;
        leaders += outcome.leaders;
        workers += outcome.workers;
        if let Err(why) = outcome.verdict {
            println!("seed {seed}: {why}\n  replay it: scripts/simulate --seed {seed}");
            failed.push(seed);
        }
        if (seed - first + 1).is_multiple_of(1000) {
            println!("{} runs so far", seed - first + 1);
        }
    }
    println!(
        "{runs} runs: {asked} questions of {workers} workers, {answers} answers, {leaders} leaders; {} failed",
        failed.len()
    );
    assert!(failed.is_empty(), "seeds {failed:?} failed");
}

#[test]
fn the_same_seed_leads_to_the_same_run() {
    for seed in 0..4 {
        let (one, two) = (run(seed), run(seed));
        assert_eq!(one.trace, two.trace, "seed {seed}");
    }
}
