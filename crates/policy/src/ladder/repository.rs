//! Which repository a git command works on: another one's configuration starts programs of its own.

use pointsman_model::{AbsPath, PathValue, Run, Word, WordValue};

use super::Question;
use crate::{EntryKind, Tree};

/// The repository of a command.
pub(super) enum Repository {
    /// That of the folder that the agent is in; or the command is none of git's.
    Ours,
    /// The same, named by `-C`: the command without it.
    OursByOption(Box<Run>),
    /// Another one, or one that is not known: git with whatever arguments, which a rule for all of git covers.
    Another(Box<Run>),
}

/// Looks up the repository that a command works on.
pub(super) fn of(run: &Run, q: &Question<'_>) -> Repository {
    let name = run.program().map(|program| program.rsplit('/').next());
    if name != Some(Some("git")) {
        return Repository::Ours;
    }
    let (folder, without) = match named(run) {
        Some((folder, without)) => (Some(folder), Some(without)),
        None => match &run.folder {
            PathValue::Known(folder) => (Some(folder.clone()), None),
            PathValue::Pattern { .. } | PathValue::Unknown(_) => (None, None),
        },
    };
    let ours = folder.is_some_and(|folder| is_ours(&folder, q));
    match (ours, without) {
        (true, None) => Repository::Ours,
        (true, Some(without)) => Repository::OursByOption(Box::new(without)),
        (false, _) => Repository::Another(Box::new(with_any_arguments(run))),
    }
}

fn is_ours(folder: &AbsPath, q: &Question<'_>) -> bool {
    folder == q.folder
        || !lies_in_bare(folder, q.tree)
            && root(folder, q.tree).is_some_and(|root_of| Some(root_of) == root(q.folder, q.tree))
}

/// The folder whose `.git` counts there.
fn root(folder: &AbsPath, tree: &dyn Tree) -> Option<AbsPath> {
    let real = tree.hops(folder).pop()?;
    tree.nearest(&real.join(".git"), ".git")
        .map(|(root, _)| root)
}

/// Whether git would take the folder itself, or one above it, for a repository without files.
fn lies_in_bare(folder: &AbsPath, tree: &dyn Tree) -> bool {
    let mut at = tree.hops(folder).pop();
    while let Some(here) = at {
        let has = |name: &str| tree.kind(&here.join(name)) != EntryKind::Missing;
        if has("HEAD") && has("objects") && has("refs") {
            return true;
        }
        if has(".git") {
            return false;
        }
        at = here.parent();
    }
    false
}

/// The folder that `-C` names right behind the program, and the command without it.
fn named(run: &Run) -> Option<(AbsPath, Run)> {
    let [program, option, folder, rest @ ..] = &*run.argv else {
        return None;
    };
    let PathValue::Known(from) = &run.folder else {
        return None;
    };
    if option.literal() != Some("-C") {
        return None;
    }
    let folder = from.join(folder.literal()?);
    let argv: Vec<Word> = std::iter::once(program).chain(rest).cloned().collect();
    Some((folder, with_words(run, argv)))
}

fn with_any_arguments(run: &Run) -> Run {
    let program = run.argv.iter().take(1);
    // No rule but one that ends in a star matches such a word.
    let any = program.clone().map(|program| Word {
        value: WordValue::Literal("\u{2}".into()),
        ..program.clone()
    });
    with_words(run, program.cloned().chain(any).collect())
}

fn with_words(run: &Run, argv: Vec<Word>) -> Run {
    let text: Vec<&str> = argv.iter().map(|word| word.source.as_str()).collect();
    Run {
        text: text.join(" ").into(),
        canonical: None,
        argv,
        ..run.clone()
    }
}
