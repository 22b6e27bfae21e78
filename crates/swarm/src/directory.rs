//! The directory of workers: who is at work, looked up by many tasks and surfaces.
//!
//! It holds what people ask about, never what decides: contexts are in the agents' own seats. An agent leaves it
//! when it ends; the ledger has them all.

use std::sync::Arc;

use dashmap::{DashMap, DashSet};
use pointsman_model::{AbsPath, Digest, Lineage, Origin, PermissionMode, WallTime, WorkerId};
use pointsman_tools::{FollowUpSender, NotHeard};
use tokio_util::sync::CancellationToken;

/// What is known of one agent at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCard {
    /// Who it is, and below whom.
    pub lineage: Lineage,
    /// Its task, as its job or parent put it.
    pub task: Box<str>,
    /// Whether its parent waits for it.
    pub origin: Origin,
    /// Its mode.
    pub mode: PermissionMode,
    /// The folder it started in.
    pub folder: AbsPath,
    /// The fingerprint of its context.
    pub context: Digest,
    /// When it was started.
    pub started: WallTime,
}

struct Entry {
    card: WorkerCard,
    stop: CancellationToken,
    /// How it is talked to; nothing when it reads no messages.
    ear: Option<FollowUpSender>,
}

/// What became of words for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It reads them before its next turn.
    Yes,
    /// No such agent is at work here.
    NotAtWork,
    /// It does not live again yet, and hears nothing before.
    NotYet,
    /// It reads no messages.
    Deaf,
    /// They did not get there.
    No(NotHeard),
}

/// All agents at work in a run. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Directory {
    entries: Arc<DashMap<WorkerId, Entry>>,
    /// Those that will live again, and don't yet.
    expected: Arc<DashSet<WorkerId>>,
    /// Those that are stopped before they enter.
    ahead: Arc<DashSet<WorkerId>>,
}

/// What a call to stop one agent came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopWorker {
    /// It and all below it are being stopped.
    Stopping,
    /// It does not live again yet. What was open for it and all below it is ended, and it is stopped as soon as it does,
    /// under this leader.
    Ahead,
    /// No such agent is at work here.
    NotAtWork,
}

impl Directory {
    /// The directory of a run that is taken up again, whose agents of old live again one by one.
    pub(crate) fn expecting(workers: impl IntoIterator<Item = WorkerId>) -> Self {
        Self {
            expected: Arc::new(workers.into_iter().collect()),
            ..Self::default()
        }
    }

    /// Whether it does not live again yet, and will.
    pub(crate) fn is_expected(&self, worker: WorkerId) -> bool {
        self.expected.contains(&worker)
    }

    /// Lists a new agent; `stop` ends it and all below it.
    /// `ear` is how it is talked to, if it listens.
    pub(crate) fn enter(
        &self,
        card: WorkerCard,
        stop: CancellationToken,
        ear: Option<FollowUpSender>,
    ) {
        let worker = card.lineage.agent().worker;
        self.entries.insert(worker, Entry { card, stop, ear });
        self.expected.remove(&worker);
        // Looked at behind it, as whoever stops it looks here behind its word: one of them finds the other.
        if self.ahead.remove(&worker).is_some() {
            self.stop(worker);
        }
    }

    /// That it does not live again after all.
    pub(crate) fn expect_no_longer(&self, worker: WorkerId) {
        self.expected.remove(&worker);
        self.ahead.remove(&worker);
    }

    /// Says something to one agent.
    pub(crate) fn tell(&self, worker: WorkerId, text: &str) -> Told {
        // Looked at first: one that comes to live meanwhile is at work then.
        let is_expected = self.is_expected(worker);
        match self.entries.get(&worker) {
            None if is_expected => Told::NotYet,
            None => Told::NotAtWork,
            Some(entry) => match &entry.ear {
                None => Told::Deaf,
                Some(ear) => ear.say(text).map_or_else(Told::No, |()| Told::Yes),
            },
        }
    }

    /// Takes an agent out that has ended.
    pub(crate) fn leave(&self, worker: WorkerId) {
        self.entries.remove(&worker);
    }

    /// One agent.
    pub(crate) fn get(&self, worker: WorkerId) -> Option<WorkerCard> {
        self.entries.get(&worker).map(|entry| entry.card.clone())
    }

    /// All agents at work, by id.
    pub(crate) fn list(&self) -> Vec<WorkerCard> {
        let mut cards: Vec<WorkerCard> = self
            .entries
            .iter()
            .map(|entry| entry.card.clone())
            .collect();
        cards.sort_by_key(|card| card.lineage.agent().worker);
        cards
    }

    /// Stops one agent and all below it, if it is at work.
    pub(crate) fn stop(&self, worker: WorkerId) -> StopWorker {
        match self.entries.get(&worker) {
            None => StopWorker::NotAtWork,
            Some(entry) => {
                entry.stop.cancel();
                StopWorker::Stopping
            }
        }
    }

    /// Stops an agent that is not at work yet as soon as it is; it may be by now.
    pub(crate) fn stop_ahead(&self, worker: WorkerId) -> StopWorker {
        self.ahead.insert(worker);
        match self.stop(worker) {
            StopWorker::NotAtWork => StopWorker::Ahead,
            stopped @ (StopWorker::Stopping | StopWorker::Ahead) => stopped,
        }
    }

    /// The same of one that was expected a moment ago.
    pub(crate) fn stop_expected(&self, worker: WorkerId) -> StopWorker {
        let stopped = self.stop_ahead(worker);
        if stopped != StopWorker::Ahead || self.is_expected(worker) {
            return stopped;
        }
        // It has come to live meanwhile, or will not: then nothing is to be left of this.
        let stopped = self.stop(worker);
        if stopped == StopWorker::NotAtWork {
            self.ahead.remove(&worker);
        }
        stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use pointsman_model::RunId;

    #[test]
    fn one_that_is_no_longer_expected_when_it_is_stopped_ahead_is_not_at_work() {
        let worker = WorkerId::new(RunId::FIRST, 1);
        let directory = Directory::expecting([worker]);
        assert_eq!(directory.stop_expected(worker), StopWorker::Ahead);
        assert!(directory.ahead.contains(&worker));
        // As when it is known between a look at it and the stop.
        directory.expect_no_longer(worker);
        assert_eq!(directory.stop_expected(worker), StopWorker::NotAtWork);
        assert!(directory.ahead.is_empty());
    }
}
