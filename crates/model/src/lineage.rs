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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::RunId;

    fn step(number: u32, label: &str) -> LineageStep {
        LineageStep {
            worker: WorkerId::new(RunId::new(7).unwrap(), number),
            label: label.into(),
            agent: AgentName::new("steps"),
        }
    }

    #[test]
    fn reads_from_the_jobs_worker_down() {
        let job = Lineage::root(step(1, "docs"));
        let below = job.child(step(2, "reviewer")).child(step(5, "grep"));
        assert_eq!(below.to_string(), "docs › reviewer › grep");
        assert_eq!(job.to_string(), "docs");
        assert_eq!((job.depth(), below.depth()), (1, 3));
    }

    #[test]
    fn an_empty_list_is_no_lineage() {
        assert_eq!(Lineage::try_from(Vec::new()), Err(EmptyLineage));
        assert!(serde_json::from_str::<Lineage>("[]").is_err());
    }

    proptest! {
        /// Law 18: whatever the depth, the whole way down is told, and nothing else is.
        #[test]
        fn law_18_a_lineage_names_every_ancestor_at_any_depth(numbers in proptest::collection::vec(0_u32..50, 1..40)) {
            let mut lineage = Lineage::root(step(numbers[0], "a"));
            for number in &numbers[1..] {
                lineage = lineage.child(step(*number, "b"));
            }
            let told: Vec<u32> = lineage.steps().iter().map(|step| step.worker.number()).collect();
            prop_assert_eq!(&told, &numbers);
            prop_assert_eq!(lineage.agent(), lineage.steps().last().unwrap());
            for number in 0..50 {
                let worker = step(number, "").worker;
                prop_assert_eq!(lineage.includes(worker), numbers.contains(&number));
            }
            let text = serde_json::to_string(&lineage).unwrap();
            prop_assert_eq!(serde_json::from_str::<Lineage>(&text).unwrap(), lineage);
        }
    }
}
