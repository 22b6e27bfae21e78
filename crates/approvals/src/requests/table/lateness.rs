//! Late answers: each hears the truth, and all are counted; of a long row not each becomes a record.
//!
//! A script that answers again and again, or a crowd that races for one request, must not fill the disk of the run.

use pointsman_ledger::{LateAnswer, Lateness, RecordBody};
use pointsman_model::{CallId, RequestId};

use super::{Effect, Effects};
use crate::requests::Answer;

/// How many late answers to one request are recorded one by one: more than there are surfaces that answer by themselves.
/// Of those behind them only each whose number is a power of two is, which tells how many came before it.
const RECORDED_EACH_MAX: u32 = 8;

/// How many late answers to one request there were in this reign, as far as it is in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LateCount(u32);

impl LateCount {
    /// Counts one more, and has it recorded when its number is one that is.
    pub(super) fn note(
        &mut self,
        (id, call): (RequestId, CallId),
        answer: Answer,
        lateness: Lateness,
        effects: &mut Effects,
    ) {
        self.0 = self.0.saturating_add(1);
        if self.0 > RECORDED_EACH_MAX && !self.0.is_power_of_two() {
            return;
        }
        effects.push(Effect::Note {
            run: id.run(),
            body: RecordBody::from(LateAnswer {
                request: id,
                call,
                by: answer.by,
                answer: answer.kind,
                lateness,
                number: self.0,
            }),
        });
    }
}
