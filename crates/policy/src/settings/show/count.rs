//! How many present files the patterns of all rules cover, counted in one walk.
//!
//! Each folder that patterns begin in is looked through to a bound of its own. Where one lies in another, both
//! are looked through at the same time, so that no file is looked at twice.

use std::collections::BTreeMap;
use std::rc::Rc;

use pointsman_model::AbsPath;
use rustc_hash::FxHashMap;

use super::FileCount;
use crate::index::{AnchoredPath, Compiled, Strength};
use crate::subject::lower;
use crate::{EntryKind, RuleIndex, Tree};

/// How many entries are looked at below one folder: a second's work on a slow disk.
const LOOKED_AT_MAX: usize = 50_000;

/// What was counted.
pub(super) struct Count<'a> {
    index: &'a RuleIndex,
    /// By the place of its rule in the index and the folder it hangs on.
    found: FxHashMap<(usize, AbsPath), u32>,
    /// Where patterns begin, outer folders before those in them.
    begins: BTreeMap<AbsPath, LookedAt>,
}

/// How many entries below a beginning were looked at; nothing before the walk comes there.
type LookedAt = Option<usize>;

/// Something that is still to be looked at, and the beginnings that it lies in.
type Open = (AbsPath, Rc<[AbsPath]>);

impl<'a> Count<'a> {
    /// Looks at all that lies at and below the beginnings of the index's patterns.
    pub(super) fn of(
        index: &'a RuleIndex,
        begins: impl Iterator<Item = AbsPath>,
        tree: &dyn Tree,
    ) -> Self {
        let mut count = Self {
            index,
            found: FxHashMap::default(),
            begins: begins.map(|begin| (begin, None)).collect(),
        };
        let outer_first: Vec<AbsPath> = count.begins.keys().cloned().collect();
        for begin in outer_first {
            // One that another's walk has met is counted; one behind a link, or beyond another's bound, is not.
            if count.begins.get(&begin) == Some(&None) {
                count.walk(begin, tree);
            }
        }
        count
    }

    /// How many files a pattern covers, of those at and below where it begins.
    pub(super) fn files(&self, rule: usize, at: &AnchoredPath, begin: &AbsPath) -> FileCount {
        let key = (rule, at.folder.clone());
        let found = self.found.get(&key).copied().unwrap_or(0);
        match self.begins.get(begin) {
            Some(Some(looked_at)) if *looked_at <= LOOKED_AT_MAX => FileCount::Exactly(found),
            Some(Some(_) | None) | None => FileCount::AtLeast(found),
        }
    }

    /// Links to folders are not followed, so that no file counts twice and the walk ends.
    fn walk(&mut self, begin: AbsPath, tree: &dyn Tree) {
        let mut open: Vec<Open> = vec![(begin, Rc::new([]))];
        while let Some((path, within)) = open.pop() {
            let begins_here = self.begins.get(&path) == Some(&None);
            let within = if begins_here {
                self.begins.insert(path.clone(), Some(0));
                within.iter().chain([&path]).cloned().collect()
            } else {
                within
            };
            if !self.counts(&within) {
                continue;
            }
            match tree.kind(&path) {
                EntryKind::File => self.file(&path),
                EntryKind::Folder if begins_here || tree.hops(&path).len() == 1 => {
                    let names = tree.list(&path, LOOKED_AT_MAX).unwrap_or_default();
                    let inner = names
                        .iter()
                        .map(|name| (path.join(name), Rc::clone(&within)));
                    open.extend(inner);
                }
                EntryKind::Folder | EntryKind::Missing | EntryKind::Other => {}
            }
        }
    }

    /// Counts an entry for each beginning that it lies in; whether one of them still wants it.
    fn counts(&mut self, within: &[AbsPath]) -> bool {
        let mut wanted = false;
        for begin in within {
            if let Some(Some(looked_at)) = self.begins.get_mut(begin)
                && *looked_at <= LOOKED_AT_MAX
            {
                *looked_at += 1;
                wanted |= *looked_at <= LOOKED_AT_MAX;
            }
        }
        wanted
    }

    fn file(&mut self, path: &AbsPath) {
        let lower = lower(path);
        for (number, it) in self.index.on_spelling(&lower) {
            let spelling = if it.tightens() { &lower } else { path };
            for at in covering(it, spelling) {
                *self.found.entry((number, at.folder.clone())).or_default() += 1;
            }
        }
    }
}

fn covering<'i>(it: &'i Compiled, path: &AbsPath) -> impl Iterator<Item = &'i AnchoredPath> {
    let meant = it.paths.iter().filter(|at| at.meant == Strength::Sure);
    meant.filter(move |at| at.covers(path))
}
