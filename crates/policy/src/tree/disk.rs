//! The machine's own files.

use std::fs;
use std::path::Path;

use pointsman_model::AbsPath;

use smallvec::smallvec;

use super::{EntryKind, FileId, Hops, Kept, Tree, git_index};

/// Links followed on one path before it counts as a circle; what Linux itself follows.
const HOPS_MAX: usize = 40;

/// Looks at the machine's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskTree;

impl Tree for DiskTree {
    fn hops(&self, path: &AbsPath) -> Hops {
        follow(path, |at| {
            fs::read_link(at)
                .ok()
                .and_then(|target| target.to_str().map(String::from))
        })
    }

    fn kind(&self, path: &AbsPath) -> EntryKind {
        kind_of(path.as_path())
    }

    fn nearest(&self, path: &AbsPath, name: &str) -> Option<(AbsPath, EntryKind)> {
        path.parent()?;
        // One text for all that is looked at on the way up.
        let mut at = String::with_capacity(path.as_str().len() + name.len() + 1);
        let slashes = path.as_str().match_indices('/').map(|(at, _)| at);
        for slash in slashes.rev() {
            let folder = path.as_str().get(..slash)?;
            at.clear();
            at.extend([folder, "/", name]);
            match kind_of(Path::new(&at)) {
                EntryKind::Missing => {}
                kind => return Some((AbsPath::root().join(folder), kind)),
            }
        }
        None
    }

    fn folds_case(&self, path: &AbsPath) -> bool {
        let mut at = Some(path.clone());
        while let Some(here) = at {
            if let Some(swapped) = here.name().map(swap_case)
                && here.name() != Some(&*swapped)
                && here.as_path().exists()
            {
                let twin = here.parent().map(|parent| parent.join(&swapped));
                return twin.is_some_and(|twin| same_file(here.as_path(), twin.as_path()));
            }
            at = here.parent();
        }
        false
    }

    fn list(&self, folder: &AbsPath, max: usize) -> Option<Vec<String>> {
        let entries = fs::read_dir(folder.as_path()).ok()?;
        let names = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .take(max);
        Some(names.collect())
    }

    fn read_small(&self, file: &AbsPath, bytes_max: u64) -> Option<String> {
        let meta = fs::metadata(file.as_path()).ok()?;
        if !meta.is_file() || meta.len() > bytes_max {
            return None;
        }
        fs::read_to_string(file.as_path()).ok()
    }

    #[cfg(unix)]
    fn file_id(&self, file: &AbsPath) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = fs::metadata(file.as_path()).ok()?;
        let several = meta.is_file() && meta.nlink() > 1;
        several.then(|| FileId(format!("{}:{}", meta.dev(), meta.ino()).into()))
    }

    #[cfg(not(unix))]
    fn file_id(&self, _file: &AbsPath) -> Option<FileId> {
        None
    }

    fn kept_by_git(&self, folder: &AbsPath) -> Kept {
        git_index::kept(folder)
    }
}

fn kind_of(path: &Path) -> EntryKind {
    match fs::metadata(path) {
        Err(_) => EntryKind::Missing,
        Ok(meta) if meta.is_dir() => EntryKind::Folder,
        Ok(meta) if meta.is_file() => EntryKind::File,
        Ok(_) => EntryKind::Other,
    }
}

fn swap_case(name: &str) -> String {
    name.chars()
        .map(|char| match char {
            'a'..='z' => char.to_ascii_uppercase(),
            'A'..='Z' => char.to_ascii_lowercase(),
            other => other,
        })
        .collect()
}

#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (fs::symlink_metadata(one), fs::symlink_metadata(other)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev() && one.ino() == other.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_one: &Path, other: &Path) -> bool {
    other.exists()
}

/// Follows the links of a path one by one; `link` says where a path that is a link leads.
pub(super) fn follow(path: &AbsPath, link: impl Fn(&str) -> Option<String>) -> Hops {
    let mut hops: Hops = smallvec![path.clone()];
    let mut current = path.clone();
    while hops.len() <= HOPS_MAX {
        let Some(next) = follow_one(&current, &link) else {
            break;
        };
        if hops.contains(&next) {
            break;
        }
        hops.push(next.clone());
        current = next;
    }
    hops
}

/// The path with its first link replaced by what it leads to.
fn follow_one(path: &AbsPath, link: &impl Fn(&str) -> Option<String>) -> Option<AbsPath> {
    let text = path.as_str();
    let ends = text.match_indices('/').map(|(at, _)| at).skip(1);
    for end in ends.chain([text.len()]) {
        let (front, rest) = text.split_at_checked(end)?;
        if let Some(target) = link(front) {
            let folder = front.rfind('/').and_then(|at| front.get(..at.max(1)))?;
            let folder = AbsPath::parse(folder).ok()?;
            return Some(folder.join(&target).join(rest.trim_start_matches('/')));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_one_by_one_and_circles_end() {
        let dir = tempfile::tempdir().unwrap();
        let root =
            AbsPath::parse(&fs::canonicalize(dir.path()).unwrap().to_string_lossy()).unwrap();
        fs::create_dir(root.join("real").as_path()).unwrap();
        symlink("real", root.join("one").as_path()).unwrap();
        symlink("one", root.join("two").as_path()).unwrap();
        symlink("circle", root.join("circle").as_path()).unwrap();
        let hops = DiskTree.hops(&root.join("two/new/file"));
        let expect = ["two/new/file", "one/new/file", "real/new/file"].map(|it| root.join(it));
        assert_eq!(*hops, expect);
        assert_eq!(DiskTree.hops(&root.join("circle/x")).len(), 1);
        assert_eq!(DiskTree.kind(&root.join("two")), EntryKind::Folder);
        assert_eq!(DiskTree.kind(&root.join("circle")), EntryKind::Missing);
    }

    #[test]
    fn the_nearest_folder_that_holds_a_name_is_found_on_the_way_up() {
        let dir = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(&dir.path().to_string_lossy()).unwrap();
        fs::create_dir_all(root.join("a/b/c").as_path()).unwrap();
        fs::create_dir(root.join("a/.name").as_path()).unwrap();
        fs::write(root.join(".name").as_path(), "").unwrap();
        for (from, folder, kind) in [
            ("a/b/c/file", "a", EntryKind::Folder),
            ("a/.name", "a", EntryKind::Folder),
            ("a", "", EntryKind::File),
            ("missing/file", "", EntryKind::File),
        ] {
            let found = DiskTree.nearest(&root.join(from), ".name");
            assert_eq!(found, Some((root.join(folder), kind)), "{from}");
            assert_eq!(
                found,
                super::super::nearest_by_kind(&DiskTree, &root.join(from), ".name")
            );
        }
        assert_eq!(DiskTree.nearest(&root, ".no such name"), None);
        assert_eq!(DiskTree.nearest(&AbsPath::root(), "tmp"), None);
    }

    #[test]
    fn files_are_listed_and_read_within_bounds() {
        let dir = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(&dir.path().to_string_lossy()).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(root.join(name).as_path(), "text").unwrap();
        }
        assert_eq!(DiskTree.list(&root, 2).map(|names| names.len()), Some(2));
        assert_eq!(DiskTree.list(&root.join("a"), 2), None);
        assert_eq!(
            DiskTree.read_small(&root.join("a"), 4).as_deref(),
            Some("text")
        );
        assert_eq!(DiskTree.read_small(&root.join("a"), 3), None);
        assert_eq!(DiskTree.read_small(&root, 100), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_no_text_is_listed_all_the_same() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"a\xff.key");
        fs::write(dir.path().join(name), "").unwrap();
        let root = AbsPath::parse(&dir.path().to_string_lossy()).unwrap();
        let names = DiskTree.list(&root, 9).unwrap();
        assert!(names.iter().any(|name| name.ends_with(".key")), "{names:?}");
    }

    #[test]
    fn case_counts_where_the_file_system_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(&dir.path().to_string_lossy()).unwrap();
        fs::write(root.join("name").as_path(), "").unwrap();
        let folds = root.join("NAME").as_path().exists();
        assert_eq!(DiskTree.folds_case(&root.join("name")), folds);
        assert_eq!(DiskTree.folds_case(&root.join("name/missing")), folds);
    }
}
