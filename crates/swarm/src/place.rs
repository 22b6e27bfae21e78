//! Where a project's ledger and its leaders' sockets live: in the user's state directory, one folder a
//! project, never inside the project itself.

use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use pointsman_model::{AbsPath, Digest, RunId};
use rustix::fs::statvfs;
use rustix::io::Errno;

/// How many characters of the project's name the folder's name keeps, so that the socket's path stays short.
const NAME_CHARS_MAX: usize = 24;
/// The longest path that a Unix socket may have on Linux, its closing zero not counted.
const SOCKET_PATH_BYTES_MAX: usize = 107;

/// The folder of one project in the user's state directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatePlace {
    folder: AbsPath,
}

/// Why the folder can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatePlaceError {
    /// It could not be made, or not be closed to others.
    #[error("the state folder `{folder}` can't be made")]
    NotMade {
        /// The folder.
        folder: AbsPath,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It belongs to another user, who could put answers into it.
    #[error("the state folder `{folder}` belongs to another user")]
    NotOurs {
        /// The folder.
        folder: AbsPath,
    },
}

impl StatePlace {
    /// The place of the project at `project`. `state_home` is `$XDG_STATE_HOME` when it is set to an absolute path;
    /// else `~/.local/state` is taken.
    #[must_use]
    pub fn of(project: &AbsPath, home: &AbsPath, state_home: Option<&AbsPath>) -> Self {
        let base = state_home.map_or_else(|| home.join(".local/state"), Clone::clone);
        let name: String = project
            .name()
            .unwrap_or("root")
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            .take(NAME_CHARS_MAX)
            .collect();
        // The whole path tells projects of one name apart.
        let short = short_digest(project);
        Self {
            folder: base.join("pointsman").join(&format!("{name}-{short}")),
        }
    }

    /// A place in a folder of one's own, for tests and tools.
    #[must_use]
    pub fn in_folder(folder: AbsPath) -> Self {
        Self { folder }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &AbsPath {
        &self.folder
    }

    /// The ledger's file.
    #[must_use]
    pub fn ledger(&self) -> PathBuf {
        self.folder.join("ledger.db").as_path().to_owned()
    }

    /// The file that keeps the person's yes to what the project's files loosen.
    #[must_use]
    pub fn trust(&self) -> PathBuf {
        self.folder.join("trust.json").as_path().to_owned()
    }

    /// The socket of the leader of one run.
    #[must_use]
    pub fn socket(&self, run: RunId) -> PathBuf {
        self.folder
            .join(&format!("{run}.sock"))
            .as_path()
            .to_owned()
    }

    /// The name under which a run owns what it starts: never that of another run or project.
    pub(crate) fn owner(&self, run: RunId) -> String {
        format!("{}-{run}", short_digest(&self.folder))
    }

    /// Whether a socket of that run could be bound: the system bounds the length of its path.
    #[must_use]
    pub fn socket_fits(&self, run: RunId) -> bool {
        self.socket(run).as_os_str().len() <= SOCKET_PATH_BYTES_MAX
    }

    /// The sockets that are there, of running leaders or left by killed ones, newest run first.
    ///
    /// # Errors
    /// When the folder can't be read; one that is not there holds none.
    pub fn sockets(&self) -> io::Result<Vec<(RunId, PathBuf)>> {
        let entries = match std::fs::read_dir(self.folder.as_path()) {
            Ok(entries) => entries,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        let mut sockets = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let run = name.and_then(|name| name.strip_suffix(".sock"));
            if let Some(run) = run.and_then(|run| run.parse::<RunId>().ok()) {
                sockets.push((run, path));
            }
        }
        sockets.sort_by(|(one, _), (other, _)| other.cmp(one));
        Ok(sockets)
    }

    /// Takes away the socket that a dead leader of that run has left: nobody listens at it any more.
    pub fn clear_socket(&self, run: RunId) {
        match std::fs::remove_file(self.socket(run)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // It does no harm: whoever connects is told that nobody listens.
            Err(error) => tracing::debug!(%run, %error, "a dead leader's socket stays"),
        }
    }

    /// Whether [`Self::prepare`] would do: the folder is ours and can be written, or it can be made. Leaves nothing
    /// behind.
    ///
    /// # Errors
    /// When it would not.
    pub fn could_be_prepared(&self) -> Result<(), StatePlaceError> {
        let not_made = |source| StatePlaceError::NotMade {
            folder: self.folder.clone(),
            source,
        };
        let mut at = Some(self.folder.as_path());
        while let Some(folder) = at {
            match std::fs::metadata(folder) {
                Ok(found) if !found.is_dir() => {
                    return Err(not_made(io::ErrorKind::NotADirectory.into()));
                }
                Ok(found) if folder == self.folder.as_path() && !is_ours(&found) => {
                    return Err(StatePlaceError::NotOurs {
                        folder: self.folder.clone(),
                    });
                }
                Ok(_) => return can_make_in(folder).map_err(not_made),
                Err(error) if error.kind() == io::ErrorKind::NotFound => at = folder.parent(),
                Err(error) => return Err(not_made(error)),
            }
        }
        Ok(())
    }

    /// How many bytes the user may still write on the disk that holds the folder, or would.
    ///
    /// # Errors
    /// When the disk can't be asked.
    pub fn room(&self) -> io::Result<u64> {
        let mut at = Some(self.folder.as_path());
        while let Some(folder) = at {
            match statvfs(folder) {
                // Some file systems know nothing of their size.
                Ok(disk) if disk.f_blocks == 0 => return Err(io::ErrorKind::Unsupported.into()),
                Ok(disk) => return Ok(disk.f_bavail.saturating_mul(disk.f_frsize)),
                Err(Errno::NOENT) => at = folder.parent(),
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Makes the folder and those above it that are missing, open to their owner alone.
    ///
    /// # Errors
    /// When it can't be made or closed, or belongs to somebody else.
    pub fn prepare(&self) -> Result<(), StatePlaceError> {
        let not_made = |source| StatePlaceError::NotMade {
            folder: self.folder.clone(),
            source,
        };
        let path = self.folder.as_path();
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(not_made)?;
        let found = std::fs::metadata(path).map_err(not_made)?;
        if !is_ours(&found) {
            return Err(StatePlaceError::NotOurs {
                folder: self.folder.clone(),
            });
        }
        let mut permissions = found.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o700);
            std::fs::set_permissions(path, permissions).map_err(not_made)?;
        }
        Ok(())
    }
}

/// Tries it: what may be written by its mode may still take nothing (`/proc`, for root).
fn can_make_in(folder: &Path) -> io::Result<()> {
    let trial = folder.join(format!(".pointsman-trial-{}", std::process::id()));
    match std::fs::create_dir(&trial) {
        Ok(()) => std::fs::remove_dir(&trial),
        // Another one tries just now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_ours(found: &std::fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Eight hexadecimal digits of a path's fingerprint.
fn short_digest(path: &AbsPath) -> String {
    let mut digits = Digest::of(path.as_str().as_bytes()).to_string();
    digits.truncate(8);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abs(text: &str) -> AbsPath {
        AbsPath::parse(text).unwrap()
    }

    #[test]
    fn projects_of_one_name_have_folders_of_their_own() {
        let home = abs("/home/ada");
        let one = StatePlace::of(&abs("/work/a/site"), &home, None);
        let other = StatePlace::of(&abs("/work/b/site"), &home, None);
        assert_ne!(one, other);
        assert!(
            one.folder()
                .as_str()
                .starts_with("/home/ada/.local/state/pointsman/site-")
        );
        let moved = StatePlace::of(&abs("/work/a/site"), &home, Some(&abs("/state")));
        assert!(
            moved
                .folder()
                .as_str()
                .starts_with("/state/pointsman/site-")
        );
    }

    #[test]
    fn a_strange_name_makes_a_plain_folder() {
        let place = StatePlace::of(&abs("/x/my \u{202e}site/ä b"), &abs("/h"), None);
        let name = place.folder().name().unwrap().to_owned();
        assert!(name.is_ascii() && name.starts_with("b-"), "{name}");
    }

    #[test]
    fn is_closed_to_others_even_when_it_was_open() {
        let temp = tempfile::tempdir().unwrap();
        let folder = abs(temp.path().to_str().unwrap()).join("deep/er");
        let place = StatePlace::in_folder(folder.clone());
        let mode = || std::fs::metadata(folder.as_path()).unwrap().mode() & 0o777;
        place.prepare().unwrap();
        assert_eq!(mode(), 0o700);
        std::fs::set_permissions(folder.as_path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        place.prepare().unwrap();
        assert_eq!(mode(), 0o700);
    }

    #[test]
    fn a_look_tells_what_a_start_would_and_makes_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let root = abs(temp.path().to_str().unwrap());
        let place = StatePlace::in_folder(root.join("state/site"));
        place.could_be_prepared().unwrap();
        assert!(!root.join("state").as_path().exists());
        place.prepare().unwrap();
        place.could_be_prepared().unwrap();
        let below: Vec<_> = std::fs::read_dir(root.join("state/site").as_path())
            .unwrap()
            .collect();
        assert!(below.is_empty(), "{below:?}");
        let nowhere = StatePlace::in_folder(abs("/proc/nope"));
        assert!(nowhere.could_be_prepared().is_err());
        std::fs::write(root.join("file").as_path(), "").unwrap();
        for taken in ["file", "file/site"] {
            let place = StatePlace::in_folder(root.join(taken));
            let looked = place.could_be_prepared();
            assert!(
                matches!(looked, Err(StatePlaceError::NotMade { .. })),
                "{taken}: {looked:?}"
            );
            assert!(place.prepare().is_err(), "{taken}");
        }
    }

    #[test]
    fn finds_the_sockets_newest_first() {
        let temp = tempfile::tempdir().unwrap();
        let place = StatePlace::in_folder(abs(temp.path().to_str().unwrap()));
        for name in ["run-2.sock", "run-11.sock", "ledger.db", "run-x.sock"] {
            std::fs::write(temp.path().join(name), "").unwrap();
        }
        let runs: Vec<u32> = place
            .sockets()
            .unwrap()
            .iter()
            .map(|(run, _)| run.number())
            .collect();
        assert_eq!(runs, [11, 2]);
        for nowhere in ["/nowhere/at/all", "/dev/null/at/all"] {
            let place = StatePlace::in_folder(abs(nowhere));
            assert!(place.sockets().unwrap().is_empty(), "{nowhere}");
        }
    }
}
