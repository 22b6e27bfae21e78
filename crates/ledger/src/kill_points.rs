//! Named points at which a process under test dies: for tests of what a crash leaves behind.
//!
//! A process that was built with them and is told a point and a number dies when it reaches that point
//! for that time. Nothing that is handed out has them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names the point and the number, as `sync:17`.
pub const DIE_AT: &str = "POINTSMAN_TEST_DIE_AT";

/// A place in the way of a request and its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillPoint {
    /// Records are handed to the database and not committed.
    Write,
    /// They are on disk, and nobody was told.
    Sync,
    /// A worker is about to be told something.
    Send,
    /// A worker has said that it has its verdict.
    Acknowledge,
}

impl KillPoint {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Write, Self::Sync, Self::Send, Self::Acknowledge];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Sync => "sync",
            Self::Send => "send",
            Self::Acknowledge => "acknowledge",
        }
    }
}

/// Dies here if this is where this process is to die.
pub fn reach(point: KillPoint) {
    static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static REACHED: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var(DIE_AT).ok()?;
        let (name, count) = text.split_once(':')?;
        Some((name.into(), count.parse().ok()?))
    });
    if let Some((name, count)) = wanted
        && name == point.name()
        && REACHED.fetch_add(1, Ordering::SeqCst).saturating_add(1) == *count
    {
        // No destructor runs and nothing is flushed, as if it had been killed from outside.
        std::process::abort();
    }
}
