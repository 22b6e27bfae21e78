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
    /// The calls of a run that were refused because nobody could answer, in the order in which they ended.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn census(&self, run: RunId) -> Result<Vec<CensusRow>, ReadError> {
        let records = self.records(&Filter {
            kinds: vec![
                RecordKind::CallDecided,
                RecordKind::RequestClosed,
                RecordKind::CallEnded,
            ],
            ..Filter::of_run(run)
        })?;
        let mut decided: HashMap<CallId, CallDecided> = HashMap::new();
        let mut unjudged: HashMap<CallId, NoVoteCause> = HashMap::new();
        let mut census = Vec::new();
        for record in records.records {
            match record.body {
                RecordBody::CallDecided(last) => {
                    decided.insert(last.call.id, *last);
                }
                RecordBody::RequestClosed(closed) => {
                    if let VerdictKind::Unjudged { cause, .. } = closed.verdict.kind {
                        unjudged.insert(closed.call, cause);
                    }
                }
                RecordBody::CallEnded(ended) => {
                    let unjudged = unjudged.remove(&ended.call);
                    let Some(decided) = decided.remove(&ended.call) else {
                        continue;
                    };
                    if let Some(outcome) = ended
                        .outcome
                        .filter(|outcome| for_want_of_an_answer(*outcome, &decided))
                    {
                        census.push(CensusRow {
                            call: ended.call,
                            worker: ended.worker,
                            outcome,
                            unjudged,
                            decided,
                        });
                    }
                }
                _ => {}
            }
        }
        Ok(census)
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
