//! A run of a dead leader that somebody is about to take up: held, and nothing recorded yet.
//!
//! Between the hold and the next epoch its past can be read and found unfit to go on with. Dropped then, the run is as
//! if it had never been held.

use pointsman_model::RunId;

use crate::Ledger;
use crate::open::{ResumeError, ResumeReport};
use crate::record::ProcessGroupStarted;
use crate::run_lock::RunLock;

/// See [`Ledger::hold_run`].
#[must_use]
pub struct HeldRun {
    ledger: Ledger,
    run: RunId,
    lock: RunLock,
    groups: Vec<ProcessGroupStarted>,
}

impl HeldRun {
    pub(crate) fn new(
        ledger: Ledger,
        run: RunId,
        lock: RunLock,
        groups: Vec<ProcessGroupStarted>,
    ) -> Self {
        Self {
            ledger,
            run,
            lock,
            groups,
        }
    }

    /// Process groups of its dead leaders that nobody has seen end; they may still run. Also those of one who took the
    /// run up and died after this ledger was opened.
    #[must_use]
    pub fn groups(&self) -> &[ProcessGroupStarted] {
        &self.groups
    }

    /// Takes the run up: starts its next epoch, and says what its last leader left.
    ///
    /// # Errors
    /// When the record can't be made durable, or the run can't be taken up any more.
    pub async fn resume(self) -> Result<ResumeReport, ResumeError> {
        self.ledger.resume_held(self.run, self.lock).await
    }
}
