//! Trust in a project: what its files would loosen, and the person's yes to exactly that.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, Digest, FilePlace};
use serde::{Deserialize, Serialize};

/// A person's yes to what a project's files loosen, bound to their content. `pointsman trust` writes
/// it; one project may hold several, since worktrees of it may have other files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The main checkout that it is for.
    pub project: AbsPath,
    /// The contents that were said yes to.
    pub contents: BTreeSet<Digest>,
}

/// What kind of thing a line loosens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LooseningKind {
    /// An allow rule.
    AllowRule,
    /// A folder beside the project's.
    AdditionalDirectory,
    /// A mode with more trust than without the file.
    DefaultMode,
    /// A program that runs on this machine, beside every rule.
    Hook,
    /// Hooks that are switched off.
    DisabledHooks,
    /// An agent that asks for a mode with more trust than its parent's.
    AgentMode,
    /// A surface that would count as someone being there.
    Surface,
}

/// One line of a project's files that loosens something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loosening {
    /// What kind of thing.
    pub kind: LooseningKind,
    /// The rule, folder, mode or command, as written.
    pub what: String,
    /// Where it stands.
    pub place: FilePlace,
}
