//! How a request comes into the table, and onto the surfaces.

use std::sync::Arc;

use pointsman_ledger::{
    Advised, AppendError, Explained, RecordBody, RequestOpened, RequestReopened, RequestShown,
    RequestTrace, Showing,
};
use pointsman_model::{Explanation, Outcome, RequestId};
use smallvec::{SmallVec, smallvec};

use super::{
    Asked, Done, Effect, Effects, Entry, Key, LateCount, Now, OPEN_MAX, Opening, Phase, Table,
};
use crate::requests::OpenError;
use crate::requests::board::{Advice, OpenRequest, RequestEvent};
use crate::requests::deadlines::Deadline;

type OpenDone = Done<Result<(), OpenError>>;

impl Table {
    pub(super) fn open(&mut self, asked: Asked, now: Now, effects: &mut Effects) {
        let Some(asked) = self.open_known(asked, effects) else {
            return;
        };
        let id = asked.request.id;
        match asked.opening {
            // It may have its verdict, by an earlier leader or by this one long ago, which never reached the one who asked:
            // there is only one.
            Opening::Fresh if self.reign.may_be_older(id) || self.closed.may_have_forgotten(id) => {
                effects.push(Effect::LookUpAsked(asked));
            }
            Opening::Fresh | Opening::Again => self.admit(asked, now, effects),
        }
    }

    /// Joins a request that the table knows; gives back one that it does not know.
    fn open_known(&mut self, asked: Asked, effects: &mut Effects) -> Option<Asked> {
        let id = asked.request.id;
        if let Some(key) = self.find(id) {
            self.open_twice(key, asked, effects);
            return None;
        }
        let Some(closed) = self.closed.get(id) else {
            return Some(asked);
        };
        if closed.digest == asked.request.digest {
            effects.push(Effect::Opened(asked.done, Ok(())));
            effects.push(Effect::Deliver(asked.waiter, closed.verdict.clone()));
        } else {
            effects.push(Effect::Opened(asked.done, Err(OpenError::IdTaken(id))));
        }
        None
    }

    /// The ledger told what it knows of a request that is to be opened.
    pub(super) fn asked_looked_up(
        &mut self,
        asked: Asked,
        trace: Result<RequestTrace, AppendError>,
        now: Now,
        effects: &mut Effects,
    ) {
        // It may have come by another way meanwhile.
        let Some(asked) = self.open_known(asked, effects) else {
            return;
        };
        let trace = match trace {
            Ok(trace) => trace,
            Err(error) => {
                let error = OpenError::NotStored(error);
                return effects.push(Effect::Opened(asked.done, Err(error)));
            }
        };
        let Some(opened) = trace.opened else {
            return self.admit(asked, now, effects);
        };
        if opened.request.digest != asked.request.digest {
            let taken = OpenError::IdTaken(asked.request.id);
            return effects.push(Effect::Opened(asked.done, Err(taken)));
        }
        match trace.closed {
            Some(closed) if closed.verdict.outcome() != Outcome::Interrupted => {
                self.closed
                    .remember(&asked.request, closed.verdict.clone(), LateCount::default());
                effects.push(Effect::Opened(asked.done, Ok(())));
                effects.push(Effect::Deliver(asked.waiter, closed.verdict));
            }
            // Only the death of its leader has ended it, or nothing has.
            Some(_) | None => {
                let asked = Asked {
                    opening: Opening::Again,
                    ..asked
                };
                self.admit(asked, now, effects);
            }
        }
    }

    fn admit(&mut self, asked: Asked, now: Now, effects: &mut Effects) {
        let id = asked.request.id;
        if self.stopping {
            return effects.push(Effect::Opened(asked.done, Err(OpenError::Closed)));
        }
        if self.entries.len() >= OPEN_MAX {
            return effects.push(Effect::Opened(
                asked.done,
                Err(OpenError::TooMany(OPEN_MAX)),
            ));
        }
        let body = match asked.opening {
            Opening::Fresh => RecordBody::from(RequestOpened {
                request: asked.request.as_ref().clone(),
                showing: asked.showing,
            }),
            Opening::Again => RecordBody::from(RequestReopened {
                request: id,
                call: asked.request.call.id,
            }),
        };
        let key = self.entries.insert(Entry {
            deadline: Deadline::of(&asked.request, now, self.soon),
            request: asked.request,
            phase: Phase::Storing(smallvec![asked.done]),
            showing: asked.showing,
            shown: false,
            touched: false,
            late: LateCount::default(),
            waiters: smallvec![asked.waiter],
            held: Vec::new(),
        });
        self.keys.insert(id, key);
        let run = id.run();
        effects.push(Effect::Store { key, run, body });
    }

    /// A messenger that does not know whether it arrived brings the same request again.
    fn open_twice(&mut self, key: Key, asked: Asked, effects: &mut Effects) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        if entry.request.digest != asked.request.digest {
            let taken = Err(OpenError::IdTaken(asked.request.id));
            return effects.push(Effect::Opened(asked.done, taken));
        }
        entry.waiters.push(asked.waiter);
        match &mut entry.phase {
            Phase::Storing(dones) => dones.push(asked.done),
            Phase::Open | Phase::Closing(..) => effects.push(Effect::Opened(asked.done, Ok(()))),
        }
    }

    /// It is on disk: now the surfaces hear of it, and the one who asked.
    pub(super) fn opened(
        &mut self,
        key: Key,
        dones: SmallVec<[OpenDone; 1]>,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        entry.shown |= match entry.showing {
            Showing::AtOnce => true,
            Showing::AfterChecks => false,
        };
        effects.push(Effect::Publish(RequestEvent::Opened(Arc::new(
            OpenRequest {
                request: Arc::clone(&entry.request),
                epoch: self.reign.epoch,
                shown: entry.shown,
                touched: entry.touched,
                advice: Vec::new(),
                explanation: None,
            },
        ))));
        for done in dones {
            effects.push(Effect::Opened(done, Ok(())));
        }
        self.open_again(key, now, effects);
    }

    /// It can't be put on disk, and so was never asked.
    pub(super) fn not_opened(
        &mut self,
        key: Key,
        dones: SmallVec<[OpenDone; 1]>,
        error: &AppendError,
        effects: &mut Effects,
    ) {
        if let Some(entry) = self.entries.try_remove(key) {
            self.keys.remove(&entry.request.id);
        }
        for done in dones {
            let error = OpenError::NotStored(error.clone());
            effects.push(Effect::Opened(done, Err(error)));
        }
    }

    pub(super) fn show(&mut self, id: RequestId, effects: &mut Effects) {
        let Some(entry) = self.find(id).and_then(|key| self.entries.get_mut(key)) else {
            return;
        };
        if std::mem::replace(&mut entry.shown, true) {
            return;
        }
        effects.push(Effect::Note {
            run: id.run(),
            body: RecordBody::from(RequestShown {
                request: id,
                call: entry.request.call.id,
            }),
        });
        effects.push(Effect::Publish(RequestEvent::Shown { id }));
    }

    pub(super) fn touch(&mut self, id: RequestId, effects: &mut Effects) {
        let Some(entry) = self.find(id).and_then(|key| self.entries.get_mut(key)) else {
            return;
        };
        if !std::mem::replace(&mut entry.touched, true) {
            effects.push(Effect::Publish(RequestEvent::Touched { id }));
        }
    }

    pub(super) fn advise(&mut self, id: RequestId, advice: Advice, effects: &mut Effects) {
        let Some(entry) = self.find(id).and_then(|key| self.entries.get_mut(key)) else {
            return;
        };
        effects.push(Effect::Note {
            run: id.run(),
            body: RecordBody::from(Advised {
                request: id,
                call: entry.request.call.id,
                by: advice.by.clone(),
                text: advice.text.clone(),
                no_vote: advice.no_vote,
            }),
        });
        effects.push(Effect::Publish(RequestEvent::Advised { id, advice }));
    }

    /// Nothing follows from an explanation; who was told it is on record.
    pub(super) fn explain(
        &mut self,
        id: RequestId,
        explanation: Arc<Explanation>,
        effects: &mut Effects,
    ) {
        let Some(entry) = self.find(id).and_then(|key| self.entries.get_mut(key)) else {
            return;
        };
        effects.push(Effect::Note {
            run: id.run(),
            body: RecordBody::from(Explained {
                request: id,
                call: entry.request.call.id,
                explanation: (*explanation).clone(),
            }),
        });
        effects.push(Effect::Publish(RequestEvent::Explained { id, explanation }));
    }
}
