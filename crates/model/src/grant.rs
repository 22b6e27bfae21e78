//! Grants: allows that outlive their call; and the overlay, which is what the leader adds to a
//! frozen context at the moment of a decision.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{CallId, GrantId, Lineage, PermissionMode, PermissionRule, RunId, WallTime, WorkerId};

/// For whom a grant counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "scope", rename_all = "snake_case")]
pub enum GrantScope {
    /// One call.
    Call {
        /// Which.
        call: CallId,
    },
    /// One agent, not those it spawns.
    Worker {
        /// Which.
        worker: WorkerId,
    },
    /// A job: its worker and all agents below it.
    Job {
        /// The job's worker.
        worker: WorkerId,
    },
    /// All agents of a run.
    Run {
        /// Which.
        run: RunId,
    },
}

impl GrantScope {
    /// Whether the scope names this agent. A call's scope is compared by its call, never here.
    #[must_use]
    pub fn names(&self, lineage: &Lineage) -> bool {
        match self {
            Self::Call { .. } => false,
            Self::Worker { worker } => lineage.agent().worker == *worker,
            Self::Job { worker } => lineage.includes(*worker),
            Self::Run { run } => lineage.agent().worker.run() == *run,
        }
    }
}

/// How often a grant may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uses {
    /// Any number of times.
    Unlimited,
    /// So many times more.
    Left(NonZeroU32),
}

/// An allow that outlives its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its id, for listing and revoking.
    pub id: GrantId,
    /// The allow rule it stands for.
    pub rule: PermissionRule,
    /// For whom.
    pub scope: GrantScope,
    /// Until when; the end of its scope if not said.
    pub until: Option<WallTime>,
    /// How often.
    pub uses: Uses,
}

/// What the leader adds when a call is judged: grants whose scope names the agent, and tightenings made since
/// the agent was spawned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlay {
    /// The grants that count for this agent at this moment; the leader has left out all others.
    pub grants: Vec<Grant>,
    /// Deny and ask rules made since the spawn. An allow here is ignored: loosening comes only as a grant.
    pub tightenings: Vec<PermissionRule>,
    /// The most trusting mode that the agent may be in from now on, when a person has lowered it since the spawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<PermissionMode>,
}
