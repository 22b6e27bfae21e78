//! The agents of a run as a list: what each is at, since when, and what it waits for. Told by the ledger's records
//! alone, so that it is the same for a run that is on and for one that has ended.

use std::collections::BTreeMap;

use pointsman_ledger::{LedgerRecord, RecordBody, WorkerEnd};
use pointsman_model::{Millis, Outcome, RequestId, WallTime, WorkerId};
use serde::Serialize;

use crate::roster::{Doing, Roster};

/// What an agent is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// A person's answer.
    WaitsForYou,
    /// Its model, which has the word.
    WaitsForModel,
    /// A tool, which runs.
    Runs,
    /// Its own work, between its calls.
    Works,
    /// Agents that it has started; nothing else is known of it.
    WaitsForAgents,
    /// A person's word: it is paused, and goes on when they let it.
    Paused,
    /// Nothing that is heard of: it has said nothing for long.
    Silent,
    /// It ended well.
    Done,
    /// It ended otherwise.
    Failed,
    /// It was stopped.
    Stopped,
    /// A hook, a classifier or a limit halted it.
    Halted,
    /// The time of its job was up.
    TimedOut,
}

impl WorkerState {
    /// Whether it has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::WaitsForYou
            | Self::WaitsForModel
            | Self::Runs
            | Self::Works
            | Self::WaitsForAgents
            | Self::Paused
            | Self::Silent => false,
            Self::Done | Self::Failed | Self::Stopped | Self::Halted | Self::TimedOut => true,
        }
    }

    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::WaitsForYou => "waits for you",
            Self::WaitsForModel => "waits for the model",
            Self::Runs => "runs a tool",
            Self::Works => "at work",
            Self::WaitsForAgents => "waits for its agents",
            Self::Paused => "paused",
            Self::Silent => "silent",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Halted => "halted",
            Self::TimedOut => "timed out",
        }
    }
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerRow {
    /// The agent.
    pub worker: WorkerId,
    /// Who it is, from the job down.
    pub agent: String,
    /// How deep it stands; a job's worker at 1.
    pub depth: u32,
    /// Its mode.
    pub mode: String,
    /// What it is at.
    pub state: WorkerState,
    /// Whether a person holds it: whatever the answer to a question of its own, it does not go on by that.
    pub paused: bool,
    /// The call that runs, the question it waits for, or what it came to.
    pub what: String,
    /// When it was started.
    pub started_at: WallTime,
    /// How long nothing was heard of it.
    pub silent: Millis,
    /// How many of its calls were refused.
    pub refusals: u32,
    /// Its open questions, oldest first.
    pub questions: Vec<RequestId>,
}

impl WorkerRow {
    /// The words for what it is at, and whether it is held there.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match (self.state, self.paused) {
            (WorkerState::WaitsForYou, true) => "paused, waits for you",
            (state, _) => state.words(),
        }
    }
}

/// The agents of one run, as its records tell.
#[derive(Debug, Default)]
pub struct Workers {
    roster: Roster,
    open: BTreeMap<RequestId, WorkerId>,
    /// Those that only the death of their leader has ended: the next may ask them again.
    left: BTreeMap<RequestId, WorkerId>,
}

impl Workers {
    /// Takes the next record in.
    pub fn record(&mut self, record: &LedgerRecord) {
        self.roster.record(record);
        match &record.body {
            RecordBody::RequestOpened(opened) => {
                let worker = opened.request.lineage.agent().worker;
                self.open.insert(opened.request.id, worker);
            }
            RecordBody::RequestClosed(closed) => {
                let asked = self.open.remove(&closed.request);
                if let (Some(worker), Outcome::Interrupted) = (asked, closed.verdict.outcome()) {
                    self.left.insert(closed.request, worker);
                }
            }
            RecordBody::RequestReopened(reopened) => {
                if let Some(worker) = self.left.remove(&reopened.request) {
                    self.open.insert(reopened.request, worker);
                }
            }
            _ => {}
        }
    }

    /// Whether the whole run is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.roster.is_paused()
    }

    /// The list at `now`, parents before their children. Ended sub-agents beyond some hundreds are left out.
    #[must_use]
    pub fn rows(&self, now: WallTime) -> Vec<WorkerRow> {
        let tree = self.roster.tree();
        let workers = tree
            .iter()
            .filter_map(|twig| self.roster.worker_at(twig.node));
        let mut workers: Vec<WorkerId> = workers.collect();
        // Jobs start at the same time, and their records come as it happens; ids are given in the order of the file.
        workers.sort_by_key(|worker| self.job_of(*worker));
        let workers = workers.into_iter();
        workers.filter_map(|worker| self.row(worker, now)).collect()
    }

    /// The worker of the job that an agent belongs to.
    fn job_of(&self, worker: WorkerId) -> Option<WorkerId> {
        let steps = self.roster.agent(worker)?.lineage.steps();
        steps.first().map(|step| step.worker)
    }

    fn row(&self, worker: WorkerId, now: WallTime) -> Option<WorkerRow> {
        let agent = self.roster.agent(worker)?;
        let questions: Vec<RequestId> = self
            .open
            .iter()
            .filter(|(_, asks)| **asks == worker)
            .map(|(id, _)| *id)
            .collect();
        let (state, what) = match &agent.doing {
            Doing::Ended { how, text } => {
                let state = match how {
                    WorkerEnd::Done => WorkerState::Done,
                    WorkerEnd::Failed => WorkerState::Failed,
                    WorkerEnd::Stopped => WorkerState::Stopped,
                    WorkerEnd::Halted => WorkerState::Halted,
                    WorkerEnd::TimedOut => WorkerState::TimedOut,
                };
                (state, text.clone())
            }
            _ if !questions.is_empty() => {
                let ids: Vec<String> = questions.iter().map(ToString::to_string).collect();
                (WorkerState::WaitsForYou, ids.join(" "))
            }
            Doing::Running { what, .. } => (WorkerState::Runs, what.clone()),
            Doing::Working if self.roster.is_held(agent) => (WorkerState::Paused, String::new()),
            Doing::AtModel { .. } => (WorkerState::WaitsForModel, String::new()),
            Doing::Working if self.roster.has_agents_at_work(agent) => {
                (WorkerState::WaitsForAgents, String::new())
            }
            Doing::Working if agent.is_silent(now) => (WorkerState::Silent, String::new()),
            Doing::Working => (WorkerState::Works, String::new()),
        };
        Some(WorkerRow {
            worker,
            agent: agent.lineage.to_string(),
            depth: agent.lineage.depth(),
            mode: agent.mode.to_string(),
            state,
            paused: !state.is_over() && self.roster.is_held(agent),
            what,
            started_at: agent.started,
            silent: now.since(agent.heard),
            refusals: agent.refusals,
            questions,
        })
    }
}
