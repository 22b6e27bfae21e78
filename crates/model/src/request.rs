//! Permission requests: questions that outlive the screen they are shown on.

use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, Digest, Effects, ExecutedCall, JsonText, Judgement, Lineage, PermissionMode,
    RequestId, RuleText, WallTime,
};

/// Whether the agent waits for its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Its parent waits for it.
    Foreground,
    /// Its parent went on.
    Background,
}

/// A rule that would let calls like this one pass, shown in full before anyone says "always".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleProposal {
    /// The rules, one for each part that asked; all are needed.
    pub rules: Vec<RuleText>,
}

/// The question that this one takes the place of, since what it asked for changed before it ran (law 10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// The earlier request, when there was one; a call that was let pass without a question had none.
    pub request: Option<RequestId>,
    /// What is different now, in words and lines for a person.
    pub difference: Box<str>,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// Its id: the same on every surface, and after a restart.
    pub id: RequestId,
    /// The call as it would run.
    pub call: ExecutedCall,
    /// The model's input, when hooks rewrote it on the way.
    pub rewritten_from: Option<JsonText>,
    /// What it takes the place of, when it is asked anew.
    pub supersedes: Option<Superseded>,
    /// Who asks.
    pub lineage: Lineage,
    /// The task the agent works on, as its job or parent put it.
    pub task: Box<str>,
    /// Where the call would run.
    pub folder: AbsPath,
    /// The agent's mode.
    pub mode: PermissionMode,
    /// Whether its parent waits.
    pub origin: Origin,
    /// What it would do.
    pub effects: Effects,
    /// Why it is asked.
    pub judgement: Judgement,
    /// What "always" would save: widths from exact to prefix; empty where no rule may be saved.
    pub proposals: Vec<RuleProposal>,
    /// When it was opened.
    pub opened_at: WallTime,
    /// When it ends unanswered. A passed deadline never approves.
    pub deadline: WallTime,
    /// Fingerprint of the agent's context.
    pub context: Digest,
    /// Fingerprint of all a verdict is bound to (law 10).
    pub digest: Digest,
    /// What a yes does not hold since there is too much of it to look at, in words for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheld: Option<Box<str>>,
}
