//! The folders that an agent may read and, mode allowing, edit in.

use pointsman_model::AbsPath;
use smallvec::SmallVec;

use crate::Tree;
use crate::subject::{KnownPath, PathKind, PathSubject, lower};

/// The agent's directories, links on them followed.
#[derive(Debug, Clone)]
pub(crate) struct Directories {
    folders: SmallVec<[AbsPath; 4]>,
}

impl Directories {
    pub(crate) fn of(directories: &[AbsPath], tree: &dyn Tree) -> Self {
        let mut folders: SmallVec<[AbsPath; 4]> = SmallVec::new();
        for directory in directories {
            let hops = tree.hops(directory);
            for folder in [Some(directory), hops.last()].into_iter().flatten() {
                if !folders.contains(folder) {
                    folders.push(folder.clone());
                }
            }
        }
        Self { folders }
    }

    /// Whether the path really lies in one of them. Compared name by name, so that `/proj-x` is not in `/proj`.
    pub(crate) fn hold(&self, path: &KnownPath, tree: &dyn Tree) -> bool {
        let Some(real) = path.real() else {
            return false;
        };
        self.folders.iter().any(|folder| real.is_within(folder))
            || (tree.folds_case(real)
                && self
                    .folders
                    .iter()
                    .any(|folder| lower(real).is_within(&lower(folder))))
    }

    /// Whether all that the subject can be lies in them.
    pub(crate) fn hold_all(&self, subject: &PathSubject, tree: &dyn Tree) -> bool {
        match &subject.kind {
            PathKind::Known(path) => self.hold(path, tree),
            // Names at any depth: what lies below a folder of theirs, links not followed.
            PathKind::Pattern {
                base,
                complete,
                names: Some(_),
                ..
            } => *complete && self.hold(base, tree),
            PathKind::Pattern {
                base,
                now,
                complete,
                ..
            } => *complete && self.hold(base, tree) && now.iter().all(|path| self.hold(path, tree)),
            PathKind::Unknown => false,
        }
    }

    /// The folders, as named and as they lie.
    pub(crate) fn folders(&self) -> &[AbsPath] {
        &self.folders
    }
}
