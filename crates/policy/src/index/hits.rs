//! What was found for one subject: at most one rule a behavior, the same whatever order the rules stand in.

use std::cmp::Ordering;

use pointsman_model::{PermissionRule, RuleBehavior};

use super::{Compiled, Strength};

/// A rule that matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit<'a> {
    /// The rule.
    pub(crate) compiled: &'a Compiled,
    /// How surely.
    pub(crate) strength: Strength,
}

/// The rule that speaks for each behavior: the surest, of those the first in the order of sources and texts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hits<'a> {
    pub(crate) deny: Option<Hit<'a>>,
    pub(crate) ask: Option<Hit<'a>>,
    pub(crate) allow: Option<Hit<'a>>,
}

impl<'a> Hits<'a> {
    /// Whether the rule, should it match surely, would speak for its behavior. Saves comparing rules in vain.
    pub(super) fn wants(&self, compiled: &Compiled) -> bool {
        match self.slot(compiled.rule.behavior) {
            None => true,
            Some(hit) => {
                hit.strength < Strength::Sure
                    || order(&compiled.rule, &hit.compiled.rule) == Ordering::Less
            }
        }
    }

    /// Takes a rule that matches into account.
    pub(crate) fn add(&mut self, hit: Hit<'a>) {
        let slot = match hit.compiled.rule.behavior {
            RuleBehavior::Deny => &mut self.deny,
            RuleBehavior::Ask => &mut self.ask,
            RuleBehavior::Allow => &mut self.allow,
        };
        let better = match slot {
            None => true,
            Some(there) => match hit.strength.cmp(&there.strength) {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal => {
                    order(&hit.compiled.rule, &there.compiled.rule) == Ordering::Less
                }
            },
        };
        if better {
            *slot = Some(hit);
        }
    }

    /// Leaves in doubt what matched: the subject was worked out, not read.
    pub(crate) fn doubt(&mut self) {
        for hit in [&mut self.deny, &mut self.ask].into_iter().flatten() {
            hit.strength = Strength::May;
        }
    }

    /// Takes all that was found elsewhere into account.
    pub(crate) fn merge(&mut self, other: Hits<'a>) {
        for hit in [other.deny, other.ask, other.allow].into_iter().flatten() {
            self.add(hit);
        }
    }

    fn slot(&self, behavior: RuleBehavior) -> Option<&Hit<'a>> {
        match behavior {
            RuleBehavior::Deny => self.deny.as_ref(),
            RuleBehavior::Ask => self.ask.as_ref(),
            RuleBehavior::Allow => self.allow.as_ref(),
        }
    }
}

/// An order of rules that does not depend on where they were loaded.
pub(super) fn order(one: &PermissionRule, other: &PermissionRule) -> Ordering {
    let key = |rule: &PermissionRule| {
        let place = rule.place.as_ref();
        (rule.source, place.map(|at| (at.line, at.column)))
    };
    key(one)
        .cmp(&key(other))
        .then_with(|| one.text.cmp(&other.text))
        .then_with(|| {
            let file = |rule: &PermissionRule| rule.place.as_ref().map(|at| at.file.clone());
            file(one).cmp(&file(other))
        })
}
