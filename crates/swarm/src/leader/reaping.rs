//! Reaping: process groups that outlived a killed leader are ended before a new run begins.

use pointsman_ledger::{GroupFacts, ProcessGroupEnded, ProcessGroupStarted};
use pointsman_process::{ProcessGroup, Reaped, reap};

/// Ends what is left of these groups. Says of each how it went, and whether anything of it was there. Reads the
/// process table; blocks for some milliseconds.
pub(super) fn reap_all(groups: Vec<ProcessGroupStarted>) -> Vec<(ProcessGroupEnded, bool)> {
    groups
        .into_iter()
        .map(|started| {
            let reaped = reap(&recorded(&started.group));
            let text = match reaped {
                Reaped::Gone => "gone before the next leader looked".to_owned(),
                Reaped::Killed { strays: 0 } => {
                    "outlived its leader, killed by the next".to_owned()
                }
                Reaped::Killed { strays } => format!(
                    "outlived its leader, killed by the next together with {strays} that had left it"
                ),
            };
            let ended = ProcessGroupEnded {
                call: started.call,
                group: started.group,
                text: text.into(),
            };
            (ended, reaped != Reaped::Gone)
        })
        .collect()
}

fn recorded(group: &GroupFacts) -> ProcessGroup {
    ProcessGroup::recorded(group.pgid, group.started_ticks, &group.boot, &group.mark)
}
