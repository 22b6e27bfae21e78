//! Orders: what a person makes of a run while it is on, but for answers.
//!
//! The handle sends them, the leader's loop takes them one at a time between two events, so an order never meets a
//! plan in the middle of a step.

use std::sync::Arc;

use pointsman_ledger::AppendError;
use pointsman_model::{Answerer, PermissionMode, WorkerId};
use pointsman_policy::Problem;
use pointsman_tools::{Course, NotHeard};
use tokio::sync::oneshot;

use super::{NoModel, StartError};
use crate::plan::NotRetried;
use crate::{JobEnd, JobFile, StopWorker};

/// One order.
pub(super) enum Order {
    /// Hold the run or one agent of it, or let it go on.
    Pace {
        of: Option<WorkerId>,
        course: Course,
        by: Answerer,
        done: oneshot::Sender<Result<(), OrderError>>,
    },
    /// Try jobs again that did not end well.
    Retry {
        which: RetryWhich,
        by: Answerer,
        done: oneshot::Sender<Result<Vec<Arc<str>>, OrderError>>,
    },
    /// Stop a job.
    StopJob {
        job: Box<str>,
        text: Box<str>,
        by: Answerer,
        done: oneshot::Sender<Result<JobFound, OrderError>>,
    },
    /// Let jobs join.
    Add {
        job_file: Box<JobFile>,
        by: Answerer,
        done: oneshot::Sender<Result<Vec<Arc<str>>, OrderError>>,
    },
}

/// Which jobs are to be tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryWhich {
    /// All that did not end well.
    AllFailed,
    /// These.
    Named(Vec<Box<str>>),
}

/// What the stop of a job came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStop {
    /// It was not at work, and will not be.
    Waited {
        /// The jobs that are skipped since they need it.
        skipped: Vec<Arc<str>>,
    },
    /// This worker was at it, and what its stop came to.
    Worker(WorkerId, StopWorker),
}

/// What is found of a job that is to be stopped.
pub(super) enum JobFound {
    /// It waited, and is ended, as are these that need it.
    Waited { skipped: Vec<Arc<str>> },
    /// This worker is at it, or lives again for it.
    Worker(WorkerId),
}

/// Why an order was not carried out. Nothing was changed, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// The run is at its end.
    #[error("the run is ending; it takes no more orders")]
    Ending,
    /// Too many orders wait.
    #[error("the leader has too many orders to carry out: try again")]
    Busy,
    /// A job can't be tried again.
    #[error(transparent)]
    NotRetried(#[from] NotRetried),
    /// There is no such job.
    #[error("the run has no job `{job}`; it has {}", .has.join(", "))]
    NoSuchJob {
        /// What was named.
        job: Box<str>,
        /// The jobs of the run.
        has: Vec<Arc<str>>,
    },
    /// The job came to its end before.
    #[error("the job `{job}` is not at work: {}", .end.as_str())]
    JobEnded {
        /// The job.
        job: Box<str>,
        /// Its end.
        end: JobEnd,
    },
    /// The job had come to an end under an earlier leader, which is not told to this run yet.
    #[error("the job `{0}` is not taken up again yet: let the run go on first")]
    NotTakenUp(Box<str>),
    /// A job of that name is in the run.
    #[error("the run has a job `{0}` already")]
    NameTaken(Arc<str>),
    /// An agent of that type is in the run, and it is another one.
    #[error("the run has agents of type `{0}` already; give those of the file another name")]
    AgentTaken(Box<str>),
    /// The settings switch a mode off that the file asks for.
    #[error("`{who}` asks for mode `{mode}`, which the settings switch off")]
    ModeForbidden {
        /// The job or agent.
        who: Box<str>,
        /// The mode.
        mode: PermissionMode,
    },
    /// Something that forbids or asks can't be read, and nobody is there to be asked instead.
    #[error("a rule of the file that forbids or asks can't be read: {0}")]
    Rules(Box<Problem>),
    /// A model of the file can't be reached.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// Commands of this run would see the key of a model of the file.
    #[error(
        "`{0}` holds the key of a model of the file and was not known for one when this run began, so what agents start might \
         see it, or records hold it: start a run of its own with it"
    )]
    KeyNotWithheld(Box<str>),
    /// The agent is not at work here.
    #[error("{0} is not at work in this run: `pointsman workers` tells who is")]
    NotAtWork(WorkerId),
    /// The agent does not live again yet.
    #[error(
        "{0} does not live again yet, and hears nothing before: say it once `pointsman workers` has it at work, in a paused run after `pointsman pause --off`"
    )]
    NotYet(WorkerId),
    /// The agent follows its steps and can't be talked to.
    #[error("{0} follows the steps of its job file: it reads no messages")]
    Deaf(WorkerId),
    /// The words did not get there.
    #[error(transparent)]
    NotHeard(#[from] NotHeard),
    /// It is done, but it can't be recorded.
    #[error("this was done, but it can't be recorded")]
    NotRecorded(#[source] AppendError),
    /// Any other reason for which a leader with this file would not start.
    #[error(transparent)]
    File(Box<StartError>),
}

impl From<StartError> for OrderError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::ModeForbidden { job, mode } => Self::ModeForbidden { who: job, mode },
            StartError::AgentModeForbidden { agent, mode } => {
                Self::ModeForbidden { who: agent, mode }
            }
            StartError::Model(error) => Self::Model(error),
            other => Self::File(Box::new(other)),
        }
    }
}
