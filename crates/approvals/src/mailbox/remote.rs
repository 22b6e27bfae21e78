//! The mailbox of a worker that is a process of its own: over a line to its leader that may break at
//! any moment.
//!
//! [`RemoteService`] keeps the line; [`RemoteMailbox`] is the handle. After a break it dials again and
//! asks for everything anew that it has no verdict on; the leader knows what it has had before. When
//! the leader stays out of reach, those who wait are told.

mod post;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Fuse};
use pointsman_model::{PermissionRequest, RequestId};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::post::{Effect, Event, Post, Waiter};
use super::line::{Dial, Pass, ToLeader, ToWorker, UNQUEUED_MAX, WorkerLine};
use super::{ForwardError, Forwarded, Mailbox};
use crate::requests::Dropped;

/// The longest text of a request that a line carries. Above all that a tool's input may hold.
pub(crate) const REQUEST_BYTES_MAX: usize = 8 << 20;

/// How long is waited between two attempts to get a line, at first and at most.
const REDIAL_FIRST: Duration = Duration::from_millis(50);
const REDIAL_MAX: Duration = Duration::from_secs(2);

/// The handle. Cheap to clone.
#[derive(Clone)]
pub struct RemoteMailbox {
    inner: Arc<Inner>,
}

struct Inner {
    tx: flume::Sender<Event>,
    /// Requests on their way to the leader's disk.
    slots: Arc<Semaphore>,
    dropped: Arc<Dropped>,
    gone: CancellationToken,
}

/// Keeps the line. Its owner runs it as a task and holds it.
pub struct RemoteService {
    post: Post,
    dial: Arc<dyn Dial>,
    inbox: flume::Receiver<Event>,
    dropped: Arc<Dropped>,
    _gone: DropGuard,
}

/// A mailbox for the holder of `pass`, and the service behind it.
#[must_use]
pub fn remote(pass: Pass, dial: Arc<dyn Dial>) -> (RemoteMailbox, RemoteService) {
    let (tx, inbox) = flume::bounded(UNQUEUED_MAX);
    let dropped = Arc::new(Dropped::default());
    let gone = CancellationToken::new();
    let handle = RemoteMailbox {
        inner: Arc::new(Inner {
            tx,
            slots: Arc::new(Semaphore::new(UNQUEUED_MAX)),
            dropped: Arc::clone(&dropped),
            gone: gone.clone(),
        }),
    };
    let service = RemoteService {
        post: Post::new(pass, Instant::now()),
        dial,
        inbox,
        dropped,
        _gone: gone.drop_guard(),
    };
    (handle, service)
}

/// Tells the service that someone no longer waits.
#[derive(Debug)]
pub(crate) struct Withdrawal {
    id: RequestId,
    dropped: Arc<Dropped>,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.dropped.push(self.id);
    }
}

#[async_trait]
impl Mailbox for RemoteMailbox {
    async fn forward(&self, request: PermissionRequest) -> Result<Forwarded, ForwardError> {
        let id = request.id;
        let too_long = |why: String| ForwardError::NotStored {
            request: id,
            why: why.into(),
        };
        match serde_json::to_string(&request) {
            Ok(text) if text.len() <= REQUEST_BYTES_MAX => {}
            Ok(_) => {
                return Err(too_long(format!(
                    "it is longer than {REQUEST_BYTES_MAX} bytes"
                )));
            }
            Err(error) => return Err(too_long(error.to_string())),
        }
        let slot = tokio::select! {
            biased;
            slot = Arc::clone(&self.inner.slots).acquire_owned() => {
                slot.map_err(|_| ForwardError::Closed)?
            }
            () = self.inner.gone.cancelled() => return Err(ForwardError::Closed),
        };
        let (told, queued) = oneshot::channel();
        let (verdict, answer) = oneshot::channel();
        let waiter = Waiter {
            told: Some(told),
            verdict,
        };
        // Dropped after the ends above are, so that the service finds them closed.
        let withdrawal = Withdrawal {
            id,
            dropped: Arc::clone(&self.inner.dropped),
        };
        let forwarded = Forwarded::withdrawn_by(id, answer, withdrawal);
        let event = Event::Forward(Box::new(request), waiter);
        self.inner
            .tx
            .send_async(event)
            .await
            .map_err(|_| ForwardError::Closed)?;
        let told = tokio::select! {
            biased;
            told = queued => told,
            () = self.inner.gone.cancelled() => return Err(ForwardError::Closed),
        };
        drop(slot);
        match told {
            Ok(Ok(())) => Ok(forwarded),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ForwardError::Lost(id)),
        }
    }
}

/// The line as it stands.
enum Link {
    Down { again_at: Instant, wait: Duration },
    Dialing(BoxFuture<'static, io::Result<WorkerLine>>, Duration),
    Up(Standing),
}

/// A line that stands. Its drive may have come to its end before all that it brought is heard.
struct Standing {
    incoming: flume::Receiver<ToWorker>,
    outgoing: flume::Sender<ToLeader>,
    drive: Fuse<BoxFuture<'static, ()>>,
}

/// What the service waits for.
enum Heard {
    Events(Vec<Event>),
    Link(Link, Option<Event>),
    Ended,
}

impl RemoteService {
    /// Serves until `shutdown`, or until all handles are gone and nobody waits; then those who wait hear that the mailbox
    /// is closed.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut link = Link::Down {
            again_at: Instant::now(),
            wait: REDIAL_FIRST,
        };
        loop {
            let heard = tokio::select! {
                biased;
                () = shutdown.cancelled() => Heard::Ended,
                heard = Self::hear(&self.inbox, &self.dropped, &self.post, &mut link, &self.dial) => heard,
            };
            let events = match heard {
                Heard::Ended => return,
                Heard::Events(events) => events,
                Heard::Link(next, event) => {
                    link = next;
                    event.into_iter().collect()
                }
            };
            for event in events {
                let mut effects = Vec::new();
                self.post.handle(event, Instant::now(), &mut effects);
                for effect in effects {
                    tokio::select! {
                        biased;
                        () = shutdown.cancelled() => return,
                        () = self.carry_out(effect, &mut link) => {}
                    }
                }
            }
        }
    }

    async fn hear(
        inbox: &flume::Receiver<Event>,
        dropped: &Dropped,
        post: &Post,
        link: &mut Link,
        dial: &Arc<dyn Dial>,
    ) -> Heard {
        let due = post.next_due();
        tokio::select! {
            biased;
            () = dropped.bell.notified() => {
                Heard::Events(dropped.take().into_iter().map(Event::Dropped).collect())
            }
            (next, event) = tend(link, post, dial) => match next {
                Some(next) => Heard::Link(next, event),
                None => Heard::Events(event.into_iter().collect()),
            },
            event = inbox.recv_async() => match event {
                Ok(event) => Heard::Events(vec![event]),
                Err(_) => Heard::Ended,
            },
            () = sleep_until(due) => Heard::Events(vec![Event::Tick]),
        }
    }

    async fn carry_out(&mut self, effect: Effect, link: &mut Link) {
        let Link::Up(line) = link else {
            return;
        };
        let broken = match effect {
            Effect::HangUp => true,
            Effect::Send(frame) => tokio::select! {
                biased;
                sent = line.outgoing.send_async(frame) => sent.is_err(),
                () = &mut line.drive => true,
            },
        };
        if broken {
            *link = down();
            // Nothing is sent while a line is down, so this leads to no more effects.
            self.post
                .handle(Event::LineGone, Instant::now(), &mut Vec::new());
        }
    }
}

/// Waits for what the line does next: it stands, brings a frame, or breaks.
async fn tend(link: &mut Link, post: &Post, dial: &Arc<dyn Dial>) -> (Option<Link>, Option<Event>) {
    match link {
        Link::Down { again_at, wait } => {
            if !post.wants_line() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep_until(*again_at).await;
            let dial = Arc::clone(dial);
            let dialing = Box::pin(async move { dial.dial().await });
            (Some(Link::Dialing(dialing, *wait)), None)
        }
        Link::Dialing(dialing, wait) => match dialing.await {
            Ok(line) => {
                let standing = Standing {
                    incoming: line.incoming,
                    outgoing: line.outgoing,
                    drive: line.drive.fuse(),
                };
                (Some(Link::Up(standing)), Some(Event::Dialed))
            }
            Err(error) => {
                tracing::debug!(%error, "the leader can't be reached");
                let next = Link::Down {
                    again_at: Instant::now() + *wait,
                    wait: wait.saturating_mul(2).min(REDIAL_MAX),
                };
                (Some(next), None)
            }
        },
        Link::Up(line) => {
            let frame: Option<ToWorker> = tokio::select! {
                biased;
                frame = line.incoming.recv_async() => frame.ok(),
                () = &mut line.drive => line.incoming.try_recv().ok(),
            };
            match frame {
                Some(frame) => (None, Some(Event::Frame(frame))),
                None => (Some(down()), Some(Event::LineGone)),
            }
        }
    }
}

fn down() -> Link {
    Link::Down {
        again_at: Instant::now() + REDIAL_FIRST,
        wait: REDIAL_FIRST,
    }
}

async fn sleep_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}
