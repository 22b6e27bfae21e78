//! The pace of a run: whether its agents go on with their next call, or are held there.
//!
//! The leader sets it, for all or for one agent with all below it; each agent's dispatch waits at it before a call is
//! looked at. What runs already, and what is asked already, is not touched.

use std::collections::BTreeSet;
use std::sync::Arc;

use pointsman_model::{Lineage, WorkerId};
use tokio::sync::watch;

/// Whether agents go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Course {
    /// They do.
    On,
    /// Their next calls wait; when it is the run's course, no job starts either.
    Paused,
}

/// The pace of one run. Cheap to clone; all clones are the same pace.
#[derive(Debug, Clone)]
pub struct Pace(Arc<watch::Sender<Held>>);

/// Who is held.
#[derive(Debug)]
struct Held {
    run: Course,
    /// Each with all below it.
    workers: BTreeSet<WorkerId>,
}

impl Held {
    fn course_of(&self, lineage: &Lineage) -> Course {
        let held = || {
            let mut steps = lineage.steps().iter();
            steps.any(|step| self.workers.contains(&step.worker))
        };
        if self.run == Course::Paused || held() {
            Course::Paused
        } else {
            Course::On
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Held {
            run: Course::On,
            workers: BTreeSet::new(),
        })))
    }
}

impl Pace {
    /// How it is now for the whole run.
    #[must_use]
    pub fn course(&self) -> Course {
        self.0.borrow().run
    }

    /// The agents that are held for themselves.
    #[must_use]
    pub fn held(&self) -> Vec<WorkerId> {
        self.0.borrow().workers.iter().copied().collect()
    }

    /// Sets it for the whole run. Whoever is held for itself stays so.
    pub fn set(&self, course: Course) {
        self.0.send_modify(|held| held.run = course);
    }

    /// Sets it for one agent and all below it.
    pub fn set_for(&self, worker: WorkerId, course: Course) {
        self.0.send_if_modified(|held| match course {
            Course::Paused => held.workers.insert(worker),
            Course::On => held.workers.remove(&worker),
        });
    }

    /// Comes back as soon as the agent of that lineage goes on. Cancel safe.
    pub async fn going(&self, lineage: &Lineage) {
        // This holds a sender, so the wait can't end early.
        let _ = self
            .0
            .subscribe()
            .wait_for(|held| held.course_of(lineage) == Course::On)
            .await;
    }
}

#[cfg(test)]
mod tests {
    use pointsman_model::{AgentName, LineageStep, RunId};

    use super::*;

    fn worker(number: u32) -> WorkerId {
        WorkerId::new(RunId::new(1).unwrap(), number)
    }

    /// The lineage of the last of these agents, each below the one before.
    fn lineage(numbers: &[u32]) -> Lineage {
        let mut steps = numbers.iter().map(|number| LineageStep {
            worker: worker(*number),
            label: "agent".into(),
            agent: AgentName::new("steps"),
        });
        let root = Lineage::root(steps.next().unwrap());
        steps.fold(root, |lineage, step| lineage.child(step))
    }

    #[tokio::test]
    async fn whoever_is_held_goes_on_when_the_run_does() {
        let pace = Pace::default();
        pace.going(&lineage(&[1])).await;
        pace.set(Course::Paused);
        let held = tokio::spawn({
            let pace = pace.clone();
            async move { pace.going(&lineage(&[1])).await }
        });
        tokio::task::yield_now().await;
        assert!(!held.is_finished());
        pace.set(Course::On);
        held.await.unwrap();
        assert_eq!(pace.course(), Course::On);
    }

    #[tokio::test]
    async fn one_is_held_with_all_below_it_and_the_others_go_on() {
        let pace = Pace::default();
        pace.set_for(worker(1), Course::Paused);
        assert_eq!(pace.course(), Course::On);
        pace.going(&lineage(&[2, 3])).await;
        let below = tokio::spawn({
            let pace = pace.clone();
            async move { pace.going(&lineage(&[1, 4])).await }
        });
        tokio::task::yield_now().await;
        assert!(!below.is_finished());
        // The run's pace is another matter.
        pace.set(Course::Paused);
        pace.set(Course::On);
        tokio::task::yield_now().await;
        assert!(!below.is_finished());
        assert_eq!(pace.held(), [worker(1)]);
        pace.set_for(worker(1), Course::On);
        below.await.unwrap();
    }
}
