//! The shape of a table: which keys it may have, which it has to, and of what kind their values are. All that differs is
//! told at once, so that what reads the table afterwards finds nothing more.

use std::ops::RangeInclusive;

use toml::de::DeValue;

use super::nearest::hint_for;
use super::reader::{Reader, Section, Value};

/// What a value may be.
#[derive(Debug, Clone)]
pub(super) enum Kind<'a> {
    /// A text.
    Text,
    /// A whole number within bounds.
    Whole(RangeInclusive<i64>),
    /// Any number.
    Number,
    /// One of these words.
    Word(&'a [&'a str]),
    /// It is looked at elsewhere.
    Own,
}

/// Any count that TOML can write.
pub(super) const COUNT: Kind<'static> = Kind::Whole(0..=i64::MAX);
/// A count of four bytes.
pub(super) const SMALL_COUNT: Kind<'static> = Kind::Whole(0..=u32::MAX as i64);

/// One key and its value.
pub(super) type Field<'a> = (&'a str, Kind<'a>);

impl<'t> Reader<'t> {
    /// Notes each key that is none of `fields`, and each value that is not of its kind.
    pub(super) fn shape(&mut self, section: Section<'_, 't>, fields: &[Field<'_>]) {
        let known: Vec<&str> = fields.iter().map(|(key, _)| *key).collect();
        self.only_known(section, &known);
        for (key, kind) in fields {
            let Some(value) = section.get(key) else {
                continue;
            };
            match kind {
                Kind::Own => {}
                Kind::Text => drop(self.text(section, key)),
                Kind::Whole(bounds) => self.whole(key, value, bounds),
                Kind::Number => self.any_number(key, value),
                Kind::Word(words) => {
                    if let Some(text) = self.text(section, key) {
                        self.word(key, &text.text, text.span.start, words);
                    }
                }
            }
        }
    }

    /// Notes each of `keys` that the section, which begins at `at`, does not have.
    pub(super) fn needs(&mut self, section: Section<'_, 't>, at: usize, keys: &[&str], hint: &str) {
        for key in keys.iter().filter(|key| section.get(key).is_none()) {
            self.report(
                at,
                &format!("{} has no `{key}`", section.what()),
                Some(hint),
            );
        }
    }

    /// Notes a word that is none of `words`.
    pub(super) fn word(&mut self, key: &str, word: &str, at: usize, words: &[&str]) {
        if !words.contains(&word) {
            let message = format!("`{key}` can't be `{word}`");
            self.report(at, &message, Some(&hint_for(word, words)));
        }
    }

    fn whole(&mut self, key: &str, value: &Value<'t>, bounds: &RangeInclusive<i64>) {
        let expected = match (*bounds.start(), *bounds.end()) {
            (least, i64::MAX) => format!("a whole number from {least}"),
            (least, most) => format!("a whole number from {least} to {most}"),
        };
        let DeValue::Integer(digits) = value.get_ref() else {
            self.wrong_kind(key, value, &expected);
            return;
        };
        let number = i64::from_str_radix(digits.as_str(), digits.radix()).ok();
        if number.is_none_or(|number| !bounds.contains(&number)) {
            let message = format!("`{key}` is {expected}, not {}", digits.as_str());
            self.report(value.span().start, &message, None);
        }
    }

    fn any_number(&mut self, key: &str, value: &Value<'t>) {
        match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => {}
            _ => self.wrong_kind(key, value, "a number"),
        }
    }
}
