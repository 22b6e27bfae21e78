//! The leader's end of its workers' lines: takes their requests to the leader's desk and brings the
//! verdicts back, over lines that break and come again.
//!
//! [`PostOffice`] is one event loop that owns what is known of the workers; [`PostOfficeHandle`] gives
//! out passes and takes in lines. Requests go on through an [`InProcessMailbox`], so workers of both
//! kinds have the same bounds and take turns. Nothing here decides anything.

mod desk;

use std::io;
use std::sync::Arc;

use pointsman_model::{PermissionRequest, WorkerId};
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::desk::{Desk, Effect, Event, LetterKey, LineId};
use super::line::{LeaderLine, Pass, ToLeader, ToWorker, UNQUEUED_MAX};
use super::{ForwardError, InProcessMailbox, Mailbox as _, Undelivered};
use crate::Epoch;

/// How many things may wait for the office; behind it the lines wait, and so the workers.
const INBOX_MAX: usize = 1024;

/// How many lines may stand at once. One more takes the place of the one that has been silent the longest about whose
/// it is, so that a program which only holds lines keeps no worker out.
const LINES_MAX: usize = 1024;

/// The service. Its owner runs it as a task and holds it.
pub struct PostOffice {
    desk: Desk,
    mailbox: InProcessMailbox,
    inbox: flume::Receiver<Wanted>,
    tx: flume::Sender<Wanted>,
    lines: FxHashMap<LineId, flume::Sender<ToWorker>>,
    next_line: LineId,
    tasks: JoinSet<()>,
    tasks_of_lines: FxHashMap<LineId, AbortHandle>,
    letters: FxHashMap<LetterKey, AbortHandle>,
}

/// The handle. Cheap to clone.
#[derive(Clone)]
pub struct PostOfficeHandle {
    tx: flume::Sender<Wanted>,
}

enum Wanted {
    Admit(WorkerId, oneshot::Sender<io::Result<Pass>>),
    Line(LeaderLine),
    /// A worker speaks. A request has a slot of its line until it is on disk.
    Frame(LineId, ToLeader, Option<OwnedSemaphorePermit>),
    Stale(oneshot::Sender<u64>),
    Event(Event),
}

/// Why a worker got no pass.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdmitError {
    /// The office has ended.
    #[error("the leader takes no workers any more")]
    Closed,
    /// The machine gives no random bytes.
    #[error("no pass can be made for a worker")]
    NoSecret(#[source] io::Error),
}

/// An office of the leader's reign of that number, whose requests go on through `mailbox`.
#[must_use]
pub fn post_office(epoch: Epoch, mailbox: InProcessMailbox) -> (PostOfficeHandle, PostOffice) {
    let (tx, inbox) = flume::bounded(INBOX_MAX);
    let handle = PostOfficeHandle { tx: tx.clone() };
    let office = PostOffice {
        desk: Desk::new(epoch),
        mailbox,
        inbox,
        tx,
        lines: FxHashMap::default(),
        next_line: 0,
        tasks: JoinSet::new(),
        tasks_of_lines: FxHashMap::default(),
        letters: FxHashMap::default(),
    };
    (handle, office)
}

impl PostOfficeHandle {
    /// A pass for the next life of a worker. What an earlier life asked is withdrawn, and its line is broken.
    ///
    /// # Errors
    /// When the office has ended, or no secret can be made.
    pub async fn admit(&self, worker: WorkerId) -> Result<Pass, AdmitError> {
        let (done, pass) = oneshot::channel();
        self.send(Wanted::Admit(worker, done)).await?;
        let pass = pass.await.map_err(|_| AdmitError::Closed)?;
        pass.map_err(AdmitError::NoSecret)
    }

    /// Takes a pass for good that an earlier leader gave out, to a worker that has outlived it.
    ///
    /// # Errors
    /// When the office has ended.
    pub async fn readmit(&self, pass: Pass) -> Result<(), AdmitError> {
        self.send(Wanted::Event(Event::Seat(pass))).await
    }

    /// A worker has ended: its pass is good no more, and what it asked is withdrawn.
    pub async fn dismiss(&self, worker: WorkerId) {
        // An office that has ended knows of no worker.
        let _ = self.send(Wanted::Event(Event::Unseat(worker))).await;
    }

    /// Takes in a line whose worker is still to say who it is.
    ///
    /// # Errors
    /// When the office has ended.
    pub async fn attach(&self, line: LeaderLine) -> Result<(), AdmitError> {
        self.send(Wanted::Line(line)).await
    }

    /// How many frames were dropped since they were of another epoch or life.
    pub async fn stale_frames(&self) -> u64 {
        let (done, stale) = oneshot::channel();
        match self.send(Wanted::Stale(done)).await {
            Ok(()) => stale.await.unwrap_or(0),
            Err(_) => 0,
        }
    }

    async fn send(&self, wanted: Wanted) -> Result<(), AdmitError> {
        let sent = self.tx.send_async(wanted).await;
        sent.map_err(|_| AdmitError::Closed)
    }
}

impl PostOffice {
    /// Serves until `shutdown`. All lines are broken then, and all their requests withdrawn.
    pub async fn run(mut self, shutdown: CancellationToken) {
        loop {
            let due = self.desk.next_due();
            let wanted = tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                Some(_) = self.tasks.join_next() => continue,
                wanted = self.inbox.recv_async() => match wanted {
                    Ok(wanted) => wanted,
                    // Never, since the office holds a sender itself.
                    Err(_) => break,
                },
                () = sleep_until(due) => Wanted::Event(Event::Tick),
            };
            match wanted {
                Wanted::Admit(worker, done) => {
                    let pass = Pass::new(worker, self.desk.next_generation(worker));
                    if let Ok(pass) = &pass {
                        self.handle(Event::Seat(pass.clone()));
                    }
                    // Whoever asked may have gone; the pass is then nobody's.
                    let _ = done.send(pass);
                }
                Wanted::Line(line) => self.attach(line),
                Wanted::Frame(line, frame, slot) => {
                    self.handle_with(Event::Frame(line, frame), slot)
                }
                Wanted::Stale(done) => drop(done.send(self.desk.stale())),
                Wanted::Event(event) => self.handle(event),
            }
        }
        self.tasks.shutdown().await;
    }

    fn handle(&mut self, event: Event) {
        self.handle_with(event, None);
    }

    fn handle_with(&mut self, event: Event, mut slot: Option<OwnedSemaphorePermit>) {
        #[cfg(feature = "kill-points")]
        if let Event::Frame(_, ToLeader::Got { .. }) = &event {
            pointsman_ledger::kill_points::reach(
                pointsman_ledger::kill_points::KillPoint::Acknowledge,
            );
        }
        match &event {
            Event::Gone(line) => {
                self.lines.remove(line);
                self.tasks_of_lines.remove(line);
            }
            Event::Verdict(key, _) | Event::Refused(key, _) => drop(self.letters.remove(key)),
            Event::Seat(_)
            | Event::Unseat(_)
            | Event::Came(_)
            | Event::Frame(..)
            | Event::Queued(_)
            | Event::Tick => {}
        }
        let mut effects = Vec::new();
        self.desk.handle(event, Instant::now(), &mut effects);
        for effect in effects {
            self.carry_out(effect, &mut slot);
        }
    }

    fn carry_out(&mut self, effect: Effect, slot: &mut Option<OwnedSemaphorePermit>) {
        match effect {
            Effect::Send(line, frame) => {
                #[cfg(feature = "kill-points")]
                pointsman_ledger::kill_points::reach(
                    pointsman_ledger::kill_points::KillPoint::Send,
                );
                let sent = self.lines.get(&line).map(|line| line.try_send(frame));
                // A worker that does not read its frames dials again, and hears everything then.
                if sent.is_some_and(|sent| sent.is_err()) {
                    self.break_off(line);
                    self.handle(Event::Gone(line));
                }
            }
            // What was said last is still brought over; the line ends behind it.
            Effect::Close(line) => drop(self.lines.remove(&line)),
            Effect::Forward(key, request) => {
                let (mailbox, tx) = (self.mailbox.clone(), self.tx.clone());
                let letter = carry(mailbox, *request, key, slot.take(), tx);
                self.letters.insert(key, self.tasks.spawn(letter));
            }
            Effect::Withdraw(key) => {
                if let Some(letter) = self.letters.remove(&key) {
                    letter.abort();
                }
            }
        }
    }

    fn break_off(&mut self, line: LineId) {
        self.lines.remove(&line);
        if let Some(task) = self.tasks_of_lines.remove(&line) {
            task.abort();
        }
    }

    fn attach(&mut self, line: LeaderLine) {
        // Lines that came to their ends are known by their tasks.
        self.tasks_of_lines.retain(|_, task| !task.is_finished());
        if self.tasks_of_lines.len() >= LINES_MAX {
            let Some(silent) = self.desk.longest_silent() else {
                tracing::warn!("a worker's line is not taken: {LINES_MAX} stand already");
                return;
            };
            self.break_off(silent);
            self.handle(Event::Gone(silent));
        }
        let id = self.next_line;
        self.next_line = self.next_line.saturating_add(1);
        self.lines.insert(id, line.outgoing);
        self.handle(Event::Came(id));
        let (incoming, drive, tx) = (line.incoming, line.drive, self.tx.clone());
        let task = self.tasks.spawn(async move {
            // Both to their ends: what was written last is still brought over, what was read last is still heard.
            futures_util::join!(drive, listen(id, incoming, tx));
        });
        self.tasks_of_lines.insert(id, task);
    }
}

/// Brings what is said on a line to the office. A worker whose requests wait for the disk is not listened to meanwhile,
/// so it waits too.
async fn listen(id: LineId, incoming: flume::Receiver<ToLeader>, tx: flume::Sender<Wanted>) {
    let slots = Arc::new(Semaphore::new(UNQUEUED_MAX));
    while let Ok(frame) = incoming.recv_async().await {
        let slot = match frame {
            ToLeader::Request { .. } => Arc::clone(&slots).acquire_owned().await.ok(),
            ToLeader::Hello { .. }
            | ToLeader::Withdraw { .. }
            | ToLeader::Got { .. }
            | ToLeader::Synced { .. } => None,
        };
        if tx.send_async(Wanted::Frame(id, frame, slot)).await.is_err() {
            return;
        }
    }
    // An office that has ended wants to know of no line.
    let _ = tx.send_async(Wanted::Event(Event::Gone(id))).await;
}

/// Brings one request to the leader's desk and tells the office how it goes. Dropped, it withdraws the request.
async fn carry(
    mailbox: InProcessMailbox,
    request: PermissionRequest,
    key: LetterKey,
    slot: Option<OwnedSemaphorePermit>,
    tx: flume::Sender<Wanted>,
) {
    let forwarded = mailbox.forward(request).await;
    drop(slot);
    let event = match forwarded {
        Err(error) => refused(key, error),
        Ok(mut forwarded) => {
            if tx
                .send_async(Wanted::Event(Event::Queued(key)))
                .await
                .is_err()
            {
                return;
            }
            match forwarded.verdict().await {
                Ok(verdict) => Event::Verdict(key, Box::new(verdict)),
                Err(error) => refused(key, error),
            }
        }
    };
    // An office that has ended brings nothing back.
    let _ = tx.send_async(Wanted::Event(event)).await;
}

fn refused(key: LetterKey, error: ForwardError) -> Event {
    let why = match error {
        ForwardError::NotStored { why, .. } => Undelivered::NotStored(why),
        ForwardError::Closed | ForwardError::Lost(_) | ForwardError::Unreachable => {
            Undelivered::Closed
        }
    };
    Event::Refused(key, why)
}

async fn sleep_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}
