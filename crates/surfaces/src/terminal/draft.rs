//! The line a person is typing, key by key. The terminal is read without its own line editing, so
//! that the first key already tells that somebody is at it.

/// Longest line; what is typed beyond it is dropped.
const BYTES_MAX: usize = 4_096;

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// The draft is another one now.
    Changed,
    /// The draft is as it was.
    Same,
    /// A whole line was sent; the draft is empty again.
    Line(String),
}

/// A line being typed.
#[derive(Debug, Default)]
pub(super) struct Draft {
    bytes: Vec<u8>,
    escape: Escape,
}

/// Where in an escape sequence (an arrow key and the like) the keys stand. Sequences do nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    Inside,
}

impl Draft {
    /// The draft as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Throws the draft away.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.escape = Escape::None;
    }

    /// Takes one byte of input.
    pub(super) fn take(&mut self, byte: u8) -> Typed {
        match (self.escape, byte) {
            (Escape::None, _) => self.edit(byte),
            (Escape::Begun, b'[' | b'O') => {
                self.escape = Escape::Inside;
                Typed::Same
            }
            (Escape::Inside, 0x20..=0x3f) => Typed::Same,
            (Escape::Begun | Escape::Inside, _) => {
                self.escape = Escape::None;
                Typed::Same
            }
        }
    }

    fn edit(&mut self, byte: u8) -> Typed {
        match byte {
            b'\r' | b'\n' => {
                let line = self.text();
                self.clear();
                Typed::Line(line)
            }
            0x08 | 0x7f => self.drop_char(),
            // Ctrl-U.
            0x15 => {
                self.clear();
                Typed::Changed
            }
            0x1b => {
                self.escape = Escape::Begun;
                Typed::Same
            }
            0x00..=0x1f => Typed::Same,
            _ if self.bytes.len() >= BYTES_MAX => Typed::Same,
            plain => {
                self.bytes.push(plain);
                Typed::Changed
            }
        }
    }

    /// Takes off the last character, which may be several bytes.
    fn drop_char(&mut self) -> Typed {
        while let Some(byte) = self.bytes.pop() {
            let continues = (byte & 0b1100_0000) == 0b1000_0000;
            if !continues {
                return Typed::Changed;
            }
        }
        Typed::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(keys: &str, lines: &[&str], left: &str) {
        let mut draft = Draft::default();
        let sent: Vec<String> = keys
            .bytes()
            .filter_map(|byte| match draft.take(byte) {
                Typed::Line(line) => Some(line),
                Typed::Changed | Typed::Same => None,
            })
            .collect();
        assert_eq!(sent, lines);
        assert_eq!(draft.text(), left);
    }

    #[test]
    fn keys_make_lines() {
        check("allow\rden", &["allow"], "den");
        check("\n", &[""], "");
        check("dx\u{7f}eny nö\u{7f}o\r", &["deny no"], "");
        check("allow\u{15}deny\r", &["deny"], "");
    }

    #[test]
    fn arrow_keys_type_nothing() {
        check("a\u{1b}[Ab\u{1b}[1;5Cc\u{1b}OPd\r", &["abcd"], "");
    }

    #[test]
    fn editing_never_sends() {
        check("allow\u{7f}\u{8}\u{0}\u{1}\t", &[], "all");
    }
}
