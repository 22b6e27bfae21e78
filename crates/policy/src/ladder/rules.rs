//! Rungs 1a and 1b: deny rules, then ask rules.
//!
//! Both look at the tool, at every effect, sure or not, and at the whole line. A match that hangs on
//! something unknown is a question that a person has to answer, never a refusal.

use pointsman_model::{DecisionReason, Matched, PermissionMode, Rung};

use super::walk::Decided;
use super::{Walk, matched};
use crate::index::{Hit, Hits, Strength};
use crate::rule::Specifier;

/// 1a: does a deny rule match?
pub(super) fn deny(walk: &mut Walk<'_>) -> Option<Decided> {
    let found = find(walk, |hits| hits.deny, |_| true);
    match found {
        Found::Sure(reason) => walk.deny(Rung::DenyRules, reason),
        Found::May(reason) => {
            walk.demand(Rung::DenyRules, reason);
            None
        }
        Found::Nothing => {
            match walk.facts.unreadable {
                Some(rule) => {
                    let reason = DecisionReason::RuleMayMatch {
                        rule: rule.clone(),
                        matched: walk.whole_call(),
                    };
                    walk.demand(Rung::DenyRules, reason);
                }
                None => walk.passed(Rung::DenyRules),
            }
            None
        }
    }
}

/// 1b: does an ask rule match? A bare one for a call that will run sandboxed does not count, but in plan.
pub(super) fn ask(walk: &mut Walk<'_>) {
    let mode = walk.facts.q.mode().mode();
    let skip_bare = walk.facts.sandboxed && mode != PermissionMode::Plan;
    let counts =
        |hit: &Hit<'_>| !(skip_bare && matches!(hit.compiled.parsed.specifier, Specifier::Whole));
    match find(walk, |hits| hits.ask, counts) {
        Found::Sure(reason) | Found::May(reason) => walk.demand(Rung::AskRules, reason),
        Found::Nothing => walk.passed(Rung::AskRules),
    }
}

enum Found {
    Sure(DecisionReason),
    May(DecisionReason),
    Nothing,
}

fn find<'a>(
    walk: &Walk<'a>,
    behavior: impl Fn(&Hits<'a>) -> Option<Hit<'a>>,
    counts: impl Fn(&Hit<'_>) -> bool,
) -> Found {
    let facts = walk.facts;
    let tool = || Matched {
        text: facts.q.tool.as_str().into(),
        span: None,
    };
    let whole = [
        behavior(&facts.tool)
            .filter(&counts)
            .map(|hit| (hit, tool())),
        behavior(&facts.line).map(|hit| (hit, walk.whole_call())),
    ];
    let parts = facts
        .effects
        .iter()
        .filter_map(|fact| Some((behavior(&fact.hits)?, matched(fact.effect))));
    let mut may = Found::Nothing;
    for (hit, matched) in whole.into_iter().flatten().chain(parts) {
        let rule = hit.compiled.rule.clone();
        match (hit.strength, &may) {
            (Strength::Sure, _) => return Found::Sure(DecisionReason::Rule { rule, matched }),
            (Strength::May, Found::Nothing) => {
                may = Found::May(DecisionReason::RuleMayMatch { rule, matched });
            }
            (Strength::May, Found::Sure(_) | Found::May(_)) => {}
        }
    }
    may
}
