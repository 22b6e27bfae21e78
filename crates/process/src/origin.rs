//! Where a process that comes to a leader comes from: from outside, or from an agent of this leader or of any other.

use std::fs;

use crate::group::{MARK_VARIABLE, Stat, carries};

/// What the system calls a process that leads a run, for other leaders to know it by. Its length is the most that the
/// system keeps.
const LEADS: &str = "pointsman-leads";

/// Whose process comes to a leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// One that no leader started, as far as its marks and its parents tell, or one from the same place as this leader.
    Outside,
    /// A program of an agent, of this leader's or of another's. One that has shed its mark, by clearing its environment and
    /// letting its parents end, is known by the leader that adopted it ([`crate::Orphans`]), as long as that lives.
    Agent,
    /// It ended before that could be seen.
    Gone,
}

/// Lets other leaders on this machine see that this process leads a run.
pub(crate) fn lead() {
    if let Err(error) = fs::write("/proc/self/comm", LEADS) {
        tracing::warn!(%error, "other leaders can't see that this process leads a run");
    }
}

/// Where another process comes from.
#[must_use]
pub fn origin_of(pid: i32) -> Origin {
    let own_pid = rustix::process::getpid().as_raw_nonzero().get();
    if pid == own_pid {
        return Origin::Outside;
    }
    let inherited = std::env::var(MARK_VARIABLE).unwrap_or_default();
    let inherited = inherited.as_bytes();
    // What was started where this leader was, or further out, is none of its agents.
    let is_foreign = |mark: &[u8]| {
        let rest = inherited.strip_prefix(mark);
        mark.is_empty() || !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    if carries(pid, &is_foreign) {
        return Origin::Agent;
    }
    let is_marked = carries(pid, &|_: &[u8]| true);
    let is_an_agents = |parent: i32| {
        // Of what runs inside another agent the outer leader is a parent, and its mark stands in it.
        parent == own_pid || carries(parent, &is_foreign) || !is_marked && leads(parent)
    };
    // The parents are looked at last: whoever is still there then was there when its mark was looked for.
    match descent(pid, is_an_agents) {
        Descent::Below => Origin::Agent,
        Descent::Elsewhere => Origin::Outside,
        Descent::Gone => Origin::Gone,
    }
}

fn leads(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == LEADS)
}

/// Whether `ancestor` is among the parents of `pid`.
pub(crate) fn descends(pid: i32, ancestor: i32) -> bool {
    descent(pid, |parent| parent == ancestor) == Descent::Below
}

/// Whether one that is looked for is among the parents of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Descent {
    /// It is.
    Below,
    /// It is not.
    Elsewhere,
    /// The process ended before that could be seen.
    Gone,
}

/// Walks up the parents of `pid`.
fn descent(pid: i32, ancestor: impl Fn(i32) -> bool) -> Descent {
    /// More generations than a machine has processes in one line; ends the walk if numbers are re-used on the way.
    const GENERATIONS_MAX: usize = 4096;
    let parent_of = |pid| Some(Stat::read(pid)?.parent);
    let mut child = pid;
    let Some(mut parent) = parent_of(child) else {
        return Descent::Gone;
    };
    for _ in 0..GENERATIONS_MAX {
        if ancestor(parent) {
            return Descent::Below;
        }
        if parent <= 1 {
            return Descent::Elsewhere;
        }
        match (parent_of(parent), parent_of(child)) {
            (Some(next), _) => (child, parent) = (parent, next),
            // It ended meanwhile, and its child was given to another.
            (None, Some(other)) if other != parent => parent = other,
            // The system hides other users' processes, and theirs are none of ours.
            (None, Some(_)) => return Descent::Elsewhere,
            (None, None) => return Descent::Gone,
        }
    }
    Descent::Gone
}
