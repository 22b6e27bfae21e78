//! Problems as a compiler would show them: the message, the place, the line with a mark under what
//! is meant, and what to do. Plain text, no colour.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use pointsman_model::visible;

use crate::{Problem, Severity};

/// The texts that problems point into, by the name their places give the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTexts(BTreeMap<Arc<str>, SourceText>);

/// A text, and the bytes at which its lines begin, but the first: a problem costs the same in a file of any length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SourceText {
    text: Arc<str>,
    breaks: Vec<usize>,
}

/// The longest line that is shown whole; of a longer one a window around the column is shown.
const SHOWN_CHARS_MAX: usize = 120;

impl SourceTexts {
    /// Keeps a file's text.
    pub(crate) fn keep(&mut self, file: Arc<str>, text: Arc<str>) {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        self.0.insert(file, SourceText { text, breaks });
    }

    /// A file's text.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<&str> {
        self.0.get(file).map(|it| &*it.text)
    }

    /// The problem drawn as several lines of plain text, every hidden character made visible,
    /// ending in a line feed.
    #[must_use]
    pub fn draw(&self, problem: &Problem) -> String {
        let label = match problem.severity {
            Severity::Warning | Severity::DroppedAllow => "warning",
            Severity::StopsUnattended => "error",
        };
        let mut out = format!("{label}: {}\n", one_line(&problem.message));
        let number = problem.place.as_ref().map_or(0, |place| place.line);
        let margin = " ".repeat(number.to_string().len());
        if let Some(place) = &problem.place {
            // Writing into a String can't fail.
            let _ = writeln!(out, "{margin}--> {}", one_line(&place.to_string()));
            if let Some(line) = self.line(&place.file, place.line) {
                let (shown, before, width) = window(line, place.column);
                let (blank, mark) = (" ".repeat(before), "^".repeat(width));
                let _ = write!(
                    out,
                    "{margin} |\n{number} | {shown}\n{margin} | {blank}{mark}\n"
                );
            }
        }
        if let Some(hint) = &problem.hint {
            let _ = writeln!(out, "{margin} = hint: {}", one_line(hint));
        }
        out
    }

    fn line(&self, file: &str, line: u32) -> Option<&str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let source = self.0.get(file)?;
        let from = match index.checked_sub(1) {
            None => 0,
            Some(before) => *source.breaks.get(before)?,
        };
        let to = source.breaks.get(index).copied();
        let line = source.text.get(from..to.unwrap_or(source.text.len()))?;
        // Behind the last line feed there is no line.
        (from < source.text.len()).then(|| line.trim_end_matches(['\n', '\r']))
    }
}

/// The text on one line, nothing in it hidden.
fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\r'], " ")
}

/// A line longer than this is not one that a person wrote.
const LONG_LINE: usize = 8 * 1024;

/// The part of the line that is shown, the number of characters before the mark, and the mark's
/// length. Tabs become one blank each, so that the mark stands under what it means.
fn window(line: &str, column: u32) -> (String, usize, usize) {
    let column = usize::try_from(column.saturating_sub(1)).unwrap_or(0);
    if line.is_ascii() && line.len() > LONG_LINE {
        // Of a line that holds a whole file, the part around the column is all that is looked at.
        let from = column.saturating_sub(LONG_LINE / 2).min(line.len());
        let near = line
            .get(from..line.len().min(from + LONG_LINE))
            .unwrap_or(line);
        let all: Vec<char> = near.chars().collect();
        // A place in such a line is the beginning of a text, or within one.
        let inside = match near.as_bytes().get(column - from) {
            Some(b'"') => Inside::Nothing,
            Some(_) | None => Inside::Text,
        };
        return marked(&all, column - from, inside);
    }
    let all: Vec<char> = line.trim_end().chars().collect();
    let inside = is_inside_text(all.get(..column).unwrap_or(&all));
    marked(&all, column, inside)
}

/// The same for a line's characters.
fn marked(all: &[char], column: usize, inside: Inside) -> (String, usize, usize) {
    let from = if all.len() <= SHOWN_CHARS_MAX {
        0
    } else {
        column.saturating_sub(SHOWN_CHARS_MAX / 4)
    };
    let to = from.saturating_add(SHOWN_CHARS_MAX).min(all.len());
    let end = column
        .saturating_add(width_of(all.get(column..).unwrap_or_default(), inside))
        .min(to.max(column));
    let part = |from: usize, to: usize| -> String {
        let chars = all.get(from..to).unwrap_or_default().iter();
        one_line(&chars.collect::<String>().replace('\t', " "))
    };
    let cut_before = if from > 0 { "…" } else { "" };
    let cut_after = if to < all.len() { "…" } else { "" };
    let (before, marked, after) = (
        part(from, column.min(all.len())),
        part(column, end),
        part(end, to),
    );
    let blank = cut_before.chars().count() + before.chars().count();
    let width = marked.chars().count().max(1);
    (
        format!("{cut_before}{before}{marked}{after}{cut_after}"),
        blank,
        width,
    )
}

/// Whether a place is within a text in quotes or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Text,
    Nothing,
}

/// Where a line that begins outside of quotes stands after these characters.
fn is_inside_text(before: &[char]) -> Inside {
    let mut inside = Inside::Nothing;
    let mut escaped = false;
    for char in before {
        match (char, inside) {
            _ if escaped => escaped = false,
            ('\\', Inside::Text) => escaped = true,
            ('"', Inside::Text) => inside = Inside::Nothing,
            ('"', Inside::Nothing) => inside = Inside::Text,
            _ => {}
        }
    }
    inside
}

/// How many characters the thing that begins here has: a text in quotes with them, a word, or one.
fn width_of(rest: &[char], inside: Inside) -> usize {
    let (Some('"'), Inside::Nothing) = (rest.first(), inside) else {
        let word = rest
            .iter()
            .take_while(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.'));
        return word.count().max(1);
    };
    let mut escaped = false;
    for (at, char) in rest.iter().enumerate().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
