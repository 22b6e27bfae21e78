//! For which values of its event a hook is asked.

use serde::{Serialize, Serializer};

/// For which values of its event a hook is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum HookMatcher {
    /// Every one.
    All,
    /// These names alone, compared whole.
    Names(Vec<Box<str>>),
    /// Every one in which the regular expression is found.
    Regex(HookRegex),
}

/// A regular expression, compiled once.
#[derive(Debug, Clone)]
pub struct HookRegex(Compiled);

#[derive(Debug, Clone)]
enum Compiled {
    /// Takes time by the length of the value alone.
    Plain(regex::Regex),
    /// Looks around (`^(?!Read).*`) or back, as JavaScript's can; tries at most [`TRIES_MAX`] ways.
    Looking(Box<fancy_regex::Regex>),
}

/// How many ways an expression that looks around may try: real ones take a few dozen, and all of these a few milliseconds.
const TRIES_MAX: usize = 100_000;

/// The most memory that a matcher may compile to; real ones take a few kilobytes.
const COMPILED_BYTES_MAX: usize = 256 * 1024;

impl HookMatcher {
    /// Reads a matcher: nothing, `""` and `"*"` match all; letters, digits, `_`, `-`, blanks, `,`
    /// and `|` alone make a list of names; anything else is a regular expression.
    ///
    /// # Errors
    /// When it is no regular expression, or too large a one. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        let of_name = |char: char| char.is_ascii_alphanumeric() || "_- ,|".contains(char);
        if text.chars().all(of_name) {
            let names = text.split(['|', ',']).map(str::trim);
            return Ok(Self::Names(
                names
                    .filter(|name| !name.is_empty())
                    .map(Into::into)
                    .collect(),
            ));
        }
        HookRegex::parse(text).map(Self::Regex)
    }

    /// Whether the hook is asked for this value.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| **name == *value),
            Self::Regex(regex) => regex.is_in(value),
        }
    }
}

/// The error's own message shows the pattern over several lines; its last line says what is wrong.
fn what_is_wrong(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

impl HookRegex {
    fn parse(text: &str) -> Result<Self, String> {
        let plain = regex::RegexBuilder::new(text)
            .size_limit(COMPILED_BYTES_MAX)
            .build();
        let error = match plain {
            Ok(regex) => return Ok(Self(Compiled::Plain(regex))),
            Err(error) => error,
        };
        let looking = || {
            let mut builder = fancy_regex::RegexBuilder::new(text);
            builder
                .backtrack_limit(TRIES_MAX)
                .delegate_size_limit(COMPILED_BYTES_MAX);
            builder.build().ok()
        };
        // One that is too large stays so.
        let is_syntax = matches!(error, regex::Error::Syntax(_));
        match is_syntax.then(looking).flatten() {
            Some(regex) => Ok(Self(Compiled::Looking(Box::new(regex)))),
            None => Err(what_is_wrong(&error)),
        }
    }

    /// Whether it is found in a value. Where that takes too many tries it counts as found: the hook is asked once too
    /// often rather than passed over.
    fn is_in(&self, value: &str) -> bool {
        match &self.0 {
            Compiled::Plain(regex) => regex.is_match(value),
            Compiled::Looking(regex) => regex.is_match(value).unwrap_or(true),
        }
    }

    /// The expression as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Compiled::Plain(regex) => regex.as_str(),
            Compiled::Looking(regex) => regex.as_str(),
        }
    }
}

impl PartialEq for HookRegex {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for HookRegex {}

impl Serialize for HookRegex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(matcher: &str, yes: &[&str], no: &[&str]) {
        let matcher = HookMatcher::parse(matcher).unwrap();
        for value in yes {
            assert!(matcher.matches(value), "{matcher:?} misses {value}");
        }
        for value in no {
            assert!(!matcher.matches(value), "{matcher:?} takes {value}");
        }
    }

    #[test]
    fn a_matcher_is_all_a_list_or_a_regular_expression() {
        check("", &["Bash", "x"], &[]);
        check("*", &["Bash", "x"], &[]);
        check("Bash", &["Bash"], &["B", "BashOutput", "bash"]);
        check(
            "Edit|Write",
            &["Edit", "Write"],
            &["NotebookEdit", "Edit|Write"],
        );
        check("Edit, Write", &["Edit", "Write"], &["Read"]);
        check("my-tool", &["my-tool"], &["my-tools"]);
        check("mcp__memory", &["mcp__memory"], &["mcp__memory__get"]);
        check("mcp__memory__.*", &["mcp__memory__get"], &["mcp__memo"]);
        check("Edit.*", &["Edit", "NotebookEdit"], &["Write"]);
        check("^(Edit|Write)$", &["Edit"], &["NotebookEdit"]);
    }

    /// As people write them for JavaScript.
    #[test]
    fn an_expression_may_look_around() {
        check("^(?!Read).*", &["Bash", "Write"], &["Read", "ReadMcp"]);
        check("^(?!(Read|Grep)$)", &["Bash", "ReadMcp"], &["Read", "Grep"]);
        check(
            "^mcp__(?!git__)",
            &["mcp__db__get"],
            &["mcp__git__log", "Bash"],
        );
        check(".*(?<!Edit)$", &["Write"], &["Edit", "NotebookEdit"]);
        // Too many ways to try: it is asked.
        let endless = format!("{}!", "a".repeat(200));
        check("^((?=a)a+)+$", &["a", &endless], &["b"]);
    }

    #[test]
    fn a_broken_expression_says_what_is_wrong() {
        assert_eq!(HookMatcher::parse("Edit(").unwrap_err(), "unclosed group");
        assert!(HookMatcher::parse("^(?!Read.*").is_err());
        assert!(HookMatcher::parse("(a{1000}){1000}.").is_err());
    }
}
