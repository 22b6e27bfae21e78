//! How a tool starts an agent. The leader's side of it lives in the swarm crate; this crate only
//! says what is asked of it.

use async_trait::async_trait;
use pointsman_model::{CallId, SpawnContextError, SpawnInput, WorkerId};

use crate::Seat;

/// Starts agents on behalf of agents.
#[async_trait]
pub trait Spawner: Send + Sync {
    /// Starts an agent by a call, with a context narrowed from `parent`'s, and waits for its end; or, in the background, leaves it to
    /// `parent` ([`Seat::in_background`]).
    ///
    /// # Errors
    /// When it can't be started. An agent that was started and failed is no error here: its end says so.
    ///
    /// # Cancellation safety
    /// Dropping the future stops an agent that is waited for, and all it spawned.
    async fn spawn(
        &self,
        parent: &Seat,
        call: CallId,
        input: &SpawnInput,
    ) -> Result<Spawned, SpawnError>;
}

/// What became of an agent that was to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spawned {
    /// It was waited for.
    Ended(SpawnedEnd),
    /// It works beside the agent that started it.
    InBackground(WorkerId),
}

/// How a spawned agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnedEnd {
    /// The agent.
    pub worker: WorkerId,
    /// Whether it did what it was started for.
    pub end: SpawnedHow,
    /// What it says to its parent.
    pub text: String,
}

/// Whether a spawned agent did what it was started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnedHow {
    /// It did.
    Done,
    /// It failed, was halted or stopped.
    NotDone,
}

/// Why no agent was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// There is no agent of that type.
    #[error("there is no agent of type `{name}`{}", one_of(known))]
    UnknownAgent {
        /// The type that was asked for.
        name: Box<str>,
        /// The types there are.
        known: Vec<Box<str>>,
    },
    /// It has to think, and has no model.
    #[error(
        "the agent `{name}` has no model: it would have that of the agent that starts it, which has none, or that of \
         `[defaults]` in the job file"
    )]
    NoModel {
        /// The type that was asked for.
        name: Box<str>,
    },
    /// Its context can't be made.
    #[error(transparent)]
    Context(#[from] SpawnContextError),
    /// The run has as many agents as it may have.
    #[error("the run already has {max} agents, which is all it may have")]
    TooMany {
        /// The limit.
        max: u32,
    },
    /// The run is being stopped.
    #[error("the run is being stopped")]
    Stopping,
    /// The start could not be recorded.
    #[error("the start of the agent could not be recorded: {0}")]
    NotRecorded(Box<str>),
}

/// `: there is A, B` or nothing.
fn one_of(known: &[Box<str>]) -> String {
    if known.is_empty() {
        String::new()
    } else {
        format!("; there is {}", known.join(", "))
    }
}

/// The spawner of a place without sub-agents: it refuses.
#[derive(Debug, Clone, Copy)]
pub struct NoSpawner;

#[async_trait]
impl Spawner for NoSpawner {
    async fn spawn(
        &self,
        _parent: &Seat,
        _call: CallId,
        input: &SpawnInput,
    ) -> Result<Spawned, SpawnError> {
        Err(SpawnError::UnknownAgent {
            name: input.subagent_type.as_deref().unwrap_or_default().into(),
            known: Vec::new(),
        })
    }
}
