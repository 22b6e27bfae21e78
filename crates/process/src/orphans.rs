//! Orphans: what programs of ours left behind stays below us, whatever it shed.
//!
//! A process that clears its environment, leaves its session and lets its parents end is told from a stranger by
//! nothing, unless it can't leave its family: the leader adopts it in the place of the machine's first process. So it is
//! still known for ours when it asks something of us, and ends when we do (law 21).

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError, RwLock};

use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus,
    pidfd_send_signal, set_child_subreaper, set_dumpable_behavior, waitid, waitpid,
};

use crate::group::{SWEEPS_MAX, Stat, all_processes, hold, wait_for_deaths};
use crate::origin;

/// The programs that were started here and are waited for by whoever started them.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Held for reading from the start of a program until it stands in [`STARTED`]; for writing while orphans are told apart.
static STARTING: RwLock<()> = RwLock::new(());

/// Starts a program by `start`, and keeps its number from being taken for an orphan's.
pub(crate) fn starting<E>(start: impl FnOnce() -> Result<Pid, E>) -> Result<Pid, E> {
    let starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let pid = start()?;
    started().insert(pid.as_raw_nonzero().get());
    drop(starting);
    Ok(pid)
}

/// Waits for a program that was started here. Blocks while it lives.
///
/// # Errors
/// When the system does not let it.
pub(crate) fn wait_for(pid: Pid) -> io::Result<WaitStatus> {
    loop {
        match waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        if let Some(status) = wait_if_dead(pid)? {
            return Ok(status);
        }
    }
}

/// Waits for a program that was started here if it is dead.
///
/// # Errors
/// When the system does not let it.
pub(crate) fn wait_if_dead(pid: Pid) -> io::Result<Option<WaitStatus>> {
    // Its number is free from the moment it is waited for, and must be gone from the list before another gets it.
    let mut started = started();
    let waited = waitpid(Some(pid), WaitOptions::NOHANG)?;
    Ok(waited.map(|(_, status)| {
        started.remove(&pid.as_raw_nonzero().get());
        status
    }))
}

fn started() -> std::sync::MutexGuard<'static, BTreeSet<i32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This process as one that adopts orphans, which a leader is from its start to its end. One a process.
#[derive(Debug)]
pub struct Orphans {
    adopts: Adopts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Adopts {
    Yes,
    /// The system did not let it.
    No,
}

impl Orphans {
    /// Adopts from now on, shows other leaders that this process leads a run, and closes this process's environment and memory to other programs of its user, since they
    /// hold the secrets that its programs are not given.
    #[must_use]
    pub fn adopt() -> Self {
        // While the system still lets it: it keeps closed processes from naming themselves.
        origin::lead();
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "programs of this user can read this process's environment");
        }
        // Any number but nought says yes.
        let adopts = match set_child_subreaper(Some(rustix::process::getpid())) {
            Ok(()) => Adopts::Yes,
            Err(error) => {
                tracing::warn!(%error, "what leaves its family can't be told from a stranger");
                Adopts::No
            }
        };
        Self { adopts }
    }

    /// Takes leave of adopted processes that have died, so that they take no room. Reads the process table; blocks for
    /// some milliseconds.
    pub fn bury(&self) {
        if self.adopts == Adopts::No {
            return;
        }
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let Some(own_session) = Stat::read(own).map(|stat| stat.session) else {
            return;
        };
        let _no_start = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        let started = started().clone();
        for pid in all_processes() {
            let is_dead_orphan = !started.contains(&pid)
                && Stat::read(pid).is_some_and(|stat| {
                    // Programs that libraries start stay in our session, and are waited for by them.
                    !stat.lives && stat.parent == own && stat.session != own_session
                });
            if let (true, Some(pid)) = (is_dead_orphan, Pid::from_raw(pid)) {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }

    /// Kills all that still runs below this process. Returns how many there were. Reads the process table; blocks for
    /// some milliseconds.
    pub fn end(self) -> usize {
        if self.adopts == Adopts::No {
            return 0;
        }
        let mut killed = BTreeSet::new();
        for _ in 0..SWEEPS_MAX {
            let dying = kill_descendants(&mut killed);
            if dying.is_empty() {
                break;
            }
            wait_for_deaths(dying);
        }
        self.bury();
        killed.len()
    }
}

fn kill_descendants(killed: &mut BTreeSet<i32>) -> Vec<OwnedFd> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut dying = Vec::new();
    for pid in all_processes() {
        let is_below = || {
            pid != own
                && Stat::read(pid).is_some_and(|stat| stat.lives)
                && origin::descends(pid, own)
        };
        if !is_below() {
            continue;
        }
        // Held and looked at again, so that the number can't have passed to another meanwhile.
        if let Some(held) = hold(pid)
            && is_below()
            && pidfd_send_signal(&held, Signal::KILL).is_ok()
        {
            killed.insert(pid);
            dying.push(held);
        }
    }
    dying
}
