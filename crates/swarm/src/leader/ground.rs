//! What all agents of a run stand on: the ledger, the open requests, the grants, the ids, the
//! handlers. Made once by the leader's start, shared by every seat.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dashmap::DashMap;
use pointsman_agents::{AgentSaid, ModelAccess};
use pointsman_approvals::{EndScope, Grants, InProcessMailbox, Requests};
use pointsman_gate::{Classifier, HookWord, Hooks, Lifts, PermissionHandler};
use pointsman_ledger::{Clock, Ledger};
use pointsman_model::{HandlerKind, Millis, Outcome, RunId, WorkerId};
use pointsman_policy::{Frozen, Tree};
use pointsman_process::Environment;
use pointsman_tools::{CallMoved, Pace, RunIds, Toolbox};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::past::Past;
use super::roster::{Roster, types};
use crate::directory::Directory;
use crate::{RunEvent, StopReason};

/// How long an end of open questions may take to reach the disk before the leader goes on without it; their agents are
/// stopped in any case.
const END_WAIT_MAX: Duration = Duration::from_secs(5);

/// What all agents of a run share.
pub(super) struct Ground {
    pub(super) run: RunId,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<RunIds>,
    pub(super) requests: Requests,
    pub(super) grants: Grants,
    pub(super) hooks: Arc<Hooks>,
    /// Where people lift what the classifier refused.
    pub(super) lifts: Lifts,
    /// Who judges beside people.
    pub(super) classifier: Option<Arc<dyn Classifier>>,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) tree: Arc<dyn Tree>,
    pub(super) environment: Environment,
    /// How long a question stays open.
    pub(super) answer_within: Millis,
    pub(super) moves: broadcast::Sender<CallMoved>,
    pub(super) events: broadcast::Sender<RunEvent>,
    /// What thinking agents say, while they say it.
    pub(super) said: broadcast::Sender<AgentSaid>,
    pub(super) directory: Directory,
    /// What agents did before this leader took the run up.
    pub(super) past: Past,
    /// The frozen context of each agent that was started, for the census and for what is judged anew.
    pub(super) contexts: Arc<DashMap<WorkerId, Frozen>>,
    /// For jobs' workers.
    pub(super) coordinator: Arc<dyn PermissionHandler>,
    /// For agents that agents spawn.
    pub(super) swarm_worker: Arc<dyn PermissionHandler>,
    /// How requests of spawned agents reach the desk.
    pub(super) mailbox: InProcessMailbox,
    /// The agents that may be spawned, by type.
    pub(super) agents: Arc<Roster>,
    /// How models are reached.
    pub(super) models: Option<ModelAccess>,
    /// How many agents the run may start.
    pub(super) agents_max: u32,
    /// How many it has started.
    pub(super) agents_started: AtomicU32,
    /// Ends everything.
    pub(super) stop: CancellationToken,
    /// Whether agents go on with their next calls.
    pub(super) pace: Pace,
    /// Where the run is stopped from.
    pub(super) orders: flume::Sender<StopReason>,
    /// What hooks said at the begin of the run, for each agent.
    pub(super) background: OnceLock<Vec<HookWord>>,
}

impl Ground {
    /// The handler that goes with an agent's place.
    pub(super) fn handler(&self, kind: HandlerKind) -> Arc<dyn PermissionHandler> {
        match kind {
            // A run of jobs has no interactive root; should one appear, one dialog serves it too.
            HandlerKind::Interactive | HandlerKind::Coordinator => Arc::clone(&self.coordinator),
            HandlerKind::SwarmWorker => Arc::clone(&self.swarm_worker),
        }
    }

    /// The types of agents that may be spawned, by name.
    pub(super) fn agent_types(&self) -> Vec<Box<str>> {
        let types = types(&self.agents).into_iter();
        types.map(|name| name.as_str().into()).collect()
    }

    /// Halts the run. When other stops wait to be read, the first of them counts, and this one changes nothing.
    pub(super) fn halt(&self, text: String) {
        let _ = self
            .orders
            .try_send(StopReason::Halted { text: text.into() });
    }

    /// What each agent should know from its start.
    pub(super) fn background(&self) -> Vec<HookWord> {
        self.background.get().cloned().unwrap_or_default()
    }

    /// That an agent and all that are left below it do not live again any more.
    pub(super) fn expect_no_longer(&self, top: WorkerId) {
        self.directory.expect_no_longer(top);
        for below in self.past.take_below(top) {
            self.directory.expect_no_longer(below);
        }
    }

    /// Ends open questions as cancelled. Waits until that is on disk, but not for a disk that does not come back.
    pub(super) async fn end_open(&self, scope: EndScope, why: &str) {
        let ending = self.requests.end_all_of(scope, Outcome::Cancelled, why);
        if tokio::time::timeout(END_WAIT_MAX, ending).await.is_err() {
            tracing::error!(?scope, "open questions could not be ended in time");
        }
    }

    /// Tells whoever watches. Nobody watching is no failure.
    pub(super) fn tell(&self, event: RunEvent) {
        let _ = self.events.send(event);
    }
}
