//! Characters that hide, reorder or fake text, made visible (law 22).
//!
//! A command, path, URL or rule that holds one is never allowed automatically, and every surface
//! shows it through [`visible`].

use std::borrow::Cow;
use std::fmt::Write as _;

/// A character that a reader would not see, or would see elsewhere than it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenChar {
    /// The character.
    pub char: char,
    /// Where it begins, in bytes.
    pub at: usize,
}

/// The first hidden character of `text`: control characters but tab, line feed and the carriage
/// return of a CRLF; invisible ones; those that change the direction of the text; blanks that are
/// not the plain one. What only says how the visible sign before it is drawn hides nothing.
#[must_use]
pub fn first_hidden(text: &str) -> Option<HiddenChar> {
    if is_plain(text.as_bytes()) {
        return None;
    }
    let found = looks(text).find(|(_, _, look)| *look == Look::Hidden);
    found.map(|(at, char, _)| HiddenChar { char, at })
}

/// Whether there are none but visible ASCII characters and plain blanks: looked at in stretches without a way out,
/// so that many bytes are looked at at once.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| matches!(*byte, b' '..=b'~' | b'\t' | b'\n');
    bytes
        .chunks(32)
        .all(|chunk| chunk.iter().fold(true, |all, byte| all & plain(byte)))
}

/// `text` with each hidden character written as `‹U+202E›`. Borrowed when there is none.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if first_hidden(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (_, char, look) in looks(text) {
        match look {
            Look::Shown => shown.push(char),
            // Writing into a String can't fail.
            Look::Hidden => drop(write!(shown, "‹U+{:04X}›", u32::from(char))),
        }
    }
    Cow::Owned(shown)
}

/// Whether a reader sees a character where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Shown,
    Hidden,
}

/// Every character with where it begins and how it looks there.
fn looks(text: &str) -> impl Iterator<Item = (usize, char, Look)> {
    let mut chars = text.char_indices().peekable();
    let mut before = Before::default();
    std::iter::from_fn(move || {
        let (at, char) = chars.next()?;
        let next = chars.peek().map(|(_, next)| *next);
        let shown = !is_hidden(char)
            || (char == '\r' && next == Some('\n'))
            || before.is_drawn_by(char, next);
        let look = if shown { Look::Shown } else { Look::Hidden };
        before.step(char, look);
        Some((at, char, look))
    })
}

/// What stands before a character.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    /// The character itself.
    char: Option<char>,
    /// The sign that it draws, when it is one that only says how.
    sign: Option<char>,
}

impl Before {
    /// Whether `char` only says how what stands before it is drawn: a selector behind a sign that has such forms, the joint
    /// between two pictures. One a sign: more of them could hide a text.
    fn is_drawn_by(self, char: char, next: Option<char>) -> bool {
        match (char, self.char) {
            // A digit looks the same with it, unless the key cap follows.
            ('\u{fe0f}', Some('0'..='9' | '#' | '*')) => next == Some('\u{20e3}'),
            ('\u{fe0e}' | '\u{fe0f}', Some(sign)) => is_picture(sign),
            ('\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}', Some(sign)) => is_ideograph(sign),
            ('\u{200d}', _) => self.sign.is_some_and(is_picture) && next.is_some_and(is_picture),
            _ => false,
        }
    }

    fn step(&mut self, char: char, look: Look) {
        self.char = Some(char);
        self.sign = match (look, char) {
            (Look::Hidden, _) => None,
            (Look::Shown, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}') => self.sign,
            (Look::Shown, other) => Some(other),
        };
    }
}

/// The blocks of signs that have a form as text and one as a picture.
fn is_picture(char: char) -> bool {
    matches!(char,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2934}' | '\u{2935}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// JSON text in which no character hides: each such one is written out as JSON spells it, `\u202e`, so that neither a
/// terminal nor a program that cuts lines at more than line feeds is led astray. The meaning stays the same.
#[must_use]
pub fn plain_json(json: String) -> String {
    // All that is not in a text is plain ASCII, and in a text JSON itself writes the controls below the blank out.
    if !json.chars().any(is_hidden) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for char in json.chars() {
        if !is_hidden(char) {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            // Writing into a String can't fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// The characters of which registered collections hold variants.
fn is_ideograph(char: char) -> bool {
    matches!(char,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Tables from the Unicode data: general categories Cc, Cf, Zl, Zp, Zs but the plain space; fillers,
/// the note without a head and variation selectors, which have width or meaning but no look; and Co, the characters for
/// private use, whose look is the font's own.
fn is_hidden(char: char) -> bool {
    match char {
        '\t' | '\n' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{a0}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{600}'..='\u{605}'
        | '\u{61c}'
        | '\u{6dd}'
        | '\u{70f}' => true,
        '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{1680}' => true,
        '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' => true,
        '\u{2800}'
        | '\u{3000}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_left_alone() {
        for text in ["git push", "a\tb\n", "a\r\nb", "häßlich → 漢字"] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn json_hides_nothing_and_means_the_same() {
        let text = "a\u{2028}b\u{202e}c\u{200b}\u{85}\u{7f}\u{e0041}\n\t\u{1}ä漢\"\\";
        let json = plain_json(serde_json::to_string(text).unwrap());
        assert_eq!(
            json,
            r#""a\u2028b\u202ec\u200b\u0085\u007f\udb40\udc41\n\t\u0001ä漢\"\\""#
        );
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let plain = r#"{"a": "ä"}"#;
        assert_eq!(plain_json(plain.into()), plain);
    }

    #[test]
    fn what_hides_is_written_out() {
        assert_eq!(visible("rm\u{202e}x"), "rm‹U+202E›x");
        assert_eq!(visible("a\u{1b}[2Jb"), "a‹U+001B›[2Jb");
        assert_eq!(visible("a\rb"), "a‹U+000D›b");
        assert_eq!(visible("a\u{a0}b\u{200b}"), "a‹U+00A0›b‹U+200B›");
        assert_eq!(visible("a\u{1d159}b"), "a‹U+1D159›b");
        assert_eq!(
            visible("\u{e0b0}\u{f0000}\u{10fffd}"),
            "‹U+E0B0›‹U+F0000›‹U+10FFFD›"
        );
        assert_eq!(first_hidden("ab\u{feff}").map(|hidden| hidden.at), Some(2));
    }

    #[test]
    fn what_says_how_a_sign_is_drawn_hides_nothing() {
        for text in [
            "\u{26a0}\u{fe0f} mind the gap",
            "\u{2714}\u{fe0e}",
            "1\u{fe0f}\u{20e3}",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb}",
            "\u{845b}\u{e0100}\u{57ce}",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        }
        for text in [
            "rm\u{fe0f} x",
            "1\u{fe0f}",
            "\u{26a0}\u{fe0f}\u{fe0f}",
            "\u{fe0f}\u{26a0}",
            "\u{26a0}\u{fe00}",
            "a\u{200d}b",
            "\u{1f468}\u{200d}",
            "\u{1f468}\u{fe0f}\u{fe0f}\u{200d}\u{1f468}",
            "a\u{e0101}",
            "\u{845b}\u{e0100}\u{e0101}",
        ] {
            assert!(first_hidden(text).is_some(), "{text:?}");
            assert_eq!(first_hidden(&visible(text)), None, "{text:?}");
        }
    }

    #[test]
    fn nothing_hidden_is_left_after_it() {
        for char in '\u{0}'..='\u{fffff}' {
            let text = String::from_iter(['a', char, 'b']);
            assert_eq!(
                first_hidden(&visible(&text)),
                None,
                "U+{:04X}",
                u32::from(char)
            );
        }
    }
}
