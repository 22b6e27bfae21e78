//! The roster: leader, jobs, workers and sub-agents, and what each is at, told by the ledger's
//! records alone.

use std::collections::{BTreeMap, VecDeque};

use pointsman_ledger::{
    CallEnded, LedgerRecord, RecordBody, RunOrder, Speaker, TurnTaken, WorkerEnd, WorkerEnded,
    WorkerSpawned,
};
use pointsman_model::{CallId, Lineage, Millis, Outcome, PermissionMode, WallTime, WorkerId};
use pointsman_swarm::{JobEnd, RunEvent};
use pointsman_tools::Course;

use crate::render::call_line;
use crate::secret::masked;
use crate::shown;
use crate::socket::JobWire;

/// From this long without a sign an agent that runs nothing counts as silent: longer than a model
/// usually thinks, short enough to look after it.
const SILENT_AFTER: Millis = Millis(60_000);
/// Ended sub-agents that are kept in sight. The ledger has them all.
const ENDED_MAX: usize = 200;

/// What an agent is at, as far as its calls tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Between its calls.
    Working,
    /// Its model has the word.
    AtModel { since: WallTime },
    /// Its call runs.
    Running { call: CallId, what: String },
    /// It has ended.
    Ended { how: WorkerEnd, text: String },
}

/// Whether an agent is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    NotAsked,
    /// It is, as soon as it can: one that does not live again yet, when it does.
    Asked,
}

/// An agent, as it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) lineage: Lineage,
    /// The mode that its calls are judged in: that of its context, under what a person has held it to since.
    pub(crate) mode: PermissionMode,
    pub(crate) doing: Doing,
    pub(crate) started: WallTime,
    /// When something was heard of it last.
    pub(crate) heard: WallTime,
    pub(crate) refusals: u32,
    /// Whether its end has been asked for, and has not come.
    pub(crate) stop: Stop,
    /// Whether a person holds it, for itself.
    pub(crate) course: Course,
    children: Vec<WorkerId>,
}

impl Agent {
    /// Whether nothing was heard of it for long.
    pub(crate) fn is_silent(&self, now: WallTime) -> bool {
        self.doing == Doing::Working && now.since(self.heard) >= SILENT_AFTER
    }

    fn is_over(&self) -> bool {
        matches!(self.doing, Doing::Ended { .. })
    }
}

/// A job of the file.
#[derive(Debug, Clone)]
pub(crate) struct JobRow {
    pub(crate) name: String,
    /// Its worker at the latest try; nothing while it has not started.
    pub(crate) worker: Option<WorkerId>,
    pub(crate) tries: u32,
    /// How it ended.
    pub(crate) end: Option<JobEnd>,
}

/// What a row of the tree stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Leader,
    /// A job, by its place in the file.
    Job(usize),
    Agent(WorkerId),
}

/// A row of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Twig {
    pub(crate) node: Node,
    pub(crate) depth: u16,
}

/// How many jobs stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    pub(crate) all: usize,
    pub(crate) done: usize,
    pub(crate) failed: usize,
}

/// See the module's words.
#[derive(Debug)]
pub(crate) struct Roster {
    jobs: Vec<JobRow>,
    agents: BTreeMap<WorkerId, Agent>,
    ended: VecDeque<WorkerId>,
    /// Whether a person holds the whole run.
    course: Course,
    /// What a person has held agents to: one with all below it, or all of them.
    ceilings: Vec<(Option<WorkerId>, PermissionMode)>,
}

impl Default for Roster {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Roster {
    /// The roster of a run with these jobs, none of them started.
    pub(crate) fn new(jobs: &[String]) -> Self {
        let job = |name: &String| JobRow {
            name: name.clone(),
            worker: None,
            tries: 0,
            end: None,
        };
        Self {
            jobs: jobs.iter().map(job).collect(),
            agents: BTreeMap::new(),
            ended: VecDeque::new(),
            course: Course::On,
            ceilings: Vec::new(),
        }
    }

    /// Takes a record in.
    pub(crate) fn record(&mut self, record: &LedgerRecord) {
        let at = record.at;
        if let Some(agent) = record
            .body
            .about()
            .worker
            .and_then(|worker| self.agents.get_mut(&worker))
        {
            agent.heard = at;
        }
        match &record.body {
            RecordBody::WorkerSpawned(spawned) => self.spawned(spawned, at),
            RecordBody::WorkerEnded(ended) => self.worker_ended(ended),
            RecordBody::CallStarted(started) => {
                if let Some(agent) = self.agents.get_mut(&started.worker) {
                    agent.doing = Doing::Running {
                        call: started.call.id,
                        what: masked(&call_line(&started.call)).into_owned(),
                    };
                }
            }
            RecordBody::CallEnded(ended) => self.call_ended(ended),
            RecordBody::OrderGiven(given) => self.ordered(&given.order),
            RecordBody::TurnTaken(turn) => self.turn_taken(turn, at),
            RecordBody::StopAsked(stop) => {
                let agent = stop.worker.and_then(|worker| self.agents.get_mut(&worker));
                if let Some(agent) = agent {
                    agent.stop = Stop::Asked;
                }
            }
            // What was ordered of one leader alone.
            RecordBody::RunResumed(_) => {
                for agent in self.agents.values_mut() {
                    agent.stop = Stop::NotAsked;
                }
            }
            _ => {}
        }
    }

    /// Takes news of the run in.
    pub(crate) fn run_event(&mut self, event: &RunEvent) {
        let (RunEvent::JobStarted { job, .. }
        | RunEvent::JobEnded { job, .. }
        | RunEvent::JobReopened { job }
        | RunEvent::JobWillRetry { job, .. }) = event
        else {
            return;
        };
        let Some(row) = self.jobs.iter_mut().find(|row| row.name == **job) else {
            return;
        };
        row.end = match event {
            RunEvent::JobEnded { end, .. } => Some(end.clone()),
            _ => None,
        };
    }

    /// Takes in how far the jobs are, as another process tells it.
    pub(crate) fn take_jobs(&mut self, jobs: &[JobWire]) {
        for job in jobs {
            let end = job_end(job);
            match self.jobs.iter_mut().find(|row| row.name == job.name) {
                Some(row) => row.end = end,
                None => self.jobs.push(JobRow {
                    name: job.name.clone(),
                    worker: None,
                    tries: 0,
                    end,
                }),
            }
        }
    }

    fn ordered(&mut self, order: &RunOrder) {
        match order {
            RunOrder::Pause => self.course = Course::Paused,
            RunOrder::GoOn => self.course = Course::On,
            RunOrder::Hold { worker } => self.hold(*worker, Course::Paused),
            RunOrder::LetGo { worker } => self.hold(*worker, Course::On),
            RunOrder::LowerMode { worker, mode } => self.lower(*worker, *mode),
            RunOrder::Retry { .. }
            | RunOrder::StopJob { .. }
            | RunOrder::Add { .. }
            | RunOrder::HangUp { .. }
            | RunOrder::FollowUp { .. } => {}
        }
    }

    fn hold(&mut self, worker: WorkerId, course: Course) {
        if let Some(agent) = self.agents.get_mut(&worker) {
            agent.course = course;
        }
    }

    fn lower(&mut self, of: Option<WorkerId>, ceiling: PermissionMode) {
        self.ceilings.push((of, ceiling));
        for agent in self.agents.values_mut() {
            if is_held_to(&agent.lineage, of) {
                agent.mode = agent.mode.min(ceiling);
            }
        }
    }

    /// Whether the whole run is held.
    pub(crate) fn is_paused(&self) -> bool {
        self.course == Course::Paused
    }

    /// Whether an agent is held: with the run, for itself, or with one above it.
    pub(crate) fn is_held(&self, agent: &Agent) -> bool {
        let mut steps = agent.lineage.steps().iter();
        let above = |worker| self.agents.get(&worker);
        self.is_paused()
            || steps.any(|step| above(step.worker).is_some_and(|it| it.course == Course::Paused))
    }

    /// Whether an agent that it has started lives: where nothing else is known of it, it waits for that one.
    pub(crate) fn has_agents_at_work(&self, agent: &Agent) -> bool {
        let below = agent.children.iter();
        below
            .filter_map(|child| self.agents.get(child))
            .any(|child| !child.is_over())
    }

    fn spawned(&mut self, spawned: &WorkerSpawned, at: WallTime) {
        let worker = spawned.lineage.agent().worker;
        let ceilings = self.ceilings.iter();
        let ceilings = ceilings.filter(|(of, _)| is_held_to(&spawned.lineage, *of));
        let agent = Agent {
            lineage: spawned.lineage.clone(),
            mode: ceilings.fold(spawned.mode.mode(), |mode, (_, ceiling)| mode.min(*ceiling)),
            doing: Doing::Working,
            started: at,
            heard: at,
            refusals: 0,
            stop: Stop::NotAsked,
            course: Course::On,
            children: Vec::new(),
        };
        let parent = spawned.lineage.steps().iter().rev().nth(1);
        match parent {
            Some(parent) => {
                if let Some(parent) = self.agents.get_mut(&parent.worker) {
                    parent.children.push(worker);
                }
            }
            None => self.take_up_job(&spawned.lineage.agent().label, worker),
        }
        self.agents.insert(worker, agent);
    }

    fn take_up_job(&mut self, name: &str, worker: WorkerId) {
        match self.jobs.iter_mut().find(|row| row.name == name) {
            Some(row) => {
                row.worker = Some(worker);
                row.tries = row.tries.saturating_add(1);
                // Its end may be known before it is on record that it began.
            }
            None => self.jobs.push(JobRow {
                name: name.into(),
                worker: Some(worker),
                tries: 1,
                end: None,
            }),
        }
    }

    fn worker_ended(&mut self, ended: &WorkerEnded) {
        let Some(agent) = self.agents.get_mut(&ended.worker) else {
            return;
        };
        let first = ended.text.lines().next().unwrap_or_default();
        agent.doing = Doing::Ended {
            how: ended.end,
            text: shown::line(&masked(first)),
        };
        if agent.lineage.depth() > 1 {
            self.ended.push_back(ended.worker);
        }
        if self.ended.len() > ENDED_MAX
            && let Some(oldest) = self.ended.pop_front()
        {
            self.forget(oldest);
        }
    }

    /// Takes an ended sub-agent out of sight; those below it ended before it.
    fn forget(&mut self, worker: WorkerId) {
        let Some(agent) = self.agents.remove(&worker) else {
            return;
        };
        let parent = agent.lineage.steps().iter().rev().nth(1);
        if let Some(parent) = parent.and_then(|step| self.agents.get_mut(&step.worker)) {
            parent.children.retain(|child| *child != worker);
        }
    }

    fn call_ended(&mut self, ended: &CallEnded) {
        let Some(agent) = self.agents.get_mut(&ended.worker) else {
            return;
        };
        if matches!(&agent.doing, Doing::Running { call, .. } if *call == ended.call) {
            agent.doing = Doing::Working;
        }
        if ended.outcome.is_some_and(is_refusal) {
            agent.refusals = agent.refusals.saturating_add(1);
        }
    }

    /// What a model is told is on record before it is asked, and what it says as soon as it has said it.
    fn turn_taken(&mut self, turn: &TurnTaken, at: WallTime) {
        let Some(agent) = self.agents.get_mut(&turn.worker) else {
            return;
        };
        if agent.is_over() {
            return;
        }
        agent.doing = match turn.speaker {
            Speaker::Person => Doing::AtModel { since: at },
            Speaker::Model => Doing::Working,
        };
    }

    /// The tree, from the leader down, in the order of the file and of the spawns.
    pub(crate) fn tree(&self) -> Vec<Twig> {
        let mut rows = vec![Twig {
            node: Node::Leader,
            depth: 0,
        }];
        for (at, job) in self.jobs.iter().enumerate() {
            rows.push(Twig {
                node: Node::Job(at),
                depth: 1,
            });
            if let Some(agent) = job.worker.and_then(|worker| self.agents.get(&worker)) {
                self.below(agent, 2, &mut rows);
            }
        }
        rows
    }

    fn below(&self, agent: &Agent, depth: u16, rows: &mut Vec<Twig>) {
        for child in &agent.children {
            rows.push(Twig {
                node: Node::Agent(*child),
                depth,
            });
            if let Some(child) = self.agents.get(child) {
                self.below(child, depth.saturating_add(1), rows);
            }
        }
    }

    /// The job at that place.
    pub(crate) fn job(&self, at: usize) -> Option<&JobRow> {
        self.jobs.get(at)
    }

    /// One agent.
    pub(crate) fn agent(&self, worker: WorkerId) -> Option<&Agent> {
        self.agents.get(&worker)
    }

    /// The agent that a row of the tree stands for, if it stands for one.
    pub(crate) fn worker_at(&self, node: Node) -> Option<WorkerId> {
        match node {
            Node::Leader => None,
            Node::Job(at) => self.job(at)?.worker,
            Node::Agent(worker) => Some(worker),
        }
    }

    /// How many agents are at work.
    pub(crate) fn at_work(&self) -> usize {
        self.agents
            .values()
            .filter(|agent| !agent.is_over())
            .count()
    }

    /// How far the jobs are.
    pub(crate) fn progress(&self) -> Progress {
        let mut progress = Progress {
            all: self.jobs.len(),
            ..Progress::default()
        };
        for job in &self.jobs {
            match &job.end {
                None => {}
                Some(JobEnd::Done { .. }) => progress.done = progress.done.saturating_add(1),
                Some(
                    JobEnd::Failed { .. }
                    | JobEnd::TimedOut { .. }
                    | JobEnd::Skipped { .. }
                    | JobEnd::Stopped
                    | JobEnd::Halted { .. },
                ) => progress.failed = progress.failed.saturating_add(1),
            }
        }
        progress
    }
}

/// Whether what a person says of `of`, or of all agents, reaches the agent of that lineage.
fn is_held_to(lineage: &Lineage, of: Option<WorkerId>) -> bool {
    of.is_none_or(|of| lineage.steps().iter().any(|step| step.worker == of))
}

/// How a job ended, from its words on the wire; nothing when it has not.
fn job_end(job: &JobWire) -> Option<JobEnd> {
    let text = job.text.clone().unwrap_or_default();
    Some(match job.state.as_str() {
        "waits" | "runs" => return None,
        "done" => JobEnd::Done {
            summary: text.into(),
        },
        "skipped" => JobEnd::Skipped {
            because: skipped_for(&text).into(),
        },
        "stopped" => JobEnd::Stopped,
        "halted" => JobEnd::Halted {
            reason: text.into(),
        },
        // Whatever a newer leader calls it, it did not end well.
        _ => JobEnd::Failed {
            reason: text.into(),
        },
    })
}

/// The job for which one was skipped, from words like "`build` did not end well".
fn skipped_for(text: &str) -> &str {
    let named = text
        .strip_prefix('`')
        .and_then(|rest| rest.rsplit_once('`'));
    named.map_or(text, |(name, _)| name)
}

/// Whether a call ended since someone or something did not let it pass.
fn is_refusal(outcome: Outcome) -> bool {
    match outcome {
        Outcome::DeniedByPerson
        | Outcome::DeniedByHook
        | Outcome::DeniedByClassifier
        | Outcome::Refused
        | Outcome::NobodyCanAnswer
        | Outcome::Expired
        | Outcome::Unavailable => true,
        Outcome::Allowed | Outcome::Cancelled | Outcome::Superseded | Outcome::Interrupted => false,
    }
}

#[cfg(test)]
mod tests;
