//! The environment of a child: explicit, and without the leader's secrets.

mod secret;
mod withheld;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

pub use self::withheld::KEY_LEFT_OUT;
use self::withheld::Withheld;
use crate::group::MARK_VARIABLE;

/// All variables of a child, and nothing else: a child inherits none by itself. Cheap to clone; a change copies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
    withheld: Arc<Withheld>,
}

impl Environment {
    /// No variable at all.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            variables: Arc::default(),
            withheld: Arc::default(),
        }
    }

    /// Those of `variables` that hold no secret and lead to none, as far as names and values tell; usually made from
    /// `std::env::vars_os()` by the command line.
    #[must_use]
    pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut seen = BTreeMap::new();
        let mut withheld = Withheld::default();
        for (name, value) in variables {
            if secret::is_secret(&name, &value) {
                withheld.looks_secret(name, value);
            } else {
                seen.insert(name, value);
            }
        }
        Self {
            variables: Arc::new(seen),
            withheld: Arc::new(withheld),
        }
    }

    /// The same with one more variable, or another value for it. Somebody wrote the name down, so it
    /// may be a secret.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.variables).insert(name.into(), value.into());
        self
    }

    /// The same without a variable, which somebody wrote down as the name of a key. What it held is known from now on:
    /// see [`Self::without_keys`].
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        let name = OsStr::new(name);
        let seen = Arc::make_mut(&mut self.variables).remove(name);
        Arc::make_mut(&mut self.withheld).is_key(name, seen);
        self
    }

    /// Whether a variable was left out for its looks and is not known as a key, so that what it holds is kept out of
    /// nothing.
    #[must_use]
    pub fn withholds_by_looks_alone(&self, name: &str) -> bool {
        self.withheld.knows_by_looks_alone(OsStr::new(name))
    }

    /// The keys that were left out by their names: for whoever keeps them out of what is written down.
    pub fn withheld_keys(&self) -> impl Iterator<Item = &str> {
        self.withheld.keys()
    }

    /// Whether a text holds a key that was left out by its name.
    #[must_use]
    pub fn holds_key_in(&self, text: &str) -> bool {
        self.withheld.holds_key_in(text)
    }

    /// A text for the record, with `[key]` in the place of each key that was left out by its name.
    #[must_use]
    pub fn without_keys<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.withheld.taken_out_of(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_written_down_is_handed_on() {
        let environment = Environment::empty().with("DEPLOY_TOKEN", "x");
        assert_eq!(environment.get("DEPLOY_TOKEN"), Some(OsStr::new("x")));
    }

    #[test]
    fn a_key_that_was_left_out_is_known_and_never_shown() {
        let variables = [
            ("API_KEY", "sk-0123456789"),
            ("MY_MODEL", "sk-0123456789-longer\n"),
            ("AWS_REGION", "eu-central-1"),
            ("HOME", "/home/ada"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let environment = Environment::without_secrets(variables);
        let text = "sk-0123456789, sk-0123456789-longer, eu-central-1, /home/ada";
        assert_eq!(environment.without_keys(text), text);

        let environment = ["API_KEY", "MY_MODEL", "NONE"]
            .into_iter()
            .fold(environment, Environment::without);
        let recorded = environment.without_keys(text);
        assert_eq!(recorded, "[key], [key], eu-central-1, /home/ada");
        assert!(environment.holds_key_in(text) && !environment.holds_key_in(&recorded));
        assert_eq!(environment.get("MY_MODEL"), None);
        assert!(environment.withholds_by_looks_alone("AWS_REGION"));
        assert!(!environment.withholds_by_looks_alone("API_KEY"));
        assert!(!format!("{environment:?}").contains("0123456789"));
    }

    /// Servers on this machine take any word for a key.
    #[test]
    fn a_word_in_the_place_of_a_key_is_none() {
        for word in [
            "ollama",
            "lm-studio",
            "not-needed",
            "none-at-all",
            "12345678901234567890",
        ] {
            let variables = [("API_KEY".into(), word.into())];
            let environment = Environment::without_secrets(variables).without("API_KEY");
            assert!(!environment.holds_key_in(word), "{word}");
        }
    }
}
