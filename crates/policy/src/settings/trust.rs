//! Trust in a project: what its files would loosen, and the person's yes to exactly that.

use std::collections::BTreeSet;

use pointsman_model::{AbsPath, Digest, DigestBuilder, EffectKind, FilePlace, PathValue, Word};
use pointsman_shell::{NameCase, Surroundings, analyse};
use serde::{Deserialize, Serialize};

use super::files::SettingsFiles;
use super::hooks::{HookRun, HookSetting, line_with_root, with_root};
use crate::executed_by;

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

    /// Adds the scripts of the project that a hook names.
    pub(super) fn hook(&mut self, hook: &HookSetting) {
        let unquoted: String;
        let words: Vec<&str> = match &hook.run {
            HookRun::Shell { line } => {
                // Read twice: `"$DIR"/x` is one word without its quotes, `"a b"` is one with them.
                unquoted = line.replace(is_quote, "");
                let parts = line.split(is_quote);
                unquoted.split(is_between_words).chain(parts).collect()
            }
            HookRun::Program { program, args } => std::iter::once(program)
                .chain(args)
                .map(|word| &**word)
                .collect(),
            HookRun::Http { .. } => Vec::new(),
        };
        for word in words {
            self.named(&self.project.join(&with_root(word, &self.project)));
        }
        match &hook.run {
            HookRun::Shell { line } => self.line(line),
            // A program that is a shell reads a line among its arguments. To read others so names no file but by chance.
            HookRun::Program { args, .. } => args.iter().for_each(|arg| self.line(arg)),
            HookRun::Http { .. } => {}
        }
    }

    /// Adds what a line would run or read in the folders to which it goes. Where it goes is not always known; then it
    /// counts as run in the project's.
    fn line(&mut self, line: &str) {
        let at = Surroundings {
            folder: self.project.clone(),
            // What lies there is the person's own.
            home: self.project.join("/"),
            case: NameCase::Counts,
        };
        let effects = analyse(&line_with_root(line, &self.project), &at).effects;
        for effect in &effects.list {
            match &effect.kind {
                EffectKind::Run(run) => {
                    let folder = match &run.folder {
                        PathValue::Known(folder) => folder.clone(),
                        PathValue::Pattern { .. } | PathValue::Unknown(_) => self.project.clone(),
                    };
                    let executed = executed_by(&self.project, run);
                    for file in executed.unwrap_or_else(|many| many.counted) {
                        self.named(&file.path);
                    }
                    // Of a program that nobody knows each word may be what it runs.
                    for word in run.argv.iter().filter_map(Word::literal) {
                        self.named(&folder.join(word));
                    }
                }
                EffectKind::Read(used) => {
                    if let PathValue::Known(path) = &used.path {
                        self.named(path);
                    }
                }
                EffectKind::Write { .. }
                | EffectKind::Connect(_)
                | EffectKind::Spawn(_)
                | EffectKind::Opaque(_) => {}
            }
        }
    }

    /// Adds a file that a hook names, if it lies in the project; what is no file adds nothing.
    fn named(&mut self, path: &AbsPath) {
        if *path != self.project && path.is_within(&self.project) {
            self.scripts.insert(path.clone());
        }
    }

    /// The digest of all that was added. A script that can't be read is in it as that.
    pub(super) fn finish(mut self, files: &dyn SettingsFiles) -> Digest {
        for script in std::mem::take(&mut self.scripts) {
            match files.read(&script) {
                Ok(Some(bytes)) => self.file(&script, &bytes),
                Ok(None) => {}
                Err(_) => self.file(&script, b"\0unreadable"),
            }
        }
        self.digest.finish()
    }
}

fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'')
}

/// Blanks and what a shell ends a word at. A text that is no path names no file and adds nothing, so
/// that cutting too often does no harm.
fn is_between_words(char: char) -> bool {
    char.is_whitespace() || "`;&|<>()=".contains(char)
}
