//! The writer thread: takes all that is queued, writes it in one synced transaction, answers
//! everyone who waits.
//!
//! There is no timer: alone a record costs one sync, under load the group grows by itself. Nothing
//! is answered before the transaction is on disk.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use pointsman_model::{CallId, RequestId, RunId, WallTime};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use tokio::sync::oneshot;

use crate::chain::{Fresh, Head, newest};
use crate::highest;
use crate::ledger::{AppendError, Health, RequestTrace};
use crate::open::{ResumeError, ResumeReport};
use crate::record::{
    About, ChainPoint, ProcessGroupStarted, RecordBody, RecordKind, RunStart, RunStarted, Seq,
};
use crate::recovery;
use crate::run_lock::{self, RunLock};
use crate::unwritten::Unwritten;
use crate::whereabouts::Whereabouts;

/// How many commands may wait for the writer. Enough that a thousand askers never wait for a slot while a group is
/// being synced, small enough to bound what a dead disk holds in memory.
pub(crate) const QUEUE_MAX: usize = 8192;

/// The most records in one transaction; beyond it the group's last waiter would wait longer than a second sync takes.
const GROUP_RECORDS_MAX: usize = 4096;

/// The most bytes in one transaction, so that large bodies don't fill memory and WAL at once.
const GROUP_BYTES_MAX: usize = 16 << 20;

/// Who waits for an answer.
pub(crate) type Done<T> = oneshot::Sender<T>;

/// What the handle asks of the writer.
pub(crate) enum Command {
    Append(Append),
    Begin {
        start: RunStart,
        at: WallTime,
        done: Done<Result<RunId, AppendError>>,
    },
    Hold {
        run: RunId,
        done: Done<Result<(RunLock, Vec<ProcessGroupStarted>), ResumeError>>,
    },
    Resume {
        run: RunId,
        lock: RunLock,
        at: WallTime,
        done: Done<Result<ResumeReport, ResumeError>>,
    },
    Settle {
        run: RunId,
        at: WallTime,
        done: Done<Vec<RecordBody>>,
    },
    Trace {
        request: RequestId,
        done: Done<Result<RequestTrace, AppendError>>,
    },
    Close {
        done: Done<()>,
    },
    #[cfg(test)]
    LimitPages {
        pages: u32,
        done: Done<()>,
    },
}

/// The writer's end of the queue. However the writer ends, be it closed or broken down, whoever queues something from then
/// on hears that it is closed, since what they wait for is dropped here. A queue that is merely left would keep them
/// waiting for ever.
pub(crate) struct Queue(pub(crate) flume::Receiver<Command>);

impl Drop for Queue {
    fn drop(&mut self) {
        while let Ok(command) = self.0.recv() {
            drop(command);
        }
    }
}

/// What came of a turn.
pub(crate) enum Turn {
    Done,
    /// This comes next.
    HeldOver(Command),
    /// The ledger is to be closed.
    Close(Done<()>),
}

/// One record to write.
pub(crate) struct Append {
    pub(crate) run: RunId,
    pub(crate) at: WallTime,
    pub(crate) kind: RecordKind,
    pub(crate) about: About,
    pub(crate) body: String,
    pub(crate) done: Option<Done<Result<Seq, AppendError>>>,
}

impl Append {
    /// The call that it is the start of.
    fn starts(&self) -> Option<CallId> {
        let starts = self.kind == RecordKind::CallStarted;
        self.about.call.filter(|_| starts)
    }
}

/// The owner of the connection.
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) health: Arc<Health>,
    /// What is to be told in the next run's chain: what was found when the ledger was opened.
    pub(crate) to_tell: Vec<RecordBody>,
    /// Held shared by every writer of the database, so that nobody sets it aside meanwhile.
    pub(crate) in_use: std::fs::File,
    pub(crate) whereabouts: Whereabouts,
    pub(crate) runs: HashMap<RunId, OwnRun>,
    /// Runs that another leader has taken over.
    pub(crate) taken_over: HashSet<RunId>,
}

/// A run that this writer leads.
pub(crate) struct OwnRun {
    head: Head,
    lock: RunLock,
    ended: bool,
    unwritten: Unwritten,
}

/// Why a group was not written.
enum GroupError {
    TakenOver(RunId),
    /// The record at that place of the group starts a call that was started before.
    StartedBefore {
        at: usize,
        call: CallId,
    },
    Gone,
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for GroupError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

impl Writer {
    /// Serves the queue until it is closed or all handles are gone.
    pub(crate) fn serve(mut self, queue: &Queue) {
        let mut held_over = None;
        loop {
            let Some(command) = held_over.take().or_else(|| queue.0.recv().ok()) else {
                break self.end();
            };
            match self.turn(command, &queue.0) {
                Turn::Done => {}
                Turn::HeldOver(command) => held_over = Some(command),
                Turn::Close(done) => {
                    self.end();
                    let _ = done.send(());
                    return;
                }
            }
        }
    }

    /// Does what is asked, and with an append all appends that are queued behind it.
    pub(crate) fn turn(&mut self, command: Command, queue: &flume::Receiver<Command>) -> Turn {
        match command {
            Command::Append(first) => {
                let (group, next) = gather(first, queue);
                self.write_group(group);
                return next.map_or(Turn::Done, Turn::HeldOver);
            }
            Command::Begin { start, at, done } => {
                // Nobody to tell means that the asker went away; the run stays without a leader's records.
                let _ = done.send(self.begin(start, at));
            }
            Command::Hold { run, done } => {
                // Nobody to tell lets go of it.
                let _ = done.send(self.hold(run));
            }
            Command::Resume {
                run,
                lock,
                at,
                done,
            } => {
                let _ = done.send(self.resume(run, lock, at));
            }
            Command::Settle { run, at, done } => {
                let _ = done.send(self.settle(run, at));
            }
            Command::Trace { request, done } => {
                let trace = recovery::trace(&self.connection, request);
                let _ = done.send(trace.map_err(|error| self.append_error(error)));
            }
            #[cfg(test)]
            Command::LimitPages { pages, done } => {
                let set = self.connection.pragma_update(None, "max_page_count", pages);
                set.unwrap();
                let _ = done.send(());
            }
            Command::Close { done } => return Turn::Close(done),
        }
        Turn::Done
    }

    /// Lets go of the database and of the locks. The files of locks of runs that did not end stay: they say nothing,
    /// but the next start removes them when it has closed the run.
    fn end(self) {
        drop(self.connection);
        for run in self.runs.into_values() {
            if run.ended {
                run.lock.remove();
            }
        }
        drop(self.in_use);
    }

    fn write_group(&mut self, group: Vec<Append>) {
        let (mut group, strange): (Vec<_>, Vec<_>) = group
            .into_iter()
            .partition(|append| self.runs.contains_key(&append.run));
        for append in strange {
            let error = if self.taken_over.contains(&append.run) {
                AppendError::TakenOver(append.run)
            } else {
                AppendError::NotOurs(append.run)
            };
            answer(append.done, Err(error));
        }
        while !group.is_empty() {
            match self.try_write(&group, None) {
                Ok(seqs) => {
                    self.recovered();
                    for (append, seq) in group.into_iter().zip(seqs) {
                        answer(append.done, Ok(seq));
                    }
                    return;
                }
                Err(GroupError::TakenOver(run)) => {
                    self.lose(run);
                    let (theirs, rest) = group.into_iter().partition(|append| append.run == run);
                    refuse(theirs, &AppendError::TakenOver(run));
                    group = rest;
                }
                Err(GroupError::StartedBefore { at, call }) => {
                    let repeated = group.remove(at);
                    answer(repeated.done, Err(AppendError::StartedBefore(call)));
                }
                Err(failure) => {
                    let error = self.failed(failure);
                    for append in &group {
                        if let Some(own) = self.runs.get_mut(&append.run) {
                            own.unwritten.take(append, &error);
                        }
                    }
                    refuse(group, &error);
                    return;
                }
            }
        }
    }

    /// Tries once more to write what could not be written of a run, and gives the ends that still can't.
    fn settle(&mut self, run: RunId, at: WallTime) -> Vec<RecordBody> {
        let is_settled = |own: &OwnRun| own.unwritten.is_empty();
        if self.runs.get(&run).is_none_or(is_settled) {
            return Vec::new();
        }
        match self.try_write(&[], Some((run, at))) {
            Ok(_) => self.recovered(),
            Err(GroupError::TakenOver(run)) => self.lose(run),
            Err(failure) => drop(self.failed(failure)),
        }
        let own = self.runs.get(&run);
        own.map(|own| own.unwritten.ends()).unwrap_or_default()
    }

    /// Another leader writes to the run.
    fn lose(&mut self, run: RunId) {
        self.runs.remove(&run);
        self.taken_over.insert(run);
    }

    fn recovered(&self) {
        if self.health.set(None).is_some() {
            tracing::warn!("records are written again");
        }
    }

    /// Says once that nothing can be written, however many find that out.
    fn failed(&self, failure: GroupError) -> AppendError {
        let error = match failure {
            GroupError::Failed(error) => self.append_error(error),
            GroupError::Gone => self.gone(),
            // Told apart by those who call this.
            GroupError::TakenOver(run) => AppendError::TakenOver(run),
            GroupError::StartedBefore { call, .. } => AppendError::StartedBefore(call),
        };
        let text = error.to_string();
        let before = self.health.set(Some(error.clone()));
        if before.is_none_or(|before| before.to_string() != text) {
            tracing::error!(%error, "nothing can be recorded, so no call can be run");
        }
        error
    }

    /// Writes the group in one transaction, and before it what could not be written of its runs, and of `settled`. Heads
    /// move only when it is on disk.
    fn try_write(
        &mut self,
        group: &[Append],
        settled: Option<(RunId, WallTime)>,
    ) -> Result<Vec<Seq>, GroupError> {
        self.must_be_there()?;
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut heads: HashMap<RunId, Head> = HashMap::new();
        let runs = group.iter().map(|append| (append.run, append.at));
        for (run, at) in runs.chain(settled) {
            let Entry::Vacant(entry) = heads.entry(run) else {
                continue;
            };
            let own = self.runs.get(&run).ok_or(GroupError::TakenOver(run))?;
            let mut head = own.head;
            own.unwritten
                .write(&tx, &mut head, (run, at))
                .map_err(|error| fence(error, run))?;
            entry.insert(head);
        }
        let mut seqs = Vec::with_capacity(group.len());
        for (at, append) in group.iter().enumerate() {
            let run = append.run;
            if let Some(call) = append.starts()
                && recovery::has_started(&tx, call)?
            {
                return Err(GroupError::StartedBefore { at, call });
            }
            let head = heads.get_mut(&run).ok_or(GroupError::TakenOver(run))?;
            let fresh = Fresh {
                run,
                at: append.at,
                kind: append.kind,
                about: append.about,
                body: &append.body,
            };
            let seq = head.extend(&tx, &fresh);
            seqs.push(seq.map_err(|error| fence(error, run))?);
        }
        #[cfg(feature = "kill-points")]
        crate::kill_points::reach(crate::kill_points::KillPoint::Write);
        tx.commit()?;
        #[cfg(feature = "kill-points")]
        crate::kill_points::reach(crate::kill_points::KillPoint::Sync);
        // Looked at behind the commit too: what went into a file that nobody finds any more is not on record.
        self.must_be_there()?;
        let newest = group.last().map(|append| append.run);
        let newest = newest.or(settled.map(|(run, _)| run));
        if let Some(newest) = newest
            && let Some(head) = heads.get(&newest)
        {
            highest::note_newest(&self.in_use, head.point(newest));
        }
        for (run, head) in heads {
            highest::note_head(&self.in_use, head.point(run));
            if let Some(own) = self.runs.get_mut(&run) {
                own.head = head;
                own.unwritten = Unwritten::default();
            }
        }
        for append in group {
            if append.kind == RecordKind::RunEnded
                && let Some(own) = self.runs.get_mut(&append.run)
            {
                own.ended = true;
            }
        }
        Ok(seqs)
    }

    fn begin(&mut self, start: RunStart, at: WallTime) -> Result<RunId, AppendError> {
        let path = self.path.clone();
        let failed = |error| append_error(&path, error);
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        tx.execute("INSERT INTO runs (started_at) VALUES (?1)", [at.0])
            .map_err(failed)?;
        let run = u32::try_from(tx.last_insert_rowid())
            .ok()
            .and_then(RunId::new)
            .ok_or_else(|| failed(rusqlite::Error::IntegralValueOutOfRange(0, i64::MAX)))?;
        // The lock comes before anyone can see the run, so that nobody ever finds a living run without its lock.
        let lock = take_lock(&path, run)?;
        let mut head = Head::of_new(run);
        let started = RunStarted {
            run,
            start,
            pid: std::process::id(),
            follows: newest(&tx).map_err(failed)?,
        };
        head.extend_with(&tx, run, at, &started.into())
            .map_err(failed)?;
        for body in &self.to_tell {
            head.extend_with(&tx, run, at, body).map_err(failed)?;
        }
        highest::note(&self.in_use, run).map_err(|source| lock_error(&path, run, source))?;
        tx.commit().map_err(failed)?;
        self.must_be_there().map_err(|_| self.gone())?;
        note_head(&self.in_use, head.point(run));
        self.to_tell.clear();
        self.own(run, head, lock);
        Ok(run)
    }

    /// Takes the lock of a run whose leader died. Nothing is written.
    fn hold(&mut self, run: RunId) -> Result<(RunLock, Vec<ProcessGroupStarted>), ResumeError> {
        if self.runs.contains_key(&run) {
            return Err(ResumeError::Alive(run));
        }
        let path = self.path.clone();
        let failed = |error| ResumeError::Append(append_error(&path, error));
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        recovery::may_resume(&tx, run).map_err(failed)??;
        let taken = RunLock::take(&path, run)
            .map_err(|source| ResumeError::Append(lock_error(&path, run, source)))?;
        let Some(lock) = taken else {
            let is_led = recovery::not_over(&tx).map_err(failed)?.contains(&run);
            return Err(match is_led {
                true => ResumeError::Alive(run),
                false => ResumeError::Held(run),
            });
        };
        let groups = recovery::open_groups(&tx, |of| of == run).map_err(failed)?;
        Ok((lock.passing(), groups))
    }

    fn resume(
        &mut self,
        run: RunId,
        lock: RunLock,
        at: WallTime,
    ) -> Result<ResumeReport, ResumeError> {
        let path = self.path.clone();
        let failed = |error| ResumeError::Append(append_error(&path, error));
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        // Runs may be pruned while nobody leads them.
        recovery::may_resume(&tx, run).map_err(failed)??;
        let mut head = Head::stored(&tx, run).map_err(failed)?;
        let report = recovery::resume(&tx, run, &mut head, at).map_err(failed)?;
        for body in &self.to_tell {
            // In the chain of its own run it would say that what is still there is lost.
            let is_own = matches!(body, RecordBody::DamageFound(damage) if damage.run == run);
            if !is_own {
                head.extend_with(&tx, run, at, body).map_err(failed)?;
            }
        }
        tx.commit().map_err(failed)?;
        self.must_be_there()
            .map_err(|_| ResumeError::Append(self.gone()))?;
        note_head(&self.in_use, head.point(run));
        self.to_tell.clear();
        self.own(run, head, lock.lasting());
        Ok(report)
    }

    fn must_be_there(&mut self) -> Result<(), GroupError> {
        match self.whereabouts.still_hold() {
            true => Ok(()),
            false => Err(GroupError::Gone),
        }
    }

    fn gone(&self) -> AppendError {
        AppendError::Gone(self.path.to_string_lossy().into())
    }

    fn own(&mut self, run: RunId, head: Head, lock: RunLock) {
        self.taken_over.remove(&run);
        self.runs.insert(
            run,
            OwnRun {
                head,
                lock,
                ended: false,
                unwritten: Unwritten::default(),
            },
        );
    }

    fn append_error(&self, error: rusqlite::Error) -> AppendError {
        append_error(&self.path, error)
    }
}

/// Takes what is queued behind `first`, up to the bounds of a group or up to a command of another kind.
fn gather(first: Append, queue: &flume::Receiver<Command>) -> (Vec<Append>, Option<Command>) {
    let mut bytes = first.body.len();
    let mut group = vec![first];
    let mut looked_at = 1;
    while group.len() < GROUP_RECORDS_MAX && bytes < GROUP_BYTES_MAX {
        match queue.try_recv() {
            Ok(Command::Append(append)) => {
                bytes = bytes.saturating_add(append.body.len());
                group.push(append);
            }
            Ok(other) => return (group, Some(other)),
            // Many are just asking: those who are at it come along, and save a sync. One that is alone waits for nobody.
            Err(_) if group.len() > looked_at => {
                looked_at = group.len();
                std::thread::yield_now();
            }
            Err(_) => break,
        }
    }
    (group, None)
}

fn note_head(in_use: &std::fs::File, head: ChainPoint) {
    highest::note_newest(in_use, head);
    highest::note_head(in_use, head);
}

/// A record whose number is taken already means that somebody else writes to the run.
fn fence(error: rusqlite::Error, run: RunId) -> GroupError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => GroupError::TakenOver(run),
        _ => GroupError::Failed(error),
    }
}

fn take_lock(path: &std::path::Path, run: RunId) -> Result<RunLock, AppendError> {
    let taken = RunLock::take(path, run).map_err(|source| lock_error(path, run, source))?;
    taken.ok_or(AppendError::TakenOver(run))
}

fn lock_error(path: &std::path::Path, run: RunId, source: std::io::Error) -> AppendError {
    AppendError::Lock {
        path: run_lock::path_of(path, run).to_string_lossy().into(),
        source: Arc::new(source),
    }
}

fn answer(done: Option<Done<Result<Seq, AppendError>>>, answer: Result<Seq, AppendError>) {
    if let Some(done) = done {
        // Whoever stopped waiting doesn't want to know.
        let _ = done.send(answer);
    }
}

fn refuse(group: Vec<Append>, error: &AppendError) {
    for append in group {
        answer(append.done, Err(error.clone()));
    }
}

/// What a database error means to the one who wanted to record something.
pub(crate) fn append_error(path: &std::path::Path, error: rusqlite::Error) -> AppendError {
    let shown = || path.to_string_lossy().into();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => AppendError::Full(shown()),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            AppendError::ReadOnly(shown())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => AppendError::Busy(shown()),
        _ => AppendError::Store {
            path: shown(),
            source: Arc::new(error),
        },
    }
}
