//! What the hooks of an event come to, all of them together.

use pointsman_ledger::HookReport;
use pointsman_model::{JsonText, VerdictKind};
use pointsman_policy::HookVote;

use super::happening::HookWord;
use super::wish::HookWish;
use crate::Aftermath;

/// What the PreToolUse hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreToolUse {
    /// What they say.
    pub vote: PreToolUseVote,
    /// The input they made of it, merged in the order of configuration; not checked against the
    /// tool's schema yet.
    pub rewritten: Option<JsonText>,
    /// What else they want changed, as far as they may.
    pub wishes: Vec<HookWish>,
    /// What they want the agent told, in the order of configuration.
    pub context: Vec<HookWord>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// The merged vote of the PreToolUse hooks: halt over deny over ask over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreToolUseVote {
    /// The ladder goes on with this.
    Ladder(HookVote),
    /// The call ends here.
    Deny {
        /// The hook.
        hook: Box<str>,
        /// What the agent is told.
        text: Box<str>,
    },
    /// The call ends here, and the run with it.
    Halt {
        /// The hook.
        hook: Box<str>,
        /// Why.
        text: Box<str>,
    },
}

/// What the PermissionRequest hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionTurn {
    /// Their answer.
    pub answer: PermissionAnswer,
    /// What follows when their answer is the one that counts.
    pub aftermath: Aftermath,
    /// Deny and ask rules they want to add, which count whoever answers.
    pub tightenings: Vec<HookWish>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// A hook's stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookHalt {
    /// The hook, and what it said.
    pub word: HookWord,
    /// Who stops.
    pub reach: HaltReach,
}

/// Who stops for a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HaltReach {
    /// The agent whose call it is (`interrupt`).
    Agent,
    /// All agents of the run (`continue: false`).
    Run,
}

/// The merged answer of the PermissionRequest hooks: halt over deny over a failed guard over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// None answered.
    None,
    /// One did. Its verdict may be an allow or a deny, never an end.
    Given {
        /// The hook.
        hook: Box<str>,
        /// What it says.
        kind: VerdictKind,
    },
    /// A guard failed: no hook and no classifier may say yes any more (law 15).
    GuardFailed {
        /// The guard.
        hook: Box<str>,
        /// How it failed.
        text: Box<str>,
    },
}
