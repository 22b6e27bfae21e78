//! The panel: whoever the handlers of a run can consult, and the steps they have in common.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use pointsman_approvals::{Grants, Requests, Ticket};
use pointsman_ledger::{Clock, Showing};
use pointsman_model::{
    Answerer, Attended, Digest, Insistence, Outcome, PermissionRequest, Verdict, VerdictKind,
};
use pointsman_policy::settings::HookEvent;

use super::checks::{ClassifierCheck, HookCheck, stands_in_for_the_question};
use crate::submit::submit;
use crate::{Answers, Classifier, Hooks, Word};

/// Whoever the handlers of a run can consult. Cheap to clone.
#[derive(Clone)]
pub struct Panel {
    /// The table of open requests; everyone who sees it can answer.
    pub requests: Requests,
    /// The hooks.
    pub hooks: Arc<Hooks>,
    /// The classifier, where the person's own or the managed settings name one.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// The run's book of grants and tightenings, for rules that hooks add.
    pub grants: Grants,
    /// Whether someone can answer.
    pub attended: Attended,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// How the automatic checks went.
pub(super) enum Checked {
    /// The request has its verdict.
    Verdict(Verdict),
    /// None answered.
    NoAnswer,
    /// A guard failed: only people may answer.
    OnlyPeople {
        /// Which, and how.
        why: Box<str>,
    },
}

impl Panel {
    /// Opens a request. What comes instead of a ticket is the refusal: nobody can be asked.
    pub(super) async fn open(
        &self,
        request: &Arc<PermissionRequest>,
        showing: Showing,
    ) -> Result<Ticket, Verdict> {
        self.requests
            .open(Arc::clone(request), showing)
            .await
            .map_err(|error| self.ended(request.digest, Outcome::Unavailable, &error.to_string()))
    }

    /// A verdict without an answer, for a request that is in no table.
    pub(super) fn ended(&self, digest: Digest, outcome: Outcome, text: &str) -> Verdict {
        Verdict {
            kind: VerdictKind::Ended {
                outcome,
                text: text.into(),
            },
            by: Answerer::Runtime,
            at: self.clock.now(),
            digest,
        }
    }

    /// The hooks as an answerer, when there are any.
    pub(super) fn hook_check(&self) -> Option<Arc<dyn Answers>> {
        self.hooks.has(HookEvent::PermissionRequest).then(|| {
            let check: Arc<dyn Answers> = Arc::new(HookCheck {
                hooks: Arc::clone(&self.hooks),
                requests: self.requests.clone(),
                grants: self.grants.clone(),
            });
            check
        })
    }

    /// The classifier as an answerer, when there is one and its yes could count.
    pub(super) fn classifier_check(&self, request: &PermissionRequest) -> Option<Arc<dyn Answers>> {
        if request.judgement.insistence == Insistence::MustAsk {
            return None;
        }
        let classifier = self.classifier.as_ref()?;
        Some(Arc::new(ClassifierCheck {
            classifier: Arc::clone(classifier),
            requests: self.requests.clone(),
        }))
    }

    /// The classifier alone, when it stands in for the question.
    pub(super) fn stand_in(&self, request: &PermissionRequest) -> Option<Arc<dyn Answers>> {
        stands_in_for_the_question(request)
            .then(|| self.classifier_check(request))
            .flatten()
    }

    /// Asks one after the other, each to its end, until one answers or the request has its verdict.
    pub(super) async fn in_turn(
        &self,
        ticket: &mut Ticket,
        request: &PermissionRequest,
        checks: &[Arc<dyn Answers>],
    ) -> Checked {
        for check in checks {
            let word = tokio::select! {
                biased;
                verdict = ticket.verdict() => {
                    check.told(&verdict);
                    return Checked::Verdict(verdict);
                }
                word = heard(check.as_ref(), request) => word,
            };
            match word {
                Word::Answer { by, kind } => {
                    if submit(&self.requests, request, by, kind).await {
                        let verdict = ticket.verdict().await;
                        check.told(&verdict);
                        return Checked::Verdict(verdict);
                    }
                }
                Word::OnlyPeople { why } => return Checked::OnlyPeople { why },
                Word::Nothing => {}
            }
        }
        Checked::NoAnswer
    }

    /// The end of a request with nobody there: the checks have their turn, then it is refused at
    /// once, and that is on record (law 12).
    pub(super) async fn unattended(
        &self,
        ticket: &mut Ticket,
        request: &PermissionRequest,
    ) -> Verdict {
        let checks: Vec<_> = self
            .stand_in(request)
            .into_iter()
            .chain(self.hook_check())
            .collect();
        let why = match self.in_turn(ticket, request, &checks).await {
            Checked::Verdict(verdict) => return verdict,
            Checked::NoAnswer => String::new(),
            Checked::OnlyPeople { why } => format!(" ({why})"),
        };
        let text = format!(
            "this needs an approval, and nobody is there to give it{why}: go on without it"
        );
        self.requests
            .end(request.id, Outcome::NobodyCanAnswer, &text)
            .await;
        ticket.verdict().await
    }
}

/// What a check says. One that breaks down says nothing, and the agent's task goes on.
async fn heard(check: &dyn Answers, request: &PermissionRequest) -> Word {
    let answer = AssertUnwindSafe(check.answer(request)).catch_unwind();
    answer.await.unwrap_or_else(|_| {
        tracing::error!(request = %request.id, "an answerer broke down");
        Word::Nothing
    })
}
