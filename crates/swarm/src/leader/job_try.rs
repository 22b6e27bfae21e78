//! One try of a job: its worker, and the clock over it.

use std::sync::Arc;
use std::time::Duration;

use pointsman_agents::AgentEnd;
use pointsman_approvals::EndScope;
use pointsman_model::{Millis, Origin};
use pointsman_policy::Frozen;
use tokio::time::Instant;

use super::dropped::close_timed_out;
use super::ground::Ground;
use super::life::{Birth, Entrance, NotBorn, TimeUp, live};
use super::nursery::Nursery;
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
}

/// Tries a job once. Ends within the job's time and [`STOP_WAIT_MAX`], whatever its agents do.
///
/// Cancellation: dropped, all its agents are stopped and their process groups killed.
pub(super) async fn try_job(
    ground: Arc<Ground>,
    job: Arc<Job>,
    index: usize,
    (frozen, entrance): (Frozen, Entrance),
) -> TryReport {
    let started = Instant::now();
    let worker = frozen.context.parts().lineage.agent().worker;
    let stop = ground.stop.child_token();
    let time_up = TimeUp::default();
    let birth = Birth {
        frozen,
        entrance,
        task: job.task.clone(),
        origin: Origin::Foreground,
        call: None,
        on_record: None,
        work: job.work.clone(),
        resumes: job.resumes,
        stop: stop.clone(),
        time_up: time_up.clone(),
        spawner: Arc::new(Nursery::new(Arc::clone(&ground), &job)),
    };
    // On the heap, so that it can be dropped before the end of this function.
    let mut life = Box::pin(live(&ground, birth));
    let end = match tokio::time::timeout(job.time_max, life.as_mut()).await {
        Ok(came) => try_end(came),
        Err(_) => {
            let text = format!("the time of the job `{}` is up", job.name);
            time_up.tell(&text);
            stop.cancel();
            Box::pin(ground.end_open(EndScope::SubtreeOf(worker), &text)).await;
            // What it came to no longer matters, only that it ends. When it does not, the wait has dropped it.
            if tokio::time::timeout(STOP_WAIT_MAX, life).await.is_err() {
                let waited = STOP_WAIT_MAX.as_secs();
                let text = format!("{text}; {worker} did not stop within {waited} s more");
                Box::pin(close_timed_out(&ground, worker, &text)).await;
            }
            TryEnd::TimedOut {
                time_max: Millis::from(job.time_max),
            }
        }
    };
    TryReport {
        job: index,
        end,
        took: started.elapsed(),
    }
}

fn try_end(came: Result<AgentEnd, NotBorn>) -> TryEnd {
    match came {
        Ok(AgentEnd::Done { summary }) => TryEnd::Done {
            summary: summary.into(),
        },
        Ok(AgentEnd::Failed { reason }) => TryEnd::Failed {
            reason: reason.into(),
        },
        Ok(AgentEnd::Halted { reason }) => TryEnd::Halted {
            reason: reason.into(),
        },
        Ok(AgentEnd::Stopped) => TryEnd::Stopped,
        // The run's own limit.
        Err(not_born @ NotBorn::TooMany { .. }) => TryEnd::Halted {
            reason: not_born.to_string().into(),
        },
        Err(not_born @ NotBorn::NotRecorded(_)) => TryEnd::Failed {
            reason: not_born.to_string().into(),
        },
    }
}
