//! The ladder: one pure function from a question to a judgement (DESIGN section 4).
//!
//! The call's effects are looked up in the rules once ([`facts`]); then the rungs are asked in
//! order. A rung may demand a person, may want a question unless a later rung allows, or decides. Each
//! says so on the trail.

mod cover;
mod facts;
mod mode;
mod own_check;
mod rules;
mod walk;

use pointsman_model::{AbsPath, Effects, JsonText, Judgement, ModeInForce, Overlay, ToolName};

pub(crate) use cover::is_covered;
pub(crate) use facts::{Fact, Facts, OverlayRules, matched};
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

/// Walks the whole ladder. Pure: the same question and files give the same judgement.
///
/// An Ask is given even when nobody is there; [`Judgement::if_nobody`] says what becomes of it then.
/// Mode dontAsk, the last rung, is applied here.
#[must_use]
pub fn judge(q: &Question<'_>) -> Judgement {
    let overlay = OverlayRules::of(q);
    let facts = Facts::of(q, &overlay);
    let mut walk = Walk::new(&facts);
    let decided = rules::deny(&mut walk)
        .or_else(|| {
            rules::ask(&mut walk);
            own_check::check(&mut walk);
            own_check::hook_vote(&mut walk);
            mode::plan(&mut walk)
        })
        .or_else(|| mode::bypass(&mut walk))
        .or_else(|| mode::accept_edits(&mut walk))
        .or_else(|| own_check::hook_allow(&mut walk))
        .or_else(|| cover::covered(&mut walk));
    walk.finish(decided)
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
    Some(walk.finish(decided))
}

#[cfg(test)]
mod tests;
