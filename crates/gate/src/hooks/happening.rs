//! What hooks are told of beside the calls they are asked about, and what they say to it.
//!
//! Nothing is decided any more when these hooks have their turn. What they can do is to tell the agent
//! something, to say that it is to go on, and to halt.

use pointsman_ledger::{HookCame, HookReport};
use pointsman_model::{ExecutedCall, Millis};
use pointsman_policy::settings::HookEvent;

use super::answer::AfterNo;
use super::turn::Turn;

/// Something that happened.
#[derive(Debug, Clone, Copy)]
pub enum Happening<'a> {
    /// The classifier refused a call.
    Denied {
        /// The call.
        call: &'a ExecutedCall,
        /// Why.
        reason: &'a str,
    },
    /// A call ended well.
    Succeeded {
        /// The call.
        call: &'a ExecutedCall,
        /// What the tool gave.
        text: &'a str,
        /// How long it ran.
        took: Millis,
    },
    /// A call that ran failed.
    Failed {
        /// The call.
        call: &'a ExecutedCall,
        /// What the tool gave.
        error: &'a str,
        /// Whether it failed by itself.
        how: FailedHow,
        /// How long it ran.
        took: Millis,
    },
    /// An agent starts that an agent spawned.
    SubagentStarted,
    /// An agent that an agent spawned wants to stop.
    SubagentStops(Stopping<'a>),
    /// An agent that the leader started wants to stop.
    Stops(Stopping<'a>),
    /// A person is told something.
    Notified {
        /// What.
        message: &'a str,
        /// Of which kind; hooks choose by it.
        kind: &'a str,
    },
    /// The run begins.
    SessionStarted {
        /// How; hooks choose by it.
        source: &'a str,
    },
    /// The run ends.
    SessionEnds {
        /// How; hooks choose by it.
        reason: &'a str,
    },
}

/// Whether a call failed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedHow {
    /// It did.
    ByItself,
    /// It was stopped.
    Interrupted,
}

/// An agent that wants to stop.
#[derive(Debug, Clone, Copy)]
pub struct Stopping<'a> {
    /// What it said last.
    pub last_words: &'a str,
    /// How often hooks made it go on before, one after the other.
    pub held_before: u32,
}

/// What one hook said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookWord {
    /// The hook.
    pub hook: Box<str>,
    /// What it said.
    pub text: Box<str>,
}

/// What the hooks said to something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    /// The first that objects: to what was done, or to the agent's stopping.
    pub objection: Option<HookWord>,
    /// The first that halts the run.
    pub halt: Option<HookWord>,
    /// What they want the agent told, in the order of configuration.
    pub context: Vec<HookWord>,
    /// What the last of them wants it told in place of the tool's output.
    pub output: Option<HookWord>,
    /// The first that lets it ask again.
    pub again: Option<HookWord>,
    /// Each hook's turn, in the order of configuration.
    pub reports: Vec<HookReport>,
}

impl Happening<'_> {
    /// The event it is.
    #[must_use]
    pub fn event(&self) -> HookEvent {
        match self {
            Self::Denied { .. } => HookEvent::PermissionDenied,
            Self::Succeeded { .. } => HookEvent::PostToolUse,
            Self::Failed { .. } => HookEvent::PostToolUseFailure,
            Self::SubagentStarted => HookEvent::SubagentStart,
            Self::SubagentStops(_) => HookEvent::SubagentStop,
            Self::Stops(_) => HookEvent::Stop,
            Self::Notified { .. } => HookEvent::Notification,
            Self::SessionStarted { .. } => HookEvent::SessionStart,
            Self::SessionEnds { .. } => HookEvent::SessionEnd,
        }
    }

    /// The call it is about.
    #[must_use]
    pub fn call(&self) -> Option<&ExecutedCall> {
        match self {
            Self::Denied { call, .. }
            | Self::Succeeded { call, .. }
            | Self::Failed { call, .. } => Some(call),
            Self::SubagentStarted
            | Self::SubagentStops(_)
            | Self::Stops(_)
            | Self::Notified { .. }
            | Self::SessionStarted { .. }
            | Self::SessionEnds { .. } => None,
        }
    }
}

impl Heard {
    pub(super) fn from_turns(turns: Vec<Turn>) -> Self {
        let word = |turn: &Turn, text: &str| HookWord {
            hook: turn.hook.clone(),
            text: text.into(),
        };
        let first = |came: HookCame| {
            let turn = turns.iter().find(|turn| turn.said.came == came)?;
            Some(word(turn, &turn.said.text))
        };
        let failed_guard = || {
            let turn = turns.iter().find(|turn| turn.is_failed_guard())?;
            Some(word(turn, &turn.guard_text()))
        };
        Self {
            objection: first(HookCame::Deny).or_else(failed_guard),
            halt: first(HookCame::Halt),
            context: turns.iter().filter_map(Turn::context).collect(),
            output: turns
                .iter()
                .rev()
                .find_map(|turn| Some(word(turn, turn.said.output.as_deref()?))),
            again: turns
                .iter()
                .find(|turn| turn.said.after == AfterNo::AsksAgain)
                .map(|turn| word(turn, &turn.said.text)),
            reports: super::merge::reports(turns),
        }
    }
}
