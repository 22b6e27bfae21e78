//! Permission rules as people wrote them, and where they wrote them. What a rule matches is worked
//! out once, in the policy crate.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::AbsPath;

/// What a rule does with what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleBehavior {
    /// Lets it pass.
    Allow,
    /// Wants a person.
    Ask,
    /// Refuses it.
    Deny,
}

impl RuleBehavior {
    /// Its name in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for RuleBehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a rule comes from. Sources add up; none erases another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleSource {
    /// The managed settings of the machine.
    PolicySettings,
    /// The user's settings.
    UserSettings,
    /// The project's checked-in settings.
    ProjectSettings,
    /// The project's settings of this checkout alone.
    LocalSettings,
    /// A settings or job file named when starting.
    FlagSettings,
    /// An option of the command line.
    CliArg,
    /// A command or skill that brings rules with it.
    Command,
    /// Made during the session: by an answer or a hook.
    Session,
}

impl RuleSource {
    /// Its name on screen and in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PolicySettings => "policySettings",
            Self::UserSettings => "userSettings",
            Self::ProjectSettings => "projectSettings",
            Self::LocalSettings => "localSettings",
            Self::FlagSettings => "flagSettings",
            Self::CliArg => "cliArg",
            Self::Command => "command",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FilePlace {
    /// The file.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A rule's text as it was written: `Bash(npm run *)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleText(Arc<str>);

impl RuleText {
    /// The text of a rule; whether it is a rule at all is the parser's to say.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One rule with all that is needed to judge by it and to explain it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PermissionRule {
    /// What it does.
    pub behavior: RuleBehavior,
    /// Its text.
    pub text: RuleText,
    /// Where it comes from.
    pub source: RuleSource,
    /// Where it stands, when it stands in a file.
    pub place: Option<FilePlace>,
    /// The folder that a path pattern with one leading slash is anchored at.
    pub anchor: AbsPath,
}

impl fmt::Display for PermissionRule {
    /// Like `deny Bash(rm *) (userSettings, settings.json:3:7)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({}", self.behavior, self.text, self.source)?;
        match &self.place {
            Some(place) => write!(f, ", {place})"),
            None => f.write_str(")"),
        }
    }
}
