//! Many hooks, one word: deny over ask over allow, rewrites field by field in the order of
//! configuration, and what contradicts itself asks (DESIGN section 7).

use std::collections::{BTreeMap, BTreeSet};

use pointsman_ledger::{HookCame, HookReport};
use pointsman_model::{
    GrantRequest, GrantScope, Insistence, JsonText, PermissionRequest, RuleBehavior, RuleSource,
    RuleText, VerdictKind,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::HookDuty;
use serde_json::Value;

use super::outcome::{HookRule, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote};
use super::turn::Turn;

/// Merges the turns of the PreToolUse hooks, given in the order of configuration.
pub(super) fn pre_tool_use(raw: &JsonText, turns: Vec<Turn>) -> PreToolUse {
    let rewrite = rewrite(raw, &turns, |_| true);
    let first = |came: HookCame| turns.iter().find(|turn| turn.said.came == came);
    let named = |turn: &Turn| (turn.hook.clone(), turn.said.text.clone());
    let failed_guard = turns.iter().find(|turn| turn.is_failed_guard());

    let vote = if let Some((hook, text)) = first(HookCame::Halt).map(named) {
        PreToolUseVote::Halt { hook, text }
    } else if let Some((hook, text)) = first(HookCame::Deny).map(named) {
        PreToolUseVote::Deny { hook, text }
    } else if let Some(guard) = failed_guard {
        PreToolUseVote::Ladder(HookVote::Ask {
            hook: guard.hook.clone(),
            text: guard_text(guard),
        })
    } else if let Some((hook, text)) = first(HookCame::Ask).map(named) {
        PreToolUseVote::Ladder(HookVote::Ask { hook, text })
    } else if let Some(Conflict { hook, text }) = rewrite.conflict {
        PreToolUseVote::Ladder(HookVote::Ask { hook, text })
    } else if let Some((hook, text)) = first(HookCame::Allow).map(named) {
        PreToolUseVote::Ladder(HookVote::Allow { hook, text })
    } else {
        PreToolUseVote::Ladder(HookVote::None)
    };
    PreToolUse {
        vote,
        rewritten: rewrite.input,
        rules: turns.iter().flat_map(wanted).collect(),
        reports: reports(turns),
    }
}

/// Merges the turns of the PermissionRequest hooks, given in the order of configuration.
pub(super) fn permission_request(request: &PermissionRequest, turns: Vec<Turn>) -> PermissionTurn {
    let denied = turns.iter().find(|turn| turn.said.came == HookCame::Deny);
    let failed_guard = turns.iter().find(|turn| turn.is_failed_guard());
    let answer = if let Some(turn) = denied {
        PermissionAnswer::Given {
            hook: turn.hook.clone(),
            kind: VerdictKind::Deny {
                text: Some(turn.said.text.clone()).filter(|text| !text.is_empty()),
            },
        }
    } else if let Some(guard) = failed_guard {
        PermissionAnswer::GuardFailed {
            hook: guard.hook.clone(),
            text: guard_text(guard),
        }
    } else {
        allowed(request, &turns)
    };
    let rules = turns
        .iter()
        .flat_map(wanted)
        .filter(|rule| rule.behavior != RuleBehavior::Allow)
        .collect();
    PermissionTurn {
        answer,
        rules,
        reports: reports(turns),
    }
}

/// The first allow that counts for this request, with what those that count make of the input. When
/// they contradict each other there is no answer, and a person decides.
fn allowed(request: &PermissionRequest, turns: &[Turn]) -> PermissionAnswer {
    let counts = |turn: &Turn| {
        turn.said.came == HookCame::Allow
            && match request.judgement.insistence {
                Insistence::MayBeAnswered => true,
                Insistence::MustAsk => turn.is_the_persons(),
            }
    };
    let Some(first) = turns.iter().find(|turn| counts(turn)) else {
        return PermissionAnswer::None;
    };
    let rewrite = rewrite(&request.call.text, turns, counts);
    if rewrite.conflict.is_some() {
        return PermissionAnswer::None;
    }
    PermissionAnswer::Given {
        hook: first.hook.clone(),
        kind: VerdictKind::Allow {
            edited: rewrite.input,
            grant: granted(request, first),
        },
    }
}

/// The allow rules that the answering hook wants: for the run when the hook is the person's own, for
/// the asking agent alone when it is not.
fn granted(request: &PermissionRequest, turn: &Turn) -> Option<GrantRequest> {
    let rules: Vec<RuleText> = turn
        .said
        .rules
        .iter()
        .filter(|rule| rule.behavior == RuleBehavior::Allow)
        .map(|rule| rule.text.clone())
        .collect();
    let worker = request.lineage.agent().worker;
    let scope = if turn.is_the_persons() {
        GrantScope::Run { run: worker.run() }
    } else {
        GrantScope::Worker { worker }
    };
    (!rules.is_empty()).then_some(GrantRequest { rules, scope })
}

fn guard_text(guard: &Turn) -> Box<str> {
    format!("the guard failed: {}", guard.said.text).into()
}

impl Turn {
    fn is_failed_guard(&self) -> bool {
        self.duty == HookDuty::Guard && self.said.came == HookCame::Failed
    }

    /// Whether a person or the machine's keepers configured it, so that it may speak for them (law 2).
    fn is_the_persons(&self) -> bool {
        match self.source {
            RuleSource::PolicySettings | RuleSource::UserSettings => true,
            RuleSource::ProjectSettings
            | RuleSource::LocalSettings
            | RuleSource::FlagSettings
            | RuleSource::CliArg
            | RuleSource::Command
            | RuleSource::Session => false,
        }
    }
}

fn wanted(turn: &Turn) -> impl Iterator<Item = HookRule> {
    turn.said.rules.iter().map(|rule| HookRule {
        hook: turn.hook.clone(),
        hook_source: turn.source,
        behavior: rule.behavior,
        text: rule.text.clone(),
        destination: rule.destination,
    })
}

fn reports(turns: Vec<Turn>) -> Vec<HookReport> {
    turns
        .into_iter()
        .map(|turn| HookReport {
            hook: turn.hook,
            came: turn.said.came,
            text: turn.said.text,
            took: turn.took,
        })
        .collect()
}

struct Rewrite {
    input: Option<JsonText>,
    conflict: Option<Conflict>,
}

struct Conflict {
    hook: Box<str>,
    text: Box<str>,
}

/// Merges what hooks make of the input. A hook gives the whole input; what it changed is where that
/// differs from what it was shown. Of two who change a field differently the later one counts, and
/// the conflict is told.
fn rewrite(raw: &JsonText, turns: &[Turn], counts: impl Fn(&Turn) -> bool) -> Rewrite {
    let mut updates = turns
        .iter()
        .filter(|turn| counts(turn))
        .filter_map(|turn| Some((turn, turn.said.updated.as_ref()?)))
        .filter(|(_, updated)| fields(updated) != fields(raw));
    let (first, others) = (updates.next(), updates);
    let Some((first, alone)) = first else {
        return Rewrite {
            input: None,
            conflict: None,
        };
    };
    let shown = fields(raw);
    let mut merged = fields(alone);
    let mut changed_by: BTreeMap<String, &Turn> = changes(&shown, &merged)
        .into_iter()
        .map(|field| (field, first))
        .collect();
    // Alone it is taken as it was written, byte for byte.
    let mut input = Some(alone.clone());
    let mut conflict = None;
    for (turn, updated) in others {
        let updated = fields(updated);
        for field in changes(&shown, &updated) {
            let other = changed_by.insert(field.clone(), turn);
            if let Some(other) = other
                && merged.get(&field) != updated.get(&field)
            {
                conflict = Some(Conflict {
                    hook: turn.hook.clone(),
                    text: format!("`{}` and it rewrite `{field}` differently", other.hook).into(),
                });
            }
            match updated.get(&field) {
                Some(value) => merged.insert(field, value.clone()),
                None => merged.remove(&field),
            };
        }
        input = JsonText::of(&merged).ok();
    }
    Rewrite { input, conflict }
}

fn fields(text: &JsonText) -> BTreeMap<String, Value> {
    // A `JsonText` is an object, so this can't fail.
    serde_json::from_str(text.as_str()).unwrap_or_default()
}

/// The names of the fields in which the two differ.
fn changes(shown: &BTreeMap<String, Value>, updated: &BTreeMap<String, Value>) -> BTreeSet<String> {
    shown
        .keys()
        .chain(updated.keys())
        .filter(|name| shown.get(*name) != updated.get(*name))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests;
