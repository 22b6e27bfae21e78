//! A classifier that settings name and that can't even be asked.

use async_trait::async_trait;
use pointsman_model::{NoVoteCause, PermissionRequest};

use super::{ClassifierHealth, ClassifierState};
use crate::{Classifier, ClassifierVote};

/// Stands for a classifier that can't be asked: no key, no address. It has no vote, and each question says why.
#[derive(Debug)]
pub struct ClassifierOutOfReach {
    name: Box<str>,
    why: Box<str>,
}

impl ClassifierOutOfReach {
    /// The classifier of that name, and why it can't be asked.
    #[must_use]
    pub fn new(name: &str, why: &str) -> Self {
        Self {
            name: name.into(),
            why: why.into(),
        }
    }
}

#[async_trait]
impl Classifier for ClassifierOutOfReach {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, _request: &PermissionRequest) -> ClassifierVote {
        ClassifierVote::NoVote {
            cause: NoVoteCause::Unavailable,
            why: self.why.clone(),
        }
    }

    fn health(&self) -> ClassifierHealth {
        ClassifierHealth {
            state: ClassifierState::OutOfReach {
                why: self.why.clone(),
            },
            votes: 0,
            failures: 0,
        }
    }
}
