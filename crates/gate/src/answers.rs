//! Answerers that a handler consults: what each of them has to be able to do.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use pointsman_model::{Answerer, NoVoteCause, PermissionRequest, Verdict, VerdictKind};
use pointsman_process::Environment;

use crate::ClassifierHealth;

/// Something that is asked to answer a request. People are none of these: they answer the open
/// request, wherever it is shown.
#[async_trait]
pub trait Answers: Send + Sync {
    /// What it says of a request. A failure is never a yes (law 15).
    ///
    /// Cancellation: a handler drops the future when somebody else was first; what it started has to
    /// end with it.
    async fn answer(&self, request: &PermissionRequest) -> Word;

    /// Told when the request it was asked about has its verdict, its own or somebody else's.
    fn told(&self, verdict: &Verdict);
}

/// What an answerer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// An answer.
    Answer {
        /// In whose name.
        by: Answerer,
        /// Allow or deny.
        kind: VerdictKind,
    },
    /// None.
    Nothing,
    /// None, and it is the classifier's: it could not judge.
    NoVote {
        /// Of which kind that is.
        cause: NoVoteCause,
        /// Why.
        why: Box<str>,
    },
    /// None, and no automatic answerer may say yes any more: a guard failed (law 15).
    OnlyPeople {
        /// Why.
        why: Box<str>,
    },
}

/// What an answerer says. Of one that breaks down nobody knows what it would have said: it is a guard that failed, so the
/// question is left to people (law 15), and the agent's task goes on.
pub(crate) async fn heard(answerer: &dyn Answers, request: &PermissionRequest) -> Word {
    let answer = AssertUnwindSafe(answerer.answer(request)).catch_unwind();
    answer.await.unwrap_or_else(|_| {
        tracing::error!(request = %request.id, "an answerer broke down");
        Word::OnlyPeople {
            why: "a check broke down, which is a defect of it".into(),
        }
    })
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

    /// Told of the verdict on a request that it was asked about, or would have been.
    fn told(&self, _request: &PermissionRequest, _verdict: &Verdict) {}

    /// Told of the run's environment before it is asked first: whatever it starts carries it, so that it is found if
    /// the leader dies.
    fn begins(&self, _environment: &Environment) {}

    /// How it is doing; one that keeps no book of that is as if it was never asked.
    fn health(&self) -> ClassifierHealth {
        ClassifierHealth::UNTRIED
    }
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
    /// It can't say.
    NoVote {
        /// Of which kind that is.
        cause: NoVoteCause,
        /// Why.
        why: Box<str>,
    },
}
