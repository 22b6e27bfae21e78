//! Times: when something happened, how long something may take. Values only; nobody here looks at a clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A minute.
const MINUTE_MS: i64 = 60_000;

/// A moment of wall time, in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub i64);

impl WallTime {
    /// This moment and `by` more; stays at the end of time instead of wrapping.
    #[must_use]
    pub fn plus(self, by: Millis) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(by.0).unwrap_or(i64::MAX)),
        )
    }

    /// This moment and `by` less; stays at the beginning of time instead of wrapping.
    #[must_use]
    pub fn minus(self, by: Millis) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(by.0).unwrap_or(i64::MAX)),
        )
    }

    /// The first moment of the minute it is in, as clocks count them.
    #[must_use]
    pub fn minute_begun(self) -> Self {
        Self(self.0 - self.0.rem_euclid(MINUTE_MS))
    }

    /// How long after `earlier` this is; zero when it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Millis {
        Millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A length of time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// The same length as the standard library's type.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl From<Duration> for Millis {
    fn from(value: Duration) -> Self {
        Self(u64::try_from(value.as_millis()).unwrap_or(u64::MAX))
    }
}
