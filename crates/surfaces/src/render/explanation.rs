//! What a person is told beside a question: what it does, why, what could go wrong.

use pointsman_model::{ExplainedBy, Explanation};

use crate::shown;

/// An explanation in lines. The analyser's says what could go wrong; what the call does stands beside it anyway, effect
/// by effect.
#[must_use]
pub fn explanation_lines(explanation: &Explanation) -> Vec<String> {
    let risk = risk_line(explanation);
    match explanation.by {
        ExplainedBy::Analyser => vec![risk],
        ExplainedBy::Model => vec![
            format!("a model says: {}", shown::line(&explanation.explanation)),
            format!(
                "in the agent's place: {}",
                shown::line(&explanation.reasoning)
            ),
            risk,
        ],
    }
}

/// How risky it is, and what could go wrong.
#[must_use]
pub fn risk_line(explanation: &Explanation) -> String {
    let level = explanation.risk_level.as_str();
    format!("risk {level}: {}", shown::line(&explanation.risk))
}
