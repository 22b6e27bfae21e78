//! The permission context: all that an agent may do, fixed when it is spawned.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::{
    AbsPath, Digest, Lineage, LineageStep, ModeInForce, PermissionMode, PermissionRule,
    RuleBehavior, ToolName, WhoSetMode,
};

/// Which strategy answers an agent's questions. Fixed at spawn by the agent's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlerKind {
    /// The root agent of an interactive session: all answerers race.
    Interactive,
    /// A job's worker: hook, then classifier, then one dialog.
    Coordinator,
    /// An agent spawned by an agent: classifier, then the leader by mailbox.
    SwarmWorker,
}

/// Whether someone can answer. Fixed at the start of a run and inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attended {
    /// A terminal, or a surface that a flag or setting names.
    Yes,
    /// Nobody: what would be asked is refused at once.
    No,
}

/// Whether commands of this agent run in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxState {
    /// They don't.
    Off,
    /// They do; being sandboxed allows nothing by itself.
    On,
    /// They do, and a call that will run sandboxed needs no question.
    AutoAllow,
}

/// A set of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSet {
    /// Every tool there is.
    All,
    /// These alone.
    Only(Arc<[ToolName]>),
}

impl ToolSet {
    /// Whether the tool is in it.
    #[must_use]
    pub fn contains(&self, tool: &ToolName) -> bool {
        match self {
            Self::All => true,
            Self::Only(tools) => tools.contains(tool),
        }
    }

    /// The tools that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, set) | (set, Self::All) => set.clone(),
            (Self::Only(tools), other) => Self::Only(
                tools
                    .iter()
                    .filter(|tool| other.contains(tool))
                    .cloned()
                    .collect(),
            ),
        }
    }
}

/// All that an agent may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextParts {
    /// Who it is.
    pub lineage: Lineage,
    /// Its mode.
    pub mode: ModeInForce,
    /// Its rules, of all sources.
    pub rules: Arc<[PermissionRule]>,
    /// The tools it is offered.
    pub tools: ToolSet,
    /// The tools that agents it spawns may be offered. A limit of the agent's own narrows `tools` alone (DESIGN
    /// section 7: a child's tool limits bind it alone).
    pub tools_to_pass_on: ToolSet,
    /// The folder it starts in.
    pub folder: AbsPath,
    /// The project's root: what relative anchors of project rules mean.
    pub project: AbsPath,
    /// The user's home.
    pub home: AbsPath,
    /// The folders it may read and, mode allowing, edit in; its own is among them.
    pub directories: Arc<[AbsPath]>,
    /// How many more generations it may spawn; 0 for none.
    pub depth_left: u32,
    /// Which strategy answers its questions.
    pub handler: HandlerKind,
    /// Whether someone can answer.
    pub attended: Attended,
    /// Whether its commands run in the sandbox.
    pub sandbox: SandboxState,
}

/// A frozen context. It can be read and narrowed for a child, never changed.
#[derive(Debug, Clone)]
pub struct PermissionContext {
    parts: ContextParts,
    /// Taken when someone asks for it first: what it is taken of can't change, and a check of one call never asks.
    digest: OnceLock<Digest>,
}

impl PartialEq for PermissionContext {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for PermissionContext {}

/// What a child is spawned with; whatever would be wider than its parent's is cut to it.
#[derive(Debug, Clone)]
pub struct ChildContext {
    /// Who the child is.
    pub step: LineageStep,
    /// The mode it asks for, and on whose word.
    pub mode: Option<(PermissionMode, WhoSetMode)>,
    /// Its own tool limit.
    pub tools: ToolSet,
    /// Its folder; the parent's unless it lies within the parent's directories.
    pub folder: Option<AbsPath>,
    /// Deny and ask rules that it is spawned with beside its parent's; they bind what it spawns, too. Allow rules among
    /// them are left out.
    pub rules: Vec<PermissionRule>,
}

/// Why no child can be spawned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnContextError {
    /// The agent stands as deep as agents may.
    #[error("agents may not be nested deeper than {0} here")]
    TooDeep(u32),
    /// No tool would be left to it.
    #[error("none of the tools it asks for may be passed on to it")]
    NoTools,
    /// Its folder lies outside its parent's directories.
    #[error("`{0}` lies outside the directories of the agent that spawns")]
    FolderOutside(AbsPath),
}

impl PermissionContext {
    /// Freezes a context.
    #[must_use]
    pub fn freeze(parts: ContextParts) -> Self {
        Self {
            parts,
            digest: OnceLock::new(),
        }
    }

    /// What it says.
    #[must_use]
    pub fn parts(&self) -> &ContextParts {
        &self.parts
    }

    /// Its fingerprint: of what it said when it was frozen, and says for ever.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| self.digest_now())
    }

    /// The fingerprint of what it says now. Equal to [`Self::digest`] for ever, or memory was changed under it.
    #[must_use]
    pub fn digest_now(&self) -> Digest {
        // Two contexts must never share a digest, so what could not be encoded is taken as it is told to developers.
        let bytes = serde_json::to_vec(&self.parts)
            .unwrap_or_else(|_| format!("{:?}", self.parts).into_bytes());
        crate::DigestBuilder::new("context")
            .part("parts", &bytes)
            .finish()
    }

    /// The context of an agent that this one spawns: never wider in tools, rules or directories (law 16).
    ///
    /// # Errors
    /// When the depth is used up, no tool is left, or its folder lies outside.
    pub fn child(&self, child: ChildContext) -> Result<Self, SpawnContextError> {
        let parent = &self.parts;
        let depth_left = parent
            .depth_left
            .checked_sub(1)
            .ok_or(SpawnContextError::TooDeep(parent.lineage.depth()))?;
        let tools = parent.tools_to_pass_on.intersection(&child.tools);
        if matches!(&tools, ToolSet::Only(tools) if tools.is_empty()) {
            return Err(SpawnContextError::NoTools);
        }
        let folder = match child.folder {
            None => parent.folder.clone(),
            Some(folder) if parent.directories.iter().any(|dir| folder.is_within(dir)) => folder,
            Some(folder) => return Err(SpawnContextError::FolderOutside(folder)),
        };
        Ok(Self::freeze(ContextParts {
            lineage: parent.lineage.child(child.step),
            mode: parent.mode.child(child.mode),
            rules: narrowed(&parent.rules, child.rules),
            tools,
            folder,
            depth_left,
            handler: HandlerKind::SwarmWorker,
            ..parent.clone()
        }))
    }
}

/// The parent's rules with further ones that only tighten.
fn narrowed(of_parent: &Arc<[PermissionRule]>, more: Vec<PermissionRule>) -> Arc<[PermissionRule]> {
    let tightens = |rule: &PermissionRule| match rule.behavior {
        RuleBehavior::Deny | RuleBehavior::Ask => true,
        RuleBehavior::Allow => false,
    };
    let mut more = more.into_iter().filter(tightens).peekable();
    if more.peek().is_none() {
        return Arc::clone(of_parent);
    }
    of_parent.iter().cloned().chain(more).collect()
}

#[cfg(test)]
mod tests;
