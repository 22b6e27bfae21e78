//! The handle of the writer: what everyone who has something to record holds.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use pointsman_model::{CallId, RequestId, RunId, WallTime};
use tokio::sync::oneshot;

use crate::Clock;
use crate::held_run::HeldRun;
use crate::open::{self, OpenError, OpenReport, ResumeError, ResumeReport};
use crate::reader::{LedgerReader, ReadError};
use crate::record::{RecordBody, RequestClosed, RequestOpened, RunStart, Seq};
use crate::run_lock::RunLock;
use crate::writer::{Append, Command};

/// The longest body of one record, in bytes. Texts of calls are bounded far below it; a longer one is a defect of its
/// writer, and must not fill the disk.
pub(crate) const BODY_BYTES_MAX: usize = 32 << 20;

/// The ledger of a project, open for writing. Cheap to clone; all clones speak to one writer thread.
#[derive(Clone)]
pub struct Ledger {
    inner: Arc<Inner>,
    withheld: Arc<Withheld>,
}

/// What no record holds.
#[derive(Default)]
struct Withheld {
    /// The keys, as JSON writes them within a text; longer ones first, since one may hold another.
    keys: Vec<Box<str>>,
    /// What stands in their place.
    left_out: &'static str,
}

struct Inner {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    queue: flume::Sender<Command>,
    health: Arc<Health>,
}

/// Whether the last commit went well; shared by the handle and the writer.
#[derive(Default)]
pub(crate) struct Health(Mutex<Option<AppendError>>);

impl Health {
    /// Notes how the last commit went; gives how the one before it went.
    pub(crate) fn set(&self, failure: Option<AppendError>) -> Option<AppendError> {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut now, failure)
    }

    fn get(&self) -> Option<AppendError> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Why a record is not on disk.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
    /// This ledger did not begin that run.
    #[error("{0} was not started here, so nothing can be recorded for it")]
    NotOurs(RunId),
    /// Another leader wrote to the run: this one is no longer its leader.
    #[error("another leader has taken over {0}")]
    TakenOver(RunId),
    /// No space is left.
    #[error("no space is left for the ledger `{0}`: free some space and try again")]
    Full(Box<str>),
    /// The file or its folder can't be written.
    #[error("the ledger `{0}` can't be written: look at the rights of the file and its folder")]
    ReadOnly(Box<str>),
    /// Its file was removed, replaced or cut under this leader.
    #[error(
        "the ledger `{0}` was removed or replaced under this leader, so nothing more can be recorded"
    )]
    Gone(Box<str>),
    /// The start of a call that has one already: no call is started twice (law 20).
    #[error("{0} was started before, and no call is started twice")]
    StartedBefore(CallId),
    /// Another process holds the database too long.
    #[error("the ledger `{0}` is held by another process for too long")]
    Busy(Box<str>),
    /// The record is too large.
    #[error("a record of {bytes} bytes is too large for the ledger: at most {max} are taken")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The largest size.
        max: usize,
    },
    /// The body can't be written as JSON.
    #[error("a record can't be written as JSON")]
    Encode(#[source] Arc<serde_json::Error>),
    /// The run's lock can't be taken.
    #[error("the lock `{path}` of a run can't be taken")]
    Lock {
        /// The lock's file.
        path: Box<str>,
        /// Why.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// The database failed in some other way.
    #[error("the ledger `{path}` can't be written")]
    Store {
        /// The database.
        path: Box<str>,
        /// Why.
        #[source]
        source: Arc<rusqlite::Error>,
    },
}

impl Ledger {
    /// Opens the ledger, making it when it is not there, and starts its writer thread.
    ///
    /// Runs whose leader died are closed: open requests as interrupted, calls that started and have no result as
    /// unknown. A database that can't be read through is set aside, and what could be read is carried over. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// When the file can't be made, read or written, is another program's, or was written by a newer pointsman.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<(Self, OpenReport), OpenError> {
        open::open(path, clock)
    }

    pub(crate) fn started(
        path: PathBuf,
        clock: Arc<dyn Clock>,
        queue: flume::Sender<Command>,
        health: Arc<Health>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                path,
                clock,
                queue,
                health,
            }),
            withheld: Arc::default(),
        }
    }

    /// Begins a run: gives it the project's next number and holds its lock until the run has ended.
    ///
    /// Cancel safe, but a run that was begun and is not heard of stays without records.
    ///
    /// # Errors
    /// When the first record can't be made durable.
    pub async fn begin_run(&self, start: RunStart) -> Result<RunId, AppendError> {
        let at = self.now();
        self.ask(|done| Command::Begin { start, at, done }).await?
    }

    /// Holds a run whose leader died: from here on nobody else takes it up, so that what is read of its past stays the
    /// whole of it. Nothing is recorded before [`HeldRun::resume`].
    ///
    /// # Errors
    /// When the run is unknown, alive, held or properly ended, or its lock can't be taken.
    pub async fn hold_run(&self, run: RunId) -> Result<HeldRun, ResumeError> {
        let (lock, groups) = self.ask(|done| Command::Hold { run, done }).await??;
        Ok(HeldRun::new(self.clone(), run, lock, groups))
    }

    /// Starts the next epoch of a run whose lock is held, and says what its last leader left.
    pub(crate) async fn resume_held(
        &self,
        run: RunId,
        lock: RunLock,
    ) -> Result<ResumeReport, ResumeError> {
        let at = self.now();
        let command = |done| Command::Resume {
            run,
            lock,
            at,
            done,
        };
        self.ask(command).await?
    }

    /// Records something; on disk when it returns.
    ///
    /// Dropping the future after it was polled doesn't take the record back.
    ///
    /// # Errors
    /// When the record is not on disk. Then it never will be, but for the ends of calls and agents, which are told
    /// nevertheless: these are written as soon as it can be done again, or by [`Self::settle`].
    pub async fn append(
        &self,
        run: RunId,
        body: impl Into<RecordBody>,
    ) -> Result<Seq, AppendError> {
        self.submit(run, body).await?.await
    }

    /// Queues a record and returns what tells when it is on disk. Records that one task submits one after another are
    /// written in that order.
    ///
    /// Waits while the queue is full. Cancel safe: dropped before it returns, nothing is queued.
    ///
    /// # Errors
    /// When the record can't be queued.
    pub async fn submit(
        &self,
        run: RunId,
        body: impl Into<RecordBody>,
    ) -> Result<PendingAppend, AppendError> {
        let (done, on_disk) = oneshot::channel();
        let command = self.encode(run, &body.into(), Some(done))?;
        self.send(command).await?;
        Ok(PendingAppend(on_disk))
    }

    /// Queues a record that nobody waits for; on disk with the next group commit.
    ///
    /// While the ledger fails this waits for the disk as [`Self::append`] does, so that the failure is heard of. Should
    /// a queued record be lost nevertheless, the run gets a record that says so as soon as it can be written.
    ///
    /// # Errors
    /// When the record can't be queued, or the ledger fails.
    pub async fn note(&self, run: RunId, body: impl Into<RecordBody>) -> Result<(), AppendError> {
        if self.inner.health.get().is_some() {
            return self.append(run, body).await.map(drop);
        }
        let command = self.encode(run, &body.into(), None)?;
        self.send(command).await
    }

    /// Queues the end of a request that was told though it could not be written. It is written as soon as that can be done
    /// again, as the ends of calls are.
    ///
    /// # Errors
    /// When the record can't be queued.
    pub async fn keep_close(&self, closed: RequestClosed) -> Result<(), AppendError> {
        let command = self.encode(closed.request.run(), &closed.into(), None)?;
        self.send(command).await
    }

    /// Tries once more to write the ends of calls and agents that could not be written; gives those that still can't.
    ///
    /// # Errors
    /// When the ledger is closed.
    pub async fn settle(&self, run: RunId) -> Result<Vec<RecordBody>, AppendError> {
        let at = self.now();
        self.ask(|done| Command::Settle { run, at, done }).await
    }

    /// What is on record of a request, all that was queued before this included.
    ///
    /// # Errors
    /// When the database can't be read.
    pub async fn trace(&self, request: RequestId) -> Result<RequestTrace, AppendError> {
        self.ask(|done| Command::Trace { request, done }).await?
    }

    /// Why the last commit failed; nothing when it went well.
    #[must_use]
    pub fn failing(&self) -> Option<AppendError> {
        self.inner.health.get()
    }

    /// The database's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The present moment, by the ledger's clock.
    #[must_use]
    pub fn now(&self) -> WallTime {
        self.inner.clock.now()
    }

    /// A reader of the same database.
    ///
    /// # Errors
    /// When it can't be opened for reading.
    pub fn reader(&self) -> Result<LedgerReader, ReadError> {
        LedgerReader::open(&self.inner.path)
    }

    /// Writes all that is queued, closes the database and lets go of the locks. Runs without an end record are found
    /// interrupted at the next start. All clones are closed with it.
    pub async fn close(&self) {
        // An error means that the writer has ended already, which is all that is wanted.
        let _ = self.ask(|done| Command::Close { done }).await;
    }

    /// Lets the database grow to so many pages and no further, as a full disk would.
    #[cfg(test)]
    pub(crate) async fn limit_pages(&self, pages: u32) {
        self.ask(|done| Command::LimitPages { pages, done })
            .await
            .unwrap();
    }

    /// The same ledger, in whose records `left_out` stands wherever one of these keys would. What is taken apart or written
    /// in another way is not recognised.
    #[must_use]
    pub fn withholding<'a>(
        self,
        keys: impl IntoIterator<Item = &'a str>,
        left_out: &'static str,
    ) -> Self {
        let written = |key| serde_json::to_string(key).ok();
        let inner = |quoted: String| Some(quoted.get(1..quoted.len().checked_sub(1)?)?.into());
        let mut keys: Vec<Box<str>> = keys
            .into_iter()
            .filter_map(written)
            .filter_map(inner)
            .collect();
        keys.sort_by_key(|key| Reverse(key.len()));
        Self {
            withheld: Arc::new(Withheld { keys, left_out }),
            ..self
        }
    }

    fn without_withheld(&self, mut text: String) -> String {
        for key in &self.withheld.keys {
            if text.contains(&**key) {
                text = text.replace(&**key, self.withheld.left_out);
            }
        }
        text
    }

    fn encode(
        &self,
        run: RunId,
        body: &RecordBody,
        done: Option<oneshot::Sender<Result<Seq, AppendError>>>,
    ) -> Result<Command, AppendError> {
        let text =
            serde_json::to_string(body).map_err(|error| AppendError::Encode(Arc::new(error)))?;
        let text = self.without_withheld(text);
        if text.len() > BODY_BYTES_MAX {
            return Err(AppendError::TooLarge {
                bytes: text.len(),
                max: BODY_BYTES_MAX,
            });
        }
        Ok(Command::Append(Append {
            run,
            at: self.now(),
            kind: body.kind(),
            about: body.about().within(run),
            body: text,
            done,
        }))
    }

    async fn send(&self, command: Command) -> Result<(), AppendError> {
        self.inner
            .queue
            .send_async(command)
            .await
            .map_err(|_| AppendError::Closed)
    }

    async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, AppendError> {
        let (done, answer) = oneshot::channel();
        self.send(command(done)).await?;
        answer.await.map_err(|_| AppendError::Closed)
    }
}

/// What is on record of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestTrace {
    /// The question; nothing when there is none of that id.
    pub opened: Option<RequestOpened>,
    /// Its verdict; nothing while it is open, also when it was taken up again after a dead leader's end.
    pub closed: Option<RequestClosed>,
}

/// A queued record on its way to the disk. Resolves when it is there, or never will be.
#[derive(Debug)]
pub struct PendingAppend(oneshot::Receiver<Result<Seq, AppendError>>);

impl Future for PendingAppend {
    type Output = Result<Seq, AppendError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|answer| answer.unwrap_or(Err(AppendError::Closed)))
    }
}
