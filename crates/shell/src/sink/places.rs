//! Where in a list something like this was put before: by its place in the line, so that finding it
//! takes no walk over the list.

use std::collections::BTreeMap;

use pointsman_model::{Effect, EffectKind, Span};

use crate::analysis::Part;
use crate::work;

/// What is put in a list and has a place by which it is found.
pub(super) trait Placed {
    /// The place.
    type Place: Ord;

    fn place(&self) -> Self::Place;
}

/// The numbers of what stands at each place.
#[derive(Debug)]
pub(super) struct Places<P> {
    numbers: BTreeMap<P, Vec<usize>>,
    /// How much of the list is in it.
    seen: usize,
}

impl<P> Default for Places<P> {
    fn default() -> Self {
        Self {
            numbers: BTreeMap::new(),
            seen: 0,
        }
    }
}

impl<P: Ord> Places<P> {
    /// Takes in what the list has got since the last time.
    pub(super) fn catch_up<T: Placed<Place = P>>(&mut self, list: &[T]) {
        for (number, one) in list.iter().enumerate().skip(self.seen) {
            self.numbers.entry(one.place()).or_default().push(number);
        }
        self.seen = list.len();
    }

    /// The numbers of those at the same place.
    pub(super) fn at<T: Placed<Place = P>>(&self, one: &T) -> impl Iterator<Item = usize> + '_ {
        let numbers = self.numbers.get(&one.place());
        let numbers = numbers.map(Vec::as_slice).unwrap_or_default();
        work::count(numbers.len());
        numbers.iter().copied()
    }
}

pub(super) type PartPlace = (u32, u32, Option<u32>);

impl Placed for Part {
    type Place = PartPlace;

    fn place(&self) -> PartPlace {
        (self.span.start, self.span.end, self.within)
    }
}

pub(super) type EffectPlace = (u32, u8, Option<(u32, u32)>);

impl Placed for Effect {
    type Place = EffectPlace;

    fn place(&self) -> EffectPlace {
        let (kind, span) = match &self.kind {
            EffectKind::Run(run) => (0, Some(run.span)),
            EffectKind::Read(used) => (1, used.span),
            EffectKind::Write { target, .. } => (2, target.span),
            EffectKind::Connect(used) => (3, used.span),
            EffectKind::Spawn(_) => (4, None),
            EffectKind::Opaque(opaque) => (5, opaque.span),
        };
        let ends = |span: Span| (span.start, span.end);
        (self.part, kind, span.map(ends))
    }
}
