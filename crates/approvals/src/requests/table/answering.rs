//! How an answer is taken: one compare-and-set on (open, not expired, epoch, digest), and the truth for
//! everyone who comes later.

use pointsman_ledger::{AppendError, LateAnswer, Lateness, RecordBody, RequestTrace};
use pointsman_model::{Answerer, CallId, Outcome, RequestId, Verdict, VerdictKind};

use super::{Claim, Done, Effect, Effects, Event, Now, Phase, Table};
use crate::Epoch;
use crate::requests::{Answer, AnswerError, Answered};

type AnswerDone = Done<Result<Answered, AnswerError>>;

impl Table {
    pub(super) fn answer(
        &mut self,
        id: RequestId,
        answer: Answer,
        epoch: Epoch,
        done: AnswerDone,
        now: Now,
        effects: &mut Effects,
    ) {
        if matches!(answer.kind, VerdictKind::Ended { .. }) {
            return effects.push(Effect::Answered(done, Err(AnswerError::NotAnAnswer)));
        }
        let Some(key) = self.find(id) else {
            return match self.closed.get(id) {
                Some(closed) => late(id, closed.call, &closed.verdict, answer, done, effects),
                None => effects.push(Effect::LookUp { id, answer, done }),
            };
        };
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        let held = |answer, done| Event::Answer {
            id,
            answer,
            epoch,
            done,
        };
        if !matches!(entry.phase, Phase::Open) {
            return entry.held.push(held(answer, done));
        }
        if entry.deadline.has_passed(now) {
            entry.held.push(held(answer, done));
            return self.expire(key, now, effects);
        }
        if epoch != self.reign.epoch {
            let other = AnswerError::OtherReign {
                request: id,
                epoch: self.reign.epoch,
            };
            return effects.push(Effect::Answered(done, Err(other)));
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
            let call = entry.request.call.id;
            note_late(id, call, answer, Lateness::PersonAtIt, effects);
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

/// The ledger told what it knows of a request that is not in memory.
pub(super) fn looked_up(
    id: RequestId,
    answer: Answer,
    done: AnswerDone,
    trace: Result<RequestTrace, AppendError>,
    effects: &mut Effects,
) {
    match trace.map(|trace| trace.closed) {
        Ok(Some(closed)) => late(id, closed.call, &closed.verdict, answer, done, effects),
        Ok(None) => effects.push(Effect::Answered(done, Ok(Answered::NotFound))),
        Err(error) => {
            tracing::warn!(%error, "the ledger can't be asked about a request");
            effects.push(Effect::Answered(done, Err(AnswerError::Unknown(id))));
        }
    }
}

/// Tells a late answer who was first, and keeps that it came.
fn late(
    id: RequestId,
    call: CallId,
    verdict: &Verdict,
    answer: Answer,
    done: AnswerDone,
    effects: &mut Effects,
) {
    let winner = verdict.clone();
    let (lateness, answered) = if verdict.outcome() == Outcome::Expired {
        (Lateness::Expired, Answered::Expired)
    } else if says_the_same(&verdict.kind, &answer.kind) {
        (Lateness::SameAgain, Answered::SameAgain { winner })
    } else {
        (Lateness::Conflict, Answered::Conflict { winner })
    };
    note_late(id, call, answer, lateness, effects);
    effects.push(Effect::Answered(done, Ok(answered)));
}

/// Whether two answers have the same effect; what a no says to the agent makes no difference.
fn says_the_same(one: &VerdictKind, other: &VerdictKind) -> bool {
    match (one, other) {
        (VerdictKind::Deny { .. }, VerdictKind::Deny { .. }) => true,
        (VerdictKind::Allow { .. }, VerdictKind::Allow { .. }) => one == other,
        (
            VerdictKind::Allow { .. } | VerdictKind::Deny { .. } | VerdictKind::Ended { .. },
            VerdictKind::Allow { .. } | VerdictKind::Deny { .. } | VerdictKind::Ended { .. },
        ) => false,
    }
}

fn note_late(
    id: RequestId,
    call: CallId,
    answer: Answer,
    lateness: Lateness,
    effects: &mut Effects,
) {
    effects.push(Effect::Note {
        run: id.run(),
        body: RecordBody::from(LateAnswer {
            request: id,
            call,
            by: answer.by,
            answer: answer.kind,
            lateness,
        }),
    });
}
