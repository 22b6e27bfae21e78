//! The leader's desk: requests that workers forward are judged here as a coordinator judges its own,
//! after the leader's own rules and grants had their say.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pointsman_approvals::{
    Advice, Inbox, Letter, RequestEvent, RequestEvents, Ticket, Undelivered,
};
use pointsman_ledger::Showing;
use pointsman_model::{Answerer, GrantId, Judgement, PermissionRequest, Verdict, VerdictKind};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::CoordinatorHandler;
use crate::submit::submit;

/// How long a call may take from its judgement to its open request; within that time it may have missed a change.
const RECENT: Duration = Duration::from_secs(10);

/// What the leader itself says of an open request.
#[derive(Debug, Clone, PartialEq)]
pub enum LeaderSays {
    /// A deny rule matches, the agent's own or one made since it was spawned.
    Deny {
        /// How that was found.
        judgement: Judgement,
        /// What the agent is told.
        text: Box<str>,
    },
    /// An ask rule matches: it must be asked.
    MustAsk {
        /// How that was found.
        judgement: Judgement,
    },
    /// It passes now, on account of this grant; its use is taken.
    Granted {
        /// Which.
        grant: GrantId,
    },
    /// It has to be asked.
    Ask,
}

/// The leader's knowledge of rules and grants, under the asking agent's own context.
#[async_trait]
pub trait LeaderRules: Send + Sync {
    /// Walks deny and ask rules and the grants whose scope names the agent. A failure of whatever
    /// kind is [`LeaderSays::Ask`] or stricter.
    async fn judge(&self, request: &PermissionRequest) -> LeaderSays;
}

/// Takes the letters of all workers and brings each its verdict.
#[derive(Clone)]
pub struct Adjudicator {
    coordinator: CoordinatorHandler,
    rules: Arc<dyn LeaderRules>,
}

impl Adjudicator {
    /// An adjudicator that consults the coordinator's panel.
    #[must_use]
    pub fn new(coordinator: CoordinatorHandler, rules: Arc<dyn LeaderRules>) -> Self {
        Self { coordinator, rules }
    }

    /// Serves until `shutdown`, or until all mailboxes are gone. Each letter is handled beside the
    /// others; each change of grants or rules judges all open requests anew (law 14).
    ///
    /// At `shutdown` the requests in hand are withdrawn; their workers hear that they were lost.
    pub async fn run(self, mut inbox: Inbox, shutdown: CancellationToken) {
        let mut changes = self.coordinator.panel().grants.changes();
        let mut events = Some(self.coordinator.panel().requests.subscribe());
        let mut changed_at: Option<Instant> = None;
        let mut in_hand = JoinSet::new();
        let desk = Arc::new(self);
        loop {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                Some(ended) = in_hand.join_next() => {
                    if let Err(error) = ended {
                        tracing::error!(%error, "a forwarded request was dropped");
                    }
                }
                Ok(()) = changes.changed() => {
                    changed_at = Some(Instant::now());
                    desk.judge_again().await;
                }
                event = heard(&mut events) => {
                    if changed_at.is_some_and(|at| at.elapsed() < RECENT) {
                        desk.judge_late_comer(event).await;
                    }
                }
                letter = inbox.next() => match letter {
                    Some(letter) => {
                        let desk = Arc::clone(&desk);
                        in_hand.spawn(async move { desk.adjudicate(letter).await });
                    }
                    None => break,
                },
            }
        }
        if shutdown.is_cancelled() {
            in_hand.shutdown().await;
        }
        while in_hand.join_next().await.is_some() {}
    }

    /// Judges every open request again, the oldest first, and closes those that need no answer any more.
    pub async fn judge_again(&self) {
        for open in self.coordinator.panel().requests.list() {
            self.judge_one_again(&open.request).await;
        }
    }

    async fn judge_one_again(&self, request: &PermissionRequest) {
        let requests = &self.coordinator.panel().requests;
        if let Some((by, kind)) = answer_of(self.rules.judge(request).await) {
            submit(requests, request, by, kind).await;
        }
    }

    /// A request that was judged before a change and opened after it has missed that change.
    async fn judge_late_comer(&self, event: RequestEvent) {
        match event {
            RequestEvent::Opened(open) => self.judge_one_again(&open.request).await,
            RequestEvent::Missed { .. } => self.judge_again().await,
            RequestEvent::Shown { .. }
            | RequestEvent::Touched { .. }
            | RequestEvent::Advised { .. }
            | RequestEvent::Explained { .. }
            | RequestEvent::DeadlineSoon { .. }
            | RequestEvent::Closed { .. } => {}
        }
    }

    async fn adjudicate(&self, mut letter: Letter) {
        let requests = &self.coordinator.panel().requests;
        let request = letter.shared_request();
        // What is over soon has its room on the heap: a request that waits for a person is to be small.
        let opening = requests.open(Arc::clone(&request), Showing::AfterChecks);
        let mut ticket = match Box::pin(opening).await {
            Ok(ticket) => ticket,
            Err(error) => {
                letter.refuse(Undelivered::NotStored(error.to_string().into()));
                return;
            }
        };
        letter.queued();
        let verdict = tokio::select! {
            biased;
            verdict = self.conclude(&mut ticket, &request) => verdict,
            // Dropping the ticket withdraws the request.
            () = letter.withdrawn() => return,
        };
        letter.deliver(verdict);
    }

    async fn conclude(&self, ticket: &mut Ticket, request: &PermissionRequest) -> Verdict {
        match Box::pin(self.before_answerers(ticket, request)).await {
            Before::Verdict(verdict) => verdict,
            Before::Asked => self.coordinator.conclude(ticket, request).await,
            Before::MustBeAsked(request) => self.coordinator.conclude(ticket, &request).await,
        }
    }

    /// What the leader says by itself, before anyone is asked.
    async fn before_answerers(&self, ticket: &mut Ticket, request: &PermissionRequest) -> Before {
        let requests = &self.coordinator.panel().requests;
        match self.rules.judge(request).await {
            LeaderSays::MustAsk { judgement } => {
                let text = "an ask rule matches this, so a person has to answer it";
                let advice = Advice::says(Answerer::Ladder, text);
                requests.advise(request.id, advice).await;
                Before::MustBeAsked(Box::new(PermissionRequest {
                    judgement,
                    ..request.clone()
                }))
            }
            says => {
                if let Some((by, kind)) = answer_of(says)
                    && submit(requests, request, by, kind).await
                {
                    return Before::Verdict(ticket.verdict().await);
                }
                Before::Asked
            }
        }
    }
}

/// What became of a request before anyone was asked.
enum Before {
    /// It has its verdict.
    Verdict(Verdict),
    /// It is asked.
    Asked,
    /// It is asked, in this form, of people alone.
    MustBeAsked(Box<PermissionRequest>),
}

/// The next event; never comes once the table is gone.
async fn heard(events: &mut Option<RequestEvents>) -> RequestEvent {
    if let Some(open) = events {
        if let Some(event) = open.next().await {
            return event;
        }
        *events = None;
    }
    std::future::pending().await
}

/// The answer that the leader gives by itself.
fn answer_of(says: LeaderSays) -> Option<(Answerer, VerdictKind)> {
    match says {
        LeaderSays::Deny { text, .. } => {
            Some((Answerer::Ladder, VerdictKind::Deny { text: Some(text) }))
        }
        LeaderSays::Granted { grant } => Some((
            Answerer::Grant { grant },
            VerdictKind::Allow {
                edited: None,
                grant: None,
            },
        )),
        LeaderSays::MustAsk { .. } | LeaderSays::Ask => None,
    }
}

#[cfg(test)]
mod tests;
