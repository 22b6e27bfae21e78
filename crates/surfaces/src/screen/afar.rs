//! What a screen hears of a leader in another process: the records of its ledger tell which requests are open.
//!
//! The past comes first and rings no bell; what is open when it has been read is listed at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman_approvals::{Advice, Epoch, OpenRequest};
use pointsman_ledger::{LedgerRecord, RecordBody, RequestClosed, Showing};
use pointsman_model::{Outcome, RequestId};

use super::event::Event;

/// Whether the past has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Past,
    News,
}

/// See the module's words.
#[derive(Debug)]
pub(super) struct Afar {
    reading: Reading,
    /// All open requests, those among them that are not on the surfaces yet.
    open: BTreeMap<RequestId, OpenRequest>,
    /// Those that only the death of their leader has ended: the next may ask them again.
    left: BTreeMap<RequestId, OpenRequest>,
    /// The reign that the records have come to.
    epoch: Epoch,
    /// Those on the surfaces, in the order in which they came there.
    shown: Vec<RequestId>,
}

impl Afar {
    pub(super) fn new() -> Self {
        Self {
            reading: Reading::Past,
            open: BTreeMap::new(),
            left: BTreeMap::new(),
            epoch: Epoch::FIRST,
            shown: Vec::new(),
        }
    }

    /// The past has been read.
    pub(super) fn caught_up(&mut self) -> Event {
        self.reading = Reading::News;
        let shown = self.shown.iter().filter_map(|id| self.open.get(id));
        Event::Listed(shown.cloned().map(Arc::new).collect())
    }

    /// What a record says of requests.
    pub(super) fn record(&mut self, record: &LedgerRecord) -> Option<Event> {
        let event = match &record.body {
            RecordBody::RunResumed(resumed) => {
                self.epoch = Epoch::new(resumed.epoch);
                None
            }
            RecordBody::RequestReopened(reopened) => {
                let open = OpenRequest {
                    epoch: self.epoch,
                    touched: false,
                    ..self.left.remove(&reopened.request)?
                };
                let shown = open.shown.then(|| {
                    self.shown.push(reopened.request);
                    Event::Shown(Arc::new(open.clone()))
                });
                self.open.insert(reopened.request, open);
                shown
            }
            RecordBody::RequestOpened(opened) => {
                let open = OpenRequest {
                    request: Arc::new(opened.request.clone()),
                    epoch: self.epoch,
                    shown: opened.showing == Showing::AtOnce,
                    touched: false,
                    advice: Vec::new(),
                    explanation: None,
                };
                let shown = open.shown.then(|| {
                    self.shown.push(opened.request.id);
                    Event::Shown(Arc::new(open.clone()))
                });
                self.open.insert(opened.request.id, open);
                shown
            }
            RecordBody::RequestShown(shown) => self.open.get_mut(&shown.request).map(|open| {
                open.shown = true;
                self.shown.push(shown.request);
                Event::Shown(Arc::new(open.clone()))
            }),
            RecordBody::Advised(advised) => {
                let advice = Advice {
                    by: advised.by.clone(),
                    text: advised.text.clone(),
                    no_vote: advised.no_vote,
                };
                let open = self.open.get_mut(&advised.request)?;
                open.advice.push(advice.clone());
                open.shown
                    .then_some(Event::Advised(advised.request, advice))
            }
            RecordBody::Explained(explained) => {
                let explanation = Arc::new(explained.explanation.clone());
                let open = self.open.get_mut(&explained.request)?;
                open.explanation = Some(Arc::clone(&explanation));
                open.shown
                    .then_some(Event::Explained(explained.request, explanation))
            }
            RecordBody::RequestClosed(closed) => self.closed(closed),
            _ => None,
        };
        match self.reading {
            Reading::Past => None,
            Reading::News => event,
        }
    }

    fn closed(&mut self, closed: &RequestClosed) -> Option<Event> {
        let open = self.open.remove(&closed.request)?;
        self.shown.retain(|id| *id != closed.request);
        let event = open
            .shown
            .then(|| Event::Closed(closed.request, Arc::new(closed.verdict.clone())));
        if closed.verdict.outcome() == Outcome::Interrupted {
            self.left.insert(closed.request, open);
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use pointsman_ledger::{RequestOpened, RequestReopened, RequestShown, RunResumed, Seq};
    use pointsman_model::{Answerer, Digest, Surface, Verdict, VerdictKind, WallTime};

    fn record(body: impl Into<RecordBody>) -> LedgerRecord {
        LedgerRecord {
            seq: Seq(1),
            run: fixture::run(),
            number: 1,
            at: WallTime(1),
            body: body.into(),
            prev: Digest::of(b"before"),
            hash: Digest::of(b"this"),
        }
    }

    fn opened(number: u32, showing: Showing) -> LedgerRecord {
        record(RequestOpened {
            request: fixture::request(number, "git push"),
            showing,
        })
    }

    fn shown(number: u32) -> LedgerRecord {
        let request = fixture::request(number, "git push");
        record(RequestShown {
            request: request.id,
            call: request.call.id,
        })
    }

    fn closed(number: u32) -> LedgerRecord {
        let request = fixture::request(number, "git push");
        record(RequestClosed {
            request: request.id,
            call: request.call.id,
            verdict: Verdict {
                kind: VerdictKind::Deny { text: None },
                by: Answerer::Person {
                    surface: Surface::Command,
                },
                at: WallTime(2),
                digest: request.digest,
            },
        })
    }

    #[test]
    fn the_past_is_read_in_silence_and_what_is_open_is_listed() {
        let mut afar = Afar::new();
        for past in [
            opened(1, Showing::AtOnce),
            opened(2, Showing::AtOnce),
            closed(1),
            opened(3, Showing::AfterChecks),
            opened(5, Showing::AfterChecks),
            opened(6, Showing::AtOnce),
            shown(5),
        ] {
            assert!(afar.record(&past).is_none());
        }
        let Event::Listed(open) = afar.caught_up() else {
            panic!("no list");
        };
        let ids: Vec<RequestId> = open.iter().map(|open| open.request.id).collect();
        // In the order in which they came to the surfaces.
        let wanted = [2, 6, 5].map(|number| fixture::request(number, "git push").id);
        assert_eq!(ids, wanted);
        let third = fixture::request(3, "git push");
        assert!(
            matches!(afar.record(&shown(3)), Some(Event::Shown(open)) if open.request.id == third.id)
        );
        assert!(matches!(afar.record(&closed(3)), Some(Event::Closed(id, _)) if id == third.id));
        assert!(afar.record(&closed(3)).is_none());
        // Its leader dies, and the next one asks it again: an answer to it is one to the new leader.
        let dead = record(RequestClosed {
            request: third.id,
            call: third.call.id,
            verdict: Verdict {
                kind: VerdictKind::Ended {
                    outcome: Outcome::Interrupted,
                    text: "its leader died".into(),
                },
                by: Answerer::Runtime,
                at: WallTime(3),
                digest: third.digest,
            },
        });
        let again = record(RequestShown {
            request: third.id,
            call: third.call.id,
        });
        let mut afar = Afar::new();
        for past in [opened(3, Showing::AtOnce), dead] {
            assert!(afar.record(&past).is_none());
        }
        assert!(matches!(afar.caught_up(), Event::Listed(open) if open.is_empty()));
        let resumed = RunResumed { epoch: 2, pid: 1 };
        assert!(afar.record(&record(resumed)).is_none());
        let reopened = RequestReopened {
            request: third.id,
            call: third.call.id,
        };
        assert!(matches!(
            afar.record(&record(reopened)),
            Some(Event::Shown(open)) if open.epoch == Epoch::new(2)
        ));
        assert!(afar.record(&again).is_some(), "it is open");
        assert!(matches!(
            afar.record(&opened(4, Showing::AtOnce)),
            Some(Event::Shown(_))
        ));
    }
}
