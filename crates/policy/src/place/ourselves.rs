//! pointsman itself, called by an agent: it must not answer its own questions or widen its own rules.

use pointsman_model::{AbsPath, Effect, EffectKind, Run, Word};

use crate::Tree;

/// The command's name.
const NAME: &str = "pointsman";

/// What only looks: everything else changes what is allowed, answers for a person, or starts agents.
const LOOKING: [&str; 8] = [
    "check", "explain", "help", "log", "policy", "queue", "schema", "why",
];

/// What answers or loosens, should a program of unknown name be pointsman.
const TELLING: [&str; 3] = ["answer", "grants", "trust"];

/// The folder that the call would change through pointsman itself, if it would.
pub(crate) fn changed_through_ourselves(
    effect: &Effect,
    home: &AbsPath,
    tree: &dyn Tree,
) -> Option<AbsPath> {
    let EffectKind::Run(run) = &effect.kind else {
        return None;
    };
    let changes = if is_ours(run, tree) {
        !only_looks(run)
    } else {
        could_be_ours(run)
    };
    changes.then(|| home.join(".local/state").join(NAME))
}

/// Whether the program is pointsman, by its name or by where its name leads.
fn is_ours(run: &Run, tree: &dyn Tree) -> bool {
    let Some(program) = run.program() else {
        return false;
    };
    if is_name(program) {
        return true;
    }
    // A link of another name.
    let pointsman_model::PathValue::Known(folder) = &run.folder else {
        return false;
    };
    program.contains('/')
        && tree
            .hops(&folder.join(program))
            .iter()
            .any(|hop| hop.name().is_some_and(is_name))
}

fn is_name(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let stem = name.len().checked_sub(".exe".len());
    let bare = match stem.and_then(|stem| name.split_at_checked(stem)) {
        Some((bare, end)) if end.eq_ignore_ascii_case(".exe") => bare,
        Some(_) | None => name,
    };
    bare.eq_ignore_ascii_case(NAME)
}

/// Whether it is asked for something that changes nothing. A first word that is not known may be any.
fn only_looks(run: &Run) -> bool {
    match run.argv.get(1).map(Word::literal) {
        Some(Some("--version" | "-V" | "--help" | "-h")) => run.argv.len() == 2,
        Some(Some(verb)) => LOOKING.contains(&verb),
        Some(None) | None => false,
    }
}

/// A program whose name is known only when it runs, told to do what pointsman does.
fn could_be_ours(run: &Run) -> bool {
    let unknown = run
        .argv
        .first()
        .is_some_and(|word| word.literal().is_none());
    unknown
        && run
            .argv
            .get(1)
            .and_then(Word::literal)
            .is_some_and(|verb| TELLING.contains(&verb))
}
