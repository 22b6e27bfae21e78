//! Lifting a classifier's no: in mode auto it refuses at once, and a person who holds it wrong says so afterwards.
//!
//! The verdict stands. When the agent asks for the same call again, the person's word is the answer, once. The same call
//! is one that equals the refused one in all that a verdict is bound to, the content of its scripts too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_approvals::bind;
use pointsman_model::{ExecutedCall, PermissionRequest, RequestId, Surface};

/// Refusals that can be lifted at a time. Older ones are forgotten: their agents have gone on long ago.
const REFUSED_MAX: usize = 256;

/// What a lift came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Lifted {
    /// It is lifted: the call passes when it is asked for again.
    Now,
    /// It was lifted before.
    Before,
    /// No classifier refused it, or too long ago.
    NotRefused,
}

/// The refusals of a classifier that a person may lift. Cheap to clone; all clones are one book.
#[derive(Clone, Default)]
pub struct Lifts {
    book: Arc<Mutex<VecDeque<Refused>>>,
}

struct Refused {
    request: Arc<PermissionRequest>,
    lifted_at: Option<Surface>,
}

impl Lifts {
    /// A classifier refused this.
    pub(crate) fn refused(&self, request: &PermissionRequest) {
        let mut book = self.lock();
        if book.len() >= REFUSED_MAX {
            book.pop_front();
        }
        book.push_back(Refused {
            request: Arc::new(request.clone()),
            lifted_at: None,
        });
    }

    /// A person lifts the refusal of a request.
    pub fn lift(&self, request: RequestId, surface: Surface) -> Lifted {
        let mut book = self.lock();
        match book
            .iter_mut()
            .find(|refused| refused.request.id == request)
        {
            None => Lifted::NotRefused,
            Some(refused) if refused.lifted_at.is_some() => Lifted::Before,
            Some(refused) => {
                refused.lifted_at = Some(surface);
                Lifted::Now
            }
        }
    }

    /// Uses the lift that this call was waiting for, if there is one: the refused request, and where it was lifted.
    pub(crate) async fn take(&self, request: &PermissionRequest) -> Option<(RequestId, Surface)> {
        for (refused, surface) in self.candidates(request) {
            if is_the_same(request, &refused).await && self.remove(refused.id) {
                return Some((refused.id, surface));
            }
        }
        None
    }

    fn candidates(&self, request: &PermissionRequest) -> Vec<(Arc<PermissionRequest>, Surface)> {
        let book = self.lock();
        let lifted = book.iter().filter_map(|refused| {
            let surface = refused.lifted_at?;
            let (old, new) = (&refused.request, request);
            let alike = old.lineage.agent().worker == new.lineage.agent().worker
                && old.call.tool == new.call.tool
                && old.call.text == new.call.text
                && old.folder == new.folder;
            alike.then(|| (Arc::clone(&refused.request), surface))
        });
        lifted.collect()
    }

    /// Whether it was still there: of two equal calls only one uses it.
    fn remove(&self, request: RequestId) -> bool {
        let mut book = self.lock();
        let before = book.len();
        book.retain(|refused| refused.request.id != request);
        book.len() < before
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Refused>> {
        // No code that can panic runs under the lock.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call is the refused one but for its number: bound under the old number, it has the old digest.
async fn is_the_same(now: &PermissionRequest, refused: &PermissionRequest) -> bool {
    let call = ExecutedCall {
        id: refused.call.id,
        ..now.call.clone()
    };
    let (folder, lineage, context) = (now.folder.clone(), now.lineage.clone(), now.context);
    let effects = now.effects.clone();
    let bound =
        tokio::task::spawn_blocking(move || bind(&call, &folder, &lineage, context, &effects));
    // What can't be bound equals nothing.
    matches!(bound.await, Ok(Ok(digest)) if digest == refused.digest)
}
