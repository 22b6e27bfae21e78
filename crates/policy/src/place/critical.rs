//! Removals that nobody wants: the root, what lies right below it, a home, the agent's folder and all above it,
//! everything in one of its directories; also where a variable that may be empty makes it so.

use pointsman_model::{AbsPath, PathUse, PathValue};

use super::Directories;
use crate::subject::{KnownPath, PathKind, PathSubject};

/// The folders that removals are measured by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precious<'a> {
    /// The user's home.
    pub(crate) home: &'a AbsPath,
    /// The project's root.
    pub(crate) project: &'a AbsPath,
    /// The folder the agent started in.
    pub(crate) started_in: &'a AbsPath,
    /// The folder it is in.
    pub(crate) folder: &'a AbsPath,
}

impl Precious<'_> {
    fn includes(&self, path: &AbsPath) -> bool {
        let below_root = path.parent().is_none_or(|parent| parent == AbsPath::root());
        below_root
            || [self.home, self.project, self.started_in, self.folder]
                .iter()
                .any(|precious| precious.is_within(path))
    }
}

/// Whether removing this is one of them.
pub(crate) fn is_critical(
    used: &PathUse,
    subject: &PathSubject,
    precious: Precious<'_>,
    directories: &Directories,
) -> bool {
    let known = |path: &KnownPath| path.hops.iter().any(|hop| precious.includes(hop));
    match (&subject.kind, &used.path) {
        (PathKind::Known(path), _) => known(path),
        (PathKind::Pattern { base, now, .. }, PathValue::Pattern { glob, .. }) => {
            let holds = |folder: &AbsPath| {
                precious.includes(folder) || directories.folders().contains(folder)
            };
            let right_below_root = base.hops.contains(&AbsPath::root()) && !glob.contains('/');
            let everything = base.hops.iter().any(holds) && is_everything(glob);
            right_below_root || everything || now.iter().any(known)
        }
        (PathKind::Unknown, PathValue::Unknown(spelling)) => empties_to_root(spelling),
        (PathKind::Pattern { .. } | PathKind::Unknown, _) => true,
    }
}

/// Whether a pattern's first name is made of nothing but wildcards.
fn is_everything(glob: &str) -> bool {
    let first = glob.split('/').next().unwrap_or_default();
    first
        .chars()
        .all(|char| matches!(char, '*' | '?' | '.' | '{' | '}' | ',' | '[' | ']' | '!'))
}

/// Whether a word becomes the root, or all below it, when the variable it begins with is empty.
fn empties_to_root(spelling: &str) -> bool {
    let plain: String = spelling
        .chars()
        .filter(|char| !matches!(char, '"' | '\''))
        .collect();
    let Some(after) = plain.strip_prefix('$') else {
        return false;
    };
    let rest = match after.strip_prefix('{') {
        Some(inner) => inner.split_once('}').map_or("", |(_, rest)| rest),
        None => after.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_'),
    };
    match rest.strip_prefix('/') {
        Some(below) => !below.contains('/') && is_everything(below),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_in_front_of_a_slash_is_seen() {
        for spelling in ["$X/", "$X/*", "\"$DIR\"/*", "${X:-}/", "\"${X}\"/.*"] {
            assert!(empties_to_root(spelling), "{spelling}");
        }
        for spelling in ["$X", "$X/build", "build/$X", "$X/build/*", "\"$f\""] {
            assert!(!empties_to_root(spelling), "{spelling}");
        }
    }
}
