//! Spawning: an agent asks for another, and gets it with a context narrowed from its own. The one
//! that asks waits for the other's end. Each is a task of its own, which ends with that wait.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_agents::AgentEnd;
use pointsman_ledger::WorkerEnd;
use pointsman_model::{AgentName, Lineage, LineageStep, SpawnInput, WorkerId};
use pointsman_tools::{Seat, SpawnError, SpawnedEnd, SpawnedHow, Spawner};
use tokio_util::task::AbortOnDropHandle;

use super::dropped::close_dropped;
use super::ground::Ground;
use super::life::{Birth, Entrance, NotBorn, TimeUp, live};
use super::roster::Roster;
use crate::job_file::{Job, ModelWork, Work};

/// Starts the agents that agents ask for.
#[derive(Clone)]
pub(super) struct Nursery {
    ground: Arc<Ground>,
    /// The model of the agent that asks, or of the one above it that has one.
    model: Option<Arc<ModelWork>>,
}

impl Nursery {
    /// The nursery of a job's worker.
    pub(super) fn new(ground: Arc<Ground>, job: &Job) -> Self {
        let model = model_of(&job.work).or_else(|| job.model_below.clone());
        Self { ground, model }
    }

    /// The nursery of an agent that was spawned here.
    fn below(&self, work: &Work) -> Self {
        Self {
            ground: Arc::clone(&self.ground),
            model: model_of(work).or_else(|| self.model.clone()),
        }
    }

    /// The agent as the job file or an agent file defines it, with the context that is left to it below `parent`.
    fn birth(
        &self,
        parent: &Seat,
        name: &AgentName,
        input: &SpawnInput,
    ) -> Result<Started, SpawnError> {
        let Some(definition) = self.ground.agents.get(name) else {
            return Err(SpawnError::UnknownAgent {
                name: name.as_str().into(),
                known: self.ground.agent_types(),
            });
        };
        let Some(work) = definition.work(self.model.as_ref()) else {
            return Err(SpawnError::NoModel {
                name: name.as_str().into(),
            });
        };
        let task = task(input);
        let past = self.ground.past.child(parent.worker, name.as_str(), &task);
        let worker = past
            .as_ref()
            .map_or_else(|| self.ground.ids.next_worker(), |past| past.worker);
        let frozen = parent.frozen.child(definition.child_context(LineageStep {
            worker,
            // Not the parent's words: a lineage is what people go by when they answer.
            label: name.as_str().into(),
            agent: name.clone(),
        }))?;
        if let Some((end, text)) = past.as_ref().and_then(|past| past.end.as_ref()) {
            return Ok(Started::Before(of_the_past(worker, name, *end, text)));
        }
        Ok(Started::Now(Box::new(Birth {
            frozen,
            entrance: Entrance::of(past.as_ref()),
            task,
            origin: parent.origin,
            stop: parent.stop.child_token(),
            // An agent below a job has no time of its own.
            time_up: TimeUp::default(),
            spawner: Arc::new(self.below(&work)),
            work,
            resumes: None,
        })))
    }
}

/// What an agent's start comes to.
enum Started {
    /// It lives.
    Now(Box<Birth>),
    /// It lived and ended before the leader died.
    Before(SpawnedEnd),
}

fn of_the_past(worker: WorkerId, name: &AgentName, end: WorkerEnd, text: &str) -> SpawnedEnd {
    let end = match end {
        WorkerEnd::Done => AgentEnd::Done {
            summary: text.into(),
        },
        WorkerEnd::Failed => AgentEnd::Failed {
            reason: text.into(),
        },
        WorkerEnd::Halted => AgentEnd::Halted {
            reason: text.into(),
        },
        WorkerEnd::Stopped | WorkerEnd::TimedOut => AgentEnd::Stopped,
    };
    spawned_end(worker, name, end)
}

#[async_trait]
impl Spawner for Nursery {
    async fn spawn(&self, parent: &Seat, input: &SpawnInput) -> Result<SpawnedEnd, SpawnError> {
        if parent.stop.is_cancelled() {
            return Err(SpawnError::Stopping);
        }
        let name = AgentName::new(input.subagent_type.as_deref().unwrap_or_default());
        let birth = match self.birth(parent, &name, input)? {
            Started::Now(birth) => birth,
            Started::Before(end) => return Ok(end),
        };
        let worker = birth.frozen.context.parts().lineage.agent().worker;
        // A task of its own: nested in its parent's, a deep family would outgrow the stack of a thread.
        let ground = Arc::clone(&self.ground);
        let life = tokio::spawn(async move { live(&ground, *birth).await });
        let came = match AbortOnDropHandle::new(life).await {
            Ok(came) => came,
            Err(_) => {
                let why = "its task broke off inside pointsman; this is a defect";
                Box::pin(close_dropped(&self.ground, worker, why)).await;
                let reason = why.into();
                return Ok(spawned_end(worker, &name, AgentEnd::Failed { reason }));
            }
        };
        match came {
            Ok(end) => Ok(spawned_end(worker, &name, end)),
            Err(NotBorn::TooMany { max }) => Err(SpawnError::TooMany { max }),
            Err(NotBorn::NotRecorded(error)) => {
                Err(SpawnError::NotRecorded(error.to_string().into()))
            }
        }
    }
}

/// The work of an agent with that lineage, as it would be given it now; nothing where no such agent is known any more.
pub(super) fn work_of(lineage: &Lineage, jobs: &[Job], agents: &Roster) -> Option<Work> {
    let mut steps = lineage.steps().iter();
    let of_job = steps.next()?;
    let job = jobs.iter().find(|job| *job.name == *of_job.label)?;
    let mut work = job.work.clone();
    let mut model = model_of(&work).or_else(|| job.model_below.clone());
    for step in steps {
        work = agents.get(&step.agent)?.work(model.as_ref())?;
        model = model_of(&work).or(model);
    }
    Some(work)
}

fn model_of(work: &Work) -> Option<Arc<ModelWork>> {
    match work {
        Work::Model(model) => Some(Arc::clone(model)),
        Work::Steps(_) | Work::Replay(_) => None,
    }
}

/// The task as the parent put it, its short form first.
fn task(input: &SpawnInput) -> Box<str> {
    match &input.description {
        Some(description) => format!("{description}: {}", input.prompt).into(),
        None => input.prompt.as_str().into(),
    }
}

fn spawned_end(worker: WorkerId, name: &AgentName, end: AgentEnd) -> SpawnedEnd {
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
