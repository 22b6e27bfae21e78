//! What the ledger promises, tried on real files.

mod appending;
mod care;
mod crash;
mod damage;
mod disk;
mod reading;
mod sample;
mod torn;
mod two_leaders;

use std::path::PathBuf;
use std::sync::Arc;

use pointsman_model::RunId;
use tempfile::TempDir;

use crate::{Clock, Ledger, LedgerReader, OpenReport};

/// A folder of its own with a ledger in it.
struct Place {
    _folder: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state").join("ledger.db");
        Self {
            _folder: folder,
            path,
        }
    }

    fn open(&self) -> (Ledger, OpenReport) {
        Ledger::open(&self.path, sample::clock()).unwrap()
    }

    fn reader(&self) -> LedgerReader {
        LedgerReader::open(&self.path).unwrap()
    }

    async fn begin(&self) -> (Ledger, RunId) {
        let (ledger, _) = self.open();
        let run = ledger.begin_run(sample::run_start()).await.unwrap();
        (ledger, run)
    }

    /// The path through a connection that pays no heed to the ledger's rules.
    fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }
}

/// Drops the ledger as a dying process does: nothing is closed properly, but the locks go.
async fn die(ledger: Ledger) {
    ledger.close().await;
}

#[test]
fn the_machines_clock_is_in_this_century() {
    let now: Arc<dyn Clock> = Arc::new(crate::SystemClock);
    assert!(now.now().0 > 1_700_000_000_000);
}
