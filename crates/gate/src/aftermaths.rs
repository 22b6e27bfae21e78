//! What follows a verdict beyond its call: a halt, and what a hook loosens. Kept from the answer until the agent whose
//! call it is has heard the verdict.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_model::{Answerer, PermissionRequest, RequestId, Verdict, WorkerId};

use crate::{HookHalt, HookWish};

/// What follows an answer once it is the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aftermath {
    /// Who stops for it.
    pub halt: Option<HookHalt>,
    /// What the hook loosens beyond the call. Its allow rules are in force by the verdict's grant already.
    pub wishes: Vec<HookWish>,
}

/// The aftermaths of answers that nobody has acted on yet. Cheap to clone; all clones are one book.
#[derive(Debug, Clone, Default)]
pub struct Aftermaths {
    kept: Arc<Mutex<HashMap<RequestId, Kept>>>,
}

#[derive(Debug)]
struct Kept {
    worker: WorkerId,
    by: Answerer,
    aftermath: Aftermath,
}

impl Aftermaths {
    /// Keeps what follows an answer until the answer is the verdict.
    pub(crate) fn keep(&self, request: &PermissionRequest, by: Answerer, aftermath: Aftermath) {
        if aftermath == Aftermath::default() {
            return;
        }
        let kept = Kept {
            worker: request.lineage.agent().worker,
            by,
            aftermath,
        };
        self.lock().insert(request.id, kept);
    }

    /// What follows a verdict. Asked once for each request, when it has its verdict; what an answer that did not count
    /// wanted is forgotten then.
    #[must_use]
    pub fn of(&self, request: RequestId, verdict: &Verdict) -> Option<Aftermath> {
        let kept = self.lock().remove(&request)?;
        (kept.by == verdict.by).then_some(kept.aftermath)
    }

    /// Forgets what was kept for an agent that is gone; nobody asks for it any more.
    pub fn forget(&self, worker: WorkerId) {
        self.lock().retain(|_, kept| kept.worker != worker);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Kept>> {
        // No code that can panic runs under the lock.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }
}
