//! The records of a run as they are written: the one source of what is told of it while it is on, here and in other
//! terminals.

use std::path::{Path, PathBuf};

use pointsman_ledger::{Filter, LedgerReader, LedgerRecord, Seq};
use pointsman_model::RunId;

/// Records read at once.
const PAGE: u32 = 1_000;

/// Reads what was written since the last time. Blocks on the disk.
pub(super) struct Tail {
    path: PathBuf,
    reader: Option<LedgerReader>,
    filter: Filter,
}

impl Tail {
    /// The records of that run, from the first.
    pub(super) fn of(ledger: &Path, run: RunId) -> Self {
        Self {
            path: ledger.into(),
            reader: None,
            filter: Filter {
                limit: Some(PAGE),
                after: Some(Seq(0)),
                ..Filter::of_run(run)
            },
        }
    }

    /// What is new, at most a page. A ledger that can't be read just now has nothing new.
    pub(super) fn read(&mut self) -> Vec<LedgerRecord> {
        if self.reader.is_none() {
            self.reader = LedgerReader::open(&self.path).ok();
        }
        let page = self
            .reader
            .as_ref()
            .and_then(|reader| reader.records(&self.filter).ok())
            .map(|page| page.records)
            .unwrap_or_default();
        if let Some(last) = page.last() {
            self.filter.after = Some(last.seq);
        }
        page
    }
}
