//! What "always allow" would save, and the narrowest rule that would have let a call pass.

use pointsman_model::{Judgement, RuleProposal, RuleText};

use crate::Question;

/// Rules that would let this call and calls like it pass, from exact to prefix. Empty where no rule may be saved.
#[must_use]
pub fn propose(_q: &Question<'_>, _j: &Judgement) -> Vec<RuleProposal> {
    Vec::new()
}

/// The narrowest rule that would have let this call pass; nothing when no rule may.
#[must_use]
pub fn narrowest_rule(_q: &Question<'_>) -> Option<RuleText> {
    None
}
