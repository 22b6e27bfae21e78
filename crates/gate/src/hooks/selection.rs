//! Which hooks an event concerns: matcher, condition, and each program once.

use std::sync::Arc;

use pointsman_model::{
    ContextParts, HandlerKind, ModeInForce, Overlay, PermissionContext, PermissionMode,
    PermissionRule, RuleBehavior, RuleSource, RuleText, SandboxState, ToolSet,
};
use pointsman_policy::settings::{HookEvent, HookSetting, take_in};
use pointsman_policy::{Frozen, HookVote, Question, judge_denies_and_asks};

use super::payload::CallTold;
use super::{HookPlace, HookScene};

/// What an event is about.
pub(super) struct Subject<'a> {
    /// What matchers look at: a tool's name, or what the event has in its place.
    pub(super) value: &'a str,
    /// The call, for conditions; without one they don't hold.
    pub(super) call: Option<(CallTold<'a>, HookScene<'a>)>,
}

/// The tool that spawns goes by its old name too. An event without a value to choose by has all its
/// hooks asked.
fn matches(hook: &HookSetting, subject: &Subject<'_>) -> bool {
    let value = subject.value;
    hook.event == HookEvent::Stop
        || hook.matcher.matches(value)
        || (subject.call.is_some() && value == "Agent" && hook.matcher.matches("Task"))
}

/// The hooks that concern the call, in the order of configuration. A program that several files
/// configure is asked once: see [`take_in`].
pub(super) fn select<'a>(
    hooks: impl Iterator<Item = &'a HookSetting>,
    subject: &Subject<'_>,
    place: &HookPlace,
) -> Vec<HookSetting> {
    let mut selected: Vec<HookSetting> = Vec::new();
    for hook in hooks.filter(|hook| matches(hook, subject)) {
        let condition = hook.condition.as_ref();
        if condition.is_some_and(|rule| !applies(rule, hook, subject, place)) {
            continue;
        }
        take_in(&mut selected, hook);
    }
    selected
}

/// Whether the rule of a hook's `if` matches the call: as an ask rule would, which errs on the side
/// of asking the hook.
fn applies(
    rule: &RuleText,
    setting: &HookSetting,
    subject: &Subject<'_>,
    place: &HookPlace,
) -> bool {
    let Some((call, scene)) = &subject.call else {
        return false;
    };
    let rule = PermissionRule {
        behavior: RuleBehavior::Ask,
        text: rule.clone(),
        source: RuleSource::Session,
        place: Some(setting.place.clone()),
        anchor: place.project.clone(),
    };
    let context = PermissionContext::freeze(ContextParts {
        lineage: scene.lineage.clone(),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: Arc::from([rule]),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: scene.folder.clone(),
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
        tool: call.tool,
        input: call.input,
        effects: scene.effects,
        folder: scene.folder,
        frozen: &frozen,
        overlay: &Overlay::default(),
        vote: &HookVote::None,
        tree: &*place.tree,
    })
    .is_some()
}
