//! One agent's life: from the record of its spawn to the record of its end.
//!
//! [`live`] is the only way an agent comes to be, a job's worker and a spawned agent alike, so that none
//! escapes the count, the directory, the ledger or the stop.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use pointsman_agents::AgentEnd;
use pointsman_approvals::EndScope;
use pointsman_ledger::{AppendError, WorkerEnd, WorkerEnded, WorkerSpawned};
use pointsman_model::{CallId, Lineage, Origin, WorkerId};
use pointsman_policy::Frozen;
use pointsman_process::Environment;
use pointsman_tools::{
    Course, Dispatch, FollowUps, Halt, HaltCause, InBackground, Seat, Spawner, StopWord,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::ground::Ground;
use super::nursery::Nursery;
use super::past::PastWorker;
use super::work::agent_for;
use crate::RunEvent;
use crate::directory::WorkerCard;
use crate::job_file::Work;

/// What an agent is born with.
pub(super) struct Birth {
    pub(super) frozen: Frozen,
    pub(super) entrance: Entrance,
    pub(super) task: Box<str>,
    pub(super) origin: Origin,
    /// The call that starts it; nothing of a job's worker.
    pub(super) call: Option<CallId>,
    pub(super) work: Work,
    /// The agent whose conversation it goes on with.
    pub(super) resumes: Option<WorkerId>,
    /// Ends it and all below it.
    pub(super) stop: CancellationToken,
    /// Says whether it was the clock over its job that did.
    pub(super) time_up: TimeUp,
    /// Told once its start is on record.
    pub(super) on_record: Option<oneshot::Sender<()>>,
    /// How it spawns agents of its own.
    pub(super) spawner: Arc<Nursery>,
}

impl Birth {
    /// Who is born.
    pub(super) fn worker(&self) -> WorkerId {
        self.frozen.context.parts().lineage.agent().worker
    }
}

/// That the time of a job is up, in words; told before its worker is stopped for it, so that a later leader knows the
/// one stop from the other.
#[derive(Debug, Clone, Default)]
pub(super) struct TimeUp(Arc<OnceLock<Box<str>>>);

impl TimeUp {
    /// Tells it, once.
    pub(super) fn tell(&self, text: &str) {
        let _ = self.0.set(text.into());
    }
}

/// How an agent comes into the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entrance {
    /// For the first time.
    New,
    /// Again, after its leader died: counted and on record already.
    Again,
}

impl Entrance {
    /// That of an agent with this past.
    pub(super) fn of(past: Option<&PastWorker>) -> Self {
        match past {
            None => Self::New,
            Some(_) => Self::Again,
        }
    }
}

/// Why an agent did not come to be.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotBorn {
    /// The run has as many as it may have.
    #[error("the run already has {max} agents, which is all it may have")]
    TooMany { max: u32 },
    /// Its spawn can't be recorded.
    #[error("its start could not be recorded: {0}")]
    NotRecorded(AppendError),
}

/// Lets an agent live. Comes back when it has ended, with nothing of it left: no open request, no grant of its own.
///
/// Cancellation: dropped, the agent is stopped, its process groups are killed, its requests end as cancelled; only
/// the record of its end is left to the next start of the ledger.
pub(super) async fn live(ground: &Arc<Ground>, mut birth: Birth) -> Result<AgentEnd, NotBorn> {
    match birth.entrance {
        Entrance::New => count(ground)?,
        Entrance::Again => {}
    }
    let parts = birth.frozen.context.parts();
    let lineage = parts.lineage.clone();
    let worker = lineage.agent().worker;
    let context = birth.frozen.context.digest();
    ground.contexts.insert(worker, birth.frozen.clone());
    let (person, follow_ups) = FollowUps::channel();
    ground.directory.enter(
        WorkerCard {
            lineage: parts.lineage.clone(),
            task: birth.task.clone(),
            origin: birth.origin,
            mode: parts.mode.mode(),
            folder: parts.folder.clone(),
            context,
            started: ground.clock.now(),
        },
        birth.stop.clone(),
        birth.work.hears().then_some(person),
    );
    let departure = Departure {
        ground: Arc::clone(ground),
        worker,
        stop: birth.stop.clone(),
    };
    match birth.entrance {
        // After it can be reached: whoever reads of it may have an order for it.
        // What is over soon has its room on the heap: an agent that waits is to be small.
        Entrance::New => Box::pin(record(ground, &birth)).await?,
        Entrance::Again => {}
    }
    if let Some(on_record) = birth.on_record.take() {
        // Who wanted to know may have ended.
        let _ = on_record.send(());
    }
    ground.tell(RunEvent::WorkerStarted {
        lineage: parts.lineage.clone(),
        context,
    });
    let beside = ground.past.in_background(worker);
    let past = ground.past.agent(worker);
    let mut dispatch = Box::new(Dispatch::resumed(seat(ground, &birth, follow_ups), past));
    match birth.entrance {
        Entrance::New => Box::pin(dispatch.starting(ground.background())).await,
        // Hooks were told when it was new.
        Entrance::Again => birth.spawner.take_up(dispatch.seat(), beside).await,
    }
    let end = Box::pin(work(ground, &birth, &dispatch)).await;
    // It is told on, and some of it stands in the run's summary.
    let end = without_keys(end, &ground.environment);
    // Those that it still has in the background have nobody to tell any more.
    Box::pin(dispatch.seat().in_background.end()).await;
    Box::pin(tell_of_stop(&dispatch, &end)).await;
    // A hook may have halted the run with the agent's last call, or when it was told of its stop.
    if let Some(halt) = dispatch.halted() {
        halt_run(ground, halt);
    }
    drop(dispatch);
    let (how, text) = match birth.time_up.0.get() {
        Some(text) => (WorkerEnd::TimedOut, text.clone()),
        None => told(&end),
    };
    Box::pin(bury(ground, &lineage, (how, text))).await;
    drop(departure);
    Ok(end)
}

fn without_keys(end: AgentEnd, environment: &Environment) -> AgentEnd {
    let kept = |text: String| environment.without_keys(&text).into_owned();
    match end {
        AgentEnd::Done { summary } => AgentEnd::Done {
            summary: kept(summary),
        },
        AgentEnd::Failed { reason } => AgentEnd::Failed {
            reason: kept(reason),
        },
        AgentEnd::Halted { reason } => AgentEnd::Halted {
            reason: kept(reason),
        },
        AgentEnd::Stopped => AgentEnd::Stopped,
    }
}

/// Lets the agent work to its end.
async fn work(ground: &Arc<Ground>, birth: &Birth, dispatch: &Dispatch) -> AgentEnd {
    match agent_for(ground, birth).await {
        Ok(mut agent) => {
            let work = agent.work(dispatch, &birth.stop);
            tokio::select! {
                biased;
                end = work => end,
                never = obey_halts(ground, dispatch) => match never {},
            }
        }
        Err(error) => AgentEnd::Failed {
            reason: error.to_string(),
        },
    }
}

/// Counts a new agent.
fn count(ground: &Ground) -> Result<(), NotBorn> {
    let max = ground.agents_max;
    let counted =
        ground
            .agents_started
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                (count < max).then_some(count + 1)
            });
    counted.map(drop).map_err(|_| NotBorn::TooMany { max })
}

/// Puts the start of a new agent on record.
async fn record(ground: &Ground, birth: &Birth) -> Result<(), NotBorn> {
    let spawned = spawned(birth);
    let noted = ground.ledger.note(ground.run, spawned).await;
    noted.map_err(NotBorn::NotRecorded)
}

/// Halts the run as soon as a hook says so, whatever the agent is doing. Never comes back: the agent's work ends it.
async fn obey_halts(ground: &Ground, dispatch: &Dispatch) -> Infallible {
    halt_run(ground, dispatch.halting().await);
    std::future::pending().await
}

fn halt_run(ground: &Ground, halt: Halt) {
    match halt.cause {
        HaltCause::Hook(_) => ground.halt(halt.reason),
        // These end their agent alone.
        HaltCause::Interrupt(_) | HaltCause::Unjudged | HaltCause::EqualRefusals => {}
    }
}

/// Tells hooks that the agent has stopped, unless it asked them before it did. This one can't go on.
async fn tell_of_stop(dispatch: &Dispatch, end: &AgentEnd) {
    let last_words = match end {
        AgentEnd::Done { summary } => summary,
        AgentEnd::Failed { reason } => reason,
        // Nobody waits for these to go on.
        AgentEnd::Stopped | AgentEnd::Halted { .. } => return,
    };
    if dispatch.is_stop_told() {
        return;
    }
    if let StopWord::GoesOn { text } = dispatch.stopping(last_words).await {
        tracing::warn!(%text, "an agent that follows its steps can't go on after the last");
    }
}

fn spawned(birth: &Birth) -> WorkerSpawned {
    let parts = birth.frozen.context.parts();
    WorkerSpawned {
        lineage: parts.lineage.clone(),
        task: birth.task.clone(),
        origin: birth.origin,
        call: birth.call,
        mode: parts.mode,
        tools: parts.tools.clone(),
        folder: parts.folder.clone(),
        depth_left: parts.depth_left,
        handler: parts.handler,
        attended: parts.attended,
        context: birth.frozen.context.digest(),
    }
}

fn seat(ground: &Arc<Ground>, birth: &Birth, follow_ups: FollowUps) -> Seat {
    let parts = birth.frozen.context.parts();
    Seat {
        frozen: birth.frozen.clone(),
        handler: ground.handler(parts.handler),
        hooks: Arc::clone(&ground.hooks),
        grants: ground.grants.clone(),
        ledger: ground.ledger.clone(),
        clock: Arc::clone(&ground.clock),
        run: ground.run,
        worker: parts.lineage.agent().worker,
        task: birth.task.clone(),
        origin: birth.origin,
        toolbox: Arc::clone(&ground.toolbox),
        spawner: Arc::clone(&birth.spawner) as Arc<dyn Spawner>,
        ids: Arc::clone(&ground.ids),
        answer_within: ground.answer_within,
        stop: birth.stop.clone(),
        pace: ground.pace.clone(),
        follow_ups,
        in_background: Arc::new(InBackground::of(&birth.stop)),
        moves: ground.moves.clone(),
        environment: ground.environment.clone(),
        tree: Arc::clone(&ground.tree),
    }
}

/// Ends what an agent may have left open, and records its end.
async fn bury(ground: &Arc<Ground>, lineage: &Lineage, (how, text): (WorkerEnd, Box<str>)) {
    let worker = lineage.agent().worker;
    let why = format!("{worker}, who asked, has ended");
    ground.end_open(EndScope::SubtreeOf(worker), &why).await;
    ground.grants.retire(worker).await;
    ground.expect_no_longer(worker);
    let ended = WorkerEnded {
        worker,
        end: how,
        text: text.clone(),
    };
    // A job's worker waits for the disk, so that all that its family noted is there when the run is counted up.
    let recorded = if lineage.depth() == 1 {
        ground.ledger.append(ground.run, ended).await.map(drop)
    } else {
        ground.ledger.note(ground.run, ended).await
    };
    if let Err(error) = recorded {
        // The ledger has said that it fails; it keeps the end, and else closes the worker at its next start.
        tracing::debug!(%worker, %error, "the end of an agent could not be recorded");
    }
    ground.tell(RunEvent::WorkerEnded {
        worker,
        end: how,
        text: text.as_ref().into(),
    });
}

/// An agent's end in the ledger's words.
fn told(end: &AgentEnd) -> (WorkerEnd, Box<str>) {
    match end {
        AgentEnd::Done { summary } => (WorkerEnd::Done, summary.as_str().into()),
        AgentEnd::Failed { reason } => (WorkerEnd::Failed, reason.as_str().into()),
        AgentEnd::Stopped => (WorkerEnd::Stopped, "stopped".into()),
        AgentEnd::Halted { reason } => (WorkerEnd::Halted, reason.as_str().into()),
    }
}

/// Takes an agent out of the directory whichever way it goes, and stops all below it.
struct Departure {
    ground: Arc<Ground>,
    worker: WorkerId,
    stop: CancellationToken,
}

impl Drop for Departure {
    fn drop(&mut self) {
        self.stop.cancel();
        self.ground.directory.leave(self.worker);
        self.ground.pace.set_for(self.worker, Course::On);
        self.ground.mailbox.forget(self.worker);
        self.ground.hooks.aftermaths().forget(self.worker);
    }
}
