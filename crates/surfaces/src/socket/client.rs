//! The client's side: find the leader, say one thing, hear one answer. Blocking, with an end to
//! each wait.

use std::io::{self, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pointsman_model::RunId;

use super::wire::{Ask, LineError, Reply, read_line};

/// How long the leader may take to answer: a verdict has to reach the disk, which may be busy.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

/// A connection to a running leader.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<UnixStream>,
}

/// Why a leader could not be spoken with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The question did not get there.
    #[error("the leader can't be reached")]
    Send(#[source] io::Error),
    /// It takes no question, or gives no answer, in time.
    #[error(
        "the leader has not answered for {} s: it is stopped (`kill -CONT` lets a process go on), or has very much to do",
        .0.as_secs()
    )]
    Late(Duration),
    /// No answer came back.
    #[error("the leader did not answer")]
    Receive(#[source] LineError),
}

/// Why no one leader could be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// None runs here.
    #[error("no leader runs in this project")]
    None,
    /// That run has no leader any more.
    #[error("no leader runs for {0}")]
    NotThatRun(RunId),
    /// Several run, and none was named.
    #[error("several leaders run in this project: {}", list(.0))]
    Several(Vec<RunId>),
    /// The state folder can't be read.
    #[error("the state folder can't be read")]
    State(#[source] io::Error),
}

fn list(runs: &[RunId]) -> String {
    let names: Vec<String> = runs.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl Client {
    /// Connects to the leader behind that socket.
    ///
    /// # Errors
    /// When nobody listens there.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(ANSWER_TIME_MAX))?;
        stream.set_write_timeout(Some(ANSWER_TIME_MAX))?;
        Ok(Self {
            reader: BufReader::new(stream),
        })
    }

    /// Says one thing and waits for the answer.
    ///
    /// # Errors
    /// When the leader is gone, does not answer in time, or says what is not understood.
    pub fn ask(&mut self, ask: &Ask) -> Result<Reply, ClientError> {
        self.say(ask)?;
        read_line(&mut self.reader).map_err(not_heard)
    }

    /// Watches the open requests. Of [`Self::heard`] each gives one piece of news from then on.
    ///
    /// # Errors
    /// When the leader is gone.
    pub fn watch(&mut self) -> Result<(), ClientError> {
        self.say(&Ask::Watch)
    }

    /// Waits for the next piece of news; nothing when the leader has ended. The first comes at once, so it is waited for as
    /// an answer is; the others without an end.
    ///
    /// # Errors
    /// When the connection fails, the first news does not come in time, or the leader says what is not understood.
    pub fn heard(&mut self) -> Result<Option<Reply>, ClientError> {
        match read_line(&mut self.reader) {
            Ok(reply) => {
                // There may be no news for days.
                let forever = self.reader.get_ref().set_read_timeout(None);
                forever.map_err(ClientError::Send)?;
                Ok(Some(reply))
            }
            Err(LineError::Closed) => Ok(None),
            Err(error) => Err(not_heard(error)),
        }
    }

    fn say(&mut self, ask: &Ask) -> Result<(), ClientError> {
        let mut line = serde_json::to_vec(ask).map_err(|error| ClientError::Send(error.into()))?;
        line.push(b'\n');
        match self.reader.get_ref().write_all(&line) {
            // It hung up. Why, it may have said before that; whoever reads on hears it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) if is_late(&error) => Err(ClientError::Late(ANSWER_TIME_MAX)),
            said => said.map_err(ClientError::Send),
        }
    }
}

fn not_heard(error: LineError) -> ClientError {
    match error {
        LineError::Io(error) if is_late(&error) => ClientError::Late(ANSWER_TIME_MAX),
        error => ClientError::Receive(error),
    }
}

/// Whether a wait came to its end; systems call that either.
fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// The leader among these sockets: the one of that run, or the only one that answers. A socket that
/// nobody listens at was left by a killed leader and counts for nothing.
///
/// # Errors
/// When there is none, or several and none is named.
pub fn find_leader(
    sockets: Vec<(RunId, PathBuf)>,
    run: Option<RunId>,
) -> Result<(RunId, Client), FindError> {
    let mut found: Vec<(RunId, Client)> = sockets
        .into_iter()
        .filter(|(candidate, _)| run.is_none_or(|run| run == *candidate))
        .filter_map(|(candidate, path)| Some((candidate, Client::connect(&path).ok()?)))
        .collect();
    match (found.pop(), run) {
        (Some(one), _) if found.is_empty() => Ok(one),
        (Some((last, _)), _) => {
            let mut runs: Vec<RunId> = found.iter().map(|(run, _)| *run).chain([last]).collect();
            runs.sort_unstable();
            Err(FindError::Several(runs))
        }
        (None, Some(run)) => Err(FindError::NotThatRun(run)),
        (None, None) => Err(FindError::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn run(number: u32) -> RunId {
        RunId::new(number).unwrap()
    }

    #[test]
    fn a_leader_that_does_not_answer_is_told_in_words() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("run-1.sock");
        // It listens, as a stopped process does, and never answers.
        let _stopped = UnixListener::bind(&path).unwrap();
        let mut client = Client::connect(&path).unwrap();
        let soon = Some(Duration::from_millis(1));
        client.reader.get_ref().set_read_timeout(soon).unwrap();
        let asked = client.ask(&Ask::Queue).map(drop);
        client.watch().unwrap();
        for silence in [asked, client.heard().map(drop)] {
            let told = crate::shown::with_causes(&silence.unwrap_err());
            assert!(told.contains("has not answered for 30 s"), "{told}");
            assert!(!told.contains("os error"), "{told}");
        }
    }

    #[test]
    fn the_leader_is_the_one_that_listens() {
        let temp = tempfile::tempdir().unwrap();
        let path = |number: u32| temp.path().join(format!("run-{number}.sock"));
        let at = |number: u32| (run(number), path(number));
        assert!(matches!(
            find_leader(Vec::new(), None),
            Err(FindError::None)
        ));
        drop(UnixListener::bind(path(1)).unwrap());
        assert!(matches!(
            find_leader(vec![at(1)], Some(run(1))),
            Err(FindError::NotThatRun(_))
        ));
        let _two = UnixListener::bind(path(2)).unwrap();
        let (found, _) = find_leader(vec![at(2), at(1)], None).unwrap();
        assert_eq!(found, run(2));
        let _three = UnixListener::bind(path(3)).unwrap();
        let several = find_leader(vec![at(3), at(2), at(1)], None).unwrap_err();
        assert_eq!(
            several.to_string(),
            "several leaders run in this project: run-2, run-3"
        );
        let (found, _) = find_leader(vec![at(3), at(2)], Some(run(3))).unwrap();
        assert_eq!(found, run(3));
    }
}
