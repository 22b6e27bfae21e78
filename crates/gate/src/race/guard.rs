//! The guard: one atomic cell that takes the first claim on a request and refuses all others.
//!
//! It knows nothing of requests and answers. Its tests try every order of steps with loom, and many
//! more threads with shuttle; see `scripts/schedules`.

#[cfg(all(test, feature = "loom"))]
use loom::sync::atomic::{AtomicU8, Ordering};
#[cfg(all(test, feature = "shuttle", not(feature = "loom")))]
use shuttle::sync::atomic::{AtomicU8, Ordering};
#[cfg(not(all(test, any(feature = "loom", feature = "shuttle"))))]
use std::sync::atomic::{AtomicU8, Ordering};

/// How many answerers may take part in one race: hooks, the classifier, and some of each surface.
pub(super) const CONTENDERS_MAX: u8 = 64;

/// One of the automatic answerers of a race, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contender(pub(super) u8);

/// The first claim on a request; later claims are refused, not lost: see [`Claim::Late`].
#[derive(Debug)]
pub(crate) struct Guard {
    state: AtomicU8,
}

/// Nobody has claimed yet.
const OPEN: u8 = u8::MAX;

/// Only people may answer any more.
const PEOPLE: u8 = u8::MAX - 1;

/// What a claim came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Claim {
    /// The answer may be given.
    Won,
    /// Another was first.
    Late {
        /// Who.
        winner: Contender,
    },
    /// It was left to people before.
    LeftToPeople,
}

impl Guard {
    /// A guard that nobody has claimed.
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU8::new(OPEN),
        }
    }

    /// Claims the request for an automatic answerer.
    pub(crate) fn claim(&self, contender: Contender) -> Claim {
        match self.take(contender.0) {
            Ok(()) => Claim::Won,
            Err(PEOPLE) => Claim::LeftToPeople,
            Err(winner) => Claim::Late {
                winner: Contender(winner),
            },
        }
    }

    /// Keeps every automatic answerer from claiming that has not claimed yet.
    pub(crate) fn leave_to_people(&self) {
        // Claimed before: then that answer came first, and stands.
        let _ = self.take(PEOPLE);
    }

    /// INVARIANT (one claim): the state leaves `OPEN` once, and never changes again.
    fn take(&self, state: u8) -> Result<(), u8> {
        self.state
            .compare_exchange(OPEN, state, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
    }
}

#[cfg(test)]
mod tests;
