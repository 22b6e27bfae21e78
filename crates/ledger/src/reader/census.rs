//! The census of a run: the calls that were refused because nobody could answer.

use std::collections::HashMap;

use pointsman_model::{CallId, NoVoteCause, Outcome, RunId, VerdictKind, WorkerId};

use super::{Filter, LedgerReader, ReadError};
use crate::record::{CallDecided, RecordBody, RecordKind};

/// One refused call with all that is needed to say which rule would have let it pass.
#[derive(Debug, Clone, PartialEq)]
pub struct CensusRow {
    /// The call.
    pub call: CallId,
    /// Who asked.
    pub worker: WorkerId,
    /// How it ended: nobody could answer, it expired, the machinery failed, or the mode refuses questions.
    pub outcome: Outcome,
    /// Why the classifier did not judge it, where it stood in for the question.
    pub unjudged: Option<NoVoteCause>,
    /// The ladder's last answer to it.
    pub decided: CallDecided,
}

impl LedgerReader {
    /// Hands on the calls of a run that were refused because nobody could answer, in the order in which they ended.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn census(&self, run: RunId, mut take: impl FnMut(CensusRow)) -> Result<(), ReadError> {
        let filter = Filter {
            kinds: vec![
                RecordKind::CallDecided,
                RecordKind::RequestClosed,
                RecordKind::CallEnded,
            ],
            ..Filter::of_run(run)
        };
        let mut open = Open::default();
        self.each(&filter, |record| {
            if let Some(row) = open.record(record.body) {
                take(row);
            }
        })?;
        Ok(())
    }
}

/// What is known of calls that have no end yet.
#[derive(Default)]
struct Open {
    decided: HashMap<CallId, CallDecided>,
    unjudged: HashMap<CallId, NoVoteCause>,
}

impl Open {
    /// Takes a record in; gives the call that it ends, if that is one of the census.
    fn record(&mut self, body: RecordBody) -> Option<CensusRow> {
        match body {
            RecordBody::CallDecided(last) => {
                self.decided.insert(last.call.id, *last);
                None
            }
            RecordBody::RequestClosed(closed) => {
                if let VerdictKind::Unjudged { cause, .. } = closed.verdict.kind {
                    self.unjudged.insert(closed.call, cause);
                }
                None
            }
            RecordBody::CallEnded(ended) => {
                let unjudged = self.unjudged.remove(&ended.call);
                let decided = self.decided.remove(&ended.call)?;
                let outcome = ended
                    .outcome
                    .filter(|outcome| for_want_of_an_answer(*outcome, &decided))?;
                Some(CensusRow {
                    call: ended.call,
                    worker: ended.worker,
                    outcome,
                    unjudged,
                    decided,
                })
            }
            _ => None,
        }
    }
}

fn for_want_of_an_answer(outcome: Outcome, decided: &CallDecided) -> bool {
    match outcome {
        Outcome::NobodyCanAnswer | Outcome::Expired | Outcome::Unavailable => true,
        Outcome::Refused => decided.judgement.reason.unanswered().is_some(),
        Outcome::Allowed
        | Outcome::DeniedByPerson
        | Outcome::DeniedByHook
        | Outcome::DeniedByClassifier
        | Outcome::Cancelled
        | Outcome::Superseded
        | Outcome::Interrupted => false,
    }
}
