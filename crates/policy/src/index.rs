//! The rules of all sources, compiled into one immutable index.

use pointsman_model::PermissionRule;

use crate::Problem;

/// Every rule of a context, ready to be matched.
#[derive(Debug)]
pub struct RuleIndex {
    rules: Vec<PermissionRule>,
}

impl RuleIndex {
    /// Compiles rules, and says what is wrong with them.
    #[must_use]
    pub fn build(rules: &[PermissionRule]) -> (Self, Vec<Problem>) {
        (
            Self {
                rules: rules.to_vec(),
            },
            Vec::new(),
        )
    }

    /// How many rules it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether it holds no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}
