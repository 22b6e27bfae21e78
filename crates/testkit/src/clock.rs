//! A clock that stands still until a test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use pointsman_ledger::Clock;
use pointsman_model::{Millis, WallTime};

/// A clock in a test's hand. Clones show the same time.
#[derive(Debug, Clone)]
pub struct FakeClock {
    millis: Arc<AtomicI64>,
}

impl FakeClock {
    /// A clock that shows that time.
    #[must_use]
    pub fn at(time: WallTime) -> Self {
        Self {
            millis: Arc::new(AtomicI64::new(time.0)),
        }
    }

    /// Lets time pass on this clock; tokio's own clock stays where it is.
    pub fn pass(&self, by: Millis) {
        self.set(self.now().plus(by));
    }

    /// Sets the clock, forwards or backwards.
    pub fn set(&self, time: WallTime) {
        self.millis.store(time.0, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> WallTime {
        WallTime(self.millis.load(Ordering::SeqCst))
    }
}
