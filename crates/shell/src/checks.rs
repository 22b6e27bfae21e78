//! What must hold for any line at all, each as a function over one line.
//!
//! The fuzzer and the ordinary tests call the same functions. They are no part of the product: the
//! crate has them in its own tests and with the feature `checks`.

#[cfg(test)]
mod growth;
mod respaced;
#[cfg(test)]
mod tests;

use pointsman_model::{AbsPath, EffectKind, OpaqueWhy, Span};

use crate::limits::{EFFECTS_MAX, PARTS_MAX};
use crate::syntax::{parse, scan};
use crate::{Analysis, Surroundings, analyse, opinion, work};

#[cfg(test)]
pub(crate) use respaced::ends_in_document;
pub use respaced::spacing_changes_nothing;

/// Work that a line may cause whatever its length: what the limits on repeats allow.
const WORK_FIXED: u64 = 4_000_000;

/// Work that each byte of a line may cause.
const WORK_PER_BYTE: u64 = 600;

/// Where the lines of the checks start.
///
/// # Panics
/// Never: both paths are absolute.
#[must_use]
pub fn surroundings() -> Surroundings {
    let path = |text: &str| AbsPath::parse(text).unwrap_or_else(|_| AbsPath::root());
    Surroundings {
        folder: path("/w/proj"),
        home: path("/home/dev"),
        case: crate::NameCase::Counts,
    }
}

/// The analysis ends, costs no more than in proportion to the line's length, keeps to its limits,
/// and points at nothing outside of the line.
///
/// # Errors
/// What does not hold.
pub fn stays_within_bounds(line: &str) -> Result<(), String> {
    let _ = work::take();
    let analysis = analyse(line, &surroundings());
    let work = work::take();
    let most = WORK_FIXED + WORK_PER_BYTE * line.len() as u64;
    if work > most {
        return Err(format!(
            "{work} units of work for {} bytes, {most} at most",
            line.len()
        ));
    }
    let (effects, parts) = (&analysis.effects.list, &analysis.parts);
    if effects.len() > EFFECTS_MAX + 1 || parts.len() > PARTS_MAX as usize {
        return Err(format!("{} effects, {} parts", effects.len(), parts.len()));
    }
    for (at, part) in parts.iter().enumerate() {
        inside(line, part.span)?;
        if part.within.is_some_and(|outer| outer as usize >= at) {
            return Err(format!("part {at} stands in a later one"));
        }
    }
    for effect in effects {
        if effect.part as usize >= parts.len().max(1) {
            return Err(format!(
                "an effect of part {} of {}",
                effect.part,
                parts.len()
            ));
        }
        spans(&effect.kind).try_for_each(|span| inside(line, span))?;
    }
    Ok(())
}

fn inside(line: &str, span: Span) -> Result<(), String> {
    let (start, end) = (span.start as usize, span.end as usize);
    if line.get(start..end).is_some() {
        return Ok(());
    }
    Err(format!("{start}..{end} is no part of the line"))
}

fn spans(kind: &EffectKind) -> Box<dyn Iterator<Item = Span> + '_> {
    match kind {
        EffectKind::Run(run) => Box::new(
            run.argv
                .iter()
                .map(|word| word.span)
                .chain(run.assignments.iter().map(|one| one.value.span))
                .chain(run.risks.iter().map(|risk| risk.span))
                .chain([run.span]),
        ),
        EffectKind::Read(used) | EffectKind::Write { target: used, .. } => {
            Box::new(used.span.into_iter())
        }
        EffectKind::Connect(used) => Box::new(used.span.into_iter()),
        EffectKind::Opaque(opaque) => Box::new(opaque.span.into_iter()),
        EffectKind::Spawn(_) => Box::new(std::iter::empty()),
    }
}

/// What gear one reads, gear two reads in the same way, and the other parser has no doubts about it.
///
/// # Errors
/// How they differ.
pub fn gears_agree(line: &str) -> Result<(), String> {
    let Some(fast) = scan(line) else {
        return Ok(());
    };
    match parse(line) {
        Ok(full) if full == fast => {}
        Ok(full) => return Err(format!("gear one: {fast:?}\ngear two: {full:?}")),
        Err(error) => return Err(format!("gear two refuses: {error:?}")),
    }
    // The other parser's time is not ours to bound; and it takes `a[ b]` for one word among the
    // arguments of `declare`, which Bash does not.
    if line.len() < 4_000 && !line.contains('[') && !opinion::agrees(line, &fast) {
        return Err("the second opinion differs".into());
    }
    Ok(())
}

/// The analysis without the places in the line, and without the spelling of what can't be told.
fn essence(analysis: &Analysis) -> Vec<String> {
    let mut told: Vec<String> = analysis
        .parts
        .iter()
        .map(|part| format!("{:?} {:?} {}", part.within, part.nesting, bare(&part.text)))
        .collect();
    for effect in &analysis.effects.list {
        let kind = match &effect.kind {
            EffectKind::Run(run) => {
                let values: Vec<_> = run.argv.iter().map(|word| &word.value).collect();
                let canonical: Option<Vec<_>> = run
                    .canonical
                    .as_ref()
                    .map(|words| words.iter().map(|word| &word.value).collect());
                let set: Vec<_> = run
                    .assignments
                    .iter()
                    .map(|one| (&one.name, &one.value.value))
                    .collect();
                let risks: Vec<_> = run.risks.iter().map(|risk| risk.tag).collect();
                format!(
                    "run {values:?} {canonical:?} {set:?} {risks:?} {:?} {:?} {}",
                    run.nature,
                    run.folder,
                    bare(&run.text)
                )
            }
            EffectKind::Read(used) => {
                format!("read {:?} {:?} {:?}", used.path, used.by, used.reach)
            }
            EffectKind::Write { target, change } => {
                format!("write {change:?} {:?} {:?}", target.path, target.by)
            }
            EffectKind::Connect(used) => format!("connect {:?}", used.host),
            EffectKind::Spawn(used) => format!("spawn {used:?}"),
            // The other parser reads some spellings otherwise that Bash reads in one way.
            EffectKind::Opaque(opaque) if opaque.why == OpaqueWhy::Disagreement => continue,
            EffectKind::Opaque(opaque) => format!("opaque {:?}", opaque.why),
        };
        told.push(format!("{} {:?} {kind}", effect.part, effect.view));
    }
    told
}

/// The text without blanks, line feeds and backslashes.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|char| !matches!(char, ' ' | '\t' | '\n' | '\\'))
        .collect()
}
