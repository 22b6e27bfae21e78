//! Printing on a thread of its own: a reader that stalls (a terminal that was told to pause, a program that does not
//! read on) holds up what is printed, and nothing else.
//!
//! What is to be printed waits in a bounded queue; whoever has more waits with it. At the end of a run its leader
//! waits for the queue, but not for a reader that takes nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pointsman_model::plain_json;
use serde::Serialize;
use tokio::sync::oneshot;

use super::signals::Signals;
use crate::failure::Failure;
use crate::output::{Form, Output};

/// Texts that wait to be printed.
const PIECES_MAX: usize = 256;

/// How long a reader may take nothing before a run that has ended ends without it: long enough for a busy machine and
/// for somebody who looks what has happened; the ledger has it all.
const READER_PAUSE_MAX: Duration = Duration::from_secs(30);
/// The same when somebody wants to get out.
const READER_PAUSE_STOPPED_MAX: Duration = Duration::from_secs(3);

enum Piece {
    /// A person's text.
    Text(String),
    /// A program's line.
    Object(String),
    Note(String),
    Painted(String),
}

/// Counts what was told, so that a slow reader can be told from one that has stalled. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Something was told.
    pub(super) fn made(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why the end of a run is waited for no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// The run has ended by itself.
    Ended,
    /// Somebody stopped it.
    Stopped,
}

/// Nobody takes what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stalled;

impl Patience {
    fn pause_max(self) -> Duration {
        match self {
            Self::Ended => READER_PAUSE_MAX,
            Self::Stopped => READER_PAUSE_STOPPED_MAX,
        }
    }

    /// Waits for `work` as long as something is told meanwhile, and until a signal comes.
    pub(super) async fn wait<T>(
        self,
        progress: &Progress,
        signals: &mut Signals,
        work: impl Future<Output = T>,
    ) -> Result<T, Stalled> {
        let mut work = std::pin::pin!(work);
        let mut before = progress.so_far();
        loop {
            tokio::select! {
                biased;
                came = &mut work => return Ok(came),
                () = signals.insist() => return Err(Stalled),
                () = tokio::time::sleep(self.pause_max()) => {
                    let now = progress.so_far();
                    if now == before {
                        return Err(Stalled);
                    }
                    before = now;
                }
            }
        }
    }
}

/// Prints facts and notes. Cheap to clone; the thread ends with the last of them.
#[derive(Clone)]
pub(super) struct Printer {
    form: Form,
    pieces: flume::Sender<Piece>,
    progress: Progress,
}

/// The thread that prints.
pub(super) struct Printing {
    ended: oneshot::Receiver<Output>,
    progress: Progress,
}

impl Printer {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system has no thread for it.
    pub(super) fn start(form: Form) -> Result<(Self, Printing), Failure> {
        let (sender, pieces) = flume::bounded(PIECES_MAX);
        let (end, ended) = oneshot::channel();
        let progress = Progress::default();
        let told = progress.clone();
        std::thread::Builder::new()
            .name("print".into())
            .spawn(move || {
                // Its owner has left when it was waited for too long.
                let _ = end.send(print(form, &pieces, &told));
            })
            .map_err(|error| Failure::of(&error))?;
        let printer = Self {
            form,
            pieces: sender,
            progress: progress.clone(),
        };
        Ok((printer, Printing { ended, progress }))
    }

    /// For whom facts are printed.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// What has been told so far.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Prints text for a person; nothing in a program's form. Cancel safe, as the others are.
    pub(super) async fn text(&self, text: String) {
        if self.form == Form::Person {
            self.print(Piece::Text(text)).await;
        }
    }

    /// Prints one object for a program; nothing in a person's form.
    pub(super) async fn object(&self, object: &impl Serialize) {
        if self.form == Form::Person {
            return;
        }
        let piece = match serde_json::to_string(object) {
            Ok(line) => Piece::Object(plain_json(line) + "\n"),
            Err(error) => Piece::Note(format!("an object can't be written: {error}\n")),
        };
        self.print(piece).await;
    }

    /// Says something beside the facts, on standard error.
    pub(super) async fn note(&self, text: impl Into<String>) {
        self.print(Piece::Note(text.into())).await;
    }

    /// The same for text with colours of our own, whose parts were made visible before they were painted.
    pub(super) async fn painted(&self, text: String) {
        self.print(Piece::Painted(text)).await;
    }

    async fn print(&self, piece: Piece) {
        // The thread lives as long as a printer does; one that panicked prints nothing any more.
        let _ = self.pieces.send_async(piece).await;
    }
}

fn print(form: Form, pieces: &flume::Receiver<Piece>, progress: &Progress) -> Output {
    let mut output = Output::of(form);
    for piece in pieces {
        match piece {
            Piece::Text(text) => output.text(&text),
            Piece::Object(line) => output.raw(&line),
            Piece::Note(text) => output.note(&text),
            Piece::Painted(text) => output.painted(&text),
        }
        progress.made();
    }
    output
}

impl Printing {
    /// Waits until all is printed and gives the output back; the printers are dropped by now.
    ///
    /// # Errors
    /// When the reader takes nothing. Then the thread still hangs in its last write, and nothing more may be printed.
    pub(super) async fn finish(
        self,
        patience: Patience,
        signals: &mut Signals,
    ) -> Result<Output, Stalled> {
        let ended = patience.wait(&self.progress, signals, self.ended).await?;
        ended.map_err(|_| Stalled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for_and_a_stalled_one_is_not() {
        let progress = Progress::default();
        let mut signals = Signals::none();
        let slow = async {
            for _ in 0..10 {
                tokio::time::sleep(READER_PAUSE_MAX / 2).await;
                progress.made();
            }
        };
        let waited = Patience::Ended.wait(&progress, &mut signals, slow).await;
        assert_eq!(waited, Ok(()));
        let stalled = std::future::pending::<()>();
        let waited = Patience::Ended.wait(&progress, &mut signals, stalled).await;
        assert_eq!(waited, Err(Stalled));
    }
}
