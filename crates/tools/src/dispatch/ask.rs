//! The question: its request, its verdict, and what the verdict makes of the call.

use std::sync::Arc;

use pointsman_model::{
    Answerer, CallEvent, Insistence, JsonText, Outcome, PermissionDecision, PermissionRequest,
    Superseded, Verdict, VerdictKind,
};
use pointsman_policy::{Question, propose};

use super::admit::fit;
use super::bound::Bound;
use super::life::Life;
use super::refusal::Refusal;
use super::{Dispatch, JudgedForm, Pass, Passed, keys};
use crate::Standing;

/// So often is one call asked at most, each time since it changed after the answer.
pub(super) const ASKS_MAX: u32 = 4;

/// What an allow came to.
enum Heeded {
    /// The call passes as it was asked; nothing in it was edited.
    AsAsked,
    /// The call passes as the answer edited it.
    Edited(Box<JudgedForm>),
    /// It has to be asked again, in this form.
    AskAgain(Box<JudgedForm>, Superseded),
}

impl Dispatch {
    /// Asks until the call is let pass or refused. The call awaits approval.
    pub(super) async fn ask(
        &self,
        life: &mut Life,
        mut form: Box<JudgedForm>,
        mut supersedes: Option<Superseded>,
    ) -> Result<Passed, Refusal> {
        // What is over soon has its room on the heap: an agent that waits for an answer is to be small.
        form.shrink();
        for _ in 0..ASKS_MAX {
            let mut bound = self.bound_now(&form).await?;
            let (request, before) =
                Box::pin(self.question_of(life, &form, &bound, supersedes.take())).await;
            let id = request.id;
            let verdict = self.seat.handler.resolve(request).await;
            // Whoever is asked has joined it.
            drop(before);
            let wishes = self.follow(id, &verdict);
            match Box::pin(self.heed(&form, &verdict)).await? {
                Heeded::AskAgain(changed, why) => {
                    form = changed;
                    supersedes = Some(Superseded {
                        request: Some(id),
                        ..why
                    });
                    continue;
                }
                Heeded::AsAsked => {
                    // What the answer was given for, whatever has become of it since.
                    bound.digest = verdict.digest;
                }
                Heeded::Edited(edited) => {
                    // What the person had before them when they edited it must still be so (law 10).
                    let now = self.bound_now(&form).await?;
                    form = edited;
                    if !now.is_same(&bound) {
                        supersedes = Some(Superseded {
                            request: Some(id),
                            difference: bound.difference(&now).into(),
                        });
                        continue;
                    }
                    bound = self.bound_now(&form).await?;
                }
            }
            Box::pin(self.loosen(&wishes, &form.folder)).await;
            Box::pin(self.make_grants(&verdict, id)).await;
            life.apply(CallEvent::Admit)?;
            return Ok(Passed {
                form,
                pass: Pass::Verdict(id),
                bound,
            });
        }
        Err(Refusal::never_settled(ASKS_MAX))
    }

    pub(super) async fn bound_now(&self, form: &JudgedForm) -> Result<Bound, Refusal> {
        let now = Bound::now(&self.seat, &form.call, &form.folder, &form.effects);
        Ok(Box::pin(now).await?)
    }

    /// The question to ask. One that the call had come to before its leader died is asked on, with its id and its
    /// deadline, as long as it is about the very same; what became of it meanwhile counts.
    async fn question_of(
        &self,
        life: &mut Life,
        form: &JudgedForm,
        bound: &Bound,
        supersedes: Option<Superseded>,
    ) -> (PermissionRequest, Standing) {
        let Some(before) = life.take_question() else {
            return (self.request(form, bound, supersedes), Standing::Left);
        };
        if supersedes.is_none() && before.request.digest == bound.digest {
            return (*before.request, before.standing);
        }
        let supersedes = supersedes.unwrap_or_else(|| Superseded {
            request: Some(before.request.id),
            difference: "what it runs or changes is not as it was before the leader died".into(),
        });
        // A verdict that it has was given for something else.
        let _ = before.supersede(&supersedes.difference).await;
        (self.request(form, bound, Some(supersedes)), Standing::Left)
    }

    fn request(
        &self,
        form: &JudgedForm,
        bound: &Bound,
        supersedes: Option<Superseded>,
    ) -> PermissionRequest {
        let seat = &self.seat;
        let context = &seat.frozen.context;
        let parts = context.parts();
        let overlay = self.overlay(form.call.id);
        let question: Question<'_> = self.question(
            &form.call,
            &form.effects,
            &form.folder,
            &overlay,
            &form.vote,
        );
        let opened_at = seat.clock.now();
        PermissionRequest {
            id: seat.ids.next_request(),
            call: form.call.clone(),
            rewritten_from: form.rewritten_from.clone(),
            supersedes,
            lineage: parts.lineage.clone(),
            task: seat.task.clone(),
            folder: form.folder.clone(),
            mode: parts.mode.mode(),
            origin: seat.origin,
            effects: form.effects.clone(),
            judgement: form.judgement.clone(),
            proposals: propose(&question, &form.judgement),
            opened_at,
            deadline: opened_at.plus(seat.answer_within),
            context: context.digest(),
            digest: bound.digest,
            unheld: bound.unheld(),
        }
    }

    async fn heed(&self, form: &JudgedForm, verdict: &Verdict) -> Result<Heeded, Refusal> {
        let edited = match &verdict.kind {
            VerdictKind::Deny { .. } | VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => {
                let mut refusal = Refusal::by_verdict(verdict, self.narrowest(form).as_ref());
                refusal.name_asking_hook(&form.judgement.reason);
                if refusal.outcome == Some(Outcome::DeniedByClassifier) {
                    self.tell_denied(form, &mut refusal).await;
                }
                return Err(refusal);
            }
            VerdictKind::Allow { edited, .. } => edited,
        };
        match self.edited(form, edited.as_ref(), &verdict.by)? {
            None => self.heed_as_asked(form, verdict).await,
            Some(edited) => self.heed_edited(form, edited, verdict).await,
        }
    }

    /// The form that an answer made of the call; nothing when it left it as it was.
    fn edited(
        &self,
        form: &JudgedForm,
        edited: Option<&JsonText>,
        by: &Answerer,
    ) -> Result<Option<Box<JudgedForm>>, Refusal> {
        let Some(edited) = edited else {
            return Ok(None);
        };
        let call = fit(form.tool.as_ref(), form.call.id, edited)
            .map_err(|problems| Refusal::misfit_edit(by, &problems))?;
        if call.text == form.call.text {
            return Ok(None);
        }
        if keys::in_place_of(&call.text, &self.seat.environment).is_some() {
            return Err(Refusal::holds_key());
        }
        let before = form
            .rewritten_from
            .clone()
            .unwrap_or_else(|| form.call.text.clone());
        let overlay = self.overlay(form.call.id);
        Ok(Some(self.form(
            Arc::clone(&form.tool),
            call,
            Some(before),
            form.folder.clone(),
            form.vote.clone(),
            &overlay,
        )))
    }

    /// The ladder is walked again, since rules may have been tightened while the question was open: no verdict
    /// lifts a deny (law 1).
    async fn heed_as_asked(&self, form: &JudgedForm, verdict: &Verdict) -> Result<Heeded, Refusal> {
        let mut now = form.clone();
        now.judgement = self.judge_again(form);
        match now.judgement.decision {
            PermissionDecision::Allow => Ok(Heeded::AsAsked),
            PermissionDecision::Deny => {
                self.decided(&now).await?;
                Err(self.refused(&now))
            }
            PermissionDecision::Ask => {
                let tightened = form.judgement.insistence == Insistence::MayBeAnswered
                    && now.judgement.insistence == Insistence::MustAsk;
                if tightened && !is_person(&verdict.by) {
                    self.decided(&now).await?;
                    return Ok(Heeded::AskAgain(
                        Box::new(now),
                        superseded("a rule made since asks for it"),
                    ));
                }
                Ok(Heeded::AsAsked)
            }
        }
    }

    /// An edited call is judged again. A person who edited it has seen it, so their answer discharges what would
    /// ask; another answerer's does so unless the edited call must be asked.
    async fn heed_edited(
        &self,
        form: &JudgedForm,
        edited: Box<JudgedForm>,
        verdict: &Verdict,
    ) -> Result<Heeded, Refusal> {
        self.decided(&edited).await?;
        match (edited.judgement.decision, edited.judgement.insistence) {
            (PermissionDecision::Deny, _) => Err(self.refused(&edited)),
            (PermissionDecision::Allow, _)
            | (PermissionDecision::Ask, Insistence::MayBeAnswered) => Ok(Heeded::Edited(edited)),
            (PermissionDecision::Ask, Insistence::MustAsk) if is_person(&verdict.by) => {
                Ok(Heeded::Edited(edited))
            }
            (PermissionDecision::Ask, Insistence::MustAsk) => {
                let difference = format!(
                    "{} edited the input from `{}`, and what came of it must be asked",
                    verdict.by,
                    form.call.text.as_str()
                );
                Ok(Heeded::AskAgain(edited, superseded(&difference)))
            }
        }
    }
}

fn superseded(difference: &str) -> Superseded {
    Superseded {
        request: None,
        difference: difference.into(),
    }
}

fn is_person(by: &Answerer) -> bool {
    match by {
        Answerer::Person { .. } => true,
        Answerer::Hook { .. }
        | Answerer::Classifier { .. }
        | Answerer::Grant { .. }
        | Answerer::Ladder
        | Answerer::Runtime => false,
    }
}
