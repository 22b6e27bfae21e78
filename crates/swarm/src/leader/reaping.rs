//! Reaping: process groups that outlived a killed leader are ended before a run begins or goes on, and before what is on
//! record of them is pruned.

use pointsman_ledger::{Ledger, OpenReport, ProcessGroupEnded, ProcessGroupStarted};
use pointsman_model::RunId;
use pointsman_process::{ProcessGroup, Reaped, reap, reap_owned_by};

use super::StartError;
use super::holding::{Dead, hold_dead, not_among};
use crate::StatePlace;

/// Clears up after dead leaders, on record of `run`: takes their sockets away and ends what they left running. Returns
/// how many groups, and processes that no record names, were still there.
///
/// Cancellation: dropped, what it has ended stays ended, and is looked for again if that was not yet on record.
///
/// # Errors
/// When an end can't be recorded.
pub async fn end_left_behind(
    ledger: &Ledger,
    run: RunId,
    place: &StatePlace,
    report: &OpenReport,
) -> Result<usize, StartError> {
    let mut reaped = clear_up(ledger, place, report).await?;
    note_ended(ledger, run, &mut reaped).await?;
    Ok(reaped.killed)
}

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

/// Takes away the sockets that dead leaders left, and ends what they left running. Each dead run is held meanwhile: what
/// goes by its name would be a living leader's, had one taken it up since it was found dead.
pub(super) async fn clear_up(
    ledger: &Ledger,
    place: &StatePlace,
    report: &OpenReport,
) -> Result<AllReaped, StartError> {
    let mut groups = report.groups.clone();
    let mut owners = Vec::new();
    let mut held = Vec::new();
    for dead in &report.dead {
        match hold_dead(ledger, dead.run).await {
            Dead::Held(run) => {
                let known = groups.iter().map(|started| &started.group);
                groups.extend(not_among(known, run.groups()));
                held.push(run);
            }
            Dead::Pruned => {}
            Dead::Anothers => continue,
        }
        place.clear_socket(dead.run);
        owners.push(place.owner(dead.run));
    }
    let (_held, reaped) = reap_in_thread(held, groups, owners).await?;
    Ok(reaped)
}

/// Records what was ended, in the chain of the run that begins or goes on. It is on disk when this returns: whoever prunes
/// looks for it there.
pub(super) async fn note_ended(
    ledger: &Ledger,
    run: RunId,
    reaped: &mut AllReaped,
) -> Result<(), StartError> {
    for ended in std::mem::take(&mut reaped.ended) {
        ledger.append(run, ended).await?;
    }
    Ok(())
}

/// [`reap_all`] on a thread that may block, and that keeps what is held meanwhile also when nobody waits for it any more.
pub(super) async fn reap_in_thread<H: Send + 'static>(
    held: H,
    groups: Vec<ProcessGroupStarted>,
    owners: Vec<String>,
) -> Result<(H, AllReaped), StartError> {
    let reaped = tokio::task::spawn_blocking(move || {
        let reaped = reap_all(groups, owners);
        (held, reaped)
    });
    reaped.await.map_err(|_| StartError::TaskLost)
}

/// Ends what is left of these groups, and whatever else still runs for these owners: the record of a group may have
/// been on its way when its leader was killed. Reads the process table; blocks for some milliseconds.
fn reap_all(groups: Vec<ProcessGroupStarted>, owners: Vec<String>) -> AllReaped {
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
