//! What a search must not show: files that a deny or ask rule keeps from this agent.

use pointsman_model::{
    AbsPath, Effect, EffectKind, EffectView, Effects, ExecutedCall, JsonText, Overlay, PathRole,
    PathUse, PathValue, Reach, RuleBehavior, ToolName,
};
use pointsman_policy::{Frozen, HookVote, Question, Tree, judge_denies_and_asks};
use std::sync::Arc;

use crate::{Seat, ToolScene};

/// Tells for each path whether a search may show it. Owns all it needs, so that it can go where blocking work is
/// done.
pub(super) struct HiddenFiles {
    tool: ToolName,
    input: JsonText,
    folder: AbsPath,
    frozen: Frozen,
    overlay: Overlay,
    tree: Arc<dyn Tree>,
    /// Without any deny or ask rule there is nothing to hide.
    has_rules: bool,
}

impl HiddenFiles {
    /// As the rules stand now.
    pub(super) fn of(call: &ExecutedCall, scene: &ToolScene<'_>) -> Self {
        let seat: &Seat = scene.seat;
        let parts = seat.frozen.context.parts();
        let overlay = seat
            .grants
            .overlay_for_call(&parts.lineage, call.id, seat.clock.now());
        let has_rules =
            parts
                .rules
                .iter()
                .chain(&overlay.tightenings)
                .any(|rule| match rule.behavior {
                    RuleBehavior::Deny | RuleBehavior::Ask => true,
                    RuleBehavior::Allow => false,
                });
        Self {
            tool: call.tool.clone(),
            input: call.text.clone(),
            folder: scene.folder.clone(),
            frozen: seat.frozen.clone(),
            overlay,
            tree: Arc::clone(&seat.tree),
            has_rules,
        }
    }

    /// Whether the file stays out of the results.
    pub(super) fn hides(&self, file: &AbsPath) -> bool {
        if !self.has_rules {
            return false;
        }
        let read = EffectKind::Read(PathUse {
            path: PathValue::Known(file.clone()),
            by: PathRole::Tool,
            reach: Reach::Itself,
            span: None,
        });
        let effects = Effects {
            list: vec![Effect {
                kind: read,
                view: EffectView::Sure,
                part: 0,
            }],
            ..Effects::default()
        };
        judge_denies_and_asks(&Question {
            tool: &self.tool,
            input: &self.input,
            effects: &effects,
            folder: &self.folder,
            frozen: &self.frozen,
            overlay: &self.overlay,
            vote: &HookVote::None,
            tree: self.tree.as_ref(),
        })
        .is_some()
    }
}
