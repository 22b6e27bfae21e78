//! The pace of a run: whether its agents go on with their next call, or are held there.
//!
//! The leader sets it, each agent's dispatch waits at it before a call is looked at. What runs already, and what is
//! asked already, is not touched.

use std::sync::Arc;

use tokio::sync::watch;

/// Whether agents go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Course {
    /// They do.
    On,
    /// Their next calls wait, and no job starts.
    Paused,
}

/// The pace of one run. Cheap to clone; all clones are the same pace.
#[derive(Debug, Clone)]
pub struct Pace(Arc<watch::Sender<Course>>);

impl Default for Pace {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Course::On)))
    }
}

impl Pace {
    /// How it is now.
    #[must_use]
    pub fn course(&self) -> Course {
        *self.0.borrow()
    }

    /// Sets it.
    pub fn set(&self, course: Course) {
        self.0.send_replace(course);
    }

    /// Comes back as soon as agents go on. Cancel safe.
    pub async fn going(&self) {
        // This holds a sender, so the wait can't end early.
        let _ = self
            .0
            .subscribe()
            .wait_for(|course| *course == Course::On)
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_is_held_goes_on_when_the_run_does() {
        let pace = Pace::default();
        pace.going().await;
        pace.set(Course::Paused);
        let held = tokio::spawn({
            let pace = pace.clone();
            async move { pace.going().await }
        });
        tokio::task::yield_now().await;
        assert!(!held.is_finished());
        pace.set(Course::On);
        held.await.unwrap();
        assert_eq!(pace.course(), Course::On);
    }
}
