//! Brace expansion: `{a,b}` and `{1..3}`.

use compact_str::ToCompactString as _;

use super::Atom;
use crate::limits::{BRACE_CHARS_MAX, BRACES_MAX};

/// A character of unquoted text, or anything else as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    Char(char),
    Whole(Atom),
}

/// The words that the braces make, one when there are none. `None` when they make too many.
pub(super) fn expand(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let braces = units.iter().filter(|unit| **unit == Unit::Char('{'));
    if units.len() > BRACE_CHARS_MAX || braces.count() > BRACES_MAX {
        return None;
    }
    for (open, unit) in units.iter().enumerate() {
        if *unit != Unit::Char('{') {
            continue;
        }
        let (choices, close) = match choices(units, open) {
            Choices::None => continue,
            Choices::TooMany => return None,
            Choices::Of(choices, close) => (choices, close),
        };
        let front = units.get(..open)?;
        let tails = expand(units.get(close + 1..)?)?;
        let mut words = Vec::new();
        for choice in choices {
            for middle in expand(&choice)? {
                for tail in &tails {
                    if words.len() >= BRACES_MAX {
                        return None;
                    }
                    let mut word = front.to_vec();
                    word.extend_from_slice(&middle);
                    word.extend_from_slice(tail);
                    words.push(word);
                }
            }
        }
        return Some(words);
    }
    Some(vec![units.to_vec()])
}

/// What stands between a brace and its partner.
enum Choices {
    /// The brace is plain text.
    None,
    TooMany,
    /// These, and where the partner is.
    Of(Vec<Vec<Unit>>, usize),
}

fn choices(units: &[Unit], open: usize) -> Choices {
    let mut depth = 0_u32;
    let mut cuts = vec![open];
    let mut close = None;
    for (at, unit) in units.iter().enumerate().skip(open + 1) {
        match unit {
            Unit::Char('{') => depth += 1,
            Unit::Char('}') if depth == 0 => {
                close = Some(at);
                break;
            }
            Unit::Char('}') => depth -= 1,
            Unit::Char(',') if depth == 0 => cuts.push(at),
            Unit::Char(_) | Unit::Whole(_) => {}
        }
    }
    let Some(close) = close else {
        return Choices::None;
    };
    if cuts.len() == 1 {
        return match range(units.get(open + 1..close).unwrap_or_default()) {
            None => Choices::None,
            Some(words) if words.len() > BRACES_MAX => Choices::TooMany,
            Some(words) => Choices::Of(words, close),
        };
    }
    cuts.push(close);
    let mut parts = Vec::new();
    for pair in cuts.windows(2) {
        let [from, to] = pair else { continue };
        parts.push(units.get(from + 1..*to).unwrap_or_default().to_vec());
    }
    Choices::Of(parts, close)
}

/// `1..3`, `a..e`, `1..9..2`; cut off behind [`BRACES_MAX`].
fn range(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let mut text = String::new();
    for unit in units {
        match unit {
            Unit::Char(char) => text.push(*char),
            Unit::Whole(_) => return None,
        }
    }
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step: i64 = step.map_or(Some(1), |step| step.parse().ok())?;
    let step = step.unsigned_abs().max(1);
    let letters = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let (first, last, is_letter) = match (letters(from), letters(to)) {
        (Some(first), Some(last)) => (first, last, true),
        _ => (from.parse().ok()?, to.parse().ok()?, false),
    };
    let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
    let width = if !is_letter && (padded(from) || padded(to)) {
        from.len().max(to.len())
    } else {
        0
    };
    let step = i64::try_from(step).ok()?;
    let mut words = Vec::new();
    let mut value: i64 = first;
    loop {
        let text = if is_letter {
            char::from(u8::try_from(value).ok()?).to_string()
        } else {
            format!("{value:0width$}")
        };
        words.push(text.chars().map(Unit::Char).collect());
        value = if first <= last {
            value.checked_add(step)?
        } else {
            value.checked_sub(step)?
        };
        let beyond = (first <= last && value > last) || (first > last && value < last);
        if beyond || words.len() > BRACES_MAX {
            return Some(words);
        }
    }
}

/// The units of the atoms.
pub(super) fn units(atoms: Vec<Atom>) -> Vec<Unit> {
    let mut units = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Bare(text) => units.extend(text.chars().map(Unit::Char)),
            other => units.push(Unit::Whole(other)),
        }
    }
    units
}

/// The atoms that units make.
pub(super) fn joined(units: Vec<Unit>) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for unit in units {
        match unit {
            Unit::Char(char) => match atoms.last_mut() {
                Some(Atom::Bare(text)) => text.push(char),
                _ => atoms.push(Atom::Bare(char.to_compact_string())),
            },
            Unit::Whole(atom) => atoms.push(atom),
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expect: &str) {
        let units: Vec<Unit> = word.chars().map(Unit::Char).collect();
        let words = expand(&units).map(|words| {
            words
                .iter()
                .map(|word| {
                    word.iter()
                        .map(|unit| match unit {
                            Unit::Char(char) => *char,
                            Unit::Whole(_) => '\u{fffd}',
                        })
                        .collect::<String>()
                })
                .collect::<Vec<_>>()
                .join(" ")
        });
        assert_eq!(words.as_deref().unwrap_or("too many"), expect, "{word}");
    }

    #[test]
    fn braces_make_the_words_that_bash_makes() {
        check("plain", "plain");
        check("{rm,x}", "rm x");
        check("a{b,c}d", "abd acd");
        check("{a,b}{1,2}", "a1 a2 b1 b2");
        check("{a,{b,c}}", "a b c");
        check("part{1..3}.txt", "part1.txt part2.txt part3.txt");
        check("{01..03}", "01 02 03");
        check("{a..c}", "a b c");
        check("{5..1..2}", "5 3 1");
        check("{}", "{}");
        check("{a}", "{a}");
        check("{a", "{a");
        check("x{a,b", "x{a,b");
        check("{{a,b}", "{a {b");
        check("{1..99999}", "too many");
        check("{,x}", " x");
    }
}
