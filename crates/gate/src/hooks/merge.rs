//! Many hooks, one word: deny over ask over allow, rewrites field by field in the order of
//! configuration, and what contradicts itself asks (DESIGN section 7).

use std::collections::{BTreeMap, BTreeSet};

use pointsman_ledger::{HookCame, HookReport};
use pointsman_model::{
    GrantRequest, GrantScope, Insistence, JsonText, PermissionRequest, RuleBehavior, RuleSource,
    RuleText, Uses, VerdictKind, WorkerId,
};
use pointsman_policy::HookVote;
use pointsman_policy::settings::{HookDuty, is_the_persons};
use serde_json::Value;

use super::answer::AfterNo;
use super::happening::HookWord;
use super::outcome::{
    HaltReach, HookHalt, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote,
};
use super::turn::Turn;
use super::wish::{HookUpdate, HookWish};
use crate::Aftermath;

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
            text: guard.guard_text(),
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
        wishes: wishes(&turns),
        context: turns.iter().filter_map(Turn::context).collect(),
        reports: reports(turns),
    }
}

/// Merges the turns of the PermissionRequest hooks, given in the order of configuration.
pub(super) fn permission_request(
    request: &PermissionRequest,
    shown: &JsonText,
    turns: Vec<Turn>,
) -> PermissionTurn {
    let first = |came: HookCame| turns.iter().find(|turn| turn.said.came == came);
    let failed_guard = turns.iter().find(|turn| turn.is_failed_guard());
    let (answer, aftermath) = if let Some(turn) = first(HookCame::Halt) {
        (refused(turn), halting(turn, HaltReach::Run))
    } else if let Some(turn) = first(HookCame::Deny) {
        let aftermath = match turn.said.after {
            AfterNo::Stops => halting(turn, HaltReach::Agent),
            AfterNo::GoesOn | AfterNo::AsksAgain => Aftermath::default(),
        };
        (refused(turn), aftermath)
    } else if let Some(guard) = failed_guard {
        let failed = PermissionAnswer::GuardFailed {
            hook: guard.hook.clone(),
            text: guard.guard_text(),
        };
        (failed, Aftermath::default())
    } else {
        allowed(request, shown, &turns)
    };
    let (_, tightenings) = wishes(&turns).into_iter().partition(HookWish::loosens);
    PermissionTurn {
        answer,
        aftermath,
        tightenings,
        reports: reports(turns),
    }
}

fn refused(turn: &Turn) -> PermissionAnswer {
    PermissionAnswer::Given {
        hook: turn.hook.clone(),
        kind: VerdictKind::Deny {
            text: Some(turn.said.text.clone()).filter(|text| !text.is_empty()),
        },
    }
}

/// The first allow that counts for this request, with what those that count make of the input. When
/// they contradict each other there is no answer, and a person decides.
fn allowed(
    request: &PermissionRequest,
    shown: &JsonText,
    turns: &[Turn],
) -> (PermissionAnswer, Aftermath) {
    let counts = |turn: &Turn| {
        turn.said.came == HookCame::Allow
            && match request.judgement.insistence {
                Insistence::MayBeAnswered => true,
                Insistence::MustAsk => is_the_persons(turn.source),
            }
    };
    let Some(first) = turns.iter().find(|turn| counts(turn)) else {
        return (PermissionAnswer::None, Aftermath::default());
    };
    let rewrite = rewrite(shown, turns, counts);
    if rewrite.conflict.is_some() {
        return (PermissionAnswer::None, Aftermath::default());
    }
    let given = PermissionAnswer::Given {
        hook: first.hook.clone(),
        kind: VerdictKind::Allow {
            edited: rewrite.input,
            grant: granted(request, first),
        },
    };
    let loosening = first.wishes.iter().filter(|wish| wish.loosens()).cloned();
    let aftermath = Aftermath {
        halt: None,
        wishes: loosening.collect(),
    };
    (given, aftermath)
}

/// The allow rules that the answering hook wants: for the run when the hook is the person's own, for
/// the asking agent alone when it is not.
fn granted(request: &PermissionRequest, turn: &Turn) -> Option<GrantRequest> {
    let rules: Vec<RuleText> = turn
        .wishes
        .iter()
        .filter_map(|wish| match &wish.update {
            HookUpdate::AddRules {
                behavior: RuleBehavior::Allow,
                rules,
            } => Some(rules.clone()),
            HookUpdate::AddRules { .. }
            | HookUpdate::SetMode(_)
            | HookUpdate::AddDirectories(_)
            | HookUpdate::TakeBack(_) => None,
        })
        .flatten()
        .collect();
    let scope = scope_of(turn.source, request.lineage.agent().worker);
    (!rules.is_empty()).then_some(GrantRequest {
        rules,
        scope,
        lasts: None,
        uses: Uses::Unlimited,
    })
}

/// For whom a hook's allow rules count: the person's own and the managed hooks speak for the whole
/// run, a project's for the agent whose call it saw.
pub(super) fn scope_of(hook: RuleSource, worker: WorkerId) -> GrantScope {
    if is_the_persons(hook) {
        GrantScope::Run { run: worker.run() }
    } else {
        GrantScope::Worker { worker }
    }
}

fn wishes(turns: &[Turn]) -> Vec<HookWish> {
    turns.iter().flat_map(|turn| turn.wishes.clone()).collect()
}

impl Turn {
    /// Whether its failure is more than no vote.
    pub(super) fn is_failed_guard(&self) -> bool {
        self.duty == HookDuty::Guard && self.said.came == HookCame::Failed
    }

    /// How it failed, in the words of its question.
    pub(super) fn guard_text(&self) -> Box<str> {
        format!("the guard failed: {}", self.said.text).into()
    }

    /// What it wants the agent told. A hook that failed tells nothing.
    pub(super) fn context(&self) -> Option<HookWord> {
        Some(HookWord {
            hook: self.hook.clone(),
            text: self.said.context.clone()?,
        })
    }
}

fn halting(turn: &Turn, reach: HaltReach) -> Aftermath {
    Aftermath {
        halt: Some(HookHalt {
            word: HookWord {
                hook: turn.hook.clone(),
                text: turn.said.text.clone(),
            },
            reach,
        }),
        wishes: Vec::new(),
    }
}

pub(super) fn reports(turns: Vec<Turn>) -> Vec<HookReport> {
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
