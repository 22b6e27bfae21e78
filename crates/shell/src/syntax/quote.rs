//! `$'...'`: the escapes of C, decoded as Bash does.

use super::parser::{Parser, Read};
use super::{Piece, Pieces};

impl<'a> Parser<'a> {
    /// Reads `$'...'`; the dollar sign is next.
    pub(super) fn ansi(&mut self, pieces: &mut Pieces<'a>) -> Read<()> {
        self.at += 2;
        let start = self.at;
        loop {
            match self.peek() {
                None => return self.syntax(),
                Some(b'\'') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        if self.at > self.limit {
            return self.syntax();
        }
        match decode(self.slice(start, self.at)) {
            Some(text) => pieces.push(Piece::Quoted(text.into())),
            None => return self.unknown(),
        }
        self.at += 1;
        Ok(())
    }
}

/// The text that the escapes in `text` stand for. `None` for what is no UTF-8, and for escapes
/// whose meaning differs between versions.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            push(&mut bytes, char);
            continue;
        }
        let value = match chars.next()? {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            plain @ ('\\' | '\'' | '"' | '?') => u32::from(plain),
            first @ '0'..='7' => {
                let mut value = first.to_digit(8)?;
                value = digits(&mut chars, 8, 2, value).0;
                value & 0xff
            }
            'x' => {
                if chars.peek() == Some(&'{') {
                    return None;
                }
                let (value, count) = digits(&mut chars, 16, 2, 0);
                if count == 0 {
                    bytes.extend_from_slice(b"\\x");
                    continue;
                }
                value
            }
            long @ ('u' | 'U') => {
                let (value, count) = digits(&mut chars, 16, if long == 'u' { 4 } else { 8 }, 0);
                if count == 0 {
                    return None;
                }
                if value == 0 {
                    return String::from_utf8(bytes).ok();
                }
                push(&mut bytes, char::from_u32(value)?);
                continue;
            }
            'c' => return None,
            other => {
                bytes.push(b'\\');
                push(&mut bytes, other);
                continue;
            }
        };
        if value == 0 {
            // Bash's string ends here.
            return String::from_utf8(bytes).ok();
        }
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn push(bytes: &mut Vec<u8>, char: char) {
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Takes up to `most` digits onto `value`; how many there were.
fn digits(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: u32,
    mut value: u32,
) -> (u32, u32) {
    let mut count = 0;
    while count < most {
        let Some(digit) = chars.peek().and_then(|char| char.to_digit(radix)) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        chars.next();
        count += 1;
    }
    (value, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(decode(text).as_deref(), expect, "{text:?}");
    }

    #[test]
    fn escapes_are_those_of_bash() {
        check("rm", Some("rm"));
        check(r"\x72\155", Some("rm"));
        check(r"\u0072m", Some("rm"));
        check(r"a\tb\nc", Some("a\tb\nc"));
        check(r"a\'b\\", Some("a'b\\"));
        check(r"a\0b", Some("a"));
        check(r"\q\x", Some(r"\q\x"));
        check(r"\U1F600", Some("\u{1f600}"));
        check(r"\xc3\xa4", Some("ä"));
        check(r"\xff", None);
        check(r"\ca", None);
    }
}
