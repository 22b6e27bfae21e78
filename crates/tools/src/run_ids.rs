//! The counters of one run, from which ids of calls, requests and workers are made. Grants are numbered by
//! their book.

use std::sync::atomic::{AtomicU32, Ordering};

use pointsman_ledger::HighestIds;
use pointsman_model::{CallId, RequestId, RunId, WorkerId};

/// Makes the ids of one run. Shared by all its agents, so that no two of them make the same id.
#[derive(Debug)]
pub struct RunIds {
    run: RunId,
    calls: AtomicU32,
    requests: AtomicU32,
    workers: AtomicU32,
}

impl RunIds {
    /// Counters that begin at 1.
    #[must_use]
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            calls: AtomicU32::new(1),
            requests: AtomicU32::new(1),
            workers: AtomicU32::new(1),
        }
    }

    /// Counters of a run that is taken up again: they go on after the highest ids in use.
    #[must_use]
    pub fn continued(run: RunId, highest: HighestIds) -> Self {
        let after = |highest: u32| AtomicU32::new(highest.saturating_add(1));
        Self {
            run,
            calls: after(highest.call),
            requests: after(highest.request),
            workers: after(highest.worker),
        }
    }

    /// The run.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// An id for a call.
    #[must_use]
    pub fn next_call(&self) -> CallId {
        CallId::new(self.run, self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// An id for a request.
    #[must_use]
    pub fn next_request(&self) -> RequestId {
        RequestId::new(self.run, self.requests.fetch_add(1, Ordering::Relaxed))
    }

    /// An id for an agent.
    #[must_use]
    pub fn next_worker(&self) -> WorkerId {
        WorkerId::new(self.run, self.workers.fetch_add(1, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_agents_make_the_same_id() {
        let ids = RunIds::new(RunId::new(7).unwrap());
        let made: Vec<CallId> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..100).map(|_| ids.next_call()).collect::<Vec<_>>()))
                .collect();
            makers
                .into_iter()
                .flat_map(|maker| maker.join().unwrap())
                .collect()
        });
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 400);
        assert_eq!(ids.next_request().to_string(), "r7-1");
    }

    #[test]
    fn a_run_that_is_taken_up_again_makes_no_id_twice() {
        let highest = HighestIds {
            worker: 2,
            call: 9,
            request: 0,
            grant: 0,
        };
        let ids = RunIds::continued(RunId::new(7).unwrap(), highest);
        let made = [
            ids.next_worker().to_string(),
            ids.next_call().to_string(),
            ids.next_request().to_string(),
        ];
        assert_eq!(made, ["w7-3", "c7-10", "r7-1"]);
    }
}
