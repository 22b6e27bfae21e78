//! Which runs are alive: the leader of a run holds a lock on a small file beside the database. The
//! kernel lets go of it when the leader dies, however it dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pointsman_model::RunId;

/// How often a lock is tried while others only look at it. A look takes microseconds, so that only a defect outlasts
/// these.
const TRIES_MAX: u32 = 2_000;

/// How long it is left to those who look, between two tries.
const BETWEEN_TRIES: Duration = Duration::from_millis(1);

/// The lock of one run, held as long as this lives.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    /// Closed, and so let go of, after what becomes of it.
    _file: File,
    when_dropped: WhenDropped,
}

/// What becomes of a lock's file with the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhenDropped {
    /// It stays, as that of a leader that is killed does.
    Stays,
    /// It goes.
    Goes,
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
    /// Takes the lock; `None` when a leader holds it. Whoever only looks at it is waited for.
    ///
    /// To be called within a transaction that writes, so that no two take locks of one run at a time.
    pub(crate) fn take(database: &Path, run: RunId) -> io::Result<Option<Self>> {
        let path = path_of(database, run);
        for _ in 0..TRIES_MAX {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            match file.try_lock() {
                Ok(()) if lies_at(&file, &path)? => {
                    return Ok(Some(Self {
                        path,
                        _file: file,
                        when_dropped: WhenDropped::Stays,
                    }));
                }
                // Whoever held it took its file along.
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Leaders hold it alone, those who look share it.
            match file.try_lock_shared() {
                Ok(()) => file.unlock()?,
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "it is being looked at all the time",
        ))
    }

    /// The lock, whose file goes with it once it is let go of.
    pub(crate) fn passing(self) -> Self {
        self.left_by(WhenDropped::Goes)
    }

    /// The lock, whose file stays when it is let go of otherwise than by [`Self::remove`].
    pub(crate) fn lasting(self) -> Self {
        self.left_by(WhenDropped::Stays)
    }

    fn left_by(mut self, when_dropped: WhenDropped) -> Self {
        self.when_dropped = when_dropped;
        self
    }

    /// Lets go of it and removes the file.
    pub(crate) fn remove(self) {
        drop(self.passing());
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        match self.when_dropped {
            WhenDropped::Stays => {}
            // A file that can't be removed does no harm: nobody holds its lock.
            WhenDropped::Goes => drop(std::fs::remove_file(&self.path)),
        }
    }
}

/// Whether the file is still the one at that path.
fn lies_at(file: &File, path: &Path) -> io::Result<bool> {
    let there = match std::fs::metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let own = file.metadata()?;
    Ok((own.dev(), own.ino()) == (there.dev(), there.ino()))
}

/// Whether a leader holds the run's lock.
///
/// A look takes the lock shared for a moment, which whoever takes it for good waits for.
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn law_20_a_run_that_is_only_looked_at_is_not_taken_for_alive() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("ledger.db");
        drop(RunLock::take(&database, RunId::FIRST).unwrap().unwrap());
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        let _ = look(&database, RunId::FIRST);
                    }
                });
            }
            let taken: Vec<bool> = (0..200)
                .map(|_| RunLock::take(&database, RunId::FIRST).unwrap().is_some())
                .collect();
            over.store(true, Ordering::Relaxed);
            assert!(taken.into_iter().all(|taken| taken));
        });
    }

    #[test]
    fn law_20_one_at_a_time_holds_a_run_though_the_lock_s_file_goes_with_each() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("ledger.db");
        let holders = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Some(held) = RunLock::take(&database, RunId::FIRST).unwrap() {
                            let held = held.passing();
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(held);
                        }
                    }
                });
            }
        });
        assert!(!path_of(&database, RunId::FIRST).exists());
    }

    #[test]
    fn law_20_a_run_that_is_held_is_alive_for_whoever_takes_or_looks() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("ledger.db");
        let held = RunLock::take(&database, RunId::FIRST).unwrap().unwrap();
        assert!(RunLock::take(&database, RunId::FIRST).unwrap().is_none());
        assert_eq!(look(&database, RunId::FIRST).unwrap(), Holder::Alive);
        drop(held);
        assert_eq!(look(&database, RunId::FIRST).unwrap(), Holder::Nobody);
        assert!(RunLock::take(&database, RunId::FIRST).unwrap().is_some());
    }
}
