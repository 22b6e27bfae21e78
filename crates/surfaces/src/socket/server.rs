//! The leader's side: a task that the run owns, listening on a socket of its own.

mod answering;
mod guests;

use std::path::Path;
use std::time::Duration;

use pointsman_approvals::{BindError, PrivateSocket, RequestEvent};
use pointsman_process::is_of_this_process;
use pointsman_swarm::LeaderHandle;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::guests::{Doing, Guest, Guests};
use super::cards::RequestCard;
use super::wire::{Ask, Reply};
use crate::render::verdict_line;

/// Longest line a client may send: an answer with a file's content that a person wrote.
const ASK_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How long a client may be silent, or slow to read, before it is dropped.
const CLIENT_TIME_MAX: Duration = Duration::from_secs(10);

/// A listening socket. Its file goes when this is dropped.
#[derive(Debug)]
pub struct ControlSocket(PrivateSocket);

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
        PrivateSocket::bind(path).map(Self)
    }

    /// Serves clients until `shutdown`. All its clients' tasks have ended when it returns.
    pub async fn run(self, served: Served, shutdown: CancellationToken) {
        let mut guests = Guests::default();
        loop {
            guests.bound_watchers();
            let has_room = guests.has_room();
            tokio::select! {
                () = shutdown.cancelled() => break,
                () = guests.changed() => {}
                (stream, pid) = self.0.accept(), if has_room => match pid {
                    // An agent must not answer its own question (law 2).
                    Some(pid) if !is_of_this_process(pid) => {
                        guests.admit(pid, |guest| serve(stream, served.clone(), guest));
                    }
                    Some(_) | None => tracing::warn!("a program of an agent was turned away"),
                },
            }
        }
        guests.end().await;
    }
}

/// Answers one client, line by line, until it goes, is silent too long, has to make room, or talks nonsense.
async fn serve(stream: UnixStream, served: Served, guest: Guest) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    loop {
        guest.is(Doing::Nothing);
        let mut line = Vec::new();
        let mut bounded = (&mut lines).take(ASK_BYTES_MAX);
        let read = timeout(CLIENT_TIME_MAX, bounded.read_until(b'\n', &mut line));
        let read = tokio::select! {
            () = guest.has_to_go() => return,
            read = read => read,
        };
        match read {
            Ok(Ok(count)) if count > 0 && line.last() == Some(&b'\n') => {}
            Ok(Ok(_) | Err(_)) | Err(_) => return,
        }
        guest.is(Doing::Asking);
        let reply = match serde_json::from_slice(&line) {
            Ok(Ask::Watch) => return watch(lines, write, &served, &guest).await,
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
#[must_use]
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
    guest: &Guest,
) {
    guest.is(Doing::Watching);
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
            () = guest.has_to_go() => {
                let text = "too many programs watch this run; this one had to make room".into();
                let _ = say(&mut write, &Reply::Error { text }).await;
                return;
            }
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
                request: Box::new(RequestCard::of(&open.request, open.epoch, now)),
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
