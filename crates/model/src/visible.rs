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
/// not the plain one.
#[must_use]
pub fn first_hidden(text: &str) -> Option<HiddenChar> {
    if text
        .bytes()
        .all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n'))
    {
        return None;
    }
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let crlf = char == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n');
        if !crlf && is_hidden(char) {
            return Some(HiddenChar { char, at });
        }
    }
    None
}

/// `text` with each hidden character written as `‹U+202E›`. Borrowed when there is none.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if first_hidden(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let crlf = char == '\r' && chars.peek() == Some(&'\n');
        if !crlf && is_hidden(char) {
            // Writing into a String can't fail.
            let _ = write!(shown, "‹U+{:04X}›", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Tables from the Unicode data: general categories Cc, Cf, Zl, Zp, Zs but the plain space; fillers
/// and variation selectors, which have width or meaning but no look.
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
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
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
    fn what_hides_is_written_out() {
        assert_eq!(visible("rm\u{202e}x"), "rm‹U+202E›x");
        assert_eq!(visible("a\u{1b}[2Jb"), "a‹U+001B›[2Jb");
        assert_eq!(visible("a\rb"), "a‹U+000D›b");
        assert_eq!(visible("a\u{a0}b\u{200b}"), "a‹U+00A0›b‹U+200B›");
        assert_eq!(first_hidden("ab\u{feff}").map(|hidden| hidden.at), Some(2));
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
