//! How policy looks at paths: where symbolic links lead, what stands where, whether case counts.
//!
//! [`DiskTree`] looks at the machine's files, [`CaseTree`] at the `fs` of a case. Nothing here
//! writes, and a path that can't be looked at is simply what its text says.

mod case;
mod disk;
mod git_index;

use pointsman_model::AbsPath;
use pointsman_shell::NameCase;
use smallvec::SmallVec;

pub use case::CaseTree;
pub use disk::DiskTree;

/// What stands at a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// Nothing, or nothing that can be seen.
    Missing,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A device, a socket, a pipe.
    Other,
}

/// What tells a file that has several names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(Box<str>);

/// The files that a repository keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// There is no repository.
    NoRepository,
    /// These.
    Files(Vec<AbsPath>),
    /// There is one, and what it keeps can't be told.
    Untold,
    /// A case does not say. A search may look at any file that is there; that one of them changed is not taken for
    /// granted.
    Unsaid,
}

/// The spellings of a path on the way to where it lies; most paths have one.
pub type Hops = SmallVec<[AbsPath; 2]>;

/// Whether programs of that machine answer to their names in another case.
#[must_use]
pub fn name_case(tree: &dyn Tree) -> NameCase {
    if tree.folds_case(&AbsPath::root().join("usr/bin")) {
        NameCase::Folds
    } else {
        NameCase::Counts
    }
}

/// The files a decision is made over.
pub trait Tree: Send + Sync {
    /// Every spelling under which the path is reached while its symbolic links are followed one by
    /// one: the path itself first, the place where it really lies last. Parts that don't exist are kept as
    /// they are, so that a new file below a linked folder is found where it will lie.
    fn hops(&self, path: &AbsPath) -> Hops;

    /// What stands there.
    fn kind(&self, path: &AbsPath) -> EntryKind;

    /// The nearest folder above the path that holds something of that name, with what it is.
    fn nearest(&self, path: &AbsPath, name: &str) -> Option<(AbsPath, EntryKind)> {
        nearest_by_kind(self, path, name)
    }

    /// Whether the file system there takes `A` and `a` for the same name.
    fn folds_case(&self, path: &AbsPath) -> bool;

    /// The names in a folder, at most `max` of them; nothing when it is no folder or can't be read.
    fn list(&self, folder: &AbsPath, max: usize) -> Option<Vec<String>>;

    /// The text of a file of at most `bytes_max`; nothing when it is larger, missing or no UTF-8.
    fn read_small(&self, file: &AbsPath, bytes_max: u64) -> Option<String>;

    /// What is the same for all names of a file that has more than one; nothing for a file with one name.
    fn file_id(&self, file: &AbsPath) -> Option<FileId>;

    /// The files that the repository keeps which the folder lies in.
    fn kept_by_git(&self, folder: &AbsPath) -> Kept;
}

/// Looks in one folder after the other.
fn nearest_by_kind(
    tree: &(impl Tree + ?Sized),
    path: &AbsPath,
    name: &str,
) -> Option<(AbsPath, EntryKind)> {
    let mut at = path.parent();
    while let Some(folder) = at {
        match tree.kind(&folder.join(name)) {
            EntryKind::Missing => at = folder.parent(),
            kind => return Some((folder, kind)),
        }
    }
    None
}
