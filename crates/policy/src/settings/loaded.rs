//! What all settings together say.

use pointsman_model::{AbsPath, Digest, FilePlace, PermissionMode, PermissionRule, RuleSource};
use serde::Serialize;

use super::agent_file::AgentFile;
use super::drawing::SourceTexts;
use super::hooks::HookSettings;
use super::pointsman::PointsmanSettings;
use super::trust::Loosening;
use crate::{ParsedRules, Problem, Severity};

/// What all settings together say, and all that is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The rules of all files. When [`Self::standing`] is [`Standing::AskEverything`], an ask rule
    /// for every tool is among them.
    pub rules: Vec<PermissionRule>,
    /// What the rules were read as, so that [`crate::Frozen::of`] need not read them again: of use to who compiles them
    /// where they were loaded, as `check` does. Whoever keeps the rules alone reads their texts anew.
    pub parsed: ParsedRules,
    /// The mode that sessions start in, where a file says one that counts.
    pub default_mode: Option<ModeSetting>,
    /// Folders that may be read, and mode allowing edited in, beside the project.
    pub additional_directories: Vec<DirectorySetting>,
    /// The hooks that count.
    pub hooks: HookSettings,
    /// pointsman's own settings.
    pub pointsman: PointsmanSettings,
    /// What is switched off for everyone.
    pub switches: Switches,
    /// The lines that switch it off. A managed file that can't be read locks all without one.
    pub locks: Vec<LockSetting>,
    /// All that is wrong: first what the files say, in their order, then what of it doesn't count.
    pub problems: Vec<Problem>,
    /// All that the project's files loosen, line by line, whether it counts or not.
    pub loosens: Vec<Loosening>,
    /// What of it nobody said yes to: it doesn't count.
    pub untrusted: Vec<Loosening>,
    /// The fingerprint of the project's files; a [`super::TrustRecord`] that holds it makes count
    /// what they loosen.
    pub project_content: Digest,
    /// The agents that files define.
    pub agents: Vec<AgentFile>,
    /// Whether anything that forbids, asks or guards may be missing.
    pub standing: Standing,
    /// The files that were looked for, in the order they were read.
    pub files: Vec<SettingsFile>,
    /// The texts that places point into.
    pub texts: SourceTexts,
}

/// Whether all that was to forbid, ask or guard is in force (law 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is.
    Clean,
    /// Something of it can't be read. An unattended run must not start; in an attended one every
    /// call that no deny rule refuses is asked for.
    AskEverything,
}

/// A start mode and who set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModeSetting {
    /// The mode.
    pub mode: PermissionMode,
    /// Whose file says it.
    pub source: RuleSource,
    /// Where.
    pub place: FilePlace,
}

/// A folder and who added it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DirectorySetting {
    /// The folder.
    pub folder: AbsPath,
    /// Whose file says it.
    pub source: RuleSource,
    /// Where.
    pub place: FilePlace,
}

/// Whether something may be used at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// It may.
    Offered,
    /// A file forbids it.
    Forbidden,
}

/// Whose rules or hooks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// Everyone's.
    Everyones,
    /// Those of the managed settings alone.
    ManagedOnly,
}

/// What files switch off for everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Switches {
    /// Mode bypassPermissions.
    pub bypass: Offer,
    /// Mode auto.
    pub auto: Offer,
    /// Whose allow rules count; with managed ones alone, answers can't be kept as rules either.
    pub allow_rules: Whose,
    /// Whose hooks run.
    pub hooks: Whose,
}

impl Switches {
    /// Switches it off.
    pub(super) fn turn_off(&mut self, lock: Lock) {
        match lock {
            Lock::Bypass => self.bypass = Offer::Forbidden,
            Lock::Auto => self.auto = Offer::Forbidden,
            Lock::OthersAllowRules => self.allow_rules = Whose::ManagedOnly,
            Lock::OthersHooks => self.hooks = Whose::ManagedOnly,
            // Which hooks that silences hangs on the order of files.
            Lock::AllHooks => {}
        }
    }
}

/// Something that is switched off, and who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockSetting {
    /// What.
    pub lock: Lock,
    /// Whose file says it.
    pub source: RuleSource,
    /// Where.
    pub place: FilePlace,
}

/// What can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// Mode bypassPermissions.
    Bypass,
    /// Mode auto.
    Auto,
    /// Allow rules of other than managed files.
    OthersAllowRules,
    /// Hooks of other than managed files.
    OthersHooks,
    /// All hooks below this file.
    AllHooks,
}

/// A file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsFile {
    /// The file.
    pub path: AbsPath,
    /// The source of what it says.
    pub source: RuleSource,
    /// What became of it.
    pub found: Found,
}

/// What became of a file that was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Nothing is there.
    Absent,
    /// It was read.
    Read {
        /// The fingerprint of its bytes.
        digest: Digest,
    },
    /// It is there and can't be read, or is no settings file.
    Unreadable,
}

impl Loaded {
    /// Whether a run with nobody there may start.
    #[must_use]
    pub fn may_run_unattended(&self) -> bool {
        self.standing == Standing::Clean
    }

    /// The worst of the problems.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }

    /// A problem as a compiler would show it; see [`SourceTexts::draw`].
    #[must_use]
    pub fn draw(&self, problem: &Problem) -> String {
        self.texts.draw(problem)
    }
}
