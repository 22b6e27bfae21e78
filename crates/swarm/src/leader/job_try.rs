//! One try of a job: its worker, the agents beside it, and the clock over them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use pointsman_agents::AgentEnd;
use pointsman_approvals::EndScope;
use pointsman_model::{Millis, Origin};
use pointsman_policy::Frozen;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::ground::Ground;
use super::life::{Birth, NotBorn, live};
use super::nursery::{BACKGROUND_MAX, Beside, Nursery};
use crate::job_file::Job;
use crate::plan::TryEnd;

/// How long agents have to end once they are told to: more than the grace between the two kill signals that a child
/// process gets, so that only a defect outlasts it.
pub(super) const STOP_WAIT_MAX: Duration = Duration::from_secs(15);

/// What one try came to.
pub(super) struct TryReport {
    pub(super) job: usize,
    pub(super) end: TryEnd,
    pub(super) took: Duration,
    /// What went wrong beside the end.
    pub(super) remarks: Vec<Box<str>>,
}

/// Tries a job once. Ends within the job's time and [`STOP_WAIT_MAX`], whatever its agents do.
///
/// Cancellation: dropped, all its agents are stopped and their process groups killed.
pub(super) async fn try_job(
    ground: Arc<Ground>,
    job: Arc<Job>,
    index: usize,
    frozen: Frozen,
) -> TryReport {
    let started = Instant::now();
    let worker = frozen.context.parts().lineage.agent().worker;
    let stop = ground.stop.child_token();
    let _stopped_when_dropped = stop.clone().drop_guard();
    let (beside, asked) = flume::bounded(BACKGROUND_MAX);
    let birth = Birth {
        frozen,
        task: job.task.clone(),
        origin: Origin::Foreground,
        steps: job.steps.clone(),
        stop: stop.clone(),
        spawner: Arc::new(Nursery::new(Arc::clone(&ground), beside)),
    };
    let mut family = pin!(family(&ground, birth, asked));
    let in_time = tokio::time::timeout(job.time_max, family.as_mut()).await;
    let (end, remarks) = match in_time {
        Ok(came) => came,
        Err(_) => {
            let text = format!("the time of the job `{}` is up", job.name);
            stop.cancel();
            ground.end_open(EndScope::SubtreeOf(worker), &text).await;
            // What it came to no longer matters, only that it ends.
            let late = tokio::time::timeout(STOP_WAIT_MAX, family.as_mut()).await;
            let time_max = Millis::from(job.time_max);
            (
                TryEnd::TimedOut { time_max },
                late.map_or_else(|_| Vec::new(), |(_, remarks)| remarks),
            )
        }
    };
    TryReport {
        job: index,
        end,
        took: started.elapsed(),
        remarks,
    }
}

/// The worker and the agents that live beside it; ends when all have ended.
async fn family(
    ground: &Arc<Ground>,
    birth: Birth,
    asked: flume::Receiver<Beside>,
) -> (TryEnd, Vec<Box<str>>) {
    let mut remarks = Vec::new();
    let mut beside: JoinSet<(String, Result<AgentEnd, NotBorn>)> = JoinSet::new();
    let mut worker = pin!(live(ground, birth));
    let mut end = None;
    while end.is_none() || !beside.is_empty() || !asked.is_empty() {
        tokio::select! {
            ended = worker.as_mut(), if end.is_none() => end = Some(ended),
            Ok(birth) = asked.recv_async() => {
                let ground = Arc::clone(ground);
                beside.spawn(async move {
                    let who = birth.frozen.context.parts().lineage.to_string();
                    (who, live(&ground, birth).await)
                });
            }
            Some(joined) = beside.join_next() => remarks.extend(remark(joined)),
        }
    }
    let end = match end {
        Some(Ok(AgentEnd::Done { summary })) => TryEnd::Done {
            summary: summary.into(),
        },
        Some(Ok(AgentEnd::Failed { reason })) => TryEnd::Failed {
            reason: reason.into(),
        },
        Some(Ok(AgentEnd::Halted { reason })) => TryEnd::Halted {
            reason: reason.into(),
        },
        Some(Ok(AgentEnd::Stopped)) | None => TryEnd::Stopped,
        Some(Err(not_born)) => TryEnd::Failed {
            reason: not_born.to_string().into(),
        },
    };
    (end, remarks)
}

/// What to say of an agent that lived beside its parent, when it did not end well.
fn remark(
    joined: Result<(String, Result<AgentEnd, NotBorn>), tokio::task::JoinError>,
) -> Option<Box<str>> {
    let text = match joined {
        Ok((_, Ok(AgentEnd::Done { .. } | AgentEnd::Stopped))) => return None,
        Ok((who, Ok(AgentEnd::Failed { reason }))) => {
            format!("`{who}`, in the background, failed: {reason}")
        }
        Ok((who, Ok(AgentEnd::Halted { reason }))) => {
            format!("`{who}`, in the background, was halted: {reason}")
        }
        Ok((who, Err(not_born))) => format!("`{who}` was not started: {not_born}"),
        Err(error) => format!("an agent in the background was lost: {error}"),
    };
    Some(text.into())
}
