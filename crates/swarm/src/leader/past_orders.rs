//! What people had made of a run before its leader died, and what holds on under the next: it is paused still, rules
//! that were added since bind still, modes that were lowered stay low. Grants end with their leader: what they allowed
//! is asked again.

use std::collections::{BTreeSet, HashSet};

use pointsman_approvals::Grants;
use pointsman_ledger::RunOrder;
use pointsman_model::{PermissionMode, PermissionRule, RunId, WorkerId};
use pointsman_tools::{Course, Pace};

/// See the module's words.
#[derive(Default)]
pub(super) struct PastOrders {
    pub(super) tightenings: Vec<PermissionRule>,
    ceilings: Vec<(Option<WorkerId>, PermissionMode)>,
    paused: Option<Course>,
    held: BTreeSet<WorkerId>,
    ended: HashSet<WorkerId>,
    /// Jobs that are to be tried again, and were not before their leader died.
    retries: BTreeSet<Box<str>>,
    /// Jobs that were stopped while they were not at work, and were not to be tried again since.
    stopped: BTreeSet<Box<str>>,
}

impl PastOrders {
    /// Takes the next order in.
    pub(super) fn given(&mut self, order: RunOrder) {
        match order {
            RunOrder::Pause => self.paused = Some(Course::Paused),
            RunOrder::GoOn => self.paused = None,
            // An order that was on its way when the agent ended holds nobody.
            RunOrder::Hold { worker } if self.ended.contains(&worker) => {}
            RunOrder::Hold { worker } => {
                self.held.insert(worker);
            }
            RunOrder::LetGo { worker } => {
                self.held.remove(&worker);
            }
            RunOrder::LowerMode { worker, mode } => self.ceilings.push((worker, mode)),
            RunOrder::Retry { jobs } => {
                for job in &jobs {
                    self.stopped.remove(job);
                }
                self.retries.extend(jobs);
            }
            RunOrder::StopJob { job, .. } => {
                self.retries.remove(&job);
                self.stopped.insert(job);
            }
            // Jobs have their own past; what was said is in the conversation; a terminal that is closed is its leader's
            // alone.
            RunOrder::Add { .. } | RunOrder::FollowUp { .. } | RunOrder::HangUp { .. } => {}
        }
    }

    /// A try of that job was begun: if it was ordered, it is carried out.
    pub(super) fn tried(&mut self, job: &str) {
        self.retries.remove(job);
    }

    /// Whether that job was stopped while it was not at work, and is to stay so.
    pub(super) fn is_stopped(&self, job: &str) -> bool {
        self.stopped.contains(job)
    }

    /// Whether that job is to be tried once more than it was.
    pub(super) fn is_retried(&self, job: &str) -> bool {
        self.retries.contains(job)
    }

    /// An agent has ended: nothing holds it any more.
    pub(super) fn ended(&mut self, worker: WorkerId) {
        self.held.remove(&worker);
        self.ended.insert(worker);
    }

    /// What is paused, by its name.
    pub(super) fn paused(&self, run: RunId) -> Vec<String> {
        let whole = self.paused.map(|_| run.to_string());
        let held = self.held.iter().map(ToString::to_string);
        whole.into_iter().chain(held).collect()
    }

    /// Ends all pauses; gives the orders that say so.
    pub(super) fn go_on(&mut self) -> Vec<RunOrder> {
        let whole = self.paused.take().map(|_| RunOrder::GoOn);
        let held = std::mem::take(&mut self.held).into_iter();
        let let_go = held.map(|worker| RunOrder::LetGo { worker });
        whole.into_iter().chain(let_go).collect()
    }

    /// The run's course.
    pub(super) fn course(&self) -> Course {
        self.paused.unwrap_or(Course::On)
    }

    /// Puts it in force again; all of it is on record.
    pub(super) fn put_in_force(&self, grants: &Grants, pace: &Pace) {
        grants.take_over(&self.tightenings, &self.ceilings);
        pace.set(self.course());
        for worker in &self.held {
            pace.set_for(*worker, Course::Paused);
        }
    }

    /// What the person has to know of it, a line each.
    pub(super) fn told(&self) -> Vec<Box<str>> {
        let run = self.paused.map(|_| {
            "the run is paused, as it was when its leader died: `pointsman pause --off` lets it go on"
                .into()
        });
        let held = self.held.iter().map(|worker| {
            format!("{worker} is paused, as it was when its leader died: `pointsman pause --off {worker}` lets it go on").into()
        });
        run.into_iter().chain(held).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders and ends in the order of their records, and what is paused after them.
    #[test]
    fn who_has_ended_is_held_by_nothing() {
        let worker = WorkerId::new(RunId::FIRST, 1);
        let other = WorkerId::new(RunId::FIRST, 2);
        let hold = |worker| RunOrder::Hold { worker };
        let mut orders = PastOrders::default();
        orders.given(hold(worker));
        assert_eq!(orders.paused(RunId::FIRST), ["w1-1"]);
        orders.ended(worker);
        assert!(orders.paused(RunId::FIRST).is_empty());
        orders.given(hold(worker));
        orders.given(hold(other));
        assert_eq!(orders.paused(RunId::FIRST), ["w1-2"]);
        assert_eq!(orders.go_on(), [RunOrder::LetGo { worker: other }]);
    }
}
