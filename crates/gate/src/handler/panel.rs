//! The panel: whoever the handlers of a run can consult, and the steps they have in common.

use std::sync::Arc;

use pointsman_approvals::{Grants, Requests, Ticket};
use pointsman_ledger::{Clock, Showing};
use pointsman_model::{
    Answerer, Attended, Digest, Insistence, NoVoteCause, Outcome, PermissionRequest, Verdict,
    VerdictKind,
};
use pointsman_policy::settings::HookEvent;

use super::checks::{ClassifierCheck, HookCheck, stands_in_for_the_question};
use crate::answers::heard;
use crate::submit::submit;
use crate::{Answers, Classifier, Hooks, Lifts, Votes, Word};

/// Whoever the handlers of a run can consult. Cheap to clone.
#[derive(Clone)]
pub struct Panel {
    /// The table of open requests; everyone who sees it can answer.
    pub requests: Requests,
    /// The hooks.
    pub hooks: Arc<Hooks>,
    /// The classifier, where the person's own or the managed settings name one.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// Where a person lifts what it refused.
    pub lifts: Lifts,
    /// What it said of questions that are on their way from a worker to its leader.
    pub votes: Votes,
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
    NoAnswer {
        /// Why the classifier could not judge, where it was asked and could not.
        unjudged: Option<(NoVoteCause, Box<str>)>,
    },
    /// A guard failed: only people may answer.
    OnlyPeople {
        /// Which, and how.
        why: Box<str>,
        /// Why the classifier could not judge before, where it was asked and could not.
        unjudged: Option<(NoVoteCause, Box<str>)>,
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
            lifts: self.lifts.clone(),
            votes: self.votes.clone(),
            attended: self.attended,
        }))
    }

    /// Tells the classifier what came of a question that people were asked.
    pub(super) fn tell_classifier(&self, request: &PermissionRequest, verdict: &Verdict) {
        if let Some(classifier) = &self.classifier {
            classifier.told(request, verdict);
        }
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
        let mut unjudged = None;
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
                Word::OnlyPeople { why } => return Checked::OnlyPeople { why, unjudged },
                Word::NoVote { cause, why } => unjudged = Some((cause, why)),
                Word::Nothing => {}
            }
        }
        Checked::NoAnswer { unjudged }
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
        let text = match self.in_turn(ticket, request, &checks).await {
            Checked::Verdict(verdict) => return verdict,
            // A guard that failed as well takes nothing from what the classifier's silence means for the agent.
            Checked::NoAnswer {
                unjudged: Some((cause, why)),
            }
            | Checked::OnlyPeople {
                unjudged: Some((cause, why)),
                ..
            } => {
                let text = unjudged(cause, &why);
                self.requests.end_unjudged(request.id, cause, &text).await;
                return ticket.verdict().await;
            }
            Checked::NoAnswer { unjudged: None } => nobody_there(""),
            Checked::OnlyPeople {
                why,
                unjudged: None,
            } => nobody_there(&format!(" ({why})")),
        };
        let outcome = Outcome::NobodyCanAnswer;
        self.requests.end(request.id, outcome, &text).await;
        ticket.verdict().await
    }
}

/// What is told of a question that the classifier stood in for and did not judge, with nobody there.
fn unjudged(cause: NoVoteCause, why: &str) -> String {
    let what = match cause {
        NoVoteCause::TooLong => "the classifier can't read this action whole",
        NoVoteCause::OverLimits => "the classifier has met its limits",
        NoVoteCause::Unavailable => "the classifier can't be asked",
        NoVoteCause::Unreadable => "the classifier gave no answer that counts",
        NoVoteCause::LeftToPeople => "the classifier leaves this action to people",
    };
    format!("{what}, and nobody is there to be asked instead: {why}")
}

fn nobody_there(why: &str) -> String {
    format!("this needs an approval, and nobody is there to give it{why}: go on without it")
}
