//! How a request ends without an answer: its deadline passes, its ticket is dropped, it is stopped.

use pointsman_model::{Answerer, Outcome, RequestId, Verdict};

use super::{
    Claim, Counted, Done, Effect, Effects, Ending, Event, Key, Now, Phase, Table, Tally, TallyKey,
};
use crate::requests::EndScope;
use crate::requests::board::RequestEvent;

const EXPIRED: &str = "nobody answered in time; nothing was run";
const WITHDRAWN: &str = "the agent that asked is gone";
const STOPPED: &str = "the leader was stopped before anyone answered";

impl Table {
    pub(super) fn end(
        &mut self,
        scope: EndScope,
        ending: &Ending,
        done: Done<usize>,
        now: Now,
        effects: &mut Effects,
    ) {
        let ids: Vec<RequestId> = match scope {
            EndScope::One(id) => self.find(id).map(|_| id).into_iter().collect(),
            EndScope::SubtreeOf(worker) => self.ids(|lineage| lineage.includes(worker)),
            EndScope::Everything => self.ids(|_| true),
        };
        if ids.is_empty() {
            return effects.push(Effect::Ended(done, 0));
        }
        let tally = self.tallies.insert(Tally {
            left: ids.len(),
            ended: 0,
            done,
        });
        for id in ids {
            self.end_one(id, ending.clone(), tally, now, effects);
        }
    }

    fn ids(&self, wanted: impl Fn(&pointsman_model::Lineage) -> bool) -> Vec<RequestId> {
        self.entries
            .iter()
            .map(|(_, entry)| &entry.request)
            .filter(|request| wanted(&request.lineage))
            .map(|request| request.id)
            .collect()
    }

    pub(super) fn end_one(
        &mut self,
        id: RequestId,
        ending: Ending,
        tally: TallyKey,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(key) = self.find(id) else {
            return self.count(tally, Counted::WasClosed, effects);
        };
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        match entry.phase {
            Phase::Open => self.claim_end(key, ending, Some(tally), now, effects),
            Phase::Storing(_) | Phase::Closing(..) => {
                entry.held.push(Event::EndOne { id, ending, tally });
            }
        }
    }

    pub(super) fn count(&mut self, key: TallyKey, counted: Counted, effects: &mut Effects) {
        let Some(tally) = self.tallies.get_mut(key) else {
            return;
        };
        tally.left = tally.left.saturating_sub(1);
        match counted {
            Counted::Ended => tally.ended = tally.ended.saturating_add(1),
            Counted::WasClosed => {}
        }
        if tally.left == 0 {
            let tally = self.tallies.remove(key);
            effects.push(Effect::Ended(tally.done, tally.ended));
        }
    }

    pub(super) fn claim_end(
        &mut self,
        key: Key,
        ending: Ending,
        tally: Option<TallyKey>,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(entry) = self.entries.get(key) else {
            return;
        };
        let verdict = Verdict {
            kind: ending.into(),
            by: Answerer::Runtime,
            at: now.wall,
            digest: entry.request.digest,
        };
        self.claim(key, verdict, Claim::End(tally), effects);
    }

    pub(super) fn expire(&mut self, key: Key, now: Now, effects: &mut Effects) {
        let ending = Ending::Because {
            outcome: Outcome::Expired,
            text: EXPIRED.into(),
        };
        self.claim_end(key, ending, None, now, effects);
    }

    pub(super) fn withdraw(&mut self, id: RequestId, now: Now, effects: &mut Effects) {
        let Some(key) = self.find(id) else {
            return;
        };
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        entry.waiters.retain(|waiter| !waiter.is_closed());
        match entry.phase {
            Phase::Open if entry.waiters.is_empty() => {
                let ending = Ending::Because {
                    outcome: Outcome::Cancelled,
                    text: WITHDRAWN.into(),
                };
                self.claim_end(key, ending, None, now, effects);
            }
            // What is in flight comes to its end first; then it is looked at again.
            Phase::Open | Phase::Storing(_) | Phase::Closing(..) => {}
        }
    }

    /// The request is open, newly or because a claim could not be stored: what happened meanwhile counts now.
    pub(super) fn open_again(&mut self, key: Key, now: Now, effects: &mut Effects) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        self.deadlines.insert(key, &entry.deadline);
        let id = entry.request.id;
        if self.stopping {
            self.stop_one(key, now, effects);
        } else if entry.deadline.has_passed(now) {
            self.expire(key, now, effects);
        } else {
            self.withdraw(id, now, effects);
        }
    }

    pub(super) fn tick(&mut self, now: Now, effects: &mut Effects) {
        for key in self.deadlines.due(now) {
            let Some(entry) = self.entries.get_mut(key) else {
                continue;
            };
            if entry.deadline.has_passed(now) {
                self.expire(key, now, effects);
            } else {
                self.deadlines.announced(key, &mut entry.deadline);
                effects.push(Effect::Publish(RequestEvent::DeadlineSoon {
                    id: entry.request.id,
                    left: entry.deadline.left(now),
                }));
            }
        }
    }

    /// The leader stops: nothing is opened any more, and everything open is ended.
    pub(super) fn stop(&mut self, now: Now, effects: &mut Effects) {
        self.stopping = true;
        let open: Vec<Key> = self
            .entries
            .iter()
            .filter(|(_, entry)| matches!(entry.phase, Phase::Open))
            .map(|(key, _)| key)
            .collect();
        for key in open {
            self.stop_one(key, now, effects);
        }
    }

    fn stop_one(&mut self, key: Key, now: Now, effects: &mut Effects) {
        let ending = Ending::Because {
            outcome: Outcome::Cancelled,
            text: STOPPED.into(),
        };
        self.claim_end(key, ending, None, now, effects);
    }
}
