//! Whether a command changes anything for those behind it, and whether it can fail.

use crate::state::State;
use crate::syntax::{Command, Piece, Simple, Word};

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
