//! The leader's handle: what surfaces and the command line hold of a running leader.

use std::path::{Path, PathBuf};

use pointsman_approvals::{EndScope, Grants, Requests};
use pointsman_ledger::{AppendError, Ledger, StopAsked};
use pointsman_model::{Outcome, RunId, WorkerId};
use pointsman_tools::CallMoved;
use tokio::sync::broadcast;

use crate::directory::{Directory, StopWorker, WorkerCard};
use crate::{RunEvent, StopReason};

/// A running leader, seen from outside. Cheap to clone; keeps nothing alive.
#[derive(Clone)]
pub struct LeaderHandle {
    pub(super) run: RunId,
    pub(super) requests: Requests,
    pub(super) grants: Grants,
    pub(super) ledger: Ledger,
    pub(super) directory: Directory,
    pub(super) events: broadcast::Sender<RunEvent>,
    pub(super) moves: broadcast::Sender<CallMoved>,
    pub(super) orders: flume::Sender<StopReason>,
    pub(super) socket: PathBuf,
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

    /// What happens to the run from now on. A watcher that falls behind misses events; the ledger has them all.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<RunEvent> {
        self.events.subscribe()
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
        let _ = self.orders.try_send(reason);
    }

    /// Stops one agent and all below it, and ends their open questions.
    ///
    /// Cancel safe: the agent is told before the first wait.
    ///
    /// # Errors
    /// When the order can't be recorded. The agent is stopped nevertheless.
    pub async fn stop_worker(
        &self,
        worker: WorkerId,
        reason: &str,
    ) -> Result<StopWorker, AppendError> {
        let came = self.directory.stop(worker);
        match came {
            StopWorker::NotAtWork => {}
            StopWorker::Stopping => {
                let scope = EndScope::SubtreeOf(worker);
                self.requests
                    .end_all_of(scope, Outcome::Cancelled, reason)
                    .await;
                let stop = StopAsked {
                    worker: Some(worker),
                    reason: reason.into(),
                };
                self.ledger.note(self.run, stop).await?;
            }
        }
        Ok(came)
    }
}
