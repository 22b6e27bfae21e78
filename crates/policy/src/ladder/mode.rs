//! Rungs 2a to 2c: modes plan, bypassPermissions, acceptEdits and auto.

use pointsman_model::{AssignmentWeight, EffectKind, PermissionMode, Run, RunNature, Rung};

use super::cover::{Pool, covers};
use super::walk::Decided;
use super::why::Why;
use super::{Fact, Walk};

/// 2a: is it a change in mode plan?
pub(super) fn plan<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    let mode = mode_of(walk);
    if mode == PermissionMode::Plan && walk.facts.sure().any(is_change) {
        return walk.deny(Rung::Plan, Why::Mode(mode));
    }
    walk.passed(Rung::Plan);
    None
}

/// 2b: is the mode bypassPermissions?
pub(super) fn bypass<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    let mode = mode_of(walk);
    if mode == PermissionMode::BypassPermissions {
        return walk.allow(Rung::Bypass, Why::Mode(mode));
    }
    walk.passed(Rung::Bypass);
    None
}

/// 2c: do acceptEdits or auto let it pass, together with what needs no rule?
pub(super) fn accept_edits<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    let mode = mode_of(walk);
    let changes = walk.facts.sure().any(is_change);
    if lets_edits_pass(mode) && changes && covers(walk.facts, Pool::WithoutRules).is_ok() {
        return walk.allow(Rung::AcceptEdits, Why::Mode(mode));
    }
    walk.passed(Rung::AcceptEdits);
    None
}

fn mode_of(walk: &Walk<'_, '_>) -> PermissionMode {
    walk.facts.q.mode().mode()
}

/// Whether an effect changes anything, or may.
fn is_change(fact: &Fact<'_>) -> bool {
    match &fact.effect.kind {
        EffectKind::Run(run) => !reads_alone(run),
        // A child is in plan too, and its own calls are judged.
        EffectKind::Read(_) | EffectKind::Spawn(_) => false,
        EffectKind::Write { .. } | EffectKind::Connect(_) | EffectKind::Opaque(_) => true,
    }
}

/// Whether a command is a known reader, with nothing in front of it that could make it something else.
pub(super) fn reads_alone(run: &Run) -> bool {
    run.nature == RunNature::KnownReader && is_plain(run)
}

/// Whether all assignments in front of a command are harmless.
pub(super) fn is_plain(run: &Run) -> bool {
    run.assignments
        .iter()
        .all(|it| it.weight == AssignmentWeight::Harmless)
}

/// Whether the mode lets edits inside the directories pass.
pub(super) fn lets_edits_pass(mode: PermissionMode) -> bool {
    matches!(mode, PermissionMode::AcceptEdits | PermissionMode::Auto)
}
