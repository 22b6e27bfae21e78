//! What `${x%p}` and kin make of a text, where both are known.
//!
//! Patterns with one `*` at most: what people write. For others, and for what is long, the value is not
//! known, as that of any expansion that is not worked out.

use super::{Atom, Expander};
use crate::limits::VALUE_BYTES_MAX;
use crate::state::Value;
use crate::syntax::{Cut, Parameter, Word};
use crate::work;

/// Comparisons of characters that one expansion is worth.
const COMPARED_MAX: usize = 16 * 1024;

/// Which of the texts that a pattern matches is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Shortest,
    Longest,
}

/// A character of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Char(char),
    /// One that is quoted: no operator either.
    Quoted(char),
    /// `?`
    Any,
    /// `*`
    Many,
}

impl Expander<'_> {
    /// The text that the expansion makes of the parameter's value.
    pub(super) fn cut(&self, parameter: &Parameter<'_>, cut: Cut) -> Option<String> {
        let text = match self.variable(parameter) {
            Value::Texts(mut texts) if texts.len() == 1 => texts.pop()?,
            _ => return None,
        };
        let [word] = parameter.words.as_slice() else {
            return None;
        };
        if !text.is_ascii() {
            // How many characters it has is a matter of the locale.
            return None;
        }
        let text: Vec<char> = text.chars().collect();
        work::count(text.len());
        let behind = self.units(word)?;
        match cut {
            Cut::Front => {
                let (pattern, taken) = doubled(&behind, '#');
                let len = front(&text, Halves::of(pattern)?, taken)?;
                Some(text.iter().skip(len.unwrap_or(0)).collect())
            }
            Cut::Back => {
                let (pattern, taken) = doubled(&behind, '%');
                let from = back(&text, Halves::of(pattern)?, taken)?;
                Some(text.iter().take(from.unwrap_or(text.len())).collect())
            }
            Cut::Replace => replaced(&text, &behind),
            Cut::Upper => cased(&text, &behind, '^', |char| char.to_ascii_uppercase()),
            Cut::Lower => cased(&text, &behind, ',', |char| char.to_ascii_lowercase()),
            Cut::Slice => sliced(&text, &behind),
        }
    }

    /// The word as a pattern.
    fn units(&self, word: &Word<'_>) -> Option<Vec<Unit>> {
        let mut units = Vec::new();
        for atom in self.atoms(word) {
            match atom {
                Atom::Fixed(text) => units.extend(text.chars().map(Unit::Quoted)),
                Atom::Bare(text) | Atom::Split(text) => {
                    // Sets, extended patterns and tildes mean more than they say.
                    if text.contains(['[', '(', '~', '&']) {
                        return None;
                    }
                    units.extend(text.chars().map(|char| match char {
                        '*' => Unit::Many,
                        '?' => Unit::Any,
                        char => Unit::Char(char),
                    }));
                }
                Atom::Each(_) | Atom::Pattern(..) | Atom::Unknown(_) => return None,
            }
        }
        Some(units)
    }
}

/// The pattern behind an operator, which takes more where it is doubled.
fn doubled(units: &[Unit], operator: char) -> (&[Unit], Taken) {
    match units.split_first() {
        Some((first, rest)) if *first == Unit::Char(operator) => (rest, Taken::Longest),
        _ => (units, Taken::Shortest),
    }
}

/// A pattern, in front of its `*` and behind it.
#[derive(Clone, Copy)]
struct Halves<'u> {
    before: &'u [Unit],
    /// Nothing when there is no `*`.
    after: Option<&'u [Unit]>,
}

impl<'u> Halves<'u> {
    fn of(units: &'u [Unit]) -> Option<Self> {
        let mut parts = units.split(|unit| *unit == Unit::Many);
        let halves = Self {
            before: parts.next().unwrap_or_default(),
            after: parts.next(),
        };
        parts.next().is_none().then_some(halves)
    }
}

/// Whether the text goes on like this.
fn goes_on(text: &[char], units: &[Unit]) -> bool {
    text.len() >= units.len()
        && text.iter().zip(units).all(|(char, unit)| match unit {
            Unit::Char(wanted) | Unit::Quoted(wanted) => char == wanted,
            Unit::Any => true,
            Unit::Many => false,
        })
}

fn fits(text: &[char], units: &[Unit]) -> bool {
    let compared = text.len() * units.len().max(1);
    work::count(compared);
    compared <= COMPARED_MAX
}

/// How many characters at its beginning the pattern takes; the inner `None` when it does not match.
#[expect(clippy::option_option, reason = "not known, not matched, matched")]
fn front(text: &[char], pattern: Halves<'_>, taken: Taken) -> Option<Option<usize>> {
    let Halves { before, after } = pattern;
    if !goes_on(text, before) {
        return Some(None);
    }
    let Some(after) = after else {
        return Some(Some(before.len()));
    };
    if !fits(text, after) {
        return None;
    }
    let mut places = before.len()..=text.len();
    let here = |at: &usize| text.get(*at..).is_some_and(|rest| goes_on(rest, after));
    let at = if taken == Taken::Longest {
        places.rev().find(here)
    } else {
        places.find(here)
    };
    Some(at.map(|at| at + after.len()))
}

/// Where the end begins that the pattern takes.
#[expect(clippy::option_option, reason = "not known, not matched, matched")]
fn back(text: &[char], pattern: Halves<'_>, taken: Taken) -> Option<Option<usize>> {
    let Halves { before, after } = pattern;
    let end = after.unwrap_or(before);
    let Some(from) = text.len().checked_sub(end.len()) else {
        return Some(None);
    };
    if !text.get(from..).is_some_and(|rest| goes_on(rest, end)) {
        return Some(None);
    }
    if after.is_none() {
        return Some(Some(from));
    }
    if !fits(text, before) {
        return None;
    }
    let Some(last) = from.checked_sub(before.len()) else {
        return Some(None);
    };
    let mut places = 0..=last;
    let here = |at: &usize| text.get(*at..).is_some_and(|rest| goes_on(rest, before));
    Some(if taken == Taken::Longest {
        places.find(here)
    } else {
        places.rev().find(here)
    })
}

/// `${x/p/r}`: `/`, `#` and `%` in front of the pattern say which of its places.
fn replaced(text: &[char], behind: &[Unit]) -> Option<String> {
    let (first, rest) = behind.split_first()?;
    let (place, rest) = match first {
        Unit::Char(place @ ('/' | '#' | '%')) => (Some(*place), rest),
        _ => (None, behind),
    };
    let slash = rest.iter().position(|unit| *unit == Unit::Char('/'));
    let (pattern, with) = rest.split_at(slash.unwrap_or(rest.len()));
    let with: Option<Vec<char>> = with.iter().skip(1).map(|unit| char_of(*unit)).collect();
    let with = with?;
    if pattern.is_empty() || pattern.contains(&Unit::Many) || !fits(text, pattern) {
        return None;
    }
    let mut made = String::new();
    let mut at = 0;
    let mut done = false;
    while let Some(char) = text.get(at) {
        let allowed = match place {
            Some('#') => at == 0,
            Some('%') => at + pattern.len() == text.len(),
            Some('/') => true,
            _ => !done,
        };
        if allowed && text.get(at..).is_some_and(|rest| goes_on(rest, pattern)) {
            made.extend(&with);
            at += pattern.len();
            done = true;
        } else {
            made.push(*char);
            at += 1;
        }
        if made.len() > VALUE_BYTES_MAX {
            return None;
        }
    }
    Some(made)
}

fn char_of(unit: Unit) -> Option<char> {
    match unit {
        Unit::Char(char) | Unit::Quoted(char) => Some(char),
        Unit::Any => Some('?'),
        Unit::Many => Some('*'),
    }
}

/// `${x^}` and `${x^^}`, without a pattern.
fn cased(text: &[char], behind: &[Unit], sign: char, with: fn(&char) -> char) -> Option<String> {
    let count = match behind {
        [] => 1,
        [only] if *only == Unit::Char(sign) => text.len(),
        _ => return None,
    };
    let changed = text.iter().take(count).map(with);
    Some(changed.chain(text.iter().skip(count).copied()).collect())
}

/// `${x:n}`, `${x:n:m}` and `${x: -n}`, with numbers as they are.
fn sliced(text: &[char], behind: &[Unit]) -> Option<String> {
    let spelled: Option<String> = behind.iter().map(|unit| char_of(*unit)).collect();
    let spelled = spelled?;
    let (from, count) = match spelled.split_once(':') {
        Some((from, count)) => (from, Some(count)),
        None => (spelled.as_str(), None),
    };
    // A leading zero makes it octal.
    let number = |text: &str| {
        let digits = text.trim().trim_start_matches('-');
        (digits == "0" || !digits.starts_with('0')).then(|| text.trim().parse::<isize>().ok())?
    };
    let from = number(from)?;
    let start = match usize::try_from(from) {
        Ok(from) => from,
        Err(_) => text.len().checked_sub(from.unsigned_abs())?,
    };
    let end = match count {
        None => text.len(),
        Some(count) => {
            let count = number(count)?;
            match usize::try_from(count) {
                Ok(count) => (start + count).min(text.len()),
                Err(_) => text.len().checked_sub(count.unsigned_abs())?,
            }
        }
    };
    Some(text.get(start..end).unwrap_or_default().iter().collect())
}
