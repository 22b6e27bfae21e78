//! The mailbox: how a worker's request reaches its leader, and how the verdict comes back.
//!
//! The trait assumes neither one process nor one machine: a request may arrive twice, and is told
//! "queued" only when the leader has it on disk.

mod in_process;

use async_trait::async_trait;
use pointsman_model::{PermissionRequest, RequestId, Verdict};
use tokio::sync::oneshot;

pub use in_process::{InProcessMailbox, Inbox, Letter, Undelivered, in_process};

/// Carries requests to the leader.
#[async_trait]
pub trait Mailbox: Send + Sync {
    /// Sends a request; returns when the leader has stored it. A full mailbox makes this wait, it loses nothing.
    ///
    /// Delivered at least once: a leader takes the same request twice for one. Dropping the future, or what it returns,
    /// withdraws the request.
    ///
    /// # Errors
    /// When the leader can't be reached or can't store it.
    async fn forward(&self, request: PermissionRequest) -> Result<Forwarded, ForwardError>;
}

/// Why a request did not reach the leader, or its verdict did not come back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForwardError {
    /// The leader takes no letters any more.
    #[error("the leader takes no requests any more")]
    Closed,
    /// The leader gave up on the letter.
    #[error("the leader lost {0}")]
    Lost(RequestId),
    /// The leader can't store it.
    #[error("the leader can't record {request}: {why}")]
    NotStored {
        /// The request.
        request: RequestId,
        /// Why.
        why: Box<str>,
    },
}

/// A request that the leader has stored. Dropping it withdraws the request.
#[derive(Debug)]
pub struct Forwarded {
    id: RequestId,
    verdict: oneshot::Receiver<Verdict>,
}

impl Forwarded {
    /// A forwarded request whose verdict comes through `verdict`; for transports.
    #[must_use]
    pub fn new(id: RequestId, verdict: oneshot::Receiver<Verdict>) -> Self {
        Self { id, verdict }
    }

    /// The request.
    #[must_use]
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Waits for the verdict. Cancel safe until it has come; it comes once.
    ///
    /// # Errors
    /// When the leader is gone without one.
    pub async fn verdict(&mut self) -> Result<Verdict, ForwardError> {
        (&mut self.verdict)
            .await
            .map_err(|_| ForwardError::Lost(self.id))
    }
}
