//! Rules for paths, written from the root so that they mean the same wherever they are saved.

use pointsman_model::{AbsPath, PathUse, PathValue, Reach, RuleText};

use super::Width;
use crate::{EntryKind, Question};

/// A rule that lets it be read.
pub(super) fn read(q: &Question<'_>, used: &PathUse, width: Width) -> Option<RuleText> {
    rule(q, "Read", used, width)
}

/// A rule that lets it be changed.
pub(super) fn edit(q: &Question<'_>, used: &PathUse, width: Width) -> Option<RuleText> {
    rule(q, "Edit", used, width)
}

fn rule(q: &Question<'_>, tool: &str, used: &PathUse, width: Width) -> Option<RuleText> {
    let PathValue::Known(path) = &used.path else {
        return None;
    };
    // Of a folder, the change is of what lies in it.
    let is_folder = || q.tree.kind(path) == EntryKind::Folder;
    let reaches_below = used.reach != Reach::Itself || is_folder();
    let pattern = match (width, reaches_below) {
        (Width::Exact, false) => escaped(path)?,
        (Width::Exact | Width::Kind, true) => format!("{}/**", escaped(path)?),
        (Width::Kind, false) => {
            let folder = path.parent()?;
            // The root and what lies right below it are no place to open as a whole.
            if folder.segments().count() < 2 || holds_more(q, &folder) {
                return None;
            }
            format!("{}/**", escaped(&folder)?)
        }
    };
    Some(RuleText::new(&format!("{tool}(/{pattern})")))
}

/// Whether the folder is a home, or one that the home or the project lies in.
fn holds_more(q: &Question<'_>, folder: &AbsPath) -> bool {
    let parts = q.frozen.context.parts();
    parts.home.is_within(folder) || parts.project.is_within(folder) && parts.project != *folder
}

/// The path with what a pattern would read otherwise escaped; nothing when it can't be written in a rule.
fn escaped(path: &AbsPath) -> Option<String> {
    if pointsman_model::first_hidden(path.as_str()).is_some() || path == &AbsPath::root() {
        return None;
    }
    let mut out = String::new();
    for char in path.as_str().chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    Some(out)
}
