//! Everything that is left to chance, drawn from one seed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A source of chance. Clones draw from the same one; a simulation has one thread, so the order is the same each time.
#[derive(Clone)]
pub(super) struct Lot(Arc<Mutex<u64>>);

impl Lot {
    pub(super) fn new(seed: u64) -> Self {
        // Neighbouring seeds must not begin alike.
        let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(Arc::new(Mutex::new(mixed | 1)))
    }

    fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `bound`.
    pub(super) fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Yes in so many of a hundred cases.
    pub(super) fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A time of up to so many milliseconds; mostly short, so that things happen at the same time as well as far apart.
    pub(super) fn up_to(&self, millis: u64) -> Duration {
        let bound = match self.below(3) {
            0 => millis.min(3),
            1 => millis / 10 + 1,
            _ => millis,
        };
        Duration::from_millis(self.below(bound + 1))
    }
}
