//! Cases: one call, its rules and what is expected of them on one line of JSON (`check --cases`).
//!
//! A case brings its own rules and files; nothing of the machine is looked at.

mod line;
mod lineage;
mod scene;
mod settings;

use pointsman_model::{DecisionReason, PermissionDecision, Trail};
use serde::Serialize;

use crate::Problem;
use line::{Answerers, Line};
use scene::Scene;

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseResult {
    /// The case's name.
    pub id: String,
    /// The decision.
    pub decision: PermissionDecision,
    /// What decided.
    pub reason: DecisionReason,
    /// The way there.
    pub trail: Trail,
    /// What the case expects, when it expects anything.
    pub expected: Option<PermissionDecision>,
    /// Whether the decision is one that the case accepts.
    pub ok: bool,
    /// What is wrong with the case's rules.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

/// A line that is no case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// It is no JSON object of a case's shape.
    #[error("the line is no case")]
    Shape(#[source] serde_json::Error),
    /// A value in it is none that counts.
    #[error("`{field}` of the case does not fit")]
    Value {
        /// The field.
        field: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Judges one case.
///
/// # Errors
/// When the line is no case.
pub fn run_case(line: &str) -> Result<CaseResult, CaseError> {
    let case: Line = serde_json::from_str(line).map_err(CaseError::Shape)?;
    let scene = Scene::of(&case)?;
    let judged = scene.judge();
    // What a run with nobody there would make of it.
    let (decision, reason) = match case.context.attended {
        Answerers::There => (judged.decision, judged.reason),
        Answerers::Nobody => (judged.if_nobody.decision, judged.if_nobody.reason),
    };
    let expected = case.expected.or(case.observed);
    let ok =
        expected.is_none_or(|expected| decision == expected || case.also_ok.contains(&decision));
    Ok(CaseResult {
        id: case.id,
        decision,
        reason,
        trail: judged.trail,
        expected,
        ok,
        problems: scene.problems,
    })
}

#[cfg(test)]
mod kinds;
#[cfg(test)]
mod tests;
