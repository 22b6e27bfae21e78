//! Rungs 1a and 1b: deny rules, then ask rules.
//!
//! Both look at the tool, at every effect, sure or not, and at the whole line. A match that hangs on
//! something unknown is a question that a person has to answer, never a refusal.

use pointsman_model::{PermissionMode, Rung};

use super::Walk;
use super::walk::Decided;
use super::why::{Part, Why};
use crate::index::{Hit, Hits, Strength};
use crate::rule::Specifier;

/// 1a: does a deny rule match?
pub(super) fn deny<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    let found = find(walk, |hits| hits.deny, |_| true);
    match found {
        Found::Sure(why) => walk.deny(Rung::DenyRules, why),
        Found::May(why) => {
            walk.demand(Rung::DenyRules, why);
            None
        }
        Found::Nothing => {
            match walk.facts.unreadable {
                Some(rule) => {
                    let why = Why::RuleMayMatch(rule, Part::WholeCall);
                    walk.demand(Rung::DenyRules, why);
                }
                None => walk.passed(Rung::DenyRules),
            }
            None
        }
    }
}

/// 1b: does an ask rule match? A bare one for a call that will run sandboxed does not count, but in plan.
pub(super) fn ask(walk: &mut Walk<'_, '_>) {
    let mode = walk.facts.q.mode().mode();
    let skip_bare = walk.facts.sandboxed && mode != PermissionMode::Plan;
    let counts =
        |hit: &Hit<'_>| !(skip_bare && matches!(hit.compiled.parsed.specifier, Specifier::Whole));
    match find(walk, |hits| hits.ask, counts) {
        Found::Sure(why) | Found::May(why) => walk.demand(Rung::AskRules, why),
        Found::Nothing => walk.passed(Rung::AskRules),
    }
}

enum Found<'a> {
    Sure(Why<'a>),
    May(Why<'a>),
    Nothing,
}

fn find<'w, 'a>(
    walk: &Walk<'w, 'a>,
    behavior: impl Fn(&Hits<'a>) -> Option<Hit<'a>>,
    counts: impl Fn(&Hit<'_>) -> bool,
) -> Found<'w> {
    let facts = walk.facts;
    let whole = [
        behavior(&facts.tool)
            .filter(&counts)
            .map(|hit| (hit, Part::Tool)),
        behavior(&facts.line).map(|hit| (hit, Part::WholeCall)),
    ];
    let parts = facts
        .effects
        .iter()
        .filter_map(|fact| Some((behavior(&fact.hits)?, Part::Effect(fact.effect))));
    let mut may = Found::Nothing;
    for (hit, part) in whole.into_iter().flatten().chain(parts) {
        let rule = &hit.compiled.rule;
        match (hit.strength, &may) {
            (Strength::Sure, _) => return Found::Sure(Why::Rule(rule, part)),
            (Strength::May, Found::Nothing) => may = Found::May(Why::RuleMayMatch(rule, part)),
            (Strength::May, Found::Sure(_) | Found::May(_)) => {}
        }
    }
    may
}
