//! Spawning: an agent asks for another, and gets it with a context narrowed from its own. The one that asks waits for the
//! other's end, or goes on beside it. Each is a task of its own, which ends with that wait, or with its parent.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use pointsman_agents::AgentEnd;
use pointsman_ledger::WorkerEnd;
use pointsman_model::{AgentName, CallId, Lineage, LineageStep, Origin, SpawnInput, WorkerId};
use pointsman_tools::{Seat, SpawnError, Spawned, SpawnedEnd, SpawnedHow, Spawner};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use super::dropped::close_dropped;
use super::ground::Ground;
use super::life::{Birth, Entrance, NotBorn, TimeUp, live};
use super::past::PastWorker;
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

    /// The agent that is wanted, as it comes to live, or as it ended before the leader died. One that lived and can't live
    /// again has its end here.
    async fn birth(&self, parent: &Seat, wanted: &Wanted) -> Result<Started, SpawnError> {
        let past = self.ground.past.child(parent.worker, wanted);
        if let Some(past) = &past
            && let Some((end, text)) = &past.end
        {
            // Whatever has become of its definition since.
            let before = of_the_past(past.worker, &wanted.name, *end, text);
            return Ok(Started::Before(before));
        }
        let birth = self.newborn(parent, wanted, past.as_ref());
        if let (Some(past), Err(error)) = (&past, &birth) {
            let why = format!("it could not live again: {error}");
            close_dropped(&self.ground, past.worker, &why).await;
        }
        birth.map(|birth| Started::Now(Box::new(birth)))
    }

    /// The agent as the job file or an agent file defines it, with the context that is left to it below `parent`.
    fn newborn(
        &self,
        parent: &Seat,
        wanted: &Wanted,
        past: Option<&PastWorker>,
    ) -> Result<Birth, SpawnError> {
        let name = &wanted.name;
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
        let worker = past.map_or_else(|| self.ground.ids.next_worker(), |past| past.worker);
        let frozen = parent.frozen.child(definition.child_context(LineageStep {
            worker,
            // Not the parent's words: a lineage is what people go by when they answer.
            label: name.as_str().into(),
            agent: name.clone(),
        }))?;
        let above = match wanted.origin {
            Origin::Foreground => &parent.stop,
            Origin::Background => parent.in_background.stop(),
        };
        Ok(Birth {
            frozen,
            entrance: Entrance::of(past),
            task: wanted.task.clone(),
            origin: wanted.origin,
            call: wanted.call,
            on_record: None,
            stop: above.child_token(),
            // An agent below a job has no time of its own.
            time_up: TimeUp::default(),
            spawner: Arc::new(self.below(&work)),
            work,
            resumes: None,
        })
    }

    /// Takes the agents up again that an earlier reign left in the parent's background. Boxed, since they live as their
    /// parent does, which waits for this.
    pub(super) fn take_up<'a>(
        &'a self,
        parent: &'a Seat,
        left: Vec<(WorkerId, Wanted)>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            for (worker, wanted) in left {
                if let Err(error) = self.start_beside(parent, wanted.clone()).await {
                    let end = not_started(worker, &wanted.name, &error);
                    parent.in_background.ended_before(end);
                }
            }
        })
    }

    /// Starts an agent, or takes up one of an earlier reign, and leaves it to `parent`. What is given with it comes back
    /// once its start is on record, or is not to be.
    async fn start_beside(
        &self,
        parent: &Seat,
        wanted: Wanted,
    ) -> Result<(WorkerId, oneshot::Receiver<()>), SpawnError> {
        let (on_record, is_on_record) = oneshot::channel();
        let worker = match self.birth(parent, &wanted).await? {
            Started::Before(end) => {
                let worker = end.worker;
                parent.in_background.ended_before(end);
                worker
            }
            Started::Now(mut birth) => {
                birth.on_record = Some(on_record);
                let worker = birth.worker();
                let life = grow_up(Arc::clone(&self.ground), wanted.name.clone(), birth);
                parent.in_background.add(worker, async move {
                    life.await
                        .unwrap_or_else(|error| not_started(worker, &wanted.name, &error))
                });
                worker
            }
        };
        Ok((worker, is_on_record))
    }
}

/// What an agent is started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) name: AgentName,
    pub(super) task: Box<str>,
    /// Whether the one that starts it waits for it.
    pub(super) origin: Origin,
    /// By which call; nothing of one that a record of an earlier version tells of.
    pub(super) call: Option<CallId>,
}

impl Wanted {
    /// As the parent put it, the short form of the task first.
    fn of(call: CallId, input: &SpawnInput) -> Self {
        Self {
            call: Some(call),
            name: AgentName::new(input.subagent_type.as_deref().unwrap_or_default()),
            task: match &input.description {
                Some(description) => format!("{description}: {}", input.prompt).into(),
                None => input.prompt.as_str().into(),
            },
            origin: match input.run_in_background {
                Some(true) => Origin::Background,
                Some(false) | None => Origin::Foreground,
            },
        }
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
    async fn spawn(
        &self,
        parent: &Seat,
        call: CallId,
        input: &SpawnInput,
    ) -> Result<Spawned, SpawnError> {
        if parent.stop.is_cancelled() {
            return Err(SpawnError::Stopping);
        }
        let wanted = Wanted::of(call, input);
        if wanted.origin == Origin::Background {
            let (worker, is_on_record) = self.start_beside(parent, wanted).await?;
            // Before the call has its end on record: a leader's death between the two would lose the agent. One that
            // could not start says so by its end.
            let _ = is_on_record.await;
            return Ok(Spawned::InBackground(worker));
        }
        let end = match self.birth(parent, &wanted).await? {
            Started::Now(birth) => grow_up(Arc::clone(&self.ground), wanted.name, birth).await?,
            Started::Before(end) => end,
        };
        Ok(Spawned::Ended(end))
    }
}

/// An agent's life to its end, in a task of its own: nested in its parent's, a deep family would outgrow the stack of a
/// thread.
async fn grow_up(
    ground: Arc<Ground>,
    name: AgentName,
    birth: Box<Birth>,
) -> Result<SpawnedEnd, SpawnError> {
    let worker = birth.worker();
    let of_life = Arc::clone(&ground);
    let life = tokio::spawn(async move { live(&of_life, *birth).await });
    match AbortOnDropHandle::new(life).await {
        Ok(Ok(end)) => Ok(spawned_end(worker, &name, end)),
        Ok(Err(NotBorn::TooMany { max })) => Err(SpawnError::TooMany { max }),
        Ok(Err(NotBorn::NotRecorded(error))) => {
            Err(SpawnError::NotRecorded(error.to_string().into()))
        }
        Err(_) => {
            let why = "its task broke off inside pointsman; this is a defect";
            Box::pin(close_dropped(&ground, worker, why)).await;
            let reason = why.into();
            Ok(spawned_end(worker, &name, AgentEnd::Failed { reason }))
        }
    }
}

/// The end of an agent that was to work in the background and never did.
fn not_started(worker: WorkerId, name: &AgentName, error: &SpawnError) -> SpawnedEnd {
    SpawnedEnd {
        worker,
        end: SpawnedHow::NotDone,
        text: format!("{name} was not started: {error}"),
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
