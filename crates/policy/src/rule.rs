//! One rule, read once into what it can match.

use std::fmt;

/// A rule that was read. Printing gives its text back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedRule {
    tool: Box<str>,
    specifier: Option<Box<str>>,
}

impl ParsedRule {
    /// The name in front of the parentheses.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What stands in the parentheses.
    #[must_use]
    pub fn specifier(&self) -> Option<&str> {
        self.specifier.as_deref()
    }
}

impl fmt::Display for ParsedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier {
            None => f.write_str(&self.tool),
            Some(specifier) => write!(f, "{}({specifier})", self.tool),
        }
    }
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no rule: {what}")]
pub struct RuleError {
    text: Box<str>,
    what: &'static str,
    column: u32,
    hint: Option<Box<str>>,
}

impl RuleError {
    /// Where in the text the fault is, in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.column
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// Reads a rule: `Tool` or `Tool(specifier)`.
///
/// # Errors
/// When the text is no rule; the error says where and why.
pub fn parse_rule(text: &str) -> Result<ParsedRule, RuleError> {
    let error = |what| RuleError {
        text: text.into(),
        what,
        column: 1,
        hint: None,
    };
    match text.split_once('(') {
        _ if text.trim().is_empty() => Err(error("it is empty")),
        None => Ok(ParsedRule {
            tool: text.trim().into(),
            specifier: None,
        }),
        Some((tool, rest)) => match rest.strip_suffix(')') {
            None => Err(error("its parenthesis is not closed")),
            Some(specifier) => Ok(ParsedRule {
                tool: tool.into(),
                specifier: Some(specifier.into()),
            }),
        },
    }
}
