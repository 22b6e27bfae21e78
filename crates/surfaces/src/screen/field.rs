//! A text that is being typed: a denial's words, a filter, a rule, a whole command.
//!
//! It holds the text exactly; what is drawn of it has hidden characters written out. Nothing typed
//! or pasted into it answers anything.

use std::borrow::Cow;

use pointsman_model::visible;
use unicode_segmentation::UnicodeSegmentation as _;

use super::key::Key;
use super::sheet::{Cell, cell_width};
use crate::shown::{self, steady};

/// Longest text that typing and pasting make. A text that came longer may be edited, not grown.
pub(super) const BYTES_MAX: usize = 65_536;

/// How many lines a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// One: Enter is not the field's, and pasted line feeds become blanks.
    One,
    /// Any number: Enter begins a new one.
    Many,
}

/// What a key came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Took {
    /// The text or the cursor is another one now, or the field had nothing to do for it.
    Taken,
    /// It is no key of a field's.
    Left,
}

/// What became of a pasted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pasted {
    /// It is in the text.
    In,
    /// The text would grow beyond what a field holds; nothing of it is in.
    TooLong,
    /// Nothing is being written.
    Nowhere,
}

/// See the module's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    text: String,
    /// Before which byte the cursor stands; always between two characters.
    at: usize,
    lines: Lines,
}

/// A field as it is drawn: rows of cells' width, and where the cursor stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) rows: Vec<String>,
    pub(super) row: usize,
    pub(super) column: u16,
}

impl Drawn {
    /// Puts a cell behind the others, into a new row if it does not fit; gives the column behind it.
    fn put(&mut self, cell: Cell, wide: u16, column: u16, width: u16) -> u16 {
        let mut column = column;
        if column.saturating_add(wide) > width.max(2) {
            self.rows.push(String::new());
            column = 0;
        }
        if let Some(row) = self.rows.last_mut() {
            row.push(cell.0);
        }
        column.saturating_add(wide)
    }
}

impl Field {
    /// A field that holds `text`, the cursor at its end.
    pub(super) fn new(lines: Lines, text: &str) -> Self {
        Self {
            text: text.into(),
            at: text.len(),
            lines,
        }
    }

    /// The text, exactly.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key.
    pub(super) fn take(&mut self, key: Key) -> Took {
        match (key, self.lines) {
            (Key::Char(char), _) => self.insert(char.encode_utf8(&mut [0; 4])),
            (Key::Enter, Lines::Many) => self.insert("\n"),
            (Key::Backspace, _) => self.drop_before(),
            (Key::Delete, _) => self.drop_after(),
            (Key::Left, _) => self.at = self.before(self.at),
            (Key::Right, _) => self.at = self.after(self.at),
            (Key::Home | Key::Chord('a'), _) => self.at = self.line_start(self.at),
            (Key::End | Key::Chord('e'), _) => self.at = self.line_end(self.at),
            (Key::Up, Lines::Many) => self.line_up(),
            (Key::Down, Lines::Many) => self.line_down(),
            (Key::Chord('u'), _) => self.drop_line_before(),
            _ => return Took::Left,
        }
        Took::Taken
    }

    /// Takes a pasted text, all of it or nothing.
    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.lines == Lines::One {
            text = text.replace('\n', " ");
        }
        if !self.has_room(&text) {
            return Pasted::TooLong;
        }
        self.insert(&text);
        Pasted::In
    }

    /// The rows of the text at that width.
    pub(super) fn drawn(&self, width: u16) -> Drawn {
        let mut drawn = Drawn {
            rows: vec![String::new()],
            row: 0,
            column: 0,
        };
        let mut column = 0_u16;
        for (begin, sign) in self.text.grapheme_indices(true) {
            // Asked once a sign: of a long text it may be all, and it is drawn anew with each frame.
            let doubtful = sign.len() > 1 && matches!(steady(sign), Cow::Owned(_));
            for (within, char) in sign.char_indices() {
                if begin.saturating_add(within) == self.at {
                    (drawn.row, drawn.column) = (drawn.rows.len().saturating_sub(1), column);
                }
                if char == '\n' {
                    drawn.rows.push(String::new());
                    column = 0;
                    continue;
                }
                // Nearly every character is one of these; a long text is drawn anew with each frame.
                if matches!(char, ' '..='~') {
                    column = drawn.put(Cell(char), 1, column, width);
                    continue;
                }
                let shown = match (doubtful, within) {
                    // It joins the others of the sign in a width that terminals disagree about.
                    (true, 1..) => shown::written_out(char),
                    (_, _) => shown_char(char),
                };
                for cell in shown.chars().map(Cell) {
                    column = drawn.put(cell, cell_width(cell), column, width);
                }
            }
        }
        if self.at == self.text.len() {
            if column >= width.max(2) {
                drawn.rows.push(String::new());
                column = 0;
            }
            (drawn.row, drawn.column) = (drawn.rows.len().saturating_sub(1), column);
        }
        drawn
    }

    fn has_room(&self, text: &str) -> bool {
        self.text.len().saturating_add(text.len()) <= BYTES_MAX
    }

    fn insert(&mut self, text: &str) {
        if !self.has_room(text) {
            return;
        }
        self.text.insert_str(self.at, text);
        self.at = self.at.saturating_add(text.len());
    }

    fn drop_before(&mut self) {
        let from = self.before(self.at);
        self.text.drain(from..self.at);
        self.at = from;
    }

    fn drop_after(&mut self) {
        let to = self.after(self.at);
        self.text.drain(self.at..to);
    }

    fn drop_line_before(&mut self) {
        let from = self.line_start(self.at);
        self.text.drain(from..self.at);
        self.at = from;
    }

    fn line_up(&mut self) {
        let start = self.line_start(self.at);
        if start == 0 {
            return;
        }
        let above = self.line_start(start.saturating_sub(1));
        self.at = self.column_in(above, start.saturating_sub(1));
    }

    fn line_down(&mut self) {
        let end = self.line_end(self.at);
        if end == self.text.len() {
            return;
        }
        let below = end.saturating_add(1);
        self.at = self.column_in(below, self.line_end(below));
    }

    /// The place in the line from `start` to `end` that has as many characters before it as the
    /// cursor has in its own line.
    fn column_in(&self, start: usize, end: usize) -> usize {
        let own = self.text.get(self.line_start(self.at)..self.at);
        let column = own.unwrap_or_default().chars().count();
        let line = self.text.get(start..end).unwrap_or_default();
        let length = line.char_indices().nth(column).map(|(at, _)| at);
        start.saturating_add(length.unwrap_or(line.len()))
    }

    fn before(&self, at: usize) -> usize {
        let rest = self.text.get(..at).unwrap_or_default();
        rest.char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        at.saturating_add(length)
    }

    fn line_start(&self, at: usize) -> usize {
        let rest = self.text.get(..at).unwrap_or_default();
        rest.rfind('\n').map_or(0, |at| at.saturating_add(1))
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n')
            .map_or(self.text.len(), |length| at.saturating_add(length))
    }
}

/// A character as it is drawn in a field: a tab as blanks, a hidden one written out.
fn shown_char(char: char) -> String {
    let mut bytes = [0; 4];
    let text: &str = char.encode_utf8(&mut bytes);
    match char {
        '\t' => "    ".into(),
        _ => steady(&visible(text)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` in a text marks the cursor.
    #[track_caller]
    fn check(lines: Lines, before: &str, keys: &[Key], after: &str) {
        let at = before.find('|').unwrap();
        let mut field = Field::new(lines, &before.replace('|', ""));
        field.at = at;
        for key in keys {
            let _ = field.take(*key);
        }
        let mut text = field.text.clone();
        text.insert(field.at, '|');
        assert_eq!(text, after, "{before} {keys:?}");
    }

    #[test]
    fn keys_edit() {
        use Key::{Backspace, Char, Chord, Delete, Down, End, Enter, Home, Left, Right, Up};
        let one = |before, keys: &[Key], after| check(Lines::One, before, keys, after);
        one("ä|b", &[Backspace], "|b");
        one("a|äb", &[Delete, Char('x')], "ax|b");
        one("|", &[Backspace, Delete, Left, Right], "|");
        one("abc|", &[Home, Char('x'), End, Char('y')], "xabcy|");
        one("abc|d", &[Chord('u')], "|d");
        one("ab|", &[Enter, Up, Down], "ab|");
        let many = |before, keys: &[Key], after| check(Lines::Many, before, keys, after);
        many("ab|", &[Enter, Char('c')], "ab\nc|");
        many("abc\nd|\nefg", &[Up], "a|bc\nd\nefg");
        many("abc|\nd\nefg", &[Down, Down], "abc\nd\ne|fg");
        many("ää|\nx", &[Down, Up], "ä|ä\nx");
        many("äxy|\nöü", &[Down], "äxy\nöü|");
        many("ab\ncd|", &[Chord('u')], "ab\n|");
    }

    #[test]
    fn a_paste_of_ten_thousand_characters_goes_into_the_text() {
        let mut field = Field::new(Lines::One, "");
        assert_eq!(field.paste(&"y\r\n".repeat(10_000)), Pasted::In);
        assert_eq!(field.text(), "y ".repeat(10_000));
        assert_eq!(field.paste(&"x".repeat(BYTES_MAX)), Pasted::TooLong);
        assert_eq!(field.text(), "y ".repeat(10_000));
    }

    #[test]
    fn what_is_drawn_hides_nothing() {
        let field = Field::new(Lines::Many, "a\u{202e}\nb");
        let drawn = field.drawn(5);
        assert_eq!(drawn.rows, ["a‹U+2", "02E›", "b"]);
        assert_eq!((drawn.row, drawn.column), (2, 1));
        // A flag, a joined picture, a key cap: no two terminals draw them equally wide.
        let field = Field::new(Lines::Many, "🇦x👍\u{1f3fd}1\u{20e3}é\u{301}");
        let rows = field.drawn(60).rows;
        assert_eq!(rows, ["‹U+1F1E6›x👍‹U+1F3FD›1‹U+20E3›é\u{301}"]);
        let full = Field::new(Lines::One, "abcde").drawn(5);
        assert_eq!((full.row, full.column), (1, 0));
    }
}
