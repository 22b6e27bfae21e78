//! Reigns: which leader of a run speaks, and which life of a worker.
//!
//! A run that is resumed has a new leader, with the next epoch; a worker that is started again has
//! the next generation. Both numbers stand in every frame of the mailbox, and an answer counts only in
//! the epoch in which its question was shown, so that what an old leader or a dead worker left on its
//! way does no harm when it arrives.

use std::fmt;

use pointsman_ledger::ResumeReport;
use pointsman_model::RequestId;
use serde::{Deserialize, Serialize};

/// The number of a leader's reign over a run, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(u32);

impl Epoch {
    /// The reign of the leader that started the run.
    pub const FIRST: Self = Self(1);

    /// The reign of that number.
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The number of a worker's life, counted from 1: a worker that is started again has the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(u32);

impl Generation {
    /// A worker's first life.
    pub const FIRST: Self = Self(1);

    /// The life after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A leader's reign over its run, and what earlier reigns have used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reign {
    /// Its number.
    pub epoch: Epoch,
    /// The highest request of earlier reigns; 0 when there was none.
    highest_request: u32,
}

impl Reign {
    /// The first leader's.
    pub const FIRST: Self = Self {
        epoch: Epoch::FIRST,
        highest_request: 0,
    };

    /// That of a leader who took the run up again.
    #[must_use]
    pub fn resumed(report: &ResumeReport) -> Self {
        Self {
            epoch: Epoch(report.epoch),
            highest_request: report.highest.request,
        }
    }

    /// Whether an earlier reign may have dealt with this request: then the ledger knows more of it than this leader.
    pub(crate) fn may_be_older(&self, request: RequestId) -> bool {
        request.number() <= self.highest_request
    }
}
