//! The leader: starts jobs when what they need is done, owns their tasks, and ends everything it
//! started before it ends itself.
//!
//! [`Leader::start`] opens the ledger and stands up what all agents share; [`Leader::finish`] is the event loop,
//! which the caller owns. Decisions about jobs are the plan's, decisions about calls the gate's; the leader only
//! carries them out. Dropping it stops every agent and kills every child process.

mod contexts;
mod desk_rules;
mod ground;
mod handle;
mod job_try;
mod life;
mod nursery;
mod options;
mod reaping;
mod reckoning;
mod start;
mod work;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::EndScope;
use pointsman_gate::{Happening, HookWord};
use pointsman_ledger::{RunEnded, StopAsked};
use pointsman_model::{Millis, WorkerId};
use pointsman_policy::Problem;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::contexts::JobGround;
use self::ground::Ground;
use self::job_try::{STOP_WAIT_MAX, TryReport, try_job};
use self::reckoning::Tally;
use crate::job_file::Job;
use crate::plan::{Plan, PlanEffect, PlanEvent, TryEnd};
use crate::summary::Found;
use crate::{CensusLine, ExitCode, JobEnd, JobResult, RunEvent, RunSummary, StopReason};

pub use handle::LeaderHandle;
pub use options::{LeaderOptions, StartError};
pub use work::NoModel;

/// How long the leader waits for its own services once all agents have ended.
const SERVICES_WAIT_MAX: Duration = Duration::from_secs(5);

/// How long hooks that are told of the end of the run may take, whatever their own limits; hosts of the same hooks
/// wait as long.
const HOOKS_WAIT_MAX: Duration = Duration::from_secs(60);

/// A leader that has started; its jobs run while [`Self::finish`] is polled.
pub struct Leader {
    ground: Arc<Ground>,
    jobs: Vec<Arc<Job>>,
    job_grounds: Vec<JobGround>,
    plan: Plan,
    orders: flume::Receiver<StopReason>,
    tries: JoinSet<TryReport>,
    /// Which job a task tries, and as which worker; a task that panics can't say it itself.
    trying: HashMap<Id, (usize, WorkerId)>,
    retries: BTreeSet<(Instant, usize)>,
    /// When agents that were told to stop are dropped.
    patience: Option<Instant>,
    progress: Vec<Progress>,
    remarks: Vec<Box<str>>,
    services: JoinSet<()>,
    services_stop: CancellationToken,
    problems: Vec<Problem>,
    /// What everything that this run starts carries in its environment.
    owner: Box<str>,
}

/// How far a job is.
#[derive(Default, Clone)]
struct Progress {
    worker: Option<WorkerId>,
    tries: u32,
    took: Duration,
    end: Option<JobEnd>,
}

/// What the loop waits for.
enum Event {
    Ordered(StopReason),
    Tried(Result<(Id, TryReport), JoinError>),
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

    /// What is wrong with settings and rules without being reason enough not to start.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Runs the jobs to their ends, however they end, and says what they came to.
    ///
    /// Cancellation: dropped, every agent is stopped and every child process killed; what was open is closed by the
    /// ledger's next start.
    pub async fn finish(mut self) -> RunSummary {
        let started = Instant::now();
        let begin = match self.tell_of_begin().await {
            Some(halt) => PlanEvent::Stop(halt),
            None => PlanEvent::Begin,
        };
        let mut effects = self.plan.handle(begin);
        loop {
            if self.carry_out(effects).await {
                break;
            }
            let event = self.next().await;
            effects = self.handle(event);
        }
        self.close(started).await
    }

    /// Tells hooks that the run begins. A stop ends their turn; one of them may halt the run before any job starts.
    async fn tell_of_begin(&self) -> Option<StopReason> {
        let ground = &self.ground;
        let began = Happening::SessionStarted { source: "startup" };
        let heard = ground
            .hooks
            .tell_of_run(ground.run, &began, &ground.stop)
            .await;
        // Told once.
        let _ = ground.background.set(heard.context);
        heard
            .halt
            .map(|HookWord { hook, text }| StopReason::Halted {
                text: format!("hook `{hook}` halted the run: {text}").into(),
            })
    }

    /// Tells hooks that the run ends, and ends those that nobody waited for.
    async fn end_hooks(&mut self) {
        let ground = Arc::clone(&self.ground);
        let own_end = CancellationToken::new();
        let ends = Happening::SessionEnds { reason: "other" };
        let ending = async {
            let _ = ground.hooks.tell_of_run(ground.run, &ends, &own_end).await;
            ground.hooks.finish().await;
        };
        if tokio::time::timeout(HOOKS_WAIT_MAX, ending).await.is_err() {
            self.remarks.push("hooks did not end in time".into());
        }
    }

    /// Waits for what happens next. Always comes back while anything is open: a try ends by itself within its time,
    /// a retry is due at its time, and a stop has the leader's patience as its end.
    async fn next(&mut self) -> Event {
        let retry = self.retries.first().copied();
        let patience = self.patience;
        tokio::select! {
            biased;
            Ok(reason) = self.orders.recv_async() => Event::Ordered(reason),
            Some(joined) = self.tries.join_next_with_id() => Event::Tried(joined),
            () = until(retry.map(|(at, _)| at)), if retry.is_some() => {
                Event::RetryDue(retry.map_or(usize::MAX, |(_, job)| job))
            }
            () = until(patience), if patience.is_some() => Event::OutOfPatience,
        }
    }

    /// Takes one event in. Nothing here waits.
    fn handle(&mut self, event: Event) -> Vec<PlanEffect> {
        match event {
            Event::Ordered(reason) => self.plan.handle(PlanEvent::Stop(reason)),
            Event::RetryDue(job) => {
                self.retries.pop_first();
                self.plan.handle(PlanEvent::RetryDue { job })
            }
            Event::OutOfPatience => {
                self.patience = None;
                self.tries.abort_all();
                Vec::new()
            }
            Event::Tried(Ok((id, report))) => {
                self.trying.remove(&id);
                if let Some(progress) = self.progress.get_mut(report.job) {
                    progress.took += report.took;
                }
                let (job, end) = (report.job, report.end);
                self.plan.handle(PlanEvent::TryEnded { job, end })
            }
            Event::Tried(Err(error)) => self.lost(&error),
        }
    }

    /// A try's task was dropped or panicked.
    fn lost(&mut self, error: &JoinError) -> Vec<PlanEffect> {
        let Some((job, worker)) = self.trying.remove(&error.id()) else {
            return Vec::new();
        };
        let end = if error.is_cancelled() {
            let waited = STOP_WAIT_MAX.as_secs();
            let text = format!("{worker} did not stop within {waited} s and was dropped");
            self.remarks.push(text.into());
            TryEnd::Stopped
        } else {
            let reason = "its task failed inside pointsman; this is a defect";
            TryEnd::Failed {
                reason: reason.into(),
            }
        };
        self.plan.handle(PlanEvent::TryEnded { job, end })
    }

    /// Does what the plan says; whether the run is over.
    async fn carry_out(&mut self, effects: Vec<PlanEffect>) -> bool {
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
                    self.ground.tell(RunEvent::JobWillRetry {
                        job: self.name(job),
                        attempt,
                        wait: Millis::from(wait),
                        reason: reason.as_ref().into(),
                    });
                }
                PlanEffect::Ended { job, end } => {
                    let event = RunEvent::JobEnded {
                        job: self.name(job),
                        end: end.clone(),
                    };
                    self.ground.tell(event);
                    if let Some(progress) = self.progress.get_mut(job) {
                        progress.end = Some(end);
                    }
                }
                PlanEffect::StopAll(reason) => self.stop_all(reason).await,
                PlanEffect::Finish => over = true,
            }
        }
        over
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
        let worker = self.ground.ids.next_worker();
        let frozen = job_ground.freeze(job, worker);
        if let Some(progress) = self.progress.get_mut(index) {
            progress.worker = Some(worker);
            progress.tries = attempt;
        }
        self.ground.tell(RunEvent::JobStarted {
            job: Arc::clone(&job.name),
            attempt,
            worker,
        });
        let task = try_job(Arc::clone(&self.ground), Arc::clone(job), index, frozen);
        let started = self.tries.spawn(task);
        self.trying.insert(started.id(), (index, worker));
    }

    /// Tells every agent to stop and ends every open question. Agents that don't stop in time are dropped.
    async fn stop_all(&mut self, reason: StopReason) {
        let text = reason.to_string();
        self.patience = Some(Instant::now() + STOP_WAIT_MAX);
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

    /// Ends what calls of this run left running after their own end (a server in the background, a program in a session
    /// of its own).
    async fn end_strays(&mut self) {
        let owner = self.owner.clone();
        let ended = tokio::task::spawn_blocking(move || pointsman_process::reap_owned_by(&owner));
        match ended.await {
            Ok(0) => {}
            Ok(count) => self.remarks.push(
                format!("{count} processes that calls had left running were ended with the run")
                    .into(),
            ),
            Err(error) => self
                .remarks
                .push(format!("what calls left running could not be looked for: {error}").into()),
        }
    }

    /// Ends the services, counts up, and closes the ledger.
    async fn close(mut self, started: Instant) -> RunSummary {
        self.ground.stop.cancel();
        self.ground
            .end_open(EndScope::Everything, "the run has ended")
            .await;
        self.end_hooks().await;
        self.end_strays().await;
        let (census, tally) = self.reckon().await;
        let ends = self
            .progress
            .iter()
            .filter_map(|progress| progress.end.as_ref());
        let found = Found {
            unanswered: census.len(),
            halted: tally.halted.len(),
        };
        let exit = ExitCode::of(self.plan.stopping(), ends, found);
        self.remarks.extend(tally.halted);
        let record = RunEnded {
            exit_code: exit.code(),
            text: self.in_words(census.len()).into(),
        };
        if let Err(error) = self.ground.ledger.append(self.ground.run, record).await {
            self.remarks
                .push(format!("the end of the run could not be recorded: {error}").into());
        }
        self.services_stop.cancel();
        let services = async { while self.services.join_next().await.is_some() {} };
        if tokio::time::timeout(SERVICES_WAIT_MAX, services)
            .await
            .is_err()
        {
            self.remarks
                .push("a service of the leader did not end in time".into());
        }
        self.ground.ledger.close().await;
        let run = self.ground.run;
        self.ground.tell(RunEvent::RunEnded { run, exit });
        RunSummary {
            run,
            jobs: self.results(),
            exit,
            stopped: self.plan.stopping().cloned(),
            census,
            counts: tally.counts,
            remarks: std::mem::take(&mut self.remarks),
            took: Millis::from(started.elapsed()),
        }
    }

    /// The census and the counts, from the ledger.
    async fn reckon(&mut self) -> (Vec<CensusLine>, Tally) {
        let ground = Arc::clone(&self.ground);
        let path = ground.ledger.path().to_owned();
        let reckoned = tokio::task::spawn_blocking(move || {
            let tree = ground.tree.as_ref();
            let census = reckoning::census(&path, ground.run, &ground.contexts, tree)?;
            Ok::<_, pointsman_ledger::ReadError>((census, reckoning::tally(&path, ground.run)?))
        });
        let why = match reckoned.await {
            Ok(Ok(reckoned)) => return reckoned,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.remarks
            .push(format!("the calls could not be counted: {why}").into());
        Default::default()
    }

    fn results(&self) -> Vec<JobResult> {
        let named = self.jobs.iter().zip(&self.progress);
        named
            .map(|(job, progress)| JobResult {
                name: Arc::clone(&job.name),
                worker: progress.worker,
                tries: progress.tries,
                // INVARIANT (plan): it finishes only after each job has ended.
                end: progress.end.clone().unwrap_or(JobEnd::Stopped),
                took: Millis::from(progress.took),
            })
            .collect()
    }

    /// The result in a line, for the record.
    fn in_words(&self, unanswered: usize) -> String {
        let done = |progress: &&Progress| matches!(progress.end, Some(JobEnd::Done { .. }));
        let done = self.progress.iter().filter(done).count();
        let mut text = format!("{done} of {} jobs done", self.progress.len());
        if unanswered > 0 {
            text.push_str(&format!(", {unanswered} calls that nobody could answer"));
        }
        if let Some(stop) = self.plan.stopping() {
            text.push_str(&format!("; {stop}"));
        }
        text
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
