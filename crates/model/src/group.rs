//! What names a process group for good.

use serde::{Deserialize, Serialize};

/// What tells a process group from a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GroupFacts {
    /// The group's number, which is its first process's.
    pub pgid: i32,
    /// When that process was started, in the kernel's clock ticks since boot.
    pub started_ticks: u64,
    /// The boot it was started in.
    pub boot: Box<str>,
    /// What its members carry in their environment; finds those that outlive the first one or left the group.
    pub mark: Box<str>,
}
