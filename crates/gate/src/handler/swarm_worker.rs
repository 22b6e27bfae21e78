//! The handler of an agent that an agent spawned: the classifier for shell commands, then the leader
//! by mailbox.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pointsman_approvals::{ForwardError, Mailbox, Ticket};
use pointsman_ledger::Showing;
use pointsman_model::{
    Attended, Digest, HandlerKind, Outcome, PermissionRequest, RequestId, ToolInput, Verdict,
};

use super::panel::Checked;
use super::{CoordinatorHandler, Panel, PermissionHandler};
use crate::{Answers, Word};

/// How much longer than the request's deadline the worker waits for the leader to say that it has
/// passed: the leader's word is the one on record.
const PAST_DEADLINE: Duration = Duration::from_secs(5);

/// Asks the leader. When that can't be reached, it asks at its own dialog if there is one, and
/// refuses if there is none (law 19).
pub struct SwarmWorkerHandler {
    panel: Panel,
    mailbox: Arc<dyn Mailbox>,
    local: Option<CoordinatorHandler>,
}

impl SwarmWorkerHandler {
    /// A handler that forwards through `mailbox`. The panel's table is where a classifier's yes is put on
    /// record.
    #[must_use]
    pub fn new(panel: Panel, mailbox: Arc<dyn Mailbox>) -> Self {
        Self {
            panel,
            mailbox,
            local: None,
        }
    }

    /// The same with a dialog of its own to fall back to.
    #[must_use]
    pub fn with_local_dialog(self, local: CoordinatorHandler) -> Self {
        Self {
            local: Some(local),
            ..self
        }
    }

    /// Asks the leader. `ticket` is that of a request that is open here already; whatever comes of it is its end.
    async fn forward(
        &self,
        request: Box<PermissionRequest>,
        ticket: Option<&mut Ticket>,
    ) -> Verdict {
        let refused = Refused {
            id: request.id,
            digest: request.digest,
            // Kept for the own dialog alone: a worker that waits is to be small.
            request: self.local.as_ref().map(|_| request.clone()),
        };
        let left = request.deadline.since(self.panel.clock.now()).duration();
        let forwarding = tokio::time::timeout(left + PAST_DEADLINE, async {
            let mut forwarded = self.mailbox.forward(*request).await?;
            forwarded.verdict().await
        });
        match forwarding.await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(error)) => Box::pin(self.fall_back(refused, &error, ticket)).await,
            Err(_) => {
                let text = "the leader did not answer before the deadline";
                Box::pin(self.end(&refused, Outcome::Expired, text, ticket)).await
            }
        }
    }

    async fn fall_back(
        &self,
        refused: Refused,
        error: &ForwardError,
        ticket: Option<&mut Ticket>,
    ) -> Verdict {
        match (&self.local, &refused.request) {
            (Some(local), Some(request)) => local.resolve((**request).clone()).await,
            (Some(_) | None, _) => {
                let text =
                    format!("this needs an approval, and the leader can't be asked: {error}");
                self.end(&refused, Outcome::Unavailable, &text, ticket)
                    .await
            }
        }
    }

    /// Ends a request with its own outcome. One that is open is ended on record, so that record and agent are told the
    /// same; an answer that came first stands.
    async fn end(
        &self,
        refused: &Refused,
        outcome: Outcome,
        text: &str,
        ticket: Option<&mut Ticket>,
    ) -> Verdict {
        match ticket {
            None => self.panel.ended(refused.digest, outcome, text),
            Some(ticket) => {
                self.panel.requests.end(refused.id, outcome, text).await;
                ticket.verdict().await
            }
        }
    }
}

/// A request that the leader did not answer.
struct Refused {
    id: RequestId,
    digest: Digest,
    request: Option<Box<PermissionRequest>>,
}

#[async_trait]
impl PermissionHandler for SwarmWorkerHandler {
    fn kind(&self) -> HandlerKind {
        HandlerKind::SwarmWorker
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        let check = match (&request.call.input, self.panel.attended) {
            (ToolInput::Bash(_), Attended::Yes) => self.panel.classifier_check(&request),
            // With nobody there it is asked where it stands in for the question, and nowhere else.
            (ToolInput::Bash(_), Attended::No) => self.panel.stand_in(&request),
            (_, _) => None,
        };
        match check {
            None => self.forward(Box::new(request), None).await,
            Some(check) => Box::pin(self.check_first(request, check)).await,
        }
    }
}

impl SwarmWorkerHandler {
    async fn check_first(&self, request: PermissionRequest, check: Arc<dyn Answers>) -> Verdict {
        let request = Arc::new(request);
        // Opened here so that a yes is on record; the leader takes the same request up by its id.
        let mut ticket = match self.panel.open(&request, Showing::AfterChecks).await {
            Ok(ticket) => ticket,
            Err(_) => {
                let request = Box::new(Arc::unwrap_or_clone(request));
                return self.forward(request, None).await;
            }
        };
        match self.panel.in_turn(&mut ticket, &request, &[check]).await {
            Checked::Verdict(verdict) => verdict,
            Checked::NoAnswer { unjudged } => {
                let word = match unjudged {
                    Some((cause, why)) => Word::NoVote { cause, why },
                    None => Word::Nothing,
                };
                // The leader judges as a coordinator does, and the classifier has had its turn.
                let _kept = self.panel.votes.keep(request.id, word);
                let request = Box::new(Arc::unwrap_or_clone(request));
                self.forward(request, Some(&mut ticket)).await
            }
            Checked::OnlyPeople { why, .. } => {
                // The leader asks it no second time either.
                let _kept = self.panel.votes.keep(request.id, Word::OnlyPeople { why });
                let request = Box::new(Arc::unwrap_or_clone(request));
                self.forward(request, Some(&mut ticket)).await
            }
        }
    }
}
