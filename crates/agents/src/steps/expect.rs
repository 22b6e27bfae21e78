//! What a call has to come to.

use pointsman_model::{CallState, Outcome};
use pointsman_tools::CallEnd;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a text is quoted when it is not as expected.
const QUOTED_CHARS_MAX: usize = 400;

/// What a call has to come to. All that is written has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// How it has to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ExpectedOutcome>,
    /// A text that has to stand in what the agent is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_contains: Option<String>,
    /// A regular expression that has to match somewhere in what the agent is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_matches: Option<Pattern>,
    /// The exit code that a command has to end with. One other than 0 makes a failed command the expected one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// How a call has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedOutcome {
    /// It ran and succeeded.
    Success,
    /// It ran and failed, or its input does not fit the tool.
    Error,
    /// It was refused, by whatever.
    Refused,
    /// A rule or the mode refused it.
    RefusedByRule,
    /// A person said no.
    DeniedByPerson,
    /// A hook said no.
    DeniedByHook,
    /// The classifier said no.
    DeniedByClassifier,
    /// Nobody could answer.
    NobodyCanAnswer,
    /// Nobody answered in time.
    Expired,
}

/// A regular expression, checked when it is read.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl TryFrom<String> for Pattern {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text).map(Self).map_err(|error| {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim();
            format!("`{text}` is no regular expression: {why}")
        })
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().into()
    }
}

impl Expect {
    /// Whether a refusal is what is expected.
    pub(crate) fn wants_refusal(&self) -> bool {
        match self.outcome {
            None | Some(ExpectedOutcome::Success | ExpectedOutcome::Error) => false,
            Some(
                ExpectedOutcome::Refused
                | ExpectedOutcome::RefusedByRule
                | ExpectedOutcome::DeniedByPerson
                | ExpectedOutcome::DeniedByHook
                | ExpectedOutcome::DeniedByClassifier
                | ExpectedOutcome::NobodyCanAnswer
                | ExpectedOutcome::Expired,
            ) => true,
        }
    }

    /// What is not as expected; nothing when all is.
    pub(crate) fn disappointment(&self, end: &CallEnd) -> Option<String> {
        let outcome = match self.outcome {
            Some(wanted) => (!wanted.is(end)).then(|| wanted.as_str()),
            // Without a word on it a call has to succeed, or to fail with the very exit code.
            None if self.exit_code.is_some_and(|code| code != 0) => None,
            None => (!ExpectedOutcome::Success.is(end)).then_some("success"),
        };
        if let Some(wanted) = outcome {
            return Some(format!(
                "expected {wanted}, got {}: {}",
                how_it_ended(end),
                quoted(&end.text)
            ));
        }
        if let Some(wanted) = self.exit_code
            && end.exit_code != Some(wanted)
        {
            let got = end
                .exit_code
                .map_or_else(|| "none".into(), |code| code.to_string());
            return Some(format!(
                "expected exit code {wanted}, got {got}: {}",
                quoted(&end.text)
            ));
        }
        if let Some(wanted) = &self.text_contains
            && !end.text.contains(wanted.as_str())
        {
            return Some(format!(
                "expected a text that contains `{wanted}`, got {}",
                quoted(&end.text)
            ));
        }
        if let Some(Pattern(wanted)) = &self.text_matches
            && !wanted.is_match(&end.text)
        {
            return Some(format!(
                "expected a text that matches `{wanted}`, got {}",
                quoted(&end.text)
            ));
        }
        None
    }
}

impl ExpectedOutcome {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Success,
        Self::Error,
        Self::Refused,
        Self::RefusedByRule,
        Self::DeniedByPerson,
        Self::DeniedByHook,
        Self::DeniedByClassifier,
        Self::NobodyCanAnswer,
        Self::Expired,
    ];

    fn is(self, end: &CallEnd) -> bool {
        match self {
            Self::Success => end.state == CallState::Success,
            Self::Error => end.state == CallState::Error && !end.is_refusal(),
            Self::Refused => end.is_refusal(),
            Self::RefusedByRule => end.outcome == Some(Outcome::Refused),
            Self::DeniedByPerson => end.outcome == Some(Outcome::DeniedByPerson),
            Self::DeniedByHook => end.outcome == Some(Outcome::DeniedByHook),
            Self::DeniedByClassifier => end.outcome == Some(Outcome::DeniedByClassifier),
            Self::NobodyCanAnswer => end.outcome == Some(Outcome::NobodyCanAnswer),
            Self::Expired => end.outcome == Some(Outcome::Expired),
        }
    }

    /// The word for it in scripts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Refused => "refused",
            Self::RefusedByRule => "refused_by_rule",
            Self::DeniedByPerson => "denied_by_person",
            Self::DeniedByHook => "denied_by_hook",
            Self::DeniedByClassifier => "denied_by_classifier",
            Self::NobodyCanAnswer => "nobody_can_answer",
            Self::Expired => "expired",
        }
    }
}

/// The end of a call in the words of [`ExpectedOutcome`].
pub(crate) fn how_it_ended(end: &CallEnd) -> &'static str {
    match end.outcome {
        None => end.state.as_str(),
        Some(Outcome::Refused) => ExpectedOutcome::RefusedByRule.as_str(),
        Some(outcome) => outcome.as_str(),
    }
}

/// The beginning of a text, for a report.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}
