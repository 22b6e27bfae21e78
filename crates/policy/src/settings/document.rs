//! A settings file as a tree in which everything knows where it stands.
//!
//! JSON with comments and trailing commas, nothing looser: what another reader of the same file
//! would refuse is refused here too.

use std::sync::Arc;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use pointsman_model::FilePlace;

/// A file's text and where its lines begin, so that a place costs the same in a file of any length.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) file: Arc<str>,
    pub(super) text: Arc<str>,
    /// The bytes at which lines begin, but the first.
    breaks: Vec<usize>,
    /// Whether characters and bytes are the same, so that columns need no counting.
    is_ascii: bool,
}

/// A value and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Located {
    pub(super) at: usize,
    pub(super) json: Json,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Box<str>),
    Text(Box<str>),
    List(Vec<Located>),
    Object(Vec<Member>),
}

/// A key with its value. A key may come twice; both are kept.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: Box<str>,
    pub(super) key_at: usize,
    pub(super) value: Located,
}

/// Why a text is no settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentError {
    pub(super) at: usize,
    pub(super) what: String,
}

/// Comments and trailing commas, nothing else that JSON doesn't have.
pub(super) fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

impl Source {
    /// A file's text; a byte order mark in front is left out.
    pub(super) fn new(file: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            file: file.into(),
            breaks: text.match_indices('\n').map(|(at, _)| at + 1).collect(),
            is_ascii: text.is_ascii(),
            text: text.into(),
        }
    }

    /// Reads the text.
    pub(super) fn parse(&self) -> Result<Located, DocumentError> {
        let parsed = parse_to_ast(&self.text, &CollectOptions::default(), &parse_options())
            .map_err(|error| DocumentError {
                at: error.range().start,
                what: lower_first(&error.kind().to_string()),
            })?;
        match parsed.value {
            Some(value) => Ok(locate(value)),
            None => Err(DocumentError {
                at: 0,
                what: "it is empty".into(),
            }),
        }
    }

    /// The line and column of a byte.
    pub(super) fn place(&self, at: usize) -> FilePlace {
        let at = at.min(self.text.len());
        let passed = self.breaks.partition_point(|start| *start <= at);
        let line = passed
            .checked_sub(1)
            .and_then(|index| self.breaks.get(index));
        let start = line.copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or("");
        let column = if self.is_ascii {
            before.len()
        } else {
            before.chars().count()
        };
        FilePlace {
            file: Arc::clone(&self.file),
            line: u32::try_from(passed + 1).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }

    /// The place of a character, counted from 1, inside the text in quotes that begins at `at`.
    pub(super) fn place_within(&self, at: usize, character: u32) -> FilePlace {
        let inner = at + 1;
        let rest = self.text.get(inner..).unwrap_or("");
        let mut chars = rest.char_indices().peekable();
        for _ in 1..character {
            match chars.peek() {
                Some((_, '"')) | None => break,
                Some((_, '\\')) => {
                    chars.next();
                    if chars.next().is_some_and(|(_, escape)| escape == 'u') {
                        // Four digits; that a pair of them makes one character shifts by one at worst.
                        let _ = chars.nth(3);
                    }
                }
                Some(_) => {
                    chars.next();
                }
            }
        }
        let offset = chars.peek().map_or(rest.len(), |(offset, _)| *offset);
        self.place(inner + offset)
    }
}

/// A message of the parser in the manner of ours.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

/// The parser bounds the depth, so that this ends.
fn locate(value: ast::Value<'_>) -> Located {
    let at = value.start();
    let json = match value {
        ast::Value::NullKeyword(_) => Json::Null,
        ast::Value::BooleanLit(lit) => Json::Bool(lit.value),
        ast::Value::NumberLit(lit) => Json::Number(lit.value.into()),
        ast::Value::StringLit(lit) => Json::Text(lit.value.into()),
        ast::Value::Array(list) => Json::List(list.elements.into_iter().map(locate).collect()),
        ast::Value::Object(object) => Json::Object(
            object
                .properties
                .into_iter()
                .map(|property| Member {
                    key: property.name.as_str().into(),
                    key_at: property.name.start(),
                    value: locate(property.value),
                })
                .collect(),
        ),
    };
    Located { at, json }
}

impl Json {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, at: usize, line: u32, column: u32) {
        let place = Source::new("f", text).place(at);
        assert_eq!(
            (place.line, place.column),
            (line, column),
            "byte {at} of {text:?}"
        );
    }

    #[test]
    fn places_count_lines_and_characters() {
        check("", 0, 1, 1);
        check("abc", 2, 1, 3);
        check("a\nbc\n", 1, 1, 2);
        check("a\nbc\n", 2, 2, 1);
        check("a\r\nbc", 4, 2, 2);
        check("\n\nx", 2, 3, 1);
        check("\u{feff}ä ö x", 6, 1, 5);
        check("ab", 99, 1, 3);
    }

    #[track_caller]
    fn check_within(text: &str, character: u32, column: u32) {
        let place = Source::new("f", text).place_within(0, character);
        assert_eq!(place.column, column, "character {character} of {text}");
    }

    #[test]
    fn places_within_a_text_know_its_escapes() {
        check_within(r#""abc""#, 1, 2);
        check_within(r#""abc""#, 4, 5);
        check_within(r#""a\"bc""#, 2, 3);
        check_within(r#""a\"bc""#, 3, 5);
        check_within(r#""\u0041bc""#, 2, 8);
        check_within(r#""ab""#, 9, 4);
    }
}
