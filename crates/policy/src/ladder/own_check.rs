//! Rungs 1c, 1d and 2d: what the tool itself objects to, and what the PreToolUse hooks said.

use pointsman_model::{EffectKind, OpaqueWhy, Rung};

use super::walk::Decided;
use super::why::{Part, Why};
use super::{Fact, HookVote, LEAVES_SANDBOX, Walk};

/// Tools that are there to talk to a person.
const NEED_A_PERSON: &[&str] = &["AskUserQuestion", "ExitPlanMode"];

/// 1c: does the tool's own check object?
pub(super) fn check(walk: &mut Walk<'_, '_>) {
    if let Some(why) = demanded(walk) {
        return walk.demand(Rung::ToolCheck, why);
    }
    match walk.facts.sure().find_map(doubted) {
        Some(why) => walk.would_ask(Rung::ToolCheck, why),
        None => walk.passed(Rung::ToolCheck),
    }
}

/// What a person has to see, whatever is allowed.
fn demanded<'a>(walk: &Walk<'a, '_>) -> Option<Why<'a>> {
    let facts = walk.facts;
    if NEED_A_PERSON.contains(&facts.q.tool.as_str()) {
        return Some(Why::NeedsPerson);
    }
    let hit = facts
        .effects
        .iter()
        .find_map(|fact| match &fact.effect.kind {
            _ if fact.critical => Some(Why::CriticalRemoval(fact.effect)),
            EffectKind::Write { .. } | EffectKind::Run(_) => {
                fact.protected.as_ref().map(Why::ProtectedPath)
            }
            EffectKind::Opaque(opaque) if opaque.why == OpaqueWhy::HiddenCharacter => {
                Some(Why::Opaque(opaque.why, fact.effect))
            }
            EffectKind::Read(_)
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        });
    hit.or_else(|| {
        // The model asks for less protection than it was given.
        let field = Part::Field(LEAVES_SANDBOX);
        facts.leaves_sandbox.then_some(Why::NothingDecided(field))
    })
}

/// What asks unless something allows it.
pub(super) fn doubted<'a>(fact: &'a Fact<'_>) -> Option<Why<'a>> {
    match &fact.effect.kind {
        EffectKind::Read(_) | EffectKind::Write { .. } if !fact.inside => {
            Some(Why::OutsideDirectories(fact.effect))
        }
        EffectKind::Opaque(opaque) => Some(Why::Opaque(opaque.why, fact.effect)),
        EffectKind::Run(_)
        | EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_) => None,
    }
}

/// 1d: how did the hooks vote?
pub(super) fn hook_vote(walk: &mut Walk<'_, '_>) {
    match walk.facts.q.vote {
        HookVote::None | HookVote::Allow { .. } => walk.passed(Rung::HookVote),
        HookVote::Ask { hook, text } => walk.demand(Rung::HookVote, Why::Hook { hook, text }),
    }
}

/// 2d: did a hook allow it?
pub(super) fn hook_allow<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    match walk.facts.q.vote {
        HookVote::None | HookVote::Ask { .. } => {
            walk.passed(Rung::HookAllow);
            None
        }
        HookVote::Allow { hook, text } => walk.allow(Rung::HookAllow, Why::Hook { hook, text }),
    }
}
