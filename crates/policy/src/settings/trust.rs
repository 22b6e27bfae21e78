//! Trust in a project: what its files would loosen, and the person's yes to exactly that.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, Digest, DigestBuilder, FilePlace};
use serde::{Deserialize, Serialize};

use super::files::SettingsFiles;
use super::hooks::{HookScripts, HookSetting, ScriptContent, named_scripts};

/// A person's yes to what a project's files loosen, bound to their content. `pointsman trust` keeps
/// it; one project may have several contents, since worktrees of it may hold other files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The main checkout that it is for.
    pub project: AbsPath,
    /// The contents that were said yes to: [`super::Loaded::project_content`] when it was said.
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
    /// An agent that asks for a mode with more trust than the default one.
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

impl TrustRecord {
    /// No yes to anything yet.
    #[must_use]
    pub fn of_project(project: AbsPath) -> Self {
        Self {
            project,
            contents: BTreeSet::new(),
        }
    }

    /// The same record with a yes to this content too.
    #[must_use]
    pub fn with(mut self, content: Digest) -> Self {
        self.contents.insert(content);
        self
    }

    /// Whether the yes is for this content of this project.
    #[must_use]
    pub fn covers(&self, project: &AbsPath, content: Digest) -> bool {
        self.project == *project && self.contents.contains(&content)
    }
}

/// What of a project goes into the digest that trust is bound to: its settings, its agents, and the
/// scripts of its own that its hooks name. Paths go in relative to the project, so that a worktree
/// with the same files is the same content.
pub(super) struct ProjectContent {
    project: AbsPath,
    digest: DigestBuilder,
    scripts: BTreeSet<AbsPath>,
}

impl ProjectContent {
    pub(super) fn new(project: &AbsPath) -> Self {
        Self {
            project: project.clone(),
            digest: DigestBuilder::new("project content"),
            scripts: BTreeSet::new(),
        }
    }

    /// Adds a file.
    pub(super) fn file(&mut self, path: &AbsPath, bytes: &[u8]) {
        let name = path.below(&self.project).unwrap_or(path.as_str());
        let digest = std::mem::take(&mut self.digest);
        self.digest = digest.part("path", name.as_bytes()).part("bytes", bytes);
    }

    /// Adds the scripts of the project that a hook names; what is no file adds nothing.
    pub(super) fn hook(&mut self, hook: &HookSetting) {
        let named = named_scripts(hook, &self.project);
        self.scripts.extend(named.into_keys());
    }

    /// The digest of all that was added, and the scripts as they went into it. A script that can't be read is in it as
    /// that.
    pub(super) fn finish(mut self, files: &dyn SettingsFiles) -> (Digest, HookScripts) {
        let mut scripts = HookScripts::default();
        for script in std::mem::take(&mut self.scripts) {
            let read = files.read(&script);
            let content = ScriptContent::of(&read);
            match read {
                Ok(Some(bytes)) => self.file(&script, &bytes),
                Ok(None) => {}
                Err(_) => self.file(&script, b"\0unreadable"),
            }
            scripts.keep(script, content);
        }
        (self.digest.finish(), scripts)
    }
}
