//! The one way to ask what time it is. Everything that stamps a record or checks a deadline is
//! handed a [`Clock`], so that tests decide what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use pointsman_model::WallTime;

/// Tells the wall time.
pub trait Clock: Send + Sync {
    /// The present moment. It may jump, forwards and backwards, when the machine's clock is set.
    fn now(&self) -> WallTime;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> WallTime {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
        };
        WallTime(millis)
    }
}
