//! The board: what surfaces see of the open requests, and the events that change it.
//!
//! The service alone writes it, always before the event is sent, so that whoever hears of a request
//! finds it on the board.

use std::sync::{Arc, PoisonError, RwLock};

use dashmap::DashMap;
use pointsman_model::{
    Answerer, Explanation, Millis, NoVoteCause, PermissionRequest, RequestId, Verdict,
};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::Epoch;

/// What a checker said of a request without deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Who.
    pub by: Answerer,
    /// What it said.
    pub text: Box<str>,
    /// Why it has no vote; nothing when it said something else.
    pub no_vote: Option<NoVoteCause>,
}

impl Advice {
    /// What anybody but a classifier without a vote says.
    #[must_use]
    pub fn says(by: Answerer, text: impl Into<Box<str>>) -> Self {
        Self {
            by,
            text: text.into(),
            no_vote: None,
        }
    }

    /// A classifier has no vote.
    #[must_use]
    pub fn no_vote(by: Answerer, cause: NoVoteCause, why: &str) -> Self {
        Self {
            by,
            text: format!("has no vote ({cause}): {why}").into(),
            no_vote: Some(cause),
        }
    }
}

/// An open request as surfaces see it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// The question.
    pub request: Arc<PermissionRequest>,
    /// The reign in which it is shown. An answer names it, so that it can't count in another.
    pub epoch: Epoch,
    /// Whether it is on the surfaces; not while automatic checks have their turn first.
    pub shown: bool,
    /// Whether a person has touched its dialog.
    pub touched: bool,
    /// What checkers said of it.
    pub advice: Vec<Advice>,
    /// What a model told of it; nothing while none has.
    pub explanation: Option<Arc<Explanation>>,
}

/// Something that happened to a request. Everything it tells of is on disk.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestEvent {
    /// It is open.
    Opened(Arc<OpenRequest>),
    /// It went to the surfaces.
    Shown {
        /// Which.
        id: RequestId,
    },
    /// A person has touched its dialog.
    Touched {
        /// Which.
        id: RequestId,
    },
    /// A checker said something.
    Advised {
        /// Of which.
        id: RequestId,
        /// What.
        advice: Advice,
    },
    /// A model has explained it.
    Explained {
        /// Which.
        id: RequestId,
        /// What it says.
        explanation: Arc<Explanation>,
    },
    /// Its deadline is near.
    DeadlineSoon {
        /// Which.
        id: RequestId,
        /// What is left.
        left: Millis,
    },
    /// It has its verdict.
    Closed {
        /// Which.
        id: RequestId,
        /// The verdict.
        verdict: Arc<Verdict>,
    },
    /// This subscriber was too slow: so many events are gone. Look at the list anew.
    Missed {
        /// How many.
        events: u64,
    },
}

/// A subscription to the events.
pub struct RequestEvents {
    receiver: broadcast::Receiver<RequestEvent>,
}

impl RequestEvents {
    /// The next event; `None` when the leader has stopped. Cancel safe.
    pub async fn next(&mut self) -> Option<RequestEvent> {
        match self.receiver.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(events)) => Some(RequestEvent::Missed { events }),
            Err(RecvError::Closed) => None,
        }
    }
}

/// The open requests and whoever wants to hear of them.
pub(crate) struct Board {
    open: DashMap<RequestId, Arc<OpenRequest>>,
    /// Nothing once the service has ended, so that subscribers hear the end though handles live on.
    events: RwLock<Option<broadcast::Sender<RequestEvent>>>,
}

impl Board {
    pub(crate) fn new(events_kept_max: usize) -> Self {
        Self {
            open: DashMap::new(),
            events: RwLock::new(Some(broadcast::Sender::new(events_kept_max))),
        }
    }

    pub(crate) fn list(&self) -> Vec<Arc<OpenRequest>> {
        let mut list: Vec<Arc<OpenRequest>> = self.open.iter().map(|it| Arc::clone(&it)).collect();
        list.sort_by_key(|open| (!open.shown, open.request.opened_at, open.request.id));
        list
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<Arc<OpenRequest>> {
        self.open.get(&id).map(|entry| Arc::clone(&entry))
    }

    pub(crate) fn subscribe(&self) -> RequestEvents {
        let events = self.events.read().unwrap_or_else(PoisonError::into_inner);
        let receiver = match &*events {
            Some(events) => events.subscribe(),
            // The sender is dropped with this line, and so the subscription is at its end.
            None => broadcast::Sender::new(1).subscribe(),
        };
        RequestEvents { receiver }
    }

    /// Changes the board as the event says, then tells it.
    pub(crate) fn publish(&self, event: RequestEvent) {
        match &event {
            RequestEvent::Opened(open) => {
                self.open.insert(open.request.id, Arc::clone(open));
            }
            RequestEvent::Shown { id } => {
                self.change(*id, |open| open.shown = true);
            }
            RequestEvent::Touched { id } => self.change(*id, |open| open.touched = true),
            RequestEvent::Advised { id, advice } => {
                self.change(*id, |open| open.advice.push(advice.clone()));
            }
            RequestEvent::Explained { id, explanation } => {
                self.change(*id, |open| open.explanation = Some(Arc::clone(explanation)));
            }
            RequestEvent::Closed { id, .. } => {
                self.open.remove(id);
            }
            RequestEvent::DeadlineSoon { .. } | RequestEvent::Missed { .. } => {}
        }
        let events = self.events.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(events) = &*events {
            // Nobody may be listening, which is all right.
            let _ = events.send(event);
        }
    }

    fn change(&self, id: RequestId, change: impl FnOnce(&mut OpenRequest)) {
        if let Some(mut entry) = self.open.get_mut(&id) {
            change(Arc::make_mut(&mut entry));
        }
    }
}

/// Ends all subscriptions when the service is gone, however it went.
pub(crate) struct EndOfEvents(pub(crate) Arc<Board>);

impl Drop for EndOfEvents {
    fn drop(&mut self) {
        self.0.open.clear();
        *self
            .0
            .events
            .write()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }
}
