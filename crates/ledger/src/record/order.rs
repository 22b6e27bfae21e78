//! Records of what a person makes of a run while it is on, but for answers and stops.

use pointsman_model::{AbsPath, Answerer, Digest, PermissionMode, WorkerId};
use serde::{Deserialize, Serialize};

/// A person changed the course of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderGiven {
    /// Who.
    pub by: Answerer,
    /// What.
    pub order: RunOrder,
}

/// What can be made of a run while it is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum RunOrder {
    /// No job starts and agents are held at their next call.
    Pause,
    /// They go on.
    GoOn,
    /// One agent, and all below it, is held at its next call.
    Hold {
        /// The agent.
        worker: WorkerId,
    },
    /// It goes on.
    LetGo {
        /// The agent.
        worker: WorkerId,
    },
    /// Jobs that did not end well are tried again.
    Retry {
        /// Their names.
        jobs: Vec<Box<str>>,
    },
    /// A job that was not at work is stopped: it is not begun, or not tried again.
    StopJob {
        /// Its name.
        job: Box<str>,
        /// Why, in the words of whoever stopped it.
        text: Box<str>,
    },
    /// Jobs of another file join.
    Add {
        /// Their names.
        jobs: Vec<Box<str>>,
        /// The file, as it was given.
        file: Box<str>,
        /// The fingerprint of its text.
        digest: Digest,
        /// Where it lies, wherever it was given from. Records of earlier versions don't say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<AbsPath>,
    },
    /// Agents are held to a mode that trusts less than their own may.
    LowerMode {
        /// The agent, with all below it; all agents when none is named.
        worker: Option<WorkerId>,
        /// The mode.
        mode: PermissionMode,
    },
    /// The terminal of the run was closed. The run goes on.
    HangUp {
        /// What becomes of its questions.
        questions: HungUp,
    },
    /// An agent was told something.
    FollowUp {
        /// The agent.
        worker: WorkerId,
        /// What it was told.
        text: Box<str>,
    },
}

/// What becomes of the questions of a run whose terminal was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HungUp {
    /// They wait to their deadlines.
    Wait,
    /// They are refused.
    Refused,
}

impl OrderGiven {
    /// The agent it is about, if it is about one.
    pub(super) fn worker(&self) -> Option<WorkerId> {
        match &self.order {
            RunOrder::FollowUp { worker, .. }
            | RunOrder::Hold { worker }
            | RunOrder::LetGo { worker } => Some(*worker),
            RunOrder::LowerMode { worker, .. } => *worker,
            RunOrder::HangUp { .. }
            | RunOrder::Pause
            | RunOrder::GoOn
            | RunOrder::Retry { .. }
            | RunOrder::StopJob { .. }
            | RunOrder::Add { .. } => None,
        }
    }
}
