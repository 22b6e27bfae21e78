//! Which variables hold a secret, or lead to one: judged by the words of the name, and by the value.
//!
//! A name that is taken for a secret by mistake costs a command a variable, which somebody can write down for it; one
//! that is missed costs a key.

use std::ffi::OsStr;

/// Words (parts between `_`) that make a name a secret's wherever they stand: `SECRET_KEY_BASE`, `SSH_PRIVATE_KEY_PATH`.
const WORDS: &[&str] = &[
    "APIKEY",
    "APIKEYS",
    "AUTH",
    "COOKIE",
    "COOKIES",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "DSN",
    "JWT",
    "KEY",
    "KEYFILE",
    "KEYRING",
    "KEYS",
    "KEYSTORE",
    "NETRC",
    "PASS",
    "PASSCODE",
    "PASSFILE",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PASSWORDS",
    "PAT",
    "PEM",
    "PFX",
    "SALT",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
    "WEBHOOK",
];

/// Ends of words for names that are written without `_`: `PGPASSWORD`, `SSHPASS`, `authToken`.
const ENDS: &[&str] = &[
    "ACCESSKEY",
    "APIKEY",
    "CREDENTIALS",
    "PASSFILE",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PASS",
    "PRIVATEKEY",
    "SECRET",
    "SECRETKEY",
    "TOKEN",
];

/// Words that end so and are none.
const NO_ENDS: &[&str] = &["BYPASS", "COMPASS"];

/// Words whose place decides: a secret where they end a name that has others.
const LAST_WORDS: &[&str] = &["PWD", "PIN"];

/// Families of tools whose variables are keys, name them, or lead to them.
const FAMILIES: &[&str] = &[
    "ANTHROPIC_",
    "AWS_",
    "AZURE_",
    "GEMINI_",
    "GOOGLE_APPLICATION_",
    "HF_",
    "HUGGING_FACE_",
    "OPENAI_",
    "VAULT_",
];

/// Addresses of stores, which mostly hold a password, and the ways to programs that hold keys or ask for them.
const NAMES: &[&str] = &[
    "CONNECTION_STRING",
    "DATABASE_URL",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_CONFIG",
    "GIT_ASKPASS",
    "GNUPGHOME",
    "GPG_AGENT_INFO",
    "KRB5CCNAME",
    "KUBECONFIG",
    "MONGODB_URI",
    "MONGO_URL",
    "REDIS_URL",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
];

/// How values begin that are secrets whatever they are called: tokens that say of themselves what they are.
const VALUES: &[&str] = &[
    "github_pat_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "glpat-",
    "sk-ant-",
    "sk-proj-",
    "xoxb-",
    "xoxp-",
];

/// Whether a variable holds a secret or leads to one. What is no UTF-8 can't be looked at, so its name counts as one.
pub(super) fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return true;
    };
    is_secret_name(&name.to_ascii_uppercase()) || is_secret_value(&value.to_string_lossy())
}

fn is_secret_name(name: &str) -> bool {
    let words: Vec<&str> = name
        .split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_secret = |word: &&str| {
        // A number behind a word is a count: `API_KEY2`.
        let word = word.trim_end_matches(|char: char| char.is_ascii_digit());
        let ends = ENDS.iter().any(|end| word.ends_with(end));
        WORDS.contains(&word) || ends && !NO_ENDS.contains(&word)
    };
    let last = words.last().filter(|_| words.len() > 1);
    words.iter().any(is_secret)
        || last.is_some_and(|last| LAST_WORDS.contains(last))
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || NAMES.iter().any(|known| {
            name.strip_suffix(known)
                .is_some_and(|before| before.is_empty() || before.ends_with('_'))
        })
}

fn is_secret_value(value: &str) -> bool {
    VALUES.iter().any(|begin| value.starts_with(begin))
        || value.contains("PRIVATE KEY-----")
        || has_password(value)
}

/// Whether a text holds an address with a password: `https://me:secret@host/`.
fn has_password(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let host = rest
            .split(|char: char| matches!(char, '/' | '?' | '#') || char.is_whitespace())
            .next()
            .unwrap_or_default();
        host.rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these variables are taken for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Taken {
        Secret,
        Plain,
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], expect: Taken) {
        for (name, value) in variables {
            let taken = match is_secret(OsStr::new(name), OsStr::new(value)) {
                true => Taken::Secret,
                false => Taken::Plain,
            };
            assert_eq!(taken, expect, "{name}={value}");
        }
    }

    fn named<'a>(names: &[&'a str]) -> Vec<(&'a str, &'a str)> {
        names.iter().map(|name| (*name, "value")).collect()
    }

    #[test]
    fn secrets_stay_with_the_leader() {
        check(
            &named(&[
                "ANTHROPIC_API_KEY",
                "anthropic_base_url",
                "AWS_SESSION_TOKEN",
                "AWS_PROFILE",
                "GITHUB_TOKEN",
                "STRIPE_SECRET",
                "DB_PASSWORD",
                "PGPASSWORD",
                "DATABASE_URL",
                "STAGING_DATABASE_URL",
                "SENTRY_DSN",
                "SECRET_KEY_BASE",
                "RAILS_MASTER_KEY",
                "DEPLOY_PRIVATE_KEY_PEM",
                "SSH_PRIVATE_KEY_PATH",
                "API_KEY2",
                "API_KEY_2",
                "npm_config__auth",
                "NPM_CONFIG_//registry/:_authToken",
                "PGPASSFILE",
                "MYSQL_PWD",
                "SSHPASS",
                "SSH_AUTH_SOCK",
                "SSH_AGENT_PID",
                "GPG_AGENT_INFO",
                "KUBECONFIG",
                "SLACK_WEBHOOK_URL",
                "MY_APP_CONNECTION_STRING",
            ]),
            Taken::Secret,
        );
    }

    #[test]
    fn plain_variables_are_handed_on() {
        check(
            &named(&[
                "PATH",
                "HOME",
                "PWD",
                "OLDPWD",
                "LANG",
                "TERM",
                "CARGO_HOME",
                "RUSTFLAGS",
                "KEYBOARD",
                "XKB_KEYMAP",
                "TOKENIZERS_PARALLELISM",
                "GIT_AUTHOR_NAME",
                "BYPASS_CACHE",
                "COMPASS",
                "PATTERN",
                "XDG_RUNTIME_DIR",
                "NODE_OPTIONS",
                "CI",
            ]),
            Taken::Plain,
        );
        check(
            &[
                ("HTTPS_PROXY", "http://proxy.example:3128"),
                ("REPOSITORY", "https://example.com/a@b:c"),
                ("REMOTE", "ssh://git@example.com/x"),
            ],
            Taken::Plain,
        );
    }

    #[test]
    fn a_secret_value_is_one_under_any_name() {
        check(
            &[
                ("HTTPS_PROXY", "http://me:hush@proxy.example:3128"),
                ("BROKER", "amqp://app:hush@queue/vhost"),
                ("DEPLOY", "-----BEGIN OPENSSH PRIVATE KEY-----"),
                ("PLAIN", "ghp_0123456789"),
            ],
            Taken::Secret,
        );
    }
}
