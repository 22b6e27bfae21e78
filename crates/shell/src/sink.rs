//! Where the walk puts what it finds: the list of parts and the list of effects, within their limits.

mod places;
mod sets;

use std::collections::BTreeSet;

use pointsman_model::{
    AbsPath, CodeSources, Copied, Effect, EffectKind, EffectView, Opaque, OpaqueWhy, PathValue,
    Span,
};

pub(crate) use self::sets::settle;

use self::places::{EffectPlace, PartPlace, Places};
use self::sets::Sets;
use crate::analysis::Part;
use crate::limits::{EFFECTS_MAX, PARTS_MAX};

/// What the walk has found so far.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) effects: Vec<Effect>,
    pub(crate) parts: Vec<Part>,
    /// Some of the line is read more than once, as the bodies of loops are: what is found again is
    /// dropped.
    pub(crate) repeats: bool,
    /// Where the effects of the outermost loop begin that is being walked.
    pub(crate) looped_from: Option<usize>,
    /// Commands that only set variables.
    pub(crate) sets: Vec<Sets>,
    /// Files that an interpreter is fed.
    fed: BTreeSet<AbsPath>,
    /// What was put in other places.
    copied: BTreeSet<Copied>,
    /// Parts with runs in loops.
    repeated: BTreeSet<u32>,
    /// How many of the commands that are being walked, one within the other, are guesses: what such a command does is no
    /// surer than that it runs.
    pub(crate) guesses: u32,
    /// A limit was met. Nothing is taken any more.
    pub(crate) full: bool,
    part_places: Places<PartPlace>,
    effect_places: Places<EffectPlace>,
}

/// Bytes of a line for each of its effects, as lines usually are.
const BYTES_PER_EFFECT: usize = 12;

impl Sink {
    /// Makes room for what a line of that length usually has.
    pub(crate) fn expect(&mut self, bytes: usize) {
        let effects = (bytes / BYTES_PER_EFFECT).min(128);
        self.effects.reserve(effects);
        self.parts.reserve(effects / 2);
    }

    /// The number of the part, a new one unless it was found before.
    pub(crate) fn part(&mut self, part: Part) -> u32 {
        if self.repeats {
            self.part_places.catch_up(&self.parts);
            let mut known = self.part_places.at(&part);
            if let Some(at) = known.find(|at| self.parts.get(*at) == Some(&part)) {
                return number(at);
            }
        }
        if self.parts.len() >= PARTS_MAX as usize {
            self.full = true;
            return number(self.parts.len().saturating_sub(1));
        }
        self.parts.push(part);
        number(self.parts.len() - 1)
    }

    pub(crate) fn push(&mut self, part: u32, view: EffectView, kind: EffectKind) {
        let view = match view {
            EffectView::Sure | EffectView::Might if self.guesses > 0 => EffectView::Guessed,
            view => view,
        };
        if self.looped_from.is_some() && matches!(kind, EffectKind::Run(_)) {
            self.repeated.insert(part);
        }
        let effect = Effect { kind, view, part };
        if self.repeats {
            self.effect_places.catch_up(&self.effects);
            let mut known = self.effect_places.at(&effect);
            if known.any(|at| self.effects.get(at) == Some(&effect)) {
                return;
            }
        }
        if self.effects.len() >= EFFECTS_MAX {
            self.full = true;
            return;
        }
        self.effects.push(effect);
    }

    /// Notes that the last effect, pushed since there were so many, does nothing but set these variables.
    pub(crate) fn only_sets(&mut self, before: usize, names: Vec<Box<str>>) {
        if self.effects.len() > before {
            self.sets.push(Sets {
                at: self.effects.len() - 1,
                from: self.looped_from.unwrap_or(before),
                names,
            });
        }
    }

    /// Notes that an interpreter is fed the file.
    pub(crate) fn feed(&mut self, file: &AbsPath) {
        if self.fed.len() >= EFFECTS_MAX {
            self.full = true;
            return;
        }
        self.fed.insert(file.clone());
    }

    /// Notes that these names hold, or lead to, what is at those places.
    pub(crate) fn copies(&mut self, names: &[PathValue], places: &[PathValue]) {
        for name in names {
            let PathValue::Known(to) = name else { continue };
            for place in places {
                let from = match place {
                    PathValue::Known(from) => from,
                    // Each keeps its name.
                    PathValue::Pattern { base, glob } if !glob.contains('/') => base,
                    PathValue::Pattern { .. } | PathValue::Unknown(_) => continue,
                };
                if self.copied.len() >= EFFECTS_MAX {
                    self.full = true;
                    return;
                }
                if from != to {
                    let (to, from) = (to.clone(), from.clone());
                    self.copied.insert(Copied { to, from });
                }
            }
        }
    }

    /// What was noted of code that no word names.
    pub(crate) fn code(&mut self) -> CodeSources {
        CodeSources {
            fed: std::mem::take(&mut self.fed).into_iter().collect(),
            copied: std::mem::take(&mut self.copied).into_iter().collect(),
            repeated: std::mem::take(&mut self.repeated).into_iter().collect(),
        }
    }

    pub(crate) fn opaque(
        &mut self,
        part: u32,
        view: EffectView,
        why: OpaqueWhy,
        text: &str,
        span: Span,
    ) {
        self.push(
            part,
            view,
            EffectKind::Opaque(Opaque {
                why,
                text: text.into(),
                span: Some(span),
            }),
        );
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
