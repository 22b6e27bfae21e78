//! What the patterns of a call find on the disk at this moment.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use pointsman_model::{AbsPath, Effects};
use pointsman_policy::{
    Becomes, EntryKind, Executed, Role, Searched, Spelling, may_match, says_it_is_code, searched,
};

/// So many entries of folders are looked at for the patterns of a call: more than a project's own files, and looked
/// through while somebody waits. What lies behind them is not found.
const ENTRIES_MAX: usize = 10_000;

/// Folders in which tools keep a great many files that no person wrote.
const LATE: &[&str] = &[".git", "node_modules", "target", ".venv", "venv", "vendor"];

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
            let mut search = Search::new(&pattern, left);
            search.run();
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

/// One pattern that is looked up: what lies near before what lies deep, and what tools keep for themselves last.
struct Search {
    segments: Vec<String>,
    names: BTreeSet<String>,
    files: BTreeSet<String>,
    near: VecDeque<Step>,
    late: VecDeque<Step>,
    /// The folder that was listed last, with what is in it.
    listed: Option<(PathBuf, Vec<Entry>)>,
    /// How many entries are looked at still.
    left: usize,
}

type Entry = (String, fs::FileType);

/// A folder, reached by the names `way`, in which is looked for what the pattern says from its part `at` on.
struct Step {
    folder: PathBuf,
    way: String,
    at: usize,
}

impl Search {
    fn new(pattern: &Searched, left: usize) -> Self {
        let begin = Step {
            folder: pattern.base.as_path().to_owned(),
            way: String::new(),
            at: 0,
        };
        Self {
            segments: segments(&pattern.glob),
            names: BTreeSet::new(),
            files: BTreeSet::new(),
            near: VecDeque::from([begin]),
            late: VecDeque::new(),
            listed: None,
            left,
        }
    }

    fn run(&mut self) {
        while let Some(step) = self.near.pop_front().or_else(|| self.late.pop_front()) {
            self.look(&step);
        }
    }

    fn look(&mut self, step: &Step) {
        let Some(part) = self.segments.get(step.at).cloned() else {
            return;
        };
        let is_last = step.at + 1 == self.segments.len();
        if !part.contains(['*', '?', '[', '\\']) {
            let place = step.folder.join(&part);
            let kind = fs::symlink_metadata(&place).map(|found| kind_of(&place, found.file_type()));
            match (kind, is_last) {
                (Ok(kind), true) => self.take(joined(&step.way, &part), kind),
                (Ok(EntryKind::Folder), false) => self.go(step, &part, step.at + 1),
                (Ok(_), false) | (Err(_), _) => {}
            }
            return;
        }
        // Any depth is none, too.
        let any_depth = part == "**";
        if any_depth && !is_last {
            self.near.push_front(Step {
                folder: step.folder.clone(),
                way: step.way.clone(),
                at: step.at + 1,
            });
        }
        for (name, file_type) in self.entries(&step.folder) {
            if !any_depth && !may_match(&part, &name) {
                continue;
            }
            let kind = kind_of(&step.folder.join(&name), file_type);
            let is_folder = kind == EntryKind::Folder;
            if is_last {
                self.take(joined(&step.way, &name), kind);
            }
            // Links lead on where a name is asked for, not on the way down.
            if any_depth && is_folder && !file_type.is_symlink() {
                self.go(step, &name, step.at);
            } else if !any_depth && is_folder && !is_last {
                self.go(step, &name, step.at + 1);
            }
        }
    }

    fn go(&mut self, from: &Step, name: &str, at: usize) {
        let step = Step {
            folder: from.folder.join(name),
            way: joined(&from.way, name),
            at,
        };
        match LATE.contains(&name) {
            true => self.late.push_back(step),
            false => self.near.push_back(step),
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
    fn entries(&mut self, folder: &Path) -> Vec<Entry> {
        if let Some((listed, entries)) = &self.listed
            && listed == folder
        {
            return entries.clone();
        }
        let listed = fs::read_dir(folder).into_iter().flatten();
        let entries = listed.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, entry.file_type().ok()?))
        });
        let mut entries: Vec<Entry> = entries.take(self.left).collect();
        self.left = self.left.saturating_sub(entries.len());
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        self.listed = Some((folder.to_owned(), entries.clone()));
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
