//! What was seen during a simulation, and whether it may be true.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pointsman_approvals::{AnswerError, Answered, ForwardError};
use pointsman_ledger::{Filter, LedgerReader, RecordBody, RecordKind};
use pointsman_model::{
    Answerer, Digest, Outcome, RequestId, RunId, Verdict, VerdictKind, WallTime,
};
use tokio::time::Instant;

/// How one who asked was told.
#[derive(Debug, Clone)]
pub(super) enum Told {
    Verdict(Verdict),
    /// The leader could not be asked: the call is refused with this text.
    Failed(ForwardError),
    /// The one who asked died before.
    Died,
}

/// One question as its asker saw it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) digest: Digest,
    pub(super) at: Instant,
    /// Whether its asker was told that it is queued.
    pub(super) queued: bool,
    pub(super) told: Option<(Instant, Told)>,
}

/// An answer and what was made of it.
type Given = (
    RequestId,
    Answerer,
    VerdictKind,
    Result<Answered, AnswerError>,
);

#[derive(Default)]
pub(super) struct Seen {
    pub(super) asked: BTreeMap<RequestId, Asked>,
    pub(super) given: Vec<Given>,
    /// What was done because of a yes, by request.
    pub(super) done: BTreeMap<RequestId, u32>,
    /// What was wrong at the moment it happened.
    pub(super) untrue: Vec<String>,
    pub(super) leaders: u32,
    pub(super) workers: u32,
    /// All that happened, in order; the same for the same seed.
    pub(super) trace: Vec<String>,
}

#[derive(Clone, Default)]
pub(super) struct Witness(Arc<Mutex<Seen>>);

impl Witness {
    pub(super) fn see<T>(&self, see: impl FnOnce(&mut Seen) -> T) -> T {
        see(&mut self.0.lock().unwrap())
    }

    pub(super) fn note(&self, text: String) {
        self.see(|seen| seen.trace.push(text));
    }
}

/// Longer than any wait: the longest deadline, and the time after which a leader counts as out of reach.
const WAIT_MAX: Duration = Duration::from_secs(180);

/// What the ledger says of a request in the end.
#[derive(Default)]
struct OnRecord {
    opened: u32,
    deadline: Option<WallTime>,
    /// Verdicts that nothing took back.
    verdicts: Vec<Verdict>,
}

/// Looks through everything; the first thing that may not be is returned.
pub(super) fn check(seen: &Seen, reader: &LedgerReader, run: RunId) -> Result<(), String> {
    let verified = reader.verify().map_err(|error| error.to_string())?;
    if !verified.is_sound() {
        return Err(format!("the ledger is damaged: {verified:?}"));
    }
    if let Some(first) = seen.untrue.first() {
        return Err(format!("untrue: {first}"));
    }
    let record = on_record(reader, run)?;
    for (id, asked) in &seen.asked {
        check_asked(*id, asked, record.get(id), seen)?;
    }
    for (id, of) in &record {
        if of.opened != 1 {
            return Err(format!("{id} was opened {} times", of.opened));
        }
        match &of.verdicts[..] {
            [verdict] => {
                let in_time = of.deadline.is_some_and(|deadline| verdict.at < deadline);
                if verdict.by != Answerer::Runtime && !in_time {
                    return Err(format!("misapplied: {id} was answered after its deadline"));
                }
            }
            [] => return Err(format!("lost: {id} has no verdict in the end")),
            more => return Err(format!("double: {id} has {} verdicts", more.len())),
        }
    }
    for (id, by, kind, given) in &seen.given {
        check_given(
            *id,
            by,
            kind,
            given,
            record.get(id).and_then(|of| of.verdicts.first()),
        )?;
    }
    check_winners(seen)
}

fn on_record(reader: &LedgerReader, run: RunId) -> Result<BTreeMap<RequestId, OnRecord>, String> {
    let filter = Filter {
        kinds: vec![
            RecordKind::RequestOpened,
            RecordKind::RequestReopened,
            RecordKind::RequestClosed,
        ],
        ..Filter::of_run(run)
    };
    let list = reader.records(&filter).map_err(|error| error.to_string())?;
    let mut record: BTreeMap<RequestId, OnRecord> = BTreeMap::new();
    for row in list.records {
        match row.body {
            RecordBody::RequestOpened(opened) => {
                let of = record.entry(opened.request.id).or_default();
                of.opened += 1;
                of.deadline = Some(opened.request.deadline);
            }
            RecordBody::RequestReopened(again) => {
                let of = record.entry(again.request).or_default();
                let taken_back = of.verdicts.pop();
                if taken_back.is_some_and(|verdict| verdict.outcome() != Outcome::Interrupted) {
                    return Err(format!(
                        "double: {} was asked again after its verdict",
                        again.request
                    ));
                }
            }
            RecordBody::RequestClosed(closed) => {
                record
                    .entry(closed.request)
                    .or_default()
                    .verdicts
                    .push(closed.verdict);
            }
            _ => {}
        }
    }
    Ok(record)
}

fn check_asked(
    id: RequestId,
    asked: &Asked,
    record: Option<&OnRecord>,
    seen: &Seen,
) -> Result<(), String> {
    if asked.queued && record.is_none() {
        return Err(format!("lost: {id} was called queued and is not on record"));
    }
    let Some((told_at, told)) = &asked.told else {
        return Err(format!("hanging: {id} was never told"));
    };
    if told_at.saturating_duration_since(asked.at) > WAIT_MAX {
        return Err(format!(
            "hanging: {id} waited from {:?} to {told_at:?}",
            asked.at
        ));
    }
    if let Told::Failed(ForwardError::NotStored { why, .. }) = told {
        return Err(format!(
            "untrue: {id} was refused though the disk takes everything: {why}"
        ));
    }
    let done = seen.done.get(&id).copied().unwrap_or(0);
    let allowed = match told {
        Told::Failed(_) | Told::Died => false,
        Told::Verdict(verdict) => {
            if verdict.digest != asked.digest {
                return Err(format!(
                    "misapplied: {id} got the verdict on something else"
                ));
            }
            let stored = record.and_then(|of| of.verdicts.first());
            // A refusal may stand in for one that could not be stored or was not waited for; a yes never.
            let is_stored = stored == Some(verdict);
            let stands_in =
                verdict.by == Answerer::Runtime && verdict.outcome() != Outcome::Allowed;
            if !is_stored && !stands_in {
                return Err(format!(
                    "misapplied: {id} was told {verdict:?}, on record is {stored:?}"
                ));
            }
            verdict.outcome() == Outcome::Allowed
        }
    };
    if done != u32::from(allowed) {
        return Err(format!(
            "misapplied: {id} was done {done} times, told {told:?}"
        ));
    }
    Ok(())
}

fn check_given(
    id: RequestId,
    by: &Answerer,
    kind: &VerdictKind,
    given: &Result<Answered, AnswerError>,
    stored: Option<&Verdict>,
) -> Result<(), String> {
    let truth = match given {
        Ok(Answered::Won(verdict)) => {
            stored == Some(verdict) && verdict.by == *by && verdict.kind == *kind
        }
        Ok(Answered::SameAgain { winner }) => {
            stored == Some(winner) || winner.outcome() == Outcome::Interrupted
        }
        // A dead leader's end of a request may be taken back later.
        Ok(Answered::Conflict { winner }) => {
            stored == Some(winner) || winner.outcome() == Outcome::Interrupted
        }
        Ok(Answered::Expired) => {
            stored.is_some_and(|verdict| verdict.outcome() == Outcome::Expired)
        }
        Ok(Answered::PersonAtIt | Answered::NotFound) | Err(_) => true,
    };
    if truth {
        Ok(())
    } else {
        Err(format!(
            "untrue: the answer of {by} to {id} was told {given:?}, on record is {stored:?}"
        ))
    }
}

/// No request has two answers that were told that they won.
fn check_winners(seen: &Seen) -> Result<(), String> {
    let mut winners: BTreeMap<RequestId, u32> = BTreeMap::new();
    for (id, _, _, given) in &seen.given {
        if matches!(given, Ok(Answered::Won(_))) {
            *winners.entry(*id).or_default() += 1;
        }
    }
    match winners.iter().find(|(_, count)| **count > 1) {
        Some((id, count)) => Err(format!("double: {count} answers won {id}")),
        None => Ok(()),
    }
}
