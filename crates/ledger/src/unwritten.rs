//! What could not be written of a run: the ends of calls, agents and requests are kept, and written as soon as it can be done again,
//! since they are told nevertheless; of the rest, what nobody waited for is counted, so that the chain says that it is
//! missing.

use pointsman_model::{RunId, WallTime};
use rusqlite::Connection;

use crate::chain::{Fresh, Head};
use crate::ledger::AppendError;
use crate::record::{About, RecordBody, RecordKind, RecordsLost};
use crate::writer::Append;

/// The most bytes of ends that are kept. A refusal takes some 300, so these are tens of thousands of calls; ends beyond it
/// are counted as lost.
const ENDS_BYTES_MAX: usize = 16 << 20;

/// What could not be written of one run.
#[derive(Default)]
pub(crate) struct Unwritten {
    lost: Option<RecordsLost>,
    ends: Vec<End>,
    ends_bytes: usize,
}

/// The end of a call, an agent or a request, as it is to be written.
struct End {
    at: WallTime,
    kind: RecordKind,
    about: About,
    body: String,
}

impl Unwritten {
    /// Whether all is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.lost.is_none() && self.ends.is_empty()
    }

    /// Takes in a record that was not written.
    pub(crate) fn take(&mut self, append: &Append, error: &AppendError) {
        let is_end = match append.kind {
            RecordKind::CallEnded | RecordKind::WorkerEnded => true,
            // Whoever waits for one is told that it does not count.
            RecordKind::RequestClosed => append.done.is_none(),
            _ => false,
        };
        let bytes = self.ends_bytes.saturating_add(append.body.len());
        if is_end && bytes <= ENDS_BYTES_MAX {
            self.ends_bytes = bytes;
            self.ends.push(End {
                at: append.at,
                kind: append.kind,
                about: append.about,
                body: append.body.clone(),
            });
        } else if is_end || append.done.is_none() {
            let lost = self.lost.get_or_insert_with(|| RecordsLost {
                count: 0,
                why: error.to_string().into(),
            });
            lost.count = lost.count.saturating_add(1);
        }
    }

    /// Writes all of it behind `head`.
    pub(crate) fn write(
        &self,
        connection: &Connection,
        head: &mut Head,
        (run, at): (RunId, WallTime),
    ) -> rusqlite::Result<()> {
        for end in &self.ends {
            let fresh = Fresh {
                run,
                at: end.at,
                kind: end.kind,
                about: end.about,
                body: &end.body,
            };
            head.extend(connection, &fresh)?;
        }
        if let Some(lost) = &self.lost {
            head.extend_with(connection, run, at, &lost.clone().into())?;
        }
        Ok(())
    }

    /// The ends of calls and agents that wait.
    pub(crate) fn ends(&self) -> Vec<RecordBody> {
        let ends = self.ends.iter();
        let ends = ends.filter(|end| end.kind != RecordKind::RequestClosed);
        // What was made by this program can be read by it.
        ends.filter_map(|end| serde_json::from_str(&end.body).ok())
            .collect()
    }
}
