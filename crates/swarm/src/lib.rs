//! The leader and its workers: job files, spawn tree, slots, retry, stop.
//!
//! A [`JobFile`] says what is to be done; [`Leader::start`] stands up the run, [`Leader::finish`] does it. Each
//! agent, a job's worker or one that an agent spawned, gets a frozen context narrowed from the one above it, and
//! whatever it asks reaches the leader with its whole lineage.

mod directory;
mod event;
mod job_card;
mod job_file;
mod leader;
mod place;
mod plan;
mod stop;
mod summary;

pub use directory::{StopWorker, WorkerCard};
pub use event::RunEvent;
pub use job_card::{JobCard, JobState};
pub use job_file::{
    AgentDefinition, FailurePolicy, Job, JobFile, JobFileProblem, JobRule, ModelWork, Retry, Work,
};
pub use leader::{
    Checked, JobStop, Leader, LeaderHandle, LeaderOptions, NoModel, OrderError, Pauses, Resumed,
    RetryWhich, StartError, end_left_behind,
};
pub use place::{StatePlace, StatePlaceError};
pub use plan::NotRetried;
pub use stop::StopReason;
pub use summary::{CallCounts, CensusLine, ExitCode, JobEnd, JobResult, RunSummary};
