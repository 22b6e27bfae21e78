//! Removals that nobody wants: the root, what lies right below it, a home, the agent's folder and all above it,
//! everything in one of its directories; also where a variable that may be empty makes it so.

mod spelled;

use pointsman_model::{AbsPath, PathUse, PathValue, Reach};

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
    /// Where links lead to on the way to these.
    pub(crate) linked: &'a [AbsPath],
}

impl Precious<'_> {
    fn includes(&self, path: &AbsPath) -> bool {
        let below_root = path.parent().is_none_or(|parent| parent == AbsPath::root());
        below_root
            || [self.home, self.project, self.started_in, self.folder]
                .into_iter()
                .chain(self.linked)
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
    // Of what lies below, a tool's own choice: a clean removes what nobody has saved.
    if used.reach == Reach::ContentBelow {
        return false;
    }
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
        (PathKind::Unknown, PathValue::Unknown(spelling)) => {
            spelled::is_critical(spelling, precious)
        }
        (PathKind::Pattern { .. } | PathKind::Unknown, _) => true,
    }
}

/// Whether a pattern is made of nothing but wildcards.
fn is_everything(glob: &str) -> bool {
    glob.chars().all(|char| {
        matches!(
            char,
            '*' | '?' | '.' | '{' | '}' | ',' | '[' | ']' | '!' | '/'
        )
    })
}
