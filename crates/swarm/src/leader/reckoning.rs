//! The reckoning at the end of a run: calls in numbers, and the census of those that nobody could
//! answer, read back from the ledger, which alone has them all.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use dashmap::DashMap;
use pointsman_ledger::{
    CensusRow, Filter, HookCame, HookReport, LedgerReader, ReadError, RecordBody, RecordKind,
    WorkerEnd,
};
use pointsman_model::{
    CallId, CallState, DecisionReason, EffectKind, Judgement, Outcome, Overlay, PathValue,
    RuleText, RunId, Rung, RungOutcome, ToolInput, WorkerId,
};
use pointsman_policy::{Frozen, HookVote, Question, Tree, narrowest_rule};

use crate::{CallCounts, CensusLine};

/// Reads the census of a run, and says for each call which rule would have let it pass. Blocks on the disk.
pub(super) fn census(
    ledger: &Path,
    run: RunId,
    contexts: &DashMap<WorkerId, Frozen>,
    tree: &dyn Tree,
) -> Result<Vec<CensusLine>, ReadError> {
    let line = |row: CensusRow| {
        let frozen = contexts.get(&row.worker)?.clone();
        Some(CensusLine {
            call: row.call,
            lineage: frozen.context.parts().lineage.clone(),
            tool: row.decided.call.tool.clone(),
            what: what(&row.decided.call.input, &row.decided.effects.list),
            outcome: row.outcome,
            unjudged: row.unjudged,
            rule: rule_for(&row, &frozen, tree),
        })
    };
    let mut lines = Vec::new();
    LedgerReader::open(ledger)?.census(run, |row| lines.extend(line(row)))?;
    Ok(lines)
}

/// The narrowest rule that would have let the call pass.
fn rule_for(row: &CensusRow, frozen: &Frozen, tree: &dyn Tree) -> Option<RuleText> {
    let decided = &row.decided;
    narrowest_rule(&Question {
        tool: &decided.call.tool,
        input: &decided.call.text,
        effects: &decided.effects,
        folder: &decided.folder,
        frozen,
        overlay: &Overlay::default(),
        vote: &vote_on(&decided.judgement),
        tree,
    })
}

/// The vote that took part in a judgement. No rule lets a call pass that a hook wants asked.
fn vote_on(judgement: &Judgement) -> HookVote {
    let steps = judgement.trail.0.iter();
    let by_hooks = steps.filter(|step| step.rung == Rung::HookVote);
    by_hooks
        .filter_map(|step| match &step.came_to {
            RungOutcome::MustAsk { reason } | RungOutcome::Decided { reason, .. } => Some(reason),
            RungOutcome::WouldAsk { .. } | RungOutcome::Passed | RungOutcome::HeldBack => None,
        })
        .chain([&judgement.reason])
        .find_map(asked_by)
        .unwrap_or(HookVote::None)
}

/// The hook that is why a call would have been asked.
fn asked_by(reason: &DecisionReason) -> Option<HookVote> {
    match reason.unanswered().unwrap_or(reason) {
        DecisionReason::Hook { hook, text } => Some(HookVote::Ask {
            hook: hook.clone(),
            text: text.clone(),
        }),
        DecisionReason::Rule { .. }
        | DecisionReason::RuleMayMatch { .. }
        | DecisionReason::Covered { .. }
        | DecisionReason::Mode { .. }
        | DecisionReason::ProtectedPath { .. }
        | DecisionReason::CriticalRemoval { .. }
        | DecisionReason::NeedsPerson
        | DecisionReason::OutsideDirectories { .. }
        | DecisionReason::Opaque { .. }
        | DecisionReason::Classifier { .. }
        | DecisionReason::NothingDecided { .. }
        | DecisionReason::DontAsk { .. }
        | DecisionReason::NobodyCanAnswer { .. } => None,
    }
}

/// A call in a line: what a person would recognise it by.
fn what(input: &ToolInput, effects: &[pointsman_model::Effect]) -> Box<str> {
    match input {
        ToolInput::Bash(bash) => bash.command.as_str().into(),
        ToolInput::Read(read) => read.file_path.as_str().into(),
        ToolInput::Write(write) => write.file_path.as_str().into(),
        ToolInput::Edit(edit) => edit.file_path.as_str().into(),
        ToolInput::Glob(glob) => glob.pattern.as_str().into(),
        ToolInput::Grep(grep) => grep.pattern.as_str().into(),
        ToolInput::Spawn(spawn) => spawn.subagent_type.as_deref().unwrap_or_default().into(),
        ToolInput::Other(other) => {
            let path = effects.iter().find_map(|effect| match &effect.kind {
                EffectKind::Read(used) | EffectKind::Write { target: used, .. } => match &used.path
                {
                    PathValue::Known(path) => Some(path.as_str()),
                    PathValue::Pattern { glob, .. } => Some(glob.as_ref()),
                    PathValue::Unknown(text) => Some(text.as_ref()),
                },
                EffectKind::Run(_)
                | EffectKind::Connect(_)
                | EffectKind::Spawn(_)
                | EffectKind::Opaque(_) => None,
            });
            path.unwrap_or(other.raw.as_str()).into()
        }
    }
}

/// What the records of a run add up to.
#[derive(Default)]
pub(super) struct Tally {
    counts: CallCounts,
    /// Calls that nobody could answer, whatever refused them in the end.
    unanswered: HashSet<CallId>,
    /// The agents that were halted, and why, whatever became of their jobs.
    pub(super) halted: Vec<Box<str>>,
    /// How each hook did that had a turn.
    hooks: BTreeMap<Box<str>, HookTurns>,
    /// How each call ended last: one that its leader's death has ended ends again under the next.
    ends: HashMap<CallId, LastEnd>,
}

/// How a call ended, as far as is known.
enum LastEnd {
    Known {
        state: CallState,
        outcome: Option<Outcome>,
    },
    Unknown,
}

/// How one hook did.
#[derive(Default)]
struct HookTurns {
    all: u64,
    failed: u64,
    /// How it failed last.
    how: Box<str>,
}

/// Counts the calls of a run by how they ended; those of the census are the unanswered ones, whatever refused them in
/// the end. Blocks on the disk.
pub(super) fn tally(ledger: &Path, run: RunId, census: &[CensusLine]) -> Result<Tally, ReadError> {
    let filter = Filter {
        kinds: vec![
            RecordKind::CallEnded,
            RecordKind::CallUnknown,
            RecordKind::RequestOpened,
            RecordKind::WorkerSpawned,
            RecordKind::WorkerEnded,
            RecordKind::CallHooked,
            RecordKind::HooksTold,
        ],
        ..Filter::of_run(run)
    };
    let mut tally = Tally {
        unanswered: census.iter().map(|line| line.call).collect(),
        ..Tally::default()
    };
    LedgerReader::open(ledger)?.each(&filter, |record| tally.take(record.body))?;
    Ok(tally)
}

impl Tally {
    /// Takes a record in.
    pub(super) fn take(&mut self, body: RecordBody) {
        match body {
            RecordBody::RequestOpened(_) => self.counts.questions += 1,
            RecordBody::WorkerSpawned(_) => self.counts.agents += 1,
            RecordBody::WorkerEnded(ended) if ended.end == WorkerEnd::Halted => {
                let text = format!("{} was halted: {}", ended.worker, ended.text);
                self.halted.push(text.into());
            }
            RecordBody::CallEnded(ended) => {
                let (state, outcome) = (ended.state, ended.outcome);
                self.ends
                    .insert(ended.call, LastEnd::Known { state, outcome });
            }
            RecordBody::CallUnknown(unknown) => {
                self.ends.insert(unknown.call, LastEnd::Unknown);
            }
            RecordBody::CallHooked(hooked) => self.hooks_had_turns(hooked.hooks),
            RecordBody::HooksTold(told) => self.hooks_had_turns(told.hooks),
            // Agents that ended by themselves; nobody hands in another kind.
            _ => {}
        }
    }
}

impl Tally {
    /// The numbers: each call once, by its last end.
    pub(super) fn counts(&self) -> CallCounts {
        let mut counts = self.counts;
        for (call, end) in &self.ends {
            counts.calls += 1;
            match end {
                LastEnd::Unknown => counts.unknown += 1,
                LastEnd::Known { .. } if self.unanswered.contains(call) => counts.unanswered += 1,
                LastEnd::Known { state, outcome } => *slot(&mut counts, *state, *outcome) += 1,
            }
        }
        counts
    }

    fn hooks_had_turns(&mut self, reports: Vec<HookReport>) {
        for report in reports {
            let turns = self.hooks.entry(report.hook).or_default();
            turns.all += 1;
            if report.came == HookCame::Failed {
                turns.failed += 1;
                turns.how = report.text;
            }
        }
    }

    /// A line for each hook that failed: one that always does guards nothing, and nobody may have looked.
    pub(super) fn on_hooks(&self) -> impl Iterator<Item = Box<str>> {
        let failed = self.hooks.iter().filter(|(_, turns)| turns.failed > 0);
        failed.map(|(hook, turns)| {
            let how_often = match (turns.failed, turns.all) {
                (1, 1) => "the only time it was run".to_owned(),
                (failed, all) if failed == all => format!("all {all} times it was run"),
                (failed, all) => format!("{failed} of the {all} times it was run"),
            };
            format!("hook `{hook}` failed {how_often}: {}", turns.how).into()
        })
    }
}

fn slot(counts: &mut CallCounts, state: CallState, outcome: Option<Outcome>) -> &mut u64 {
    match outcome {
        Some(Outcome::DeniedByPerson) => &mut counts.denied_by_person,
        Some(Outcome::Refused | Outcome::DeniedByHook | Outcome::DeniedByClassifier) => {
            &mut counts.refused
        }
        Some(Outcome::NobodyCanAnswer | Outcome::Expired | Outcome::Unavailable) => {
            &mut counts.unanswered
        }
        Some(Outcome::Cancelled | Outcome::Superseded | Outcome::Interrupted) => {
            &mut counts.cancelled
        }
        Some(Outcome::Allowed) | None => match state {
            CallState::Success => &mut counts.succeeded,
            CallState::Cancelled => &mut counts.cancelled,
            CallState::Validating
            | CallState::AwaitingApproval
            | CallState::Scheduled
            | CallState::Executing
            | CallState::Error => &mut counts.failed,
        },
    }
}
