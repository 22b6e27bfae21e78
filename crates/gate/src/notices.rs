//! Notices: hooks are told of a question that waits for a person.
//!
//! Not at once: most questions are answered in a moment, and a hook that rings a bell should ring it
//! for those that are not.

use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::Requests;
use pointsman_model::{Effects, RequestId};
use pointsman_policy::settings::HookEvent;
use tokio_util::sync::CancellationToken;

use crate::beside::beside_each;
use crate::{Happening, HookScene, Hooks};

/// How long a question waits before hooks are told of it; as long as with other hosts of the same hooks.
const UNANSWERED: Duration = Duration::from_secs(6);

/// How hooks choose this kind of notice.
const KIND: &str = "permission_prompt";

/// Watches the open questions for hooks of Notification.
pub struct Notices {
    requests: Requests,
    hooks: Arc<Hooks>,
}

impl Notices {
    /// Notices of the questions in this table.
    #[must_use]
    pub fn new(requests: Requests, hooks: Arc<Hooks>) -> Self {
        Self { requests, hooks }
    }

    /// Watches until `shutdown`, or until the table is gone. Without hooks of Notification it returns at
    /// once.
    pub async fn run(self, shutdown: CancellationToken) {
        if !self.hooks.has(HookEvent::Notification) {
            return;
        }
        beside_each(&self.requests, &shutdown, |open| {
            self.later(open.request.id, shutdown.clone())
        })
        .await;
    }

    /// Tells hooks of a question that is still open by then.
    fn later(
        &self,
        id: RequestId,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let (requests, hooks) = (self.requests.clone(), Arc::clone(&self.hooks));
        async move {
            tokio::time::sleep(UNANSWERED).await;
            let Some(open) = requests.get(id) else {
                return;
            };
            let request = &open.request;
            let message = format!(
                "{} needs your permission to use {}",
                request.lineage, request.call.tool
            );
            let notice = Happening::Notified {
                message: &message,
                kind: KIND,
            };
            let scene = HookScene {
                lineage: &request.lineage,
                folder: &request.folder,
                mode: request.mode,
                effects: &Effects::default(),
                stop: &stop,
            };
            let _ = hooks.tell(&notice, &scene).await;
        }
    }
}

#[cfg(test)]
mod tests;
