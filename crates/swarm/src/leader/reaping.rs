//! Reaping: process groups that outlived a killed leader are ended before a new run begins.

use pointsman_ledger::{GroupFacts, ProcessGroupEnded, ProcessGroupStarted};
use pointsman_process::{ProcessGroup, Reaped, reap};

/// Ends what is left of these groups, and says so for each. Reads the process table; blocks for some milliseconds.
pub(super) fn reap_all(groups: Vec<ProcessGroupStarted>) -> Vec<ProcessGroupEnded> {
    groups
        .into_iter()
        .map(|started| {
            let text = match reap(&recorded(&started.group)) {
                Reaped::Gone => "gone before the next leader looked".to_owned(),
                Reaped::Killed { strays: 0 } => "outlived its leader, killed by the next".to_owned(),
                Reaped::Killed { strays } => format!(
                    "outlived its leader, killed by the next together with {strays} that had left it"
                ),
            };
            ProcessGroupEnded {
                call: started.call,
                group: started.group,
                text: text.into(),
            }
        })
        .collect()
}

fn recorded(group: &GroupFacts) -> ProcessGroup {
    ProcessGroup::recorded(group.pgid, group.started_ticks, &group.boot, &group.mark)
}
