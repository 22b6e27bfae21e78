//! What a run tells whoever watches it. Watching is never needed: the ledger has it all.

use std::sync::Arc;

use pointsman_ledger::WorkerEnd;
use pointsman_model::{Digest, Lineage, Millis, RunId, WorkerId};

use crate::{ExitCode, JobEnd, StopReason};

/// One thing that happened to a run, its jobs or agents. Moves of calls come by
/// [`crate::LeaderHandle::moves`], questions by the requests' own events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEvent {
    /// An agent was started.
    WorkerStarted {
        /// Who.
        lineage: Lineage,
        /// The fingerprint of its context.
        context: Digest,
    },
    /// An agent came to its end.
    WorkerEnded {
        /// Who.
        worker: WorkerId,
        /// How.
        end: WorkerEnd,
        /// Its summary, or the reason.
        text: Arc<str>,
    },
    /// A job was started.
    JobStarted {
        /// The job.
        job: Arc<str>,
        /// Which try, from 1.
        attempt: u32,
        /// Its worker.
        worker: WorkerId,
    },
    /// A job failed and will be tried again.
    JobWillRetry {
        /// The job.
        job: Arc<str>,
        /// The try that failed, from 1.
        attempt: u32,
        /// How long it waits.
        wait: Millis,
        /// Why it failed.
        reason: Arc<str>,
    },
    /// A job came to its end.
    JobEnded {
        /// The job.
        job: Arc<str>,
        /// How.
        end: JobEnd,
    },
    /// A job that had ended is open again: it waits for one more try.
    JobReopened {
        /// The job.
        job: Arc<str>,
    },
    /// Everything is being stopped.
    Stopping {
        /// Why.
        reason: StopReason,
    },
    /// The run is over.
    RunEnded {
        /// The run.
        run: RunId,
        /// Its exit code.
        exit: ExitCode,
    },
}
