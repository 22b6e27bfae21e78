//! Rules for paths, written from the root so that they mean the same wherever they are saved.

use pointsman_model::{AbsPath, PathUse, PathValue, RuleText};

use super::Width;

/// A rule that lets it be read.
pub(super) fn read(used: &PathUse, width: Width) -> Option<RuleText> {
    rule("Read", used, width)
}

/// A rule that lets it be changed.
pub(super) fn edit(used: &PathUse, width: Width) -> Option<RuleText> {
    rule("Edit", used, width)
}

fn rule(tool: &str, used: &PathUse, width: Width) -> Option<RuleText> {
    let PathValue::Known(path) = &used.path else {
        return None;
    };
    let reaches_below = used.reach != pointsman_model::Reach::Itself;
    let pattern = match (width, reaches_below) {
        (Width::Exact, false) => escaped(path)?,
        (Width::Exact | Width::Kind, true) => format!("{}/**", escaped(path)?),
        (Width::Kind, false) => {
            let folder = path.parent()?;
            // The root and what lies right below it are no place to open as a whole.
            if folder.segments().count() < 2 {
                return None;
            }
            format!("{}/**", escaped(&folder)?)
        }
    };
    Some(RuleText::new(&format!("{tool}(/{pattern})")))
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
