//! The mailbox of workers that are tasks of the leader's own process.
//!
//! Fair and bounded: a worker has at most [`LETTERS_PER_WORKER_MAX`] letters on their way to the
//! disk, and the leader takes one letter of each worker in turn, so that a noisy one holds up nobody
//! but itself.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use dashmap::DashMap;
use pointsman_model::{PermissionRequest, RequestId, Verdict, WorkerId};
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{ForwardError, Forwarded, Mailbox};

/// How many letters of one worker may be on their way to the leader's disk; the next waits. A batch of calls that ask
/// together is smaller.
const LETTERS_PER_WORKER_MAX: usize = 16;

/// A mailbox within one process. `bound` letters of all workers together may wait to be taken.
#[must_use]
pub fn in_process(bound: usize) -> (InProcessMailbox, Inbox) {
    let (tx, rx) = flume::bounded(bound);
    let mailbox = InProcessMailbox {
        tx,
        slots: Arc::new(DashMap::new()),
        inbox_gone: CancellationToken::new(),
    };
    let inbox = Inbox {
        rx,
        waiting: FxHashMap::default(),
        turns: VecDeque::new(),
        _gone: mailbox.inbox_gone.clone().drop_guard(),
    };
    (mailbox, inbox)
}

/// The workers' end. Cheap to clone.
#[derive(Clone)]
pub struct InProcessMailbox {
    tx: flume::Sender<Letter>,
    slots: Arc<DashMap<WorkerId, Arc<Semaphore>>>,
    /// A letter that lies in the channel when the inbox goes is never dropped there, so this tells its sender.
    inbox_gone: CancellationToken,
}

impl InProcessMailbox {
    fn slots_of(&self, worker: WorkerId) -> Arc<Semaphore> {
        let slots = self
            .slots
            .entry(worker)
            .or_insert_with(|| Arc::new(Semaphore::new(LETTERS_PER_WORKER_MAX)));
        Arc::clone(slots.value())
    }

    /// Forgets a worker that has ended.
    pub fn forget(&self, worker: WorkerId) {
        self.slots.remove(&worker);
    }
}

#[async_trait]
impl Mailbox for InProcessMailbox {
    async fn forward(&self, request: PermissionRequest) -> Result<Forwarded, ForwardError> {
        let id = request.id;
        let slots = self.slots_of(request.lineage.agent().worker);
        // The letters that lie in the channel keep their slots when the inbox goes, so that is waited for beside it.
        let slot = tokio::select! {
            biased;
            // Never closed, so this fails never; if it did, the letter would not be sent.
            slot = slots.acquire_owned() => slot.map_err(|_| ForwardError::Closed)?,
            () = self.inbox_gone.cancelled() => return Err(ForwardError::Closed),
        };
        let (queued, told) = oneshot::channel();
        let (verdict, answer) = oneshot::channel();
        let letter = Letter {
            request: Arc::new(request),
            queued: Some((queued, slot)),
            verdict,
        };
        self.tx
            .send_async(letter)
            .await
            .map_err(|_| ForwardError::Closed)?;
        let told = tokio::select! {
            biased;
            told = told => told,
            () = self.inbox_gone.cancelled() => return Err(ForwardError::Closed),
        };
        match told {
            Ok(Ok(())) => Ok(Forwarded::new(id, answer)),
            Ok(Err(undelivered)) => Err(undelivered.into_error(id)),
            Err(_) => Err(ForwardError::Lost(id)),
        }
    }
}

/// Why the leader does not take a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undelivered {
    /// It can't be stored.
    NotStored(Box<str>),
    /// The leader is stopping.
    Closed,
}

impl Undelivered {
    fn into_error(self, request: RequestId) -> ForwardError {
        match self {
            Self::NotStored(why) => ForwardError::NotStored { request, why },
            Self::Closed => ForwardError::Closed,
        }
    }
}

type Queued = (
    oneshot::Sender<Result<(), Undelivered>>,
    OwnedSemaphorePermit,
);

/// A request on its way. Dropped before [`Self::queued`], the worker hears that it was lost.
pub struct Letter {
    request: Arc<PermissionRequest>,
    queued: Option<Queued>,
    verdict: oneshot::Sender<Verdict>,
}

impl Letter {
    /// The request.
    #[must_use]
    pub fn request(&self) -> &PermissionRequest {
        &self.request
    }

    /// The request, for whoever keeps it beside the letter.
    #[must_use]
    pub fn shared_request(&self) -> Arc<PermissionRequest> {
        Arc::clone(&self.request)
    }

    /// Tells the worker that its request is queued. To be called when the request is on disk, not before (law 11).
    pub fn queued(&mut self) {
        if let Some((told, slot)) = self.queued.take() {
            // A worker that stopped waiting has withdrawn the request.
            let _ = told.send(Ok(()));
            drop(slot);
        }
    }

    /// Tells the worker that its request is not taken.
    pub fn refuse(mut self, why: Undelivered) {
        if let Some((told, _slot)) = self.queued.take() {
            let _ = told.send(Err(why));
        }
    }

    /// Brings the verdict back.
    pub fn deliver(self, verdict: Verdict) {
        // A worker that stopped waiting has withdrawn the request; its verdict is on record all the same.
        let _ = self.verdict.send(verdict);
    }

    /// Waits until the worker withdraws the request. Cancel safe.
    pub async fn withdrawn(&mut self) {
        self.verdict.closed().await;
    }
}

/// The leader's end.
pub struct Inbox {
    rx: flume::Receiver<Letter>,
    waiting: FxHashMap<WorkerId, VecDeque<Letter>>,
    turns: VecDeque<WorkerId>,
    _gone: DropGuard,
}

impl Inbox {
    /// The next letter, of each worker in turn; `None` when all mailboxes are gone and all letters taken. Cancel safe.
    pub async fn next(&mut self) -> Option<Letter> {
        self.sort_in();
        if self.turns.is_empty() {
            let letter = self.rx.recv_async().await.ok()?;
            self.put(letter);
            self.sort_in();
        }
        self.take()
    }

    /// Takes in what has arrived. At most the mailbox's bound each time, and at most a worker's slots of each worker.
    fn sort_in(&mut self) {
        while let Ok(letter) = self.rx.try_recv() {
            self.put(letter);
        }
    }

    fn put(&mut self, letter: Letter) {
        let worker = letter.request.lineage.agent().worker;
        let queue = self.waiting.entry(worker).or_default();
        if queue.is_empty() {
            self.turns.push_back(worker);
        }
        queue.push_back(letter);
    }

    fn take(&mut self) -> Option<Letter> {
        let worker = self.turns.pop_front()?;
        let queue = self.waiting.get_mut(&worker)?;
        let letter = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&worker);
        } else {
            self.turns.push_back(worker);
        }
        letter
    }
}

#[cfg(test)]
mod tests;
