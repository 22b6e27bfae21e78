//! Commands that the first gear reads by itself: two of our readings agree on them already, and the other parser gets
//! one plain word in their place. Where they begin and end it says all the same.

use crate::syntax::{Command, Piece, Range, Simple, scan};

/// Where the command stands, if the first gear reads it alone and alike.
pub(super) fn stretch(text: &str, command: &Command<'_>) -> Option<Range> {
    let stretch = extent(command)?;
    let tree = scan(stretch.of(text))?;
    let [item] = tree.script.items.as_slice() else {
        return None;
    };
    is_same(command, &item.command, stretch.start).then_some(stretch)
}

/// From the first word to the last; nothing for a command that is more than words, `|`, `&&` and `||`.
fn extent(command: &Command<'_>) -> Option<Range> {
    let between = |first: &Command<'_>, last: &Command<'_>| {
        Some(Range {
            start: extent(first)?.start,
            end: extent(last)?.end,
        })
    };
    match command {
        Command::Simple(simple) => is_bare(simple).then_some(simple.span),
        Command::Pipeline(commands) => between(commands.first()?, commands.last()?),
        Command::Chain(first, rest) => between(first, &rest.last()?.1),
        Command::Not(_)
        | Command::Time(..)
        | Command::Compound(_)
        | Command::Function(_)
        | Command::Coproc(..)
        | Command::Empty => None,
    }
}

fn is_bare(simple: &Simple<'_>) -> bool {
    let plain = |piece: &Piece<'_>| matches!(piece, Piece::Text(_) | Piece::Quoted(_));
    !simple.words.is_empty()
        && simple.assignments.is_empty()
        && simple.declared.is_empty()
        && simple.redirects.is_empty()
        && simple
            .words
            .iter()
            .all(|word| word.pieces.iter().all(plain))
}

/// Whether both are the same commands with their words in the same places; those of `alone` are counted from `start`.
fn is_same(command: &Command<'_>, alone: &Command<'_>, start: u32) -> bool {
    match (command, alone) {
        (Command::Simple(one), Command::Simple(other)) => {
            one.words.len() == other.words.len()
                && one.words.iter().zip(&other.words).all(|(one, other)| {
                    let moved = Range {
                        start: other.span.start + start,
                        end: other.span.end + start,
                    };
                    one.span == moved && one.pieces == other.pieces
                })
        }
        (Command::Pipeline(one), Command::Pipeline(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other, start))
        }
        (Command::Chain(first, rest), Command::Chain(other, others)) => {
            let alike = rest
                .iter()
                .zip(others)
                .all(|((link, one), (by, other))| link == by && is_same(one, other, start));
            rest.len() == others.len() && alike && is_same(first, other, start)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let tree = parse(line).unwrap();
        let found: Vec<&str> = tree
            .script
            .items
            .iter()
            .filter_map(|item| Some(stretch(line, &item.command)?.of(line)))
            .collect();
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn what_the_first_gear_reads_is_left_out() {
        check("a b; c 'd e' | f && g", &["a b", "c 'd e' | f && g"]);
        check("a $x; b c & d >e", &["b c"]);
        check("x=1 a; x=2; b", &["b"]);
        check("a | while b; do c; done; d || (e)", &[]);
        check("a |& b; ! c; time d", &[]);
        check("a\\ b; c \"d\"", &["c \"d\""]);
        check("é a; b é; c", &["c"]);
    }
}
