//! Files as the file tools touch them: the very path that was judged, no symbolic link on the way,
//! read within a limit, replaced whole or not at all.
//!
//! The paths that come here have had their links followed when the call was judged. Opening
//! refuses links altogether, so that a link put in afterwards leads nowhere.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat, openat2, renameat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use pointsman_model::{AbsPath, Digest};

/// The largest file that is read or edited. A source file is far smaller; what is larger is data,
/// which Bash has the tools for.
pub(super) const FILE_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// How much of a file is looked at to tell text from binary, as git does it.
const BINARY_PROBE_BYTES: usize = 8_000;

/// What went wrong with a file. Each text is for the agent.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("`{0}` does not exist")]
    Missing(AbsPath),
    #[error("`{0}` is a folder, not a file")]
    Folder(AbsPath),
    #[error("`{0}` is no plain file but a device, socket or pipe")]
    NotPlain(AbsPath),
    #[error("`{path}` has {bytes} bytes; at most {FILE_BYTES_MAX} are read")]
    TooLarge { path: AbsPath, bytes: u64 },
    #[error("`{path}` is no text: it has {bytes} bytes and holds a zero byte")]
    Binary { path: AbsPath, bytes: usize },
    #[error("`{0}` is no UTF-8 text")]
    NotUtf8(AbsPath),
    #[error(
        "a symbolic link stands on the way to `{0}` that was not there when the call was judged"
    )]
    Swapped(AbsPath),
    #[error("`{0}` can't be replaced: it is the root")]
    Root(AbsPath),
    #[error("`{path}` can't be {verb}: {why}")]
    Io {
        path: AbsPath,
        verb: &'static str,
        why: Box<str>,
    },
}

/// A text file with the fingerprint of its bytes.
pub(super) struct TextFile {
    /// The bytes.
    pub(super) bytes: Vec<u8>,
    /// Their fingerprint.
    pub(super) digest: Digest,
    path: AbsPath,
}

impl TextFile {
    /// The text, when it is UTF-8 throughout.
    pub(super) fn text(&self) -> Result<&str, FileError> {
        std::str::from_utf8(&self.bytes).map_err(|_| FileError::NotUtf8(self.path.clone()))
    }
}

/// Reads a text file whole.
pub(super) fn read_text(path: &AbsPath) -> Result<TextFile, FileError> {
    // Not to hang on a pipe that nobody writes to.
    let file = open(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK, "opened")?;
    let io = |error: std::io::Error| io_error(path, "read", &error);
    let meta = file.metadata().map_err(io)?;
    if meta.is_dir() {
        return Err(FileError::Folder(path.clone()));
    }
    if !meta.is_file() {
        return Err(FileError::NotPlain(path.clone()));
    }
    let too_large = |bytes| FileError::TooLarge {
        path: path.clone(),
        bytes,
    };
    if meta.len() > FILE_BYTES_MAX {
        return Err(too_large(meta.len()));
    }
    let mut bytes = Vec::new();
    // One more than the limit, to notice a file that grows while it is read.
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(too_large(bytes.len() as u64));
    }
    if bytes.iter().take(BINARY_PROBE_BYTES).any(|byte| *byte == 0) {
        return Err(FileError::Binary {
            path: path.clone(),
            bytes: bytes.len(),
        });
    }
    Ok(TextFile {
        digest: Digest::of(&bytes),
        bytes,
        path: path.clone(),
    })
}

/// Whether the file still holds what an agent has seen of it. A file that is gone counts as such: nothing of it can
/// be lost.
pub(super) fn is_as_seen(path: &AbsPath, seen: Digest) -> Result<bool, FileError> {
    match read_text(path) {
        Ok(file) => Ok(file.digest == seen),
        Err(FileError::Missing(_)) => Ok(true),
        Err(FileError::Binary { .. } | FileError::TooLarge { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts `content` in the place of the file, or makes the file. A reader sees the old content or the new, never
/// a part; the file keeps its mode.
pub(super) fn replace(path: &AbsPath, content: &[u8]) -> Result<Digest, FileError> {
    let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
        return Err(FileError::Root(path.clone()));
    };
    let io = |error: std::io::Error| io_error(path, "written", &error);
    let folder = folder_for(&parent)?;
    let mode = match open(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK, "opened") {
        Ok(old) => {
            let meta = old.metadata().map_err(io)?;
            if meta.is_dir() {
                return Err(FileError::Folder(path.clone()));
            }
            if !meta.is_file() {
                return Err(FileError::NotPlain(path.clone()));
            }
            Some(meta.permissions().mode() & 0o7777)
        }
        Err(FileError::Missing(_)) => None,
        Err(error) => return Err(error),
    };
    let draft = draft_name();
    let written = write_draft(&folder, &draft, mode, content)
        .and_then(|()| Ok(renameat(&folder, draft.as_str(), &folder, name)?));
    if let Err(error) = written {
        // The draft may never have been made; what counts is the first error.
        let _ = unlinkat(&folder, draft.as_str(), UnlinkatFlags::NoRemoveDir);
        return Err(io(error));
    }
    Ok(Digest::of(content))
}

/// A name that no other write of this process has, so that two who write one file at the same time don't write into each
/// other's draft.
fn draft_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".pointsman-{}-{count}.draft", std::process::id())
}

/// The folder, made with those above it where they are missing, each in the very folder that was opened before: a link that
/// is put in the way leads nowhere, and nothing is made behind it.
fn folder_for(path: &AbsPath) -> Result<OwnedFd, FileError> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
    match open(path, flags, "opened") {
        Ok(folder) => return Ok(folder.into()),
        Err(FileError::Missing(_)) => {}
        Err(error) => return Err(error),
    }
    let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
        return Err(FileError::Root(path.clone()));
    };
    let parent = folder_for(&parent)?;
    match mkdirat(&parent, name, Mode::from_bits_truncate(0o777)) {
        // Somebody else made it meanwhile, which is as good.
        Ok(()) | Err(Errno::EEXIST) => {}
        Err(error) => return Err(io_error(path, "made", &error.into())),
    }
    openat(
        &parent,
        OsStr::new(name),
        flags | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW,
        Mode::empty(),
    )
    .map_err(|error| match error {
        Errno::ELOOP | Errno::ENOTDIR => FileError::Swapped(path.clone()),
        error => io_error(path, "opened", &error.into()),
    })
}

fn write_draft(
    folder: &OwnedFd,
    draft: &str,
    mode: Option<u32>,
    content: &[u8],
) -> std::io::Result<()> {
    // A draft that a killed run left behind is in nobody's use.
    match unlinkat(folder, draft, UnlinkatFlags::NoRemoveDir) {
        Ok(()) | Err(Errno::ENOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
    let mut file = File::from(openat(
        folder,
        OsStr::new(draft),
        flags,
        // What the umask leaves of it, as for any new file.
        Mode::from_bits_truncate(0o666),
    )?);
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.write_all(content)?;
    file.sync_all()
}

/// Opens without following any symbolic link.
fn open(path: &AbsPath, flags: OFlag, verb: &'static str) -> Result<File, FileError> {
    let how = OpenHow::new()
        .flags(flags | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    let opened = match openat2(AT_FDCWD, Path::new(path.as_str()), how) {
        // A kernel before 5.6: at least the last name may be no link.
        Err(Errno::ENOSYS) => {
            let flags = flags | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW;
            openat(AT_FDCWD, Path::new(path.as_str()), flags, Mode::empty())
        }
        opened => opened,
    };
    opened.map(File::from).map_err(|error| match error {
        Errno::ENOENT => FileError::Missing(path.clone()),
        Errno::ELOOP => FileError::Swapped(path.clone()),
        // A socket, or a device without driver.
        Errno::ENXIO => FileError::NotPlain(path.clone()),
        error => io_error(path, verb, &error.into()),
    })
}

fn io_error(path: &AbsPath, verb: &'static str, error: &std::io::Error) -> FileError {
    FileError::Io {
        path: path.clone(),
        verb,
        why: error.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, AbsPath) {
        let dir = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(dir.path()).unwrap();
        let path = AbsPath::parse(path.to_str().unwrap()).unwrap();
        (dir, path)
    }

    #[test]
    fn replacing_keeps_the_mode_and_leaves_no_draft() {
        let (_keep, folder) = folder();
        let file = folder.join("run.sh");
        std::fs::write(file.as_path(), "old").unwrap();
        std::fs::set_permissions(file.as_path(), Permissions::from_mode(0o750)).unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(file.as_path()).unwrap(), "new");
        let mode = std::fs::metadata(file.as_path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o750);
        assert_eq!(std::fs::read_dir(folder.as_path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_put_in_the_way_leads_nowhere() {
        let (_keep, folder) = folder();
        std::fs::create_dir(folder.join("secret").as_path()).unwrap();
        std::fs::write(folder.join("secret/f").as_path(), "s").unwrap();
        std::os::unix::fs::symlink(
            folder.join("secret").as_path(),
            folder.join("open").as_path(),
        )
        .unwrap();
        let file = folder.join("open/f");
        assert!(matches!(read_text(&file), Err(FileError::Swapped(_))));
        assert!(matches!(replace(&file, b"x"), Err(FileError::Swapped(_))));
        let deeper = folder.join("open/new/f");
        assert!(matches!(replace(&deeper, b"x"), Err(FileError::Swapped(_))));
        assert!(!folder.join("secret/new").as_path().exists());
        assert_eq!(
            std::fs::read_to_string(folder.join("secret/f").as_path()).unwrap(),
            "s"
        );
    }

    #[test]
    fn folders_on_the_way_are_made() {
        let (_keep, folder) = folder();
        let file = folder.join("a/b/c/f");
        replace(&file, b"x").unwrap();
        assert_eq!(std::fs::read_to_string(file.as_path()).unwrap(), "x");
        std::fs::write(folder.join("plain").as_path(), "p").unwrap();
        let told = replace(&folder.join("plain/f"), b"x")
            .unwrap_err()
            .to_string();
        assert!(told.contains("Not a directory"), "{told}");
    }

    #[test]
    fn law_22_two_who_write_one_file_at_once_leave_one_of_both_texts_whole() {
        const ROUNDS: usize = 40;
        let (_keep, folder) = folder();
        let file = folder.join("shared");
        let texts = ["a".repeat(200_000), "b".repeat(200_000)];
        let begin = std::sync::Barrier::new(texts.len());
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        begin.wait();
                        replace(&file, text.as_bytes()).unwrap();
                        let found = std::fs::read_to_string(file.as_path()).unwrap();
                        assert!(texts.contains(&found), "torn, {} bytes", found.len());
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(folder.as_path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_text_file_is_refused_politely() {
        let (_keep, folder) = folder();
        std::fs::write(folder.join("b").as_path(), b"a\0b").unwrap();
        nix::unistd::mkfifo(folder.join("p").as_path(), Mode::S_IRWXU).unwrap();
        File::create(folder.join("large").as_path())
            .unwrap()
            .set_len(FILE_BYTES_MAX + 1)
            .unwrap();
        let text = |name: &str| read_text(&folder.join(name)).err().unwrap().to_string();
        assert!(text("b").ends_with("is no text: it has 3 bytes and holds a zero byte"));
        assert!(text("p").contains("no plain file"));
        assert!(text("large").contains("10485761 bytes"));
        assert!(text(".").ends_with("is a folder, not a file"));
        assert!(text("none").ends_with("does not exist"));
    }
}
