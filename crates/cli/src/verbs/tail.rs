//! The records of a run as they are written: the one source of what is told of it while it is on, here and in other
//! terminals.

use std::path::{Path, PathBuf};

use pointsman_ledger::{Filter, LedgerReader, LedgerRecord, Pages};
use pointsman_model::RunId;

/// Reads what was written since the last time. Blocks on the disk.
pub(super) struct Tail {
    path: PathBuf,
    reader: Option<LedgerReader>,
    pages: Pages,
}

impl Tail {
    /// The records of that run, from the first.
    pub(super) fn of(ledger: &Path, run: RunId) -> Self {
        Self {
            path: ledger.into(),
            reader: None,
            pages: Pages::of(Filter::of_run(run)),
        }
    }

    /// The next page of what is new, without what can't be read; nothing when there is no more, or the ledger can't be read
    /// just now.
    pub(super) fn read(&mut self) -> Option<Vec<LedgerRecord>> {
        if self.reader.is_none() {
            self.reader = LedgerReader::open(&self.path).ok();
        }
        let reader = self.reader.as_ref()?;
        let page = self.pages.next(reader).ok().flatten()?;
        Some(page.records)
    }
}
