//! Reaping: process groups that outlived a killed leader are ended before a run begins or goes on.

use pointsman_ledger::{ProcessGroupEnded, ProcessGroupStarted};
use pointsman_process::{ProcessGroup, Reaped, reap, reap_owned_by};

/// What became of what dead leaders left running.
pub(super) struct AllReaped {
    /// The groups they recorded, each ended.
    pub(super) ended: Vec<ProcessGroupEnded>,
    /// How many of the groups, and of the processes that no record names, were still there.
    pub(super) killed: usize,
}

impl AllReaped {
    /// Counts in what else was found.
    pub(super) fn add(&mut self, more: Self) {
        self.ended.extend(more.ended);
        self.killed += more.killed;
    }
}

/// Ends what is left of these groups, and whatever else still runs for these owners: the record of a group may have
/// been on its way when its leader was killed. Reads the process table; blocks for some milliseconds.
pub(super) fn reap_all(groups: Vec<ProcessGroupStarted>, owners: Vec<String>) -> AllReaped {
    let mut all = AllReaped {
        ended: Vec::new(),
        killed: 0,
    };
    for started in groups {
        let reaped = reap(&ProcessGroup::recorded(started.group.clone()));
        let text = match reaped {
            Reaped::Gone => "gone before the next leader looked".to_owned(),
            Reaped::Killed { strays: 0 } => "outlived its leader, killed by the next".to_owned(),
            Reaped::Killed { strays } => format!(
                "outlived its leader, killed by the next together with {strays} that had left it"
            ),
        };
        all.killed += usize::from(reaped != Reaped::Gone);
        all.ended.push(ProcessGroupEnded {
            call: started.call,
            group: started.group,
            text: text.into(),
        });
    }
    let unrecorded = owners.iter().map(|owner| reap_owned_by(owner));
    // Those of one group count as one: what a person reads is that something was left.
    all.killed += unrecorded.filter(|killed| *killed > 0).count();
    all
}
