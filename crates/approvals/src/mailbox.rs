//! The mailbox: how a worker's request reaches its leader, and how the verdict comes back.
//!
//! The trait assumes neither one process nor one machine: a request may arrive twice, and is told
//! "queued" only when the leader has it on disk. There are two transports: [`in_process`] for workers
//! that are tasks of the leader's process, and [`remote`] with a [`post_office`] for workers that are
//! processes of their own, over a [`PostSocket`].
//!
//! A transport over NATS JetStream fits the same trait. [`Mailbox::forward`] publishes the request to
//! the leader's stream under its id as message id, and returns when the leader says that it is stored:
//! the leader's consumer turns each message into a [`Letter`], whose [`Letter::queued`] acknowledges it,
//! so a message that is not acknowledged is delivered again, to this leader or the next. The verdict
//! comes over the worker's own subject, again until it is acknowledged. A [`Letter`] that comes twice is
//! the same request with the same verdict, whoever brings it; frames of an old leader or a dead worker
//! are known by the epoch and the generation that stand in them. A slow consumer is what makes
//! `forward` wait, with a bound on messages that are not acknowledged yet.

mod in_process;
mod line;
mod office;
mod remote;
mod socket;

use async_trait::async_trait;
use pointsman_model::{PermissionRequest, RequestId, Verdict};
use tokio::sync::oneshot;

use self::remote::Withdrawal;

pub use in_process::{InProcessMailbox, Inbox, Letter, Undelivered, in_process};
pub use line::{Dial, LeaderLine, Line, Pass, Stamp, ToLeader, ToWorker, WorkerLine};
pub use office::{AdmitError, PostOffice, PostOfficeHandle, post_office};
pub use remote::{RemoteMailbox, RemoteService, remote};
pub use socket::{PostSocket, SocketDial};

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
    /// The leader could not be reached for too long.
    #[error("the leader can't be reached")]
    Unreachable,
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
    /// Dropped after the end above, so that whoever hears of it finds that closed.
    _withdrawal: Option<Withdrawal>,
}

impl Forwarded {
    /// A forwarded request whose verdict comes through `verdict`; for transports.
    #[must_use]
    pub fn new(id: RequestId, verdict: oneshot::Receiver<Verdict>) -> Self {
        Self {
            id,
            verdict,
            _withdrawal: None,
        }
    }

    /// The same for a transport that has to be told when nobody waits any more.
    pub(crate) fn withdrawn_by(
        id: RequestId,
        verdict: oneshot::Receiver<Verdict>,
        withdrawal: Withdrawal,
    ) -> Self {
        Self {
            id,
            verdict,
            _withdrawal: Some(withdrawal),
        }
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
