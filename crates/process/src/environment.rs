//! The environment of a child: explicit, and without the leader's secrets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::group::MARK_VARIABLE;

/// Names of variables that are taken for secrets and not handed on. `*` stands for any text, case
/// does not count. They are the names under which the tools of our users keep keys and tokens: the
/// endings catch what is named by custom, the rest are families whose members are not.
pub const SECRET_NAMES: &[&str] = &[
    "*_KEY",
    "*_KEY_ID",
    "*_KEYS",
    "*APIKEY",
    "*_TOKEN",
    "*_TOKENS",
    "*_SECRET",
    "*_SECRETS",
    "*_PASSWORD",
    "*_PASSWD",
    "*_PASSPHRASE",
    "*_PASS",
    "*_CREDENTIAL",
    "*_CREDENTIALS",
    "*_AUTH",
    "*_COOKIE",
    "*_DSN",
    "*_PAT",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PGPASSWORD",
    "MYSQL_PWD",
    "NETRC",
    "DATABASE_URL",
    "*_DATABASE_URL",
    "REDIS_URL",
    "MONGODB_URI",
    "AWS_*",
    "AZURE_*",
    "ANTHROPIC_*",
    "OPENAI_*",
    "GEMINI_*",
    "GOOGLE_APPLICATION_*",
    "HF_*",
    "HUGGING_FACE_*",
    "VAULT_*",
    "KUBECONFIG",
    "DOCKER_AUTH_CONFIG",
    "NPM_CONFIG__AUTH*",
    "SSH_ASKPASS",
    "GIT_ASKPASS",
];

/// All variables of a child, and nothing else: a child inherits none by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// No variable at all.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            variables: BTreeMap::new(),
        }
    }

    /// Those of `variables` whose names are not in [`SECRET_NAMES`]; usually made from
    /// `std::env::vars_os()` by the command line.
    #[must_use]
    pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let variables = variables
            .into_iter()
            .filter(|(name, _)| !is_secret(name))
            .collect();
        Self { variables }
    }

    /// The same with one more variable, or another value for it. Somebody wrote the name down, so it
    /// may be a secret.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same without a variable, which somebody wrote down as the name of a secret.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.remove(OsStr::new(name));
        self
    }

    /// The same environment, in which what is started says to whom it belongs: see [`crate::reap_owned_by`].
    /// `owner` holds no slash and no NUL, and never names two owners.
    #[must_use]
    pub fn owned_by(self, owner: &str) -> Self {
        let mark = match self.get(MARK_VARIABLE).and_then(OsStr::to_str) {
            Some(outer) => format!("{outer}/{owner}"),
            None => owner.to_owned(),
        };
        self.with(MARK_VARIABLE, mark)
    }

    /// A variable's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// All variables, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// A name that is no UTF-8 can't be compared with the list, so it counts as a secret.
fn is_secret(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return true;
    };
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|pattern| matches(pattern, &name))
}

/// Patterns have at most one star at each end, which is all the list needs.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (None, None) => name == pattern,
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, handed_on: Option<&str>) {
        let environment = Environment::without_secrets([(name.into(), "value".into())]);
        assert_eq!(environment.get(name), handed_on.map(OsStr::new), "{name}");
    }

    #[test]
    fn secrets_stay_with_the_leader() {
        for secret in [
            "ANTHROPIC_API_KEY",
            "anthropic_base_url",
            "AWS_SESSION_TOKEN",
            "AWS_PROFILE",
            "GITHUB_TOKEN",
            "STRIPE_SECRET",
            "DB_PASSWORD",
            "PGPASSWORD",
            "DATABASE_URL",
            "SENTRY_DSN",
        ] {
            check(secret, None);
        }
    }

    #[test]
    fn plain_variables_are_handed_on() {
        for plain in [
            "PATH",
            "HOME",
            "LANG",
            "CARGO_HOME",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
        ] {
            check(plain, Some("value"));
        }
    }

    #[test]
    fn a_name_written_down_is_handed_on() {
        let environment = Environment::empty().with("DEPLOY_TOKEN", "x");
        assert_eq!(environment.get("DEPLOY_TOKEN"), Some(OsStr::new("x")));
    }
}
