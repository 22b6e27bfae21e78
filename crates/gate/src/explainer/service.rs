//! The explainer at work: what a model says of a question is put beside it while people look at it.

use std::sync::Arc;

use pointsman_approvals::Requests;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::Explainer;
use crate::beside::beside_each;

/// How many questions are explained at the same time; the model's server has limits, and nobody reads more at once.
const AT_ONCE_MAX: usize = 8;

/// Explains each question that goes to the surfaces. Never delays one, and never answers one.
pub struct Explaining {
    requests: Requests,
    explainer: Explainer,
}

impl Explaining {
    /// Explanations of the questions in this table.
    #[must_use]
    pub fn new(requests: Requests, explainer: Explainer) -> Self {
        Self {
            requests,
            explainer,
        }
    }

    /// Explains until `shutdown`, or until the table is gone. A question that has its verdict is explained no further.
    pub async fn run(self, shutdown: CancellationToken) {
        let slots = Arc::new(Semaphore::new(AT_ONCE_MAX));
        beside_each(&self.requests, &shutdown, |open| {
            let (requests, explainer) = (self.requests.clone(), self.explainer.clone());
            let slots = Arc::clone(&slots);
            async move {
                let Ok(_slot) = slots.acquire().await else {
                    return;
                };
                if let Some(explanation) = explainer.ask(&open.request).await {
                    requests.explain(open.request.id, explanation).await;
                }
            }
        })
        .await;
    }
}
