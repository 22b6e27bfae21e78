//! Answerers that a handler consults: what each of them has to be able to do.

use async_trait::async_trait;
use pointsman_model::{Answerer, PermissionRequest, VerdictKind};

/// Something that can answer a request by itself. People are none of these: they answer the open
/// request, wherever it is shown.
#[async_trait]
pub trait Answers: Send + Sync {
    /// Under which name its answers are recorded.
    fn name(&self) -> Answerer;

    /// Its answer; nothing when it has none. Never a yes for want of one.
    ///
    /// Cancellation: a handler drops the future when somebody else was first; what it started has to
    /// end with it.
    async fn answer(&self, request: &PermissionRequest) -> Option<VerdictKind>;
}

/// Judges calls in place of, or beside, a person.
#[async_trait]
pub trait Classifier: Send + Sync {
    /// Under which name its votes are recorded.
    fn name(&self) -> &str;

    /// Its vote on the call of this request.
    ///
    /// Cancellation: as with [`Answers::answer`].
    async fn classify(&self, request: &PermissionRequest) -> ClassifierVote;
}

/// What a classifier says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierVote {
    /// It would let the call pass.
    Yes {
        /// Why.
        text: Box<str>,
    },
    /// It would not.
    No {
        /// Why.
        text: Box<str>,
    },
    /// It can't say: not available, too long to read, over its limits, an answer that can't be read.
    NoVote {
        /// Why.
        why: Box<str>,
    },
}
