//! Holding a run whose leader died: nobody else takes it up while it is cleared up after, or while its past is read.

use std::collections::HashSet;
use std::time::Duration;

use pointsman_ledger::{HeldRun, Ledger, ProcessGroupStarted, ResumeError};
use pointsman_model::{GroupFacts, RunId};
use tokio::time::Instant;

use super::StartError;
use super::reaping::{AllReaped, reap_in_thread};
use crate::StatePlace;

/// How long a run is waited for that somebody else holds and does not lead. To clear up takes a small part of that.
const HELD_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long it is left to them, between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Holds the run that is to be taken up. This comes first of all: what is read of its past then is the whole of it, since
/// nobody else leads it meanwhile (law 20). Ends what one who led it since the ledger was opened has left.
pub(super) async fn hold(
    ledger: &Ledger,
    place: &StatePlace,
    run: RunId,
    reaped: &mut AllReaped,
) -> Result<HeldRun, StartError> {
    let held = hold_soon(ledger, run).await?;
    place.clear_socket(run);
    let ended = reaped.ended.iter().map(|ended| &ended.group);
    let groups = not_among(ended, held.groups());
    let (held, left) = reap_in_thread(held, groups, vec![place.owner(run)]).await?;
    reaped.add(left);
    Ok(held)
}

/// Holds a run, once whoever only clears up after its last leader is done with it.
async fn hold_soon(ledger: &Ledger, run: RunId) -> Result<HeldRun, ResumeError> {
    let until = Instant::now() + HELD_WAIT_MAX;
    loop {
        match ledger.hold_run(run).await {
            Err(ResumeError::Held(_)) if Instant::now() < until => {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            held => return held,
        }
    }
}

/// A run that was found dead, looked at once more.
pub(super) enum Dead {
    /// Nobody takes it up while this lives.
    Held(HeldRun),
    /// It was pruned since: nobody takes it up any more.
    Pruned,
    /// Another leader has it, or may have it, and clears up after the dead one itself.
    Anothers,
}

/// Holds a run that was found dead, so that it can be cleared up after.
pub(super) async fn hold_dead(ledger: &Ledger, run: RunId) -> Dead {
    match ledger.hold_run(run).await {
        Ok(held) => Dead::Held(held),
        Err(ResumeError::Unknown(_)) => Dead::Pruned,
        // One that was led to its end may be running its last hooks.
        Err(ResumeError::Alive(_) | ResumeError::Held(_) | ResumeError::Ended(_)) => Dead::Anothers,
        Err(error) => {
            tracing::warn!(%run, %error, "only what is on record of a dead leader's run is cleared up");
            Dead::Anothers
        }
    }
}

/// Those of `groups` that are not among the others.
pub(super) fn not_among<'a>(
    others: impl IntoIterator<Item = &'a GroupFacts>,
    groups: &[ProcessGroupStarted],
) -> Vec<ProcessGroupStarted> {
    let others: HashSet<&GroupFacts> = others.into_iter().collect();
    let new = groups
        .iter()
        .filter(|started| !others.contains(&started.group));
    new.cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;

    use pointsman_model::{AbsPath, WallTime};
    use pointsman_testkit::{FakeClock, run_start};

    use super::*;

    #[tokio::test]
    async fn a_run_that_somebody_only_clears_up_after_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.db");
        let open = || {
            let clock = Arc::new(FakeClock::at(WallTime(0)));
            Ledger::open(&path, clock).unwrap().0
        };
        let dead = open();
        let start = run_start(AbsPath::parse("/w").unwrap());
        let run = dead.begin_run(start).await.unwrap();
        dead.close().await;
        let (clears, resumes) = (open(), open());
        let held = clears.hold_run(run).await.unwrap();
        let mut waits = pin!(hold_soon(&resumes, run));
        // Behind its first look in the same queue, so that it has come upon the hold.
        let behind = tokio::select! {
            biased;
            _ = &mut waits => panic!("it is held"),
            behind = resumes.hold_run(run) => behind,
        };
        assert!(matches!(behind, Err(ResumeError::Held(_))));
        drop(held);
        assert!(waits.await.is_ok());
        // One that is led is not.
        let leads = clears.hold_run(run).await.unwrap().resume().await;
        assert!(leads.is_ok());
        let refused = hold_soon(&resumes, run).await.err();
        assert!(matches!(refused, Some(ResumeError::Alive(_))));
    }
}
