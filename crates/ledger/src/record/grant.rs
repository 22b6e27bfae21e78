//! Records of what was loosened or tightened while a run went on.

use pointsman_model::{
    Answerer, CallId, Digest, Grant, GrantId, PermissionMode, PermissionRule, RequestId,
    RuleBehavior, RuleText, WorkerId,
};
use serde::{Deserialize, Serialize};

/// A grant was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantMade {
    /// The grant.
    pub grant: Grant,
    /// Who made it.
    pub by: Answerer,
    /// The request it was made on, if on one.
    pub request: Option<RequestId>,
}

/// A grant with a use count let a call pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantUsed {
    /// The grant.
    pub grant: GrantId,
    /// Who used it.
    pub worker: WorkerId,
    /// For which call.
    pub call: CallId,
}

/// Why a grant is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantEnd {
    /// Someone took it back.
    Revoked,
    /// The agent or job it was for has ended.
    ScopeEnded,
}

/// A grant is over before its time or uses ran out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRevoked {
    /// The grant.
    pub grant: GrantId,
    /// Why.
    pub end: GrantEnd,
    /// Who ended it.
    pub by: Answerer,
}

/// A deny or ask rule was added for all agents' next calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tightened {
    /// The rule.
    pub rule: PermissionRule,
    /// Who added it.
    pub by: Answerer,
}

/// An agent's mode was changed: its context has a new version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeChanged {
    /// The agent.
    pub worker: WorkerId,
    /// The mode before.
    pub from: PermissionMode,
    /// The mode now.
    pub to: PermissionMode,
    /// Who changed it.
    pub by: Answerer,
    /// The fingerprint of the new context.
    pub context: Digest,
}

/// Rules were saved to a settings file, or could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesSaved {
    /// What they do.
    pub behavior: RuleBehavior,
    /// The rules.
    pub rules: Vec<RuleText>,
    /// The file.
    pub file: Box<str>,
    /// Why they could not be saved; nothing when they were.
    pub failure: Option<Box<str>>,
}
