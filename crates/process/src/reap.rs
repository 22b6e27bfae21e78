//! Reaping: what a killed leader left running is ended at the next start (law 21).

use crate::ProcessGroup;
use crate::group::kill_owned_by;

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
    let is_ours = group.kill_if_ours();
    let strays = group.kill_strays();
    if is_ours || strays > 0 {
        Reaped::Killed { strays }
    } else {
        Reaped::Gone
    }
}

/// Kills every process that was started with an environment of that owner, and what those started: also groups whose
/// record was still on its way to the disk when their leader was killed. Returns how many there were.
///
/// Reads the process table; blocks for some milliseconds.
#[must_use]
pub fn reap_owned_by(owner: &str) -> u32 {
    kill_owned_by(owner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Child, Command};

    use rustix::process::Signal;

    use super::*;
    use crate::Environment;

    fn sleeper(environment: &Environment) -> Child {
        Command::new("/bin/sleep")
            .arg("600")
            .env_clear()
            .envs(environment.iter())
            .spawn()
            .unwrap()
    }

    #[test]
    fn an_owners_processes_are_found_without_any_record_of_them() {
        // The same tests may run beside these.
        let owner = |name: &str| format!("reap-test-{}-{name}", std::process::id());
        let outer = Environment::empty().owned_by(&owner("outer"));
        let inner = outer.clone().owned_by(&owner("inner"));
        let (mut outside, mut inside) = (sleeper(&outer), sleeper(&inner));
        assert_eq!(reap_owned_by(owner("").trim_end_matches('-')), 0);
        assert_eq!(reap_owned_by(&owner("inner")), 1);
        assert_eq!(inside.wait().unwrap().signal(), Some(9));
        assert!(outside.try_wait().unwrap().is_none());
        assert_eq!(reap_owned_by(&owner("outer")), 1);
        assert_eq!(outside.wait().unwrap().signal(), Some(9));
    }

    #[test]
    fn a_child_is_told_from_a_stranger_by_its_parents_or_by_its_mark() {
        use crate::{Origin, origin_of};
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!([own, 1].map(origin_of), [Origin::Outside; 2]);
        let mut child = sleeper(&Environment::empty());
        let id = i32::try_from(child.id()).unwrap();
        assert_eq!(origin_of(id), Origin::Agent);
        child.kill().unwrap();
        child.wait().unwrap();
        // Of one that is gone nobody can tell: it may have left an open connection to its parent.
        assert_eq!(origin_of(id), Origin::Gone);
        // A shell that ends at once leaves its child to another parent.
        let told = Command::new("/bin/sh")
            .args(["-c", "/bin/sleep 600 >/dev/null 2>&1 & echo $!"])
            .env_clear()
            .env("POINTSMAN_PROCESS", crate::group::new_mark(None))
            .output()
            .unwrap();
        let orphan: i32 = String::from_utf8(told.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert_eq!(origin_of(orphan), Origin::Agent);
        let orphan = rustix::process::Pid::from_raw(orphan).unwrap();
        rustix::process::kill_process(orphan, Signal::KILL).unwrap();
    }
}
