//! Rungs 1c, 1d and 2d: what the tool itself objects to, and what the PreToolUse hooks said.

use pointsman_model::{DecisionReason, EffectKind, Matched, OpaqueWhy, Rung};

use super::walk::Decided;
use super::{Fact, HookVote, Walk, matched};

/// Tools that are there to talk to a person.
const NEED_A_PERSON: &[&str] = &["AskUserQuestion", "ExitPlanMode"];

/// 1c: does the tool's own check object?
pub(super) fn check(walk: &mut Walk<'_>) {
    if let Some(reason) = demanded(walk) {
        return walk.demand(Rung::ToolCheck, reason);
    }
    match walk.facts.sure().find_map(doubted) {
        Some(reason) => walk.would_ask(Rung::ToolCheck, reason),
        None => walk.passed(Rung::ToolCheck),
    }
}

/// What a person has to see, whatever is allowed.
fn demanded(walk: &Walk<'_>) -> Option<DecisionReason> {
    let facts = walk.facts;
    if NEED_A_PERSON.contains(&facts.q.tool.as_str()) {
        return Some(DecisionReason::NeedsPerson);
    }
    let hit = facts
        .effects
        .iter()
        .find_map(|fact| match &fact.effect.kind {
            _ if fact.critical => Some(DecisionReason::CriticalRemoval {
                matched: matched(fact.effect),
            }),
            EffectKind::Write { .. } | EffectKind::Run(_) => fact
                .protected
                .clone()
                .map(|path| DecisionReason::ProtectedPath { path }),
            EffectKind::Opaque(opaque) if opaque.why == OpaqueWhy::HiddenCharacter => {
                Some(DecisionReason::Opaque {
                    why: opaque.why,
                    matched: matched(fact.effect),
                })
            }
            EffectKind::Read(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        });
    hit.or_else(|| {
        // The model asks for less protection than it was given.
        facts
            .leaves_sandbox
            .then(|| DecisionReason::NothingDecided {
                matched: Matched {
                    text: "dangerouslyDisableSandbox".into(),
                    span: None,
                },
            })
    })
}

/// What asks unless something allows it.
pub(super) fn doubted(fact: &Fact<'_>) -> Option<DecisionReason> {
    match &fact.effect.kind {
        EffectKind::Read(_) | EffectKind::Write { .. } if !fact.inside => {
            Some(DecisionReason::OutsideDirectories {
                matched: matched(fact.effect),
            })
        }
        EffectKind::Opaque(opaque) => Some(DecisionReason::Opaque {
            why: opaque.why,
            matched: matched(fact.effect),
        }),
        EffectKind::Run(_)
        | EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_) => None,
    }
}

/// 1d: how did the hooks vote?
pub(super) fn hook_vote(walk: &mut Walk<'_>) {
    match walk.facts.q.vote {
        HookVote::None | HookVote::Allow { .. } => walk.passed(Rung::HookVote),
        HookVote::Ask { hook, text } => {
            let reason = DecisionReason::Hook {
                hook: hook.clone(),
                text: text.clone(),
            };
            walk.demand(Rung::HookVote, reason);
        }
    }
}

/// 2d: did a hook allow it?
pub(super) fn hook_allow(walk: &mut Walk<'_>) -> Option<Decided> {
    match walk.facts.q.vote {
        HookVote::None | HookVote::Ask { .. } => {
            walk.passed(Rung::HookAllow);
            None
        }
        HookVote::Allow { hook, text } => {
            let reason = DecisionReason::Hook {
                hook: hook.clone(),
                text: text.clone(),
            };
            walk.allow(Rung::HookAllow, reason)
        }
    }
}
