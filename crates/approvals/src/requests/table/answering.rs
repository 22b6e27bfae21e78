//! How an answer is taken: one compare-and-set on (open, not expired, epoch, digest), and the truth for
//! everyone who comes later.

use pointsman_ledger::{AppendError, Lateness, RequestTrace};
use pointsman_model::{Answerer, Outcome, RequestId, Verdict, VerdictKind};

use super::closed::Closed;
use super::{Claim, Done, Effect, Effects, Event, LateCount, Now, Phase, Seen, Table};
use crate::requests::{Answer, AnswerError, Answered};

type AnswerDone = Done<Result<Answered, AnswerError>>;

impl Table {
    pub(super) fn answer(
        &mut self,
        id: RequestId,
        answer: Answer,
        seen: Seen,
        done: AnswerDone,
        now: Now,
        effects: &mut Effects,
    ) {
        match answer.kind {
            VerdictKind::Allow { .. } | VerdictKind::Deny { .. } => {}
            VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => {
                return effects.push(Effect::Answered(done, Err(AnswerError::NotAnAnswer)));
            }
        }
        let Some(key) = self.find(id) else {
            return match self.closed.get_mut(id) {
                Some(closed) => late(id, closed, answer, done, effects),
                None => effects.push(Effect::LookUp { id, answer, done }),
            };
        };
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        let held = |answer, done| Event::Answer {
            id,
            answer,
            seen,
            done,
        };
        if !matches!(entry.phase, Phase::Open) {
            return entry.held.push(held(answer, done));
        }
        if entry.deadline.has_passed(now) {
            entry.held.push(held(answer, done));
            return self.expire(key, now, effects);
        }
        match seen {
            Seen::In(epoch) if epoch == self.reign.epoch => {}
            Seen::In(_) => {
                let other = AnswerError::OtherReign {
                    request: id,
                    epoch: self.reign.epoch,
                };
                return effects.push(Effect::Answered(done, Err(other)));
            }
            Seen::Nothing => {
                return effects.push(Effect::Answered(done, Err(AnswerError::Unseen(id))));
            }
        }
        let asked = entry.request.digest;
        if answer.digest.is_some_and(|digest| digest != asked) {
            let differs = AnswerError::Differs {
                request: id,
                digest: asked,
            };
            return effects.push(Effect::Answered(done, Err(differs)));
        }
        if entry.touched && is_automatic(&answer.by) {
            let of = (id, entry.request.call.id);
            let lateness = Lateness::PersonAtIt;
            entry.late.note(of, answer, lateness, effects);
            return effects.push(Effect::Answered(done, Ok(Answered::PersonAtIt)));
        }
        let verdict = Verdict {
            kind: answer.kind,
            by: answer.by,
            at: now.wall,
            digest: asked,
        };
        self.claim(key, verdict, Claim::Answer(done), effects);
    }

    /// The ledger told what it knows of a request that is not in memory.
    pub(super) fn looked_up(
        &mut self,
        id: RequestId,
        answer: Answer,
        done: AnswerDone,
        trace: Result<RequestTrace, AppendError>,
        effects: &mut Effects,
    ) {
        match trace {
            Ok(RequestTrace {
                closed: Some(ended),
                ..
            }) => {
                // It may have been looked up for another meanwhile.
                if let Some(closed) = self.closed.get_mut(id) {
                    return late(id, closed, answer, done, effects);
                }
                // Nobody has answered it, so nobody was first; and it may be asked again.
                if ended.verdict.outcome() == Outcome::Interrupted {
                    let interrupted = Err(AnswerError::Interrupted(id));
                    return effects.push(Effect::Answered(done, interrupted));
                }
                let mut closed = Closed {
                    call: ended.call,
                    digest: ended.verdict.digest,
                    verdict: ended.verdict,
                    late: LateCount::default(),
                };
                late(id, &mut closed, answer, done, effects);
                // Kept, so that a row of late answers is counted.
                self.closed.keep(id, closed);
            }
            Ok(RequestTrace { closed: None, .. }) => {
                effects.push(Effect::Answered(done, Ok(Answered::NotFound)));
            }
            Err(error) => {
                tracing::warn!(%error, "the ledger can't be asked about a request");
                effects.push(Effect::Answered(done, Err(AnswerError::Unknown(id))));
            }
        }
    }
}

/// Whether the answer comes from a check that gives way to a person (law 13).
fn is_automatic(by: &Answerer) -> bool {
    match by {
        Answerer::Hook { .. } | Answerer::Classifier { .. } => true,
        Answerer::Person { .. } | Answerer::Grant { .. } | Answerer::Ladder | Answerer::Runtime => {
            false
        }
    }
}

/// Tells a late answer who was first, and keeps that it came.
fn late(
    id: RequestId,
    closed: &mut Closed,
    answer: Answer,
    done: AnswerDone,
    effects: &mut Effects,
) {
    let winner = closed.verdict.clone();
    let (lateness, answered) = if winner.outcome() == Outcome::Expired {
        (Lateness::Expired, Answered::Expired)
    } else if says_the_same(&winner.kind, &answer.kind) {
        (Lateness::SameAgain, Answered::SameAgain { winner })
    } else {
        (Lateness::Conflict, Answered::Conflict { winner })
    };
    let of = (id, closed.call);
    closed.late.note(of, answer, lateness, effects);
    effects.push(Effect::Answered(done, Ok(answered)));
}

/// Whether two answers have the same effect; what a no says to the agent makes no difference.
fn says_the_same(one: &VerdictKind, other: &VerdictKind) -> bool {
    match (one, other) {
        (VerdictKind::Deny { .. }, VerdictKind::Deny { .. }) => true,
        (VerdictKind::Allow { .. }, VerdictKind::Allow { .. }) => one == other,
        (
            VerdictKind::Allow { .. }
            | VerdictKind::Deny { .. }
            | VerdictKind::Ended { .. }
            | VerdictKind::Unjudged { .. },
            VerdictKind::Allow { .. }
            | VerdictKind::Deny { .. }
            | VerdictKind::Ended { .. }
            | VerdictKind::Unjudged { .. },
        ) => false,
    }
}
