//! The agents that an agent started and went on beside. They are its own: it hears of each one's end, and none outlives it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_model::WorkerId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::built_in::WORKS_BESIDE;
use crate::{SpawnedEnd, SpawnedHow};

/// An agent's agents in the background. Dropped, they are broken off.
#[derive(Debug)]
pub struct InBackground {
    stop: CancellationToken,
    shared: Arc<Shared>,
    lives: Mutex<Vec<AbortOnDropHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    working: BTreeSet<WorkerId>,
    /// Those whose end nobody has taken yet, the first to end first. At most as many as a run may have agents.
    ended: VecDeque<SpawnedEnd>,
}

impl InBackground {
    /// None yet, of an agent that is stopped by this.
    #[must_use]
    pub fn of(stop: &CancellationToken) -> Self {
        Self {
            stop: stop.child_token(),
            shared: Arc::default(),
            lives: Mutex::default(),
        }
    }

    /// Stops them all, or one that hangs below it.
    #[must_use]
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Lets an agent live beside this one, to the end that `life` comes to. Called in the runtime.
    pub fn add(&self, worker: WorkerId, life: impl Future<Output = SpawnedEnd> + Send + 'static) {
        lock(&self.shared.state).working.insert(worker);
        let ending = Ending {
            shared: Arc::clone(&self.shared),
            end: SpawnedEnd {
                worker,
                end: SpawnedHow::NotDone,
                text: "its life broke off inside pointsman; this is a defect".into(),
            },
        };
        let life = tokio::spawn(async move {
            ending.with(life.await);
        });
        let mut lives = lock(&self.lives);
        lives.retain(|life| !life.is_finished());
        lives.push(AbortOnDropHandle::new(life));
    }

    /// Takes in the end of one that lived and ended before the leader died.
    pub fn ended_before(&self, end: SpawnedEnd) {
        self.shared.ends(end);
    }

    /// Those whose end was not taken yet, the first to end first.
    #[must_use]
    pub fn take_ended(&self) -> Vec<SpawnedEnd> {
        lock(&self.shared.state).ended.drain(..).collect()
    }

    /// Waits until one has ended, and takes it with all that did meanwhile; nothing when none is left to wait for.
    ///
    /// Cancel safe. One waits at a time.
    pub async fn next_ended(&self) -> Vec<SpawnedEnd> {
        loop {
            let ended = self.take_ended();
            if !ended.is_empty() || lock(&self.shared.state).working.is_empty() {
                return ended;
            }
            self.shared.ended.notified().await;
        }
    }

    /// Stops them, and waits until none works any more.
    pub async fn end(&self) {
        self.stop.cancel();
        while !lock(&self.shared.state).working.is_empty() {
            self.shared.ended.notified().await;
        }
    }
}

/// Tells an agent's end whichever way its task ends, so that nobody waits for it in vain.
struct Ending {
    shared: Arc<Shared>,
    end: SpawnedEnd,
}

impl Ending {
    fn with(mut self, end: SpawnedEnd) {
        self.end = end;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.shared.ends(self.end.clone());
    }
}

impl Shared {
    fn ends(&self, end: SpawnedEnd) {
        let mut state = lock(&self.state);
        state.working.remove(&end.worker);
        state.ended.push_back(end);
        drop(state);
        self.ended.notify_one();
    }
}

/// The agent that a result of the tool `Agent` says to work in the background.
#[must_use]
pub fn started_beside(result: &str) -> Option<WorkerId> {
    result.split_once(WORKS_BESIDE)?.0.parse().ok()
}

impl SpawnedEnd {
    /// A line of a report on what came of an agent in the background; a long report is told by its first line.
    #[must_use]
    pub fn in_background(&self) -> String {
        let how = match self.end {
            SpawnedHow::Done => "did its task",
            SpawnedHow::NotDone => "did not do its task",
        };
        let first = self.text.lines().next().unwrap_or_default();
        format!("{} {how} in the background: {first}", self.worker)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs under the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use pointsman_model::RunId;
    use tokio::sync::oneshot;

    use super::*;

    fn worker(number: u32) -> WorkerId {
        WorkerId::new(RunId::new(1).unwrap(), number)
    }

    fn end(worker: WorkerId) -> SpawnedEnd {
        SpawnedEnd {
            worker,
            end: SpawnedHow::Done,
            text: "done".into(),
        }
    }

    fn workers(ends: &[SpawnedEnd]) -> Vec<WorkerId> {
        ends.iter().map(|end| end.worker).collect()
    }

    #[tokio::test]
    async fn each_end_is_taken_once_in_order_and_nothing_is_waited_for_in_vain() {
        let beside = InBackground::of(&CancellationToken::new());
        assert!(beside.next_ended().await.is_empty());
        beside.ended_before(end(worker(1)));
        let [two, three] = [2, 3].map(|number| {
            let (go, may_end) = oneshot::channel::<()>();
            beside.add(worker(number), async move {
                let _ = may_end.await;
                end(worker(number))
            });
            go
        });
        assert_eq!(workers(&beside.next_ended().await), [worker(1)]);
        three.send(()).unwrap();
        assert_eq!(workers(&beside.next_ended().await), [worker(3)]);
        two.send(()).unwrap();
        assert_eq!(workers(&beside.next_ended().await), [worker(2)]);
        assert!(beside.next_ended().await.is_empty());
    }

    #[tokio::test]
    async fn one_whose_life_breaks_off_is_not_waited_for() {
        let beside = InBackground::of(&CancellationToken::new());
        beside.add(worker(1), async { panic!("a defect") });
        let ended = beside.next_ended().await;
        assert_eq!(workers(&ended), [worker(1)]);
        assert_eq!(ended[0].end, SpawnedHow::NotDone);
        beside.end().await;
    }

    #[tokio::test]
    async fn they_end_with_the_one_that_started_them() {
        let parent = CancellationToken::new();
        let beside = InBackground::of(&parent);
        let stop = beside.stop().child_token();
        beside.add(worker(1), async move {
            stop.cancelled().await;
            end(worker(1))
        });
        beside.end().await;
        assert_eq!(workers(&beside.take_ended()), [worker(1)]);
        // The one that started them goes on to its own end.
        assert!(!parent.is_cancelled());
    }
}
