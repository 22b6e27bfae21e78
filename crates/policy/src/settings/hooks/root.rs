//! The variables in which hooks find the project's root.

use pointsman_model::AbsPath;

/// The names of the project's root in the environment of hooks: Claude Code's and pointsman's own.
pub const ROOT_VARIABLES: [&str; 2] = ["CLAUDE_PROJECT_DIR", "POINTSMAN_PROJECT_DIR"];

/// The line as the shell of a hook reads it, which has the root among its variables: the shell's own reading says where it
/// stands and what parts it.
#[must_use]
pub fn line_with_root(line: &str, project: &AbsPath) -> String {
    let root = quoted(project.as_str());
    let known = ROOT_VARIABLES.map(|name| format!("{name}={root}"));
    format!("{}; {line}", known.join(" "))
}

/// The text as one word of a shell's line.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The text with the project's root where one of its variables stands. A longer name is another variable's, which no shell is
/// there to look up.
#[must_use]
pub fn with_root(text: &str, project: &AbsPath) -> String {
    let mut placed = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        placed.push_str(before);
        match after_root(after) {
            Some(after) => {
                placed.push_str(project.as_str());
                rest = after;
            }
            None => {
                placed.push('$');
                rest = after;
            }
        }
    }
    placed.push_str(rest);
    placed
}

/// What follows a name of the project's root, when the text begins with one.
fn after_root(text: &str) -> Option<&str> {
    ROOT_VARIABLES.into_iter().find_map(|name| {
        if let Some(braced) = text.strip_prefix('{') {
            return braced.strip_prefix(name)?.strip_prefix('}');
        }
        let after = text.strip_prefix(name)?;
        let goes_on = after.starts_with(|sign: char| sign.is_ascii_alphanumeric() || sign == '_');
        (!goes_on).then_some(after)
    })
}
