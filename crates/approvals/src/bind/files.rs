//! What is taken of a file into a digest.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use pointsman_model::{Digest, DigestBuilder};

/// Files up to this size count by their content, larger ones by inode, size and time (law 10).
const CONTENT_BYTES_MAX: u64 = 1 << 20;

/// As many bytes as the marks of executable formats need.
const BEGINNING_BYTES: u64 = 16;

/// Takes a folder in: which one it is on the disk.
pub(super) fn folder(digest: DigestBuilder, path: &Path) -> io::Result<DigestBuilder> {
    let digest = digest.part("in folder", path.as_os_str().as_encoded_bytes());
    Ok(match look(path)? {
        None => digest.part("missing", b""),
        Some(meta) => digest.part("is", &identity(&meta)),
    })
}

/// What was found where a file is named, and taken into a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<'a> {
    /// A file: all of it.
    Content(&'a [u8]),
    /// A file that is too large for its content to count: how it begins, and its size in bytes.
    Large {
        /// Some bytes of its beginning, no more than are needed to tell what kind of file it is.
        begins: &'a [u8],
        /// Its size.
        bytes: u64,
    },
    /// Something that is neither a file nor a folder: a pipe, a device.
    NoFile,
    /// A file that was not read.
    Unread,
}

/// Takes a file in: where it really lies, and what is in it. What was found is shown to `seen`; nothing of a folder, or
/// where nothing is.
pub(super) fn file(
    digest: DigestBuilder,
    path: &Path,
    seen: &mut dyn FnMut(Found<'_>),
) -> io::Result<DigestBuilder> {
    let digest = digest.part("file", path.as_os_str().as_encoded_bytes());
    let Some(meta) = look(path)? else {
        return Ok(digest.part("missing", b""));
    };
    let digest = match fs::canonicalize(path) {
        Ok(real) => digest.part("lies at", real.as_os_str().as_encoded_bytes()),
        // What is open without a name: `/dev/stdin`, where that is a pipe.
        Err(error) if error.kind() == io::ErrorKind::NotFound => digest.part("has no name", b""),
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        if !meta.is_dir() {
            seen(Found::NoFile);
        }
        return Ok(digest.part("is", &identity(&meta)));
    }
    // Opened without waiting, so that a pipe put in the file's place can't hold anyone up; what counts from here on is
    // the file that was opened, whatever happens to its name.
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits())
        .open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        seen(Found::NoFile);
        return Ok(digest.part("is", &version(&meta)));
    }
    if meta.len() > CONTENT_BYTES_MAX {
        let begins = read_up_to(&mut file, BEGINNING_BYTES)?;
        let bytes = meta.len();
        let begins = begins.as_slice();
        seen(Found::Large { begins, bytes });
        return Ok(digest.part("is", &version(&meta)));
    }
    // A file that grows while it is read is cut where it should have ended, and differs.
    let content = read_up_to(&mut file, CONTENT_BYTES_MAX.saturating_add(1))?;
    seen(Found::Content(&content));
    Ok(digest.part("holds", Digest::of(&content).as_bytes()))
}

/// Takes a file in that a program is handed: as [`file`] does, and one that must not be read as [`unread`] does. A program
/// of another user may be given it, and nobody else can change it unseen.
pub(super) fn handed(
    digest: DigestBuilder,
    path: &Path,
    seen: &mut dyn FnMut(Found<'_>),
) -> io::Result<DigestBuilder> {
    match file(digest.clone(), path, seen) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => unread(digest, path, seen),
        came => came,
    }
}

/// Takes a file in that is only looked for in this place: as [`handed`] does, and a place that must not be looked at as
/// that. Whoever runs the line as this user finds nothing there either.
pub(super) fn looked_up(
    digest: DigestBuilder,
    path: &Path,
    seen: &mut dyn FnMut(Found<'_>),
) -> io::Result<DigestBuilder> {
    match handed(digest.clone(), path, seen) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(digest
            .part("file", path.as_os_str().as_encoded_bytes())
            .part("must not be looked at", b"")),
        came => came,
    }
}

/// Takes a file in without reading it.
pub(super) fn unread(
    digest: DigestBuilder,
    path: &Path,
    seen: &mut dyn FnMut(Found<'_>),
) -> io::Result<DigestBuilder> {
    let digest = digest.part("file", path.as_os_str().as_encoded_bytes());
    Ok(match look(path)? {
        None => digest.part("missing", b""),
        Some(meta) => {
            seen(Found::Unread);
            digest.part("is", &version(&meta))
        }
    })
}

fn look(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        // Links in a circle lead to no file.
        Err(error) if error.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32) => Ok(None),
        // A word that is too long for a name names no file.
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_up_to(file: &mut File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn identity(meta: &Metadata) -> Vec<u8> {
    numbers(&[meta.dev(), meta.ino()])
}

fn version(meta: &Metadata) -> Vec<u8> {
    numbers(&[
        meta.dev(),
        meta.ino(),
        meta.len(),
        meta.mtime().cast_unsigned(),
        meta.mtime_nsec().cast_unsigned(),
    ])
}

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}
