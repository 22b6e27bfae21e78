//! A path with all places where it may lie.

use std::cell::OnceCell;

use pointsman_model::{AbsPath, PathUse, PathValue, Reach};

use smallvec::smallvec;

use super::glob::{Expanded, expand};
use crate::wild::{GAP, plain_bytes};
use crate::{EntryKind, FileId, Hops, Tree};

/// A path that is known, with the links on it followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownPath {
    /// The path as named first, the place where it lies last.
    pub(crate) hops: Hops,
    /// The same in lower case, for deny and ask rules.
    pub(crate) lower: Hops,
    /// Of a file with several names: what tells it.
    pub(crate) file: Option<FileId>,
    /// What lies there; looked at when a rule hangs on it.
    kind: OnceCell<EntryKind>,
}

impl KnownPath {
    /// Follows the links of a path.
    pub(crate) fn of(path: &AbsPath, tree: &dyn Tree) -> Self {
        let hops = tree.hops(path);
        let lower = hops.iter().map(lower).collect();
        let file = hops.last().and_then(|real| tree.file_id(real));
        Self {
            hops,
            lower,
            file,
            kind: OnceCell::new(),
        }
    }

    /// What bears this name below a folder that is not there: nothing.
    pub(crate) fn without(&self, name: &str) -> Self {
        let hops: Hops = self.hops.iter().map(|hop| hop.join(name)).collect();
        Self {
            lower: hops.iter().map(lower).collect(),
            hops,
            file: None,
            kind: OnceCell::from(EntryKind::Missing),
        }
    }

    /// Whether a folder lies there. `tree` is the one that the path was looked up in.
    pub(crate) fn is_folder(&self, tree: &dyn Tree) -> bool {
        let kind = || {
            self.real()
                .map_or(EntryKind::Missing, |real| tree.kind(real))
        };
        *self.kind.get_or_init(kind) == EntryKind::Folder
    }

    /// Where it lies.
    pub(crate) fn real(&self) -> Option<&AbsPath> {
        self.hops.last()
    }
}

/// Where a way ends: up is up from where a link leads.
pub(crate) fn walked(base: &AbsPath, way: &str, tree: &dyn Tree) -> AbsPath {
    let mut at = base.clone();
    for name in way.split('/') {
        if name == ".." {
            at = tree.hops(&at).pop().unwrap_or(at);
        }
        at = at.join(name);
    }
    at
}

/// A path in lower case.
pub(crate) fn lower(path: &AbsPath) -> AbsPath {
    let text = path.as_str();
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if text.bytes().all(is_lower) {
        return path.clone();
    }
    AbsPath::root().join(&text.to_lowercase())
}

/// What is known of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// The path.
    Known(KnownPath),
    /// A shell pattern.
    Pattern {
        /// The folder it is looked up in.
        base: KnownPath,
        /// What it stands for now.
        now: Vec<KnownPath>,
        /// Whether the rest of it lies below what is known, and nothing of the pattern can lead above the base.
        complete: bool,
        /// All it could stand for, in lower case, as a text with gaps.
        gaps: Vec<u8>,
        /// Of a pattern for names at any depth below the base: the pattern for a name.
        names: Option<Box<str>>,
        /// The same below the base, name by name; `None` when its names can't be told apart.
        segments: Option<Vec<Vec<u8>>>,
    },
    /// Nothing.
    Unknown,
}

/// A path as rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathSubject {
    /// What is known of it.
    pub(crate) kind: PathKind,
    /// How far its use goes.
    pub(crate) reach: Reach,
}

impl PathSubject {
    /// Of a path with links on it: the path as named and the place where it lies, each by itself.
    pub(crate) fn ends(&self) -> Option<[Self; 2]> {
        let PathKind::Known(path) = &self.kind else {
            return None;
        };
        let [first, .., last] = &*path.hops else {
            return None;
        };
        let alone = |end: &AbsPath| Self {
            kind: PathKind::Known(KnownPath {
                hops: smallvec![end.clone()],
                lower: smallvec![lower(end)],
                file: path.file.clone(),
                kind: OnceCell::new(),
            }),
            reach: self.reach,
        };
        Some([alone(first), alone(last)])
    }

    /// Looks a path up.
    pub(crate) fn of(used: &PathUse, tree: &dyn Tree) -> Self {
        let kind = match &used.path {
            PathValue::Known(path) => PathKind::Known(KnownPath::of(path, tree)),
            PathValue::Unknown(_) => PathKind::Unknown,
            PathValue::Pattern { base, glob } if used.path.way().is_some() => {
                PathKind::Known(KnownPath::of(&walked(base, glob, tree), tree))
            }
            PathValue::Pattern { base, glob } => {
                let Expanded { paths, complete } = expand(base, glob, tree);
                let now = paths.iter().map(|path| KnownPath::of(path, tree)).collect();
                let mut gaps: Vec<u8> = plain_bytes(&base.as_str().to_lowercase()).collect();
                if gaps.last() != Some(&b'/') {
                    gaps.push(b'/');
                }
                if glob.contains(['(', '{']) || glob.split('/').any(|part| part == "..") {
                    gaps.push(GAP);
                } else {
                    gaps.extend(crate::rule::glob_with_gaps(&glob.to_lowercase()));
                }
                let apart = !glob.contains(['(', '{'])
                    && !glob.split('/').any(|part| matches!(part, ".." | "**"));
                let segments = apart.then(|| {
                    glob.to_lowercase()
                        .split('/')
                        .filter(|part| !matches!(*part, "" | "."))
                        .map(crate::rule::glob_with_gaps)
                        .collect()
                });
                PathKind::Pattern {
                    segments,
                    base: KnownPath::of(base, tree),
                    now,
                    complete,
                    gaps,
                    names: glob.strip_prefix("**").and_then(|rest| {
                        let name = rest.strip_prefix('/').unwrap_or("*");
                        (!name.contains('/')).then(|| name.into())
                    }),
                }
            }
        };
        Self {
            kind,
            reach: used.reach,
        }
    }
}
