//! Two texts line by line, told apart by all that they hold: also by how lines end, by blanks behind them, and by tabs in
//! the place of blanks. On a line that changes these are written out; on one that stays they would only be in the way.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use super::RETURN;

/// One line, without what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RawLine<'a> {
    text: &'a str,
    end: LineEnd,
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum LineEnd {
    Feed,
    ReturnAndFeed,
    /// The text ends without a line feed, and the other one does not.
    Nothing,
}

/// See the module's words.
#[derive(Debug)]
pub(crate) struct Apart<'a> {
    pub(crate) before: Vec<RawLine<'a>>,
    pub(crate) after: Vec<RawLine<'a>>,
    /// Whether some lines end with a carriage return and others don't.
    returns_differ: bool,
    /// Whether a line looks like another one but for tabs in the place of blanks.
    blanks_differ: bool,
}

impl<'a> Apart<'a> {
    pub(crate) fn of(before: &'a str, after: &'a str) -> Self {
        let lacks = |text: &str| !text.is_empty() && !text.ends_with('\n');
        let last = match (lacks(before), lacks(after)) {
            (true, false) | (false, true) if !before.is_empty() && !after.is_empty() => {
                LineEnd::Nothing
            }
            // Both or neither: it tells nothing.
            _ => LineEnd::Feed,
        };
        let (before, after) = (lines(before, last), lines(after, last));
        let ends_with = |end| {
            let mut both = before.iter().chain(&after);
            both.any(|line| line.end == end)
        };
        let returns_differ = ends_with(LineEnd::ReturnAndFeed) && ends_with(LineEnd::Feed);
        let blanks_differ = tabs_pass_for_blanks(before.iter().chain(&after));
        Self {
            before,
            after,
            returns_differ,
            blanks_differ,
        }
    }

    /// A line that changes, with all of it that is not seen written out.
    pub(crate) fn changed(&self, line: RawLine<'_>) -> String {
        let seen = line.seen();
        let behind = line.text.strip_prefix(seen).unwrap_or_default();
        let mut text = seen.replace('\r', RETURN);
        if self.blanks_differ {
            text = text.replace('\t', "⇥\t");
        }
        let mut rest = behind;
        while let Some(first) = rest.chars().next() {
            if first == '\t' {
                text.push('⇥');
                rest = rest.strip_prefix('\t').unwrap_or_default();
                continue;
            }
            let after = rest.trim_start_matches(' ');
            // Writing into a String can't fail.
            let _ = match rest.len().saturating_sub(after.len()) {
                1 => write!(text, "‹1 blank›"),
                count => write!(text, "‹{count} blanks›"),
            };
            rest = after;
        }
        match line.end {
            LineEnd::ReturnAndFeed if self.returns_differ => text.push_str(RETURN),
            LineEnd::ReturnAndFeed | LineEnd::Feed => {}
            LineEnd::Nothing => text.push_str("‹no line feed at the end›"),
        }
        text
    }

    /// Both texts whole, each line as [`Self::changed`] and with a line feed behind it.
    pub(crate) fn texts(&self) -> (String, String) {
        let text = |these: &[RawLine<'a>], others: &[RawLine<'a>]| {
            let mut text = String::new();
            for line in these {
                text.push_str(&self.changed(*line));
                text.push('\n');
            }
            // One empty line looks like no line.
            if text == "\n" && others.is_empty() {
                text.insert_str(0, "‹a line feed›");
            }
            text
        };
        (
            text(&self.before, &self.after),
            text(&self.after, &self.before),
        )
    }
}

impl RawLine<'_> {
    /// The line without what ends it.
    pub(crate) fn text(&self) -> &str {
        self.text
    }

    /// The line without the blanks and tabs at its end.
    fn seen(&self) -> &str {
        self.text.trim_end_matches([' ', '\t'])
    }
}

fn lines(text: &str, last: LineEnd) -> Vec<RawLine<'_>> {
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| match line.strip_suffix('\n') {
            None => RawLine {
                text: line,
                end: last,
            },
            Some(text) => match text.strip_suffix('\r') {
                None => RawLine {
                    text,
                    end: LineEnd::Feed,
                },
                Some(text) => RawLine {
                    text,
                    end: LineEnd::ReturnAndFeed,
                },
            },
        })
        .collect()
}

/// Whether one of the lines looks like another one, though there are tabs in the one where blanks are in the other.
fn tabs_pass_for_blanks<'a>(lines: impl Iterator<Item = &'a RawLine<'a>> + Clone) -> bool {
    if !lines.clone().any(|line| line.seen().contains('\t')) {
        return false;
    }
    let mut kinds: HashMap<String, String> = HashMap::new();
    let mut lines = lines.map(|line| gaps(line.seen()));
    lines.any(|(seen, kind)| match kinds.entry(seen) {
        Entry::Occupied(first) => *first.get() != kind,
        Entry::Vacant(free) => {
            free.insert(kind);
            false
        }
    })
}

/// The text with each row of blanks and tabs as one blank; and as one tab where it is of tabs alone, as it is where it is of
/// both.
fn gaps(text: &str) -> (String, String) {
    let (mut seen, mut kind) = (String::new(), String::new());
    let mut rest = text;
    while !rest.is_empty() {
        let after = rest.trim_start_matches([' ', '\t']);
        // By lengths: to compare what is left at each gap takes the square of a line's length.
        let wide = rest.len().saturating_sub(after.len());
        let gap = rest.get(..wide).unwrap_or_default();
        if !gap.is_empty() {
            seen.push(' ');
            kind.push_str(match (gap.contains(' '), gap.contains('\t')) {
                (true, true) => gap,
                (false, _) => "\t",
                (true, false) => " ",
            });
        }
        let end = after.find([' ', '\t']).unwrap_or(after.len());
        let (word, further) = after.split_at(end);
        seen.push_str(word);
        kind.push_str(word);
        rest = further;
    }
    (seen, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::shown::{Extent, block};

    #[track_caller]
    fn check(before: &str, after: &str, expect: (&str, &str)) {
        let (before, after) = Apart::of(before, after).texts();
        assert_eq!((before.as_str(), after.as_str()), expect);
    }

    #[test]
    fn what_is_not_seen_is_written_out_where_it_tells_two_texts_apart() {
        check("a\nb\n", "a\r\nb\n", ("a\nb\n", "a‹U+000D›\nb\n"));
        check("a\n", "a", ("a\n", "a‹no line feed at the end›\n"));
        check("a\n", "a  \n", ("a\n", "a‹2 blanks›\n"));
        check("a\n", "a \t\n", ("a\n", "a‹1 blank›⇥\n"));
        check("    a\n", "\ta\n", ("    a\n", "⇥\ta\n"));
        // What is the same on both sides tells nothing.
        check("a\r\nb\r\n", "a\r\nc\r\n", ("a\nb\n", "a\nc\n"));
        check("a", "b", ("a\n", "b\n"));
        check("", "new \r\n", ("", "new‹1 blank›\n"));
        check("\ta\n", "\tb\n", ("\ta\n", "\tb\n"));
        check("}\n\t}\n", "}\n\t\t}\n", ("}\n\t}\n", "}\n\t\t}\n"));
        // One that no line feed follows ends no line.
        check("a", "a\r", ("a\n", "a‹U+000D›\n"));
    }

    #[test]
    fn lines_at_the_end_returns_before_an_end_and_lines_that_moved_tell_texts_apart() {
        check("a\n", "a\n\n", ("a\n", "a\n\n"));
        check("x\r\r\n", "x\r\n", ("x‹U+000D›\n", "x\n"));
        check("a \na\n", "a\na \n", ("a‹1 blank›\na\n", "a\na‹1 blank›\n"));
        check("\n \n", " \n\n", ("\n‹1 blank›\n", "‹1 blank›\n\n"));
        let swapped = ("⇥\ta\n    a\n", "    a\n⇥\ta\n");
        check("\ta\n    a\n", "    a\n\ta\n", swapped);
        check("", "\n", ("", "‹a line feed›\n"));
    }

    /// A block as a terminal shows it whose tabs stop at every so many columns.
    fn drawn(text: &str, stops: usize) -> String {
        let mut drawn = String::new();
        for line in text.lines() {
            let mut columns = 0;
            for char in line.chars() {
                let wide = match char {
                    '\t' => stops - columns % stops,
                    _ => 1,
                };
                let shown = if char == '\t' { ' ' } else { char };
                drawn.extend(std::iter::repeat_n(shown, wide));
                columns += wide;
            }
            drawn.push('\n');
        }
        drawn
    }

    /// Every two texts of up to four signs; those with another number of letters are seen to differ.
    #[test]
    fn law_22_no_two_texts_that_differ_look_alike() {
        let signs = ['a', ' ', '\t', '\r', '\n'];
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..4 {
            let to = texts.len();
            for at in from..to {
                for sign in signs {
                    let text = format!("{}{sign}", texts[at]);
                    texts.push(text);
                }
            }
            from = to;
        }
        let letters = |text: &str| text.matches('a').count();
        for (at, before) in texts.iter().enumerate() {
            let others = texts.iter().skip(at + 1);
            for after in others.filter(|other| letters(other) == letters(before)) {
                let (one, other) = Apart::of(before, after).texts();
                let (one, other) = (
                    block(&one, "", Extent::Whole),
                    block(&other, "", Extent::Whole),
                );
                for stops in [1, 8] {
                    let alike = drawn(&one, stops) == drawn(&other, stops);
                    assert!(!alike, "{before:?} {after:?}");
                }
            }
        }
    }
}
