//! Dispatch: the one door. [`Dispatch::admit`] takes a call from the ask to the verdict,
//! [`Dispatch::execute`] from there to its end.
//!
//! One dispatch belongs to one agent. It keeps what changes with the agent's calls: the folder it
//! is in, the files it has seen, how often the same thing was refused. It never decides by itself;
//! it asks hooks, ladder and handler in the order of the design, and holds to their answers.

mod admit;
mod agent_state;
mod ask;
mod batch;
mod bound;
mod execute;
mod grants;
mod hooks;
mod keys;
mod life;
mod refusal;
mod tidy;

use std::sync::Arc;

use pointsman_gate::HookWord;
use pointsman_model::{
    AbsPath, CallId, Effects, ExecutedCall, JsonText, Judgement, Overlay, RequestId, ToolName,
    ToolSpec,
};
use pointsman_policy::{HookVote, Question, judge_denies_and_asks, name_case};
use pointsman_shell::Surroundings;

use self::agent_state::AgentState;
use self::bound::Bound;
use self::life::Life;
use crate::{CallEnd, PastAgent, Seat, Tool};

pub use self::agent_state::{Halt, HaltCause};
pub use self::hooks::StopWord;
pub use self::keys::holds_key;

/// A call as an agent asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCall {
    /// The tool.
    pub tool: ToolName,
    /// Its input, byte for byte.
    pub input: JsonText,
}

/// What the ask came to.
#[must_use]
pub enum Admission {
    /// It may run; [`Dispatch::execute`] takes it on.
    Admitted(AdmittedCall),
    /// It was refused, cancelled, or does not fit its tool.
    Ended(CallEnd),
}

/// A call that may run. Only [`Dispatch::admit`] makes one, and only once: it is used up by
/// [`Dispatch::execute`], and dropping it cancels the call.
///
/// ```compile_fail
/// fn twice(call: pointsman_tools::AdmittedCall) -> [pointsman_tools::AdmittedCall; 2] {
///     [call.clone(), call]
/// }
/// ```
#[must_use]
pub struct AdmittedCall {
    life: Life,
    passed: Box<Passed>,
}

/// A call that was let pass, and what its pass is bound to.
struct Passed {
    form: Box<JudgedForm>,
    pass: Pass,
    bound: Bound,
}

/// What let a call pass.
#[derive(Clone, Copy)]
enum Pass {
    /// The ladder.
    Ladder,
    /// The verdict on this request.
    Verdict(RequestId),
}

/// A call in the form that is judged, shown and run, with all that was found out about it.
#[derive(Clone)]
struct JudgedForm {
    tool: Arc<dyn Tool>,
    call: ExecutedCall,
    rewritten_from: Option<JsonText>,
    folder: AbsPath,
    effects: Effects,
    vote: HookVote,
    judgement: Judgement,
}

impl JudgedForm {
    /// Gives back the room that it was worked out in: it may be kept for as long as somebody waits.
    fn shrink(&mut self) {
        self.effects.list.shrink_to_fit();
        self.judgement.trail.0.shrink_to_fit();
    }
}

impl AdmittedCall {
    /// The call as it will run.
    #[must_use]
    pub fn call(&self) -> &ExecutedCall {
        &self.passed.form.call
    }
}

/// The door of one agent.
pub struct Dispatch {
    seat: Seat,
    state: AgentState,
    background: Vec<HookWord>,
}

impl Dispatch {
    /// The door of the agent that sits there.
    #[must_use]
    pub fn new(seat: Seat) -> Self {
        let state = AgentState::new(seat.frozen.context.parts().folder.clone());
        Self {
            seat,
            state,
            background: Vec::new(),
        }
    }

    /// The door of an agent of an earlier reign, which did this before its leader died.
    #[must_use]
    pub fn resumed(seat: Seat, past: PastAgent) -> Self {
        let dispatch = Self::new(seat);
        dispatch.state.remember(past);
        dispatch
    }

    /// What the agent asked for before its leader died, as far as it has not asked for it again, in order.
    #[must_use]
    pub fn asked_before(&self) -> Vec<AskedCall> {
        self.state.asked_before()
    }

    /// The agent's place.
    #[must_use]
    pub fn seat(&self) -> &Seat {
        &self.seat
    }

    /// The folder that the agent is in now.
    #[must_use]
    pub fn folder(&self) -> AbsPath {
        self.state.folder()
    }

    /// Why the agent has to stop, when it has to. Its further calls are cancelled.
    #[must_use]
    pub fn halted(&self) -> Option<Halt> {
        self.state.halted()
    }

    /// Comes back once the agent has to stop, and says why: for whoever has to act on it before the agent does.
    ///
    /// Cancel safe.
    pub async fn halting(&self) -> Halt {
        self.state.halting().await
    }

    /// The tools that the agent is told of: those of its context, without those that a bare deny rule removes.
    #[must_use]
    pub fn offered(&self) -> Vec<ToolSpec> {
        self.seat
            .toolbox
            .tools()
            .map(|tool| tool.spec())
            .filter(|spec| self.is_offered(&spec.name))
            .cloned()
            .collect()
    }

    fn is_offered(&self, tool: &ToolName) -> bool {
        let context = &self.seat.frozen.context;
        let nothing = Effects::default();
        let overlay = self
            .seat
            .grants
            .overlay_for(&context.parts().lineage, self.seat.clock.now());
        let removed = || {
            let Ok(input) = JsonText::parse("{}") else {
                return None;
            };
            // Without effects only rules for the tool itself can match.
            judge_denies_and_asks(&Question {
                tool,
                input: &input,
                effects: &nothing,
                folder: &context.parts().folder,
                frozen: &self.seat.frozen,
                overlay: &overlay,
                vote: &HookVote::None,
                tree: self.seat.tree.as_ref(),
            })
        };
        context.parts().tools.contains(tool)
            && !removed().is_some_and(|judgement| refusal::is_deny(&judgement))
    }

    /// The input of a call in the form that a transcript keeps; as it came where its tool can't read it.
    #[must_use]
    pub fn tidied(&self, asked: &AskedCall) -> JsonText {
        let Some(tool) = self.seat.toolbox.get(&asked.tool) else {
            return asked.input.clone();
        };
        // The number is no part of the form.
        let number = CallId::new(self.seat.run, 0);
        match admit::fit(tool.as_ref(), number, &asked.input) {
            Ok(call) => tidy::recorded(&call, &self.surroundings(&self.folder())).input,
            Err(_) => asked.input.clone(),
        }
    }

    /// What the leader adds to the agent's context for this call at this moment.
    fn overlay(&self, call: CallId) -> Overlay {
        let lineage = &self.seat.frozen.context.parts().lineage;
        let now = self.seat.clock.now();
        self.seat.grants.overlay_for_call(lineage, call, now)
    }

    fn surroundings(&self, folder: &AbsPath) -> Surroundings {
        Surroundings {
            folder: folder.clone(),
            home: self.seat.frozen.context.parts().home.clone(),
            case: name_case(self.seat.tree.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests;
