//! The news of requests and of the run, as they come to the screen.

use std::sync::Arc;

use pointsman_approvals::{OpenRequest, RequestEvent, RequestEvents, Requests};
use pointsman_swarm::RunEvent;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::afar::Afar;
use super::event::Event;
use super::link::Link;
use crate::render::length;

/// Where the news of requests and of the run come from.
pub(super) enum News {
    /// From the leader in this process.
    Here {
        requests: RequestEvents,
        run: broadcast::Receiver<RunEvent>,
    },
    /// From the records that this screen is told.
    There(Afar),
}

/// Which sources have something to come still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Open,
    Ended,
}

/// Which of a screen's sources are at their end.
pub(super) struct Flows {
    pub(super) requests: Flow,
    pub(super) told: Flow,
    pub(super) run: Flow,
    pub(super) input: Flow,
}

impl Flows {
    pub(super) fn open() -> Self {
        Self {
            requests: Flow::Open,
            told: Flow::Open,
            run: Flow::Open,
            input: Flow::Open,
        }
    }
}

impl News {
    /// What comes next from a leader in this process; of another one there is none but what the screen is told. Cancel
    /// safe.
    pub(super) async fn next(&mut self, flows: &mut Flows, leader: &Link) -> Option<Event> {
        let (Self::Here { requests, run }, Link::Here(leader)) = (self, leader) else {
            return std::future::pending().await;
        };
        tokio::select! {
            event = requests.next(), if flows.requests == Flow::Open => match event {
                Some(event) => event_of(event, leader.requests()),
                None => {
                    flows.requests = Flow::Ended;
                    None
                }
            },
            event = run.recv(), if flows.run == Flow::Open => match event {
                Ok(event) => Some(Event::Run(event)),
                // The ledger's records tell the rest.
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => {
                    flows.run = Flow::Ended;
                    None
                }
            },
            else => std::future::pending().await,
        }
    }
}

/// All requests that are to be on the surfaces now.
pub(super) fn listed(requests: &Requests) -> Vec<Arc<OpenRequest>> {
    let mut open = requests.list();
    open.retain(|open| open.shown);
    open
}

fn event_of(event: RequestEvent, requests: &Requests) -> Option<Event> {
    match event {
        RequestEvent::Opened(open) => open.shown.then_some(Event::Shown(open)),
        RequestEvent::Shown { id } => requests.get(id).map(Event::Shown),
        RequestEvent::Touched { .. } => None,
        RequestEvent::Advised { id, advice } => Some(Event::Advised(id, advice)),
        RequestEvent::Explained { id, explanation } => Some(Event::Explained(id, explanation)),
        RequestEvent::DeadlineSoon { id, left } => Some(Event::Notice(format!(
            "{id} ends unanswered in {}",
            length(left)
        ))),
        RequestEvent::Closed { id, verdict } => Some(Event::Closed(id, verdict)),
        RequestEvent::Missed { .. } => Some(Event::Listed(listed(requests))),
    }
}
