//! A run, as far as tests care how it began.

use pointsman_ledger::RunStart;
use pointsman_model::{AbsPath, Attended};

/// The start of a run in that folder that no job file stands for and that somebody attends.
#[must_use]
pub fn run_start(project: AbsPath) -> RunStart {
    RunStart {
        project,
        job_file: None,
        job_file_digest: None,
        job_file_at: None,
        attended: Attended::Yes,
        version: "test".into(),
    }
}
