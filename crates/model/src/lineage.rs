//! Lineages: who asks, told from the leader down.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{AgentName, WorkerId};

/// One agent in a lineage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LineageStep {
    /// The agent.
    pub worker: WorkerId,
    /// What people call it: a job's name, or the name its parent gave.
    pub label: Arc<str>,
    /// Its type, as hooks and `Agent(...)` rules see it.
    pub agent: AgentName,
}

/// An agent and all its ancestors, the job's worker first. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<LineageStep>", into = "Vec<LineageStep>")]
pub struct Lineage {
    steps: Arc<[LineageStep]>,
    last: LineageStep,
}

/// An empty list names nobody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a lineage names at least one agent")]
pub struct EmptyLineage;

impl Lineage {
    /// The lineage of an agent that the leader started itself.
    #[must_use]
    pub fn root(step: LineageStep) -> Self {
        Self {
            steps: Arc::from([step.clone()]),
            last: step,
        }
    }

    /// The lineage of an agent that this one spawned.
    #[must_use]
    pub fn child(&self, step: LineageStep) -> Self {
        let steps = self.steps.iter().cloned().chain([step.clone()]).collect();
        Self { steps, last: step }
    }

    /// The agent itself.
    #[must_use]
    pub fn agent(&self) -> &LineageStep {
        &self.last
    }

    /// From the job's worker down to the agent itself.
    #[must_use]
    pub fn steps(&self) -> &[LineageStep] {
        &self.steps
    }

    /// How deep it stands: 1 for a job's worker, 2 for an agent that one spawned.
    #[must_use]
    pub fn depth(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Whether `worker` is this agent or one of its ancestors.
    #[must_use]
    pub fn includes(&self, worker: WorkerId) -> bool {
        self.steps.iter().any(|step| step.worker == worker)
    }
}

impl fmt::Display for Lineage {
    /// Like `docs › reviewer › grep`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            let arrow = if at == 0 { "" } else { " › " };
            write!(f, "{arrow}{}", step.label)?;
        }
        Ok(())
    }
}

impl TryFrom<Vec<LineageStep>> for Lineage {
    type Error = EmptyLineage;
    fn try_from(steps: Vec<LineageStep>) -> Result<Self, EmptyLineage> {
        let last = steps.last().cloned().ok_or(EmptyLineage)?;
        Ok(Self {
            steps: steps.into(),
            last,
        })
    }
}

impl From<Lineage> for Vec<LineageStep> {
    fn from(lineage: Lineage) -> Self {
        lineage.steps.to_vec()
    }
}
