//! Which runs are alive: the leader of a run holds a lock on a small file beside the database. The
//! kernel lets go of it when the leader dies, however it dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use pointsman_model::RunId;

/// The lock of one run, held as long as this lives.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    file: File,
}

/// What a look at a run's lock says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A leader holds it.
    Alive,
    /// Nobody holds it.
    Nobody,
}

/// Where the lock of a run lies.
pub(crate) fn path_of(database: &Path, run: RunId) -> PathBuf {
    let mut name = database.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{run}.lock"));
    database.with_file_name(name)
}

impl RunLock {
    /// Takes the lock; `None` when a leader holds it.
    pub(crate) fn take(database: &Path, run: RunId) -> io::Result<Option<Self>> {
        let path = path_of(database, run);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { path, file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Lets go of it and removes the file: the run is over and its number is never used again.
    pub(crate) fn remove(self) {
        // A file that can't be removed does no harm: nobody holds its lock.
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
}

/// Whether a leader holds the run's lock.
///
/// A look takes the lock shared for a moment. That can't get into a leader's way: a leader takes the lock
/// before its run can be seen in the database.
pub(crate) fn look(database: &Path, run: RunId) -> io::Result<Holder> {
    let file = match File::open(path_of(database, run)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Holder::Nobody),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Holder::Nobody),
        Err(TryLockError::WouldBlock) => Ok(Holder::Alive),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
