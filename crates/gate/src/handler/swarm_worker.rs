//! The handler of an agent that an agent spawned: the classifier for shell commands, then the leader
//! by mailbox.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pointsman_approvals::{ForwardError, Mailbox};
use pointsman_ledger::Showing;
use pointsman_model::{HandlerKind, Outcome, PermissionRequest, Verdict};

use super::panel::Checked;
use super::{CoordinatorHandler, Panel, PermissionHandler};

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

    async fn forward(&self, request: &PermissionRequest) -> Verdict {
        let left = request.deadline.since(self.panel.clock.now()).duration();
        let forwarded = tokio::time::timeout(left + PAST_DEADLINE, async {
            let mut forwarded = self.mailbox.forward(request.clone()).await?;
            forwarded.verdict().await
        });
        match forwarded.await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(error)) => self.fall_back(request, &error).await,
            Err(_) => {
                let text = "the leader did not answer before the deadline";
                self.panel.ended(request, Outcome::Expired, text)
            }
        }
    }

    async fn fall_back(&self, request: &PermissionRequest, error: &ForwardError) -> Verdict {
        match &self.local {
            Some(local) => local.resolve(request.clone()).await,
            None => {
                let text =
                    format!("this needs an approval, and the leader can't be asked: {error}");
                self.panel.ended(request, Outcome::Unavailable, &text)
            }
        }
    }
}

#[async_trait]
impl PermissionHandler for SwarmWorkerHandler {
    fn kind(&self) -> HandlerKind {
        HandlerKind::SwarmWorker
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        let check = (request.call.tool.as_str() == "Bash")
            .then(|| self.panel.classifier_check(&request))
            .flatten();
        let Some(check) = check else {
            return self.forward(&request).await;
        };
        // Opened here so that a yes is on record; the leader takes the same request up by its id.
        let mut ticket = match self.panel.open(&request, Showing::AfterChecks).await {
            Ok(ticket) => ticket,
            Err(_) => return self.forward(&request).await,
        };
        match self.panel.in_turn(&mut ticket, &request, &[check]).await {
            Checked::Verdict(verdict) => verdict,
            Checked::NoAnswer | Checked::OnlyPeople { .. } => self.forward(&request).await,
        }
    }
}
