//! What "always allow" would save, and the narrowest rule that would have let a call pass.
//!
//! A proposal names what asked and no more: it is tried on the very call before it is shown, never
//! covers a wrapper, a shell or an interpreter's inline code, and a prefix keeps the sub-command. Where a person has to
//! be asked whatever is allowed, nothing is proposed.

mod command;
mod path;

use std::num::NonZeroU32;

use pointsman_model::{
    Effect, EffectKind, EffectView, Grant, GrantId, GrantScope, Judgement, OpaqueWhy, PathRole,
    PermissionDecision, PermissionRule, RuleBehavior, RuleProposal, RuleSource, RuleText, Run,
    ToolName, Uses,
};

use crate::ladder::{Fact, Facts, OverlayRules, is_covered};
use crate::{Question, decide};

/// A person can't take in more parts than this at once (what Claude Code offers, too).
const PARTS_MAX: usize = 5;

/// Rules that would let this call and calls like it pass, from exact to prefix. Empty where no rule may be saved.
#[must_use]
pub fn propose(q: &Question<'_>, j: &Judgement) -> Vec<RuleProposal> {
    match j.decision {
        PermissionDecision::Ask => widths(q),
        PermissionDecision::Allow | PermissionDecision::Deny => Vec::new(),
    }
}

/// The narrowest rule that would have let this call pass; nothing when no single rule may.
#[must_use]
pub fn narrowest_rule(q: &Question<'_>) -> Option<RuleText> {
    let single = widths(q)
        .into_iter()
        .find_map(|proposal| match &*proposal.rules {
            [rule] => Some(rule.clone()),
            _ => None,
        });
    single.or_else(|| {
        let line = command::exact_rule(q.effects.line.as_deref()?)?;
        allows(q, std::slice::from_ref(&line)).then_some(line)
    })
}

/// How wide a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// This very command, file, host.
    Exact,
    /// The command with other arguments; the file's folder.
    Kind,
}

fn widths(q: &Question<'_>) -> Vec<RuleProposal> {
    let overlay = OverlayRules::of(q);
    let facts = Facts::of(q, &overlay);
    let asked: Vec<&Fact<'_>> = facts
        .sure()
        .filter(|fact| !is_covered(&facts, fact))
        .collect();
    let mut proposals: Vec<RuleProposal> = Vec::new();
    for width in [Width::Exact, Width::Kind] {
        let Some(rules) = rules(q, &asked, width) else {
            continue;
        };
        let proposal = RuleProposal { rules };
        let new = !proposal.rules.is_empty()
            && proposal.rules.len() <= PARTS_MAX
            && !proposals.contains(&proposal);
        if new && allows(q, &proposal.rules) {
            proposals.push(proposal);
        }
    }
    proposals
}

/// The rules for all parts that asked, each once; nothing when a part can't have one.
fn rules(q: &Question<'_>, asked: &[&Fact<'_>], width: Width) -> Option<Vec<RuleText>> {
    let mut rules: Vec<RuleText> = Vec::new();
    for fact in asked {
        let part = fact.effect.part;
        let rule = match &fact.effect.kind {
            EffectKind::Run(run) => of_run(run, width),
            // An exact rule for the command covers what it names.
            EffectKind::Read(used) => match (width, used.by) {
                (Width::Exact, PathRole::Operand) => of_part(q, part, width),
                (width, _) => path::read(q, used, width).or_else(|| of_part(q, part, Width::Exact)),
            },
            EffectKind::Write { target, .. } => match (width, target.by) {
                (Width::Exact, PathRole::Operand) => of_part(q, part, width),
                (width, _) => path::edit(q, target, width),
            },
            EffectKind::Connect(host) => match &host.host {
                Some(name) if q.tool.as_str() == "WebFetch" => Some(RuleText::new(&format!(
                    "WebFetch(domain:{})",
                    name.as_str()
                ))),
                // A rule for the command covers whom it talks to.
                Some(_) | None => of_part(q, part, width).or_else(|| whole_tool(q.tool)),
            },
            EffectKind::Opaque(opaque) if opaque.why == OpaqueWhy::UnknownTool => {
                whole_tool(q.tool)
            }
            EffectKind::Spawn(_) | EffectKind::Opaque(_) => None,
        }?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Some(rules)
}

fn of_run(run: &Run, width: Width) -> Option<RuleText> {
    match width {
        Width::Exact => command::exact(run),
        Width::Kind => command::prefix(run).or_else(|| command::exact(run)),
    }
}

/// A rule for the command that a part of the line runs.
fn of_part(q: &Question<'_>, part: u32, width: Width) -> Option<RuleText> {
    let effects = q.effects.list.iter();
    let surely = effects.filter(|effect| effect.part == part && effect.view == EffectView::Sure);
    surely
        .filter_map(Effect::as_run)
        .find_map(|run| of_run(run, width))
}

/// A bare rule, for tools whose calls have no parts to name.
fn whole_tool(tool: &ToolName) -> Option<RuleText> {
    let single = tool.mcp_server().is_some() || tool.as_str() == "WebSearch";
    single.then(|| RuleText::new(tool.as_str()))
}

/// Whether the call passes once these rules are allowed.
fn allows(q: &Question<'_>, rules: &[RuleText]) -> bool {
    let parts = q.frozen.context.parts();
    let run = parts.lineage.agent().worker.run();
    let mut overlay = q.overlay.clone();
    overlay
        .grants
        .extend((0..).zip(rules).map(|(at, text)| Grant {
            id: GrantId::new(run, at),
            rule: PermissionRule {
                behavior: RuleBehavior::Allow,
                text: text.clone(),
                source: RuleSource::Session,
                place: None,
                anchor: parts.project.clone(),
            },
            scope: GrantScope::Run { run },
            until: None,
            uses: Uses::Left(NonZeroU32::MIN),
        }));
    let tried = Question {
        overlay: &overlay,
        ..*q
    };
    decide(&tried).decision == PermissionDecision::Allow
}

#[cfg(test)]
mod tests;
