//! What a classifier said of a question that is handed on: whoever takes it up next is told, and does not ask again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_model::RequestId;

use crate::Word;

/// The words of a classifier that answered nothing, by the question, while that is on its way from a worker to its
/// leader. Cheap to clone; all clones are one book. As long as the questions that are on their way, and no longer.
#[derive(Clone, Default)]
pub struct Votes {
    book: Arc<Mutex<HashMap<RequestId, Word>>>,
}

/// A word that is kept; forgotten when this is dropped.
pub(crate) struct Kept {
    votes: Votes,
    request: RequestId,
}

impl Votes {
    /// The classifier was asked about this question, and said this.
    pub(crate) fn keep(&self, request: RequestId, word: Word) -> Kept {
        self.lock().insert(request, word);
        Kept {
            votes: self.clone(),
            request,
        }
    }

    /// What it said, if it was asked.
    pub(crate) fn of(&self, request: RequestId) -> Option<Word> {
        self.lock().get(&request).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Word>> {
        // No code that can panic runs under the lock.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.votes.lock().remove(&self.request);
    }
}
