//! An agent's place in a run: what its calls are judged by, who answers them, where they are
//! recorded.

use std::sync::Arc;

use pointsman_approvals::Grants;
use pointsman_gate::{Hooks, PermissionHandler};
use pointsman_ledger::{Clock, Ledger};
use pointsman_model::{Millis, Origin, RunId, WorkerId};
use pointsman_policy::{Frozen, Tree};
use pointsman_process::Environment;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::{CallMoved, FollowUps, InBackground, Pace, RunIds, Spawner, Toolbox};

/// All that dispatch needs to know about one agent. The leader makes it when it spawns the agent; nothing in it
/// changes afterwards but the grants, which are the leader's to change.
#[derive(Clone)]
pub struct Seat {
    /// The frozen context and its rules, compiled.
    pub frozen: Frozen,
    /// Who answers its questions.
    pub handler: Arc<dyn PermissionHandler>,
    /// The hooks that see its calls.
    pub hooks: Arc<Hooks>,
    /// The run's book of grants and tightenings.
    pub grants: Grants,
    /// Where everything is recorded.
    pub ledger: Ledger,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The run.
    pub run: RunId,
    /// The agent.
    pub worker: WorkerId,
    /// The task the agent works on, as its job or parent put it.
    pub task: Box<str>,
    /// Whether its parent waits for it.
    pub origin: Origin,
    /// The tools there are.
    pub toolbox: Arc<Toolbox>,
    /// How it starts agents.
    pub spawner: Arc<dyn Spawner>,
    /// The run's ids.
    pub ids: Arc<RunIds>,
    /// How long a question of this agent stays open; then it expires, which never approves.
    pub answer_within: Millis,
    /// Ends every wait of this agent, and what it runs.
    pub stop: CancellationToken,
    /// Whether it goes on with its next call.
    pub pace: Pace,
    /// What a person says to it while it works.
    pub follow_ups: FollowUps,
    /// The agents that it started and went on beside.
    pub in_background: Arc<InBackground>,
    /// Where moves of its calls are published.
    pub moves: broadcast::Sender<CallMoved>,
    /// The variables its commands see; the leader's secrets are not among them.
    pub environment: Environment,
    /// How paths are looked at.
    pub tree: Arc<dyn Tree>,
}
