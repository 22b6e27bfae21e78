//! Where git really looks: the hooks folder that a repository's configuration names, and a store that lies elsewhere.

use pointsman_model::AbsPath;

use crate::{EntryKind, Tree};

/// A git configuration larger than this is not read; nobody writes such by hand.
const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// Names under which git starts a hook.
const HOOKS: [&str; 20] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "reference-transaction",
    "update",
];

/// Whether git starts a hook of that name.
pub(super) fn is_hook(name: &str) -> bool {
    HOOKS.contains(&name)
}

/// Whether the path lies in the hooks folder or the store of the repository it belongs to.
pub(super) fn holds_hooks_or_store(path: &AbsPath, tree: &dyn Tree) -> bool {
    let mut below = path.clone();
    while let Some((folder, kind)) = tree.nearest(&below, ".git") {
        let dot_git = folder.join(".git");
        match kind {
            // Neither a store nor where one is said to be: git looks further up too.
            EntryKind::Missing | EntryKind::Other => below = folder,
            EntryKind::Folder => return in_hooks(path, &folder, &dot_git, tree),
            EntryKind::File => {
                let store = tree
                    .read_small(&dot_git, CONFIG_BYTES_MAX)
                    .and_then(|text| Some(folder.join(text.strip_prefix("gitdir:")?.trim())));
                return store.is_some_and(|store| {
                    path.is_within(&store) || in_hooks(path, &folder, &store, tree)
                });
            }
        }
    }
    false
}

fn in_hooks(path: &AbsPath, root: &AbsPath, store: &AbsPath, tree: &dyn Tree) -> bool {
    let Some(config) = tree.read_small(&store.join("config"), CONFIG_BYTES_MAX) else {
        return false;
    };
    hooks_paths(&config).any(|hooks| {
        let lower = crate::subject::lower;
        lower(path).is_within(&lower(&root.join(hooks)))
    })
}

/// The values of every `hooksPath`, whatever section they stand in: too many are better than too few.
fn hooks_paths(config: &str) -> impl Iterator<Item = &str> {
    config.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.rsplit(']').next().unwrap_or(key).trim();
        let value = value.trim().trim_matches('"');
        (key.eq_ignore_ascii_case("hookspath") && !value.is_empty()).then_some(value)
    })
}
