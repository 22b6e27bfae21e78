//! What is said to the table of open requests, and what it says back.

use pointsman_ledger::AppendError;
use pointsman_model::{Answerer, Digest, RequestId, Verdict, VerdictKind};

use crate::Epoch;

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it says: allow or deny.
    pub kind: VerdictKind,
    /// Who gives it.
    pub by: Answerer,
    /// The digest of what the answerer saw. Compared when it is given; surfaces always give it.
    pub digest: Option<Digest>,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Answered {
    /// It is the verdict, and on disk.
    Won(Verdict),
    /// The request has a verdict that says the same.
    SameAgain {
        /// The verdict, with who gave it and when.
        winner: Verdict,
    },
    /// The request has another verdict.
    Conflict {
        /// The verdict, with who gave it and when.
        winner: Verdict,
    },
    /// The request's deadline had passed.
    Expired,
    /// A person is at the dialog, so automatic checks no longer count (law 13).
    PersonAtIt,
    /// There is no such request.
    NotFound,
}

/// Why an answer could not be taken.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// It was given for something else than what is asked now.
    #[error("{request} now asks for something else than what was answered: look at it again")]
    Differs {
        /// The request.
        request: RequestId,
        /// What it asks for.
        digest: Digest,
    },
    /// It was given to a question of another leader's reign.
    #[error("{request} was asked anew by another leader since it was shown: look at it again")]
    OtherReign {
        /// The request.
        request: RequestId,
        /// The reign it is asked in now.
        epoch: Epoch,
    },
    /// It does not say which question was seen: what is open under that id may be another one.
    #[error(
        "{0} is open, and the answer does not say which question was seen: look at it, then answer that"
    )]
    Unseen(RequestId),
    /// The input that it puts in the place of the one that was asked about can't run.
    #[error("the edited input does not fit: {why}")]
    Misfit {
        /// What does not fit the tool, or what refuses it.
        why: Box<str>,
    },
    /// The death of an earlier leader has ended it, and nobody has asked it again since.
    #[error(
        "nobody answered {0} before its leader died, and it is not open again: if its agent still needs it, it is asked anew, so look at what is open now"
    )]
    Interrupted(RequestId),
    /// An answer allows or denies.
    #[error("an answer allows or denies; it can't end a request in another way")]
    NotAnAnswer,
    /// It can't be put on disk, so it does not count. The request is open still.
    #[error("the answer can't be recorded, so it doesn't count")]
    NotStored(#[source] AppendError),
    /// The ledger can't be asked about a request that is no longer in memory.
    #[error("the ledger can't be asked about {0} just now: try again")]
    Unknown(RequestId),
    /// The leader has stopped.
    #[error("the leader has stopped")]
    Closed,
}

/// Why a request was not opened.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It can't be put on disk, so nobody is asked.
    #[error("the question can't be recorded, so it isn't asked")]
    NotStored(#[source] AppendError),
    /// Another request has its id.
    #[error("{0} is another request already")]
    IdTaken(RequestId),
    /// Too many are open.
    #[error("too many requests are open: at most {0}")]
    TooMany(usize),
    /// The leader has stopped.
    #[error("the leader has stopped")]
    Closed,
}
