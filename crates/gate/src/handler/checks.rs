//! The automatic checks as answerers: the hooks, and the classifier.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_approvals::{Advice, Grants, Requests};
use pointsman_ledger::HookCame;
use pointsman_model::{
    Answerer, Attended, Insistence, PermissionMode, PermissionRequest, Verdict, VerdictKind,
};
use tokio_util::sync::CancellationToken;

use crate::{
    Answers, Asker, Classifier, ClassifierVote, Hooks, Lifts, PermissionAnswer, Votes, Word,
};

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
                let text = format!("failed: {}", report.text);
                let advice = Advice::says(by, text);
                self.requests.advise(request.id, advice).await;
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
                let by = Answerer::Hook { name: hook };
                let aftermaths = self.hooks.aftermaths();
                aftermaths.keep(request, by.clone(), turn.aftermath);
                Word::Answer { by, kind }
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
    pub(crate) lifts: Lifts,
    pub(crate) votes: Votes,
    pub(crate) attended: Attended,
}

/// What an agent is told of a refusal that somebody could lift.
const MAY_BE_LIFTED: &str = "a person may lift this, and then it passes if you ask for it again: go on with \
    something else first, and ask for it once more at the end if the work needs it";

impl ClassifierCheck {
    /// What a person said to an earlier refusal of the same call.
    async fn lifted(&self, request: &PermissionRequest) -> Option<Word> {
        let (refused, surface) = self.lifts.take(request).await?;
        let by = Answerer::Person { surface };
        let text = format!("lifted the classifier's no to {refused}");
        let advice = Advice::says(by.clone(), text);
        self.requests.advise(request.id, advice).await;
        Some(Word::Answer {
            by,
            kind: VerdictKind::Allow {
                edited: None,
                grant: None,
            },
        })
    }

    /// In the place of the question: its no refuses, and while somebody is there it may be lifted.
    fn refusal(&self, request: &PermissionRequest, by: Answerer, text: &str) -> Word {
        let text = match self.attended {
            Attended::Yes => {
                self.lifts.refused(request);
                format!("{text} ({MAY_BE_LIFTED})")
            }
            Attended::No => text.to_owned(),
        };
        Word::Answer {
            by,
            kind: VerdictKind::Deny {
                text: Some(text.into()),
            },
        }
    }
}

#[async_trait]
impl Answers for ClassifierCheck {
    async fn answer(&self, request: &PermissionRequest) -> Word {
        // Its advice is on the request already.
        if let Some(word) = self.votes.of(request.id) {
            return word;
        }
        let by = Answerer::Classifier {
            name: self.classifier.name().into(),
        };
        let stands_in = stands_in_for_the_question(request);
        if stands_in && let Some(word) = self.lifted(request).await {
            return word;
        }
        let (advice, word) = match self.classifier.classify(request).await {
            ClassifierVote::Yes { .. } => {
                return Word::Answer {
                    by,
                    kind: VerdictKind::Allow {
                        edited: None,
                        grant: None,
                    },
                };
            }
            ClassifierVote::No { text } if stands_in => return self.refusal(request, by, &text),
            ClassifierVote::No { text } => (
                Advice::says(by, format!("would refuse: {text}")),
                Word::Nothing,
            ),
            ClassifierVote::NoVote { cause, why } => (
                Advice::no_vote(by, cause, &why),
                Word::NoVote { cause, why },
            ),
        };
        self.requests.advise(request.id, advice).await;
        word
    }

    fn told(&self, _verdict: &Verdict) {}
}

/// Rung 4: mode auto, and nothing that must be asked.
pub(crate) fn stands_in_for_the_question(request: &PermissionRequest) -> bool {
    request.mode == PermissionMode::Auto
        && request.judgement.insistence == Insistence::MayBeAnswered
}
