//! Rules that were read once, kept for whoever compiles them.

use pointsman_model::RuleText;
use rustc_hash::FxHashMap;

use super::ParsedRule;

/// What texts of rules were read as. Nothing but a text's own reading is ever found under it, so that using one
/// is the same as reading the text again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedRules(FxHashMap<RuleText, ParsedRule>);

impl ParsedRules {
    /// Keeps what a text was read as.
    pub(crate) fn keep(&mut self, text: &RuleText, parsed: ParsedRule) {
        self.0.insert(text.clone(), parsed);
    }

    /// Keeps all that another one has.
    pub(crate) fn add(&mut self, other: Self) {
        if self.0.is_empty() {
            *self = other;
        } else {
            self.0.extend(other.0);
        }
    }

    /// What the text was read as, if it was; it is not kept any longer.
    pub(crate) fn take(&mut self, text: &RuleText) -> Option<ParsedRule> {
        self.0.remove(text)
    }
}
