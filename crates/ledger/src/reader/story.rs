//! The story of one call: all that `why` shows.

use pointsman_model::{CallId, WallTime};

use super::{Filter, LedgerReader, ReadError, RecordList};
use crate::record::{
    Advised, CallDecided, CallEnded, CallHooked, CallRequested, CallStarted, Explained, GrantUsed,
    HooksTold, LateAnswer, LedgerRecord, ProcessGroupStarted, RecordBody, RecordKind,
    RequestClosed, RequestOpened, WorkerSpawned,
};

/// One call from the asking to its end, in records. What did not happen is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct CallStory {
    /// The call.
    pub call: CallId,
    /// Who asked: the record of the agent's start.
    pub worker: Option<WorkerSpawned>,
    /// What the agent asked for.
    pub requested: Option<CallRequested>,
    /// The turns of the PreToolUse hooks; several when the call was asked anew.
    pub hooked: Vec<CallHooked>,
    /// The turns of hooks that were asked or told of it at other events.
    pub told: Vec<HooksTold>,
    /// The ladder's answers, the last one in force.
    pub decided: Vec<CallDecided>,
    /// Its questions, in order.
    pub requests: Vec<RequestStory>,
    /// The grants that let it pass.
    pub grants_used: Vec<GrantUsed>,
    /// Its start.
    pub started: Option<(WallTime, CallStarted)>,
    /// The process groups that ran for it.
    pub groups: Vec<ProcessGroupStarted>,
    /// Its end.
    pub ended: Option<(WallTime, CallEnded)>,
    /// When it was found without a result after its leader had died.
    pub unknown: Option<WallTime>,
    /// All its records in order, as they are.
    pub records: RecordList,
}

/// One question of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestStory {
    /// The question.
    pub opened: RequestOpened,
    /// When it was stored.
    pub opened_at: WallTime,
    /// When it went to the surfaces.
    pub shown_at: Option<WallTime>,
    /// What checkers said of it.
    pub advice: Vec<Advised>,
    /// What a model told people of it.
    pub explained: Option<Explained>,
    /// Its verdict. The last, when a dead leader's end of it was taken back by a resume.
    pub closed: Option<RequestClosed>,
    /// Answers that came too late to count.
    pub late: Vec<LateAnswer>,
}

impl LedgerReader {
    /// The story of a call; `None` when no record speaks of it.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn call_story(&self, call: CallId) -> Result<Option<CallStory>, ReadError> {
        let records = self.records(&Filter::of_call(call))?;
        if records.records.is_empty() && records.unreadable.is_empty() {
            return Ok(None);
        }
        let mut story = CallStory::empty(call);
        for record in &records.records {
            story.tell(record);
        }
        if let Some(worker) = story.requested.as_ref().map(|requested| requested.worker) {
            let spawned = self.records(&Filter {
                worker: Some(worker),
                kinds: vec![RecordKind::WorkerSpawned],
                ..Filter::default()
            })?;
            story.worker = spawned
                .records
                .into_iter()
                .find_map(|record| match record.body {
                    RecordBody::WorkerSpawned(spawned) => Some(*spawned),
                    _ => None,
                });
        }
        story.records = records;
        Ok(Some(story))
    }
}

impl CallStory {
    fn empty(call: CallId) -> Self {
        Self {
            call,
            worker: None,
            requested: None,
            hooked: Vec::new(),
            told: Vec::new(),
            decided: Vec::new(),
            requests: Vec::new(),
            grants_used: Vec::new(),
            started: None,
            groups: Vec::new(),
            ended: None,
            unknown: None,
            records: RecordList::default(),
        }
    }

    fn tell(&mut self, record: &LedgerRecord) {
        match record.body.clone() {
            RecordBody::CallRequested(requested) => self.requested = Some(requested),
            RecordBody::CallHooked(hooked) => self.hooked.push(hooked),
            RecordBody::HooksTold(told) => self.told.push(told),
            RecordBody::CallDecided(decided) => self.decided.push(*decided),
            RecordBody::CallStarted(started) => self.started = Some((record.at, *started)),
            RecordBody::CallEnded(ended) => self.ended = Some((record.at, ended)),
            RecordBody::CallUnknown(_) => self.unknown = Some(record.at),
            RecordBody::ProcessGroupStarted(group) => self.groups.push(group),
            RecordBody::GrantUsed(used) => self.grants_used.push(used),
            RecordBody::RequestOpened(opened) => self.requests.push(RequestStory {
                opened: *opened,
                opened_at: record.at,
                shown_at: None,
                advice: Vec::new(),
                explained: None,
                closed: None,
                late: Vec::new(),
            }),
            RecordBody::RequestShown(shown) => {
                if let Some(story) = self.request(shown.request) {
                    story.shown_at = Some(record.at);
                }
            }
            RecordBody::Advised(advice) => {
                if let Some(story) = self.request(advice.request) {
                    story.advice.push(advice);
                }
            }
            RecordBody::Explained(explained) => {
                if let Some(story) = self.request(explained.request) {
                    story.explained = Some(explained);
                }
            }
            RecordBody::RequestClosed(closed) => {
                if let Some(story) = self.request(closed.request) {
                    story.closed = Some(closed);
                }
            }
            RecordBody::LateAnswer(late) => {
                if let Some(story) = self.request(late.request) {
                    story.late.push(late);
                }
            }
            // Of these nothing is told beyond the records themselves.
            RecordBody::RunStarted(_)
            | RecordBody::RunResumed(_)
            | RecordBody::RunEnded(_)
            | RecordBody::RunInterrupted(_)
            | RecordBody::StopAsked(_)
            | RecordBody::OrderGiven(_)
            | RecordBody::WorkerSpawned(_)
            | RecordBody::WorkerEnded(_)
            | RecordBody::ModeChanged(_)
            | RecordBody::TurnTaken(_)
            | RecordBody::ProcessGroupEnded(_)
            | RecordBody::RequestReopened(_)
            | RecordBody::GrantMade(_)
            | RecordBody::GrantRevoked(_)
            | RecordBody::Tightened(_)
            | RecordBody::RulesSaved(_)
            | RecordBody::DamageFound(_)
            | RecordBody::SetAside(_)
            | RecordBody::RecordsLost(_)
            | RecordBody::RunsPruned(_) => {}
        }
    }

    fn request(&mut self, id: pointsman_model::RequestId) -> Option<&mut RequestStory> {
        self.requests
            .iter_mut()
            .rev()
            .find(|story| story.opened.request.id == id)
    }
}
