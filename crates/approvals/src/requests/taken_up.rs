//! Questions that a dead leader left, open again: same ids, same deadlines.
//!
//! They are asked on from the start of the next reign, before the agents that asked them live again, so that an answer
//! given meanwhile counts. Each is held until its agent asks for the same once more and joins it.

use std::fmt;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use pointsman_ledger::RequestOpened;
use pointsman_model::{Outcome, RequestId};

use super::{Requests, Ticket};

/// How many are stored at a time: those of a large swarm share syncs, and the service's queue stays free for others.
const STORED_AT_ONCE: usize = 256;

/// A question of an earlier reign that is open again. Dropped, it is withdrawn, unless its agent has joined it.
pub struct TakenUp {
    requests: Requests,
    ticket: Ticket,
}

impl TakenUp {
    /// The question.
    #[must_use]
    pub fn id(&self) -> RequestId {
        self.ticket.id()
    }

    /// Ends it, since its call is asked about anew or is not asked about any more; `why` tells a person.
    ///
    /// # Errors
    /// When a verdict came first, which stands for what it was given for: the question is given back.
    pub async fn supersede(self: Box<Self>, why: &str) -> Result<(), Box<Self>> {
        match self.requests.end(self.id(), Outcome::Superseded, why).await {
            true => Ok(()),
            false => Err(self),
        }
    }
}

impl fmt::Debug for TakenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TakenUp").field(&self.id()).finish()
    }
}

impl Requests {
    /// Takes up what a dead leader left open, in this order. What can't be stored is left out: it stays interrupted, and
    /// its agent asks it again.
    pub async fn take_up(&self, left: Vec<RequestOpened>) -> Vec<TakenUp> {
        let opening = left.into_iter().map(|opened| async move {
            let (request, showing) = (Arc::new(opened.request), opened.showing);
            let id = request.id;
            match self.reopen(request, showing).await {
                Ok(ticket) => Some(TakenUp {
                    requests: self.clone(),
                    ticket,
                }),
                Err(error) => {
                    tracing::warn!(request = %id, %error, "a question was not taken up again");
                    None
                }
            }
        });
        let taken = stream::iter(opening).buffered(STORED_AT_ONCE);
        taken.filter_map(std::future::ready).collect().await
    }
}
