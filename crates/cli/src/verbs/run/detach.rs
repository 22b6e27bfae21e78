//! `run --detach`: the leader as a process of its own, in a session of its own, so that no terminal's end reaches it.
//!
//! The one who starts it waits until it leads, tells its run and goes. What keeps it from leading is told as if it had
//! been started here.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use pointsman_model::{Attended, RunId};
use serde_json::json;

use crate::failure::{Code, Failure};
use crate::output::Output;

/// The arguments that make this process what it is.
const DETACH: &str = "--detach";
const DETACHED: &str = "--detached";

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
    match first_line(&mut child).and_then(|line| line.trim().parse::<RunId>().ok()) {
        Some(run) => {
            output.text(&format!("{run}  runs on without this terminal\n"));
            output.note(&hints(run, attended));
            output.object(&json!({ "run": run, "attended": attended, "pid": child.id() }));
            Ok(Code::Done)
        }
        None => failed(child, output),
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

/// What the leader says first, when it says anything.
fn first_line(child: &mut Child) -> Option<String> {
    let mut line = String::new();
    let read = BufReader::new(child.stdout.take()?)
        .read_line(&mut line)
        .ok()?;
    (read > 0).then_some(line)
}

/// Tells why it does not lead, in its own words and with its own code.
fn failed(mut child: Child, output: &Output) -> Result<Code, Failure> {
    let mut text = String::new();
    if let Some(mut errors) = child.stderr.take() {
        // What can't be read is not told; the code is.
        let _ = errors.read_to_string(&mut text);
    }
    output.note(&text);
    let ended = child.wait().map_err(|error| Failure::of(&error))?;
    let code = ended.code().and_then(|code| u8::try_from(code).ok());
    match code {
        Some(code) if code != 0 => Ok(Code::OfRun(code)),
        Some(_) | None => Err(Failure::failed("the leader ended before it led a run")),
    }
}

/// Leaves the session of the terminal that started this process. Called by the leader before anything else.
pub(super) fn leave_session() -> Result<(), Failure> {
    // A process that leads a group already has been started some other way; then it has no terminal to lose.
    match rustix::process::setsid() {
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(Failure::of(&std::io::Error::from(error))),
    }
}
