//! The text of a command rule, read with the shell's quoting, so that the style of quoting never
//! decides whether a rule matches.

use pointsman_shell::{RulePiece, rule_words};

use crate::wild::{GAP, SEP, plain_bytes};

/// The words of a rule, [`SEP`] between them and [`GAP`] for each star; `None` when it is no plain list of words.
pub(super) fn with_quotes_undone(text: &str) -> Option<Vec<u8>> {
    if is_plain(text) {
        return Some(as_it_stands(text));
    }
    quotes_undone(text)
}

/// Whether nothing in the text means anything to a shell but blanks between words, one at a time, and stars.
fn is_plain(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:=@,+%".contains(byte);
    let mut before = b' ';
    let single = text.bytes().all(|byte| {
        let doubled = matches!(byte, b' ' | b'*') && byte == before;
        before = byte;
        !doubled && (plain(&byte) || matches!(byte, b' ' | b'*'))
    });
    single && before != b' '
}

fn quotes_undone(text: &str) -> Option<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_plain_text_is_read_as_any_other(text in "[a* \\-/]{0,12}|[a* '\"$é\t\\\\]{0,6}") {
            prop_assert_eq!(with_quotes_undone(&text), quotes_undone(&text));
        }
    }

    #[test]
    fn plain_is_what_has_single_blanks_and_stars() {
        for text in ["a", "git push *", "a/b:c=d@e,f+g%h_i.j-k", "*", "a * b"] {
            assert!(is_plain(text), "{text}");
        }
        for text in [
            "", " a", "a ", "a  b", "a ** b", "'a'", "a\\b", "$a", "a\tb", "é", "a;b", "~",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
