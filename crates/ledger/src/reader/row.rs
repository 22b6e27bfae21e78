//! A row of the table of records, before anyone believes it.

use pointsman_model::{CallId, Digest, RequestId, RunId, WallTime, WorkerId};
use rusqlite::Row;

use crate::record::{About, LedgerRecord, RecordBody, Seq};

/// The columns that [`read_row`] wants, in its order.
pub(crate) const ROW_COLUMNS: &str =
    "seq, run, number, at, kind, worker, call, request, body, prev, hash";

/// A row as it stands in the file.
pub(crate) struct StoredRow {
    pub(crate) seq: i64,
    pub(crate) run: u32,
    pub(crate) number: u64,
    pub(crate) at: i64,
    pub(crate) kind: String,
    pub(crate) worker: Option<u32>,
    pub(crate) call: Option<u32>,
    pub(crate) request: Option<u32>,
    pub(crate) body: String,
    pub(crate) prev: [u8; 32],
    pub(crate) hash: [u8; 32],
}

/// Reads a row of [`ROW_COLUMNS`].
pub(crate) fn read_row(row: &Row<'_>) -> rusqlite::Result<StoredRow> {
    Ok(StoredRow {
        seq: row.get(0)?,
        run: row.get(1)?,
        number: row.get(2)?,
        at: row.get(3)?,
        kind: row.get(4)?,
        worker: row.get(5)?,
        call: row.get(6)?,
        request: row.get(7)?,
        body: row.get(8)?,
        prev: row.get(9)?,
        hash: row.get(10)?,
    })
}

impl StoredRow {
    /// The run that the row says it belongs to.
    pub(crate) fn run(&self) -> Option<RunId> {
        RunId::new(self.run)
    }

    /// What the row's columns say it speaks of.
    pub(crate) fn about(&self, run: RunId) -> About {
        About {
            worker: self.worker.map(|number| WorkerId::new(run, number)),
            call: self.call.map(|number| CallId::new(run, number)),
            request: self.request.map(|number| RequestId::new(run, number)),
        }
    }

    /// The record, if its body can be read.
    pub(crate) fn into_record(self) -> Result<LedgerRecord, String> {
        let run = self.run().ok_or("it belongs to no run")?;
        let body: RecordBody = serde_json::from_str(&self.body)
            .map_err(|error| format!("its body can't be read: {error}"))?;
        Ok(LedgerRecord {
            seq: Seq(self.seq),
            run,
            number: self.number,
            at: WallTime(self.at),
            body,
            prev: Digest::from_bytes(self.prev),
            hash: Digest::from_bytes(self.hash),
        })
    }
}
