//! Spawning: an agent asks for another, and gets it with a context narrowed from its own.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_agents::AgentEnd;
use pointsman_model::{AgentName, ChildContext, LineageStep, Origin, SpawnInput, WhoSetMode};
use pointsman_tools::{Seat, SpawnError, SpawnedEnd, SpawnedHow, Spawner};

use super::ground::Ground;
use super::life::{Birth, NotBorn, live};

/// How many agents of one job may wait to be started in the background; the spawning agent waits beyond that.
pub(super) const BACKGROUND_MAX: usize = 16;

/// An agent that is to live beside its parent; its job's task owns it.
pub(super) type Beside = Birth;

/// Starts the agents that the agents of one job ask for.
pub(super) struct Nursery {
    ground: Arc<Ground>,
    beside: flume::Sender<Beside>,
}

impl Nursery {
    pub(super) fn new(ground: Arc<Ground>, beside: flume::Sender<Beside>) -> Self {
        Self { ground, beside }
    }
}

#[async_trait]
impl Spawner for Nursery {
    async fn spawn(&self, parent: &Seat, input: &SpawnInput) -> Result<SpawnedEnd, SpawnError> {
        if parent.stop.is_cancelled() {
            return Err(SpawnError::Stopping);
        }
        let name = AgentName::new(input.subagent_type.as_deref().unwrap_or_default());
        let Some(definition) = self.ground.agents.get(&name) else {
            let known = self.ground.agents.keys();
            return Err(SpawnError::UnknownAgent {
                name: name.as_str().into(),
                known: known.map(|name| name.as_str().into()).collect(),
            });
        };
        let worker = self.ground.ids.next_worker();
        let frozen = parent.frozen.child(ChildContext {
            step: LineageStep {
                worker,
                label: name.as_str().into(),
                agent: name.clone(),
            },
            // The job file is the person's own, named on the command line.
            mode: definition.mode.map(|mode| (mode, WhoSetMode::Person)),
            tools: definition.tools.clone(),
            folder: None,
        })?;
        let background = input.run_in_background == Some(true);
        let birth = Birth {
            frozen,
            task: input.prompt.as_str().into(),
            origin: if background {
                Origin::Background
            } else {
                parent.origin
            },
            steps: definition.steps.clone(),
            stop: parent.stop.child_token(),
            spawner: Arc::new(Self::new(Arc::clone(&self.ground), self.beside.clone())),
        };
        if background {
            self.beside
                .send_async(birth)
                .await
                .map_err(|_| SpawnError::Stopping)?;
            let text = format!("{worker} ({name}) was started and goes on beside you");
            return Ok(SpawnedEnd {
                worker,
                end: SpawnedHow::Done,
                text,
            });
        }
        match live(&self.ground, birth).await {
            Ok(end) => Ok(spawned_end(worker, &name, end)),
            Err(NotBorn::TooMany { max }) => Err(SpawnError::TooMany { max }),
            Err(NotBorn::NotRecorded(error)) => {
                Err(SpawnError::NotRecorded(error.to_string().into()))
            }
        }
    }
}

fn spawned_end(worker: pointsman_model::WorkerId, name: &AgentName, end: AgentEnd) -> SpawnedEnd {
    let (how, text) = match end {
        AgentEnd::Done { summary } => (SpawnedHow::Done, summary),
        AgentEnd::Failed { reason } => (SpawnedHow::NotDone, format!("{name} failed: {reason}")),
        AgentEnd::Stopped => (SpawnedHow::NotDone, format!("{name} was stopped")),
        AgentEnd::Halted { reason } => {
            (SpawnedHow::NotDone, format!("{name} was halted: {reason}"))
        }
    };
    SpawnedEnd {
        worker,
        end: how,
        text,
    }
}
