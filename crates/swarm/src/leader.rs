//! The leader: starts jobs when what they need is done, owns their tasks, and ends everything it
//! started before it ends itself.
//!
//! [`Leader::start`] opens the ledger and stands up what all agents share; [`Leader::finish`] is the event loop,
//! which the caller owns. Decisions about jobs are the plan's, decisions about calls the gate's; the leader only
//! carries them out. Dropping it stops every agent and kills every child process.

mod again;
mod changed;
mod closing;
mod contexts;
mod desk_rules;
mod dropped;
mod edited;
mod ground;
mod handle;
mod holding;
mod job_try;
mod life;
mod nursery;
mod options;
mod ordering;
mod orders;
mod past;
mod past_orders;
mod reaping;
mod reckoning;
mod roster;
mod start;
mod work;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::EndScope;
use pointsman_gate::{Happening, HookWord};
use pointsman_ledger::StopAsked;
use pointsman_model::{Attended, Millis, WorkerId};
use pointsman_policy::Problem;
use pointsman_tools::Course;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::contexts::JobGround;
use self::dropped::close_dropped;
use self::ground::Ground;
use self::job_try::{STOP_WAIT_MAX, TryReport, try_job};
use self::life::Entrance;
use self::orders::Order;
use self::past::settled;
use crate::job_card::JobBoard;
use crate::job_file::Job;
use crate::plan::{Plan, PlanEffect, PlanEvent, TryEnd};
use crate::{JobEnd, JobState, RunEvent, RunSummary, StopReason};

pub use handle::LeaderHandle;
pub use options::{Checked, LeaderOptions, Pauses, Resumed, StartError};
pub use orders::{JobStop, OrderError, RetryWhich};
pub use reaping::end_left_behind;
pub use work::NoModel;

/// How long tasks that were dropped are waited for. Only one that hangs in the system, or in code that never lets go,
/// outlasts it.
const DROP_WAIT_MAX: Duration = Duration::from_secs(5);

/// A leader that has started; its jobs run while [`Self::finish`] is polled.
pub struct Leader {
    ground: Arc<Ground>,
    jobs: Vec<Arc<Job>>,
    job_grounds: Vec<JobGround>,
    plan: Plan,
    stops: flume::Receiver<StopReason>,
    /// Not of the other kind: orders that wait here when the run ends are dropped with it, and whoever gave them is told.
    orders: mpsc::Receiver<Order>,
    /// What the leader was started with; the job file is the one that was read last.
    options: LeaderOptions,
    board: JobBoard,
    tries: JoinSet<TryReport>,
    /// Which job a task tries, and as which worker; a task that panics can't say it itself.
    trying: HashMap<Id, (usize, WorkerId)>,
    retries: BTreeSet<(Instant, usize)>,
    patience: Patience,
    /// Tries of an earlier reign, which had come to their end: told to the plan as if they ended now.
    settled: VecDeque<(usize, TryEnd)>,
    /// Agents whose task was dropped, and why; what they left is to be closed.
    dropped: Vec<(WorkerId, Box<str>)>,
    progress: Vec<Progress>,
    remarks: Vec<Box<str>>,
    services: JoinSet<()>,
    services_stop: CancellationToken,
    problems: Vec<Problem>,
    unknown: Vec<Box<str>>,
    /// What everything that this run starts carries in its environment.
    owner: Box<str>,
}

/// How long agents are waited for that are to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// As long as they like.
    Unlimited,
    /// They were told to stop; then they are dropped.
    Stops(Instant),
    /// They were dropped; then they are left to themselves.
    Drops(Instant),
}

impl Patience {
    fn end(self) -> Option<Instant> {
        match self {
            Self::Unlimited => None,
            Self::Stops(end) | Self::Drops(end) => Some(end),
        }
    }
}

/// How far a job is.
#[derive(Default, Clone)]
struct Progress {
    worker: Option<WorkerId>,
    tries: u32,
    took: Duration,
    end: Option<JobEnd>,
}

/// What the loop waits for: an order, whose carrying out may wait for the disk, or news, which are taken in at once.
enum Next {
    Order(Order),
    Event(Event),
}

/// News for the plan.
enum Event {
    StopOrdered(StopReason),
    Tried(Result<(Id, TryReport), JoinError>),
    /// A try had ended before this leader took the run up.
    Settled(usize, TryEnd),
    RetryDue(usize),
    /// Agents that were told to stop did not.
    OutOfPatience,
}

impl Leader {
    /// Opens the ledger, ends what dead leaders left, and begins a run. No job runs yet.
    ///
    /// Cancellation: dropped, a run may have been begun without records; the next start closes it.
    ///
    /// # Errors
    /// When the state folder, the ledger, the settings or a job's mode don't allow a start.
    pub async fn start(options: LeaderOptions) -> Result<(LeaderHandle, Self), StartError> {
        start::start(options).await
    }

    /// Says what [`Self::start`] would say of settings, rules, modes, models and hooks, and touches nothing.
    ///
    /// # Errors
    /// When a job's mode or model does not allow a start.
    pub fn check(options: LeaderOptions) -> Result<Checked, StartError> {
        start::check(options)
    }

    /// What is wrong with settings and rules without being reason enough not to start.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What a run that is taken up again has to tell before it goes on: the calls of which nobody knows what they did, and
    /// what is paused.
    #[must_use]
    pub fn unknown(&self) -> &[Box<str>] {
        &self.unknown
    }

    /// Runs the jobs to their ends, however they end, and says what they came to.
    ///
    /// Cancellation: dropped, every agent is stopped and every child process killed; what was open is closed by the
    /// ledger's next start.
    pub async fn finish(mut self) -> RunSummary {
        let started = Instant::now();
        let begin = tokio::select! {
            biased;
            // Dropping the other kills the hooks that are told.
            Ok(reason) = self.stops.recv_async() => self.stop_ordered(reason),
            halt = self.tell_of_begin() => halt.map_or(PlanEvent::Begin, PlanEvent::Stop),
        };
        let mut effects = match self.ground.past.orders.course() {
            Course::On => Vec::new(),
            Course::Paused => self.plan.handle(PlanEvent::Pause),
        };
        effects.extend(self.stopped_before());
        effects.extend(self.plan.handle(begin));
        loop {
            if self.carry_out(effects).await {
                break;
            }
            effects = match self.next().await {
                Next::Order(order) => self.obey(order).await,
                Next::Event(event) => self.handle(event),
            };
        }
        self.close(started).await
    }

    /// Tells hooks that the run begins. A stop ends their turn; one of them may halt the run before any job starts, as
    /// does a guard that fails where nobody is there to look after it.
    async fn tell_of_begin(&self) -> Option<StopReason> {
        let ground = &self.ground;
        let source = match self.options.resume {
            None => "startup",
            Some(_) => "resume",
        };
        let began = Happening::SessionStarted { source };
        let heard = ground
            .hooks
            .tell_of_run(ground.run, &began, &ground.stop)
            .await;
        // Told once.
        let _ = ground.background.set(heard.context);
        let failed_guard = match self.options.attended {
            // What a stop cut short did not fail.
            Attended::No if !ground.stop.is_cancelled() => heard.objection,
            Attended::No | Attended::Yes => None,
        };
        let halt = heard.halt.or(failed_guard)?;
        let HookWord { hook, text } = halt;
        Some(StopReason::Halted {
            text: format!("hook `{hook}` halted the run: {text}").into(),
        })
    }

    /// Waits for what happens next. Always comes back while anything is open: a try ends by itself within its time,
    /// a retry is due at its time, and a stop has the leader's patience as its end.
    async fn next(&mut self) -> Next {
        if let Some((job, end)) = self.settled.pop_front() {
            return Next::Event(Event::Settled(job, end));
        }
        let retry = self.retries.first().copied();
        let patience = self.patience.end();
        tokio::select! {
            biased;
            Ok(reason) = self.stops.recv_async() => Next::Event(Event::StopOrdered(reason)),
            Some(order) = self.orders.recv() => Next::Order(order),
            Some(joined) = self.tries.join_next_with_id() => Next::Event(Event::Tried(joined)),
            () = until(retry.map(|(at, _)| at)), if retry.is_some() => {
                Next::Event(Event::RetryDue(retry.map_or(usize::MAX, |(_, job)| job)))
            }
            () = until(patience), if patience.is_some() => Next::Event(Event::OutOfPatience),
        }
    }

    /// Takes one event in. Nothing here waits.
    fn handle(&mut self, event: Event) -> Vec<PlanEffect> {
        match event {
            Event::StopOrdered(reason) => {
                let stop = self.stop_ordered(reason);
                self.plan.handle(stop)
            }
            Event::RetryDue(job) => {
                self.retries.pop_first();
                self.plan.handle(PlanEvent::RetryDue { job })
            }
            Event::Settled(job, end) => self.settle(job, end),
            Event::OutOfPatience => self.out_of_patience(),
            Event::Tried(Ok((id, report))) => {
                if self.trying.remove(&id).is_none() {
                    // It was given up.
                    return Vec::new();
                }
                if let Some(progress) = self.progress.get_mut(report.job) {
                    progress.took += report.took;
                }
                let (job, end) = (report.job, report.end);
                self.plan.handle(PlanEvent::TryEnded { job, end })
            }
            Event::Tried(Err(error)) => self.lost(&error),
        }
    }

    /// A stop from outside. A cancel ends the hooks that nobody waits for, too, also of a run that is being stopped.
    fn stop_ordered(&self, reason: StopReason) -> PlanEvent {
        if reason.is_cancel() {
            self.ground.hooks.end_unawaited();
        }
        PlanEvent::Stop(reason)
    }

    /// A try had ended before this leader took the run up. A job that a person had tried again goes on with that.
    fn settle(&mut self, job: usize, end: TryEnd) -> Vec<PlanEffect> {
        let again = self.ground.past.has_more_tries(&self.name(job));
        let mut effects = self.plan.handle(if again {
            PlanEvent::TriedAgain { job, end }
        } else {
            PlanEvent::TryEnded { job, end }
        });
        if !again && self.ground.past.orders.is_stopped(&self.name(job)) {
            // Between that try and the next.
            effects.extend(self.plan.handle(PlanEvent::StopWaiting { job }));
        }
        effects
    }

    /// Ends the jobs that a person had stopped under an earlier leader before they were begun.
    fn stopped_before(&mut self) -> Vec<PlanEffect> {
        let past = &self.ground.past;
        let is_stopped = |job: &Arc<Job>| {
            past.orders.is_stopped(&job.name) && past.tries_of(&job.name).is_empty()
        };
        let all = self.jobs.iter().enumerate();
        let stopped: Vec<usize> = all
            .filter(|(_, job)| is_stopped(job))
            .map(|(at, _)| at)
            .collect();
        let stops = stopped.into_iter();
        stops
            .flat_map(|job| self.plan.handle(PlanEvent::StopWaiting { job }))
            .collect()
    }

    /// Drops the agents that did not stop; those that hang even so are left to themselves.
    fn out_of_patience(&mut self) -> Vec<PlanEffect> {
        match self.patience {
            Patience::Unlimited => Vec::new(),
            Patience::Stops(_) => {
                self.patience = Patience::Drops(Instant::now() + DROP_WAIT_MAX);
                self.tries.abort_all();
                Vec::new()
            }
            Patience::Drops(_) => {
                self.patience = Patience::Unlimited;
                let left: Vec<_> = self.trying.drain().map(|(_, tried)| tried).collect();
                let mut effects = Vec::new();
                for (job, worker) in left {
                    self.gave_up(worker);
                    let end = TryEnd::Stopped;
                    effects.extend(self.plan.handle(PlanEvent::TryEnded { job, end }));
                }
                effects
            }
        }
    }

    /// A try's task was dropped or panicked.
    fn lost(&mut self, error: &JoinError) -> Vec<PlanEffect> {
        let Some((job, worker)) = self.trying.remove(&error.id()) else {
            return Vec::new();
        };
        let end = if error.is_cancelled() {
            self.gave_up(worker);
            TryEnd::Stopped
        } else {
            let reason = "its task failed inside pointsman; this is a defect";
            self.dropped.push((worker, reason.into()));
            TryEnd::Failed {
                reason: reason.into(),
            }
        };
        self.plan.handle(PlanEvent::TryEnded { job, end })
    }

    fn gave_up(&mut self, worker: WorkerId) {
        let waited = STOP_WAIT_MAX.as_secs();
        let text = format!("{worker} did not stop within {waited} s and was dropped");
        self.remarks.push(text.as_str().into());
        self.dropped.push((worker, text.into()));
    }

    /// Does what the plan says; whether the run is over.
    async fn carry_out(&mut self, effects: Vec<PlanEffect>) -> bool {
        for (worker, why) in std::mem::take(&mut self.dropped) {
            close_dropped(&self.ground, worker, &why).await;
        }
        let mut over = false;
        for effect in effects {
            match effect {
                PlanEffect::Start { job, attempt } => self.start_try(job, attempt),
                PlanEffect::Wait {
                    job,
                    attempt,
                    wait,
                    reason,
                } => {
                    self.retries.insert((Instant::now() + wait, job));
                    self.board.set(job, JobState::Waits);
                    self.ground.tell(RunEvent::JobWillRetry {
                        job: self.name(job),
                        attempt,
                        wait: Millis::from(wait),
                        reason: reason.as_ref().into(),
                    });
                }
                PlanEffect::Ended { job, end } => {
                    self.retries.retain(|(_, due)| *due != job);
                    self.board.set(job, JobState::Ended(end.clone()));
                    let event = RunEvent::JobEnded {
                        job: self.name(job),
                        end: end.clone(),
                    };
                    self.ground.tell(event);
                    if let Some(progress) = self.progress.get_mut(job) {
                        progress.end = Some(end);
                    }
                }
                PlanEffect::Reopened { job } => self.reopen(job),
                PlanEffect::StopAll(reason) => self.stop_all(reason).await,
                PlanEffect::Finish => over = true,
            }
        }
        over
    }

    /// A job is open again: what it came to before is nothing that it is at now.
    fn reopen(&mut self, job: usize) {
        self.board.set(job, JobState::Waits);
        if let Some(progress) = self.progress.get_mut(job) {
            progress.end = None;
        }
        let job = self.name(job);
        self.ground.tell(RunEvent::JobReopened { job });
    }

    fn name(&self, job: usize) -> Arc<str> {
        self.jobs
            .get(job)
            .map_or_else(|| Arc::from(""), |job| Arc::clone(&job.name))
    }

    fn start_try(&mut self, index: usize, attempt: u32) {
        let (Some(job), Some(job_ground)) = (self.jobs.get(index), self.job_grounds.get(index))
        else {
            return;
        };
        let past = self.ground.past.next_try(&job.name);
        let worker = past
            .as_ref()
            .map_or_else(|| self.ground.ids.next_worker(), |past| past.worker);
        let frozen = job_ground.freeze(job, worker);
        self.ground.contexts.insert(worker, frozen.clone());
        if let Some(progress) = self.progress.get_mut(index) {
            progress.worker = Some(worker);
            progress.tries = attempt;
        }
        self.board.tried(index, worker);
        self.ground.tell(RunEvent::JobStarted {
            job: Arc::clone(&job.name),
            attempt,
            worker,
        });
        let before = past.as_ref();
        if let Some(end) = before.and_then(|past| settled(past, job.time_max)) {
            self.settled.push_back((index, end));
            return;
        }
        let entrance = Entrance::of(past.as_ref());
        let task = try_job(
            Arc::clone(&self.ground),
            Arc::clone(job),
            index,
            (frozen, entrance),
        );
        let started = self.tries.spawn(task);
        self.trying.insert(started.id(), (index, worker));
    }

    /// Tells every agent to stop and ends every open question. Agents that don't stop in time are dropped.
    async fn stop_all(&mut self, reason: StopReason) {
        let text = reason.to_string();
        self.patience = Patience::Stops(Instant::now() + STOP_WAIT_MAX);
        self.retries.clear();
        self.ground.stop.cancel();
        self.ground.tell(RunEvent::Stopping { reason });
        self.ground.end_open(EndScope::Everything, &text).await;
        let asked = StopAsked {
            worker: None,
            reason: text.into(),
        };
        if let Err(error) = self.ground.ledger.note(self.ground.run, asked).await {
            self.remarks
                .push(format!("the stop could not be recorded: {error}").into());
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        // Aborting the tasks drops their agents; the token also reaches what they handed to others.
        self.ground.stop.cancel();
        self.services_stop.cancel();
    }
}

/// Waits for a moment; for none, for ever.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
