//! How far each job of a run is, as surfaces show it.

use std::sync::Arc;

use dashmap::DashMap;
use pointsman_model::WorkerId;

use crate::{Job, JobEnd};

/// One job of a running leader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCard {
    /// Its name.
    pub name: Arc<str>,
    /// Its worker at the latest try; nothing while it has not started.
    pub worker: Option<WorkerId>,
    /// How often it was tried.
    pub tries: u32,
    /// Where it stands.
    pub state: JobState,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It waits for others, for a slot, or for its next try.
    Waits,
    /// Its worker is at it.
    Runs,
    /// It came to its end.
    Ended(JobEnd),
}

/// The cards of all jobs, for many to look at while the leader keeps them true. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct JobBoard {
    cards: Arc<DashMap<usize, JobCard>>,
}

impl JobBoard {
    /// The cards of jobs that have not started.
    pub(crate) fn of(jobs: &[Job]) -> Self {
        let board = Self::default();
        board.add(jobs);
        board
    }

    /// Puts jobs after those that are there.
    pub(crate) fn add(&self, jobs: &[Job]) {
        let first = self.cards.len();
        for (at, job) in jobs.iter().enumerate() {
            let card = JobCard {
                name: Arc::clone(&job.name),
                worker: None,
                tries: 0,
                state: JobState::Waits,
            };
            self.cards.insert(first + at, card);
        }
    }

    /// A worker is at a job.
    pub(crate) fn tried(&self, job: usize, worker: WorkerId) {
        if let Some(mut card) = self.cards.get_mut(&job) {
            card.worker = Some(worker);
            card.tries = card.tries.saturating_add(1);
            card.state = JobState::Runs;
        }
    }

    /// A job stands elsewhere now.
    pub(crate) fn set(&self, job: usize, state: JobState) {
        if let Some(mut card) = self.cards.get_mut(&job) {
            card.state = state;
        }
    }

    /// All cards, in the order in which their jobs came.
    pub(crate) fn list(&self) -> Vec<JobCard> {
        let mut cards: Vec<(usize, JobCard)> = self
            .cards
            .iter()
            .map(|entry| (*entry.key(), entry.value().clone()))
            .collect();
        cards.sort_by_key(|(at, _)| *at);
        cards.into_iter().map(|(_, card)| card).collect()
    }
}
