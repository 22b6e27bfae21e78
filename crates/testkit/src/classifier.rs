//! A classifier that says what it is told to, and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use pointsman_gate::{Classifier, ClassifierVote};
use pointsman_model::{NoVoteCause, PermissionRequest};

/// A scripted classifier. Gives its votes one after the other, then its last word for ever.
#[derive(Debug)]
pub struct ScriptedClassifier {
    name: String,
    last_word: ClassifierVote,
    script: Mutex<VecDeque<ClassifierVote>>,
    seen: Mutex<Vec<PermissionRequest>>,
}

impl ScriptedClassifier {
    /// A classifier that always votes so.
    #[must_use]
    pub fn always(vote: ClassifierVote) -> Self {
        Self::first([], vote)
    }

    /// A classifier that votes as the script says, and then always `last_word`.
    #[must_use]
    pub fn first(
        script: impl IntoIterator<Item = ClassifierVote>,
        last_word: ClassifierVote,
    ) -> Self {
        Self {
            name: "scripted".into(),
            last_word,
            script: Mutex::new(script.into_iter().collect()),
            seen: Mutex::default(),
        }
    }

    /// A classifier that lets everything pass.
    #[must_use]
    pub fn yes() -> Self {
        Self::always(ClassifierVote::Yes {
            text: "looks harmless".into(),
        })
    }

    /// A classifier that would let nothing pass.
    #[must_use]
    pub fn no() -> Self {
        Self::always(ClassifierVote::No {
            text: "looks harmful".into(),
        })
    }

    /// A classifier that is not available.
    #[must_use]
    pub fn unavailable() -> Self {
        Self::always(ClassifierVote::NoVote {
            cause: NoVoteCause::Unavailable,
            why: "it is not available".into(),
        })
    }

    /// What it was asked, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<PermissionRequest> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl Classifier for ScriptedClassifier {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, request: &PermissionRequest) -> ClassifierVote {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        self.script
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
            .unwrap_or_else(|| self.last_word.clone())
    }
}
