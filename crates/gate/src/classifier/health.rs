//! How a classifier is doing, for people.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_ledger::Clock;
use pointsman_model::WallTime;

/// How a classifier is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifierHealth {
    /// Now.
    pub state: ClassifierState,
    /// How often it gave a vote.
    pub votes: u64,
    /// How often it failed to.
    pub failures: u64,
}

/// Whether it can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierState {
    /// It was not asked yet.
    Untried,
    /// The last time it gave a vote.
    Well,
    /// It can't even be asked.
    OutOfReach {
        /// Why.
        why: Box<str>,
    },
    /// It fails.
    Failing {
        /// Since when.
        since: WallTime,
        /// How often since then.
        times: u64,
        /// How, the last time.
        why: Box<str>,
    },
}

impl ClassifierHealth {
    /// Of one that was not asked yet.
    pub const UNTRIED: Self = Self {
        state: ClassifierState::Untried,
        votes: 0,
        failures: 0,
    };
}

impl fmt::Display for ClassifierHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            ClassifierState::Untried => f.write_str("not asked yet"),
            ClassifierState::Well => write!(f, "well, {} votes", self.votes),
            ClassifierState::OutOfReach { why } => write!(f, "out of reach: {why}"),
            ClassifierState::Failing { times, why, .. } => {
                let times = match times {
                    1 => "the last time".into(),
                    times => format!("the last {times} times"),
                };
                write!(f, "failed {times}: {why}")
            }
        }
    }
}

/// Where that is kept.
pub(super) struct Book {
    clock: Arc<dyn Clock>,
    health: Mutex<ClassifierHealth>,
}

impl Book {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            health: Mutex::new(ClassifierHealth::UNTRIED),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ClassifierHealth> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read(&self) -> ClassifierHealth {
        self.lock().clone()
    }

    pub(super) fn voted(&self) {
        let mut health = self.lock();
        health.votes += 1;
        health.state = ClassifierState::Well;
    }

    pub(super) fn failed(&self, why: &str) {
        let now = self.clock.now();
        let mut health = self.lock();
        health.failures += 1;
        let (since, times) = match &health.state {
            ClassifierState::Failing { since, times, .. } => (*since, times + 1),
            ClassifierState::Untried
            | ClassifierState::Well
            | ClassifierState::OutOfReach { .. } => (now, 1),
        };
        health.state = ClassifierState::Failing {
            since,
            times,
            why: why.into(),
        };
    }
}
