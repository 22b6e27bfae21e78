//! The leader carries out orders.

use std::sync::Arc;

use pointsman_ledger::{AppendError, OrderGiven, RunOrder};
use pointsman_model::{Answerer, Attended, WorkerId};
use pointsman_tools::Course;

use super::contexts::{job_grounds, stopping};
use super::orders::{JobFound, Order, OrderError, RetryWhich};
use super::roster::of_job_file;
use super::work::{check_models, key_not_withheld};
use super::{Leader, Progress};
use crate::plan::{PlanEffect, PlanEvent, Standing};
use crate::{JobEnd, JobFile, JobState};

impl Leader {
    /// Carries one order out, and says what the plan makes of it.
    pub(super) async fn obey(&mut self, order: Order) -> Vec<PlanEffect> {
        match order {
            Order::Pace {
                of,
                course,
                by,
                done,
            } => {
                let (came, effects) = match of {
                    None => self.set_pace(course),
                    Some(worker) => (self.set_pace_for(worker, course), Vec::new()),
                };
                let told = match came {
                    Ok(order) => self.recorded(by, order).await,
                    Err(error) => Err(error),
                };
                // Whoever asked may have gone.
                let _ = done.send(told);
                effects
            }
            Order::Retry { which, by, done } => match self.retry(&which) {
                Err(error) => {
                    let _ = done.send(Err(error));
                    Vec::new()
                }
                Ok((names, effects)) => {
                    let jobs = names.iter().map(|name| name.as_ref().into()).collect();
                    let recorded = self.recorded(by, RunOrder::Retry { jobs }).await;
                    let _ = done.send(recorded.map(|()| names));
                    effects
                }
            },
            Order::StopJob {
                job,
                text,
                by,
                done,
            } => {
                let (came, effects) = self.obey_stop(job, text, by).await;
                let _ = done.send(came);
                effects
            }
            Order::Add { job_file, by, done } => {
                let (file, digest) = (job_file.path.as_ref().into(), job_file.digest);
                let at = job_file.at.clone();
                match self.add(*job_file) {
                    Err(error) => {
                        let _ = done.send(Err(error));
                        Vec::new()
                    }
                    Ok((names, effects)) => {
                        let jobs = names.iter().map(|name| name.as_ref().into()).collect();
                        let order = RunOrder::Add {
                            jobs,
                            file,
                            digest,
                            at,
                        };
                        let recorded = self.recorded(by, order).await;
                        let _ = done.send(recorded.map(|()| names));
                        effects
                    }
                }
            }
        }
    }

    fn set_pace(&mut self, course: Course) -> (Result<RunOrder, OrderError>, Vec<PlanEffect>) {
        self.ground.pace.set(course);
        let (order, event) = match course {
            Course::Paused => (RunOrder::Pause, PlanEvent::Pause),
            Course::On => (RunOrder::GoOn, PlanEvent::GoOn),
        };
        (Ok(order), self.plan.handle(event))
    }

    fn set_pace_for(&self, worker: WorkerId, course: Course) -> Result<RunOrder, OrderError> {
        let pace = &self.ground.pace;
        let was_held = pace.held().contains(&worker);
        // Looked at before it: an agent that comes to live again meanwhile is at work then.
        let is_expected = self.ground.directory.is_expected(worker);
        pace.set_for(worker, course);
        // Looked at behind it: an agent that ends meanwhile takes what holds it along.
        let is_at_work = self.ground.directory.get(worker).is_some();
        match course {
            Course::Paused if is_at_work => Ok(RunOrder::Hold { worker }),
            // One that does not live again yet is held from its first call on.
            Course::Paused if was_held || is_expected => Ok(RunOrder::Hold { worker }),
            Course::On if is_at_work || was_held => Ok(RunOrder::LetGo { worker }),
            Course::Paused | Course::On => {
                pace.set_for(worker, Course::On);
                Err(OrderError::NotAtWork(worker))
            }
        }
    }

    fn retry(
        &mut self,
        which: &RetryWhich,
    ) -> Result<(Vec<Arc<str>>, Vec<PlanEffect>), OrderError> {
        let jobs = self.plan.retried(which)?;
        let names = jobs.iter().map(|job| self.name(*job)).collect();
        // Before whoever ordered it hears that it is done.
        for job in self.plan.with_those_that_need(&jobs) {
            self.reopen(job);
        }
        Ok((names, self.plan.handle(PlanEvent::Retry { jobs })))
    }

    /// Stops a job that is not at work, and puts it on record; the stop of an agent is on record for itself.
    async fn obey_stop(
        &mut self,
        job: Box<str>,
        text: Box<str>,
        by: Answerer,
    ) -> (Result<JobFound, OrderError>, Vec<PlanEffect>) {
        match self.stop_job(&job) {
            Err(error) => (Err(error), Vec::new()),
            Ok((at_work @ JobFound::Worker(_), effects)) => (Ok(at_work), effects),
            Ok((waited @ JobFound::Waited { .. }, effects)) => {
                let order = RunOrder::StopJob { job, text };
                let recorded = self.recorded(by, order).await;
                (recorded.map(|()| waited), effects)
            }
        }
    }

    /// Ends a job that is not at work, or says who is at it.
    fn stop_job(&mut self, name: &str) -> Result<(JobFound, Vec<PlanEffect>), OrderError> {
        let found = self.jobs.iter().position(|job| *job.name == *name);
        let Some((job, standing)) = found.and_then(|job| Some((job, self.plan.standing(job)?)))
        else {
            return Err(OrderError::NoSuchJob {
                job: name.into(),
                has: self.jobs.iter().map(|job| Arc::clone(&job.name)).collect(),
            });
        };
        match standing {
            Standing::Ended(end) => Err(OrderError::JobEnded {
                job: name.into(),
                end,
            }),
            Standing::Runs => {
                let progress = self.progress.get(job);
                // INVARIANT (leader): a try is told to its job before anybody gives an order.
                let worker = progress.and_then(|progress| progress.worker);
                let at_work = worker.map(|worker| (JobFound::Worker(worker), Vec::new()));
                at_work.ok_or(OrderError::Ending)
            }
            // It waits to be what it was: its past is told to the plan as it would have been then.
            Standing::Waits if let Some(last) = self.ground.past.tries_of(name).pop() => {
                match last.end {
                    None => Ok((JobFound::Worker(last.worker), Vec::new())),
                    Some(_) => Err(OrderError::NotTakenUp(name.into())),
                }
            }
            Standing::Waits => {
                let effects = self.plan.handle(PlanEvent::StopWaiting { job });
                let mut skipped = Vec::new();
                // Before whoever ordered it hears that it is done.
                for effect in &effects {
                    if let PlanEffect::Ended { job, end } = effect {
                        self.board.set(*job, JobState::Ended(end.clone()));
                        if let JobEnd::Skipped { .. } = end {
                            skipped.push(self.name(*job));
                        }
                    }
                }
                Ok((JobFound::Waited { skipped }, effects))
            }
        }
    }

    /// Lets the jobs of another file join. What its agents may do is worked out as at the start, from the same
    /// settings; who named the file has said yes to it.
    fn add(&mut self, file: JobFile) -> Result<(Vec<Arc<str>>, Vec<PlanEffect>), OrderError> {
        if self.plan.is_over() {
            return Err(OrderError::Ending);
        }
        let taken = |name: &Arc<str>| self.jobs.iter().any(|job| job.name == *name);
        if let Some(job) = file.jobs.iter().find(|job| taken(&job.name)) {
            return Err(OrderError::NameTaken(Arc::clone(&job.name)));
        }
        let known = |name| self.ground.agents.contains_key(name);
        if let Some(name) = file.agents.keys().find(|name| known(name)) {
            return Err(OrderError::AgentTaken(name.as_str().into()));
        }
        let before = std::mem::replace(&mut self.options.job_file, file);
        let joined = self.joined();
        if joined.is_err() {
            self.options.job_file = before;
        }
        joined
    }

    /// The jobs of the file that the options hold now, in the plan.
    fn joined(&mut self) -> Result<(Vec<Arc<str>>, Vec<PlanEffect>), OrderError> {
        let (grounds, problems) = job_grounds(&self.options)?;
        check_models(&self.options)?;
        if let Some(variable) = key_not_withheld(&self.options) {
            return Err(OrderError::KeyNotWithheld(variable.into()));
        }
        match self.options.attended {
            Attended::Yes => {}
            Attended::No => {
                if let Some(problem) = stopping(&problems).into_iter().next() {
                    return Err(OrderError::Rules(Box::new(problem)));
                }
            }
        }
        let file = &self.options.job_file;
        for (name, agent) in &file.agents {
            self.ground.agents.insert(name.clone(), of_job_file(agent));
        }
        let names = file.jobs.iter().map(|job| Arc::clone(&job.name)).collect();
        self.jobs.extend(file.jobs.iter().cloned().map(Arc::new));
        self.job_grounds.extend(grounds);
        self.board.add(&file.jobs);
        self.progress.resize(self.jobs.len(), Progress::default());
        let jobs = file.jobs.clone();
        Ok((names, self.plan.handle(PlanEvent::Add { jobs })))
    }

    /// Puts an order on disk, before whoever gave it hears that it is carried out: the next leader has to know it.
    async fn recorded(&self, by: Answerer, order: RunOrder) -> Result<(), OrderError> {
        let given = OrderGiven { by, order };
        let recorded: Result<_, AppendError> =
            self.ground.ledger.append(self.ground.run, given).await;
        recorded.map(drop).map_err(OrderError::NotRecorded)
    }
}
