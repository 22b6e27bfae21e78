//! The leader's handle: what surfaces and the command line hold of a running leader.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use dashmap::DashMap;
use pointsman_agents::AgentSaid;
use pointsman_approvals::{EndScope, Grants, Requests};
use pointsman_gate::{Classifier, Hooks, Lifts};
use pointsman_ledger::{AppendError, Clock, HungUp, Ledger, OrderGiven, RunOrder, StopAsked};
use pointsman_model::{AbsPath, AgentName, Answerer, Outcome, RunId, Surface, WorkerId};
use pointsman_policy::Frozen;
use pointsman_tools::{CallMoved, Course, Pace};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{broadcast, mpsc, oneshot};

use super::orders::{JobFound, JobStop, Order, OrderError, RetryWhich};
use super::roster::{Roster, types};
use crate::directory::{Directory, StopWorker, Told, WorkerCard};
use crate::job_card::JobBoard;
use crate::{JobCard, JobFile, RunEvent, StopReason};

/// A running leader, seen from outside. Cheap to clone; keeps nothing alive.
#[derive(Clone)]
pub struct LeaderHandle {
    pub(super) run: RunId,
    pub(super) requests: Requests,
    pub(super) grants: Grants,
    /// They end with their leader, whoever holds this.
    pub(super) hooks: Weak<Hooks>,
    pub(super) lifts: Lifts,
    pub(super) classifier: Option<Arc<dyn Classifier>>,
    pub(super) agents: Arc<Roster>,
    pub(super) ledger: Ledger,
    pub(super) directory: Directory,
    pub(super) events: broadcast::Sender<RunEvent>,
    pub(super) said: broadcast::Sender<AgentSaid>,
    pub(super) moves: broadcast::Sender<CallMoved>,
    pub(super) stops: flume::Sender<StopReason>,
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) board: JobBoard,
    pub(super) contexts: Arc<DashMap<WorkerId, Frozen>>,
    pub(super) pace: Pace,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) socket: PathBuf,
    pub(super) project: AbsPath,
}

impl LeaderHandle {
    /// The run.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The open questions: to list, watch and answer.
    #[must_use]
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// The book of grants and tightenings.
    #[must_use]
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// How the classifier does, in words; nothing when there is none.
    #[must_use]
    pub fn on_classifier(&self) -> Option<String> {
        let classifier = self.classifier.as_ref()?;
        let (name, health) = (classifier.name(), classifier.health());
        Some(format!("classifier `{name}`: {health}"))
    }

    /// Where a person lifts what the classifier refused.
    #[must_use]
    pub fn lifts(&self) -> &Lifts {
        &self.lifts
    }

    /// Where this leader's control socket is to be bound.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The agents at work, by id.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerCard> {
        self.directory.list()
    }

    /// One agent at work.
    #[must_use]
    pub fn worker(&self, worker: WorkerId) -> Option<WorkerCard> {
        self.directory.get(worker)
    }

    /// The types of agents that may be spawned: those of agent files, of the job file, and of files that joined.
    #[must_use]
    pub fn agent_types(&self) -> Vec<AgentName> {
        types(&self.agents)
    }

    /// How far each job is, in the order of the file and of their joining.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobCard> {
        self.board.list()
    }

    /// The frozen context of an agent of this run, at work or ended, and its rules.
    #[must_use]
    pub fn context(&self, worker: WorkerId) -> Option<Frozen> {
        self.contexts.get(&worker).map(|frozen| frozen.clone())
    }

    /// Whether the run goes on or is held.
    #[must_use]
    pub fn course(&self) -> Course {
        self.pace.course()
    }

    /// The agents that are held for themselves.
    #[must_use]
    pub fn held(&self) -> Vec<WorkerId> {
        self.pace.held()
    }

    /// The project's root.
    #[must_use]
    pub fn project(&self) -> &AbsPath {
        &self.project
    }

    /// What time it is for the run.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// What happens to the run from now on. A watcher that falls behind misses events; the ledger has them all.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<RunEvent> {
        self.events.subscribe()
    }

    /// What thinking agents say from now on, piece by piece. As with [`Self::events`], a slow listener misses some; the
    /// ledger has every turn that was said to its end.
    #[must_use]
    pub fn said(&self) -> broadcast::Receiver<AgentSaid> {
        self.said.subscribe()
    }

    /// The moves of calls from now on. As with [`Self::events`], a slow watcher misses some.
    #[must_use]
    pub fn moves(&self) -> broadcast::Receiver<CallMoved> {
        self.moves.subscribe()
    }

    /// Stops everything: open questions end as cancelled, child processes are killed, no job is started any more.
    /// Returns at once; the first reason counts.
    pub fn stop(&self, reason: StopReason) {
        // A full queue holds stops that nobody has read yet: this one would change nothing.
        let _ = self.stops.try_send(reason);
    }

    /// Holds the run, or lets it go on: while it is held no job starts, and agents wait at their next calls. What
    /// runs, and what is asked, is not touched; the times of jobs go on. With an agent named, that one alone is held,
    /// with all below it.
    ///
    /// Cancel safe: once it is sent, the order is carried out.
    ///
    /// # Errors
    /// When the run is ending, the agent is not at work, or the order could not be recorded.
    pub async fn set_course(
        &self,
        of: Option<WorkerId>,
        course: Course,
        by: Answerer,
    ) -> Result<(), OrderError> {
        self.order(|done| Order::Pace {
            of,
            course,
            by,
            done,
        })
        .await
    }

    /// Has jobs tried again that did not end well, and with them those that were skipped for them. Gives the names
    /// of the former.
    ///
    /// Cancel safe: once it is sent, the order is carried out.
    ///
    /// # Errors
    /// When one of them can't be tried again; then none is.
    pub async fn retry(
        &self,
        which: RetryWhich,
        by: Answerer,
    ) -> Result<Vec<Arc<str>>, OrderError> {
        self.order(|done| Order::Retry { which, by, done }).await
    }

    /// Lets the jobs of another file join the run, under the settings that the run was started with. The run's own
    /// limits of slots, agents and time to answer stay. Gives their names.
    ///
    /// Cancel safe: once it is sent, the order is carried out.
    ///
    /// # Errors
    /// When a leader could not start with that file, or a name is taken; then none joins.
    pub async fn add_jobs(
        &self,
        job_file: JobFile,
        by: Answerer,
    ) -> Result<Vec<Arc<str>>, OrderError> {
        let job_file = Box::new(job_file);
        self.order(|done| Order::Add { job_file, by, done }).await
    }

    /// Says something to an agent at work: it reads it before its next turn. It changes no permission.
    ///
    /// Cancel safe: the agent is told before the first wait.
    ///
    /// # Errors
    /// When the agent is not at work, reads no messages, or too many wait for it.
    pub async fn follow_up(
        &self,
        worker: WorkerId,
        text: &str,
        by: Answerer,
    ) -> Result<(), OrderError> {
        match self.directory.tell(worker, text) {
            Told::Yes => {}
            Told::NotAtWork => return Err(OrderError::NotAtWork(worker)),
            Told::NotYet => return Err(OrderError::NotYet(worker)),
            Told::Deaf => return Err(OrderError::Deaf(worker)),
            Told::No(error) => return Err(error.into()),
        }
        let order = RunOrder::FollowUp {
            worker,
            text: text.into(),
        };
        let given = OrderGiven { by, order };
        let recorded = self.ledger.note(self.run, given).await;
        recorded.map(drop).map_err(OrderError::NotRecorded)
    }

    /// Puts on record that the run's terminal was closed.
    ///
    /// Cancel safe: once it is polled, it is on its way to the disk.
    ///
    /// # Errors
    /// When it can't be recorded; the run goes on as before.
    pub async fn hung_up(&self, questions: HungUp) -> Result<(), AppendError> {
        let given = OrderGiven {
            by: Answerer::Person {
                surface: Surface::Terminal,
            },
            order: RunOrder::HangUp { questions },
        };
        self.ledger.note(self.run, given).await
    }

    /// Stops a job: one that waits for others, for a slot or for its next try is not begun any more, and those that need it
    /// are skipped; of one at work the worker is stopped, with all below it.
    ///
    /// Cancel safe: once it is sent, the order is carried out for a job that waits.
    ///
    /// # Errors
    /// When there is no such job, it has ended, or the order can't be recorded.
    pub async fn stop_job(
        &self,
        job: &str,
        reason: &str,
        by: Answerer,
    ) -> Result<JobStop, OrderError> {
        let (job, text) = (job.into(), reason.into());
        let found = self
            .order(|done| Order::StopJob {
                job,
                text,
                by,
                done,
            })
            .await?;
        Ok(match found {
            JobFound::Waited { skipped } => JobStop::Waited { skipped },
            JobFound::Worker(worker) => {
                let stopped = self.stop_worker(worker, reason).await;
                JobStop::Worker(worker, stopped.map_err(OrderError::NotRecorded)?)
            }
        })
    }

    async fn order<T>(
        &self,
        order: impl FnOnce(oneshot::Sender<Result<T, OrderError>>) -> Order,
    ) -> Result<T, OrderError> {
        let (done, carried_out) = oneshot::channel();
        self.orders
            .try_send(order(done))
            .map_err(|error| match error {
                TrySendError::Full(_) => OrderError::Busy,
                TrySendError::Closed(_) => OrderError::Ending,
            })?;
        carried_out.await.map_err(|_| OrderError::Ending)?
    }

    /// Stops one agent and all below it, and ends their open questions; also those of an agent that does not live again
    /// yet.
    ///
    /// Cancel safe: an agent at work is told before the first wait.
    ///
    /// # Errors
    /// When the order can't be recorded. The agent is stopped nevertheless.
    pub async fn stop_worker(
        &self,
        worker: WorkerId,
        reason: &str,
    ) -> Result<StopWorker, AppendError> {
        let scope = EndScope::SubtreeOf(worker);
        let end_open = self.requests.end_all_of(scope, Outcome::Cancelled, reason);
        // Looked at first: one that comes to live meanwhile is at work then.
        let is_expected = self.directory.is_expected(worker);
        let mut stopped = match is_expected {
            true => self.directory.stop_expected(worker),
            false => self.directory.stop(worker),
        };
        if stopped == StopWorker::Stopping
            && let Some(hooks) = self.hooks.upgrade()
        {
            hooks.end_unawaited_of(worker);
        }
        let ended = end_open.await;
        if stopped == StopWorker::NotAtWork {
            // One that would be given something else than it was is not expected, and may live all the same; one that is
            // expected no more does not.
            if is_expected || ended == 0 {
                return Ok(StopWorker::NotAtWork);
            }
            stopped = self.directory.stop_ahead(worker);
        }
        let stop = StopAsked {
            worker: Some(worker),
            reason: reason.into(),
        };
        self.ledger.note(self.run, stop).await?;
        Ok(stopped)
    }
}
