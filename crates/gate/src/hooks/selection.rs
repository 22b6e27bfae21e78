//! Which hooks an event concerns: matcher, condition, and each program once.

use std::sync::Arc;

use pointsman_model::{
    AbsPath, ContextParts, Effects, HandlerKind, JsonText, Lineage, ModeInForce, Overlay,
    PermissionContext, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
    SandboxState, ToolName, ToolSet,
};
use pointsman_policy::settings::{HookDuty, HookSetting};
use pointsman_policy::{Frozen, HookVote, Question, judge_denies_and_asks};

use super::HookPlace;

/// The call that an event is about.
pub(super) struct Subject<'a> {
    pub(super) tool: &'a ToolName,
    pub(super) input: &'a JsonText,
    pub(super) effects: &'a Effects,
    pub(super) folder: &'a AbsPath,
    pub(super) lineage: &'a Lineage,
}

/// The tool that spawns goes by its old name too.
fn matches(hook: &HookSetting, tool: &ToolName) -> bool {
    hook.matcher.matches(tool.as_str())
        || (tool.as_str() == "Agent" && hook.matcher.matches("Task"))
}

/// The hooks that concern the call, in the order of configuration. A program that several files
/// configure is asked once, with the strictest duty and in the name of the most trusted of them.
pub(super) fn select<'a>(
    hooks: impl Iterator<Item = &'a HookSetting>,
    subject: &Subject<'_>,
    place: &HookPlace,
) -> Vec<HookSetting> {
    let mut selected: Vec<HookSetting> = Vec::new();
    for hook in hooks.filter(|hook| matches(hook, subject.tool)) {
        let condition = hook.condition.as_ref();
        if condition.is_some_and(|rule| !applies(rule, hook, subject, place)) {
            continue;
        }
        let same = selected.iter_mut().find(|other| {
            other.run == hook.run && other.condition == hook.condition && other.life == hook.life
        });
        match same {
            None => selected.push(hook.clone()),
            Some(other) => join(other, hook),
        }
    }
    selected
}

fn join(kept: &mut HookSetting, again: &HookSetting) {
    if again.duty == HookDuty::Guard {
        kept.duty = HookDuty::Guard;
    }
    // The order of sources is the order of trust for the two that may speak for a person.
    if again.source < kept.source {
        kept.source = again.source;
        kept.place = again.place.clone();
    }
    kept.timeout = kept.timeout.min(again.timeout);
}

/// Whether the rule of a hook's `if` matches the call: as an ask rule would, which errs on the side
/// of asking the hook.
fn applies(
    rule: &RuleText,
    setting: &HookSetting,
    subject: &Subject<'_>,
    place: &HookPlace,
) -> bool {
    let rule = PermissionRule {
        behavior: RuleBehavior::Ask,
        text: rule.clone(),
        source: RuleSource::Session,
        place: Some(setting.place.clone()),
        anchor: place.project.clone(),
    };
    let context = PermissionContext::freeze(ContextParts {
        lineage: subject.lineage.clone(),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: Arc::from([rule]),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: subject.folder.clone(),
        project: place.project.clone(),
        home: place.home.clone(),
        directories: Arc::from([place.project.clone()]),
        depth_left: 0,
        handler: HandlerKind::Coordinator,
        attended: place.attended,
        sandbox: SandboxState::Off,
    });
    let (frozen, _) = Frozen::new(context);
    judge_denies_and_asks(&Question {
        tool: subject.tool,
        input: subject.input,
        effects: subject.effects,
        folder: subject.folder,
        frozen: &frozen,
        overlay: &Overlay::default(),
        vote: &HookVote::None,
        tree: &*place.tree,
    })
    .is_some()
}
