//! Takes values out of a parsed TOML file, one by one, and collects every problem on the way
//! instead of stopping at the first.

use std::ops::Range;
use std::sync::Arc;

use pointsman_model::FilePlace;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::lines::Lines;
use super::nearest::hint_for;
use super::problem::JobFileProblem;

/// A value with its place.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// A text with its place.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// The text, escapes undone.
    pub(super) text: String,
    /// Where it stands, quotes included.
    pub(super) span: Range<usize>,
}

/// One section of the file: a table and what people call it.
#[derive(Clone, Copy)]
pub(super) struct Section<'a, 't> {
    table: &'a DeTable<'t>,
    /// What it is, with its article: `a job`.
    what: &'static str,
}

impl<'a, 't> Section<'a, 't> {
    pub(super) fn new(table: &'a DeTable<'t>, what: &'static str) -> Self {
        Self { table, what }
    }

    /// The table itself.
    pub(super) fn table(&self) -> &'a DeTable<'t> {
        self.table
    }

    /// What it is, with its article.
    pub(super) fn what(&self) -> &'static str {
        self.what
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value<'t>> {
        self.table.get(key)
    }

    /// Keys and values in the order they are written.
    pub(super) fn entries(&self) -> Vec<(&'a str, Range<usize>, &'a Value<'t>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
            .collect();
        entries.sort_by_key(|(_, span, _)| span.start);
        entries
    }
}

/// Collects problems while values are taken out.
pub(super) struct Reader<'t> {
    file: Arc<str>,
    lines: Lines<'t>,
    problems: Vec<JobFileProblem>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, file: Arc<str>) -> Self {
        Self {
            file,
            lines: Lines::of(text),
            problems: Vec::new(),
        }
    }

    /// All problems so far, in the order of the file.
    pub(super) fn into_problems(mut self) -> Vec<JobFileProblem> {
        self.problems.sort_by(|one, other| {
            let key = |problem: &JobFileProblem| (problem.place().line, problem.place().column);
            key(one).cmp(&key(other))
        });
        self.problems.dedup();
        self.problems
    }

    /// How many problems there are so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    /// The place of a byte.
    pub(super) fn place(&self, at: usize) -> FilePlace {
        let (line, column) = self.lines.place(at);
        FilePlace {
            file: Arc::clone(&self.file),
            line,
            column,
        }
    }

    /// Notes a problem.
    pub(super) fn report(&mut self, at: usize, message: &str, hint: Option<&str>) {
        let place = self.place(at);
        self.problems
            .push(JobFileProblem::new(place, message, hint));
    }

    /// The byte of the `column`-th character (from 1) inside a quoted text; the text's own place when escapes make
    /// the two differ.
    pub(super) fn inside(&self, text: &Text, column: u32) -> usize {
        let raw = self.lines.slice(&text.span);
        let unquoted = raw
            .get(1..raw.len().saturating_sub(1))
            .filter(|inner| *inner == text.text);
        let before = usize::try_from(column.saturating_sub(1)).unwrap_or(0);
        match unquoted {
            None => text.span.start,
            Some(inner) => {
                let bytes = inner
                    .chars()
                    .take(before)
                    .map(char::len_utf8)
                    .sum::<usize>();
                text.span.start + 1 + bytes
            }
        }
    }

    /// Notes each key of `section` that is not in `known`.
    pub(super) fn only_known(&mut self, section: Section<'_, 't>, known: &[&str]) {
        for (key, span, _) in section.entries() {
            if !known.contains(&key) {
                let message = format!("`{key}` is no key of {}", section.what);
                self.report(span.start, &message, Some(&hint_for(key, known)));
            }
        }
    }

    /// The value as a table.
    pub(super) fn section<'a>(
        &mut self,
        key: &str,
        value: &'a Value<'t>,
        what: &'static str,
    ) -> Option<Section<'a, 't>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Section::new(table, what)),
            _ => {
                self.wrong_kind(key, value, "a table");
                None
            }
        }
    }

    /// The value of `key` as a list of tables; empty when the key is not there.
    pub(super) fn sections<'a>(
        &mut self,
        section: Section<'a, 't>,
        key: &str,
        what: &'static str,
    ) -> Vec<(Section<'a, 't>, Range<usize>)> {
        let Some(value) = section.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(list) = value.get_ref() else {
            let expected = format!("a list of tables: write `[[{key}]]`");
            self.wrong_kind(key, value, &expected);
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in list.iter() {
            if let Some(table) = self.section(key, item, what) {
                found.push((table, item.span()));
            }
        }
        found
    }

    /// The value of `key` as a text.
    pub(super) fn text(&mut self, section: Section<'_, 't>, key: &str) -> Option<Text> {
        let value = section.get(key)?;
        self.as_text(key, value, "a text in quotes")
    }

    /// The value of `key` as a list of texts; empty when the key is not there.
    pub(super) fn texts(&mut self, section: Section<'_, 't>, key: &str) -> Vec<Text> {
        let Some(value) = section.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_kind(key, value, "a list of texts");
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in list.iter() {
            found.extend(self.as_text(key, item, "a list of texts"));
        }
        found
    }

    fn as_text(&mut self, key: &str, value: &Value<'t>, expected: &str) -> Option<Text> {
        match value.get_ref() {
            DeValue::String(text) => Some(Text {
                text: text.to_string(),
                span: value.span(),
            }),
            _ => {
                self.wrong_kind(key, value, expected);
                None
            }
        }
    }

    /// The value of `key` as a whole number within bounds.
    pub(super) fn number(
        &mut self,
        section: Section<'_, 't>,
        key: &str,
        bounds: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        let value = section.get(key)?;
        let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        let DeValue::Integer(digits) = value.get_ref() else {
            self.wrong_kind(key, value, &expected);
            return None;
        };
        let number = u32::from_str_radix(digits.as_str(), digits.radix()).ok();
        let fits = number.filter(|number| bounds.contains(number));
        if fits.is_none() {
            let message = format!("`{key}` is {expected}, not {}", digits.as_str());
            self.report(value.span().start, &message, None);
        }
        fits
    }

    /// The value of `key` as one of a few words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        section: Section<'_, 't>,
        key: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(section, key)?;
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        self.word(key, &text.text, text.span.start, &words);
        let chosen = choices.iter().find(|(word, _)| *word == text.text);
        chosen.map(|(_, meaning)| *meaning)
    }

    /// Notes a value that is something else than `expected`.
    pub(super) fn wrong_kind(&mut self, key: &str, value: &Value<'t>, expected: &str) {
        let got = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{key}` is {expected}, not {got}");
        self.report(value.span().start, &message, None);
    }
}
