//! Whether the database still is the file that its name leads to.
//!
//! SQLite goes on writing to a file that was removed, replaced or emptied under it, and says that all
//! is well; nothing of that could ever be read again.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::salvage::beside;

/// A file as it was last seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    bytes: u64,
}

impl Seen {
    /// The file of that name; nothing when there is none.
    fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            bytes: meta.len(),
        })
    }

    /// Whether `now` is the same file, from which nothing was cut off.
    fn goes_on_in(self, now: Self) -> bool {
        (self.device, self.inode) == (now.device, now.inode) && now.bytes >= self.bytes
    }
}

/// The files of an open database.
#[derive(Debug)]
pub(crate) struct Whereabouts {
    path: PathBuf,
    wal: PathBuf,
    database: Option<Seen>,
    /// The write-ahead log, once there is one. It is reused from its beginning, but never cut while it is in use.
    log: Option<Seen>,
}

impl Whereabouts {
    pub(crate) fn of(path: &Path) -> Self {
        Self {
            path: path.into(),
            wal: beside(path, "-wal"),
            database: Seen::of(path),
            log: None,
        }
    }

    /// Looks again; whether all is where it was.
    pub(crate) fn still_hold(&mut self) -> bool {
        let database = goes_on(self.database, Seen::of(&self.path));
        let log = goes_on(self.log, Seen::of(&self.wal));
        if let (Ok(database), Ok(log)) = (database, log) {
            self.database = database;
            self.log = log;
        }
        database.is_ok() && log.is_ok()
    }
}

/// What is known of the file from now on; an error when it is not the one it was.
fn goes_on(before: Option<Seen>, now: Option<Seen>) -> Result<Option<Seen>, ()> {
    match (before, now) {
        (None, now) => Ok(now),
        (Some(before), Some(now)) if before.goes_on_in(now) => Ok(Some(now)),
        (Some(_), Some(_) | None) => Err(()),
    }
}
