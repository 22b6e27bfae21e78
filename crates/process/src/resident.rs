//! A program that stays: it is sent a line and answers with a line, as often as one likes.
//!
//! It has the same bounds as one that [`crate::run`] runs: its group, its explicit variables, a limit
//! on what is kept of its output. Time is the caller's affair: an exchange that is dropped leaves the
//! program out of step, and the next one says so instead of taking an old answer for its own.

use std::time::Duration;

use futures_util::FutureExt as _;
use pointsman_model::AbsPath;
use rustix::io::ioctl_fionread;
use rustix::process::Signal;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::child::{Child, Pipes, Program};
use crate::group::kill_strays_of;
use crate::{Environment, ProcessGroup, RunError};

/// What is kept of its complaints, in bytes: enough for the last lines before it died.
const COMPLAINT_BYTES_MAX: usize = 4 * 1024;

/// What to keep running. Nothing has a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResidentSpec {
    /// A path, or a name that is looked up in the `PATH` of `env`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub folder: AbsPath,
    /// All its variables.
    pub env: Environment,
    /// How long a line of its answers may be, in bytes.
    pub line_bytes_max: usize,
}

/// Why a line got no answer. The program is of no use any more then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// It wrote without being asked, or an earlier exchange was given up.
    #[error("it is out of step: it wrote more than one line to an answer")]
    OutOfStep,
    /// It ended, or closed its output.
    #[error("it ended instead of answering{}", said(.complaint))]
    Ended {
        /// What it last wrote to its standard error.
        complaint: String,
    },
    /// Its line is too long.
    #[error("its line is longer than {max} bytes")]
    TooLong {
        /// The limit.
        max: usize,
    },
    /// The pipe broke.
    #[error("it can't be talked to")]
    Pipe(#[source] std::io::Error),
}

fn said(complaint: &str) -> String {
    match complaint.trim().lines().next_back() {
        None => String::new(),
        Some(line) => format!(": {line}"),
    }
}

/// A program that stays. Dropped, its whole group is killed.
pub struct Resident {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: Option<ChildStderr>,
    complaint: Vec<u8>,
    line_bytes_max: usize,
    in_step: bool,
}

impl Resident {
    /// Starts it. It waits for its first line.
    ///
    /// # Errors
    /// When it can't be started or watched.
    pub fn start(spec: &ResidentSpec) -> Result<Self, RunError> {
        let (child, pipes) = Child::start(Program {
            program: &spec.program,
            args: &spec.args,
            folder: &spec.folder,
            env: &spec.env,
        })?;
        let Pipes {
            stdin,
            stdout,
            stderr,
        } = pipes;
        Ok(Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            stderr: Some(stderr),
            complaint: Vec::new(),
            line_bytes_max: spec.line_bytes_max,
            in_step: true,
        })
    }

    /// Its process group.
    #[must_use]
    pub fn group(&self) -> &ProcessGroup {
        self.child.group()
    }

    /// Whether it can be sent a line: it lives, and the last exchange came to its end.
    pub fn is_ready(&mut self) -> bool {
        self.in_step && !self.has_unread()
    }

    /// Sends a line, which ends in a line feed, and gives the one that answers it, without its own.
    ///
    /// Not cancel safe: dropped in the middle, the program is out of step, and each further exchange
    /// fails.
    ///
    /// # Errors
    /// When there is no answer that surely belongs to this line.
    pub async fn exchange(&mut self, line: &[u8]) -> Result<Vec<u8>, ExchangeError> {
        if !self.is_ready() {
            return Err(ExchangeError::OutOfStep);
        }
        self.in_step = false;
        let answer = self.talk(line).await?;
        // What stands in the same gulp behind the line answers nothing.
        if !self.stdout.buffer().is_empty() {
            return Err(ExchangeError::OutOfStep);
        }
        self.in_step = true;
        Ok(answer)
    }

    /// Whether something lies in its output that nobody asked for; its end counts. The system is asked, since
    /// the runtime may not have heard yet of what was just written.
    fn has_unread(&mut self) -> bool {
        let in_the_pipe = ioctl_fionread(self.stdout.get_ref()).map_or(true, |bytes| bytes > 0);
        in_the_pipe
            || !self.stdout.buffer().is_empty()
            || self.stdout.fill_buf().now_or_never().is_some()
    }

    async fn talk(&mut self, line: &[u8]) -> Result<Vec<u8>, ExchangeError> {
        let max = self.line_bytes_max;
        let mut answer = Vec::new();
        let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
        let mut bounded = (&mut self.stdout).take(limit);
        let stdin = &mut self.stdin;
        // An answer may come before the whole line was read; a program that ends reads none of it.
        let feed = async {
            let _ = stdin.write_all(line).await;
            std::future::pending::<()>().await;
        };
        let listen = listen(&mut self.stderr, &mut self.complaint);
        let read = tokio::select! {
            biased;
            read = bounded.read_until(b'\n', &mut answer) => read,
            () = feed => Ok(0),
            () = listen => Ok(0),
        };
        read.map_err(ExchangeError::Pipe)?;
        match answer.pop() {
            Some(b'\n') => Ok(answer),
            Some(_) if answer.len() >= max => Err(ExchangeError::TooLong { max }),
            _ => Err(ExchangeError::Ended {
                complaint: self.last_words().await,
            }),
        }
    }

    /// What it last complained of, all of it read when it is dead.
    async fn last_words(&mut self) -> String {
        let listening = listen(&mut self.stderr, &mut self.complaint);
        let ended = async {
            let _ = self.child.ended().await;
        };
        tokio::select! {
            biased;
            () = listening => {}
            () = ended => {}
            () = tokio::time::sleep(LAST_WORDS_MAX) => {}
        }
        // What it wrote before it ended lies in the pipe.
        let _ = listen(&mut self.stderr, &mut self.complaint).now_or_never();
        String::from_utf8_lossy(&self.complaint).into_owned()
    }

    /// Ends it: its input is closed, which tells it to; what is left of its group after `grace` is
    /// killed.
    pub async fn end(self, grace: Duration) {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        let _ = tokio::time::timeout(grace, child.ended()).await;
        child.group().signal(Signal::KILL);
        kill_strays_of(child.group()).await;
        let _ = child.wait().await;
    }
}

/// How long the last words of a program are waited for that closed its output and goes on.
const LAST_WORDS_MAX: Duration = Duration::from_millis(250);

/// Reads complaints for as long as it is polled, and keeps their end. Never comes back: the end of
/// the complaints is not the end of the answers.
async fn listen(stderr: &mut Option<ChildStderr>, complaint: &mut Vec<u8>) {
    let mut chunk = [0; 1024];
    while let Some(pipe) = stderr {
        match pipe.read(&mut chunk).await {
            Ok(read @ 1..) => {
                complaint.extend_from_slice(chunk.get(..read).unwrap_or_default());
                let over = complaint.len().saturating_sub(COMPLAINT_BYTES_MAX);
                complaint.drain(..over);
            }
            Ok(_) | Err(_) => *stderr = None,
        }
    }
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests;
