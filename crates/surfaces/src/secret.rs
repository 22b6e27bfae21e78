//! Secrets in what is shown of the past: masked, with their length, so that a log can be read over somebody's shoulder
//! or handed on.
//!
//! Only views of what has been decided go through here. What is yet to be answered is shown byte for byte (law 22).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// Forms that are secrets wherever they stand: keys and tokens with a mark of their maker, and private keys.
const MARKED: &str = concat!(
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"|\bgh[opsur]_[A-Za-z0-9]{30,}\b",
    r"|\bgithub_pat_[A-Za-z0-9_]{30,}\b",
    r"|\bglpat-[A-Za-z0-9_\-]{18,}",
    r"|\bsk-[A-Za-z0-9_\-]{20,}",
    r"|\bxox[abeprs]-[A-Za-z0-9\-]{10,}",
    r"|\bAIza[0-9A-Za-z_\-]{35}",
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}",
);

/// Something that is named as a secret: the name, what stands between, and the value.
const NAMED: &str = concat!(
    r#"(?i)(?P<name>\b[\w\-]*(?:passw(?:or)?d|passphrase|secret|token|api[_\-]?key|access[_\-]?key|private[_\-]?key)[\w\-]*"#,
    r#"\\?["']?\s*(?:=|:)\s*\\?["']?)"#,
    r#"(?P<value>[^\s"'`\\,;&$(){}<>]{6,})"#,
);

/// What stands in a header or an address: `Authorization: Bearer …`, `https://user:…@host`.
const CARRIED: &str = concat!(
    r#"(?i)(?P<name>\b(?:bearer|basic)\s+|://[^\s:/@"']+:)"#,
    r#"(?P<value>[A-Za-z0-9._~+/=\-]{6,})(?P<after>@)?"#,
);

static PATTERNS: LazyLock<Vec<(Regex, Kind)>> = LazyLock::new(|| {
    let all = [
        (MARKED, Kind::Whole),
        (NAMED, Kind::Value),
        (CARRIED, Kind::Value),
    ];
    // A pattern that does not compile masks nothing; a test holds that all do.
    let compiled = all.into_iter();
    compiled
        .filter_map(|(text, kind)| Some((Regex::new(text).ok()?, kind)))
        .collect()
});

/// What of a find is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Value,
}

/// The text with its secrets masked.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for (pattern, kind) in PATTERNS.iter() {
        if !pattern.is_match(&shown) {
            continue;
        }
        let masked = pattern.replace_all(&shown, |found: &Captures<'_>| replaced(found, *kind));
        shown = Cow::Owned(masked.into_owned());
    }
    shown
}

/// The value with the secrets in its texts masked, also those that only the name of their field says to be secret.
/// It stays JSON, whatever a secret looks like.
#[must_use]
pub fn masked_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(masked(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(masked_json).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(masked_field).collect())
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
    }
}

fn masked_field((name, value): (String, Value)) -> (String, Value) {
    let value = match value {
        Value::String(text) => {
            let before = format!("{name}=");
            let named = masked(&(before.clone() + &text)).into_owned();
            // What is masked in the name itself leaves nothing to tell the two apart by.
            let shown = named.strip_prefix(&before).map(str::to_owned);
            Value::String(shown.unwrap_or_else(|| masked(&text).into_owned()))
        }
        value => masked_json(value),
    };
    (name, value)
}

/// Whether a view shows secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// As they are: what is yet to be answered, and what a person asked to see.
    Shown,
    Masked,
}

impl Secrets {
    /// The text as such a view has it.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Shown => Cow::Borrowed(text),
            Self::Masked => masked(text),
        }
    }
}

fn replaced(found: &Captures<'_>, kind: Kind) -> String {
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    match kind {
        Kind::Whole => {
            let whole = found.get(0).map_or("", |whole| whole.as_str());
            mask(whole)
        }
        // Masked before, or a word that only says that there is one.
        Kind::Value if part("value").starts_with('‹') => {
            found.get(0).map_or("", |whole| whole.as_str()).to_owned()
        }
        Kind::Value => format!("{}{}{}", part("name"), mask(part("value")), part("after")),
    }
}

fn mask(secret: &str) -> String {
    format!("‹secret, {} characters›", secret.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        assert_eq!(PATTERNS.len(), 3);
    }

    #[test]
    fn what_is_a_secret_is_masked_and_what_is_near_stays() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let cases = [
            (
                format!("git clone https://{token}@github.com/x"),
                "git clone https://‹secret, 40 characters›@github.com/x".to_owned(),
            ),
            (
                "curl -H 'Authorization: Bearer abcdef123456' x".into(),
                "curl -H 'Authorization: Bearer ‹secret, 12 characters›' x".into(),
            ),
            (
                "export API_KEY=hunter2hunter2".into(),
                "export API_KEY=‹secret, 14 characters›".into(),
            ),
            (
                r#"{"password":"correct-horse"}"#.into(),
                r#"{"password":"‹secret, 13 characters›"}"#.into(),
            ),
            (
                r#"{\"db_password\": \"correct-horse\"}"#.into(),
                r#"{\"db_password\": \"‹secret, 13 characters›\"}"#.into(),
            ),
            (
                "psql postgres://ada:s3cr3t-word@db/x".into(),
                "psql postgres://ada:‹secret, 11 characters›@db/x".into(),
            ),
            (
                "AKIAIOSFODNN7EXAMPLE".into(),
                "‹secret, 20 characters›".into(),
            ),
        ];
        for (text, expect) in cases {
            assert_eq!(masked(&text), expect);
        }
        let key = "x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y";
        let shown = masked(key);
        assert!(
            shown.starts_with("x ‹secret") && shown.ends_with("› y"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_no_secret_is_shown_as_it_is() {
        for text in [
            "cargo test --features token-tree",
            "grep -rn password src/",
            "git push origin main",
            "echo $API_KEY",
            "TOKEN=$(gh auth token) deploy",
            "the token: is read from the environment",
            "sk-short",
            "https://docs.rs/tokio",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn masking_twice_changes_nothing_more() {
        let once = masked("password=hunter2hunter2 Bearer abcdef123456").into_owned();
        assert_eq!(masked(&once), once);
    }
}
