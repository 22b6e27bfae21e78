//! The leader's side: a task that the run owns, listening on a socket of its own.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::{Answer, Answered, Grants, GrantsError, Requests};
use pointsman_ledger::Clock;
use pointsman_model::{Answerer, GrantId, RequestId, RunId, Surface, Verdict, VerdictKind};
use pointsman_process::is_of_this_process;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::wire::{AlwaysWire, AnswerWord, Ask, Came, GrantCard, Reply, RequestCard};
use crate::render::{moment, verdict_line};
use crate::session::grant_for;

/// Clients at the same time. Each is a person or a script at one command.
const CLIENTS_MAX: usize = 16;
/// Longest line a client may send: an answer with a text that a person wrote.
const ASK_BYTES_MAX: u64 = 64 * 1024;
/// How long a client may be silent, or slow to read, before it is dropped.
const CLIENT_TIME_MAX: Duration = Duration::from_secs(10);

/// A listening socket. Its file goes when this is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    listener: UnixListener,
    file: SocketFile,
}

#[derive(Debug)]
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A file that is gone already is as good as removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Why no socket is there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another leader listens there.
    #[error("another leader listens at `{0}`")]
    InUse(PathBuf),
    /// It can't be made.
    #[error("the control socket `{path}` can't be made")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// What the server serves.
#[derive(Clone)]
pub struct Served {
    /// The leader's run.
    pub run: RunId,
    /// Its open requests.
    pub requests: Requests,
    /// Its grants.
    pub grants: Grants,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
}

impl ControlSocket {
    /// Listens at `path`, open to this user alone. What a killed leader left there is removed.
    ///
    /// Has to be called within a Tokio runtime.
    ///
    /// # Errors
    /// When another leader listens there, or the socket can't be made.
    pub fn bind(path: &Path) -> Result<Self, BindError> {
        let failed = |source| BindError::Io {
            path: path.into(),
            source,
        };
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(BindError::InUse(path.into()));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let file = SocketFile(path.into());
        let only_mine = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, only_mine).map_err(failed)?;
        Ok(Self { listener, file })
    }

    /// Serves clients until `shutdown`. All its clients' tasks have ended when it returns.
    pub async fn run(self, served: Served, shutdown: CancellationToken) {
        let mut clients = JoinSet::new();
        loop {
            let has_room = clients.len() < CLIENTS_MAX;
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(_) = clients.join_next() => {}
                accepted = self.listener.accept(), if has_room => match accepted {
                    Ok((stream, _)) if is_a_persons(&stream) => {
                        clients.spawn(serve(stream, served.clone()));
                    }
                    Ok(_) => tracing::warn!("a client of another user, or of an agent, was turned away"),
                    Err(error) => {
                        tracing::warn!(%error, "a client could not be accepted");
                        // Out of file descriptors, most likely: others have to end first.
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
            }
        }
        clients.shutdown().await;
        drop(self.file);
    }
}

/// Whether the other side is a process of this user, and none that an agent of this leader started: an agent must not
/// answer its own question (law 2).
fn is_a_persons(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| {
        peer.uid() == rustix::process::geteuid().as_raw()
            && peer.pid().is_some_and(|pid| !is_of_this_process(pid))
    })
}

/// Answers one client, line by line, until it goes, is silent too long, or talks nonsense.
async fn serve(stream: UnixStream, served: Served) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    loop {
        let mut line = Vec::new();
        let mut bounded = (&mut lines).take(ASK_BYTES_MAX);
        match timeout(CLIENT_TIME_MAX, bounded.read_until(b'\n', &mut line)).await {
            Ok(Ok(count)) if count > 0 && line.last() == Some(&b'\n') => {}
            Ok(Ok(_) | Err(_)) | Err(_) => return,
        }
        let reply = match serde_json::from_slice(&line) {
            Ok(ask) => answer(ask, &served).await,
            Err(error) => Reply::Error {
                text: format!("the line is not understood: {error}"),
            },
        };
        let Ok(mut bytes) = serde_json::to_vec(&reply) else {
            return;
        };
        bytes.push(b'\n');
        match timeout(CLIENT_TIME_MAX, write.write_all(&bytes)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// Whoever is on the other side: the same user, by command.
const PERSON: Answerer = Answerer::Person {
    surface: Surface::Command,
};

async fn answer(ask: Ask, served: &Served) -> Reply {
    match ask {
        Ask::Queue => {
            let now = served.clock.now();
            let open = served.requests.list();
            let cards = open.iter().map(|open| RequestCard::of(&open.request, now));
            Reply::Queue {
                run: served.run,
                requests: cards.collect(),
            }
        }
        Ask::Answer {
            id,
            answer,
            text,
            always,
            digest,
        } => match verdict_kind(served, id, answer, text, always) {
            Err(text) => Reply::Error { text },
            Ok(kind) => {
                let answer = Answer {
                    kind,
                    by: PERSON,
                    digest,
                };
                match served.requests.answer(id, answer).await {
                    Ok(answered) => came(id, &answered),
                    Err(error) => Reply::Error {
                        text: error.to_string(),
                    },
                }
            }
        },
        Ask::Grants => Reply::Grants {
            run: served.run,
            grants: served.grants.list().iter().map(GrantCard::of).collect(),
        },
        Ask::Revoke { id } => revoke(id, served).await,
    }
}

async fn revoke(id: GrantId, served: &Served) -> Reply {
    match served.grants.revoke(id, PERSON).await {
        Ok(()) => Reply::Revoked { id },
        // It is over all the same; the record alone is missing.
        Err(error @ GrantsError::NotRecorded(_)) => {
            tracing::warn!(%error, grant = %id, "the end of a grant was not recorded");
            Reply::Revoked { id }
        }
        Err(error) => Reply::Error {
            text: error.to_string(),
        },
    }
}

fn verdict_kind(
    served: &Served,
    id: RequestId,
    answer: AnswerWord,
    text: Option<String>,
    always: Option<AlwaysWire>,
) -> Result<VerdictKind, String> {
    match (answer, always, served.requests.get(id)) {
        (AnswerWord::Deny, _, _) => Ok(VerdictKind::Deny {
            text: text.map(String::into_boxed_str),
        }),
        // A request that is no longer open is answered plainly, to hear what became of it.
        (AnswerWord::Allow, None, _) | (AnswerWord::Allow, Some(_), None) => {
            Ok(VerdictKind::Allow {
                edited: None,
                grant: None,
            })
        }
        (AnswerWord::Allow, Some(always), Some(open)) => {
            grant_for(&open.request, always.proposal, always.scope)
                .map(|grant| VerdictKind::Allow {
                    edited: None,
                    grant: Some(grant),
                })
                .map_err(|error| error.to_string())
        }
    }
}

fn came(id: RequestId, answered: &Answered) -> Reply {
    let told = |winner: &Verdict| format!("{} at {}", verdict_line(winner), moment(winner.at));
    let (came, text) = match answered {
        Answered::Won(verdict) => (Came::Won, format!("{id} is {}", verdict_line(verdict))),
        Answered::SameAgain { winner } => (
            Came::SameAgain,
            format!("{id} was answered the same way before: {}", told(winner)),
        ),
        Answered::Conflict { winner } => (
            Came::Conflict,
            format!(
                "{id} was answered before, and that stands: {}",
                told(winner)
            ),
        ),
        Answered::Expired => (
            Came::Expired,
            format!("{id} is no longer open: nobody answered in time"),
        ),
        Answered::PersonAtIt => (
            Came::Conflict,
            format!("a person is answering {id} at another surface"),
        ),
        Answered::NotFound => (Came::NotFound, format!("there is no question {id}")),
    };
    Reply::Answered { id, came, text }
}

#[cfg(test)]
mod tests;
