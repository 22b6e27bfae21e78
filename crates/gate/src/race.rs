//! The race: many answerers, one answer.
//!
//! [`Race::run`] owns a request from the ask to the verdict. It never decides by itself, never
//! prints, and leaves no answerer running when it returns. People take part through the table of
//! open requests, which has the last word on who was first; the [`Guard`] sees to it that of the
//! automatic answerers only one ever speaks to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use pointsman_approvals::{Requests, Ticket};
use pointsman_model::{PermissionRequest, Verdict};
use tokio::task::JoinSet;

use crate::submit::submit;
use crate::{Answers, Word};

/// How many answerers may take part in one race: hooks, the classifier, and some of each surface.
const CONTENDERS_MAX: u8 = 64;

/// One of the automatic answerers of a race, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contender(u8);

/// The first claim on a request; later claims are refused, not lost: see [`Claim::Late`].
#[derive(Debug)]
pub(crate) struct Guard {
    state: AtomicU8,
}

/// Nobody has claimed yet.
const OPEN: u8 = u8::MAX;

/// Only people may answer any more.
const PEOPLE: u8 = u8::MAX - 1;

/// What a claim came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Claim {
    /// The answer may be given.
    Won,
    /// Another was first.
    Late {
        /// Who.
        winner: Contender,
    },
    /// It was left to people before.
    LeftToPeople,
}

impl Guard {
    /// A guard that nobody has claimed.
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU8::new(OPEN),
        }
    }

    /// Claims the request for an automatic answerer.
    pub(crate) fn claim(&self, contender: Contender) -> Claim {
        match self.take(contender.0) {
            Ok(()) => Claim::Won,
            Err(PEOPLE) => Claim::LeftToPeople,
            Err(winner) => Claim::Late {
                winner: Contender(winner),
            },
        }
    }

    /// Keeps every automatic answerer from claiming that has not claimed yet.
    pub(crate) fn leave_to_people(&self) {
        // Claimed before: then that answer came first, and stands.
        let _ = self.take(PEOPLE);
    }

    /// INVARIANT (one claim): the state leaves `OPEN` once, and never changes again.
    fn take(&self, state: u8) -> Result<(), u8> {
        self.state
            .compare_exchange(OPEN, state, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
    }
}

/// A race for one open request.
pub(crate) struct Race {
    requests: Requests,
    request: Arc<PermissionRequest>,
    contenders: Vec<Arc<dyn Answers>>,
}

impl Race {
    /// A race of these answerers, and of everyone who sees the open request.
    pub(crate) fn new(
        requests: Requests,
        request: Arc<PermissionRequest>,
        contenders: Vec<Arc<dyn Answers>>,
    ) -> Self {
        Self {
            requests,
            request,
            contenders,
        }
    }

    /// Starts all answerers and waits for the verdict. When it returns, the losers are cancelled,
    /// have ended, and were told who won.
    ///
    /// Cancellation: dropping the future cancels the answerers; the ticket's owner withdraws the
    /// request.
    pub(crate) async fn run(self, ticket: &mut Ticket) -> Verdict {
        let guard = Arc::new(Guard::new());
        let mut running = JoinSet::new();
        for (number, contender) in (0..CONTENDERS_MAX).zip(&self.contenders) {
            running.spawn(contend(
                Contender(number),
                Arc::clone(contender),
                Arc::clone(&self.request),
                self.requests.clone(),
                Arc::clone(&guard),
            ));
        }
        let verdict = loop {
            tokio::select! {
                biased;
                verdict = ticket.verdict() => break verdict,
                Some(ended) = running.join_next() => {
                    if let Err(error) = ended {
                        tracing::error!(request = %self.request.id, %error, "an answerer broke down");
                    }
                }
            }
        };
        running.shutdown().await;
        for contender in &self.contenders {
            contender.told(&verdict);
        }
        verdict
    }
}

async fn contend(
    number: Contender,
    contender: Arc<dyn Answers>,
    request: Arc<PermissionRequest>,
    requests: Requests,
    guard: Arc<Guard>,
) {
    match contender.answer(&request).await {
        Word::Answer { by, kind } => match guard.claim(number) {
            Claim::Won => {
                submit(&requests, &request, by, kind).await;
            }
            Claim::Late { winner } => {
                tracing::debug!(request = %request.id, %by, ?winner, "an answer came too late");
            }
            Claim::LeftToPeople => {
                tracing::debug!(request = %request.id, %by, "an answer was left to people");
            }
        },
        Word::OnlyPeople { why } => {
            tracing::debug!(request = %request.id, %why, "left to people");
            guard.leave_to_people();
        }
        Word::Nothing => {}
    }
}

#[cfg(test)]
mod tests;
