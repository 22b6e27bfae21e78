//! What a person is told of an action beside its dialog. Never an input to a decision.

use serde::{Deserialize, Serialize};

/// How risky an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RiskLevel {
    /// Safe development work.
    Low,
    /// Changes that can be undone.
    Medium,
    /// Dangerous, or for good.
    High,
}

impl RiskLevel {
    /// Its name on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Who explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplainedBy {
    /// The analyser's tables.
    Analyser,
    /// A model.
    Model,
}

/// What a person is told of an action. Its texts are shown like an agent's: a model or the agent wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// What it does.
    pub explanation: String,
    /// Why, in the agent's place.
    pub reasoning: String,
    /// What could go wrong, in at most 15 words.
    pub risk: String,
    /// How much that is.
    // So named in records of earlier versions.
    #[serde(alias = "riskLevel")]
    pub risk_level: RiskLevel,
    /// Who says so.
    pub by: ExplainedBy,
}
