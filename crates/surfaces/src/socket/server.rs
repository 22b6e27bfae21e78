//! The leader's side: a task that the run owns, listening on a socket of its own.

mod answering;

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pointsman_approvals::RequestEvent;
use pointsman_process::is_of_this_process;
use pointsman_swarm::LeaderHandle;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::cards::RequestCard;
use super::wire::{Ask, Reply};
use crate::render::verdict_line;

/// Clients at the same time. Each is a person or a script at one command.
const CLIENTS_MAX: usize = 64;
/// Longest line a client may send: an answer with a file's content that a person wrote.
const ASK_BYTES_MAX: u64 = 4 * 1024 * 1024;
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
    /// The leader.
    pub leader: LeaderHandle,
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
            Ok(Ask::Watch) => return watch(lines, write, &served).await,
            Ok(ask) => answering::answer(ask, &served.leader).await,
            Err(error) => Reply::Error {
                text: format!("the line is not understood: {error}"),
            },
        };
        if say(&mut write, &reply).await == Said::NotHeard {
            return;
        }
    }
}

/// Whether a client took what it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Heard,
    NotHeard,
}

async fn say(write: &mut OwnedWriteHalf, reply: &Reply) -> Said {
    let Ok(mut bytes) = serde_json::to_vec(reply) else {
        return Said::NotHeard;
    };
    bytes.push(b'\n');
    match timeout(CLIENT_TIME_MAX, write.write_all(&bytes)).await {
        Ok(Ok(())) => Said::Heard,
        Ok(Err(_)) | Err(_) => Said::NotHeard,
    }
}

/// Tells a client what becomes of requests, until it goes. A client that is too slow is told the list anew.
async fn watch(
    mut lines: BufReader<tokio::net::unix::OwnedReadHalf>,
    mut write: OwnedWriteHalf,
    served: &Served,
) {
    let requests = served.leader.requests();
    let mut events = requests.subscribe();
    let mut listed = Some(answering::queue(&served.leader));
    loop {
        if let Some(reply) = listed.take()
            && say(&mut write, &reply).await == Said::NotHeard
        {
            return;
        }
        let event = tokio::select! {
            // Whatever a client that watches says, it has nothing more to say: it goes.
            _ = lines.fill_buf() => return,
            event = events.next() => event,
        };
        let now = served.leader.clock().now();
        let reply = match event {
            None => return,
            Some(RequestEvent::Missed { .. }) => {
                listed = Some(answering::queue(&served.leader));
                continue;
            }
            Some(RequestEvent::Opened(open)) => Reply::Opened {
                request: Box::new(RequestCard::of(&open.request, now)),
            },
            Some(RequestEvent::Closed { id, verdict }) => Reply::Closed {
                id,
                text: verdict_line(&verdict),
            },
            Some(
                RequestEvent::Shown { .. }
                | RequestEvent::Touched { .. }
                | RequestEvent::Advised { .. }
                | RequestEvent::Explained { .. }
                | RequestEvent::DeadlineSoon { .. },
            ) => continue,
        };
        if say(&mut write, &reply).await == Said::NotHeard {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
