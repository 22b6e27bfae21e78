//! The file that keeps a person's yes to what a project's files loosen: in their state folder, never
//! in the project. It is replaced whole; one that can't be read or that others may write counts as no
//! yes at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use pointsman_model::{AbsPath, Digest};
use pointsman_policy::settings::TrustRecord;

/// Open to its owner alone.
const FILE_MODE: u32 = 0o600;
/// The bits of a mode that let others write.
const OTHERS_WRITE: u32 = 0o022;

/// Where one project's trust is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustFile {
    path: PathBuf,
}

/// Why the file can't be used. Nothing is trusted by it then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustFileError {
    /// It can't be read or written.
    #[error("the record of trust `{file}` can't be used")]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Somebody else may have written it.
    #[error("the record of trust `{file}` can be written by others than you")]
    NotOurs {
        /// The file.
        file: PathBuf,
    },
    /// It is no record of trust.
    #[error("the record of trust `{file}` is damaged")]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

impl TrustFile {
    /// The file at `path`, whether it is there or not.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// What was said yes to; nothing when nobody ever did.
    ///
    /// # Errors
    /// When something is there that can't be relied on.
    pub fn read(&self) -> Result<Option<TrustRecord>, TrustFileError> {
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(error)),
        };
        let is_mine = found.uid() == nix::unistd::geteuid().as_raw();
        if !is_mine || found.mode() & OTHERS_WRITE != 0 {
            return Err(TrustFileError::NotOurs {
                file: self.path.clone(),
            });
        }
        let bytes = fs::read(&self.path).map_err(|error| self.failed(error))?;
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| TrustFileError::Damaged {
                file: self.path.clone(),
                source,
            })
    }

    /// Keeps a yes to this content of this project beside those that are kept for it; on disk when it
    /// returns. A record that can't be relied on gives way to a new one. Blocks on the disk.
    ///
    /// # Errors
    /// When the file can't be replaced; it is as it was.
    pub fn add(&self, project: &AbsPath, content: Digest) -> Result<(), TrustFileError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let locked = File::open(folder).map_err(|error| self.failed(error))?;
        locked.lock().map_err(|error| self.failed(error))?;
        let old = self.read().ok().flatten();
        let record = old
            .filter(|record| record.project == *project)
            .unwrap_or_else(|| TrustRecord::of_project(project.clone()))
            .with(content);
        let written = self.write(&record, folder);
        written
            .and_then(|()| locked.sync_all())
            .map_err(|error| self.failed(error))
    }

    /// Takes every yes back. Tells whether there was any.
    ///
    /// # Errors
    /// When the file can't be removed; what it says still counts.
    pub fn revoke(&self) -> Result<Revoked, TrustFileError> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(Revoked::Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Revoked::Nothing),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn write(&self, record: &TrustRecord, folder: &Path) -> io::Result<()> {
        let mut new = tempfile::Builder::new()
            .prefix(".trust-")
            .permissions(Permissions::from_mode(FILE_MODE))
            .tempfile_in(folder)?;
        serde_json::to_writer_pretty(&mut new, record)?;
        new.write_all(b"\n")?;
        new.as_file().sync_all()?;
        new.persist(&self.path)
            .map(drop)
            .map_err(|error| error.error)
    }

    fn failed(&self, source: io::Error) -> TrustFileError {
        TrustFileError::File {
            file: self.path.clone(),
            source,
        }
    }
}

/// Whether there was something to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    /// There was.
    Some,
    /// There was not.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> AbsPath {
        AbsPath::parse("/w/p").unwrap()
    }

    fn in_folder(folder: &tempfile::TempDir) -> TrustFile {
        TrustFile::at(folder.path().join("trust.json"))
    }

    #[test]
    fn each_yes_is_kept_until_all_are_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder);
        assert_eq!(file.read().unwrap(), None);
        assert_eq!(file.revoke().unwrap(), Revoked::Nothing);
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        file.add(&project(), one).unwrap();
        file.add(&project(), other).unwrap();
        let record = file.read().unwrap().unwrap();
        assert!(record.covers(&project(), one) && record.covers(&project(), other));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(file.revoke().unwrap(), Revoked::Some);
        assert_eq!(file.read().unwrap(), None);
    }

    #[test]
    fn a_record_that_can_t_be_relied_on_is_no_yes_and_gives_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder);
        fs::write(&file.path, "{\"project\":").unwrap();
        fs::set_permissions(&file.path, Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(file.read(), Err(TrustFileError::Damaged { .. })));
        let content = Digest::of(b"content");
        file.add(&project(), content).unwrap();
        assert!(file.read().unwrap().unwrap().covers(&project(), content));
        fs::set_permissions(&file.path, Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(file.read(), Err(TrustFileError::NotOurs { .. })));
    }

    #[test]
    fn a_yes_for_another_project_is_not_carried_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder);
        let content = Digest::of(b"content");
        file.add(&AbsPath::parse("/w/other").unwrap(), content)
            .unwrap();
        file.add(&project(), Digest::of(b"mine")).unwrap();
        assert!(!file.read().unwrap().unwrap().covers(&project(), content));
    }
}
