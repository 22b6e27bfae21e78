//! The pages of the book: an immutable snapshot that readers take without waiting, and one writer at
//! a time.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use pointsman_model::{
    CallId, Grant, GrantId, GrantScope, Lineage, Overlay, PermissionMode, PermissionRule, Uses,
    WallTime, WorkerId,
};
use rustc_hash::FxHashSet;
use tokio::time::Instant;

/// What came of taking a use.
pub(super) enum Taken {
    Unlimited,
    Counted,
    /// The call has taken one before: it is the same use.
    Before,
    Over,
}

/// One grant with what is left of it, shared by all snapshots.
#[derive(Clone)]
struct Held {
    grant: Arc<Grant>,
    /// When it ends by a clock that nobody sets; nothing for one without an end.
    ends: Option<Instant>,
    /// Uses left; nothing for an unlimited grant.
    left: Option<Arc<Mutex<Left>>>,
}

/// What is left of a counted grant.
struct Left {
    uses: u32,
    /// Who has used it. No more than it had uses.
    by: FxHashSet<CallId>,
}

fn locked(left: &Mutex<Left>) -> MutexGuard<'_, Left> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Default)]
struct Pages {
    grants: Vec<Held>,
    tightenings: Vec<PermissionRule>,
    /// Modes that agents are held to, with all below them; nobody named for the whole run.
    ceilings: Vec<(Option<WorkerId>, PermissionMode)>,
}

pub(super) struct Book {
    pages: ArcSwap<Pages>,
    /// Taken to change the pages; readers don't take it.
    writing: Mutex<()>,
    last: AtomicU32,
}

impl Held {
    /// Holds a grant from now on.
    fn new(grant: &Grant, now: WallTime) -> Self {
        let ends = grant.until.map(|until| until.since(now).duration());
        Self {
            left: match grant.uses {
                Uses::Unlimited => None,
                Uses::Left(left) => Some(Arc::new(Mutex::new(Left {
                    uses: left.get(),
                    by: FxHashSet::default(),
                }))),
            },
            // Further off than the system counts is as good as never; the wall clock still ends it.
            ends: ends.and_then(|left| Instant::now().checked_add(left)),
            grant: Arc::new(grant.clone()),
        }
    }

    fn is_over(&self, now: WallTime) -> bool {
        self.has_ended(now) || self.used_up()
    }

    /// Whether its time is over, by whichever clock comes first.
    fn has_ended(&self, now: WallTime) -> bool {
        self.grant.until.is_some_and(|until| now >= until)
            || self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    fn used_up(&self) -> bool {
        self.left
            .as_ref()
            .is_some_and(|left| locked(left).uses == 0)
    }

    /// The grant as it stands now; nothing when it is over.
    fn present(&self, now: WallTime) -> Option<Grant> {
        if self.is_over(now) {
            return None;
        }
        let uses = match &self.left {
            None => Uses::Unlimited,
            Some(left) => Uses::Left(NonZeroU32::new(locked(left).uses)?),
        };
        Some(Grant {
            uses,
            ..self.grant.as_ref().clone()
        })
    }
}

impl Book {
    pub(super) fn after(highest: u32) -> Self {
        Self {
            pages: ArcSwap::default(),
            writing: Mutex::new(()),
            last: AtomicU32::new(highest),
        }
    }

    pub(super) fn next_number(&self) -> u32 {
        self.last.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Pages) -> T) -> T {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pages = Pages::clone(&self.pages.load());
        let result = change(&mut pages);
        self.pages.store(Arc::new(pages));
        result
    }

    pub(super) fn add(&self, grants: &[Grant], now: WallTime) {
        self.change(|pages| {
            pages.grants.retain(|held| !held.is_over(now));
            pages
                .grants
                .extend(grants.iter().map(|grant| Held::new(grant, now)));
        });
    }

    pub(super) fn remove(&self, id: GrantId) -> bool {
        self.change(|pages| {
            let before = pages.grants.len();
            pages.grants.retain(|held| held.grant.id != id);
            pages.grants.len() < before
        })
    }

    /// Removes what was for this agent or its job, and tells which.
    pub(super) fn remove_of(&self, worker: WorkerId) -> Vec<GrantId> {
        let is_for = |scope: &GrantScope| match scope {
            GrantScope::Worker { worker: of } | GrantScope::Job { worker: of } => *of == worker,
            GrantScope::Call { .. } | GrantScope::Run { .. } => false,
        };
        if !self
            .pages
            .load()
            .grants
            .iter()
            .any(|held| is_for(&held.grant.scope))
        {
            return Vec::new();
        }
        self.change(|pages| {
            let (gone, kept) = std::mem::take(&mut pages.grants)
                .into_iter()
                .partition(|held: &Held| is_for(&held.grant.scope));
            pages.grants = kept;
            gone.into_iter().map(|held: Held| held.grant.id).collect()
        })
    }

    pub(super) fn tighten(&self, rule: PermissionRule) {
        self.change(|pages| pages.tightenings.push(rule));
    }

    pub(super) fn lower(&self, worker: Option<WorkerId>, mode: PermissionMode) {
        self.change(|pages| pages.ceilings.push((worker, mode)));
    }

    pub(super) fn take_use(&self, id: GrantId, call: CallId, now: WallTime) -> Taken {
        let pages = self.pages.load();
        let Some(held) = pages.grants.iter().find(|held| held.grant.id == id) else {
            return Taken::Over;
        };
        if held.has_ended(now) {
            return Taken::Over;
        }
        let Some(left) = &held.left else {
            return Taken::Unlimited;
        };
        let mut left = locked(left);
        if left.by.contains(&call) {
            return Taken::Before;
        }
        match left.uses.checked_sub(1) {
            Some(uses) => {
                left.uses = uses;
                left.by.insert(call);
                Taken::Counted
            }
            None => Taken::Over,
        }
    }

    pub(super) fn overlay(&self, agent: &Lineage, call: Option<CallId>, now: WallTime) -> Overlay {
        let pages = self.pages.load();
        let counts = |held: &&Held| match held.grant.scope {
            GrantScope::Call { call: of } => call == Some(of),
            GrantScope::Worker { .. } | GrantScope::Job { .. } | GrantScope::Run { .. } => {
                held.grant.scope.names(agent)
            }
        };
        Overlay {
            grants: pages
                .grants
                .iter()
                .filter(counts)
                .filter_map(|held| held.present(now))
                .collect(),
            tightenings: pages.tightenings.clone(),
            ceiling: pages
                .ceilings
                .iter()
                .filter(|(of, _)| {
                    of.is_none_or(|of| agent.steps().iter().any(|step| step.worker == of))
                })
                .map(|(_, mode)| *mode)
                .min(),
        }
    }

    pub(super) fn list(&self, now: WallTime) -> Vec<Grant> {
        let pages = self.pages.load();
        pages
            .grants
            .iter()
            .filter_map(|held| held.present(now))
            .collect()
    }
}
