//! Tickets: what the one who asks holds until the verdict comes.

use std::sync::{Arc, Mutex, PoisonError};

use pointsman_ledger::Clock;
use pointsman_model::{
    Answerer, Digest, Outcome, PermissionRequest, RequestId, Verdict, VerdictKind,
};
use tokio::sync::{Notify, oneshot};

/// The requests whose tickets were dropped. Bounded by the tickets there are, so that a drop never has to wait.
#[derive(Debug, Default)]
pub(crate) struct Dropped {
    ids: Mutex<Vec<RequestId>>,
    pub(crate) bell: Notify,
}

impl Dropped {
    pub(crate) fn push(&self, id: RequestId) {
        self.ids
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(id);
        self.bell.notify_one();
    }

    pub(crate) fn take(&self) -> Vec<RequestId> {
        std::mem::take(&mut *self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The claim to a request's verdict. Dropping it withdraws the request, unless another ticket for it exists (law 21).
pub struct Ticket {
    id: RequestId,
    digest: Digest,
    waiting: Waiting,
    dropped: Arc<Dropped>,
    clock: Arc<dyn Clock>,
}

enum Waiting {
    For(oneshot::Receiver<Verdict>),
    Got(Verdict),
}

impl Ticket {
    pub(crate) fn new(
        request: &PermissionRequest,
        verdict: oneshot::Receiver<Verdict>,
        dropped: Arc<Dropped>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            id: request.id,
            digest: request.digest,
            waiting: Waiting::For(verdict),
            dropped,
            clock,
        }
    }

    /// The request.
    #[must_use]
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Waits for the verdict; on disk when it comes. Every request has a deadline, so this ends.
    ///
    /// Cancel safe: dropped and called again, it still gives the one verdict.
    pub async fn verdict(&mut self) -> Verdict {
        let verdict = match &mut self.waiting {
            Waiting::Got(verdict) => return verdict.clone(),
            Waiting::For(verdict) => match verdict.await {
                Ok(verdict) => verdict,
                // Only a service that was dropped in the middle leaves a request without its verdict.
                Err(_) => Verdict {
                    kind: VerdictKind::Ended {
                        outcome: Outcome::Unavailable,
                        text: "the leader is gone, so nobody can answer".into(),
                    },
                    by: Answerer::Runtime,
                    at: self.clock.now(),
                    digest: self.digest,
                },
            },
        };
        self.waiting = Waiting::Got(verdict.clone());
        verdict
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Waiting::For(verdict) = &mut self.waiting {
            // Closed before it is told, so that whoever hears of it finds it closed.
            verdict.close();
            self.dropped.push(self.id);
        }
    }
}
