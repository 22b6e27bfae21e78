//! A count of the analyser's work, so that tests can hold it to the length of a line without a clock.
//!
//! A unit is about a byte looked at or copied, or a step of constant cost. Outside of tests and of
//! the fuzzer nothing is counted.

#[cfg(any(test, feature = "checks"))]
mod meter {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn add(units: usize) {
        DONE.with(|done| done.set(done.get().saturating_add(units as u64)));
    }

    pub(super) fn take() -> u64 {
        DONE.with(|done| done.replace(0))
    }
}

/// Counts so many units.
#[inline]
pub(crate) fn count(units: usize) {
    #[cfg(any(test, feature = "checks"))]
    meter::add(units);
    #[cfg(not(any(test, feature = "checks")))]
    let _ = units;
}

/// The units since the last time.
#[cfg(any(test, feature = "checks"))]
pub(crate) fn take() -> u64 {
    meter::take()
}
