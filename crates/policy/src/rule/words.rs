//! The text of a command rule, read with the shell's quoting, so that the style of quoting never
//! decides whether a rule matches.

use crate::wild::{GAP, SEP, plain_bytes};

/// The words of a rule, [`SEP`] between them and [`GAP`] for each unquoted `*`; `None` when a quote is left open.
pub(super) fn with_quotes_undone(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' | '\n' => {
                while chars
                    .next_if(|next| matches!(next, ' ' | '\t' | '\n'))
                    .is_some()
                {}
                out.push(SEP);
            }
            '*' => out.push(GAP),
            '\\' => match chars.next() {
                None => push(&mut out, '\\'),
                Some('\n') => {}
                Some(escaped) => push(&mut out, escaped),
            },
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inner => push(&mut out, inner),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        escaped @ ('"' | '\\' | '$' | '`') => push(&mut out, escaped),
                        '\n' => {}
                        other => {
                            push(&mut out, '\\');
                            push(&mut out, other);
                        }
                    },
                    inner => push(&mut out, inner),
                }
            },
            plain => push(&mut out, plain),
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

fn push(out: &mut Vec<u8>, char: char) {
    let mut buffer = [0; 4];
    out.extend(plain_bytes(char.encode_utf8(&mut buffer)));
}
