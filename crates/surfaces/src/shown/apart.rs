//! Two texts line by line, told apart by all that they hold: also by how lines end, by blanks behind them, and by tabs in
//! the place of blanks. On a line that changes these are written out; on one that stays they would only be in the way.

use std::collections::HashSet;
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
    /// Whether a line of one is a line of the other but for blanks and tabs.
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
        let blanks_differ = {
            let only = |these: &[RawLine<'a>], others: &[RawLine<'a>]| {
                let others: HashSet<&str> = others.iter().map(|line| line.text).collect();
                let these = these.iter().map(|line| line.text);
                let only = these.filter(|text| !others.contains(text));
                only.map(without_blanks).collect::<HashSet<String>>()
            };
            let mut gone = only(&before, &after);
            gone.retain(|text| !text.is_empty());
            !gone.is_disjoint(&only(&after, &before))
        };
        Self {
            before,
            after,
            returns_differ,
            blanks_differ,
        }
    }

    /// A line that changes, with all of it that is not seen written out.
    pub(crate) fn changed(&self, line: RawLine<'_>) -> String {
        let seen = line.text.trim_end_matches([' ', '\t']);
        let behind = line.text.strip_prefix(seen).unwrap_or_default();
        let mut text = if self.blanks_differ {
            seen.replace('\t', "⇥\t")
        } else {
            seen.to_owned()
        };
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

    /// Both texts, those lines as [`Self::changed`] that the other one does not have.
    pub(crate) fn texts(&self) -> (String, String) {
        let text = |these: &[RawLine<'a>], others: &[RawLine<'a>]| {
            let others: HashSet<&RawLine<'a>> = others.iter().collect();
            let lines = these.iter().map(|line| match others.contains(line) {
                true => line.text.to_owned(),
                false => self.changed(*line),
            });
            lines.collect::<Vec<_>>().join("\n")
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

fn without_blanks(text: &str) -> String {
    text.replace([' ', '\t'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expect: (&str, &str)) {
        let (before, after) = Apart::of(before, after).texts();
        assert_eq!((before.as_str(), after.as_str()), expect);
    }

    #[test]
    fn what_is_not_seen_is_written_out_where_it_tells_two_texts_apart() {
        check("a\nb\n", "a\r\nb\n", ("a\nb", "a‹U+000D›\nb"));
        check("a\n", "a", ("a", "a‹no line feed at the end›"));
        check("a\n", "a  \n", ("a", "a‹2 blanks›"));
        check("a\n", "a \t\n", ("a", "a‹1 blank›⇥"));
        check("    a\n", "\ta\n", ("    a", "⇥\ta"));
        // What is the same on both sides tells nothing.
        check("a\r\nb\r\n", "a\r\nc\r\n", ("a\nb", "a\nc"));
        check("a", "b", ("a", "b"));
        check("", "new \r\n", ("", "new‹1 blank›"));
        check("\ta\n", "\tb\n", ("\ta", "\tb"));
        // One that no line feed follows ends no line.
        check("a", "a\r", ("a", "a\r"));
    }
}
