//! The hooks that nobody waits for, while they run.
//!
//! They outlive the agent they were told of, and the run by some time. A cancel reaches them at once, as it reaches
//! every other process (law 21).

use std::sync::{Mutex, MutexGuard, PoisonError};

use pointsman_model::{Lineage, WorkerId};
use tokio_util::sync::CancellationToken;

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Unawaited {
    /// Ends all of them; one that comes later does not start.
    all: CancellationToken,
    /// Whose each is, and what ends it; cancelled once it has ended. At most as many are left as can run at once.
    running: Mutex<Vec<(Option<Lineage>, CancellationToken)>>,
}

impl Unawaited {
    /// One more begins, for an agent or for the run; whoever runs it cancels the token when it has ended.
    pub(super) fn begin(&self, lineage: Option<&Lineage>) -> CancellationToken {
        let stop = self.all.child_token();
        let mut running = self.lock();
        running.retain(|(_, stop)| !stop.is_cancelled());
        running.push((lineage.cloned(), stop.clone()));
        stop
    }

    /// Ends those of an agent and of all below it.
    pub(super) fn end_of(&self, worker: WorkerId) {
        for (lineage, stop) in self.lock().iter() {
            if lineage.as_ref().is_some_and(|of| of.includes(worker)) {
                stop.cancel();
            }
        }
    }

    /// Ends all, also those that are yet to begin.
    pub(super) fn end_all(&self) {
        self.all.cancel();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Option<Lineage>, CancellationToken)>> {
        // No code that can panic runs under the lock.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
