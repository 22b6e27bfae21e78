//! Guards that settings lose: how much the loss of a value weighs, and hooks that are never asked.
//!
//! A guard under a name that nobody reads guards nothing, and nobody would notice. So whatever is left out of a
//! settings file is looked into: where a guard stands in it, an unattended run does not start.

use pointsman_model::{PermissionRule, RuleBehavior, RuleSource, RuleText};

use super::{HookEvent, HookMatcher};
use crate::rule::{ParsedRule, known_tools};
use crate::settings::document::{Json, Located, Member};
use crate::settings::reading::Reader;
use crate::settings::{keys, lint};
use crate::{Severity, parse_rule};

/// How hooks are written, for whoever wrote them otherwise.
pub(in crate::settings) const SHAPE: &str =
    "write `\"hooks\": {\"PreToolUse\": [{\"hooks\": [ … ]}]}`, the hook in the inner list";

/// Whether an object is marked as a guard, whatever else is wrong with it. Of two marks the stricter counts.
fn says_guard(entry: &Located) -> bool {
    let Json::Object(members) = &entry.json else {
        return false;
    };
    members
        .iter()
        .any(|member| &*member.key == "guard" && !matches!(member.value.json, Json::Bool(false)))
}

/// Whether a guard stands anywhere in a value.
pub(in crate::settings) fn holds_guard(value: &Located) -> bool {
    says_guard(value)
        || match &value.json {
            Json::Object(members) => members.iter().any(|member| holds_guard(&member.value)),
            Json::List(entries) => entries.iter().any(holds_guard),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => false,
        }
}

/// Whether a hook was found where the events stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StrayHook {
    /// It was, and is told of.
    Told,
    /// There is none.
    None,
}

/// Whether a key says what a hook runs: it stands in a hook alone.
fn is_of_a_hook(key: &str) -> bool {
    ["type", "command", "url"].contains(&key)
}

impl Reader<'_> {
    /// How much it weighs that a value is left out: a guard may stand in it, and hooks of the managed settings are
    /// guards.
    pub(super) fn loss_of(&self, value: &Located) -> Severity {
        if self.place.source == RuleSource::PolicySettings || holds_guard(value) {
            Severity::StopsUnattended
        } else {
            Severity::Warning
        }
    }

    /// An event that nobody knows, or one of another program.
    pub(super) fn no_event(&mut self, member: &Member) {
        let ours = keys::HOOK_EVENTS_OF_OTHERS
            .iter()
            .find(|(theirs, _)| *theirs == &*member.key);
        let Some((_, ours)) = ours else {
            let names = HookEvent::ALL.map(HookEvent::as_str);
            self.unknown_key(member, "`hooks`", &[&names, keys::HOOK_EVENTS_OTHER]);
            return;
        };
        let message = format!("unknown key `{}` in `hooks`", member.key);
        let hint = format!("did you mean `{ours}`?");
        self.report(
            self.loss_of(&member.value),
            member.key_at,
            message,
            Some(&hint),
        );
    }

    /// An event of Claude Code at which nothing is asked here. A guard there guards nothing.
    pub(super) fn silent_event(&mut self, member: &Member) {
        if holds_guard(&member.value) {
            let message = format!(
                "hooks of {} are not run here, and one is a guard",
                member.key
            );
            let hint = "a guard of calls stands under `PreToolUse`, one of questions under `PermissionRequest`";
            self.report(
                Severity::StopsUnattended,
                member.key_at,
                message,
                Some(hint),
            );
        }
    }

    /// A mark that makes a hook a guard, on the group around it.
    pub(super) fn guard_of_a_group(&mut self, member: &Member) {
        let severity = match &member.value.json {
            Json::Bool(false) => Severity::Warning,
            _ => Severity::StopsUnattended,
        };
        let message = "`guard` has no effect on a group of hooks".to_owned();
        let hint = "write it into each hook of the list `hooks` that is to be one";
        self.report(severity, member.key_at, message, Some(hint));
    }

    /// Keys of a hook that stand among the events. What stands under the events is read all the same.
    pub(super) fn hook_among_events(&mut self, value: &Located, events: &[Member]) -> StrayHook {
        let Some(stray) = events.iter().find(|member| is_of_a_hook(&member.key)) else {
            return StrayHook::None;
        };
        let message = "this is a hook, and here the events stand".to_owned();
        // Guards below an event are not lost.
        let severity = if self.place.source == RuleSource::PolicySettings || says_guard(value) {
            Severity::StopsUnattended
        } else {
            Severity::Warning
        };
        self.report(severity, stray.key_at, message, Some(SHAPE));
        StrayHook::Told
    }

    /// A hook that stands where a group of hooks belongs. False when this is none.
    pub(super) fn is_bare_hook(&mut self, group: &Located, members: &[Member]) -> bool {
        let grouped = members.iter().any(|member| &*member.key == "hooks");
        let bare = !grouped && members.iter().any(|member| is_of_a_hook(&member.key));
        if bare {
            let message = "this is a hook, and here a group of hooks stands".to_owned();
            let hint = "write `{\"hooks\": [ … ]}` around it";
            self.report(self.loss_of(group), group.at, message, Some(hint));
        }
        bare
    }

    /// Tells of a matcher that no tool meets, with what was likely meant. In a group without a guard names are left to
    /// the lint: a tool of that name may exist.
    pub(super) fn unmet_matcher(
        &mut self,
        event: HookEvent,
        matcher: &HookMatcher,
        value: &Located,
        severity: Severity,
    ) {
        let Json::Text(text) = &value.json else {
            return;
        };
        if !event.is_of_a_call() {
            return;
        }
        let (message, hint) = match matcher {
            HookMatcher::All => return,
            HookMatcher::Names(names) => {
                let misspelt = names.iter().find_map(|name| {
                    let known = name.contains('_') || known_tools().contains(&&**name);
                    let near = keys::nearest(name, known_tools()).filter(|_| !known)?;
                    Some((name, near))
                });
                let Some((name, near)) = misspelt.filter(|_| severity == Severity::StopsUnattended)
                else {
                    return;
                };
                let message =
                    format!("the matcher of a guard names `{name}`, and no tool is named so");
                (message, format!("did you mean `{near}`?"))
            }
            HookMatcher::Regex(_) => {
                let met = known_tools().iter().any(|tool| matcher.matches(tool));
                let rule = parse_rule(text).ok().filter(|_| !met);
                let Some(rule) = rule.filter(|rule| rule.specifier().is_some()) else {
                    return;
                };
                let message = "this matcher is a rule, and a matcher is a tool's name or a regular expression: \
                     no tool meets it"
                    .to_owned();
                let hint = format!(
                    "write `\"matcher\": \"{}\"`, and `\"if\": \"{text}\"` in the hook",
                    rule.tool()
                );
                (message, hint)
            }
        };
        self.report(severity, value.at, message, Some(&hint));
    }

    /// Tells of an `if` that no call meets.
    pub(super) fn unmet_condition(
        &mut self,
        severity: Severity,
        member: &Member,
        text: &str,
        parsed: &ParsedRule,
    ) {
        let rule = PermissionRule {
            // A hook's condition is tried as an ask rule is.
            behavior: RuleBehavior::Ask,
            text: RuleText::new(text),
            source: self.place.source,
            place: Some(self.source.place(member.value.at)),
            anchor: self.place.anchor.clone(),
        };
        if let Some(problem) = lint::never_matches(&rule, parsed) {
            self.problems.push(crate::Problem {
                severity,
                message: format!("this hook is never asked: {}", problem.message),
                ..problem
            });
        }
    }
}
