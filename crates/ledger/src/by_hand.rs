//! A ledger whose writer works when it is told to, and not on a thread of its own: for simulations,
//! in which the same seed has to lead to the same run.

use std::path::Path;
use std::sync::Arc;

use crate::open::{self, OpenError, OpenReport};
use crate::writer::{Command, Done, QUEUE_MAX, Turn, Writer};
use crate::{AppendError, Clock, Ledger, Seq};

/// The writer of a ledger, in the hand of a simulation. Dropped, it is dead: nothing is written or told any more.
pub struct HandWriter {
    writer: Writer,
    queue: flume::Receiver<Command>,
    next: Option<Command>,
    /// Those who are never told what was done for them, and what is never done.
    untold: Vec<Done<Result<Seq, AppendError>>>,
    undone: Vec<Command>,
}

impl HandWriter {
    /// Opens a ledger as [`Ledger::open`] does, and gives its writer into the caller's hand.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open(
        path: &Path,
        clock: Arc<dyn Clock>,
    ) -> Result<(Ledger, Self, OpenReport), OpenError> {
        let (ledger, writer, queue, report) = open::prepare(path, clock)?;
        let by_hand = Self {
            writer,
            queue,
            next: None,
            untold: Vec::new(),
            undone: Vec::new(),
        };
        Ok((ledger, by_hand, report))
    }

    /// Waits until there is something to do. Returns whether there ever will be. Cancel safe.
    pub async fn has_work(&mut self) -> bool {
        if self.next.is_none() {
            self.next = self.queue.recv_async().await.ok();
        }
        self.next.is_some()
    }

    /// Does one turn of what the writer's thread does: all that is queued goes to the disk, and everyone is told.
    pub fn work(&mut self) {
        let Some(command) = self.next.take() else {
            return;
        };
        match self.writer.turn(command, &self.queue) {
            Turn::Done => {}
            Turn::HeldOver(command) => self.next = Some(command),
            // Whoever closes waits until it is done; here that is at once, since all before it is on disk.
            Turn::Close(done) => drop(done.send(())),
        }
    }

    /// Writes what is queued and tells nobody, as one that is killed right behind a write. To be kept until everyone else
    /// is dead too: whoever waits must not hear of it.
    pub fn work_and_die(&mut self) {
        let first = self.next.take();
        let queued: Vec<_> = first.into_iter().chain(self.queue.try_iter()).collect();
        let (tx, silent) = flume::bounded(QUEUE_MAX);
        for command in queued {
            match command {
                Command::Append(mut append) => {
                    self.untold.extend(append.done.take());
                    // Both ends are here, and what fitted into one queue fits into another.
                    let _ = tx.try_send(Command::Append(append));
                }
                other => self.undone.push(other),
            }
        }
        while let Ok(command) = silent.try_recv() {
            let _ = self.writer.turn(command, &silent);
        }
    }
}
