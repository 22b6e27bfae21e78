//! Text from agents, made fit to be shown: nothing hidden, nothing that looks like our own lines,
//! nothing that takes more room than it is given, nothing cut without saying so.
//!
//! Every renderer passes what it did not write itself through here. The stored text stays exact.

mod apart;
mod steady;

use std::borrow::Cow;
use std::fmt::Write as _;

use pointsman_model::visible;

pub(crate) use self::apart::{Apart, RawLine};
pub(crate) use self::steady::{steady, written_out};

/// Longest text on one line, in characters: about five lines of a wide terminal.
const LINE_CHARS_MAX: usize = 400;
/// From this many blanks in a row they are counted instead of shown: half a narrow terminal, beyond
/// which padding pushes text out of sight.
const BLANKS_MAX: usize = 40;

/// A carriage return, written out.
const RETURN: &str = "‹U+000D›";

/// How much of a long text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What fits a screen; the rest is counted.
    Screen,
    /// All of it.
    Whole,
}

impl Extent {
    /// Lines shown of a block.
    fn lines_max(self) -> usize {
        match self {
            Self::Screen => 60,
            Self::Whole => usize::MAX,
        }
    }

    /// Characters shown of a line of a block.
    fn chars_max(self) -> usize {
        match self {
            Self::Screen => 2_000,
            Self::Whole => usize::MAX,
        }
    }
}

/// An error with all that caused it: `the answer can't be recorded: no space is left`.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing into a String can't fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

/// A command's text with its carriage returns written out, those before line feeds too: to a shell they are part of a word.
#[must_use]
pub fn command(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace('\r', RETURN).into()
    } else {
        text.into()
    }
}

/// A text on one line: line feeds written as `⏎` and tabs as `⇥`, a long rest counted.
#[must_use]
pub fn line(text: &str) -> String {
    let plain = text.replace("\r\n", "\n").replace('\n', "⏎");
    let plain = counted_blanks(&steady(&visible(&plain))).replace('\t', "⇥");
    cut(&plain, LINE_CHARS_MAX)
}

/// A text of many lines, each behind `bar`, so that none of them can pass for a line of ours.
#[must_use]
pub fn block(text: &str, bar: &str, extent: Extent) -> String {
    let mut shown = String::new();
    let mut rest = 0_usize;
    // A line feed at the end ends the last line; it begins no new one.
    let (text, last) = match text.strip_suffix('\n') {
        Some(text) => (text, Feed::Follows),
        None => (text, Feed::Lacks),
    };
    let mut lines = text.split('\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if at >= extent.lines_max() {
            rest = rest.saturating_add(1);
            continue;
        }
        let feed = match lines.peek() {
            Some(_) => Feed::Follows,
            None => last,
        };
        // A carriage return is part of a line's end only where that is there.
        let line = match (feed, line.strip_suffix('\r')) {
            (Feed::Follows, Some(line)) => line,
            (Feed::Follows, None) | (Feed::Lacks, _) => line,
        };
        let line = cut(&counted_blanks(&steady(&visible(line))), extent.chars_max());
        // Writing into a String can't fail.
        let _ = writeln!(shown, "{bar}{line}");
    }
    if rest > 0 {
        let _ = writeln!(shown, "{bar}‹{rest} more lines, not shown here›");
    }
    shown
}

/// Whether a line feed follows a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Feed {
    Follows,
    Lacks,
}

/// Long runs of blanks, counted: they serve to push text out of sight.
fn counted_blanks(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut blanks = String::new();
    for char in text.chars() {
        if matches!(char, ' ' | '\t') {
            blanks.push(char);
            continue;
        }
        flush(&mut blanks, &mut shown);
        shown.push(char);
    }
    flush(&mut blanks, &mut shown);
    shown
}

fn flush(blanks: &mut String, shown: &mut String) {
    if blanks.len() >= BLANKS_MAX {
        let _ = write!(shown, " ‹{} blanks› ", blanks.len());
    } else {
        shown.push_str(blanks);
    }
    blanks.clear();
}

/// The first `chars_max` characters, and how many more there are.
fn cut(text: &str, chars_max: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(chars_max) else {
        return text.into();
    };
    let (kept, rest) = text.split_at(at);
    format!("{kept} ‹{} more characters›", rest.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_can_t_fake_a_line_of_ours() {
        assert_eq!(
            line("docs\nanswered by a person\r\n\u{1b}[2K"),
            "docs⏎answered by a person⏎‹U+001B›[2K"
        );
    }

    #[test]
    fn a_tab_of_a_line_is_a_sign_that_takes_a_column() {
        assert_eq!(line("rm\t-rf\tbuild"), "rm⇥-rf⇥build");
        assert_eq!(line(&"\t".repeat(50)), " ‹50 blanks› ");
        assert_eq!(block("a\tb", "| ", Extent::Whole), "| a\tb\n");
    }

    #[test]
    fn padding_does_not_push_text_out_of_sight() {
        let padded = format!("echo ok{}; rm -rf /", " ".repeat(300));
        assert_eq!(line(&padded), "echo ok ‹300 blanks› ; rm -rf /");
        assert_eq!(
            block(&padded, "| ", Extent::Whole),
            "| echo ok ‹300 blanks› ; rm -rf /\n"
        );
        assert_eq!(line("a    b"), "a    b");
    }

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(
            line(&"x".repeat(LINE_CHARS_MAX + 7)),
            format!("{} ‹7 more characters›", "x".repeat(LINE_CHARS_MAX))
        );
        let many = "l\n".repeat(100);
        let shown = block(&many, "| ", Extent::Screen);
        assert!(
            shown.ends_with("| ‹40 more lines, not shown here›\n"),
            "{shown}"
        );
        assert_eq!(block(&many, "| ", Extent::Whole).lines().count(), 100);
    }

    #[test]
    fn each_line_of_a_block_stands_behind_its_bar() {
        assert_eq!(block("a\r\n\nb\n", "| ", Extent::Screen), "| a\n| \n| b\n");
    }

    #[test]
    fn law_22_a_carriage_return_that_no_line_feed_follows_is_seen() {
        let whole = |text| block(text, "", Extent::Whole);
        assert_eq!(whole("rm x\r"), "rm x‹U+000D›\n");
        assert_eq!(whole("a\r\nb\r"), "a\nb‹U+000D›\n");
        assert_eq!(whole("a\rb\r\n"), "a‹U+000D›b\n");
        assert_eq!(line("rm -rf build\r"), "rm -rf build‹U+000D›");
        assert_eq!(command("ls\r\nrm x\r"), "ls‹U+000D›\nrm x‹U+000D›");
    }
}
