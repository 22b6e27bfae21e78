//! A sheet: a text in tones, wrapped to a width without losing a character of it.
//!
//! What an agent wrote stands behind bars and is broken between any two characters, so that no blank
//! of it goes missing; a broken line goes on behind another bar. Our own words break at blanks. So do lines of ours that
//! name what an agent gave, but they go on behind a bar too: no row begins with words that are not ours.

mod cells;
mod difference;
mod request;

pub(super) use cells::{Cell, cell_width, clip, clip_middle, text_width};
use cells::{graphemes, written_out};
pub(super) use request::{RequestSheet, call_lines, request_sheet, rule_lines};

use crate::shown::{self, Extent};

/// How a text is set off. What colours that is, is the look's to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Our words.
    Plain,
    /// A heading.
    Heading,
    /// Beside the point.
    Quiet,
    /// What an agent wrote.
    Agent,
    /// What goes away, and the words of it that do.
    Removed,
    RemovedWord,
    /// What comes, and the words of it that do.
    Added,
    AddedWord,
    /// What can't be had back, or went wrong.
    Danger,
    /// What wants to be looked at.
    Notice,
    /// What went well.
    Good,
    /// A key that may be pressed.
    Key,
}

/// A text in one tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ink {
    pub(super) tone: Tone,
    pub(super) text: String,
}

impl Ink {
    pub(super) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            tone,
            text: text.into(),
        }
    }
}

/// Where a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    AtBlanks,
    Anywhere,
}

/// What stands before the further rows of a line that holds what an agent wrote.
const GOES_ON: &str = "┊ ";

/// One line, not wrapped yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Before the first row of it.
    first: Ink,
    /// Before all further rows.
    further: Ink,
    inks: Vec<Ink>,
    breaks: Breaks,
}

impl Line {
    /// A text of ours, all of it; further rows are indented by as much as `lead` takes.
    pub(super) fn ours(lead: Ink, tone: Tone, text: &'static str) -> Self {
        let further = Ink::new(lead.tone, " ".repeat(usize::from(text_width(&lead.text))));
        Self {
            first: lead,
            further,
            inks: vec![Ink::new(tone, text)],
            breaks: Breaks::AtBlanks,
        }
    }

    /// A text of ours without anything before it.
    pub(super) fn plain(tone: Tone, text: &'static str) -> Self {
        Self::ours(Ink::new(tone, ""), tone, text)
    }

    /// A line that begins with words of ours and may hold an agent's: further rows stand behind a bar, so that none of
    /// them passes for another line of ours.
    pub(super) fn mixed(lead: Ink, inks: Vec<Ink>) -> Self {
        let indent = usize::from(text_width(&lead.text)).saturating_sub(text_width(GOES_ON).into());
        Self {
            first: lead,
            further: Ink::new(Tone::Quiet, format!("{}{GOES_ON}", " ".repeat(indent))),
            inks,
            breaks: Breaks::AtBlanks,
        }
    }

    /// The same without anything before it.
    pub(super) fn told(tone: Tone, text: impl Into<String>) -> Self {
        Self::mixed(Ink::new(tone, ""), vec![Ink::new(tone, text)])
    }

    /// An empty line.
    pub(super) fn empty() -> Self {
        Self::plain(Tone::Plain, "")
    }

    /// A line of an agent's behind `sign`, its text fit to be shown already.
    pub(super) fn agents(sign: &str, tone: Tone, inks: Vec<Ink>) -> Self {
        Self {
            first: Ink::new(tone, format!("│ {sign}")),
            further: Ink::new(
                tone,
                format!("{GOES_ON}{}", " ".repeat(usize::from(text_width(sign)))),
            ),
            inks,
            breaks: Breaks::Anywhere,
        }
    }

    /// What stands between the bar and the text of an agent's line; nothing of a line of ours.
    fn sign(&self) -> &str {
        self.first.text.strip_prefix("│ ").unwrap_or_default()
    }

    /// The line in rows of at most `width`.
    fn wrap(&self, width: u16, rows: &mut Vec<Row>) {
        let mut row = Open::new(&self.first, width);
        for ink in &self.inks {
            let text = without_tabs(&ink.text);
            match self.breaks {
                Breaks::Anywhere => {
                    for sign in graphemes(&text) {
                        row = self.put((ink.tone, sign), row, width, rows);
                    }
                }
                Breaks::AtBlanks => {
                    for word in text.split_inclusive(' ') {
                        if row.has_words && !row.fits_word(word) {
                            rows.push(row.close());
                            row = Open::new(&self.further, width);
                        }
                        for sign in graphemes(word) {
                            // The blank that a row is broken at.
                            if sign != " " || row.left > 0 {
                                row = self.put((ink.tone, sign), row, width, rows);
                            }
                        }
                    }
                }
            }
        }
        rows.push(row.close());
    }

    /// Puts a sign into the row, or into a new one when that is full.
    fn put(&self, (tone, sign): (Tone, &str), row: Open, width: u16, rows: &mut Vec<Row>) -> Open {
        let mut row = row;
        // A sign without a width of its own, which nothing before it takes up, would not be drawn at all.
        if text_width(sign) == 0 {
            let written = written_out(sign);
            for sign in graphemes(&written) {
                row = self.put((tone, sign), row, width, rows);
            }
            return row;
        }
        if !row.fits(sign) {
            rows.push(row.close());
            row = Open::new(&self.further, width);
        }
        // Characters can be joined to a sign that is wider than any row.
        if !row.fits(sign) && sign.chars().nth(1).is_some() {
            for char in sign.chars() {
                let sign = char.encode_utf8(&mut [0; 4]).to_owned();
                row = self.put((tone, &sign), row, width, rows);
            }
            return row;
        }
        row.push(tone, sign);
        row
    }
}

/// What an agent wrote, a line each, whole, behind bars and `sign`.
pub(super) fn agents_lines(text: &str, sign: &str, tone: Tone) -> Vec<Line> {
    shown::block(text, "", Extent::Whole)
        .lines()
        .map(|line| Line::agents(sign, tone, vec![Ink::new(tone, line)]))
        .collect()
}

/// A wrapped row: it fits the width it was wrapped to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) inks: Vec<Ink>,
}

impl Row {
    /// A row of these inks, which fit or will be cut at the edge.
    pub(super) fn of(inks: Vec<Ink>) -> Self {
        Self { inks }
    }

    /// The row without its tones.
    pub(super) fn text(&self) -> String {
        self.inks.iter().map(|ink| ink.text.as_str()).collect()
    }
}

/// All lines in rows of at most `width`.
pub(super) fn wrap(lines: &[Line], width: u16) -> Vec<Row> {
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        line.wrap(width, &mut rows);
    }
    rows
}

/// A row that is being filled.
struct Open {
    row: Row,
    left: u16,
    has_words: bool,
}

impl Open {
    fn new(lead: &Ink, width: u16) -> Self {
        let inks = if lead.text.is_empty() {
            Vec::new()
        } else {
            vec![lead.clone()]
        };
        // Two cells are left whatever the width, so that each row takes at least one character.
        let left = width.saturating_sub(text_width(&lead.text)).max(2);
        Self {
            row: Row { inks },
            left,
            has_words: false,
        }
    }

    fn fits(&self, sign: &str) -> bool {
        text_width(sign) <= self.left
    }

    fn fits_word(&self, word: &str) -> bool {
        text_width(word.trim_end_matches(' ')) <= self.left
    }

    fn push(&mut self, tone: Tone, sign: &str) {
        self.left = self.left.saturating_sub(text_width(sign));
        self.has_words = true;
        match self.row.inks.last_mut() {
            Some(last) if last.tone == tone => last.text.push_str(sign),
            Some(_) | None => self.row.inks.push(Ink::new(tone, sign)),
        }
    }

    fn close(self) -> Row {
        self.row
    }
}

/// Tabs as blanks up to the next multiple of four within the text.
fn without_tabs(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut column = 0_usize;
    for char in text.chars() {
        let blanks = match char {
            '\t' => 4_usize.saturating_sub(column % 4),
            other => {
                plain.push(other);
                column = column.saturating_add(1);
                continue;
            }
        };
        plain.push_str(&" ".repeat(blanks));
        column = column.saturating_add(blanks);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &Line, width: u16, expect: &[&str]) {
        let rows = wrap(std::slice::from_ref(line), width);
        let texts: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(texts, expect);
    }

    #[test]
    fn an_agents_line_keeps_every_character() {
        let line = |text: &str| Line::agents("", Tone::Agent, vec![Ink::new(Tone::Agent, text)]);
        check(&line("ab  cd  ef"), 8, &["│ ab  cd", "┊   ef"]);
        check(&line("漢字漢字"), 7, &["│ 漢字", "┊ 漢字"]);
        check(&line("\tx"), 12, &["│     x"]);
        check(&line(""), 12, &["│ "]);
    }

    #[test]
    fn a_row_is_as_wide_as_it_is_drawn() {
        let line = |text: &str| Line::agents("", Tone::Agent, vec![Ink::new(Tone::Agent, text)]);
        // A sign with a selector that widens it, a letter with a mark of its own column.
        check(
            &line("⚠\u{fe0f}⚠\u{fe0f}⚠\u{fe0f}"),
            7,
            &["│ ⚠\u{fe0f}⚠\u{fe0f}", "┊ ⚠\u{fe0f}"],
        );
        check(
            &line("ｶ\u{ff9e}ｶ\u{ff9e}"),
            5,
            &["│ ｶ\u{ff9e}", "┊ ｶ\u{ff9e}"],
        );
        // A mark with nothing to stand on would not be drawn.
        check(&line("\u{301}x"), 12, &["│ ‹U+0301›x"]);
        // Letters that are joined to one sign wider than the row.
        let joined = "\u{915}\u{94d}".repeat(9);
        let rows = wrap(&[line(&joined)], 8);
        assert!(
            rows.len() > 1 && rows.iter().all(|row| text_width(&row.text()) <= 8),
            "{rows:?}"
        );
    }

    #[test]
    fn our_words_break_at_blanks() {
        let lead = || Ink::new(Tone::Quiet, "task  ");
        let line = Line::ours(lead(), Tone::Plain, "mend all the links");
        check(&line, 15, &["task  mend all ", "      the links"]);
        let line = Line::mixed(lead(), vec![Ink::new(Tone::Plain, "mend all the links")]);
        check(&line, 15, &["task  mend all ", "    ┊ the links"]);
        check(&Line::told(Tone::Plain, "mend all"), 6, &["mend ", "┊ all"]);
        check(
            &Line::plain(Tone::Plain, "abcdefghij klm"),
            6,
            &["abcdef", "ghij ", "klm"],
        );
    }

    #[test]
    fn what_is_clipped_in_its_middle_keeps_its_end() {
        let text = "r1-1 can't be recorded: no space is left: free some space and try again";
        assert_eq!(clip_middle(text, 200), text);
        let clipped = clip_middle(text, 50);
        assert_eq!(clipped, "r1-1 can't be … free some space and try again");
        for width in 1..60 {
            assert!(text_width(&clip_middle(text, width)) <= width, "{width}");
        }
        let without = "the leader has not answered for 30 s, and nobody knows why";
        assert_eq!(clip_middle(without, 20), clip(without, 20));
    }

    #[test]
    fn what_is_clipped_says_so() {
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("漢字漢", 4), "漢…");
        assert_eq!(clip("abcd", 4), "abcd");
    }
}
