//! The book of grants and tightenings: what the leader adds to frozen contexts at decision time.
//!
//! Loosening is on record before it counts; tightening counts at once and is recorded then, since a
//! disk that fails must not keep a rule open.

mod book;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pointsman_ledger::{
    AppendError, Clock, GrantEnd, GrantMade, GrantRevoked, GrantUsed, Ledger, OrderGiven, RunOrder,
    Tightened,
};
use pointsman_model::{
    AbsPath, Answerer, CallId, Grant, GrantId, GrantScope, Lineage, Overlay, PermissionMode,
    PermissionRule, RequestId, RuleBehavior, RuleSource, RuleText, RunId, Uses, WallTime, WorkerId,
};
use pointsman_policy::parse_rule;
use rustc_hash::FxHashSet;
use tokio::sync::watch;

use self::book::{Book, Taken};

/// Grants to be made together: all rules of one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    /// The rules, one grant each.
    pub rules: Vec<RuleText>,
    /// For whom.
    pub scope: GrantScope,
    /// The folder that a path pattern with one leading slash is anchored at.
    pub anchor: AbsPath,
    /// Until when; the end of the scope if not said.
    pub until: Option<WallTime>,
    /// How often each may be used.
    pub uses: Uses,
    /// Who grants.
    pub by: Answerer,
    /// The request it is granted on, if on one.
    pub request: Option<RequestId>,
}

/// Why the book was not changed as asked.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GrantsError {
    /// The text is no rule, or would have no effect as an allow.
    #[error("`{rule}` can't be added: {why}")]
    NoRule {
        /// The text.
        rule: RuleText,
        /// Why not.
        why: String,
    },
    /// An allow does not tighten.
    #[error("`{0}` is an allow rule; only deny and ask rules can be added for running agents")]
    NotTighter(RuleText),
    /// There is no such grant, or it is over.
    #[error("there is no grant {0} in force")]
    NotFound(GrantId),
    /// It can't be recorded, so it was not made.
    #[error("the grant can't be recorded, so it wasn't made")]
    NotMade(#[source] AppendError),
    /// It is in force, and can't be recorded.
    #[error("this is in force now, but it can't be recorded")]
    NotRecorded(#[source] AppendError),
}

/// Why a grant can't be used for this call.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum UseError {
    /// It was revoked, ran out, or was used up meanwhile.
    #[error("grant {0} is over")]
    Over(GrantId),
    /// The use can't be recorded, so it doesn't count.
    #[error("the use of a grant can't be recorded, so it doesn't count")]
    NotRecorded(#[source] AppendError),
}

/// The book of one run. Cheap to clone; reading it waits for nobody.
#[derive(Clone)]
pub struct Grants {
    inner: Arc<Inner>,
}

struct Inner {
    run: RunId,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    book: Book,
    /// The requests whose answers made grants; people answered each of them.
    made_on: Mutex<FxHashSet<RequestId>>,
    version: watch::Sender<u64>,
}

impl Grants {
    /// An empty book.
    #[must_use]
    pub fn new(run: RunId, ledger: Ledger, clock: Arc<dyn Clock>) -> Self {
        Self::continued(run, ledger, clock, 0)
    }

    /// An empty book of a resumed run, whose grants up to that number are taken. Grants end with their leader.
    #[must_use]
    pub fn continued(run: RunId, ledger: Ledger, clock: Arc<dyn Clock>, highest: u32) -> Self {
        Self {
            inner: Arc::new(Inner {
                run,
                ledger,
                clock,
                book: Book::after(highest),
                made_on: Mutex::default(),
                version: watch::Sender::new(0),
            }),
        }
    }

    /// Puts in force again what tightened the run under an earlier leader, and is on record.
    pub fn take_over(
        &self,
        tightenings: &[PermissionRule],
        ceilings: &[(Option<WorkerId>, PermissionMode)],
    ) {
        for rule in tightenings {
            self.inner.book.tighten(rule.clone());
        }
        for (worker, mode) in ceilings {
            self.inner.book.lower(*worker, *mode);
        }
        self.changed();
    }

    /// Makes grants, one for each rule; on record when it returns, and in force then. All of them or none.
    ///
    /// Not cancel safe: dropped in the middle, grants may be on record that never came into force.
    ///
    /// # Errors
    /// When a text is no rule that has an effect as an allow, or the grants can't be recorded.
    pub async fn add(&self, new: NewGrant) -> Result<Vec<Grant>, GrantsError> {
        for rule in &new.rules {
            check_rule(rule)?;
        }
        let grants: Vec<Grant> = new
            .rules
            .iter()
            .map(|rule| Grant {
                id: GrantId::new(self.inner.run, self.inner.book.next_number()),
                rule: PermissionRule {
                    behavior: RuleBehavior::Allow,
                    text: rule.clone(),
                    source: RuleSource::Session,
                    place: None,
                    anchor: new.anchor.clone(),
                },
                scope: new.scope.clone(),
                until: new.until,
                uses: new.uses,
            })
            .collect();
        for (at, grant) in grants.iter().enumerate() {
            let made = GrantMade {
                grant: grant.clone(),
                by: new.by.clone(),
                request: new.request,
            };
            if let Err(error) = self.inner.ledger.append(self.inner.run, made).await {
                self.take_back(grants.iter().take(at)).await;
                return Err(GrantsError::NotMade(error));
            }
        }
        self.inner.book.add(&grants, self.inner.clock.now());
        if let Some(request) = new.request {
            self.made_on().insert(request);
        }
        self.changed();
        Ok(grants)
    }

    /// Comes back once what the answer to a request grants is on record and in force; never, when it never is.
    ///
    /// Cancel safe.
    pub async fn made_by_answer_to(&self, request: RequestId) {
        let mut changes = self.changes();
        while !self.made_on().contains(&request) {
            if changes.changed().await.is_err() {
                // The book is gone, and its grants with it.
                std::future::pending::<()>().await;
            }
        }
    }

    fn made_on(&self) -> MutexGuard<'_, FxHashSet<RequestId>> {
        let made_on = self.inner.made_on.lock();
        made_on.unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a grant back. It no longer counts when this returns, whatever it returns.
    ///
    /// # Errors
    /// When there is no such grant in force, or the end can't be recorded.
    pub async fn revoke(&self, id: GrantId, by: Answerer) -> Result<(), GrantsError> {
        if !self.inner.book.remove(id) {
            return Err(GrantsError::NotFound(id));
        }
        self.changed();
        let revoked = GrantRevoked {
            grant: id,
            end: GrantEnd::Revoked,
            by,
        };
        self.inner
            .ledger
            .append(self.inner.run, revoked)
            .await
            .map(drop)
            .map_err(GrantsError::NotRecorded)
    }

    /// Ends the grants of an agent that has ended, and of its job if it was a job's worker.
    pub async fn retire(&self, worker: WorkerId) {
        let ended = self.inner.book.remove_of(worker);
        if ended.is_empty() {
            return;
        }
        self.changed();
        for grant in ended {
            let revoked = GrantRevoked {
                grant,
                end: GrantEnd::ScopeEnded,
                by: Answerer::Runtime,
            };
            if let Err(error) = self.inner.ledger.note(self.inner.run, revoked).await {
                tracing::warn!(%error, %grant, "the end of a grant was not recorded");
            }
        }
    }

    /// Adds a deny or ask rule for every agent's next call. It counts when this returns, whatever it returns.
    ///
    /// # Errors
    /// When the rule is an allow or no rule at all, or can't be recorded.
    pub async fn tighten(&self, rule: PermissionRule, by: Answerer) -> Result<(), GrantsError> {
        match rule.behavior {
            RuleBehavior::Allow => return Err(GrantsError::NotTighter(rule.text)),
            RuleBehavior::Ask | RuleBehavior::Deny => {}
        }
        if let Err(error) = parse_rule(rule.text.as_str()) {
            return Err(GrantsError::NoRule {
                rule: rule.text,
                why: error.to_string(),
            });
        }
        self.inner.book.tighten(rule.clone());
        self.changed();
        self.inner
            .ledger
            .append(self.inner.run, Tightened { rule, by })
            .await
            .map(drop)
            .map_err(GrantsError::NotRecorded)
    }

    /// Holds an agent and all below it, or all agents of the run, to a mode: their next calls are judged in it when it
    /// trusts less than their own. Their contexts stay frozen; a mode that trusts more changes nothing.
    ///
    /// Cancel safe: it is in force before the first wait.
    ///
    /// # Errors
    /// When it can't be recorded. It is in force nevertheless.
    pub async fn lower(
        &self,
        worker: Option<WorkerId>,
        mode: PermissionMode,
        by: Answerer,
    ) -> Result<(), GrantsError> {
        self.inner.book.lower(worker, mode);
        self.changed();
        let order = RunOrder::LowerMode { worker, mode };
        self.inner
            .ledger
            .append(self.inner.run, OrderGiven { by, order })
            .await
            .map(drop)
            .map_err(GrantsError::NotRecorded)
    }

    /// Uses a grant for a call. Unlimited grants are not counted; of a counted one no more uses are given than it has,
    /// whoever asks at the same time. A call uses a grant once, however often it is judged.
    ///
    /// Dropping the future may use the grant up without a record of it.
    ///
    /// # Errors
    /// When the grant is over, or the use can't be recorded: then the call must not pass on its account.
    pub async fn use_once(
        &self,
        id: GrantId,
        worker: WorkerId,
        call: CallId,
    ) -> Result<(), UseError> {
        match self.inner.book.take_use(id, call, self.inner.clock.now()) {
            Taken::Over => return Err(UseError::Over(id)),
            Taken::Unlimited | Taken::Before => return Ok(()),
            Taken::Counted => {}
        }
        let used = GrantUsed {
            grant: id,
            worker,
            call,
        };
        self.inner
            .ledger
            .append(self.inner.run, used)
            .await
            .map(drop)
            .map_err(UseError::NotRecorded)
    }

    /// What counts for an agent at this moment: grants whose scope names it, never its parent's own (law 17), and all
    /// tightenings.
    #[must_use]
    pub fn overlay_for(&self, agent: &Lineage, now: WallTime) -> Overlay {
        self.inner.book.overlay(agent, None, now)
    }

    /// The same for one call, with the grants that were made for it alone.
    #[must_use]
    pub fn overlay_for_call(&self, agent: &Lineage, call: CallId, now: WallTime) -> Overlay {
        self.inner.book.overlay(agent, Some(call), now)
    }

    /// The grants in force, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Grant> {
        self.inner.book.list(self.inner.clock.now())
    }

    /// Tells of each change of the book: open requests are judged again then (law 14).
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.version.subscribe()
    }

    fn changed(&self) {
        self.inner
            .version
            .send_modify(|version| *version = version.wrapping_add(1));
    }

    /// Records that these never came into force.
    async fn take_back(&self, grants: impl Iterator<Item = &Grant>) {
        for grant in grants {
            let revoked = GrantRevoked {
                grant: grant.id,
                end: GrantEnd::Revoked,
                by: Answerer::Runtime,
            };
            if let Err(error) = self.inner.ledger.note(self.inner.run, revoked).await {
                tracing::warn!(%error, grant = %grant.id, "the end of a grant was not recorded");
            }
        }
    }
}

fn check_rule(rule: &RuleText) -> Result<(), GrantsError> {
    let no_rule = |why| GrantsError::NoRule {
        rule: rule.clone(),
        why,
    };
    let parsed = parse_rule(rule.as_str()).map_err(|error| no_rule(error.to_string()))?;
    match parsed.fault(RuleBehavior::Allow) {
        Some(fault) => Err(no_rule(fault.message)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
