//! The handler of an interactive session's root agent: everyone races, the dialog from the start.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_ledger::Showing;
use pointsman_model::{Attended, HandlerKind, PermissionRequest, Verdict};

use super::panel::Checked;
use super::{Panel, PermissionHandler};
use crate::race::Race;

/// All answerers start together: people on all surfaces, hooks, the classifier. The first valid
/// answer is the verdict.
pub struct InteractiveHandler {
    panel: Panel,
}

impl InteractiveHandler {
    /// A handler that consults this panel.
    #[must_use]
    pub fn new(panel: Panel) -> Self {
        Self { panel }
    }

    /// In mode auto the classifier comes first, in the place of the question; without its word the
    /// question is asked as in other modes, and it is not asked again.
    async fn race(&self, request: Arc<PermissionRequest>) -> Verdict {
        let panel = &self.panel;
        let stand_in = panel.stand_in(&request);
        let showing = match stand_in {
            Some(_) => Showing::AfterChecks,
            None => Showing::AtOnce,
        };
        let mut ticket = match panel.open(&request, showing).await {
            Ok(ticket) => ticket,
            Err(refusal) => return refusal,
        };
        let mut contenders = Vec::from_iter(panel.hook_check());
        match stand_in {
            Some(stand_in) => {
                let checked = panel.in_turn(&mut ticket, &request, &[stand_in]).await;
                if let Checked::Verdict(verdict) = checked {
                    return verdict;
                }
                panel.requests.show(request.id).await;
            }
            None => contenders.extend(panel.classifier_check(&request)),
        }
        let verdict = Race::new(panel.requests.clone(), Arc::clone(&request), contenders)
            .run(&mut ticket)
            .await;
        panel.tell_classifier(&request, &verdict);
        verdict
    }
}

#[async_trait]
impl PermissionHandler for InteractiveHandler {
    fn kind(&self) -> HandlerKind {
        HandlerKind::Interactive
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        let request = Arc::new(request);
        match self.panel.attended {
            Attended::Yes => self.race(request).await,
            Attended::No => match self.panel.open(&request, Showing::AfterChecks).await {
                Ok(mut ticket) => self.panel.unattended(&mut ticket, &request).await,
                Err(refusal) => refusal,
            },
        }
    }
}
