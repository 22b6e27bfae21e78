//! `run --detach`: the leader as a process of its own, in a session of its own, so that no terminal's end reaches it.
//!
//! The one who starts it waits until it leads, tells its run and goes. What keeps it from leading is told as if it had
//! been started here. A leader whose starter is gone before it could say which run it leads ends: nobody would know of it.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use pointsman_model::{Attended, RunId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use serde_json::json;

use crate::failure::{Code, Failure};
use crate::output::Output;

/// The arguments that make this process what it is.
const DETACH: &str = "--detach";
const DETACHED: &str = "--detached";
/// So much is kept of what a leader says before it leads: more than anybody reads, and no more than can be held.
const WORDS_BYTES_MAX: usize = 1024 * 1024;
/// What is read of a pipe at once, as much as it holds.
const CHUNK_BYTES: usize = 64 * 1024;

/// Starts the leader and comes back when it leads.
pub(super) fn start(attended: Attended, output: &mut Output) -> Result<Code, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::of(&error))?;
    let arguments = std::env::args_os().skip(1).map(|argument| {
        if argument == DETACH {
            DETACHED.into()
        } else {
            argument
        }
    });
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::of(&error))?;
    let heard = Heard::of(&mut child).map_err(|error| Failure::of(&error))?;
    match heard.run() {
        Some(run) => {
            output.text(&format!("{run}  runs on without this terminal\n"));
            output.note(&hints(run, attended));
            output.object(&json!({ "run": run, "attended": attended, "pid": child.id() }));
            Ok(Code::Done)
        }
        None => failed(child, &heard, output),
    }
}

fn hints(run: RunId, attended: Attended) -> String {
    let asked = match attended {
        Attended::Yes => "its questions wait for `pointsman attach` or `pointsman answer`",
        Attended::No => {
            "nobody is asked: what would be a question is refused (`--attended` has questions wait for you)"
        }
    };
    format!("{asked}\n`pointsman attach {run}` shows it, `pointsman stop {run}` ends it\n")
}

/// What a leader has said up to the line that names its run, or to its end.
#[derive(Default)]
struct Heard {
    line: Vec<u8>,
    words: Words,
}

/// What it says on standard error, as far as it is kept.
#[derive(Default)]
struct Words {
    kept: Vec<u8>,
    left_out: usize,
}

impl Heard {
    /// Listens to both at once: a leader whose words nobody takes would wait, and never lead.
    fn of(child: &mut Child) -> io::Result<Self> {
        let mut heard = Self::default();
        if let (Some(mut facts), Some(mut words)) = (child.stdout.take(), child.stderr.take()) {
            heard.listen(&mut facts, &mut words)?;
            // One of them has said all that counts, so the other one can't be held up by it any more.
            if !heard.is_whole() {
                BufReader::new(facts).read_until(b'\n', &mut heard.line)?;
            }
            if heard.run().is_none() {
                while heard.words.take(&mut words)? > 0 {}
            }
        }
        Ok(heard)
    }

    /// Comes back when the line is there, or one of them has ended.
    fn listen(&mut self, facts: &mut ChildStdout, words: &mut ChildStderr) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK_BYTES];
        while !self.is_whole() {
            let mut both = [
                PollFd::new(facts, PollFlags::IN),
                PollFd::new(words, PollFlags::IN),
            ];
            retry_on_intr(|| poll(&mut both, None))?;
            let [told, said] = both.map(|fd| !fd.revents().is_empty());
            if said && self.words.take(words)? == 0 {
                return Ok(());
            }
            if told {
                match facts.read(&mut chunk)? {
                    0 => return Ok(()),
                    count => self.line.extend(chunk.iter().take(count)),
                }
            }
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.line.contains(&b'\n')
    }

    /// The run that it leads.
    fn run(&self) -> Option<RunId> {
        let line = String::from_utf8_lossy(&self.line);
        line.lines().next()?.trim().parse().ok()
    }
}

impl Words {
    /// Takes what is there, and says how much that was.
    fn take(&mut self, from: &mut impl Read) -> io::Result<usize> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let count = from.read(&mut chunk)?;
        let room = WORDS_BYTES_MAX.saturating_sub(self.kept.len());
        self.kept.extend(chunk.iter().take(count.min(room)));
        self.left_out = self.left_out.saturating_add(count.saturating_sub(room));
        Ok(count)
    }

    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.kept).into_owned();
        if self.left_out > 0 {
            text.push_str(&format!("\n… {} bytes more\n", self.left_out));
        }
        text
    }
}

/// Tells why it does not lead, in its own words and with its own code.
fn failed(mut child: Child, heard: &Heard, output: &Output) -> Result<Code, Failure> {
    output.note(&heard.words.text());
    let ended = child.wait().map_err(|error| Failure::of(&error))?;
    let code = ended.code().and_then(|code| u8::try_from(code).ok());
    match code {
        Some(code) if code != 0 => Ok(Code::OfRun(code)),
        Some(_) | None => Err(Failure::failed("the leader ended before it led a run")),
    }
}

/// Whether the one who started this process still waits to hear of its run. Called by the leader.
///
/// # Errors
/// When nobody does.
pub(super) fn is_waited_for() -> Result<(), Failure> {
    let out = io::stdout();
    let mut reader = [PollFd::new(&out, PollFlags::OUT)];
    let at_once = Timespec::default();
    let looked = retry_on_intr(|| poll(&mut reader, Some(&at_once)));
    looked.map_err(|error| Failure::of(&io::Error::from(error)))?;
    let [reader] = reader;
    if reader.revents().contains(PollFlags::ERR) {
        return Err(Failure::failed(
            "whoever started this leader is gone, so it leads nothing",
        ));
    }
    Ok(())
}

/// Tells whoever started this process which run it leads. Called by the leader; the pipe is empty, so it does not wait.
///
/// # Errors
/// When nobody is there to hear it.
pub(super) fn tell(run: RunId) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{run}")?;
    out.flush()
}

/// Leaves the session of the terminal that started this process. Called by the leader before anything else.
pub(super) fn leave_session() -> Result<(), Failure> {
    // A process that leads a group already has been started some other way; then it has no terminal to lose.
    match rustix::process::setsid() {
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(Failure::of(&io::Error::from(error))),
    }
}
