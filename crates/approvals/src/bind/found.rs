//! What the patterns of a call find on the disk at this moment.

mod search;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use pointsman_model::{AbsPath, Effects};
use pointsman_policy::{
    Becomes, Executed, Role, SEARCHED_MAX, Searched, Spelling, says_it_is_code, searched,
};

use self::search::{Lookup, Search};
use super::climbed::Climbed;

/// A pattern of more parts than this is not looked up: no tree of a project is half as deep.
const SEGMENTS_MAX: usize = 64;

/// What the patterns of a call find.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    /// Each pattern, with the names that it finds below its folder, in order.
    pub(super) names: Vec<(Searched, BTreeSet<PathBuf>)>,
    /// The files among them, which may be folders by the time that they are looked at.
    pub(super) files: BTreeSet<PathBuf>,
    /// Whether there may be more than were looked at.
    pub(super) is_cut: bool,
}

impl FoundFiles {
    /// What is there now. Blocks on the disk.
    pub(super) fn now(folder: &AbsPath, effects: &Effects, climbed: &BTreeSet<Climbed>) -> Self {
        let patterns = searched(folder, effects);
        let mut is_cut = patterns.len() >= SEARCHED_MAX;
        let mut lookups = Vec::new();
        for pattern in patterns {
            let Some(segments) = segments(&pattern.glob) else {
                is_cut = true;
                continue;
            };
            // What is spelled through a link is looked up where that leads, too.
            let elsewhere = climbed
                .iter()
                .filter_map(|it| Some(it.place.join(pattern.base.below(&it.named)?)));
            for base in elsewhere.chain([pattern.base.clone()]) {
                let pattern = Searched {
                    base,
                    ..pattern.clone()
                };
                lookups.push(Lookup {
                    pattern,
                    segments: segments.clone(),
                    names: BTreeSet::new(),
                });
            }
        }
        let search = Search::of(lookups);
        let names = search.lookups.into_iter();
        Self {
            names: names.map(|it| (it.pattern, it.names)).collect(),
            files: search.files,
            is_cut: is_cut || search.is_cut,
        }
    }

    /// Those that are run, and those of a script's arguments that are code by their names; nothing where one of them has a
    /// name that is no text.
    pub(super) fn executed(&self) -> Option<Vec<Executed>> {
        let mut executed = Vec::new();
        for (pattern, names) in &self.names {
            let role = match pattern.becomes {
                Becomes::Code => Role::Code,
                Becomes::Argument => Role::Argument,
                Becomes::Handed => continue,
            };
            let is_shown = |name: &&PathBuf| {
                role == Role::Code || says_it_is_code(&name.to_string_lossy(), b"")
            };
            let paths = names
                .iter()
                .filter(is_shown)
                .map(|name| place_of(pattern.base.as_path(), name));
            for path in paths.filter(|path| self.files.contains(path)) {
                executed.push(Executed {
                    path: AbsPath::parse(path.to_str()?).ok()?,
                    role,
                    spelling: Spelling::LookedUp,
                });
            }
        }
        Some(executed)
    }
}

/// The parts of a pattern; one that is read in several ways finds anything. Nothing when there are too many of them.
fn segments(glob: &str) -> Option<Vec<String>> {
    let mut segments: Vec<String> = Vec::new();
    for part in glob.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let part = match part.contains(['(', '{']) {
            true => "*",
            false => part,
        };
        // Folders of any depth below folders of any depth are no others.
        if part == "**" && segments.last().is_some_and(|last| last == "**") {
            continue;
        }
        if segments.len() == SEGMENTS_MAX {
            return None;
        }
        segments.push(part.to_owned());
    }
    Some(segments)
}

/// Where a name lies, as the system goes up from what a link leads to.
fn place_of(base: &Path, name: &Path) -> PathBuf {
    let place = base.join(name);
    match name.components().any(|part| part == Component::ParentDir) {
        true => fs::canonicalize(&place).unwrap_or(place),
        false => place,
    }
}
