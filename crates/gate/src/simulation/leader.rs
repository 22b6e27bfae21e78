//! One life of the leader: the real table, post office, desk and handlers over a ledger whose disk is
//! slow, and which dies when it is told to or between two steps of its disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pointsman_approvals::{
    Grants, Pass, PostOfficeHandle, Reign, Requests, RequestsOptions, RequestsService, in_process,
    post_office,
};
use pointsman_ledger::{
    Clock, Filter, HandWriter, HeldRun, Ledger, LedgerReader, RecordKind, RequestOpened,
    ResumeError, RunStart,
};
use pointsman_model::{
    AbsPath, Attended, NoVoteCause, Outcome, PermissionRequest, RequestId, RunId, VerdictKind,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{HookSettings, Whose};
use pointsman_process::Environment;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::lot::Lot;
use super::people;
use super::witness::{Asked, Told, Witness};
use super::{SimClock, request_of};
use crate::{
    Adjudicator, Classifier, ClassifierVote, CoordinatorHandler, HookPlace, Hooks,
    InteractiveHandler, LeaderRules, LeaderSays, Panel, PermissionHandler,
};

/// What the lives of a leader have in common.
#[derive(Clone)]
pub(super) struct World {
    pub(super) lot: Lot,
    pub(super) clock: Arc<SimClock>,
    pub(super) witness: Witness,
    pub(super) database: Arc<Path>,
}

impl World {
    /// Law 11: whatever anyone is told is on disk by then.
    pub(super) fn must_be_on_disk(&self, id: RequestId, kind: RecordKind) {
        let filter = Filter {
            request: Some(id),
            kinds: vec![kind],
            ..Filter::default()
        };
        let reader = LedgerReader::open(&self.database).unwrap();
        if reader.records(&filter).unwrap().records.is_empty() {
            self.witness.see(|seen| {
                seen.untrue
                    .push(format!("{id} was told before {kind:?} was stored"))
            });
        }
    }
}

/// A leader that lives. Dropped, it is killed: nothing of it goes on.
pub(super) struct Leader {
    pub(super) run: RunId,
    pub(super) office: PostOfficeHandle,
    /// Done when its own disk has killed it.
    pub(super) died: CancellationToken,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Holds a run whose leader is dead. A program that another test of this process starts meanwhile has a copy of the dead
/// one's lock until it is that program, for some milliseconds at most.
async fn hold(ledger: &Ledger, run: RunId) -> Result<HeldRun, ResumeError> {
    for _ in 0..1_000 {
        match ledger.hold_run(run).await {
            Err(ResumeError::Alive(_)) => std::thread::sleep(Duration::from_millis(1)),
            held => return held,
        }
    }
    ledger.hold_run(run).await
}

impl Leader {
    /// Starts the run's first leader, or the next one; passes are those of workers that live.
    pub(super) async fn start(
        world: &World,
        database: &Path,
        run: Option<RunId>,
        passes: &[Pass],
        own_questions: std::ops::Range<u32>,
    ) -> Self {
        let clock: Arc<dyn Clock> = Arc::<SimClock>::clone(&world.clock);
        let (ledger, writer, _) = HandWriter::open(database, Arc::clone(&clock)).unwrap();
        let died = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(disk(writer, world.clone(), died.clone()));
        let (run, reign, left) = match run {
            None => match ledger.begin_run(run_start()).await {
                Ok(run) => (run, Reign::FIRST, Vec::new()),
                // Its disk has killed it; whoever waits for it gives up after a while.
                Err(_) => return std::future::pending().await,
            },
            Some(run) => {
                let resumed = match hold(&ledger, run).await {
                    Ok(held) => held.resume().await,
                    Err(error) => Err(error),
                };
                let report = match resumed {
                    Ok(report) => report,
                    Err(ResumeError::Append(_)) => return std::future::pending().await,
                    Err(error) => panic!("{error}"),
                };
                (run, Reign::resumed(&report), report.open)
            }
        };
        let stop = CancellationToken::new();
        let options = RequestsOptions {
            reign,
            ..RequestsOptions::default()
        };
        let (requests, service) =
            RequestsService::new(ledger.clone(), Arc::clone(&clock), &options);
        tasks.spawn(service.run(stop.clone()));
        let (mailbox, inbox) = in_process(16);
        let (office, service) = post_office(reign.epoch, mailbox);
        tasks.spawn(service.run(stop.clone()));
        for pass in passes {
            office.readmit(pass.clone()).await.unwrap();
        }
        let panel = panel(world, &ledger, &requests, run, &clock);
        let coordinator = CoordinatorHandler::new(panel.clone());
        let desk = Adjudicator::new(coordinator.clone(), Arc::new(NoRules));
        tasks.spawn(desk.run(inbox, stop.clone()));
        people::come(&mut tasks, world, &requests);
        tasks.spawn(take_up_again(requests.clone(), left, stop.clone()));
        for number in own_questions {
            let request = request_of(run, 1, number, &world.clock, &world.lot);
            let handler: Box<dyn PermissionHandler> = if number % 2 == 0 {
                Box::new(InteractiveHandler::new(panel.clone()))
            } else {
                Box::new(coordinator.clone())
            };
            tasks.spawn(ask_here(world.clone(), handler, request));
        }
        world.witness.see(|seen| seen.leaders += 1);
        Self {
            run,
            office,
            died,
            stop,
            tasks,
        }
    }

    /// Ends as a leader does that is asked to.
    pub(super) async fn end(mut self) {
        self.stop.cancel();
        // Its disk goes on until nobody is left who writes.
        while !self.tasks.is_empty() {
            tokio::select! {
                biased;
                () = self.died.cancelled() => return,
                _ = self.tasks.join_next() => {}
                () = sleep(Duration::from_secs(60)) => return,
            }
        }
    }
}

fn run_start() -> RunStart {
    RunStart {
        project: AbsPath::root(),
        job_file: None,
        job_file_digest: None,
        job_file_at: None,
        attended: Attended::Yes,
        version: "0".into(),
    }
}

/// Writes what is queued, slowly; now and then the leader dies before a write, or behind it with nobody told.
async fn disk(mut writer: HandWriter, world: World, died: CancellationToken) {
    while writer.has_work().await {
        sleep(world.lot.up_to(20)).await;
        if world.lot.below(1500) == 0 {
            world.witness.note("killed before a write".into());
            died.cancel();
            return std::future::pending().await;
        }
        if world.lot.below(1500) == 0 {
            world.witness.note("killed behind a write".into());
            died.cancel();
            writer.work_and_die();
            return std::future::pending().await;
        }
        writer.work();
    }
}

/// One whose end was stored meanwhile is answered at once; whoever asked hears it over the mailbox.
async fn take_up_again(requests: Requests, left: Vec<RequestOpened>, stop: CancellationToken) {
    let _held = requests.take_up(left).await;
    stop.cancelled().await;
}

/// An agent in the leader's own process asks once, and does what it may.
async fn ask_here(world: World, handler: Box<dyn PermissionHandler>, request: PermissionRequest) {
    sleep(world.lot.up_to(5_000)).await;
    let (id, digest) = (request.id, request.digest);
    let asked = Asked {
        digest,
        at: Instant::now(),
        queued: false,
        // It dies with its leader, unless it is told before.
        told: Some((Instant::now(), Told::Died)),
    };
    world.witness.see(|seen| seen.asked.insert(id, asked));
    let verdict = handler.resolve(request).await;
    world.witness.see(|seen| {
        if verdict.outcome() == Outcome::Allowed {
            *seen.done.entry(id).or_default() += 1;
        }
        if let Some(asked) = seen.asked.get_mut(&id) {
            asked.told = Some((Instant::now(), Told::Verdict(verdict)));
        }
    });
}

fn panel(
    world: &World,
    ledger: &Ledger,
    requests: &Requests,
    run: RunId,
    clock: &Arc<dyn Clock>,
) -> Panel {
    let place = HookPlace {
        project: AbsPath::root(),
        home: AbsPath::root(),
        environment: Environment::empty(),
        attended: Attended::Yes,
        tree: Arc::new(DiskTree),
        allow_rules: Whose::Everyones,
        ledger: Some(ledger.clone()),
    };
    Panel {
        requests: requests.clone(),
        hooks: Arc::new(Hooks::new(HookSettings::default(), place)),
        classifier: Some(Arc::new(Wavering(world.lot.clone()))),
        lifts: crate::Lifts::default(),
        votes: crate::Votes::default(),
        grants: Grants::new(run, ledger.clone(), Arc::clone(clock)),
        attended: Attended::Yes,
        clock: Arc::clone(clock),
    }
}

/// A classifier that takes its time and says this or that.
struct Wavering(Lot);

#[async_trait]
impl Classifier for Wavering {
    fn name(&self) -> &str {
        "wavering"
    }

    async fn classify(&self, _request: &PermissionRequest) -> ClassifierVote {
        sleep(self.0.up_to(3_000)).await;
        match self.0.below(4) {
            0 => ClassifierVote::Yes {
                text: "harmless".into(),
            },
            1 => ClassifierVote::No {
                text: "not harmless".into(),
            },
            _ => ClassifierVote::NoVote {
                cause: NoVoteCause::Unavailable,
                why: "not available".into(),
            },
        }
    }
}

/// A leader that has no rules of its own.
struct NoRules;

#[async_trait]
impl LeaderRules for NoRules {
    async fn judge(&self, _request: &PermissionRequest) -> LeaderSays {
        LeaderSays::Ask
    }
}

/// A plain yes or no.
pub(super) fn word(lot: &Lot) -> VerdictKind {
    if lot.percent(50) {
        VerdictKind::Allow {
            edited: None,
            grant: None,
        }
    } else {
        VerdictKind::Deny { text: None }
    }
}
