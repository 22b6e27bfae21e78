//! What an agent leaves that had to be dropped: calls without a result, agents without an end. A call that had started
//! is unknown from then on; it is told as such, and never repeated.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointsman_approvals::EndScope;
use pointsman_ledger::{
    AppendError, CallEnded, CallLeft, CallUnknown, Filter, LedgerReader, ReadError, RecordBody,
    RecordKind, StopAsked, WorkerEnd, WorkerEnded,
};
use pointsman_model::{CallId, CallState, Lineage, Outcome, RunId, WorkerId};

use super::ground::Ground;
use crate::RunEvent;

/// What an agent whose call had not started is told, should anybody ask.
const NOT_STARTED: &str = "its agent was dropped before this call could start";

/// Why what was left can't be closed.
#[derive(Debug, thiserror::Error)]
enum CloseError {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the look at the ledger broke off")]
    Lost,
}

/// Closes what a dropped agent and all below it left open. Its task has ended, or hangs and won't be heard of again.
pub(super) async fn close_dropped(ground: &Arc<Ground>, top: WorkerId, why: &str) {
    close_as(ground, (top, WorkerEnd::Stopped), why).await;
}

/// The same of a job's worker that did not stop when the time of its job was up.
pub(super) async fn close_timed_out(ground: &Arc<Ground>, top: WorkerId, why: &str) {
    close_as(ground, (top, WorkerEnd::TimedOut), why).await;
}

async fn close_as(ground: &Arc<Ground>, (top, end): (WorkerId, WorkerEnd), why: &str) {
    ground.expect_no_longer(top);
    ground.end_open(EndScope::SubtreeOf(top), why).await;
    if let Err(error) = close(ground, (top, end), why).await {
        // The ledger's next start finds the gap and closes it.
        tracing::error!(worker = %top, %error, "what a dropped agent left could not be closed");
    }
}

async fn close(
    ground: &Arc<Ground>,
    (top, end): (WorkerId, WorkerEnd),
    why: &str,
) -> Result<(), CloseError> {
    let run = ground.run;
    let dropped = StopAsked {
        worker: Some(top),
        reason: why.into(),
    };
    // On disk with it is all that the agent recorded before.
    ground.ledger.append(run, dropped).await?;
    let left = look(ground, Whose::Family(top)).await?;
    let end_of = |worker| {
        if worker == top {
            end
        } else {
            WorkerEnd::Stopped
        }
    };
    close_left(ground, left, end_of, why).await
}

/// Closes what agents left that never came to their end: those below an agent that did not wait for them. Gives them.
pub(super) async fn close_rest(ground: &Arc<Ground>) -> Vec<WorkerId> {
    let closing = async {
        // What has ended and could not be recorded is no left-over.
        let ended = ground.ledger.settle(ground.run).await?;
        let mut left = look(ground, Whose::All).await?;
        left.without(&ended);
        let workers = left.workers.clone();
        let why = "it came to no end of its own and was dropped";
        close_left(ground, left, |_| WorkerEnd::Stopped, why).await?;
        Ok::<_, CloseError>(workers)
    };
    closing.await.unwrap_or_else(|error| {
        match error {
            // The ledger has said that it fails.
            CloseError::Append(error) => tracing::debug!(%error, "agents' leavings stay open"),
            CloseError::Read(_) | CloseError::Lost => {
                tracing::error!(%error, "what agents left could not be closed");
            }
        }
        Vec::new()
    })
}

async fn look(ground: &Ground, whose: Whose) -> Result<Left, CloseError> {
    let (path, run) = (ground.ledger.path().to_owned(), ground.run);
    let look = move || Left::of(&LedgerReader::open(&path)?, run, whose);
    let looked = tokio::task::spawn_blocking(look).await;
    Ok(looked.map_err(|_| CloseError::Lost)??)
}

async fn close_left(
    ground: &Ground,
    left: Left,
    end_of: impl Fn(WorkerId) -> WorkerEnd,
    why: &str,
) -> Result<(), CloseError> {
    let run = ground.run;
    for (call, on_its_way) in left.calls {
        let worker = on_its_way.worker;
        let record = match on_its_way.started {
            Started::Yes => RecordBody::from(CallUnknown { worker, call }),
            Started::No => RecordBody::from(CallEnded {
                worker,
                call,
                state: CallState::Cancelled,
                outcome: Some(Outcome::Cancelled),
                text: NOT_STARTED.into(),
                exit_code: None,
                took: None,
                left: CallLeft::default(),
            }),
        };
        ground.ledger.note(run, record).await?;
    }
    // Those below end before those that started them.
    for worker in left.workers.into_iter().rev() {
        ground.grants.retire(worker).await;
        let end = end_of(worker);
        let record = WorkerEnded {
            worker,
            end,
            text: why.into(),
        };
        ground.ledger.append(run, record).await?;
        let text = Arc::from(why);
        ground.tell(RunEvent::WorkerEnded { worker, end, text });
    }
    Ok(())
}

/// Whose leavings are looked for.
#[derive(Debug, Clone, Copy)]
enum Whose {
    /// Those of an agent and of all below it.
    Family(WorkerId),
    All,
}

/// A call that has no end.
struct OnItsWay {
    worker: WorkerId,
    started: Started,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    Yes,
    No,
}

/// What is without an end.
struct Left {
    calls: BTreeMap<CallId, OnItsWay>,
    /// The agents, in the order in which they were started.
    workers: Vec<WorkerId>,
}

impl Left {
    /// Leaves out what has ended by these.
    fn without(&mut self, ends: &[RecordBody]) {
        for end in ends {
            match end {
                RecordBody::CallEnded(ended) => drop(self.calls.remove(&ended.call)),
                RecordBody::WorkerEnded(ended) => {
                    self.workers.retain(|worker| *worker != ended.worker);
                }
                // No end of a call or an agent.
                _ => {}
            }
        }
    }

    /// What they left. Blocks on the disk.
    fn of(reader: &LedgerReader, run: RunId, whose: Whose) -> Result<Self, ReadError> {
        let counts = |lineage: &Lineage| match whose {
            Whose::Family(top) => lineage.includes(top),
            Whose::All => true,
        };
        let filter = Filter {
            kinds: vec![
                RecordKind::WorkerSpawned,
                RecordKind::WorkerEnded,
                RecordKind::CallRequested,
                RecordKind::CallStarted,
                RecordKind::CallEnded,
                RecordKind::CallUnknown,
            ],
            ..Filter::of_run(run)
        };
        let mut left = Self {
            calls: BTreeMap::new(),
            workers: Vec::new(),
        };
        let mut family = Vec::new();
        reader.each(&filter, |record| match record.body {
            RecordBody::WorkerSpawned(spawned) if counts(&spawned.lineage) => {
                let worker = spawned.lineage.agent().worker;
                family.push(worker);
                left.workers.push(worker);
            }
            RecordBody::WorkerEnded(ended) => {
                left.workers.retain(|worker| *worker != ended.worker);
            }
            RecordBody::CallRequested(requested) if family.contains(&requested.worker) => {
                let on_its_way = OnItsWay {
                    worker: requested.worker,
                    started: Started::No,
                };
                left.calls.insert(requested.call.id, on_its_way);
            }
            RecordBody::CallStarted(started) => {
                if let Some(call) = left.calls.get_mut(&started.call.id) {
                    call.started = Started::Yes;
                }
            }
            RecordBody::CallEnded(ended) => drop(left.calls.remove(&ended.call)),
            RecordBody::CallUnknown(unknown) => drop(left.calls.remove(&unknown.call)),
            // Others' agents and calls; the filter wants no other kind.
            _ => {}
        })?;
        Ok(left)
    }
}
