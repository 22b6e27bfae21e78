//! Protected places: what is changed there runs later, or decides what may run.

use bstr::ByteSlice as _;
use gix_glob::wildmatch::Mode;
use pointsman_model::{AbsPath, Reach};

use super::git;
use crate::subject::{KnownPath, PathKind, PathSubject};
use crate::{EntryKind, Tree};

/// Folders that are protected with all that lies in them, wherever they are. Those of the agents' settings, of editors and
/// build tools are what Claude Code documents; keys and pointsman's own are ours.
const FOLDERS: &[&str] = &[
    ".git",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".yarn",
    ".mvn",
    ".claude",
    ".pointsman",
    ".ssh",
    ".gnupg",
];

/// The same for folders known by two names.
const FOLDERS_OF_TWO: &[(&str, &str)] = &[
    (".config", "git"),
    (".config", "pointsman"),
    ("state", "pointsman"),
];

/// Files that are protected wherever they are: shell start files, settings of tools that name programs to run, keys.
const FILES: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".bazeliskrc",
    ".bazelrc",
    ".bazelversion",
    ".bunfig.toml",
    ".claude.json",
    ".devcontainer.json",
    ".envrc",
    ".git-credentials",
    ".gitconfig",
    ".gitmodules",
    ".lefthook.yaml",
    ".lefthook.yml",
    ".mcp.json",
    ".netrc",
    ".npmrc",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ".pnpmfile.cjs",
    ".pre-commit-config.yaml",
    ".profile",
    ".ripgreprc",
    ".yarnrc",
    ".yarnrc.yml",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "authorized_keys",
    "bunfig.toml",
    "gradle-wrapper.properties",
    "lefthook.yaml",
    "lefthook.yml",
    "maven-wrapper.properties",
    "pyrightconfig.json",
];

/// A protected place that a change of the subject would reach.
pub(crate) fn protected(
    subject: &PathSubject,
    removes: Removes,
    tree: &dyn Tree,
) -> Option<AbsPath> {
    match &subject.kind {
        PathKind::Known(path) => protected_path(path, removes, tree),
        PathKind::Pattern { base, now, .. } => protected_path(base, Removes::No, tree)
            .or_else(|| {
                // Files that nobody names: a tool's own choice, like a checkout.
                let unnamed = subject.reach == Reach::ContentBelow && removes == Removes::No;
                now.iter()
                    .filter(|_| !unnamed)
                    .find_map(|path| protected_path(path, removes, tree))
            })
            .or_else(|| store_below(subject, tree)),
        PathKind::Unknown => None,
    }
}

/// The repository's store below the folder that a pattern looks through at any depth, where the
/// pattern fits a file of the store: `find . -exec sed -i ...` reaches it too.
fn store_below(subject: &PathSubject, tree: &dyn Tree) -> Option<AbsPath> {
    let PathKind::Pattern { base, names, .. } = &subject.kind else {
        return None;
    };
    let names = names.as_deref()?;
    // A tool's own choice, or a search that leaves hidden folders out.
    if subject.reach == Reach::ContentBelow || names == "[!.]*" {
        return None;
    }
    let fits = |name: &str| {
        gix_glob::wildmatch(
            names.as_bytes().as_bstr(),
            name.as_bytes().as_bstr(),
            Mode::NO_MATCH_SLASH_LITERAL,
        )
    };
    STORE_NAMES.iter().find(|name| fits(name))?;
    base.hops
        .iter()
        .map(|hop| hop.join(".git"))
        .find(|store| tree.kind(store) != EntryKind::Missing)
}

/// Names of files in a repository's store that decide what runs, or without which it is lost.
const STORE_NAMES: [&str; 7] = [
    "config",
    "HEAD",
    "index",
    "packed-refs",
    "pre-commit",
    "post-checkout",
    "description",
];

/// Whether the change removes what is there, and all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removes {
    /// It does.
    Yes,
    /// It changes the one file.
    No,
}

pub(super) fn protected_path(
    path: &KnownPath,
    removes: Removes,
    tree: &dyn Tree,
) -> Option<AbsPath> {
    let hit = path
        .hops
        .iter()
        .zip(&path.lower)
        .find(|(_, lower)| is_protected(lower))
        .map(|(hop, _)| hop.clone());
    hit.or_else(|| {
        let reached = |hop: &&AbsPath| git::holds_hooks_or_store(hop, tree);
        path.hops.iter().find(reached).cloned()
    })
    .or_else(|| match removes {
        Removes::No => None,
        Removes::Yes => path.hops.iter().find_map(|hop| {
            if holds_ours(hop, tree) {
                return Some(hop.clone());
            }
            [".git", ".claude", ".pointsman"]
                .iter()
                .map(|name| hop.join(name))
                .find(|inner| tree.kind(inner) != EntryKind::Missing)
        }),
    })
}

/// The protected place that a change of a path would reach which only its spelling tells of (`"$d/.git/config"`), taken to
/// lie in the folder: what it ends in is known.
pub(crate) fn protected_by_spelling(source: &str, folder: &AbsPath) -> Option<AbsPath> {
    let spelled = |name: &&str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let source = source.replace(['"', '\''], "");
    let mut names: Vec<&str> = source.rsplit('/').take_while(spelled).collect();
    names.reverse();
    let end = names.join("/");
    let path = folder.join(&end);
    let place = || is_protected(&crate::subject::lower(&AbsPath::root().join(&end)));
    let of_the_store = || {
        ["--git-dir", "--git-common-dir", "--git-path"]
            .iter()
            .any(|option| source.contains(option))
    };
    let hook = || matches!(names.as_slice(), [.., "hooks", name] if git::is_hook(name));
    (!end.is_empty() && place() || of_the_store() || hook()).then_some(path)
}

pub(super) fn is_protected(lower: &AbsPath) -> bool {
    let mut names = lower.segments().map(plain_name).peekable();
    let mut last = None;
    while let Some(name) = names.next() {
        let next = names.peek().copied();
        // Work trees of agents lie there; what is in them is judged by itself.
        if name == ".claude" && next == Some("worktrees") {
            last = names.next();
            continue;
        }
        let two = |(one, other): &(&str, &str)| name == *one && next == Some(other);
        let ours = name == "pointsman" && next.is_some_and(is_state_or_settings);
        if ours || FOLDERS.contains(&name) || FOLDERS_OF_TWO.iter().any(two) {
            return true;
        }
        last = Some(name);
    }
    last.is_some_and(|name| FILES.contains(&name))
}

/// What pointsman keeps in its folders, wherever the environment puts these: its settings, and a folder a project
/// named after it and the start of its path's digest.
fn is_state_or_settings(name: &str) -> bool {
    let digest = name.rsplit_once('-').map(|(_, digest)| digest);
    name == "settings.json"
        || digest.is_some_and(|it| it.len() == 8 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether the folder is one that pointsman keeps something in.
fn holds_ours(folder: &AbsPath, tree: &dyn Tree) -> bool {
    const NAMES_MAX: usize = 200;
    let named = folder
        .name()
        .is_some_and(|name| name.eq_ignore_ascii_case("pointsman"));
    named
        && tree
            .list(folder, NAMES_MAX)
            .is_some_and(|names| names.iter().any(|name| is_state_or_settings(name)))
}

/// A name as file systems take it that drop trailing dots and blanks, know streams and short names.
fn plain_name(name: &str) -> &str {
    let name = name.split(':').next().unwrap_or(name);
    match name.trim_end_matches(['.', ' ']) {
        "git~1" => ".git",
        "claude~1" => ".claude",
        "" => ".",
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(path: &str) -> bool {
        is_protected(&crate::subject::lower(&AbsPath::parse(path).unwrap()))
    }

    #[test]
    fn protected_places_are_known_however_spelled() {
        for path in [
            "/p/.git/config",
            "/p/.git",
            "/p/sub/.GIT/hooks/pre-commit",
            "/p/.git./config",
            "/p/git~1/config",
            "/p/.git::$INDEX_ALLOCATION/x",
            "/p/.claude/settings.json",
            "/p/.claude/worktrees/a/.git/config",
            "/h/.config/git/ignore",
            "/h/.ssh/id_ed25519",
            "/p/.bashrc ",
            "/p/.pointsman/settings.json",
            "/elsewhere/pointsman/settings.json",
            "/elsewhere/pointsman/site-0a1b2c3d/ledger.db",
            "/elsewhere/POINTSMAN/site-0A1B2C3D",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "/p/.github/workflows/ci.yml",
            "/p/.gitignore",
            "/p/.claude/worktrees/a/src/x",
            "/p/git/config",
            "/p/.config/x",
            "/src/pointsman/Cargo.toml",
            "/src/pointsman/site-abc/x",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
