//! The handler of a job's worker: hooks to the end, then the classifier, then one dialog.
//!
//! Many workers ask at the same time, so nobody is disturbed by a dialog that a check would have
//! closed a moment later.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_approvals::Ticket;
use pointsman_ledger::Showing;
use pointsman_model::{Attended, HandlerKind, PermissionRequest, Verdict};

use super::panel::Checked;
use super::{Panel, PermissionHandler};

/// The automatic checks have their turns one after the other; then the request is shown.
#[derive(Clone)]
pub struct CoordinatorHandler {
    panel: Panel,
}

impl CoordinatorHandler {
    /// A handler that consults this panel.
    #[must_use]
    pub fn new(panel: Panel) -> Self {
        Self { panel }
    }

    pub(crate) fn panel(&self) -> &Panel {
        &self.panel
    }

    /// The verdict of a request that was opened to be shown after the checks.
    pub(crate) async fn conclude(
        &self,
        ticket: &mut Ticket,
        request: &PermissionRequest,
    ) -> Verdict {
        let panel = &self.panel;
        if panel.attended == Attended::No {
            return Box::pin(panel.unattended(ticket, request)).await;
        }
        match Box::pin(self.checked(ticket, request)).await {
            Checked::Verdict(verdict) => verdict,
            Checked::NoAnswer { .. } | Checked::OnlyPeople { .. } => {
                Box::pin(panel.requests.show(request.id)).await;
                let verdict = ticket.verdict().await;
                panel.tell_classifier(request, &verdict);
                verdict
            }
        }
    }

    /// The automatic checks, to the end of the last. What they need is given back then: a request that waits for a person
    /// is to be small.
    async fn checked(&self, ticket: &mut Ticket, request: &PermissionRequest) -> Checked {
        let panel = &self.panel;
        // In mode auto the classifier stands in for the question, so it comes before those who
        // answer questions, and once.
        let stand_in = panel.stand_in(request);
        let last = match stand_in {
            Some(_) => None,
            None => panel.classifier_check(request),
        };
        let checks: Vec<_> = stand_in
            .into_iter()
            .chain(panel.hook_check())
            .chain(last)
            .collect();
        panel.in_turn(ticket, request, &checks).await
    }
}

#[async_trait]
impl PermissionHandler for CoordinatorHandler {
    fn kind(&self) -> HandlerKind {
        HandlerKind::Coordinator
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        let request = Arc::new(request);
        match self.panel.open(&request, Showing::AfterChecks).await {
            Ok(mut ticket) => self.conclude(&mut ticket, &request).await,
            Err(refusal) => refusal,
        }
    }
}
