//! The ladder: one pure function from a question to a judgement (DESIGN section 4).
//!
//! The call's effects are looked up in the rules once ([`facts`]); then the rungs are asked in
//! order. A rung may demand a person, may want a question unless a later rung allows, or decides. Each
//! says so on the trail.

mod cover;
mod facts;
mod mode;
mod own_check;
mod repository;
mod rules;
mod walk;
mod why;

use pointsman_model::{
    AbsPath, Effects, Insistence, JsonText, Judgement, ModeInForce, Overlay, PermissionDecision,
    PermissionRule, Rung, ToolName,
};

pub(crate) use cover::is_covered;
pub(crate) use facts::{Fact, Facts, OverlayRules};
use walk::Decided;
pub(crate) use walk::Walk;

use crate::{Frozen, Tree};

/// The merged votes of the PreToolUse hooks. A deny ended the call before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVote {
    /// No hook voted.
    None,
    /// A hook wants a person.
    Ask {
        /// The hook.
        hook: Box<str>,
        /// What it said.
        text: Box<str>,
    },
    /// A hook would let it pass.
    Allow {
        /// The hook.
        hook: Box<str>,
        /// What it said.
        text: Box<str>,
    },
}

/// What the ladder looks at.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The tool.
    pub tool: &'a ToolName,
    /// Its input, in the form that is judged; parameter rules look into it.
    pub input: &'a JsonText,
    /// What the call would do.
    pub effects: &'a Effects,
    /// The agent's current folder.
    pub folder: &'a AbsPath,
    /// What the agent may do.
    pub frozen: &'a Frozen,
    /// What the leader adds at this moment.
    pub overlay: &'a Overlay,
    /// What the hooks said.
    pub vote: &'a HookVote,
    /// The files.
    pub tree: &'a dyn Tree,
}

impl Question<'_> {
    /// The mode that the call is judged in: the frozen one, under what a person has lowered since (law 6, law 14).
    pub(crate) fn mode(&self) -> ModeInForce {
        let frozen = self.frozen.context.parts().mode;
        self.overlay
            .ceiling
            .map_or(frozen, |ceiling| frozen.under(ceiling))
    }
}

/// The field by which a call asks to run outside of the sandbox.
const LEAVES_SANDBOX: &str = "dangerouslyDisableSandbox";

/// What the ladder says, without the texts of a [`Judgement`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The decision.
    pub decision: PermissionDecision,
    /// How strongly a question stands; means something for Ask only.
    pub insistence: Insistence,
    /// The rung that decided.
    pub rung: Rung,
    /// The rule that decided, with source and place, where one did; of several that cover the call, the first.
    pub rule: Option<PermissionRule>,
}

/// Walks the whole ladder. Pure: the same question and files give the same judgement.
///
/// An Ask is given even when nobody is there; [`Judgement::if_nobody`] says what becomes of it then.
/// Mode dontAsk, the last rung, is applied here.
#[must_use]
pub fn judge(q: &Question<'_>) -> Judgement {
    let overlay = OverlayRules::of(q);
    let facts = Facts::of(q, &overlay);
    let mut walk = Walk::new(&facts);
    let decided = climb(&mut walk);
    let ended = walk.end(decided);
    walk.told(ended)
}

/// The decision of [`judge`], for whoever asks again and again and tells nobody why: no text is made and, where
/// rules settle it, nothing allocated.
#[must_use]
pub fn decide(q: &Question<'_>) -> Ruling {
    let overlay = OverlayRules::of(q);
    let facts = Facts::of(q, &overlay);
    let mut walk = Walk::new(&facts);
    let decided = climb(&mut walk);
    let ended = walk.end(decided);
    walk.ruled(ended)
}

/// From rung 1a to 2e.
fn climb<'a>(walk: &mut Walk<'a, '_>) -> Option<Decided<'a>> {
    if let Some(denied) = rules::deny(walk) {
        return Some(denied);
    }
    rules::ask(walk);
    own_check::check(walk);
    own_check::hook_vote(walk);
    mode::plan(walk)
        .or_else(|| mode::bypass(walk))
        .or_else(|| mode::accept_edits(walk))
        .or_else(|| own_check::hook_allow(walk))
        .or_else(|| cover::covered(walk))
}

/// Walks rungs 1a and 1b alone: for calls that were judged elsewhere and only have to pass this agent's deny and
/// ask rules too, and for the raw input of a call that a hook rewrote. Nothing when neither objects.
#[must_use]
pub fn judge_denies_and_asks(q: &Question<'_>) -> Option<Judgement> {
    let overlay = OverlayRules::of(q);
    let facts = Facts::of(q, &overlay);
    let mut walk = Walk::new(&facts);
    let decided = rules::deny(&mut walk);
    if decided.is_none() {
        rules::ask(&mut walk);
        if !walk.must_ask() {
            return None;
        }
    }
    let ended = walk.end(decided);
    Some(walk.told(ended))
}

#[cfg(test)]
mod tests;
