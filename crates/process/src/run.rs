//! Running one program to its end, whatever it does.
//!
//! The program leads a process group of its own. Both its pipes are read from the start, so that it
//! can't block on a full one; its input is written beside that. It ends by itself, at its time
//! limit, or when it is stopped; in each case nothing of its group is left when [`run`] returns, and
//! a grandchild that keeps a pipe open delays the return by no more than [`DRAIN`].

use std::time::Duration;

use pointsman_model::{AbsPath, Millis};
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::child::{Child, Exit, Pipes, Program};
use crate::group::kill_strays_of;
use crate::{Environment, Output, ProcessGroup};

/// How long output is still read after the program ended or was killed, when something keeps its
/// pipes open. What was written before the end is in the pipe by then; a quarter of a second is for
/// a background job of the same line to write its last.
const DRAIN: Duration = Duration::from_millis(250);

/// How long a program that was killed may take to be dead. Only one that hangs in the system takes longer; it is left
/// to a thread of its own, since nobody can end it.
const DEATH_MAX: Duration = Duration::from_secs(5);

/// What is read at first: many children run at once, and most say little or nothing for as long as they run.
const CHUNK_BYTES_FIRST: usize = 4 * 1024;
/// What is read at once of one that says more: the size of a pipe's buffer.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// What to run, and within what bounds. Nothing has a default.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// A path, or a name that is looked up in the `PATH` of `env`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub folder: AbsPath,
    /// All its variables.
    pub env: Environment,
    /// What is written to its standard input; without it that is empty.
    pub stdin: Option<Vec<u8>>,
    /// How many bytes are kept, of each of its two outputs.
    pub output_bytes_max: usize,
    /// How long it may run before it is killed.
    pub time_max: Duration,
    /// How long it may take to end after the first signal (TERM) before the second (KILL).
    pub kill_grace: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that nobody here sent.
    Signalled(i32),
    /// Killed at its time limit.
    TimedOut,
    /// Killed since it was stopped.
    Stopped,
}

/// A program that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// What it wrote to its standard output.
    pub stdout: Output,
    /// What it wrote to its standard error.
    pub stderr: Output,
    /// How long it ran.
    pub took: Millis,
}

impl Finished {
    /// How many bytes of both outputs were dropped for the limit.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.stdout.cut().saturating_add(self.stderr.cut())
    }
}

/// Why a program could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such program.
    #[error("there is no program `{program}`")]
    NotFound {
        /// As it was called.
        program: String,
    },
    /// It has no folder to run in.
    #[error("`{folder}` is no folder that a program can run in")]
    NoFolder {
        /// The folder.
        folder: AbsPath,
    },
    /// The system did not start it.
    #[error("`{program}` could not be started")]
    Start {
        /// As it was called.
        program: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It was started, but could not be watched; it was killed.
    #[error("`{program}` could not be watched, so it was killed")]
    Watch {
        /// As it was called.
        program: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Runs a program until it ends, its time is up, or `stop` is cancelled. `started` is told of its
/// group as soon as there is one.
///
/// Cancellation: dropping the future kills the whole group at once, without the grace, since nobody
/// is left to wait for it.
///
/// # Errors
/// When it can't be started or watched. A program that fails is no error here.
pub async fn run(
    mut spec: CommandSpec,
    stop: &CancellationToken,
    started: &mut (dyn FnMut(ProcessGroup) + Send),
) -> Result<Finished, RunError> {
    let began = Instant::now();
    let stdin = spec.stdin.take();
    let program = Program {
        program: &spec.program,
        args: &spec.args,
        folder: &spec.folder,
        env: &spec.env,
    };
    let (mut child, pipes) = Child::start(program)?;
    started(child.group().clone());

    let mut stdout = Output::with_limit(spec.output_bytes_max);
    let mut stderr = Output::with_limit(spec.output_bytes_max);
    let end = {
        let talk = talk(pipes, stdin.unwrap_or_default(), &mut stdout, &mut stderr);
        let mut talk = Talk {
            future: std::pin::pin!(talk),
            done: false,
        };
        let deadline = began + spec.time_max;
        let cut_short = tokio::select! {
            biased;
            exit = talk.beside(child.ended()) => {
                exit.map_err(|source| program.watch(source))?;
                None
            }
            () = stop.cancelled() => Some(End::Stopped),
            () = tokio::time::sleep_until(deadline) => Some(End::TimedOut),
        };
        if cut_short.is_some() {
            child.group().signal(Signal::TERM);
            // The grace is over early when the program is dead and its pipes are closed: then nobody
            // of the group who could write is left.
            let _ = tokio::time::timeout(spec.kill_grace, async {
                let _ = talk.beside(child.ended()).await;
                talk.finish().await;
            })
            .await;
        } else {
            let _ = tokio::time::timeout(DRAIN, talk.finish()).await;
        }
        child.group().signal(Signal::KILL);
        if cut_short.is_some() {
            kill_strays_of(child.group()).await;
        }
        let exit = match tokio::time::timeout(DEATH_MAX, child.wait()).await {
            Ok(exit) => exit.map_err(|source| program.watch(source))?,
            Err(_) => {
                let group = child.group().id();
                tracing::warn!(
                    group,
                    "a killed program hangs in the system and is left there"
                );
                Exit::Signal(Signal::KILL.as_raw())
            }
        };
        let _ = tokio::time::timeout(DRAIN, talk.finish()).await;
        cut_short.unwrap_or(match exit {
            Exit::Code(code) => End::Exited(code),
            Exit::Signal(signal) => End::Signalled(signal),
        })
    };
    Ok(Finished {
        end,
        stdout,
        stderr,
        took: began.elapsed().into(),
    })
}

/// Writes the input and reads both outputs until all three are closed.
async fn talk(pipes: Pipes, input: Vec<u8>, stdout: &mut Output, stderr: &mut Output) {
    let Pipes {
        mut stdin,
        stdout: out,
        stderr: err,
    } = pipes;
    let feed = async move {
        // A program may end without reading its input; that is its own affair.
        let _ = stdin.write_all(&input).await;
    };
    tokio::join!(feed, collect(out, stdout), collect(err, stderr));
}

async fn collect(mut from: impl AsyncRead + Unpin, into: &mut Output) {
    let mut chunk = vec![0; CHUNK_BYTES_FIRST];
    while let Ok(read @ 1..) = from.read(&mut chunk).await {
        into.push(chunk.get(..read).unwrap_or_default());
        // It was full: there may be much more.
        if read == chunk.len() && read < CHUNK_BYTES_MAX {
            chunk = vec![0; CHUNK_BYTES_MAX];
        }
    }
}

/// The talk with a child, which goes on beside whatever else is waited for.
struct Talk<F> {
    future: F,
    done: bool,
}

impl<F: Future<Output = ()> + Unpin> Talk<F> {
    /// Waits for `other` and talks meanwhile.
    async fn beside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = std::pin::pin!(other);
        if !self.done {
            tokio::select! {
                biased;
                () = &mut self.future => self.done = true,
                other = &mut other => return other,
            }
        }
        other.await
    }

    /// Talks until all pipes are closed.
    async fn finish(&mut self) {
        if !self.done {
            (&mut self.future).await;
            self.done = true;
        }
    }
}

#[cfg(test)]
mod tests;
