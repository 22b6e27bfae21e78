//! The ladder: one pure function from a question to a judgement.

use pointsman_model::{
    AbsPath, DecisionReason, Effects, IfNobody, Insistence, JsonText, Judgement, Matched, Overlay,
    PermissionDecision, Rung, RungOutcome, ToolName, Trail, TrailStep,
};

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

/// Walks the whole ladder. Pure: the same question and files give the same judgement.
///
/// An Ask is given even when nobody is there; [`Judgement::if_nobody`] says what becomes of it then.
/// Mode dontAsk, the last rung, is applied here.
#[must_use]
pub fn judge(q: &Question<'_>) -> Judgement {
    let matched = Matched {
        text: q.tool.as_str().into(),
        span: None,
    };
    let reason = DecisionReason::NothingDecided { matched };
    Judgement {
        decision: PermissionDecision::Ask,
        reason: reason.clone(),
        insistence: Insistence::MustAsk,
        trail: Trail(vec![TrailStep {
            rung: Rung::NothingDecided,
            came_to: RungOutcome::Decided {
                decision: PermissionDecision::Ask,
                reason: reason.clone(),
            },
        }]),
        if_nobody: IfNobody {
            decision: PermissionDecision::Deny,
            reason: DecisionReason::NobodyCanAnswer {
                question: Box::new(reason),
            },
        },
    }
}

/// Walks rungs 1a and 1b alone: for calls that were judged elsewhere and only have to pass this agent's deny and
/// ask rules too, and for the raw input of a call that a hook rewrote. Nothing when neither objects.
#[must_use]
pub fn judge_denies_and_asks(q: &Question<'_>) -> Option<Judgement> {
    Some(judge(q))
}
