//! Records of runs and of the agents in them.

use pointsman_model::{
    AbsPath, Attended, CallId, Digest, HandlerKind, Lineage, ModeInForce, Origin, RunId, ToolSet,
    WorkerId,
};
use serde::{Deserialize, Serialize};

/// What a leader says when it starts a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStart {
    /// The project's root.
    pub project: AbsPath,
    /// The job file as it was named, when one was.
    pub job_file: Option<Box<str>>,
    /// The job file's fingerprint.
    pub job_file_digest: Option<Digest>,
    /// Where the job file lies, wherever it was named from. Records of earlier versions don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_file_at: Option<AbsPath>,
    /// Whether someone can answer.
    pub attended: Attended,
    /// pointsman's version.
    pub version: Box<str>,
}

/// A record that another chain points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChainPoint {
    /// The run.
    pub run: RunId,
    /// The record's place in the run's chain.
    pub number: u64,
    /// The record's fingerprint.
    pub hash: Digest,
}

/// A leader started a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The run. Written out, so that a run's number can be found in the file even when its tables can't be read.
    pub run: RunId,
    /// What the leader said.
    pub start: RunStart,
    /// The leader's process.
    pub pid: u32,
    /// The newest record of the database at that moment, so that a run can't vanish unseen.
    pub follows: Option<ChainPoint>,
}

/// A leader took up a run that another one left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResumed {
    /// The number of the leader's reign, 1 for the leader that started the run.
    pub epoch: u32,
    /// The leader's process.
    pub pid: u32,
}

/// The run came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnded {
    /// The exit code of the leader.
    pub exit_code: u8,
    /// The summary in a few words.
    pub text: Box<str>,
}

/// The leader of the run was found dead; all that was open is closed by the records before this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInterrupted {
    /// How many requests were open.
    pub requests: u32,
    /// How many calls were on their way and had not started.
    pub calls_not_started: u32,
    /// How many calls had started and have no result.
    pub calls_unknown: u32,
}

/// Someone asked to stop something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopAsked {
    /// The agent to stop with all below it; everything if not said.
    pub worker: Option<WorkerId>,
    /// Who or what asked, and why.
    pub reason: Box<str>,
}

/// An agent was started, with the context it keeps for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerSpawned {
    /// Who it is.
    pub lineage: Lineage,
    /// Its task.
    pub task: Box<str>,
    /// Whether its parent waits.
    pub origin: Origin,
    /// The call that started it; nothing of a job's worker, and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Its mode.
    pub mode: ModeInForce,
    /// The tools it is offered.
    pub tools: ToolSet,
    /// Its folder.
    pub folder: AbsPath,
    /// How many more generations it may spawn.
    pub depth_left: u32,
    /// Which strategy answers its questions.
    pub handler: HandlerKind,
    /// Whether someone can answer.
    pub attended: Attended,
    /// The fingerprint of its context.
    pub context: Digest,
}

/// How an agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEnd {
    /// Its work is done.
    Done,
    /// It failed.
    Failed,
    /// It was stopped.
    Stopped,
    /// A hook, a classifier or a limit halted it.
    Halted,
    /// The time of its job was up.
    TimedOut,
}

/// An agent came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerEnded {
    /// The agent.
    pub worker: WorkerId,
    /// How.
    pub end: WorkerEnd,
    /// Its summary, or the reason.
    pub text: Box<str>,
}
