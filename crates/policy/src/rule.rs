//! One rule, read once into what it can match (`Tool` or `Tool(specifier)`).
//!
//! [`parse_rule`] knows the grammar; what a rule means depends on the tool it names, and is worked
//! out here too, so that nothing after it looks at a rule's text again. Printing a rule gives the
//! text back that it was read from.

mod command;
mod fault;
mod host;
mod options;
mod parsed;
mod path;
mod specifier;
mod tool;
mod words;

use std::fmt;

pub(crate) use command::{Anchored, CommandPattern, LooksUp};
pub use fault::{RuleError, RuleFault};
pub(crate) use host::HostPattern;
pub(crate) use options::HasOptions;
pub use parsed::ParsedRules;
pub(crate) use path::{
    Names, PathAccess, PathAnchor, PathDepth, PathPattern, covers, is_certain,
    with_gaps as glob_with_gaps,
};
pub(crate) use specifier::{NeverWhy, Specifier};
pub use tool::known_tools;
pub(crate) use tool::{ToolPattern, canonical_tool};

use pointsman_model::RuleBehavior;

/// A rule that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedRule {
    tool_text: Box<str>,
    specifier_text: Option<Box<str>>,
    pub(crate) tool: ToolPattern,
    pub(crate) specifier: Specifier,
}

impl ParsedRule {
    /// The name in front of the parentheses, as written.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool_text
    }

    /// What stands in the parentheses, as written.
    #[must_use]
    pub fn specifier(&self) -> Option<&str> {
        self.specifier_text.as_deref()
    }

    /// Whether the rule is for every call of the tools it names.
    #[must_use]
    pub fn is_whole_tool(&self) -> bool {
        self.specifier == Specifier::Whole
    }

    /// Whether its names are of the kind that this tool takes: `Agent` or `Skill`.
    pub(crate) fn names_by(&self, tool: &str) -> bool {
        let own = match &*self.tool_text {
            "SlashCommand" => "Skill",
            other => canonical_tool(other),
        };
        own == tool
    }

    /// Why the rule does not do what one would think, when it has that behavior.
    #[must_use]
    pub fn fault(&self, behavior: RuleBehavior) -> Option<RuleFault> {
        fault::of(self, behavior)
    }
}

impl fmt::Display for ParsedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier_text {
            None => f.write_str(&self.tool_text),
            Some(specifier) => write!(f, "{}({specifier})", self.tool_text),
        }
    }
}

/// Reads a rule: `Tool` or `Tool(specifier)`. Blanks around it are no part of it.
///
/// # Errors
/// When the text is no rule; the error says where and why.
pub fn parse_rule(text: &str) -> Result<ParsedRule, RuleError> {
    let error =
        |what: &str, byte: usize, hint: Option<String>| Err(RuleError::at(text, what, byte, hint));
    if let Some(hidden) = pointsman_model::first_hidden(text) {
        return error("it holds a character that can't be seen", hidden.at, None);
    }
    let start = text.len() - text.trim_start().len();
    let rule = text.trim();
    if rule.is_empty() {
        return error(
            "it is empty",
            0,
            Some("write `Tool` or `Tool(specifier)`".into()),
        );
    }
    let (name, rest) = match rule.find('(') {
        None => (rule, None),
        Some(at) => (rule.get(..at).unwrap_or(""), rule.get(at + 1..)),
    };
    if let Some(at) = name.find(|char: char| !tool::is_name_char(char)) {
        let what = "a tool's name holds letters, digits, `_`, `-`, `.` and `*` only";
        return error(what, start + at, None);
    }
    if name.is_empty() {
        return error(
            "it names no tool",
            start,
            Some("write `Tool(specifier)`".into()),
        );
    }
    let specifier = match rest {
        None => None,
        Some(rest) => match rest.strip_suffix(')') {
            Some(inner) => Some(inner),
            None => {
                let hint = format!("write `{rule})`");
                return error(
                    "its parenthesis is not closed at the end",
                    text.len(),
                    Some(hint),
                );
            }
        },
    };
    let inner_at = start + name.len() + 1;
    if specifier.is_some_and(|inner| inner.trim().is_empty()) {
        let hint = format!("write `{name}` for every call of the tool");
        return error("its parentheses are empty", inner_at, Some(hint));
    }
    let tool = ToolPattern::new(name);
    let specifier_read = match specifier {
        None => Specifier::Whole,
        Some(inner) => match specifier::read(name, inner.trim()) {
            Ok(read) => read,
            Err(what) => return error(what, inner_at, Some(format!("write `{name}(command *)`"))),
        },
    };
    Ok(ParsedRule {
        tool_text: name.into(),
        specifier_text: specifier.map(Into::into),
        tool,
        specifier: specifier_read,
    })
}

#[cfg(test)]
mod tests;
