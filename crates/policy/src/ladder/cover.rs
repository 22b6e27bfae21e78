//! Rung 2e: is every effect covered? Rules, grants, the mode and what needs no rule are pooled: each
//! effect may be covered by any of them.

use pointsman_model::{
    Effect, EffectKind, HostName, HostUse, PathRole, PathUse, PathValue, PermissionMode, Run,
    RunNature, Rung,
};

use super::mode::{is_plain, lets_edits_pass, reads_alone};
use super::own_check::doubted;
use super::repository::{self, Repository};
use super::walk::Decided;
use super::why::{CoverOf, CoveredBy, Part, Why};
use super::{Fact, Facts, Walk};
use crate::documentation::is_documentation;
use crate::index::Compiled;
use crate::rule::Specifier;
use crate::subject::{CommandSubject, Subject};

/// What may cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pool {
    /// The mode, the known readers, reads inside the directories, spawns.
    WithoutRules,
    /// All that, and rules, grants and the sandbox.
    Everything,
}

/// 2e: is every effect covered?
pub(super) fn covered<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    match covers(walk.facts, Pool::Everything) {
        Ok(by) => walk.covered(Rung::Covered, by),
        Err(why) => {
            walk.uncovered(why);
            walk.passed(Rung::Covered);
            None
        }
    }
}

/// What covers the call's effects, each thing once; or why the first uncovered one is a question.
pub(crate) fn covers<'a>(facts: &'a Facts<'_>, pool: Pool) -> Result<CoveredBy<'a>, Why<'a>> {
    let mut by = CoveredBy::new();
    if pool == Pool::Everything
        && let Some(cover) = covers_call(facts)
    {
        by.push(cover);
        return Ok(by);
    }
    for fact in facts.sure() {
        match cover(facts, fact, pool) {
            Some(cover) if by.contains(&cover) => {}
            Some(cover) => by.push(cover),
            None => return Err(question(fact)),
        }
    }
    Ok(by)
}

/// Whether the effect is covered at all; used to tell which parts asked.
pub(crate) fn is_covered(facts: &Facts<'_>, fact: &Fact<'_>) -> bool {
    covers_call(facts).is_some() || cover(facts, fact, Pool::Everything).is_some()
}

fn question<'a>(fact: &'a Fact<'_>) -> Why<'a> {
    doubted(fact).unwrap_or(Why::NothingDecided(Part::Effect(fact.effect)))
}

/// What covers all that the call does: a bare rule or grant for its tool, the sandbox.
fn covers_call<'a>(facts: &'a Facts<'_>) -> Option<CoverOf<'a>> {
    if let Some((grant, _)) = facts
        .tool_grant
        .filter(|(_, it)| matches!(it.parsed.specifier, Specifier::Whole))
    {
        return Some(CoverOf::Grant(grant));
    }
    match facts.tool.allow.map(|hit| hit.compiled) {
        Some(it) if it.parsed.specifier == Specifier::Whole => return Some(rule(it)),
        Some(_) | None => {}
    }
    // In plan nothing passes for being sandboxed, as its bare asks stand too.
    let plan = facts.q.mode().mode() == PermissionMode::Plan;
    (facts.sandboxed && !plan).then_some(CoverOf::Sandbox)
}

fn cover<'a>(facts: &'a Facts<'_>, fact: &'a Fact<'_>, pool: Pool) -> Option<CoverOf<'a>> {
    let rules = pool == Pool::Everything;
    match &fact.effect.kind {
        EffectKind::Run(run) => own_cover(facts, run)
            .or_else(|| command(facts, fact, run).filter(|_| rules))
            .or_else(|| line(facts).filter(|_| rules)),
        EffectKind::Read(used) => {
            if fact.inside {
                return Some(CoverOf::InsideDirectories);
            }
            by_rule(fact)
                .or_else(|| operand(facts, fact, used))
                .filter(|_| rules)
        }
        EffectKind::Write { target, .. } => by_mode(facts, fact, target)
            .or_else(|| by_rule(fact).filter(|_| rules))
            .or_else(|| tool_inside(facts, fact).filter(|_| rules))
            .or_else(|| operand(facts, fact, target).filter(|_| rules)),
        // A host that may look like another one is covered by what names it: such a rule for hosts, a rule for the
        // command without a wildcard.
        EffectKind::Connect(host) if may_look_alike(host) => by_rule(fact)
            .or_else(|| without_wildcard(facts, fact.effect.part))
            .filter(|_| rules),
        EffectKind::Connect(host) => documentation(facts, host)
            .or_else(|| by_rule(fact).filter(|_| rules))
            .or_else(|| run_cover(facts, fact.effect.part).filter(|_| rules)),
        EffectKind::Spawn(_) => Some(CoverOf::Spawn),
        EffectKind::Opaque(_) => by_rule(fact).filter(|_| rules),
    }
}

fn may_look_alike(host: &HostUse) -> bool {
    host.host.as_ref().is_some_and(HostName::may_look_alike)
}

/// Fetching a page of documentation is reading.
fn documentation<'a>(facts: &'a Facts<'_>, host: &HostUse) -> Option<CoverOf<'a>> {
    let fetches = facts.q.tool.as_str() == "WebFetch";
    (fetches && is_documentation(host)).then_some(CoverOf::KnownReader)
}

/// What covers a command without a rule.
fn own_cover<'a>(facts: &'a Facts<'_>, run: &Run) -> Option<CoverOf<'a>> {
    if reads_alone(run) {
        return Some(CoverOf::KnownReader);
    }
    let mode = edits_mode(facts)?;
    let passes =
        run.nature == RunNature::FileCommand && is_plain(run) && is_written_out(facts, run);
    passes.then_some(CoverOf::Mode(mode))
}

/// Whether the command says by itself what it changes: it runs in the agent's folder, and no word of it is worked out
/// by the shell. People who let edits pass expect to see which.
fn is_written_out(facts: &Facts<'_>, run: &Run) -> bool {
    let here = matches!(&run.folder, PathValue::Known(folder) if folder == facts.q.folder);
    here && !run.argv.iter().any(|word| word.source.contains(['$', '`']))
}

/// The mode, when it lets edits inside the directories pass.
fn edits_mode(facts: &Facts<'_>) -> Option<PermissionMode> {
    let mode = facts.q.mode().mode();
    lets_edits_pass(mode).then_some(mode)
}

/// The mode covers changes of paths that are known; a pattern could grow until it is looked up.
fn by_mode<'a>(facts: &'a Facts<'_>, fact: &'a Fact<'_>, target: &PathUse) -> Option<CoverOf<'a>> {
    let known = matches!(target.path, PathValue::Known(_)) || target.path.way().is_some();
    let mode = edits_mode(facts)?;
    (fact.inside && known).then_some(CoverOf::Mode(mode))
}

fn by_rule<'a>(fact: &'a Fact<'_>) -> Option<CoverOf<'a>> {
    match (fact.hits.allow, fact.grant) {
        (Some(hit), _) => Some(rule(hit.compiled)),
        (None, Some((grant, _))) => Some(CoverOf::Grant(grant)),
        (None, None) => None,
    }
}

/// What covers a command by a rule. Whose repository git works on decides what it starts, so that a rule for one of its
/// sub-commands is for this repository alone.
fn command<'a>(facts: &'a Facts<'_>, fact: &'a Fact<'_>, run: &Run) -> Option<CoverOf<'a>> {
    let by_subject = |run: &Run| facts.allowed(&Subject::Command(&CommandSubject::of(run)));
    match repository::of(run, facts.q) {
        Repository::Ours => by_rule(fact),
        Repository::OursByOption(without) => by_rule(fact).or_else(|| by_subject(&without)),
        Repository::Another(whatever) => by_subject(&whatever),
    }
}

fn rule(compiled: &Compiled) -> CoverOf<'_> {
    CoverOf::Rule(&compiled.rule)
}

/// `Tool(*)` covers what that tool does inside the directories.
fn tool_inside<'a>(facts: &'a Facts<'_>, fact: &'a Fact<'_>) -> Option<CoverOf<'a>> {
    if !fact.inside {
        return None;
    }
    match (facts.tool.allow, facts.tool_grant) {
        (Some(hit), _) => Some(rule(hit.compiled)),
        (None, Some((id, _))) => Some(CoverOf::Grant(id)),
        (None, None) => None,
    }
}

/// An operand is covered by the rule for its command: inside the directories by any, outside by one without a
/// wildcard. A redirect never is.
fn operand<'a>(facts: &'a Facts<'_>, fact: &'a Fact<'_>, used: &PathUse) -> Option<CoverOf<'a>> {
    match used.by {
        PathRole::Tool | PathRole::Redirect => None,
        PathRole::Operand if fact.inside => run_cover(facts, fact.effect.part),
        PathRole::Operand => without_wildcard(facts, fact.effect.part),
    }
}

/// An allow for the command of a part, without a wildcard.
fn without_wildcard<'a>(facts: &'a Facts<'_>, part: u32) -> Option<CoverOf<'a>> {
    let guarded = CommandSubject::guarded(run_of(facts, part)?);
    let subject = Subject::Command(&guarded);
    facts.allowed(&subject).or_else(|| line(facts))
}

/// An allow for the whole line, without a wildcard.
fn line<'a>(facts: &'a Facts<'_>) -> Option<CoverOf<'a>> {
    let line = facts.q.effects.line.as_deref()?;
    facts.allowed(&Subject::Command(&CommandSubject::line(line)))
}

/// The rule or grant that covers the command of a part.
fn run_cover<'a>(facts: &'a Facts<'_>, part: u32) -> Option<CoverOf<'a>> {
    let of_part = |fact: &'a Fact<'_>| {
        let run = fact.effect.as_run()?;
        (fact.effect.part == part)
            .then(|| command(facts, fact, run))
            .flatten()
    };
    facts.sure().find_map(of_part).or_else(|| line(facts))
}

fn run_of<'a>(facts: &'a Facts<'_>, part: u32) -> Option<&'a Run> {
    let effects = facts.q.effects.list.iter();
    let mut of_part =
        effects.filter(|effect| effect.part == part && effect.view.is_to_be_covered());
    of_part.find_map(Effect::as_run)
}
