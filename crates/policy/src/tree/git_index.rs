//! The files that a repository keeps, as its index lists them.
//!
//! Only names are read. What this doesn't know (another form of the index, one that is split or sparse, one that is
//! torn) is told as unknown, never as empty.

use std::fs;
use std::path::{Path, PathBuf};

use pointsman_model::AbsPath;

use super::Kept;

/// An index larger than this is not read: some 500,000 files.
const INDEX_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What a `.git` that is a file may hold: the path of the repository's own folder.
const POINTER_BYTES_MAX: u64 = 8 * 1024;

/// What stands in front of an entry's hash: times, place, mode, owner, size.
const STAT_BYTES: usize = 40;

/// Lengths of a hash: SHA-1, SHA-256.
const HASHES: [usize; 2] = [20, 32];

/// The files of the repository that the folder lies in.
pub(super) fn kept(folder: &AbsPath) -> Kept {
    let mut at = Some(folder.clone());
    while let Some(root) = at {
        let dot_git = root.join(".git");
        match fs::metadata(dot_git.as_path()) {
            Ok(meta) if meta.is_dir() => return read(&root, dot_git.as_path()),
            Ok(meta) if meta.is_file() && meta.len() <= POINTER_BYTES_MAX => {
                return match store_of(&root, dot_git.as_path()) {
                    Some(store) => read(&root, &store),
                    None => Kept::Untold,
                };
            }
            Ok(_) | Err(_) => at = root.parent(),
        }
    }
    Kept::NoRepository
}

fn store_of(root: &AbsPath, pointer: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(pointer).ok()?;
    let store = text.strip_prefix("gitdir:")?.trim();
    Some(root.as_path().join(store))
}

fn read(root: &AbsPath, store: &Path) -> Kept {
    let index = store.join("index");
    let Ok(meta) = fs::metadata(&index) else {
        // Nothing was added yet, but commits may be there all the same.
        return Kept::Untold;
    };
    if meta.len() > INDEX_BYTES_MAX {
        return Kept::Untold;
    }
    let Ok(bytes) = fs::read(&index) else {
        return Kept::Untold;
    };
    match HASHES.iter().find_map(|hash| names(&bytes, *hash)) {
        Some(names) => Kept::Files(names.iter().map(|name| root.join(name)).collect()),
        None => Kept::Untold,
    }
}

/// The names in an index whose hashes have that length.
fn names(bytes: &[u8], hash: usize) -> Option<Vec<String>> {
    let version = u32_at(bytes, 4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let count = u32_at(bytes, 8)?;
    let mut at = 12;
    let mut names: Vec<String> = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        let is_folder = u32_at(bytes, start + 24)? >> 12 == 0o4;
        let flags = u16_at(bytes, start + STAT_BYTES + hash)?;
        let extended = flags & 0x4000 != 0;
        at = start + STAT_BYTES + hash + 2 + if extended { 2 } else { 0 };
        let shared = match version {
            4 => {
                let (cut, length) = number(bytes.get(at..)?)?;
                at += length;
                last.len().checked_sub(cut)?
            }
            _ => 0,
        };
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        let mut name = last.get(..shared)?.to_vec();
        name.extend_from_slice(bytes.get(at..at + length)?);
        at += length + 1;
        if version < 4 {
            // Filled up with zeros to a multiple of eight.
            let end = start + (at - start).next_multiple_of(8);
            if bytes.get(at..end)?.iter().any(|byte| *byte != 0) {
                return None;
            }
            at = end;
        }
        // They are in order; a folder stands for files that are not listed.
        if is_folder || name.is_empty() || name < last {
            return None;
        }
        names.push(String::from_utf8_lossy(&name).into_owned());
        last = name;
    }
    is_whole(bytes.get(at..)?, hash).then_some(names)
}

/// Whether what follows the entries is well-formed, and says nothing that changes which files there are.
fn is_whole(mut rest: &[u8], hash: usize) -> bool {
    while rest.len() > hash {
        let (Some(name), Some(length)) = (rest.get(..4), u32_at(rest, 4)) else {
            return false;
        };
        // A part that lies in another file, and folders for files.
        if matches!(name, b"link" | b"sdir") {
            return false;
        }
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_add(8));
        match end.and_then(|end| rest.get(end..)) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    rest.len() == hash
}

/// A number of seven bits a byte, each step one more, and how many bytes it takes.
fn number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().take(8).enumerate() {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(two.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, args: &[&str]) {
        let done = Command::new("git")
            .args(args)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    fn listed(root: &AbsPath) -> Vec<String> {
        match kept(root) {
            Kept::Files(files) => files
                .iter()
                .map(|file| file.below(root).unwrap().to_owned())
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    fn repository(format: &str) -> (tempfile::TempDir, AbsPath) {
        let dir = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(dir.path()).unwrap();
        let root = AbsPath::parse(&real.to_string_lossy()).unwrap();
        git(&real, &["init", "-q", &format!("--object-format={format}")]);
        for name in [
            "src/a.rs",
            "src/long/name-that-goes-on/and-on.rs",
            "b",
            ".env",
            "\u{e4}",
        ] {
            let file = root.join(name);
            fs::create_dir_all(file.as_path().parent().unwrap()).unwrap();
            fs::write(file.as_path(), "x").unwrap();
        }
        git(&real, &["add", "src", "b", "\u{e4}"]);
        (dir, root)
    }

    #[test]
    fn what_was_added_is_kept_in_every_form_of_the_index() {
        let names = [
            "b",
            "src/a.rs",
            "src/long/name-that-goes-on/and-on.rs",
            "\u{e4}",
        ];
        for format in ["sha1", "sha256"] {
            let (_dir, root) = repository(format);
            assert_eq!(listed(&root), names);
            for version in ["2", "3", "4"] {
                git(
                    root.as_path(),
                    &["update-index", "--index-version", version],
                );
                assert_eq!(listed(&root), names, "{format} {version}");
            }
            git(root.as_path(), &["add", "-N", ".env"]);
            assert_eq!(listed(&root).len(), 5);
            assert_eq!(kept(&root.join("src/long")), kept(&root));
        }
    }

    #[test]
    fn what_cannot_be_told_is_not_taken_for_empty() {
        let (_dir, root) = repository("sha1");
        git(root.as_path(), &["update-index", "--split-index"]);
        assert_eq!(kept(&root), Kept::Untold);
        git(root.as_path(), &["update-index", "--no-split-index"]);
        let index = root.join(".git/index");
        let whole = fs::read(index.as_path()).unwrap();
        for cut in [0, 4, 11, 40, 90, whole.len() - 1] {
            fs::write(index.as_path(), &whole[..cut]).unwrap();
            assert_eq!(kept(&root), Kept::Untold, "{cut}");
        }
        fs::remove_file(index.as_path()).unwrap();
        assert_eq!(kept(&root), Kept::Untold);
    }

    #[test]
    fn a_second_work_tree_has_an_index_of_its_own() {
        let (_dir, root) = repository("sha1");
        let as_someone = ["-c", "user.name=a", "-c", "user.email=a@b"];
        git(
            root.as_path(),
            &[&as_someone[..], &["commit", "-qm", "x"]].concat(),
        );
        git(root.as_path(), &["worktree", "add", "-q", "other"]);
        let other = root.join("other");
        git(other.as_path(), &["rm", "-q", "--cached", "b"]);
        assert_eq!(listed(&other).len(), 3);
        assert_eq!(listed(&root).len(), 4);
        let outside = tempfile::tempdir().unwrap();
        let outside = AbsPath::parse(&outside.path().to_string_lossy()).unwrap();
        assert_eq!(kept(&outside), Kept::NoRepository);
    }
}
