//! A process group of ours: what is recorded of it, how it is signalled, how its strays are found.
//!
//! A number names a process only while that process lives. So a group is recorded with the start
//! time of its first process and with a mark that its members carry in their environment; both tell
//! it from a later group that happens to get the same number.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pointsman_model::GroupFacts;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

/// The variable that carries a group's mark. What a marked program starts carries it too, and a
/// pointsman that runs inside another appends to it, so that the outer one finds all.
pub(crate) const MARK_VARIABLE: &str = "POINTSMAN_PROCESS";

/// How often the process table is read again for strays that were started while it was read.
pub(crate) const SWEEPS_MAX: u32 = 8;

/// How long the killed are waited for. The kernel takes milliseconds, on a busy machine some hundreds; one that hangs
/// in a device may take for ever, and is not worth a start.
const DEATH_MAX: Duration = Duration::from_secs(2);

/// How often a process that is just becoming another program is looked at, and how long between: a tenth of a second
/// in all, which is a thousand times what it takes.
const STARTING_LOOKS_MAX: u32 = 100;
const STARTING_PAUSE: Duration = Duration::from_millis(1);

/// A process group that [`crate::run`] started. Its owner records it, so that [`crate::reap`] can
/// end it after the leader died.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessGroup {
    facts: GroupFacts,
}

impl ProcessGroup {
    /// The group of a process that was just started as its leader, and is not waited for yet.
    pub(crate) fn of_leader(id: i32, mark: &str) -> Self {
        Self {
            facts: GroupFacts {
                pgid: id,
                started_ticks: Stat::read(id).map_or(0, |stat| stat.started_ticks),
                boot: boot_id().into(),
                mark: mark.into(),
            },
        }
    }

    /// A group as it was recorded.
    #[must_use]
    pub fn recorded(facts: GroupFacts) -> Self {
        Self { facts }
    }

    /// What is to be recorded of it.
    #[must_use]
    pub fn facts(&self) -> &GroupFacts {
        &self.facts
    }

    /// The group's number, which is its first process's.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.facts.pgid
    }

    /// Whether the machine has been started anew since; then nothing of the group is left.
    pub(crate) fn is_of_an_earlier_boot(&self) -> bool {
        *self.facts.boot != *boot_id()
    }

    /// Whether its first process lives and is that very process.
    fn leader_lives(&self) -> bool {
        Stat::read(self.facts.pgid).is_some_and(|stat| {
            stat.lives
                && stat.started_ticks == self.facts.started_ticks
                && stat.group == self.facts.pgid
        })
    }

    /// Kills the group if it is still this one, and waits until its members that can be told are dead. Says whether
    /// there was anything to kill.
    pub(crate) fn kill_if_ours(&self) -> bool {
        let members = self.members();
        if members.is_empty() {
            return false;
        }
        self.signal(Signal::KILL);
        wait_for_deaths(members);
        true
    }

    /// Its first process, if it lives and is that very process, and the members that carry the mark. Each is held, so
    /// that it can be waited for.
    fn members(&self) -> Vec<OwnedFd> {
        let first = self.leader_lives().then_some(self.facts.pgid);
        marked(&|mark: &[u8]| begins(mark, &self.facts.mark))
            .into_iter()
            .filter(|pid| Stat::read(*pid).is_some_and(|stat| stat.group == self.facts.pgid))
            .chain(first)
            .filter_map(hold)
            .collect()
    }

    /// Sends the signal to every member. The caller knows that the number is still this group's:
    /// its first process is not waited for, or a member was seen.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(id) = Pid::from_raw(self.facts.pgid)
            && let Err(error) = kill_process_group(id, signal)
            && error != rustix::io::Errno::SRCH
        {
            tracing::warn!(group = self.facts.pgid, %error, "a process group could not be signalled");
        }
    }

    /// Kills every process that carries the mark, also those that left the group (`setsid`). Tells
    /// how many.
    pub(crate) fn kill_strays(&self) -> u32 {
        sweep(|mark| begins(mark, &self.facts.mark))
    }
}

/// [`ProcessGroup::kill_strays`] on a thread that may block.
pub(crate) async fn kill_strays_of(group: &ProcessGroup) {
    let group = group.clone();
    // It is lost with the runtime alone, whose end the next start reaps after.
    let _ = tokio::task::spawn_blocking(move || group.kill_strays()).await;
}

/// Kills every process whose mark names that owner. Tells how many.
pub(crate) fn kill_owned_by(owner: &str) -> u32 {
    sweep(|mark| {
        mark.split(|byte| *byte == b'/')
            .any(|part| part == owner.as_bytes())
    })
}

/// Kills every process with such a mark, until none is left. Tells how many.
fn sweep(is_meant: impl Fn(&[u8]) -> bool) -> u32 {
    // One that took longer to die than it was waited for is found again; it counts once.
    let mut killed = BTreeSet::new();
    for _ in 0..SWEEPS_MAX {
        let found = marked(&is_meant);
        if found.is_empty() {
            break;
        }
        let mut dying = Vec::new();
        for pid in found {
            if let Some(held) = kill_if(pid, &is_meant) {
                killed.insert(pid);
                dying.push(held);
            }
        }
        wait_for_deaths(dying);
    }
    u32::try_from(killed.len()).unwrap_or(u32::MAX)
}

/// Until each of them is dead, or [`DEATH_MAX`] is over: what still dies when the table is read next would be taken
/// for something that lives.
pub(crate) fn wait_for_deaths(mut dying: Vec<OwnedFd>) {
    let since = Instant::now();
    while !dying.is_empty() {
        let Ok(left) = Timespec::try_from(DEATH_MAX.saturating_sub(since.elapsed())) else {
            return;
        };
        let mut watched: Vec<PollFd<'_>> = dying
            .iter()
            .map(|held| PollFd::new(held, PollFlags::IN))
            .collect();
        match poll(&mut watched, Some(&left)) {
            Ok(0) => return,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
        }
        let lives: Vec<bool> = watched
            .iter()
            .map(|seen| seen.revents().is_empty())
            .collect();
        let mut lives = lives.into_iter();
        dying.retain(|_| lives.next().unwrap_or(false));
    }
}

/// Whether a mark is `group`'s, or that of a pointsman inside it.
fn begins(mark: &[u8], group: &str) -> bool {
    mark.strip_prefix(group.as_bytes())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// A mark that no other group on this machine has had since it was started: the leader's process,
/// and a count.
pub(crate) fn new_mark(outer: Option<&str>) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let own = own_mark();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    match outer {
        Some(outer) => format!("{outer}/{own}.{count}"),
        None => format!("{own}.{count}"),
    }
}

/// This process among all that this machine has had since it was started: its number, and when it began.
fn own_mark() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let started = Stat::read(pid).map_or(0, |stat| stat.started_ticks);
        format!("{pid}.{started}")
    })
}

/// The living processes with such a mark.
fn marked(is_meant: &impl Fn(&[u8]) -> bool) -> Vec<i32> {
    all_processes()
        .filter(|pid| carries(*pid, is_meant))
        .collect()
}

/// The numbers of all processes.
pub(crate) fn all_processes() -> impl Iterator<Item = i32> {
    let listed = fs::read_dir("/proc").into_iter().flatten();
    listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Other users' environments can't be read; their processes are none of ours.
pub(crate) fn carries(pid: i32, is_meant: &impl Fn(&[u8]) -> bool) -> bool {
    let Some(environment) = environment(pid) else {
        return false;
    };
    environment.split(|byte| *byte == 0).any(|variable| {
        variable
            .strip_prefix(MARK_VARIABLE.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(is_meant)
    })
}

/// The environment a process was started with. One that is just being replaced by another program has none for some
/// microseconds, and must not slip through for that: it is looked at again.
fn environment(pid: i32) -> Option<Vec<u8>> {
    for _ in 0..STARTING_LOOKS_MAX {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        if !environment.is_empty() || !Stat::read(pid).is_some_and(|stat| stat.is_starting) {
            return Some(environment);
        }
        std::thread::sleep(STARTING_PAUSE);
    }
    None
}

/// The process is held by a descriptor while it is looked at again, so that its number can't have
/// passed to another when the signal goes out.
fn kill_if(pid: i32, is_meant: &impl Fn(&[u8]) -> bool) -> Option<OwnedFd> {
    let held = hold(pid)?;
    (carries(pid, is_meant) && pidfd_send_signal(&held, Signal::KILL).is_ok()).then_some(held)
}

pub(crate) fn hold(pid: i32) -> Option<OwnedFd> {
    pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()
}

fn boot_id() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map(|id| id.trim().to_owned())
            .unwrap_or_default()
    })
}

/// What we need of `/proc/PID/stat`.
pub(crate) struct Stat {
    pub(crate) lives: bool,
    pub(crate) parent: i32,
    group: i32,
    pub(crate) session: i32,
    started_ticks: u64,
    /// It has memory, but the place of its environment is not set yet: its program is being loaded.
    is_starting: bool,
}

impl Stat {
    pub(crate) fn read(pid: i32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the program's name in parentheses, which may hold blanks and
        // parentheses of its own; the fields behind it are counted from the last one.
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let lives = !matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let started_ticks = fields.nth(15)?.parse().ok()?;
        let memory: u64 = fields.next()?.parse().ok()?;
        let environment_end: u64 = fields.nth(27)?.parse().ok()?;
        Some(Self {
            lives,
            parent,
            group,
            session,
            started_ticks,
            is_starting: lives && memory != 0 && environment_end == 0,
        })
    }
}
