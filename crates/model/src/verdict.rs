//! Verdicts: the one answer to a request, who gave it, and how the call ended for it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Digest, GrantId, GrantScope, JsonText, Millis, NoVoteCause, RuleText, Uses, WallTime};

/// What a person touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The terminal the leader runs in.
    Terminal,
    /// A command in another terminal, through the local socket.
    Command,
    /// The web page.
    Web,
    /// A chat relay.
    Chat,
}

/// Whoever gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answerer {
    /// A person.
    Person {
        /// Where.
        surface: Surface,
    },
    /// A PermissionRequest hook.
    Hook {
        /// Its name.
        name: Box<str>,
    },
    /// A classifier.
    Classifier {
        /// Its name.
        name: Box<str>,
    },
    /// A grant that was made while the request was open.
    Grant {
        /// Which.
        grant: GrantId,
    },
    /// The ladder, walked again after rules or mode changed.
    Ladder,
    /// The runtime itself: deadlines, stops, lost machinery.
    Runtime,
}

impl fmt::Display for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person {
                surface: Surface::Terminal,
            } => f.write_str("a person at the terminal"),
            Self::Person {
                surface: Surface::Command,
            } => f.write_str("a person by command"),
            Self::Person {
                surface: Surface::Web,
            } => f.write_str("a person on the web page"),
            Self::Person {
                surface: Surface::Chat,
            } => f.write_str("a person by chat"),
            Self::Hook { name } => write!(f, "hook `{name}`"),
            Self::Classifier { name } => write!(f, "classifier `{name}`"),
            Self::Grant { grant } => write!(f, "grant {grant}"),
            Self::Ladder => f.write_str("the rules, judged again"),
            Self::Runtime => f.write_str("pointsman"),
        }
    }
}

/// An allow that goes beyond the one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRequest {
    /// The rules that are granted together, one grant each: all those of the proposal that was chosen.
    pub rules: Vec<RuleText>,
    /// For whom.
    pub scope: GrantScope,
    /// For how long from the answer on; until the end of the scope when not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Millis>,
    /// For how many calls. Records of before there was a bound have none.
    #[serde(default = "unlimited")]
    pub uses: Uses,
}

fn unlimited() -> Uses {
    Uses::Unlimited
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum VerdictKind {
    /// It may run.
    Allow {
        /// The input to run instead, when the person or hook edited it. It is judged again by deny and ask rules.
        edited: Option<JsonText>,
        /// What else is granted with it.
        grant: Option<GrantRequest>,
    },
    /// It may not run.
    Deny {
        /// What the agent is told.
        text: Option<Box<str>>,
    },
    /// The request ended without an answer.
    Ended {
        /// How.
        outcome: Outcome,
        /// What the agent is told.
        text: Box<str>,
    },
    /// The request ended without an answer: a classifier stood in for the question and did not judge it, and nobody was
    /// there to be asked instead.
    Unjudged {
        /// Why it did not.
        cause: NoVoteCause,
        /// What the agent is told.
        text: Box<str>,
    },
}

/// The one answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What it says.
    pub kind: VerdictKind,
    /// Who gave it.
    pub by: Answerer,
    /// When.
    pub at: WallTime,
    /// The digest of what it was given for; compared before anything runs (law 10).
    pub digest: Digest,
}

impl Verdict {
    /// How a call ends, or goes on, for this verdict.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match (&self.kind, &self.by) {
            (VerdictKind::Allow { .. }, _) => Outcome::Allowed,
            (VerdictKind::Deny { .. }, Answerer::Hook { .. }) => Outcome::DeniedByHook,
            (VerdictKind::Deny { .. }, Answerer::Classifier { .. }) => Outcome::DeniedByClassifier,
            (
                VerdictKind::Deny { .. },
                Answerer::Ladder | Answerer::Grant { .. } | Answerer::Runtime,
            ) => Outcome::Refused,
            (VerdictKind::Deny { .. }, Answerer::Person { .. }) => Outcome::DeniedByPerson,
            (VerdictKind::Ended { outcome, .. }, _) => *outcome,
            (VerdictKind::Unjudged { cause, .. }, _) => cause.outcome(),
        }
    }
}

/// How a question, or a call that never became one, ended. These never get mixed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It may run.
    Allowed,
    /// A person said no.
    DeniedByPerson,
    /// A hook said no.
    DeniedByHook,
    /// The classifier said no.
    DeniedByClassifier,
    /// A rule or the mode refused it.
    Refused,
    /// Nobody can answer, so it was refused.
    NobodyCanAnswer,
    /// Its deadline passed.
    Expired,
    /// It was stopped.
    Cancelled,
    /// What it was asked for changed; it is asked anew.
    Superseded,
    /// The machinery to answer failed.
    Unavailable,
    /// The leader ended before it was answered.
    Interrupted,
}

impl Outcome {
    /// Its name on screen and in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::DeniedByPerson => "denied_by_person",
            Self::DeniedByHook => "denied_by_hook",
            Self::DeniedByClassifier => "denied_by_classifier",
            Self::Refused => "refused",
            Self::NobodyCanAnswer => "nobody_can_answer",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Superseded => "superseded",
            Self::Unavailable => "unavailable",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
