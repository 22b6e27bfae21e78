//! How often the classifier may refuse one agent before people are asked again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pointsman_model::WorkerId;

/// Refusals in a row; then agent and classifier do not understand each other.
const IN_A_ROW_MAX: u32 = 3;

/// Refusals in all.
const IN_ALL_MAX: u32 = 20;

/// A limit that was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    InARow(u32),
    InAll(u32),
}

/// The refusals of each agent. One entry an agent, of which a run has a bounded number.
#[derive(Debug, Default)]
pub(super) struct RefusalCounts {
    counts: Mutex<HashMap<WorkerId, Count>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    in_a_row: u32,
    in_all: u32,
}

impl RefusalCounts {
    fn lock(&self) -> MutexGuard<'_, HashMap<WorkerId, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limit that this agent has met, if any.
    pub(super) fn over(&self, agent: WorkerId) -> Option<Limit> {
        let count = self.lock().get(&agent).copied().unwrap_or_default();
        if count.in_all >= IN_ALL_MAX {
            Some(Limit::InAll(count.in_all))
        } else if count.in_a_row >= IN_A_ROW_MAX {
            Some(Limit::InARow(count.in_a_row))
        } else {
            None
        }
    }

    /// A yes ends a row.
    pub(super) fn allowed(&self, agent: WorkerId) {
        if let Some(count) = self.lock().get_mut(&agent) {
            count.in_a_row = 0;
        }
    }

    /// A person let something pass: asking goes back to the classifier. What it refused in all counts on until that is
    /// the limit that was met.
    pub(super) fn lifted(&self, agent: WorkerId) {
        if let Some(count) = self.lock().get_mut(&agent) {
            count.in_a_row = 0;
            if count.in_all >= IN_ALL_MAX {
                count.in_all = 0;
            }
        }
    }

    pub(super) fn refused(&self, agent: WorkerId) {
        let mut counts = self.lock();
        let count = counts.entry(agent).or_default();
        count.in_a_row = count.in_a_row.saturating_add(1);
        count.in_all = count.in_all.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use pointsman_model::RunId;

    use super::*;

    /// `.` is a yes and `x` a no of one agent, `p` a yes of a person.
    #[track_caller]
    fn check(votes: &str, expect: Option<Limit>) {
        let counts = RefusalCounts::default();
        let agent = WorkerId::new(RunId::FIRST, 1);
        for vote in votes.chars() {
            match vote {
                '.' => counts.allowed(agent),
                'p' => counts.lifted(agent),
                _ => counts.refused(agent),
            }
        }
        assert_eq!(counts.over(agent), expect, "{votes}");
        assert_eq!(counts.over(WorkerId::new(RunId::FIRST, 2)), None);
    }

    #[test]
    fn three_in_a_row_or_twenty_in_all() {
        check("", None);
        check("xx", None);
        check("xxx", Some(Limit::InARow(3)));
        check("xx.xx", None);
        check("xxx.", None);
        check(&"xx.".repeat(9), None);
        check(&"xx.".repeat(10), Some(Limit::InAll(20)));
    }

    #[test]
    fn a_persons_yes_goes_back_to_the_classifier() {
        check("xxxp", None);
        check("xxxpxxx", Some(Limit::InARow(3)));
        check(&format!("{}p", "xx.".repeat(10)), None);
        check(&format!("{}pxx", "xx.".repeat(10)), None);
        check(&format!("{}xx", "xxp".repeat(9)), Some(Limit::InAll(20)));
    }
}
