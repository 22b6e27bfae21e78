//! The difference between two texts, line by line, the words that differ marked.

use std::time::Instant;

use similar::{Algorithm, ChangeTag, DiffTag, TextDiff, capture_diff_slices};

use super::{Ink, Line, Tone, agents_lines};
use crate::shown::{self, Apart, Extent, RawLine};

/// Texts longer than this are shown one after the other: the time that comparing takes grows with
/// the product of the changes and the length, and a person waits for it.
const COMPARED_BYTES_MAX: usize = 256 * 1024;

/// Lines that stay, shown above and below those that don't.
const AROUND: usize = 3;
/// Fewer lines than this are not worth being counted instead of shown.
const FOLDED_MIN: usize = 4;

/// Both texts as one: what stays, what goes behind `-`, what comes behind `+`. Every line of both is
/// there, and a line that changes only in what is not seen says in what.
pub(super) fn difference_lines(before: &str, after: &str) -> Vec<Line> {
    let apart = Apart::of(before, after);
    if before.len().saturating_add(after.len()) > COMPARED_BYTES_MAX {
        let (before, after) = apart.texts();
        let mut lines = agents_lines(&before, "- ", Tone::Removed);
        lines.extend(agents_lines(&after, "+ ", Tone::Added));
        return lines;
    }
    let operations = capture_diff_slices(Algorithm::Myers, &apart.before, &apart.after);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for operation in &operations {
        let stays = operation.tag() == DiffTag::Equal;
        let fit = |line: &RawLine<'_>| match stays {
            true => fit(line.text()),
            false => fit(&apart.changed(*line)),
        };
        before.extend(
            apart
                .before
                .get(operation.old_range())
                .into_iter()
                .flatten()
                .map(fit),
        );
        after.extend(
            apart
                .after
                .get(operation.new_range())
                .into_iter()
                .flatten()
                .map(fit),
        );
    }
    let (before, after): (Vec<&str>, Vec<&str>) = (
        before.iter().map(String::as_str).collect(),
        after.iter().map(String::as_str).collect(),
    );
    // Which lines differ is known; it is asked for the words within them alone.
    let difference = TextDiff::configure()
        .deadline(Instant::now())
        .diff_slices(&before, &after);
    let mut lines = Vec::new();
    for operation in &operations {
        for change in difference.iter_inline_changes(operation) {
            let (sign, plain, marked) = match change.tag() {
                ChangeTag::Delete => ("- ", Tone::Removed, Tone::RemovedWord),
                ChangeTag::Insert => ("+ ", Tone::Added, Tone::AddedWord),
                ChangeTag::Equal => ("  ", Tone::Agent, Tone::Agent),
            };
            let inks = change
                .iter_strings_lossy()
                .map(|(differs, text)| {
                    let tone = if differs { marked } else { plain };
                    Ink::new(tone, text.trim_end_matches('\n'))
                })
                .collect();
            lines.push(Line::agents(sign, plain, inks));
        }
    }
    lines
}

/// As [`difference_lines`], for a file that is there: long parts of it that stay as they are are counted and not shown.
/// Every line that goes or comes is there.
pub(super) fn change_lines(before: &str, after: &str) -> Vec<Line> {
    let all = difference_lines(before, after);
    let stays = |line: &Line| line.sign() == "  ";
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = all.into_iter().peekable();
    while rest.peek().is_some() {
        let mut same = Vec::new();
        while let Some(line) = rest.next_if(stays) {
            same.push(line);
        }
        let (above, below) = (
            if lines.is_empty() { 0 } else { AROUND },
            if rest.peek().is_none() { 0 } else { AROUND },
        );
        let hidden = same.len().saturating_sub(above + below);
        if hidden > FOLDED_MIN {
            let tail = same.split_off(above + hidden);
            same.truncate(above);
            lines.append(&mut same);
            let text = format!("‹{hidden} lines stay as they are›");
            lines.push(Line::told(Tone::Quiet, text));
            lines.extend(tail);
        } else {
            lines.append(&mut same);
        }
        while let Some(line) = rest.next_if(|line| !stays(line)) {
            lines.push(line);
        }
    }
    lines
}

/// A line fit to be shown, with a line feed behind it: where lines are compared word by word, one without any would be none.
fn fit(line: &str) -> String {
    shown::block(line, "", Extent::Whole)
}

#[cfg(test)]
mod tests {
    use super::super::{Row, wrap};
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expect: &str) {
        let rows = wrap(&difference_lines(before, after), 80);
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(text.join("\n"), expect);
    }

    #[test]
    fn each_line_of_both_is_there() {
        check("a\nb\nc\n", "a\nx\nc\n", "│   a\n│ - b\n│ + x\n│   c");
        check("a\nb\nc", "a\nx\nc", "│   a\n│ - b\n│ + x\n│   c");
        check("", "new\n", "│ + new");
        check("old", "", "│ - old");
        check("a\u{1b}[2J", "a", "│ - a‹U+001B›[2J\n│ + a");
        let more = "│ - port = 80\n│ + port = 8080\n│ + ";
        check("port = 80\n", "port = 8080\n\n", more);
        check("a\n\n\nb\n", "c\n\nb\n", "│ - a\n│ - \n│ + c\n│   \n│   b");
        check("a\n\n", "b\n\n\n\n", "│ - a\n│ + b\n│ + \n│ + \n│   ");
    }

    #[test]
    fn law_22_a_line_that_changes_only_in_what_is_not_seen_says_in_what() {
        check("a\nb\n", "a\r\nb\n", "│ - a\n│ + a‹U+000D›\n│   b");
        check("a\n", "a", "│ - a\n│ + a‹no line feed at the end›");
        check("a\n", "a \n", "│ - a\n│ + a‹1 blank›");
        check("    a\n", "\ta\n", "│ -     a\n│ + ⇥   a");
        check("rm x", "rm x\r", "│ - rm x\n│ + rm x‹U+000D›");
        check("a\r\nb\r\n", "a\r\nc\r\n", "│   a\n│ - b\n│ + c");
    }

    #[test]
    fn what_stays_of_a_file_is_counted_and_what_changes_is_all_there() {
        let before: String = (1..=40).map(|n| format!("line {n}\n")).collect();
        let after = before.replace("line 20\n", "line twenty\n");
        let rows = wrap(&change_lines(&before, &after), 80);
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        let expect = [
            "‹16 lines stay as they are›",
            "│   line 17",
            "│   line 18",
            "│   line 19",
            "│ - line 20",
            "│ + line twenty",
            "│   line 21",
            "│   line 22",
            "│   line 23",
            "‹17 lines stay as they are›",
        ];
        assert_eq!(text, expect);
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        let lines = difference_lines("let port = 80;\n", "let port = 8080;\n");
        let marked = |tone| {
            let rows = wrap(&lines, 80);
            let texts = rows
                .iter()
                .flat_map(|row| &row.inks)
                .filter(|ink| ink.tone == tone)
                .map(|ink| ink.text.trim().to_owned());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(marked(Tone::RemovedWord), ["80"]);
        assert_eq!(marked(Tone::AddedWord), ["8080"]);
    }

    #[test]
    fn a_text_too_long_to_compare_is_shown_whole() {
        let long = "line\n".repeat(60_000);
        assert_eq!(difference_lines(&long, "x").len(), 60_001);
    }
}
