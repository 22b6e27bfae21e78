//! Reaping: what a killed leader left running is ended at the next start (law 21).

use rustix::process::Signal;

use crate::ProcessGroup;

/// What became of a recorded group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaped {
    /// Nothing of it was left.
    Gone,
    /// It was killed, and so many strays with it.
    Killed {
        /// Processes that had left the group but carried its mark.
        strays: u32,
    },
}

/// Kills a group that a dead leader recorded, if anything of it still runs. A process that merely has
/// the same number by now is left alone: the group is known by the start time of its first process,
/// or by the mark its members carry.
///
/// Reads the process table; blocks for some milliseconds.
#[must_use]
pub fn reap(group: &ProcessGroup) -> Reaped {
    if group.is_of_an_earlier_boot() {
        return Reaped::Gone;
    }
    let is_ours = group.leader_lives() || group.has_marked_member();
    if is_ours {
        group.signal(Signal::KILL);
    }
    let strays = group.kill_strays();
    if is_ours || strays > 0 {
        Reaped::Killed { strays }
    } else {
        Reaped::Gone
    }
}
