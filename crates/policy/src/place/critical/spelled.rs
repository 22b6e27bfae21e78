//! Words that are known only when they run, as far as their spelling tells what they may become: the
//! root when a variable is empty, what an expansion falls back to, a folder that a command prints.

use pointsman_model::AbsPath;

use super::{Precious, is_everything};

/// Commands in a substitution that print the folder, or one above it.
const PRINT_FOLDERS: [&str; 6] = [
    "pwd",
    "dirname",
    "realpath",
    "readlink",
    "--show-toplevel",
    "--git-common-dir",
];

/// Whether the word may become something that nobody wants removed.
pub(super) fn is_critical(spelling: &str, precious: Precious<'_>) -> bool {
    let plain: String = spelling
        .chars()
        .filter(|char| !matches!(char, '"' | '\''))
        .collect();
    let Some((front, rest)) = expansion(&plain) else {
        return false;
    };
    if emptied(&plain).is_some_and(|left| empty_is_critical(&left)) {
        return true;
    }
    let everything = is_nothing_or_everything(rest);
    match front {
        Front::Variable { name, form } => {
            let folder = matches!(name, "PWD" | "HOME" | "OLDPWD");
            match form {
                Form::Fallback(text) if !text.is_empty() => {
                    return leads_to_precious(&format!("{text}{rest}"), precious);
                }
                // What is left of the folder's own name is a folder above it.
                Form::Cut if folder && everything => return true,
                Form::Plain | Form::Fallback(_) | Form::Cut => {}
            }
            matches!(name, "OLDPWD") && everything || empty_is_critical(rest)
        }
        Front::Substitution(command) => {
            let prints = PRINT_FOLDERS.iter().any(|word| command.contains(word));
            prints && everything || empty_is_critical(rest)
        }
    }
}

/// What is left of a word with several expansions when all of them are empty; only of one that goes on
/// behind the last of them.
fn emptied(word: &str) -> Option<String> {
    let mut left = String::new();
    let mut rest = word;
    let mut count = 0;
    while let Some(at) = rest.find(['$', '`']) {
        left.push_str(rest.get(..at)?);
        let (_, behind) = expansion(rest.get(at..)?)?;
        rest = behind;
        count += 1;
    }
    left.push_str(rest);
    (count > 1 && !rest.is_empty()).then(|| left.replace("//", "/"))
}

/// What a word begins with.
enum Front<'w> {
    Variable {
        name: &'w str,
        form: Form<'w>,
    },
    /// The command of a substitution.
    Substitution(&'w str),
}

enum Form<'w> {
    Plain,
    /// The text that stands in for a variable that is not set, or for one that is.
    Fallback(&'w str),
    /// A part of the value.
    Cut,
}

/// The expansion that the word begins with, and what stands behind it.
fn expansion(word: &str) -> Option<(Front<'_>, &str)> {
    if let Some(inner) = word.strip_prefix("${") {
        let end = matching(inner, '{', '}')?;
        let (inside, rest) = (inner.get(..end)?, inner.get(end + 1..)?);
        let named = inside.trim_start_matches(['!', '#']);
        let length = named
            .find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
            .unwrap_or(named.len());
        let (name, operator) = named.split_at(length);
        let bare = operator.trim_start_matches(':');
        let form = match bare.chars().next() {
            None => Form::Plain,
            Some('-' | '=' | '+') => Form::Fallback(bare.get(1..).unwrap_or("")),
            Some(_) => Form::Cut,
        };
        return Some((Front::Variable { name, form }, rest));
    }
    if let Some(inner) = word.strip_prefix("$(") {
        let end = matching(inner, '(', ')')?;
        return Some((
            Front::Substitution(inner.get(..end)?),
            inner.get(end + 1..)?,
        ));
    }
    if let Some(inner) = word.strip_prefix('`') {
        let (command, rest) = inner.split_once('`')?;
        return Some((Front::Substitution(command), rest));
    }
    let inner = word.strip_prefix('$')?;
    let length = inner
        .find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
        .unwrap_or(inner.len());
    let (name, rest) = inner.split_at(length);
    let form = Form::Plain;
    Some((Front::Variable { name, form }, rest))
}

/// Where the bracket closes that was opened in front of the text.
fn matching(text: &str, opening: char, closing: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, char) in text.char_indices() {
        if char == opening {
            depth += 1;
        } else if char == closing {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// Whether what stands behind a folder is nothing, or all that lies in it.
fn is_nothing_or_everything(rest: &str) -> bool {
    rest.split('/')
        .all(|name| matches!(name, "" | "." | "..") || is_everything(name))
}

/// Whether the rest alone, when what stands in front of it is empty, is the root, all below it, or all
/// in the folder.
fn empty_is_critical(rest: &str) -> bool {
    if rest.is_empty() {
        return false;
    }
    match rest.strip_prefix('/') {
        Some(below) => is_nothing_or_everything(below),
        None => rest.contains('*') && is_everything(rest),
    }
}

/// Whether a text without further expansions is a precious place, or all that lies in one.
fn leads_to_precious(text: &str, precious: Precious<'_>) -> bool {
    let text = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", precious.home)
        }
        _ => text
            .replace("${HOME}", precious.home.as_str())
            .replace("$HOME", precious.home.as_str())
            .replace("${PWD}", precious.folder.as_str())
            .replace("$PWD", precious.folder.as_str()),
    };
    if text.is_empty() {
        return false;
    }
    let cut = text.find(['*', '?', '[']).unwrap_or(text.len());
    let (front, glob) = match text.get(..cut).and_then(|front| front.rfind('/')) {
        Some(at) if cut < text.len() => text.split_at(at + 1),
        _ if cut < text.len() => ("", text.as_str()),
        _ => (text.as_str(), ""),
    };
    let place: AbsPath = precious.folder.join(front);
    precious.includes(&place) && is_everything(glob)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::path;

    fn check(spelling: &str) -> bool {
        let (home, project) = (path("/home/dev"), path("/w/proj"));
        let precious = Precious {
            home: &home,
            project: &project,
            started_in: &project,
            folder: &project,
            linked: &[],
        };
        is_critical(spelling, precious)
    }

    #[test]
    fn words_that_may_become_precious_are_seen() {
        for spelling in [
            "$X/",
            "$X/*",
            "\"$DIR\"/*",
            "${X:-}/",
            "\"${X}\"/.*",
            "${X}*",
            "${X:-/}",
            "${X-/*}",
            "${X:=~}",
            "${X:-$HOME}",
            "${X:-.}",
            "\"${PWD%/*}\"",
            "${HOME%/dev}/*",
            "$(git rev-parse --show-toplevel)",
            "`git rev-parse --show-toplevel`/",
            "$(dirname \"$PWD\")",
            "$(x)/",
            "\"$(cat f)/\"*",
            "$X/../*",
            "$A$B/*",
            "$A/$B/*",
            "\"$A$B\"/",
        ] {
            assert!(check(spelling), "{spelling}");
        }
        for spelling in [
            "$X",
            "$X/build",
            "build/$X",
            "$X/build/*",
            "\"$f\"",
            "${X:-build}",
            "${X:-build}/*",
            "${f%.o}",
            "\"${PWD%/*}/other/build\"",
            "$(git rev-parse --show-toplevel)/build",
            "$(cat list)",
            "$A/$B",
            "$A/$B/x",
        ] {
            assert!(!check(spelling), "{spelling}");
        }
    }
}
