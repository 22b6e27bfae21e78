//! The table of open requests: one owner, plain events in, effects out, no clock, no disk.
//!
//! [`Table::handle`] is the one place where a request is claimed. A request is `Storing` until it is
//! on disk, `Open` until a claim, `Closing` until the claim's verdict is on disk, and then gone.
//! What arrives while a store is in flight waits until its outcome is known, so that every answer
//! that anyone gets is true.

mod answering;
mod closed;
mod ending;
mod lateness;
mod opening;

use std::sync::Arc;

use pointsman_ledger::{AppendError, RecordBody, RequestClosed, RequestTrace, Seq, Showing};
use pointsman_model::{
    Answerer, Explanation, Millis, NoVoteCause, Outcome, PermissionRequest, RequestId, RunId,
    Verdict, VerdictKind, WallTime,
};
use rustc_hash::FxHashMap;
use slab::Slab;
use smallvec::SmallVec;
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::closed::Closings;
use self::lateness::LateCount;
use super::board::{Advice, RequestEvent};
use super::deadlines::{Deadline, Deadlines};
use super::{Answer, AnswerError, Answered, EndScope, OpenError};
use crate::{Epoch, Reign};

/// How many requests may be open at once: far above what any swarm asks, so that a defect can't fill memory.
const OPEN_MAX: usize = 1 << 20;

/// A place in the table. Stays with its request from the first store to the last.
pub(crate) type Key = usize;

type Done<T> = oneshot::Sender<T>;

/// The present moment, by both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) wall: WallTime,
    pub(crate) mono: Instant,
}

/// Whether a request is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    Fresh,
    /// A dead leader left it.
    Again,
}

/// A request to open.
pub(crate) struct Asked {
    pub(crate) request: Arc<PermissionRequest>,
    pub(crate) showing: Showing,
    pub(crate) opening: Opening,
    pub(crate) waiter: Done<Verdict>,
    pub(crate) done: Done<Result<(), OpenError>>,
}

/// How a request is ended without an answer.
#[derive(Debug, Clone)]
pub(crate) enum Ending {
    /// Nobody's answer is waited for any more.
    Because { outcome: Outcome, text: Box<str> },
    /// A classifier stood in for the question and did not judge it.
    Unjudged { cause: NoVoteCause, text: Box<str> },
}

impl From<Ending> for VerdictKind {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Because { outcome, text } => Self::Ended { outcome, text },
            Ending::Unjudged { cause, text } => Self::Unjudged { cause, text },
        }
    }
}

/// What an answerer saw of the request that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It was shown it in that reign.
    In(Epoch),
    /// It saw nothing: it wants to hear what became of one that is no longer open.
    Nothing,
}

/// What happens to the table.
pub(crate) enum Event {
    Open(Asked),
    Answer {
        id: RequestId,
        answer: Answer,
        seen: Seen,
        done: Done<Result<Answered, AnswerError>>,
    },
    End {
        scope: EndScope,
        ending: Ending,
        done: Done<usize>,
    },
    /// The ending of a scope comes to one request; comes again when it had to wait for a store.
    EndOne {
        id: RequestId,
        ending: Ending,
        tally: TallyKey,
    },
    /// A ticket was dropped.
    Withdraw {
        id: RequestId,
    },
    Show {
        id: RequestId,
    },
    Touch {
        id: RequestId,
    },
    Advise {
        id: RequestId,
        advice: Advice,
    },
    Explain {
        id: RequestId,
        explanation: Arc<Explanation>,
    },
    /// A store came to its end.
    Stored {
        key: Key,
        result: Result<Seq, AppendError>,
    },
    /// The ledger was asked about a request that is not in memory.
    LookedUp {
        id: RequestId,
        answer: Answer,
        done: Done<Result<Answered, AnswerError>>,
        trace: Result<RequestTrace, AppendError>,
    },
    /// The ledger was asked what an earlier leader made of a request that is to be opened.
    AskedLookedUp {
        asked: Asked,
        trace: Result<RequestTrace, AppendError>,
    },
    Tick,
    /// The leader stops.
    Stop,
}

/// What is to be done for it, in this order.
pub(crate) enum Effect {
    /// Put on disk; its end comes back as [`Event::Stored`].
    Store {
        key: Key,
        run: RunId,
        body: RecordBody,
    },
    /// Put on disk some time soon.
    Note { run: RunId, body: RecordBody },
    /// Put on disk as soon as that takes it: it could not be, and is told nevertheless.
    KeepClose(RequestClosed),
    /// Tell the board and all subscribers.
    Publish(RequestEvent),
    /// Ask the ledger; its answer comes back as [`Event::LookedUp`].
    LookUp {
        id: RequestId,
        answer: Answer,
        done: Done<Result<Answered, AnswerError>>,
    },
    /// Ask the ledger; its answer comes back as [`Event::AskedLookedUp`].
    LookUpAsked(Asked),
    /// Tell the one who opened.
    Opened(Done<Result<(), OpenError>>, Result<(), OpenError>),
    /// Tell the one who answered.
    Answered(
        Done<Result<Answered, AnswerError>>,
        Result<Answered, AnswerError>,
    ),
    /// Tell the one who ended.
    Ended(Done<usize>, usize),
    /// Give a waiter its verdict.
    Deliver(Done<Verdict>, Verdict),
}

/// One request in the table.
struct Entry {
    request: Arc<PermissionRequest>,
    phase: Phase,
    deadline: Deadline,
    showing: Showing,
    shown: bool,
    touched: bool,
    late: LateCount,
    /// Those who get the verdict. More than one when a messenger brought the request twice.
    waiters: SmallVec<[Done<Verdict>; 1]>,
    /// What came while a store was in flight.
    held: Vec<Event>,
}

enum Phase {
    /// Not on disk yet; told to these when it is.
    Storing(SmallVec<[Done<Result<(), OpenError>>; 1]>),
    Open,
    /// Claimed; the verdict is not on disk yet.
    Closing(Verdict, Claim),
}

/// Who claimed.
enum Claim {
    /// Someone answered.
    Answer(Done<Result<Answered, AnswerError>>),
    /// It is ended: expired, withdrawn, stopped.
    End(Option<TallyKey>),
}

type TallyKey = usize;

/// How far the ending of a scope has come.
struct Tally {
    left: usize,
    ended: usize,
    done: Done<usize>,
}

/// All open requests, and a memory of closed ones.
pub(crate) struct Table {
    entries: Slab<Entry>,
    keys: FxHashMap<RequestId, Key>,
    deadlines: Deadlines,
    closed: Closings,
    tallies: Slab<Tally>,
    soon: Millis,
    reign: Reign,
    stopping: bool,
}

type Effects = Vec<Effect>;

impl Table {
    pub(crate) fn new(soon: Millis, reign: Reign) -> Self {
        Self {
            entries: Slab::new(),
            keys: FxHashMap::default(),
            deadlines: Deadlines::default(),
            closed: Closings::default(),
            tallies: Slab::new(),
            soon,
            reign,
            stopping: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// When [`Event::Tick`] is due.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.next()
    }

    /// Takes one event. Never waits, never fails; what follows from it is appended to `effects`.
    pub(crate) fn handle(&mut self, event: Event, now: Now, effects: &mut Effects) {
        match event {
            Event::Open(asked) => self.open(asked, now, effects),
            Event::Answer {
                id,
                answer,
                seen,
                done,
            } => self.answer(id, answer, seen, done, now, effects),
            Event::End {
                scope,
                ending,
                done,
            } => self.end(scope, &ending, done, now, effects),
            Event::EndOne { id, ending, tally } => self.end_one(id, ending, tally, now, effects),
            Event::Withdraw { id } => self.withdraw(id, now, effects),
            Event::Show { id } => self.show(id, effects),
            Event::Touch { id } => self.touch(id, effects),
            Event::Advise { id, advice } => self.advise(id, advice, effects),
            Event::Explain { id, explanation } => self.explain(id, explanation, effects),
            Event::Stored { key, result } => self.stored(key, result, now, effects),
            Event::LookedUp {
                id,
                answer,
                done,
                trace,
            } => self.looked_up(id, answer, done, trace, effects),
            Event::AskedLookedUp { asked, trace } => {
                self.asked_looked_up(asked, trace, now, effects)
            }
            Event::Tick => self.tick(now, effects),
            Event::Stop => self.stop(now, effects),
        }
    }

    fn find(&self, id: RequestId) -> Option<Key> {
        self.keys.get(&id).copied()
    }

    /// Claims an open request: from here on it has one verdict, or none if that can't be stored.
    fn claim(&mut self, key: Key, verdict: Verdict, claim: Claim, effects: &mut Effects) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        self.deadlines.remove(key, &entry.deadline);
        let (id, call) = (entry.request.id, entry.request.call.id);
        effects.push(Effect::Store {
            key,
            run: id.run(),
            body: RecordBody::from(RequestClosed {
                request: id,
                call,
                verdict: verdict.clone(),
            }),
        });
        entry.phase = Phase::Closing(verdict, claim);
    }

    /// A store came to its end: what waited for it goes on.
    fn stored(
        &mut self,
        key: Key,
        result: Result<Seq, AppendError>,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        let held = std::mem::take(&mut entry.held);
        match (std::mem::replace(&mut entry.phase, Phase::Open), result) {
            (Phase::Storing(dones), Ok(_)) => self.opened(key, dones, now, effects),
            (Phase::Storing(dones), Err(error)) => self.not_opened(key, dones, &error, effects),
            (Phase::Closing(verdict, claim), Ok(_)) => self.settle(key, verdict, claim, effects),
            (Phase::Closing(_, Claim::Answer(done)), Err(error)) => {
                effects.push(Effect::Answered(done, Err(AnswerError::NotStored(error))));
                self.open_again(key, now, effects);
            }
            (Phase::Closing(verdict, claim), Err(error)) => {
                let verdict = unavailable(&verdict, &error);
                effects.push(Effect::KeepClose(RequestClosed {
                    request: entry.request.id,
                    call: entry.request.call.id,
                    verdict: verdict.clone(),
                }));
                self.settle(key, verdict, claim, effects);
            }
            // Only what is in flight can come to its end.
            (Phase::Open, _) => {}
        }
        for event in held {
            self.handle(event, now, effects);
        }
    }

    /// The verdict is on disk, or is a refusal that can't be put there: everyone is told.
    fn settle(&mut self, key: Key, verdict: Verdict, claim: Claim, effects: &mut Effects) {
        let Some(entry) = self.entries.try_remove(key) else {
            return;
        };
        let id = entry.request.id;
        self.keys.remove(&id);
        self.closed
            .remember(&entry.request, verdict.clone(), entry.late);
        effects.push(Effect::Publish(RequestEvent::Closed {
            id,
            verdict: Arc::new(verdict.clone()),
        }));
        for waiter in entry.waiters {
            effects.push(Effect::Deliver(waiter, verdict.clone()));
        }
        match claim {
            Claim::Answer(done) => {
                effects.push(Effect::Answered(done, Ok(Answered::Won(verdict))));
            }
            Claim::End(Some(tally)) => self.count(tally, Counted::Ended, effects),
            Claim::End(None) => {}
        }
    }
}

/// What a scope's ending came to for one request.
enum Counted {
    Ended,
    WasClosed,
}

/// A refusal in the place of an ending that can't be stored. Nobody may wait for a disk that is gone, and a refusal
/// lets nothing happen.
fn unavailable(verdict: &Verdict, error: &AppendError) -> Verdict {
    Verdict {
        kind: VerdictKind::Ended {
            outcome: Outcome::Unavailable,
            text: format!("nobody can answer: {error}").into(),
        },
        by: Answerer::Runtime,
        at: verdict.at,
        digest: verdict.digest,
    }
}

#[cfg(test)]
mod tests;
