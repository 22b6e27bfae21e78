//! What people had made of a run before its leader died, and what holds on under the next: it is paused still, rules
//! that were added since bind still, modes that were lowered stay low. Grants end with their leader: what they allowed
//! is asked again.

use std::collections::BTreeSet;

use pointsman_approvals::Grants;
use pointsman_ledger::RunOrder;
use pointsman_model::{PermissionMode, PermissionRule, WorkerId};
use pointsman_tools::{Course, Pace};

/// See the module's words.
#[derive(Default)]
pub(super) struct PastOrders {
    pub(super) tightenings: Vec<PermissionRule>,
    ceilings: Vec<(Option<WorkerId>, PermissionMode)>,
    paused: Option<Course>,
    held: BTreeSet<WorkerId>,
}

impl PastOrders {
    /// Takes the next order in.
    pub(super) fn given(&mut self, order: RunOrder) {
        match order {
            RunOrder::Pause => self.paused = Some(Course::Paused),
            RunOrder::GoOn => self.paused = None,
            RunOrder::Hold { worker } => {
                self.held.insert(worker);
            }
            RunOrder::LetGo { worker } => {
                self.held.remove(&worker);
            }
            RunOrder::LowerMode { worker, mode } => self.ceilings.push((worker, mode)),
            // Jobs and their tries have their own past; what was said is in the conversation; a terminal that is closed
            // is its leader's alone.
            RunOrder::Retry { .. }
            | RunOrder::Add { .. }
            | RunOrder::FollowUp { .. }
            | RunOrder::HangUp { .. } => {}
        }
    }

    /// An agent has ended: nothing holds it any more.
    pub(super) fn ended(&mut self, worker: WorkerId) {
        self.held.remove(&worker);
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
