//! The variable in which hooks find the project's root.

use pointsman_model::AbsPath;

/// The line as the shell of a hook reads it, which has the root among its variables: the shell's own reading says where it
/// stands and what parts it.
#[must_use]
pub fn line_with_root(line: &str, project: &AbsPath) -> String {
    let root = project.as_str().replace('\'', "'\\''");
    format!("CLAUDE_PROJECT_DIR='{root}'; {line}")
}

/// The text with the project's root where its variable stands. A longer name is another variable's, which no shell is
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

/// What follows the name of the project's root, when the text begins with it.
fn after_root(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix("{CLAUDE_PROJECT_DIR}") {
        return Some(after);
    }
    let after = text.strip_prefix("CLAUDE_PROJECT_DIR")?;
    let goes_on = after.starts_with(|sign: char| sign.is_ascii_alphanumeric() || sign == '_');
    (!goes_on).then_some(after)
}
