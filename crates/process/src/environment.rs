//! The environment of a child: explicit, and without the leader's secrets.

mod secret;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use crate::group::MARK_VARIABLE;

/// All variables of a child, and nothing else: a child inherits none by itself. Cheap to clone; a change copies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
}

impl Environment {
    /// No variable at all.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            variables: Arc::default(),
        }
    }

    /// Those of `variables` that hold no secret and lead to none, as far as names and values tell; usually made from
    /// `std::env::vars_os()` by the command line.
    #[must_use]
    pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let variables: BTreeMap<OsString, OsString> = variables
            .into_iter()
            .filter(|(name, value)| !secret::is_secret(name, value))
            .collect();
        Self {
            variables: Arc::new(variables),
        }
    }

    /// The same with one more variable, or another value for it. Somebody wrote the name down, so it
    /// may be a secret.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.variables).insert(name.into(), value.into());
        self
    }

    /// The same without a variable, which somebody wrote down as the name of a secret.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        Arc::make_mut(&mut self.variables).remove(OsStr::new(name));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_written_down_is_handed_on() {
        let environment = Environment::empty().with("DEPLOY_TOKEN", "x");
        assert_eq!(environment.get("DEPLOY_TOKEN"), Some(OsStr::new("x")));
    }
}
