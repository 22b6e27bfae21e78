//! The plan of a run: which job may start, when, and what its end means for the others.
//!
//! A plain state machine. [`Plan::handle`] takes one event and says what is to be done; nothing here waits, spawns
//! or looks at a clock, so tests drive it through any order of events.

mod retry;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use pointsman_model::Millis;
use pointsman_tools::Course;

pub use self::retry::NotRetried;
use crate::job_file::{FailurePolicy, Job, Retry};
use crate::{JobEnd, StopReason};

/// The longest wait between two tries; doubling stops there.
const RETRY_WAIT_MAX: Duration = Duration::from_secs(5 * 60);

/// How one try of a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TryEnd {
    Done { summary: Box<str> },
    Failed { reason: Box<str> },
    TimedOut { time_max: Millis },
    Stopped,
    Halted { reason: Box<str> },
}

/// What happened.
#[derive(Debug, Clone)]
pub(crate) enum PlanEvent {
    /// The run begins.
    Begin,
    /// A try of a job ended.
    TryEnded { job: usize, end: TryEnd },
    /// The same of a try of an earlier reign, behind which there was another: a job that was at its end with it was
    /// tried again by a person.
    TriedAgain { job: usize, end: TryEnd },
    /// The wait before a job's next try is over.
    RetryDue { job: usize },
    /// No job is to start until the run goes on.
    Pause,
    /// Jobs start again.
    GoOn,
    /// These ended jobs are to be tried again; see [`Plan::retried`].
    Retry { jobs: Vec<usize> },
    /// A person stops this job, which is not at work.
    StopWaiting { job: usize },
    /// These jobs join; what they need is counted from the first of them.
    Add { jobs: Vec<Job> },
    /// Everything is to stop.
    Stop(StopReason),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlanEffect {
    /// Start a job's try.
    Start { job: usize, attempt: u32 },
    /// Say [`PlanEvent::RetryDue`] after a wait.
    Wait {
        job: usize,
        attempt: u32,
        wait: Duration,
        reason: Box<str>,
    },
    /// Tell that a job has ended.
    Ended { job: usize, end: JobEnd },
    /// A job that had ended is open again.
    Reopened { job: usize },
    /// Stop all that runs.
    StopAll(StopReason),
    /// Nothing is left to do.
    Finish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// So many of the jobs it needs have not ended yet.
    Waiting {
        needs_left: usize,
    },
    /// It waits for a slot.
    Queued {
        attempt: u32,
    },
    Running {
        attempt: u32,
    },
    /// It failed and waits for its next try.
    Resting {
        attempt: u32,
    },
    Ended(JobEnd),
}

struct Planned {
    name: Arc<str>,
    /// The jobs that need this one.
    wanted_by: Vec<usize>,
    retry: Retry,
    on_failure: FailurePolicy,
    state: State,
}

/// The plan. Every job ends exactly once, and [`PlanEffect::Finish`] comes exactly once, after the last.
pub(crate) struct Plan {
    jobs: Vec<Planned>,
    queue: VecDeque<usize>,
    slots_free: u32,
    running: usize,
    open: usize,
    stopping: Option<StopReason>,
    course: Course,
    finished: bool,
}

/// What a person who stops a job finds it at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It waits for others, for a slot or for its next try.
    Waits,
    Runs,
    Ended(JobEnd),
}

/// The jobs as the plan keeps them, the first of them at that place.
fn planned(jobs: &[Job], first: usize) -> Vec<Planned> {
    let mut planned: Vec<Planned> = jobs
        .iter()
        .map(|job| Planned {
            name: Arc::clone(&job.name),
            wanted_by: Vec::new(),
            retry: job.retry,
            on_failure: job.on_failure,
            state: State::Waiting {
                needs_left: job.needs.len(),
            },
        })
        .collect();
    for (index, job) in jobs.iter().enumerate() {
        for need in &job.needs {
            if let Some(needed) = planned.get_mut(*need) {
                needed.wanted_by.push(first + index);
            }
        }
    }
    planned
}

impl Plan {
    pub(crate) fn new(jobs: &[Job], slots: u32) -> Self {
        let planned = planned(jobs, 0);
        Self {
            open: planned.len(),
            jobs: planned,
            queue: VecDeque::new(),
            slots_free: slots,
            running: 0,
            stopping: None,
            course: Course::On,
            finished: false,
        }
    }

    /// Whether nothing can join any more.
    pub(crate) fn is_over(&self) -> bool {
        self.finished || self.stopping.is_some()
    }

    /// Lets the jobs of another file join before the run begins.
    pub(crate) fn join(&mut self, jobs: &[Job]) {
        let first = self.jobs.len();
        self.jobs.extend(planned(jobs, first));
        self.open += jobs.len();
    }

    fn add(&mut self, jobs: &[Job]) {
        let first = self.jobs.len();
        self.join(jobs);
        self.queue_ready(first);
    }

    /// Queues the jobs from that place on that need nothing.
    fn queue_ready(&mut self, first: usize) {
        let ready = |planned: &Planned| planned.state == State::Waiting { needs_left: 0 };
        let ready: Vec<usize> = (first..self.jobs.len())
            .filter(|job| self.jobs.get(*job).is_some_and(ready))
            .collect();
        for job in ready {
            self.queue_up(job, 1);
        }
    }

    /// Where that job stands.
    pub(crate) fn standing(&self, job: usize) -> Option<Standing> {
        Some(match self.state(job)? {
            State::Waiting { .. } | State::Queued { .. } | State::Resting { .. } => Standing::Waits,
            State::Running { .. } => Standing::Runs,
            State::Ended(end) => Standing::Ended(end),
        })
    }

    /// Why everything is being stopped, when it is.
    pub(crate) fn stopping(&self) -> Option<&StopReason> {
        self.stopping.as_ref()
    }

    /// Takes one event. One that does not fit the job's state (a retry of a job that has ended) is nothing.
    pub(crate) fn handle(&mut self, event: PlanEvent) -> Vec<PlanEffect> {
        let mut effects = Vec::new();
        match event {
            PlanEvent::Begin => {
                self.queue_ready(0);
            }
            PlanEvent::Pause => self.course = Course::Paused,
            PlanEvent::GoOn => self.course = Course::On,
            PlanEvent::Retry { jobs } => self.reopen(&jobs, &mut effects),
            PlanEvent::StopWaiting { job } => self.stop_waiting(job, &mut effects),
            PlanEvent::Add { jobs } => self.add(&jobs),
            PlanEvent::TryEnded { job, end } => self.try_ended(job, end, &mut effects),
            PlanEvent::TriedAgain { job, end } => {
                self.try_ended(job, end, &mut effects);
                let ended = self
                    .jobs
                    .get(job)
                    .is_some_and(|job| job.check_retry().is_ok());
                if ended && self.stopping.is_none() {
                    self.reopen(&[job], &mut effects);
                }
            }
            PlanEvent::RetryDue { job } => {
                if let Some(State::Resting { attempt }) = self.state(job) {
                    self.queue_up(job, attempt + 1);
                }
            }
            PlanEvent::Stop(reason) => self.stop(reason, &mut effects),
        }
        self.fill_slots(&mut effects);
        if self.open == 0 && !self.finished {
            self.finished = true;
            effects.push(PlanEffect::Finish);
        }
        effects
    }

    fn state(&self, job: usize) -> Option<State> {
        self.jobs.get(job).map(|planned| planned.state.clone())
    }

    fn set(&mut self, job: usize, state: State) {
        if let Some(planned) = self.jobs.get_mut(job) {
            planned.state = state;
        }
    }

    fn queue_up(&mut self, job: usize, attempt: u32) {
        self.set(job, State::Queued { attempt });
        self.queue.push_back(job);
    }

    fn fill_slots(&mut self, effects: &mut Vec<PlanEffect>) {
        while self.slots_free > 0 && self.course == Course::On {
            let Some(job) = self.queue.pop_front() else {
                return;
            };
            // A stop, of a job or of all, ends queued jobs without taking them out of the queue.
            let Some(State::Queued { attempt }) = self.state(job) else {
                continue;
            };
            self.set(job, State::Running { attempt });
            self.slots_free -= 1;
            self.running += 1;
            effects.push(PlanEffect::Start { job, attempt });
        }
    }

    fn try_ended(&mut self, job: usize, end: TryEnd, effects: &mut Vec<PlanEffect>) {
        let Some(State::Running { attempt }) = self.state(job) else {
            return;
        };
        self.slots_free += 1;
        self.running -= 1;
        let (failed, reason): (JobEnd, Box<str>) = match end {
            TryEnd::Done { summary } => {
                self.end(job, JobEnd::Done { summary }, effects);
                return;
            }
            TryEnd::Stopped => {
                self.end(job, JobEnd::Stopped, effects);
                self.skip_wanting(job, effects);
                return;
            }
            TryEnd::Halted { reason } => {
                self.end(job, JobEnd::Halted { reason }, effects);
                self.skip_wanting(job, effects);
                return;
            }
            TryEnd::Failed { reason } => (
                JobEnd::Failed {
                    reason: reason.clone(),
                },
                reason,
            ),
            TryEnd::TimedOut { time_max } => {
                let reason = format!("its time of {} s was up", time_max.0 / 1000);
                (JobEnd::TimedOut { time_max }, reason.into())
            }
        };
        let Some((retry, on_failure, name)) = self
            .jobs
            .get(job)
            .map(|planned| (planned.retry, planned.on_failure, Arc::clone(&planned.name)))
        else {
            return;
        };
        if attempt <= retry.times && self.stopping.is_none() {
            self.set(job, State::Resting { attempt });
            let wait = back_off(retry.wait, attempt);
            effects.push(PlanEffect::Wait {
                job,
                attempt,
                wait,
                reason,
            });
            return;
        }
        self.end(job, failed, effects);
        self.skip_wanting(job, effects);
        match on_failure {
            FailurePolicy::Continue => {}
            FailurePolicy::Stop => self.stop(StopReason::JobFailed { job: name }, effects),
        }
    }

    /// Ends a job, and lets those that waited for it alone queue up when it ended well.
    fn end(&mut self, job: usize, end: JobEnd, effects: &mut Vec<PlanEffect>) {
        let done = matches!(end, JobEnd::Done { .. });
        self.set(job, State::Ended(end.clone()));
        self.open -= 1;
        effects.push(PlanEffect::Ended { job, end });
        if !done || self.stopping.is_some() {
            return;
        }
        for wanting in self.wanted_by(job) {
            match self.state(wanting) {
                Some(State::Waiting { needs_left: 1 }) => self.queue_up(wanting, 1),
                Some(State::Waiting { needs_left }) => {
                    let needs_left = needs_left.saturating_sub(1);
                    self.set(wanting, State::Waiting { needs_left });
                }
                Some(State::Queued { .. } | State::Running { .. } | State::Resting { .. })
                | Some(State::Ended(_))
                | None => {}
            }
        }
    }

    /// Ends all jobs that need `job`, directly or through others.
    fn skip_wanting(&mut self, job: usize, effects: &mut Vec<PlanEffect>) {
        let mut failed = vec![job];
        while let Some(job) = failed.pop() {
            let Some(because) = self.jobs.get(job).map(|planned| Arc::clone(&planned.name)) else {
                continue;
            };
            for wanting in self.wanted_by(job) {
                if let Some(State::Waiting { .. }) = self.state(wanting) {
                    let because = Arc::clone(&because);
                    self.end(wanting, JobEnd::Skipped { because }, effects);
                    failed.push(wanting);
                }
            }
        }
    }

    fn stop_waiting(&mut self, job: usize, effects: &mut Vec<PlanEffect>) {
        if self.standing(job) == Some(Standing::Waits) {
            self.end(job, JobEnd::Stopped, effects);
            self.skip_wanting(job, effects);
        }
    }

    fn wanted_by(&self, job: usize) -> Vec<usize> {
        self.jobs
            .get(job)
            .map_or_else(Vec::new, |planned| planned.wanted_by.clone())
    }

    fn stop(&mut self, reason: StopReason, effects: &mut Vec<PlanEffect>) {
        if self.stopping.is_some() || self.finished {
            return;
        }
        self.stopping = Some(reason.clone());
        effects.push(PlanEffect::StopAll(reason));
        for job in 0..self.jobs.len() {
            match self.state(job) {
                Some(State::Waiting { .. } | State::Queued { .. } | State::Resting { .. }) => {
                    self.end(job, JobEnd::Stopped, effects);
                }
                Some(State::Running { .. } | State::Ended(_)) | None => {}
            }
        }
    }
}

/// Doubles with each try, up to a bound.
fn back_off(first: Duration, attempt: u32) -> Duration {
    let doubled = 1_u32
        .checked_shl(attempt - 1)
        .and_then(|factor| first.checked_mul(factor));
    doubled.map_or(RETRY_WAIT_MAX, |wait| wait.min(RETRY_WAIT_MAX))
}

#[cfg(test)]
mod tests;
