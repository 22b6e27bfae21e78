//! Hooks as dispatch meets them: what they want changed, what they are told of, what they say to it.

use std::time::Duration;

use pointsman_gate::{
    Asker, FailedHow, HaltReach, Happening, Heard, HookScene, HookWish, HookWord, Stopping,
};
use pointsman_model::{
    AbsPath, AfterNoVote, CallEvent, Effects, Millis, RequestId, Verdict, VerdictKind,
};
use tokio_util::sync::CancellationToken;

use super::agent_state::{Halt, HaltCause};
use super::life::Life;
use super::refusal::Refusal;
use super::{Dispatch, JudgedForm};

/// How long hooks may take that are told of a call that was stopped: somebody waits to get out.
const AFTER_STOP_MAX: Duration = Duration::from_millis(1500);

/// So often in a row may hooks make an agent go on that wants to stop; then it stops.
const HELD_MAX: u32 = 8;

/// What hooks say to an agent that wants to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopWord {
    /// It may.
    Stops,
    /// It has to go on.
    GoesOn {
        /// Why, for the agent.
        text: String,
    },
}

impl Dispatch {
    /// Tells hooks that the agent starts, if an agent spawned it, and adds what they and `background` say
    /// to what it should know. Called once, before its first call.
    ///
    /// Cancellation: dropping the future kills the hooks.
    pub async fn starting(&mut self, background: Vec<HookWord>) {
        self.background = background;
        if self.is_spawned() {
            let heard = self.tell_of_agent(&Happening::SubagentStarted).await;
            self.background.extend(heard.context);
        }
    }

    /// What hooks said that the agent should know from its start.
    #[must_use]
    pub fn background(&self) -> &[HookWord] {
        &self.background
    }

    /// Tells hooks that the agent wants to stop. An agent that can go on asks before it ends, and goes
    /// on when they say so.
    ///
    /// Cancellation: dropping the future kills the hooks.
    pub async fn stopping(&self, last_words: &str) -> StopWord {
        let stopping = Stopping {
            last_words,
            held_before: self.state.stopping(),
        };
        let happening = if self.is_spawned() {
            Happening::SubagentStops(stopping)
        } else {
            Happening::Stops(stopping)
        };
        let heard = self.tell_of_agent(&happening).await;
        match heard.objection {
            Some(HookWord { hook, text })
                if stopping.held_before < HELD_MAX && self.state.halted().is_none() =>
            {
                self.state.held();
                StopWord::GoesOn {
                    text: format!("hook `{hook}` says to go on: {text}"),
                }
            }
            Some(_) | None => StopWord::Stops,
        }
    }

    /// Whether hooks were told by [`Self::stopping`] that the agent stops, and let it.
    #[must_use]
    pub fn is_stop_told(&self) -> bool {
        self.state.is_stop_told()
    }

    fn is_spawned(&self) -> bool {
        self.seat.frozen.context.parts().lineage.depth() > 1
    }

    async fn tell_of_agent(&self, happening: &Happening<'_>) -> Heard {
        let folder = self.folder();
        self.tell(happening, &folder, &Effects::default()).await
    }

    /// Tells hooks of something. Those that are told once the agent is stopped have a short time.
    async fn tell(&self, happening: &Happening<'_>, folder: &AbsPath, effects: &Effects) -> Heard {
        let parts = self.seat.frozen.context.parts();
        let stopped = self.seat.stop.is_cancelled();
        let own_end = CancellationToken::new();
        let scene = HookScene {
            lineage: &parts.lineage,
            folder,
            mode: parts.mode.mode(),
            effects,
            stop: if stopped { &own_end } else { &self.seat.stop },
        };
        let telling = self.seat.hooks.tell(happening, &scene);
        let heard = if stopped {
            let told = tokio::time::timeout(AFTER_STOP_MAX, telling).await;
            told.unwrap_or_default()
        } else {
            telling.await
        };
        if let Some(HookWord { hook, text }) = &heard.halt {
            self.halt_by_hook(HaltReach::Run, hook, text);
        }
        heard
    }

    /// Tells hooks how a call that ran came to its end, and takes in what they say to it.
    pub(super) async fn tell_ran(
        &self,
        life: &mut Life,
        form: &JudgedForm,
        event: CallEvent,
        text: &mut String,
        took: Millis,
    ) {
        let (call, given) = (&form.call, text.as_str());
        let failed = |how| Happening::Failed {
            call,
            error: given,
            how,
            took,
        };
        let happening = match event {
            CallEvent::Finish => Happening::Succeeded {
                call,
                text: given,
                took,
            },
            CallEvent::Cancel => failed(FailedHow::Interrupted),
            CallEvent::Fail
            | CallEvent::Ask
            | CallEvent::Admit
            | CallEvent::Start
            | CallEvent::Supersede => failed(FailedHow::ByItself),
        };
        let heard = self.tell(&happening, &form.folder, &form.effects).await;
        if let Some(output) = heard.output {
            *text = output.text.into();
        }
        life.keep(heard.context);
        life.keep(heard.objection.into_iter().map(objecting).collect());
    }

    /// Tells hooks that the classifier refused a call. One of them may let the agent ask again.
    pub(super) async fn tell_denied(&self, form: &JudgedForm, refusal: &mut Refusal) {
        let happening = Happening::Denied {
            call: &form.call,
            reason: &refusal.text,
        };
        let heard = self.tell(&happening, &form.folder, &form.effects).await;
        if let Some(word) = heard.again {
            let again = format!("\nhook `{}` says that it may be asked again", word.hook);
            refusal.text.push_str(&again);
        }
        add_notes(&mut refusal.text, &heard.context);
    }

    /// Takes in what PreToolUse hooks want changed. A deny or ask rule that can't be taken in refuses the
    /// call, since the hook counts on it.
    pub(super) async fn take_wishes(
        &self,
        wishes: &[HookWish],
        folder: &AbsPath,
    ) -> Result<(), Refusal> {
        let asker = self.asker(folder);
        for wish in wishes {
            let taken = self.seat.hooks.carry_out(wish, &asker, &self.seat.grants);
            match taken.await {
                Ok(()) => {}
                Err(error) if wish.loosens() => {
                    tracing::warn!(hook = &*wish.hook, %error, "what a hook wants was not taken in");
                }
                Err(error) => {
                    let why = format!("it adds a rule that can't be taken in: {error}");
                    return Err(Refusal::by_hook(&wish.hook, &why));
                }
            }
        }
        Ok(())
    }

    /// Does what follows a verdict beyond its call, as far as it stops somebody: a hook may stop the agent or the run, a
    /// call that could not be judged may halt the agent. Gives what a hook loosens, for when the call passes.
    pub(super) fn follow(&self, request: RequestId, verdict: &Verdict) -> Vec<HookWish> {
        let aftermath = self.seat.hooks.aftermaths().of(request, verdict);
        let aftermath = aftermath.unwrap_or_default();
        match (aftermath.halt, &verdict.kind) {
            (Some(halt), VerdictKind::Deny { .. }) => {
                self.halt_by_hook(halt.reach, &halt.word.hook, &halt.word.text);
            }
            (_, VerdictKind::Unjudged { cause, text }) => match cause.afterwards() {
                AfterNoVote::GoesOn => {}
                AfterNoVote::Halts => self.state.halt(Halt {
                    cause: HaltCause::Unjudged,
                    reason: text.as_ref().into(),
                }),
            },
            (
                _,
                VerdictKind::Allow { .. } | VerdictKind::Deny { .. } | VerdictKind::Ended { .. },
            ) => {}
        }
        aftermath.wishes
    }

    /// Takes in what an answering hook loosens beyond a call that passes.
    pub(super) async fn loosen(&self, wishes: &[HookWish], folder: &AbsPath) {
        let asker = self.asker(folder);
        for wish in wishes {
            let followed = self.seat.hooks.follow_up(wish, &asker, &self.seat.grants);
            if let Err(error) = followed.await {
                tracing::warn!(hook = &*wish.hook, %error, "what a hook wants was not taken in");
            }
        }
    }

    pub(super) fn halt_by_hook(&self, reach: HaltReach, hook: &str, text: &str) {
        let (cause, what) = match reach {
            HaltReach::Agent => (HaltCause::Interrupt(hook.into()), "stopped this agent"),
            HaltReach::Run => (HaltCause::Hook(hook.into()), "halted the run"),
        };
        self.state.halt(Halt {
            reason: format!("hook `{hook}` {what}: {text}"),
            cause,
        });
    }

    fn asker<'a>(&'a self, folder: &'a AbsPath) -> Asker<'a> {
        let parts = self.seat.frozen.context.parts();
        Asker {
            worker: self.seat.worker,
            mode: parts.mode.mode(),
            folder,
            directories: &parts.directories,
        }
    }
}

fn objecting(word: HookWord) -> HookWord {
    HookWord {
        text: format!("it objects to what was done: {}", word.text).into(),
        ..word
    }
}

/// Adds what hooks say to what an agent is told, each in the name of its hook.
pub(super) fn add_notes(text: &mut String, notes: &[HookWord]) {
    for HookWord { hook, text: said } in notes {
        text.push_str(&format!("\n[hook `{hook}`] {said}"));
    }
}
