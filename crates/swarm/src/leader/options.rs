//! What a leader is started with, and why it may not start.

use std::sync::Arc;

use pointsman_agents::ModelAccess;
use pointsman_gate::{Classifier, Explainer};
use pointsman_ledger::{AppendError, Clock, OpenError, ReadError, ResumeError};
use pointsman_model::{AbsPath, Attended, PermissionMode, RunId};
use pointsman_policy::settings::Loaded;
use pointsman_policy::{Problem, Tree};
use pointsman_process::Environment;
use pointsman_tools::Toolbox;

use super::work::NoModel;
use crate::{JobFile, StatePlace, StatePlaceError};

/// All that a leader is started with. It reads no environment, clock or settings by itself.
pub struct LeaderOptions {
    /// What is to be done.
    pub job_file: JobFile,
    /// The project's root.
    pub project: AbsPath,
    /// The user's home.
    pub home: AbsPath,
    /// Where the ledger and the socket live.
    pub place: StatePlace,
    /// Whether someone can answer.
    pub attended: Attended,
    /// What the settings say, and the rules of the command line with them.
    pub loaded: Loaded,
    /// The mode of jobs that say none, before that of the settings.
    pub mode: Option<PermissionMode>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How paths are looked at.
    pub tree: Arc<dyn Tree>,
    /// The variables that commands and hooks see; the leader's secrets are not among them.
    pub environment: Environment,
    /// The tools there are.
    pub toolbox: Arc<Toolbox>,
    /// Who judges beside people, when settings configure one.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// The model that explains questions to people, when settings configure one.
    pub explainer: Option<Explainer>,
    /// How models are reached; needed when the job file has agents that think.
    pub models: Option<ModelAccess>,
    /// pointsman's version, for the record.
    pub version: Box<str>,
    /// The run to take up again; a new one if not said. Job files and settings have to be what they were.
    pub resume: Option<Resumed>,
}

/// A run that is taken up again.
pub struct Resumed {
    /// Which.
    pub run: RunId,
    /// The files whose jobs had joined it, in the order in which they did.
    pub joined: Vec<JobFile>,
    /// What becomes of what was paused.
    pub pauses: Pauses,
}

/// What becomes of the pauses of a run that is taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pauses {
    /// They hold on, until somebody ends them.
    Kept,
    /// They are over: whoever takes the run up has said so.
    Over,
}

/// What a start would come to, as far as that can be told without touching anything.
#[derive(Debug)]
pub struct Checked {
    /// What is wrong with settings and rules.
    pub problems: Vec<Problem>,
    /// Whether they let it start.
    pub may_start: Result<(), StartError>,
}

/// Why a leader does not start. Nothing ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The state folder can't be used.
    #[error(transparent)]
    Place(#[from] StatePlaceError),
    /// The ledger can't be opened.
    #[error(transparent)]
    Ledger(#[from] OpenError),
    /// The start can't be recorded.
    #[error("the start of the run can't be recorded")]
    NotRecorded(#[from] AppendError),
    /// Something that forbids, asks or guards can't be read, and nobody is there to be asked instead.
    #[error(
        "{} of the settings and rules can't be read, and nobody is there to ask instead",
        match problems.len() { 1 => "a part".into(), count => format!("{count} parts") }
    )]
    Settings {
        /// What can't be read.
        problems: Vec<Problem>,
    },
    /// A job asks for a mode that settings switch off.
    #[error("the job `{job}` asks for mode `{mode}`, which the settings switch off")]
    ModeForbidden {
        /// The job.
        job: Box<str>,
        /// The mode.
        mode: PermissionMode,
    },
    /// An agent that may be spawned asks for a mode that settings switch off.
    #[error("the agent `{agent}` asks for mode `{mode}`, which the settings switch off")]
    AgentModeForbidden {
        /// The agent's type.
        agent: Box<str>,
        /// The mode.
        mode: PermissionMode,
    },
    /// A model can't do the work it is to do.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// The run can't be taken up again.
    #[error("the run can't be taken up again")]
    Resume(#[from] ResumeError),
    /// What is on record of it can't be read.
    #[error("what the run left can't be read")]
    Past(#[from] ReadError),
    /// It would wait for somebody to let it go on, and nobody is there.
    #[error(
        "{} {} paused, and nobody is there to end that",
        paused.join(" and "),
        match paused.len() { 1 => "is", _ => "are" }
    )]
    Paused {
        /// The run, or agents of it.
        paused: Vec<String>,
    },
    /// Records of the run are damaged.
    #[error(
        "{records} {} of {run} can't be read, and may have held rules that bind on or calls that were done",
        match records { 1 => "record", _ => "records" }
    )]
    PastDamaged {
        /// The run.
        run: RunId,
        /// How many records.
        records: usize,
    },
    /// Records of the run are lost, or are not as they were written.
    #[error(
        "what was recorded of {run} is not whole, and what is missing may have held rules that bind on or calls that were done: record {number}: {why}"
    )]
    PastNotWhole {
        /// The run.
        run: RunId,
        /// The place in its chain.
        number: u64,
        /// What is wrong there.
        why: Box<str>,
    },
    /// An agent would be allowed other things than it was.
    #[error(
        "what the job `{job}` may do is not what it was when its agent was started: {}",
        changed.join("; ")
    )]
    ContextChanged {
        /// The job.
        job: Box<str>,
        /// What is different, a clause each.
        changed: Vec<Box<str>>,
    },
    /// A task of the start was lost.
    #[error("the ledger could not be opened: its task ended early")]
    TaskLost,
}
