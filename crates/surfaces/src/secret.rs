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
    r"|\b(?:npm|hf)_[A-Za-z0-9]{30,}\b",
    r"|\bpypi-[A-Za-z0-9_\-]{40,}",
    r"|\bsk-[A-Za-z0-9_\-]{20,}",
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"|\bxox[abeprs]-[A-Za-z0-9\-]{10,}",
    r"|\bAIza[0-9A-Za-z_\-]{35}",
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}",
);

/// Words for secrets, as they stand in names.
const WORD: &str = r"(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|private)[_\-]?key)";

/// Something that is named as a secret, up to its value: `API_KEY=`, `"password": `.
const NAMED: &str = r#"(?i)(?P<name>\b[\w\-]*WORD[\w\-]*\\?["']?\s*[=:]\s*"#;

/// An option whose next word is a secret: `--token X`, but not `--token-file X`.
const OPTION: &str =
    r#"(?i)(?P<name>(?:^|[\s"'\\])--?(?:[a-z0-9]+[\-_])*(?:WORD|secret[_\-]key)\s+"#;

/// Programs that take a secret in some other way: after an option of one letter, or, as those of MySQL do, in the same
/// word alone, since after a blank it is the name of a database.
const PROGRAM: &str = concat!(
    r"(?P<name>(?:\bsshpass\s+(?:-[A-Za-z]\S*\s+)*?-p[\s=]*",
    r"|\b(?:(?:docker|podman|buildah|skopeo|helm\s+registry)\s+login|mongo(?:sh|dump|restore|export|import)?)",
    r"\s(?:[^\n|;&]*?\s)?-p[\s=]*",
    r"|\bredis-cli\s(?:[^\n|;&]*?\s)?-a\s+",
    r"|\b(?:mysql(?:dump|admin|import|check)?|mariadb(?:-dump|-admin)?)\s(?:[^\n|;&]*?\s)?-p",
    r#"|-pass(?:in|out)?\s+\\?["']?pass:)"#,
);

/// What comes after the name of a user: `curl -u ada:…`. Other programs mean a group by it.
const USER: &str = concat!(
    r"(?P<name>(?:\bcurl\s(?:[^\n]*?\s)?(?:-[A-Za-z]*u\s*|--user[\s=]+)",
    r"|\b(?:xh|https?)\s(?:[^\n]*?\s)?(?:-a|--auth)[\s=]+",
    r#"|--proxy-user[\s=]+)\\?["']?[^\s:"'\\$]+:"#,
);

/// What stands in a header or an address: `Authorization: Bearer …`, `https://user:…@host`.
const CARRIED: &str = concat!(
    r#"(?i)(?P<name>\b(?:bearer|basic)\s+|://[^\s:/@"']+:)"#,
    r#"(?P<value>[A-Za-z0-9._~+/=\-]{6,})(?P<after>@)?"#,
);
const AUTHORIZATION: &str = concat!(
    r#"(?i)(?P<name>\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:[a-z\-]+\s+)?)"#,
    r#"(?P<value>[^\s"'`\\,;&$(){}<>]{6,})"#,
);
/// All that is sent at once.
const COOKIE: &str = concat!(
    r#"(?i)(?P<name>\b(?:cookie\\?["']?\s*:\s*\\?["']?|curl\s(?:[^\n]*?\s)?(?:-b|--cookie)[\s=]*\\?["']?))"#,
    r#"(?P<value>[\w.\-]+=[^"'`\\$\n]{4,})"#,
);

/// The forms in which a value stands after its name: in quotes, whole, or as a word.
const IN_SINGLE_QUOTES: &str = r"')(?P<value>[^'\n]{4,})(?P<after>')";
const IN_DOUBLE_QUOTES: &str = r#"\\?")(?P<value>[^"`\\$\n]{4,})(?P<after>\\?")"#;
const AS_A_WORD: &str = r#"\\?["']?)(?P<value>[^\s"'`\\,;&|$(){}<>\-][^\s"'`\\;&|$(){}<>]{3,})"#;
/// After a name in running text, where a short word is rarely a secret.
const AS_A_LONG_WORD: &str = r#"\\?["']?)(?P<value>[^\s"'`\\,;&$(){}<>]{6,})"#;

static PATTERNS: LazyLock<Vec<(Regex, Kind)>> = LazyLock::new(|| {
    // A pattern that does not compile masks nothing; a test holds that all do.
    let compiled = patterns().into_iter();
    compiled
        .filter_map(|(text, kind)| Some((Regex::new(&text).ok()?, kind)))
        .collect()
});

/// The words in names.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("(?i){WORD}")).ok());

/// All patterns, in the order in which they are looked for.
fn patterns() -> Vec<(String, Kind)> {
    let mut all = vec![(MARKED.to_owned(), Kind::Whole)];
    for (name, kind, word) in [
        (NAMED, Kind::Named, AS_A_LONG_WORD),
        (OPTION, Kind::Value, AS_A_WORD),
        (PROGRAM, Kind::Value, AS_A_WORD),
        (USER, Kind::Value, AS_A_WORD),
    ] {
        let name = name.replace("WORD", WORD);
        for form in [IN_SINGLE_QUOTES, IN_DOUBLE_QUOTES, word] {
            all.push((format!("{name}{form}"), kind));
        }
    }
    let carried = [CARRIED, AUTHORIZATION, COOKIE];
    all.extend(carried.map(|text| (text.to_owned(), Kind::Value)));
    all
}

/// What of a find is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Value,
    /// The value, unless the name says that it is something about a secret.
    Named,
}

/// Ends of names that have the word in them and are no secrets: where one lies, how it is called.
const ABOUT: [&str; 12] = [
    "file", "path", "dir", "name", "url", "uri", "ttl", "type", "count", "limit", "stdin", "expiry",
];

/// What stands in the place of a secret and says only what comes after it, or where it comes from.
const NO_SECRETS: [&str; 7] = [
    "bearer",
    "basic",
    "token",
    "digest",
    "negotiate",
    "id=",
    "type=",
];

/// The text with its secrets masked.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    masked_in(text, Place::Text)
}

/// Where secrets are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    /// What a name that is about a secret stands before, as in `SECRET_URL=…`. Texts are the agents': one that nests such
    /// names without an end is not followed in.
    Value,
}

fn masked_in(text: &str, place: Place) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for (pattern, kind) in PATTERNS.iter() {
        if !pattern.is_match(&shown) {
            continue;
        }
        let masked = pattern.replace_all(&shown, |found: &Captures<'_>| match kind {
            Kind::Whole => mask(whole(found)),
            // Masked before, or a word that only says that there is one.
            Kind::Value | Kind::Named if is_no_secret(part(found, "value")) => whole(found).into(),
            Kind::Named if is_about(part(found, "name")) => {
                around(found, &beside(part(found, "value"), pattern, place))
            }
            Kind::Value | Kind::Named => around(found, &mask(part(found, "value"))),
        });
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
        Value::String(text) if names_a_secret(&name) && may_be_one(&text) => {
            Value::String(mask(&text))
        }
        Value::String(text) => Value::String(masked(&text).into_owned()),
        value => masked_json(value),
    };
    (name, value)
}

/// Whether what has that name is a secret, by the same words as in running text.
fn names_a_secret(name: &str) -> bool {
    NAME.as_ref().is_some_and(|words| words.is_match(name)) && !is_about(name)
}

/// Whether a text that is named as a secret is one: not masked before, no variable, no word of a few letters.
fn may_be_one(text: &str) -> bool {
    text.chars().count() >= 4 && !text.starts_with(['‹', '$'])
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

fn part<'t>(found: &Captures<'t>, name: &str) -> &'t str {
    found.name(name).map_or("", |part| part.as_str())
}

fn whole<'t>(found: &Captures<'t>) -> &'t str {
    found.get(0).map_or("", |whole| whole.as_str())
}

/// The find with that in place of its value.
fn around(found: &Captures<'_>, shown: &str) -> String {
    format!("{}{shown}{}", part(found, "name"), part(found, "after"))
}

/// What a name that is about a secret stands before: shown, without the secrets in it.
fn beside<'t>(value: &'t str, pattern: &Regex, place: Place) -> Cow<'t, str> {
    match place {
        Place::Text => masked_in(value, Place::Value),
        // Whatever one more name in it may be.
        Place::Value if pattern.is_match(value) => Cow::Owned(mask(value)),
        Place::Value => Cow::Borrowed(value),
    }
}

fn is_no_secret(value: &str) -> bool {
    let value = value.to_lowercase();
    value.starts_with('‹')
        || NO_SECRETS.iter().any(|word| match word.ends_with('=') {
            true => value.starts_with(word),
            false => value == *word,
        })
}

/// Whether the name is that of something about a secret.
fn is_about(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let name = name.to_lowercase();
    ABOUT.iter().any(|end| name.ends_with(end))
}

fn mask(secret: &str) -> String {
    format!("‹secret, {} characters›", secret.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        assert_eq!(PATTERNS.len(), patterns().len());
        assert!(NAME.is_some());
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
        let npm = format!("npm_{}", "a1B2".repeat(9));
        assert_eq!(
            masked(&format!("echo {npm} x")),
            "echo ‹secret, 40 characters› x"
        );
        let key = "x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y";
        let shown = masked(key);
        assert!(
            shown.starts_with("x ‹secret") && shown.ends_with("› y"),
            "{shown}"
        );
    }

    /// Each `hunter22` is the secret.
    #[test]
    fn a_secret_is_masked_wherever_programs_take_one() {
        for text in [
            "gh api --token hunter22 /user",
            "deploy --password hunter22",
            r#"{"command":"deploy --api-key \"hunter22\" --now"}"#,
            "aws configure --secret-key 'hunter22'",
            "curl -su ada:hunter22 https://x",
            "curl 'https://x/?a=1&b=2' --user 'ada:hunter22' -o y",
            "curl --proxy-user=ada:hunter22 https://x",
            "http -a ada:hunter22 example.org",
            "sshpass -p hunter22 ssh host",
            "sshpass -phunter22 ssh host",
            "docker login -u ada -p hunter22 registry",
            "mysql -u root -phunter22 shop",
            "mysqldump --single-transaction -p'hunter22' shop",
            "redis-cli -h cache -a hunter22 ping",
            "openssl rsa -passin pass:hunter22 -in k.pem",
            "PGPASSWORD='hunter22' psql",
            "curl -H 'Authorization: token hunter22' https://x",
            r#"{"Authorization": "hunter22"}"#,
            "Proxy-Authorization: NTLM hunter22",
        ] {
            let expect = text.replace("hunter22", "‹secret, 8 characters›");
            assert_eq!(masked(text), expect);
            assert_eq!(masked(&expect), expect);
        }
        for (text, expect) in [
            (
                "PGPASSWORD='two words' psql",
                "PGPASSWORD='‹secret, 9 characters›' psql",
            ),
            (
                r#"API_TOKEN="two words" x"#,
                r#"API_TOKEN="‹secret, 9 characters›" x"#,
            ),
            (
                "curl -H 'Cookie: session=abc123; b=2' https://x",
                "curl -H 'Cookie: ‹secret, 19 characters›' https://x",
            ),
            (
                "curl -b 'sid=abc123' https://x",
                "curl -b '‹secret, 10 characters›' https://x",
            ),
            (
                "SECRET_URL=https://ada:s3cr3t-word@x",
                "SECRET_URL=https://ada:‹secret, 11 characters›@x",
            ),
        ] {
            assert_eq!(masked(text), expect);
        }
    }

    #[test]
    fn a_field_that_is_named_as_a_secret_is_masked_whole() {
        let value = serde_json::json!({
            "password": "two words", "token_type": "bearer token", "api_key": "$API_KEY", "note": "two words",
        });
        let expect = serde_json::json!({
            "password": "‹secret, 9 characters›", "token_type": "bearer token", "api_key": "$API_KEY", "note": "two words",
        });
        assert_eq!(masked_json(value), expect);
    }

    #[test]
    fn what_is_no_secret_is_shown_as_it_is() {
        for text in [
            "gh api --token-file path/to/file",
            "gh api --token-file=path/to/file",
            "docker login -u ada --password-stdin",
            "gh auth login --with-token < token.txt",
            "deploy --token $TOKEN --password \"$PASSWORD\"",
            "deploy --token --verbose",
            "docker build --secret id=netrc,src=.netrc .",
            "docker run -u root:root -p 8080:80 image",
            "docker login registry && docker run -p 8080:8080 image",
            "curl -u ada https://docs.rs/tokio",
            "curl -u \"$USER:$PASSWORD\" https://x",
            "curl -b cookies.txt https://x",
            "sshpass -e ssh -p 2222 host",
            "sshpass -f secret.txt ssh -p 2222 host",
            "curl --user-agent=some:agent https://x",
            "mysql -u root -p shop",
            "mysql -P 3306 --port 3306 shop",
            "mkdir -p some/folder",
            "curl -H \"Authorization: Bearer $TOKEN\" https://x",
            "curl -H \"Cookie: session=$SID\" https://x",
            "a cookie: what a page keeps",
            "npm_config_cache=/tmp/a-folder-with-a-long-name npm ci",
            "from huggingface_hub import hf_hub_download",
            "token_type=opaque-token",
            "SECRET_PATH=/run/secrets/x",
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
    fn names_within_names_hide_nothing_and_are_not_followed_without_an_end() {
        for (text, expect) in [
            (
                "token_file=password=hunter2hunter2",
                "token_file=password=‹secret, 14 characters›",
            ),
            (
                "token_file=token_file=/run/secrets/x",
                "token_file=token_file=/run/secrets/x",
            ),
            (
                "token_file=token_file=password=hunter22",
                "token_file=token_file=‹secret, 17 characters›",
            ),
            (
                "token_file=token_file=https://ada:s3cr3t-word@x",
                "token_file=token_file=https://ada:‹secret, 11 characters›@x",
            ),
        ] {
            assert_eq!(masked(text), expect);
            assert_eq!(masked(expect), expect);
        }
        let nested = "token_file=".repeat(100_000);
        let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let shown = small.spawn(move || masked(&nested).into_owned()).unwrap();
        let expect = "token_file=token_file=‹secret, 1099978 characters›";
        assert_eq!(shown.join().unwrap(), expect);
    }

    #[test]
    fn masking_twice_changes_nothing_more() {
        let once = masked("password=hunter2hunter2 Bearer abcdef123456").into_owned();
        assert_eq!(masked(&once), once);
    }
}
