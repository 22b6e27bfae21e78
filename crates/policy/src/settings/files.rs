//! How settings are read: through a trait, so that a check of other rules than the machine's, and a
//! test, read what they are given and nothing else.

use std::collections::BTreeMap;
use std::io;

use pointsman_model::AbsPath;

/// The longest file that is read. Settings have a few kilobytes; git's index, which says whether the
/// local settings are checked in, has about a hundred bytes a file and this is enough for half a
/// million of them.
pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Reads the files that settings come from. Nothing is ever written through it.
pub trait SettingsFiles: Send + Sync {
    /// The bytes of a file; `None` when nothing is there.
    ///
    /// # Errors
    /// When something is there that can't be read: a folder, a pipe, a file without permission or
    /// of more than [`FILE_BYTES_MAX`] bytes.
    fn read(&self, path: &AbsPath) -> io::Result<Option<Vec<u8>>>;

    /// The names in a folder, sorted; none when there is no such folder.
    ///
    /// # Errors
    /// When the folder is there and can't be listed.
    fn list(&self, folder: &AbsPath) -> io::Result<Vec<String>>;

    /// Whether the path itself is a symbolic link.
    fn is_link(&self, path: &AbsPath) -> bool;
}

/// The files of this machine.
#[derive(Debug, Clone, Copy)]
pub struct DiskFiles;

impl SettingsFiles for DiskFiles {
    fn read(&self, path: &AbsPath) -> io::Result<Option<Vec<u8>>> {
        let found = match std::fs::metadata(path.as_path()) {
            Ok(found) => found,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !found.is_file() {
            // Opening a pipe would wait for its other end.
            return Err(io::Error::other("it is no plain file"));
        }
        if found.len() > FILE_BYTES_MAX {
            return Err(io::Error::other(format!(
                "it has {} bytes, more than the {FILE_BYTES_MAX} that are read",
                found.len()
            )));
        }
        std::fs::read(path.as_path()).map(Some)
    }

    fn list(&self, folder: &AbsPath) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(folder.as_path()) {
            Ok(entries) => entries,
            Err(error) if is_absence(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn is_link(&self, path: &AbsPath) -> bool {
        std::fs::symlink_metadata(path.as_path()).is_ok_and(|found| found.is_symlink())
    }
}

/// A missing file, and a path whose parent is a file, both mean that nothing is there.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Files in memory: for checks of given settings, and for tests.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    entries: BTreeMap<AbsPath, Entry>,
}

#[derive(Debug, Clone)]
enum Entry {
    Bytes(Vec<u8>),
    Unreadable(String),
    Link,
}

impl MemoryFiles {
    /// No files at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or puts another in its place.
    #[must_use]
    pub fn with(mut self, path: AbsPath, bytes: impl Into<Vec<u8>>) -> Self {
        self.entries.insert(path, Entry::Bytes(bytes.into()));
        self
    }

    /// Adds a file that is there and can't be read, for the reason that is given.
    #[must_use]
    pub fn with_unreadable(mut self, path: AbsPath, why: &str) -> Self {
        self.entries.insert(path, Entry::Unreadable(why.into()));
        self
    }

    /// Adds a symbolic link; what lies behind it is added under the link's own path.
    #[must_use]
    pub fn with_link(mut self, path: AbsPath) -> Self {
        self.entries.insert(path, Entry::Link);
        self
    }
}

impl SettingsFiles for MemoryFiles {
    fn read(&self, path: &AbsPath) -> io::Result<Option<Vec<u8>>> {
        match self.entries.get(path) {
            None | Some(Entry::Link) => Ok(None),
            Some(Entry::Bytes(bytes)) => Ok(Some(bytes.clone())),
            Some(Entry::Unreadable(why)) => Err(io::Error::other(why.clone())),
        }
    }

    fn list(&self, folder: &AbsPath) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = self
            .entries
            .keys()
            .filter_map(|path| path.below(folder))
            .filter_map(|rest| rest.split('/').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        names.dedup();
        Ok(names)
    }

    fn is_link(&self, path: &AbsPath) -> bool {
        matches!(self.entries.get(path), Some(Entry::Link))
    }
}
