//! Jobs that are tried again: which can be, and what is open again with them.

use std::sync::Arc;

use super::{Plan, PlanEffect, Planned, State};
use crate::{JobEnd, RetryWhich};

/// Why a job is not tried again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRetried {
    /// The run is at its end.
    #[error("the run is ending; no job is tried again")]
    Ending,
    /// There is no such job.
    #[error(
        "the run has no job `{0}`: `pointsman log` tells which have run, the job file which there are"
    )]
    Unknown(Box<str>),
    /// It has not ended.
    #[error("the job `{0}` has not ended")]
    NotEnded(Arc<str>),
    /// It ended well.
    #[error("the job `{0}` is done")]
    Done(Arc<str>),
    /// It never ran, for another one that did not end well.
    #[error("the job `{job}` never ran, since `{because}` did not end well: try that one again")]
    Skipped {
        /// The job.
        job: Arc<str>,
        /// What it needs.
        because: Arc<str>,
    },
    /// It needs another one that did not end well, so it could never begin.
    #[error("the job `{job}` needs `{because}`, which did not end well: try that one again, too")]
    Held {
        /// The job.
        job: Arc<str>,
        /// What it needs.
        because: Arc<str>,
    },
    /// No job has ended badly.
    #[error("no job of this run has failed")]
    NoneFailed,
}

impl Planned {
    /// Whether it may be tried again.
    pub(super) fn check_retry(&self) -> Result<(), NotRetried> {
        let name = Arc::clone(&self.name);
        match &self.state {
            State::Ended(
                JobEnd::Failed { .. }
                | JobEnd::TimedOut { .. }
                | JobEnd::Stopped
                | JobEnd::Halted { .. },
            ) => Ok(()),
            State::Ended(JobEnd::Done { .. }) => Err(NotRetried::Done(name)),
            State::Ended(JobEnd::Skipped { because }) => Err(NotRetried::Skipped {
                job: name,
                because: Arc::clone(because),
            }),
            State::Waiting { .. }
            | State::Queued { .. }
            | State::Running { .. }
            | State::Resting { .. } => Err(NotRetried::NotEnded(name)),
        }
    }
}

impl Plan {
    /// The jobs that are meant, if all of them can be tried again.
    ///
    /// # Errors
    /// For the first that can't.
    pub(crate) fn retried(&self, which: &RetryWhich) -> Result<Vec<usize>, NotRetried> {
        if self.is_over() {
            return Err(NotRetried::Ending);
        }
        let names = match which {
            RetryWhich::Named(names) => names,
            RetryWhich::AllFailed => {
                let all = self.jobs.iter().enumerate();
                let failed = all.filter(|(_, planned)| planned.check_retry().is_ok());
                let failed: Vec<usize> = failed.map(|(at, _)| at).collect();
                if failed.is_empty() {
                    return Err(NotRetried::NoneFailed);
                }
                return self.check_needs(&failed).map(|()| failed);
            }
        };
        let mut jobs = Vec::new();
        for name in names {
            let found = self.jobs.iter().position(|planned| *planned.name == **name);
            let at = found.ok_or_else(|| NotRetried::Unknown(name.clone()))?;
            if let Some(planned) = self.jobs.get(at) {
                planned.check_retry()?;
            }
            if !jobs.contains(&at) {
                jobs.push(at);
            }
        }
        self.check_needs(&jobs).map(|()| jobs)
    }

    /// These jobs, and those that were skipped for them.
    pub(crate) fn with_those_that_need(&self, jobs: &[usize]) -> Vec<usize> {
        let mut all = jobs.to_vec();
        let mut at = 0;
        while let Some(job) = all.get(at).copied() {
            for wanting in self.wanted_by(job) {
                let skipped = matches!(
                    self.state(wanting),
                    Some(State::Ended(JobEnd::Skipped { .. }))
                );
                if skipped && !all.contains(&wanting) {
                    all.push(wanting);
                }
            }
            at += 1;
        }
        all
    }

    /// Opens these jobs and those that were skipped for them; gives all of them. Each waits for what it needs.
    fn retry(&mut self, jobs: &[usize]) -> Vec<usize> {
        let reopened = self.with_those_that_need(jobs);
        for job in &reopened {
            self.open += 1;
            self.set(*job, State::Waiting { needs_left: 0 });
        }
        for job in &reopened {
            let not_done = |planned: &&Planned| {
                planned.wanted_by.contains(job)
                    && !matches!(planned.state, State::Ended(JobEnd::Done { .. }))
            };
            let needs_left = self.jobs.iter().filter(not_done).count();
            self.set(*job, State::Waiting { needs_left });
            if needs_left == 0 {
                self.queue_up(*job, 1);
            }
        }
        reopened
    }

    /// Fails for the first of these that needs a job, or one that is skipped for such a job, which did not end well and is
    /// not tried again with them: it could never begin.
    fn check_needs(&self, jobs: &[usize]) -> Result<(), NotRetried> {
        let reopened = self.with_those_that_need(jobs);
        let mut lost: Vec<usize> = self
            .ended_badly()
            .filter(|at| !reopened.contains(at))
            .collect();
        let mut at = 0;
        while let Some(needed) = lost.get(at).copied() {
            for held in self.wanted_by(needed) {
                if let (true, Some(job), Some(because)) = (
                    jobs.contains(&held),
                    self.jobs.get(held),
                    self.jobs.get(needed),
                ) {
                    return Err(NotRetried::Held {
                        job: Arc::clone(&job.name),
                        because: Arc::clone(&because.name),
                    });
                }
                if reopened.contains(&held) && !lost.contains(&held) {
                    lost.push(held);
                }
            }
            at += 1;
        }
        Ok(())
    }

    pub(super) fn reopen(&mut self, jobs: &[usize], effects: &mut Vec<PlanEffect>) {
        let reopened = self.retry(jobs);
        effects.extend(
            reopened
                .iter()
                .map(|job| PlanEffect::Reopened { job: *job }),
        );
        // One that needs another job besides, which has its end and is not tried again, would wait for ever.
        let lost: Vec<usize> = self.ended_badly().collect();
        for job in lost {
            self.skip_wanting(job, effects);
        }
    }

    /// The jobs whose end lets none begin that needs them.
    fn ended_badly(&self) -> impl Iterator<Item = usize> {
        let all = self.jobs.iter().enumerate();
        let ended_badly = all.filter(|(_, planned)| match &planned.state {
            State::Ended(end) => !matches!(end, JobEnd::Done { .. }),
            State::Waiting { .. }
            | State::Queued { .. }
            | State::Running { .. }
            | State::Resting { .. } => false,
        });
        ended_badly.map(|(at, _)| at)
    }
}
