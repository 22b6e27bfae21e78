//! The leader's side: a task that the run owns, listening on a socket of its own.

mod answering;
mod guests;

use std::path::Path;
use std::time::Duration;

use pointsman_approvals::{BindError, PrivateSocket, RequestEvent};
use pointsman_process::{Origin, origin_of};
use pointsman_swarm::LeaderHandle;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::guests::{Doing, Gone, Guest, Guests};
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

/// What a program of an agent hears.
const NOT_FOR_AGENTS: &str = "this was started by an agent, and no agent answers questions or orders a run; a person does, in a terminal of their own";

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
            guests.tidy();
            let has_room = guests.has_room();
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                // Before the news of those that are in: however many they make, they keep nobody out.
                (stream, pid) = self.0.accept(), if has_room => match pid.map(|pid| (pid, origin_of(pid))) {
                    Some((pid, Origin::Outside)) => {
                        guests.admit(pid, |guest| serve(stream, served.clone(), guest));
                    }
                    // No agent answers a question, its own or another's (law 2).
                    Some((_, Origin::Agent)) => {
                        tracing::warn!("a program of an agent was turned away");
                        last_words(&stream.into_split().1, NOT_FOR_AGENTS);
                    }
                    Some((_, Origin::Gone)) | None => {}
                },
                () = guests.changed() => {}
            }
        }
        guests.end().await;
    }
}

/// Answers one client, line by line, until it goes, is silent too long, has to make room, or talks nonsense.
async fn serve(stream: UnixStream, served: Served, guest: Guest) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    // Comes back when it has to make room, and says so as far as it listens.
    let Err(Gone) = talk(&mut lines, &mut write, &served, &guest).await else {
        return;
    };
    let text = "too many programs are connected to this run; this one had to make room before it was answered";
    last_words(&write, text);
}

async fn talk(
    lines: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
    served: &Served,
    guest: &Guest,
) -> Result<(), Gone> {
    loop {
        guest.is(Doing::Nothing)?;
        let mut line = Vec::new();
        let mut bounded = (&mut *lines).take(ASK_BYTES_MAX);
        let read = timeout(CLIENT_TIME_MAX, bounded.read_until(b'\n', &mut line));
        let read = tokio::select! {
            // First, so that one that has always more to say hears it, too.
            biased;
            () = guest.has_to_go() => return Err(Gone),
            read = read => read,
        };
        match read {
            Ok(Ok(count)) if count > 0 && line.last() == Some(&b'\n') => {}
            Ok(Ok(_) | Err(_)) | Err(_) => return Ok(()),
        }
        let reply = match serde_json::from_slice(&line) {
            Ok(Ask::Watch) => {
                watch(lines, write, served, guest).await;
                return Ok(());
            }
            Ok(ask) => reply_to(ask, served, guest).await?,
            Err(error) => Reply::Error {
                text: format!("the line is not understood: {error}"),
            },
        };
        // What was done is done; if nobody reads that, it is on record.
        if guest.is(Doing::Telling).is_err() || say(write, &reply, guest).await == Said::NotHeard {
            return Ok(());
        }
        // However much it has asked at once, everybody else has a turn after each answer: whoever waits at the door,
        // and the leader itself.
        tokio::task::yield_now().await;
    }
}

/// Does what a client asks. What may wait for the disk or the leader needs leave, so that a heap of it leaves places to
/// those that only look.
async fn reply_to(ask: Ask, served: &Served, guest: &Guest) -> Result<Reply, Gone> {
    let _leave = match &ask {
        Ask::Queue
        | Ask::Card { .. }
        | Ask::Watch
        | Ask::Status
        | Ask::Context { .. }
        | Ask::Grants => None,
        Ask::Answer { .. }
        | Ask::Touch { .. }
        | Ask::Revoke { .. }
        | Ask::Stop { .. }
        | Ask::StopJob { .. }
        | Ask::Course { .. }
        | Ask::Retry { .. }
        | Ask::Add { .. }
        | Ask::Tell { .. }
        | Ask::Mode { .. }
        | Ask::Tighten { .. } => {
            guest.is(Doing::Nothing)?;
            Some(guest.order_leave().await?)
        }
    };
    // From here on it can't be sent away, or it begins nothing.
    guest.is(Doing::Asking)?;
    Ok(answering::answer(ask, &served.leader).await)
}

/// Whether a client took what it was told.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Heard,
    NotHeard,
}

async fn say(write: &mut OwnedWriteHalf, reply: &Reply, guest: &Guest) -> Said {
    let Ok(mut bytes) = serde_json::to_vec(reply) else {
        return Said::NotHeard;
    };
    bytes.push(b'\n');
    let said = timeout(CLIENT_TIME_MAX, write.write_all(&bytes));
    tokio::select! {
        biased;
        () = guest.has_to_go() => Said::NotHeard,
        said = said => match said {
            Ok(Ok(())) => Said::Heard,
            Ok(Err(_)) | Err(_) => Said::NotHeard,
        },
    }
}

/// What one hears that has to make room, if it can be told at once: it has no place to wait in.
fn last_words(write: &OwnedWriteHalf, text: &str) {
    let reply = Reply::Error { text: text.into() };
    if let Ok(mut bytes) = serde_json::to_vec(&reply) {
        bytes.push(b'\n');
        let _ = write.try_write(&bytes);
    }
}

/// Tells a client what becomes of requests, until it goes. A client that is too slow is told the list anew.
async fn watch(
    lines: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
    served: &Served,
    guest: &Guest,
) {
    let requests = served.leader.requests();
    let mut events = requests.subscribe();
    let mut news = Some(answering::queue(&served.leader));
    loop {
        if let Some(reply) = news.take()
            && (guest.is(Doing::Watched).is_err()
                || say(write, &reply, guest).await == Said::NotHeard)
        {
            return;
        }
        if guest.is(Doing::Watching).is_err() {
            return;
        }
        let event = tokio::select! {
            biased;
            () = guest.has_to_go() => {
                last_words(write, "too many programs watch this run; this one had to make room");
                return;
            }
            // Whatever a client that watches says, it has nothing more to say: it goes.
            _ = lines.fill_buf() => return,
            event = events.next() => event,
        };
        let Some(event) = event else {
            return;
        };
        news = news_of(event, served);
    }
}

/// What whoever watches is told of it; nothing of most.
fn news_of(event: RequestEvent, served: &Served) -> Option<Reply> {
    let now = served.leader.clock().now();
    Some(match event {
        RequestEvent::Missed { .. } => answering::queue(&served.leader),
        RequestEvent::Opened(open) => Reply::Opened {
            request: Box::new(RequestCard::of(&open.request, open.epoch, now)),
        },
        RequestEvent::Closed { id, verdict } => Reply::Closed {
            id,
            text: verdict_line(&verdict),
        },
        RequestEvent::Shown { .. }
        | RequestEvent::Touched { .. }
        | RequestEvent::Advised { .. }
        | RequestEvent::Explained { .. }
        | RequestEvent::DeadlineSoon { .. } => return None,
    })
}

#[cfg(test)]
mod tests;
