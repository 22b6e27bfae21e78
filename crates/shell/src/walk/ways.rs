//! Which ways lead out of a command, and whether it changes anything for those behind it.

use crate::state::State;
use crate::syntax::{Body, Command, Piece, Simple, Word};

/// Whether what follows a `||` goes nowhere: `cd x || exit 1`.
pub(super) fn leaves(command: &Command<'_>) -> bool {
    match command {
        Command::Simple(simple) => simple.words.first().is_some_and(|word| {
            matches!(word.bare(), Some("exit" | "return" | "break" | "continue"))
        }),
        Command::Compound(compound) => match &compound.body {
            Body::Group(script) => script
                .items
                .last()
                .is_some_and(|item| leaves(&item.command)),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the command leaves the state as it is: one of plain words that no builtin, wrapper or
/// function begins.
pub(super) fn keeps_state(command: &Command<'_>, state: &State) -> bool {
    const MAY_CHANGE: [&str; 34] = [
        ".",
        "alias",
        "builtin",
        "cd",
        "command",
        "coproc",
        "declare",
        "dirs",
        "eval",
        "exec",
        "export",
        "getopts",
        "hash",
        "let",
        "local",
        "mapfile",
        "nocorrect",
        "noglob",
        "popd",
        "printf",
        "pushd",
        "read",
        "readarray",
        "readonly",
        "set",
        "shift",
        "shopt",
        "source",
        "time",
        "trap",
        "typeset",
        "unalias",
        "unset",
        "wait",
    ];
    let Command::Simple(simple) = command else {
        return false;
    };
    let plain = |word: &Word<'_>| {
        word.pieces.iter().all(|piece| match piece {
            Piece::Text(_) | Piece::Quoted(_) => true,
            Piece::Parameter(_)
            | Piece::Substitution(_)
            | Piece::Process(_)
            | Piece::Arithmetic(_) => false,
        })
    };
    let name = simple.words.first().and_then(Word::bare);
    simple.assignments.is_empty()
        && simple.redirects.is_empty()
        && name.is_some_and(|name| {
            !name.contains(['{', '*', '?', '[', '~'])
                && MAY_CHANGE.binary_search(&name).is_err()
                && !state.functions.contains_key(name)
        })
        && simple.words.iter().all(plain)
}

/// Whether the command could fail in a way that leaves the state as it was before it.
pub(super) fn can_fail(command: &Command<'_>) -> bool {
    match command {
        Command::Simple(Simple {
            words, redirects, ..
        }) => match words.first() {
            None => !redirects.is_empty(),
            Some(word) => !matches!(word.bare(), Some("echo" | "printf" | "true" | ":")),
        },
        _ => true,
    }
}
