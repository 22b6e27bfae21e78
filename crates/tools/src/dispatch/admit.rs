//! From the ask to the verdict.

use std::sync::Arc;

use pointsman_gate::{HaltReach, HookScene, HookWish, PreToolUse, PreToolUseVote};
use pointsman_ledger::{CallDecided, CallHooked, CallRequested, RecordBody};
use pointsman_model::{
    AbsPath, CallEvent, CallId, DigestBuilder, Effects, ExecutedCall, HookedCall, JsonText,
    Judgement, Overlay, PermissionDecision, RequestedCall, RuleText, ToolInput, ToolName,
};
use pointsman_policy::{
    EntryKind, HookVote, Question, effects_of, judge, judge_denies_and_asks, narrowest_rule,
};

use super::agent_state::{Halt, HaltCause, REFUSALS_EQUAL_MAX};
use super::bound::Bound;
use super::life::{Life, LifePast};
use super::refusal::{Refusal, is_deny, why};
use super::{Admission, AdmittedCall, AskedCall, Dispatch, JudgedForm, Pass, Passed, keys, tidy};
use crate::{Became, CallEnd, InputProblem, PastQuestion, Tool};

/// Times a call is judged anew since a grant that let it pass was used up in the meantime.
const GRANT_RACES_MAX: u32 = 8;

/// What the past says to a call.
enum Recalled {
    /// It goes its way, for the first time or again.
    Life(Life),
    /// It has had its end.
    Ended(CallEnd),
}

/// What the hooks' turn came to for a call that goes on.
struct HookTurn {
    vote: HookVote,
    rewritten: Option<ExecutedCall>,
}

impl Dispatch {
    /// Takes a call from the ask to the verdict: its input is checked, hooks have their turn, the ladder is
    /// walked, a question is asked and answered. Ends, refused as cancelled, when the agent is stopped.
    ///
    /// Cancellation: dropping the future cancels the call; an open question of it is withdrawn.
    pub async fn admit(&self, asked: AskedCall) -> Admission {
        let mut life = match self.recall(&asked) {
            Recalled::Life(life) => life,
            Recalled::Ended(end) => return Admission::Ended(end),
        };
        let walked = tokio::select! {
            biased;
            () = self.seat.stop.cancelled() => Err(Refusal::stopped()),
            walked = async {
                let lineage = &self.seat.frozen.context.parts().lineage;
                // A pause touches nothing that is asked already.
                if !life.is_asked() {
                    self.seat.pace.going(lineage).await;
                }
                self.walk(&mut life, &asked).await
            } => walked,
        };
        match walked {
            Ok(passed) => Admission::Admitted(AdmittedCall {
                life,
                passed: Box::new(passed),
            }),
            Err(mut refusal) => {
                self.count_refusal(&asked, &mut refusal);
                Admission::Ended(Box::pin(self.end_refused(life, refusal)).await)
            }
        }
    }

    /// Looks whether the agent asked for this before its leader died (law 20): then it goes on from there.
    fn recall(&self, asked: &AskedCall) -> Recalled {
        let Some(past) = self.state.recall(&asked.tool, &asked.input) else {
            return Recalled::Life(Life::begin(&self.seat));
        };
        let left = match past.became {
            Became::Ended(end) => return Recalled::Ended(end),
            Became::Unknown if self.starts_an_agent(asked) => LifePast::Started,
            Became::Unknown => return Recalled::Ended(past.unknown_end()),
            Became::Waited(question) => LifePast::Asked(question),
        };
        Recalled::Life(Life::again(&self.seat, past.id, left))
    }

    fn starts_an_agent(&self, asked: &AskedCall) -> bool {
        self.seat
            .toolbox
            .get(&asked.tool)
            .and_then(|tool| tool.check(&asked.input).ok())
            .is_some_and(|input| matches!(input, ToolInput::Spawn(_)))
    }

    async fn walk(&self, life: &mut Life, asked: &AskedCall) -> Result<Passed, Refusal> {
        if let Some(halt) = self.state.halted() {
            return Err(Refusal::halted(&halt));
        }
        let without_key = keys::in_place_of(&asked.input, &self.seat.environment);
        match life.past() {
            LifePast::None => {
                self.note(CallRequested {
                    worker: self.seat.worker,
                    call: RequestedCall {
                        id: life.id(),
                        tool: asked.tool.clone(),
                        input: without_key.as_ref().unwrap_or(&asked.input).clone(),
                    },
                })
                .await?;
            }
            // That it was asked for is on record.
            LifePast::Asked(_) | LifePast::Started => {}
        }
        if without_key.is_some() {
            return Err(Refusal::holds_key());
        }
        let tool = self.find(&asked.tool)?;
        let raw = fit(tool.as_ref(), life.id(), &asked.input)
            .map_err(|problems| Refusal::unfit(&tool.spec().name, &problems))?;
        let folder = self.standing_folder();
        // What is over soon has its room on the heap: an agent that waits for an answer is to be small.
        let turn = Box::pin(self.hooks_turn(life, &tool, &raw, &asked.input, &folder)).await?;
        let form = self.judged(tool, raw, turn, folder);
        self.decided(&form).await?;
        match form.judgement.decision {
            PermissionDecision::Deny => {
                // A verdict that it has does not lift this (law 1).
                let _ = Box::pin(needs_no_answer(life)).await;
                Err(self.refused(&form))
            }
            PermissionDecision::Allow => {
                if let Some(answered) = Box::pin(needs_no_answer(life)).await
                    && self.bound_now(&form).await?.digest == answered.request.digest
                {
                    // Its one verdict stands, whatever has been allowed since (law 9).
                    life.give_back(answered);
                    life.apply(CallEvent::Ask)?;
                    return Box::pin(self.ask(life, form, None)).await;
                }
                Box::pin(self.pass_by_ladder(life, form)).await
            }
            PermissionDecision::Ask => {
                life.apply(CallEvent::Ask)?;
                Box::pin(self.ask(life, form, None)).await
            }
        }
    }

    fn find(&self, name: &ToolName) -> Result<Arc<dyn Tool>, Refusal> {
        let Some(tool) = self.seat.toolbox.get(name) else {
            let offered: Vec<ToolName> = self.offered().into_iter().map(|spec| spec.name).collect();
            return Err(Refusal::unknown_tool(name, &offered));
        };
        if self
            .seat
            .frozen
            .context
            .parts()
            .tools
            .contains(&tool.spec().name)
        {
            Ok(Arc::clone(tool))
        } else {
            Err(Refusal::not_its_tool(name))
        }
    }

    /// The agent's folder; its first one again when that is gone, since nothing can run in no folder.
    fn standing_folder(&self) -> AbsPath {
        let folder = self.state.folder();
        match self.seat.tree.kind(&folder) {
            EntryKind::Folder => folder,
            EntryKind::Missing | EntryKind::File | EntryKind::Other => {
                let first = &self.seat.frozen.context.parts().folder;
                self.state.move_to(first.clone());
                first.clone()
            }
        }
    }

    async fn hooks_turn(
        &self,
        life: &mut Life,
        tool: &Arc<dyn Tool>,
        raw: &ExecutedCall,
        input: &JsonText,
        folder: &AbsPath,
    ) -> Result<HookTurn, Refusal> {
        let parts = self.seat.frozen.context.parts();
        let hooked = HookedCall {
            id: raw.id,
            tool: raw.tool.clone(),
            // On record is what they saw, or a path made absolute would look like their doing.
            input: self.seat.hooks.shown(input, folder).into_owned(),
        };
        let effects = effects_of(&raw.tool, &raw.input, &self.surroundings(folder));
        let scene = HookScene {
            lineage: &parts.lineage,
            folder,
            mode: parts.mode.mode(),
            effects: &effects,
            stop: &self.seat.stop,
        };
        let turn = self.seat.hooks.pre_tool_use(&hooked, &scene).await;
        self.hooks_told(hooked, &turn).await?;
        life.keep(turn.context);
        // What tightens counts whatever becomes of the call; what loosens, only once the call has passed.
        let (loosening, tightening): (Vec<_>, Vec<_>) =
            turn.wishes.into_iter().partition(HookWish::loosens);
        self.take_wishes(&tightening, folder).await?;
        life.owe(loosening);
        let vote = match turn.vote {
            PreToolUseVote::Ladder(vote) => vote,
            PreToolUseVote::Deny { hook, text } => return Err(Refusal::by_hook(&hook, &text)),
            PreToolUseVote::Halt { hook, text } => {
                let refusal = Refusal::by_hook(&hook, &text);
                self.halt_by_hook(HaltReach::Run, &hook, &text);
                return Err(refusal);
            }
        };
        let rewritten = turn
            .rewritten
            .filter(|rewritten| rewritten != input)
            .map(|rewritten| fit(tool.as_ref(), raw.id, &rewritten))
            .transpose()
            .map_err(|problems| {
                let hooks: Vec<&str> = turn.reports.iter().map(|report| &*report.hook).collect();
                Refusal::misfit_rewrite(&hooks, &raw.tool, &problems)
            })?
            .filter(|rewritten| rewritten.text != raw.text);
        if let Some(rewritten) = &rewritten
            && keys::in_place_of(&rewritten.text, &self.seat.environment).is_some()
        {
            return Err(Refusal::holds_key());
        }
        Ok(HookTurn { vote, rewritten })
    }

    async fn hooks_told(&self, call: HookedCall, turn: &PreToolUse) -> Result<(), Refusal> {
        if turn.reports.is_empty() && turn.rewritten.is_none() {
            return Ok(());
        }
        self.note(CallHooked {
            worker: self.seat.worker,
            call,
            hooks: turn.reports.clone(),
            // One with a key is refused, and is on record without it.
            rewritten: turn.rewritten.as_ref().map(|rewritten| {
                let without = keys::in_place_of(rewritten, &self.seat.environment);
                without.unwrap_or_else(|| rewritten.clone())
            }),
        })
        .await
    }

    /// The form that is judged. Deny and ask rules see a rewritten call in both its forms, allow sees the final one.
    fn judged(
        &self,
        tool: Arc<dyn Tool>,
        raw: ExecutedCall,
        turn: HookTurn,
        folder: AbsPath,
    ) -> Box<JudgedForm> {
        let overlay = self.overlay(raw.id);
        let Some(call) = turn.rewritten else {
            return self.form(tool, raw, None, folder, turn.vote, &overlay);
        };
        let effects = effects_of(&raw.tool, &raw.input, &self.surroundings(&folder));
        let objection =
            judge_denies_and_asks(&self.question(&raw, &effects, &folder, &overlay, &turn.vote));
        let before = Some(raw.text);
        let Some(objection) = objection else {
            return self.form(tool, call, before, folder, turn.vote, &overlay);
        };
        if is_deny(&objection) {
            let mut form = self.form(tool, call, before, folder, turn.vote, &overlay);
            form.judgement = objection;
            return form;
        }
        // The rest of the ladder (plan, dontAsk) still has its say, so the objection takes part as a vote to ask.
        let vote = HookVote::Ask {
            hook: "rewrite".into(),
            text: format!("before hooks rewrote it, {}", why(&objection.reason)).into(),
        };
        let mut form = self.form(tool, call, before, folder, vote, &overlay);
        if form.judgement.decision == PermissionDecision::Ask {
            form.judgement.reason = objection.reason;
        }
        form
    }

    pub(super) fn form(
        &self,
        tool: Arc<dyn Tool>,
        call: ExecutedCall,
        rewritten_from: Option<JsonText>,
        folder: AbsPath,
        vote: HookVote,
        overlay: &Overlay,
    ) -> Box<JudgedForm> {
        let effects = effects_of(&call.tool, &call.input, &self.surroundings(&folder));
        let judgement = judge(&self.question(&call, &effects, &folder, overlay, &vote));
        Box::new(JudgedForm {
            tool,
            call,
            rewritten_from,
            folder,
            effects,
            vote,
            judgement,
        })
    }

    pub(super) fn question<'a>(
        &'a self,
        call: &'a ExecutedCall,
        effects: &'a Effects,
        folder: &'a AbsPath,
        overlay: &'a Overlay,
        vote: &'a HookVote,
    ) -> Question<'a> {
        Question {
            tool: &call.tool,
            input: &call.text,
            effects,
            folder,
            frozen: &self.seat.frozen,
            overlay,
            vote,
            tree: self.seat.tree.as_ref(),
        }
    }

    /// Walks the ladder again for the same form, under what holds now.
    pub(super) fn judge_again(&self, form: &JudgedForm) -> Judgement {
        let overlay = self.overlay(form.call.id);
        judge(&self.question(
            &form.call,
            &form.effects,
            &form.folder,
            &overlay,
            &form.vote,
        ))
    }

    /// The narrowest rule that would have let it pass.
    pub(super) fn narrowest(&self, form: &JudgedForm) -> Option<RuleText> {
        let overlay = self.overlay(form.call.id);
        narrowest_rule(&self.question(
            &form.call,
            &form.effects,
            &form.folder,
            &overlay,
            &form.vote,
        ))
    }

    pub(super) fn refused(&self, form: &JudgedForm) -> Refusal {
        Refusal::by_judgement(&form.judgement, self.narrowest(form).as_ref())
    }

    /// Records what the ladder answered.
    pub(super) async fn decided(&self, form: &JudgedForm) -> Result<(), Refusal> {
        let overlay = self.overlay(form.call.id);
        self.note(CallDecided {
            worker: self.seat.worker,
            call: form.call.clone(),
            recorded: tidy::recorded(&form.call, &self.surroundings(&form.folder)),
            folder: form.folder.clone(),
            effects: form.effects.clone(),
            judgement: form.judgement.clone(),
            context: self.seat.frozen.context.digest(),
            grants: overlay.grants.iter().map(|grant| grant.id).collect(),
        })
        .await
    }

    /// Lets a call pass that the ladder allows. A grant that it needs is used; when another agent used the last of it
    /// first, the ladder is walked again.
    pub(super) async fn pass_by_ladder(
        &self,
        life: &mut Life,
        mut form: Box<JudgedForm>,
    ) -> Result<Passed, Refusal> {
        for _ in 0..GRANT_RACES_MAX {
            if self.use_grants(&form.judgement, form.call.id).await? {
                let bound = Bound::now(&self.seat, &form.call, &form.folder, &form.effects).await?;
                life.apply(CallEvent::Admit)?;
                return Ok(Passed {
                    form,
                    pass: Pass::Ladder,
                    bound,
                });
            }
            form.judgement = self.judge_again(&form);
            self.decided(&form).await?;
            match form.judgement.decision {
                PermissionDecision::Allow => {}
                PermissionDecision::Deny => return Err(self.refused(&form)),
                PermissionDecision::Ask => {
                    life.apply(CallEvent::Ask)?;
                    return Box::pin(self.ask(life, form, None)).await;
                }
            }
        }
        Err(Refusal::never_settled(GRANT_RACES_MAX))
    }

    /// Counts a refusal, and halts an agent that asks for the same again and again. It is told, and warned before.
    fn count_refusal(&self, asked: &AskedCall, refusal: &mut Refusal) {
        if refusal.event() == CallEvent::Cancel && self.seat.stop.is_cancelled() {
            return;
        }
        let outcome = refusal.outcome.map_or("unfit", |outcome| outcome.as_str());
        let fingerprint = DigestBuilder::new("refusal")
            .part("tool", asked.tool.as_str().as_bytes())
            .part("input", asked.input.as_str().as_bytes())
            .part("outcome", outcome.as_bytes())
            .finish();
        let count = self.state.refused(fingerprint);
        if count.saturating_add(1) == REFUSALS_EQUAL_MAX {
            refusal.add(&format!(
                "This was refused {count} times in the same way: asked once more, you are stopped."
            ));
        }
        if count >= REFUSALS_EQUAL_MAX {
            refusal.add(&format!(
                "This was refused {count} times in the same way: you are stopped."
            ));
            self.state.halt(Halt {
                cause: HaltCause::EqualRefusals,
                reason: format!(
                    "the same call of `{}` was refused {REFUSALS_EQUAL_MAX} times in the same way ({outcome})",
                    asked.tool
                ),
            });
        }
    }

    /// Queues a record of this agent's. What can't be recorded does not go on.
    pub(super) async fn note(&self, body: impl Into<RecordBody>) -> Result<(), Refusal> {
        Ok(Box::pin(self.seat.ledger.note(self.seat.run, body)).await?)
    }
}

/// Ends the question that a call had come to before its leader died, since what holds now decides it. One that has its
/// verdict is given back.
async fn needs_no_answer(life: &mut Life) -> Option<PastQuestion> {
    let why = "what holds now decides it without an answer";
    life.take_question()?.supersede(why).await.err()
}

/// Checks an input against its tool: the form that can be judged, shown and run.
pub(super) fn fit(
    tool: &dyn Tool,
    id: CallId,
    raw: &JsonText,
) -> Result<ExecutedCall, Vec<InputProblem>> {
    let input = tool.check(raw)?;
    let text = tidy::text_of(&input)
        .map_err(|error| vec![InputProblem::Unreadable(error.to_string().into())])?;
    Ok(ExecutedCall {
        id,
        tool: tool.spec().name.clone(),
        input,
        text,
    })
}
