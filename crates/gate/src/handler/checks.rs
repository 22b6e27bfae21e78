//! The automatic checks as answerers: the hooks, and the classifier.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_approvals::{Advice, Grants, Requests};
use pointsman_ledger::HookCame;
use pointsman_model::{
    Answerer, Insistence, PermissionMode, PermissionRequest, Verdict, VerdictKind,
};
use tokio_util::sync::CancellationToken;

use crate::{Answers, Asker, Classifier, ClassifierVote, Hooks, PermissionAnswer, Word};

/// The PermissionRequest hooks, all of them as one answerer: their words are merged before any
/// counts, so that a quick allow is not ahead of a slower deny.
pub(crate) struct HookCheck {
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) requests: Requests,
    pub(crate) grants: Grants,
}

#[async_trait]
impl Answers for HookCheck {
    async fn answer(&self, request: &PermissionRequest) -> Word {
        // Whoever drops this future stops the hooks with it; no other stop is needed.
        let never = CancellationToken::new();
        let turn = self.hooks.permission_request(request, &never).await;
        for report in &turn.reports {
            if report.came == HookCame::Failed {
                let by = Answerer::Hook {
                    name: report.hook.clone(),
                };
                let text = format!("failed: {}", report.text).into();
                self.requests.advise(request.id, Advice { by, text }).await;
            }
        }
        let asker = Asker {
            worker: request.lineage.agent().worker,
            mode: request.mode,
            folder: &request.folder,
            // Nothing that tightens asks for them.
            directories: &[],
        };
        for wish in &turn.tightenings {
            if let Err(error) = self.hooks.carry_out(wish, &asker, &self.grants).await {
                tracing::warn!(hook = &*wish.hook, %error, "a hook's rule was not added");
            }
        }
        match turn.answer {
            PermissionAnswer::None => Word::Nothing,
            PermissionAnswer::Given { hook, kind } => {
                self.hooks.remember(request.id, &hook, turn.aftermath);
                Word::Answer {
                    by: Answerer::Hook { name: hook },
                    kind,
                }
            }
            PermissionAnswer::GuardFailed { hook, text } => Word::OnlyPeople {
                why: format!("hook `{hook}`: {text}").into(),
            },
        }
    }

    /// A hook that lost was killed; there is nobody left to tell.
    fn told(&self, _verdict: &Verdict) {}
}

/// The classifier. In mode auto it stands in for the question: its no refuses. Elsewhere its no is
/// advice on the dialog (DESIGN section 7).
pub(crate) struct ClassifierCheck {
    pub(crate) classifier: Arc<dyn Classifier>,
    pub(crate) requests: Requests,
}

#[async_trait]
impl Answers for ClassifierCheck {
    async fn answer(&self, request: &PermissionRequest) -> Word {
        let by = Answerer::Classifier {
            name: self.classifier.name().into(),
        };
        let stands_in = stands_in_for_the_question(request);
        let advice = match self.classifier.classify(request).await {
            ClassifierVote::Yes { .. } => {
                return Word::Answer {
                    by,
                    kind: VerdictKind::Allow {
                        edited: None,
                        grant: None,
                    },
                };
            }
            ClassifierVote::No { text } if stands_in => {
                return Word::Answer {
                    by,
                    kind: VerdictKind::Deny { text: Some(text) },
                };
            }
            ClassifierVote::No { text } => format!("would refuse: {text}"),
            ClassifierVote::NoVote { why, .. } => format!("has no vote: {why}"),
        };
        let advice = Advice {
            by,
            text: advice.into(),
        };
        self.requests.advise(request.id, advice).await;
        Word::Nothing
    }

    fn told(&self, _verdict: &Verdict) {}
}

/// Rung 4: mode auto, and nothing that must be asked.
pub(crate) fn stands_in_for_the_question(request: &PermissionRequest) -> bool {
    request.mode == PermissionMode::Auto
        && request.judgement.insistence == Insistence::MayBeAnswered
}
