//! What the patterns of a call find on the disk at this moment.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pointsman_model::{AbsPath, Effects};
use pointsman_policy::{
    Becomes, EntryKind, Executed, Role, Searched, Spelling, may_match, says_it_is_code, searched,
};

/// So many entries of folders are looked at for the patterns of a call: more than a project's own files, and looked
/// through while somebody waits. What lies behind them is not found.
const ENTRIES_MAX: usize = 10_000;

/// What the patterns of a call find.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    /// Each pattern, with the names that it finds below its folder, in order.
    pub(super) names: Vec<(Searched, Vec<String>)>,
    /// The files among them, which may be folders by the time that they are looked at.
    pub(super) files: BTreeSet<AbsPath>,
}

impl FoundFiles {
    /// What is there now. Blocks on the disk.
    pub(super) fn now(folder: &AbsPath, effects: &Effects) -> Self {
        let mut found = Self::default();
        let mut left = ENTRIES_MAX;
        for pattern in searched(folder, effects) {
            let mut search = Search {
                segments: segments(&pattern.glob),
                names: BTreeSet::new(),
                files: BTreeSet::new(),
                left,
            };
            search.look(pattern.base.as_path(), "", 0);
            left = search.left;
            let files = search.files.iter().map(|name| pattern.base.join(name));
            found.files.extend(files);
            found
                .names
                .push((pattern, search.names.into_iter().collect()));
        }
        found
    }

    /// Those that are run, and those of a script's arguments that are code by their names.
    pub(super) fn executed(&self) -> Vec<Executed> {
        let mut executed = Vec::new();
        for (pattern, names) in &self.names {
            let role = match pattern.becomes {
                Becomes::Code => Role::Code,
                Becomes::Argument => Role::Argument,
                Becomes::Handed => continue,
            };
            let is_shown = |name: &&String| role == Role::Code || says_it_is_code(name, b"");
            let paths = names
                .iter()
                .filter(is_shown)
                .map(|name| pattern.base.join(name));
            let files = paths.filter(|path| self.files.contains(path));
            executed.extend(files.map(|path| Executed {
                path,
                role,
                spelling: Spelling::LookedUp,
            }));
        }
        executed
    }
}

/// The parts of a pattern; one that is read in several ways finds anything.
fn segments(glob: &str) -> Vec<String> {
    let parts = glob.split('/').filter(|part| !matches!(*part, "" | "."));
    let parts = parts.map(|part| match part.contains(['(', '{']) {
        true => "*".to_owned(),
        false => part.to_owned(),
    });
    parts.collect()
}

/// One pattern that is looked up.
struct Search {
    segments: Vec<String>,
    names: BTreeSet<String>,
    files: BTreeSet<String>,
    /// How many entries are looked at still.
    left: usize,
}

impl Search {
    /// Looks in a folder, reached by the names `way`, for what the pattern says from its part `at` on.
    fn look(&mut self, folder: &Path, way: &str, at: usize) {
        let Some(part) = self.segments.get(at).cloned() else {
            return;
        };
        let is_last = at + 1 == self.segments.len();
        if !part.contains(['*', '?', '[', '\\']) {
            let (place, way) = (folder.join(&part), joined(way, &part));
            let kind = fs::symlink_metadata(&place).map(|found| kind_of(&place, found.file_type()));
            match (kind, is_last) {
                (Ok(kind), true) => self.take(way, kind),
                (Ok(EntryKind::Folder), false) => self.look(&place, &way, at + 1),
                (Ok(_), false) | (Err(_), _) => {}
            }
            return;
        }
        // Any depth is none, too.
        let any_depth = part == "**";
        if any_depth && !is_last {
            self.look(folder, way, at + 1);
        }
        for (name, file_type) in self.entries(folder) {
            if !any_depth && !may_match(&part, &name) {
                continue;
            }
            let (place, way) = (folder.join(&name), joined(way, &name));
            let kind = kind_of(&place, file_type);
            let is_folder = kind == EntryKind::Folder;
            if is_last {
                self.take(way.clone(), kind);
            }
            // Links lead on where a name is asked for, not on the way down.
            if any_depth && is_folder && !file_type.is_symlink() {
                self.look(&place, &way, at);
            } else if !any_depth && is_folder && !is_last {
                self.look(&place, &way, at + 1);
            }
        }
    }

    fn take(&mut self, name: String, kind: EntryKind) {
        match kind {
            EntryKind::Folder => {}
            EntryKind::File | EntryKind::Other | EntryKind::Missing => {
                self.files.insert(name.clone());
            }
        }
        self.names.insert(name);
    }

    /// What is in a folder, by its names in order; as much of it as is looked at still.
    fn entries(&mut self, folder: &Path) -> Vec<(String, fs::FileType)> {
        let listed = fs::read_dir(folder).into_iter().flatten();
        let entries = listed.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, entry.file_type().ok()?))
        });
        let mut entries: Vec<_> = entries.take(self.left).collect();
        self.left = self.left.saturating_sub(entries.len());
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries
    }
}

/// What stands at a place, links followed; of what a folder's list tells, without another look.
fn kind_of(place: &Path, listed: fs::FileType) -> EntryKind {
    let is_folder = match listed.is_symlink() {
        true => place.is_dir(),
        false => listed.is_dir(),
    };
    match is_folder {
        true => EntryKind::Folder,
        false => EntryKind::File,
    }
}

fn joined(way: &str, name: &str) -> String {
    match way {
        "" => name.to_owned(),
        way => format!("{way}/{name}"),
    }
}
