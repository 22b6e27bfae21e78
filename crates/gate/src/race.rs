//! The race: many answerers, one answer.
//!
//! [`Race::run`] owns a request from the ask to the verdict. It never decides by itself, never
//! prints, and leaves no answerer running when it returns. People take part through the table of
//! open requests, which has the last word on who was first; the [`Guard`] sees to it that of the
//! automatic answerers only one ever speaks to it.

mod guard;

use std::sync::Arc;

use pointsman_approvals::{Requests, Ticket};
use pointsman_model::{PermissionRequest, Verdict};
use tokio::task::JoinSet;

use self::guard::{CONTENDERS_MAX, Claim, Contender, Guard};
use crate::answers::heard;
use crate::submit::submit;
use crate::{Answers, Word};

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
                        tracing::error!(request = %self.request.id, %error, "an answerer's task was lost");
                        guard.leave_to_people();
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
    match heard(contender.as_ref(), &request).await {
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
        Word::Nothing | Word::NoVote { .. } => {}
    }
}

#[cfg(test)]
mod tests;
