//! The text of a command rule, read with the shell's quoting, so that the style of quoting never
//! decides whether a rule matches.

use pointsman_shell::{RulePiece, rule_words};

use crate::wild::{GAP, SEP, plain_bytes};

/// The words of a rule, [`SEP`] between them and [`GAP`] for each star; `None` when it is no plain list of words.
pub(super) fn with_quotes_undone(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    for (at, word) in rule_words(text)?.iter().enumerate() {
        if at > 0 {
            out.push(SEP);
        }
        for piece in &word.pieces {
            match piece {
                RulePiece::Text(text) => out.extend(plain_bytes(text)),
                RulePiece::Star => out.push(GAP),
            }
        }
    }
    Some(out)
}

/// The text as it stands, runs of blanks made one [`SEP`] and each `*` a [`GAP`].
pub(super) fn as_it_stands(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in plain_bytes(text) {
        match byte {
            b' ' | b'\t' | b'\n' if out.last() == Some(&SEP) => {}
            b' ' | b'\t' | b'\n' => out.push(SEP),
            b'*' => out.push(GAP),
            plain => out.push(plain),
        }
    }
    out
}
