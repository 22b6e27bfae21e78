//! Deadlines, kept twice: by the wall clock, which people read and which survives a restart, and by
//! the monotonic clock, which nobody can set. Whichever comes first ends the wait.

use std::collections::BTreeSet;

use pointsman_model::{Millis, PermissionRequest, WallTime};
use tokio::time::Instant;

use super::table::{Key, Now};

/// When a request ends unanswered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    wall: WallTime,
    mono: Instant,
    /// When it is announced; nothing when that is behind us.
    soon: Option<Instant>,
}

impl Deadline {
    /// The deadline of a request, seen from now.
    pub(crate) fn of(request: &PermissionRequest, now: Now, soon: Millis) -> Self {
        let wall = request.deadline;
        // Never longer than it was when it was asked: the clock may have been set back while no leader was there.
        let patience = wall.since(request.opened_at);
        let left = wall.since(now.wall).min(patience).duration();
        // Further off than the monotonic clock counts is as good as never; the wall clock still ends it.
        let mono = now.mono.checked_add(left).unwrap_or_else(|| far(now.mono));
        let before = left.checked_sub(soon.duration());
        Self {
            wall,
            mono,
            soon: before.and_then(|before| now.mono.checked_add(before)),
        }
    }

    /// Whether it has passed by either clock.
    pub(crate) fn has_passed(&self, now: Now) -> bool {
        now.wall >= self.wall || now.mono >= self.mono
    }

    /// What is left of it.
    pub(crate) fn left(&self, now: Now) -> Millis {
        let by_mono = Millis::from(self.mono.saturating_duration_since(now.mono));
        by_mono.min(self.wall.since(now.wall))
    }

    fn next(&self) -> Instant {
        self.soon.unwrap_or(self.mono)
    }
}

/// A century on, or now on a machine that counts less.
fn far(now: Instant) -> Instant {
    const CENTURY_S: u64 = 100 * 365 * 24 * 60 * 60;
    now.checked_add(std::time::Duration::from_secs(CENTURY_S))
        .unwrap_or(now)
}

/// The deadlines of all open requests, soonest first.
#[derive(Default)]
pub(crate) struct Deadlines {
    mono: BTreeSet<(Instant, Key)>,
    wall: BTreeSet<(WallTime, Key)>,
}

impl Deadlines {
    pub(crate) fn insert(&mut self, key: Key, deadline: &Deadline) {
        self.mono.insert((deadline.next(), key));
        self.wall.insert((deadline.wall, key));
    }

    pub(crate) fn remove(&mut self, key: Key, deadline: &Deadline) {
        self.mono.remove(&(deadline.next(), key));
        self.wall.remove(&(deadline.wall, key));
    }

    /// Marks the deadline as announced.
    pub(crate) fn announced(&mut self, key: Key, deadline: &mut Deadline) {
        self.remove(key, deadline);
        deadline.soon = None;
        self.insert(key, deadline);
    }

    /// The next moment at which something is due by the monotonic clock.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.mono.first().map(|(when, _)| *when)
    }

    /// Those for which something is due now.
    pub(crate) fn due(&self, now: Now) -> Vec<Key> {
        let by_mono = self
            .mono
            .iter()
            .take_while(|(when, _)| *when <= now.mono)
            .map(|(_, key)| *key);
        let by_wall = self
            .wall
            .iter()
            .take_while(|(when, _)| *when <= now.wall)
            .map(|(_, key)| *key);
        let mut due: Vec<_> = by_mono.chain(by_wall).collect();
        due.sort_unstable();
        due.dedup();
        due
    }
}
