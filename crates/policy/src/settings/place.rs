//! Where settings are looked for, and who wrote them.

use pointsman_model::{AbsPath, RuleSource};

use super::trust::TrustRecord;

/// Where settings are looked for. Nothing here is found out by itself: the caller knows the
/// environment, this crate doesn't.
#[derive(Debug, Clone)]
pub struct SettingsPlaces {
    /// The project's root: holds `.claude` and `.pointsman`.
    pub project: AbsPath,
    /// The main checkout when the project is a worktree of it, else the project itself; see
    /// [`super::main_checkout`]. Trust and the local settings belong to it.
    pub main_checkout: AbsPath,
    /// The folder the session starts in.
    pub folder: AbsPath,
    /// The person's home; holds `.claude`.
    pub home: AbsPath,
    /// The folder of the managed settings, [`SettingsPlaces::MANAGED`] on Linux.
    pub managed: Option<AbsPath>,
    /// The person's own settings for pointsman alone.
    pub pointsman_user: Option<AbsPath>,
    /// Settings files named when starting, in order.
    pub flag: Vec<AbsPath>,
    /// What the person said yes to for this project; `None` when they never did.
    pub trust: Option<TrustRecord>,
}

/// Which program's settings a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code's: its keys alone.
    Claude,
    /// pointsman's: the same keys, and its own.
    Pointsman,
    /// Either's, as for a file named on the command line.
    Both,
}

/// One file that settings are looked for in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPlace {
    /// The file.
    pub path: AbsPath,
    /// The source of the rules in it.
    pub source: RuleSource,
    /// Whose settings it holds.
    pub dialect: Dialect,
    /// The folder that a path pattern with one leading slash in it is anchored at.
    pub anchor: AbsPath,
}

impl SettingsPlaces {
    /// Where managed settings lie on Linux.
    pub const MANAGED: &'static str = "/etc/claude-code";

    /// The places of a plain project without managed or named settings.
    #[must_use]
    pub fn of_project(project: AbsPath, home: AbsPath) -> Self {
        Self {
            main_checkout: project.clone(),
            folder: project.clone(),
            project,
            home,
            managed: None,
            pointsman_user: None,
            flag: Vec::new(),
            trust: None,
        }
    }

    /// The file that answers kept for this checkout are written to.
    #[must_use]
    pub fn local_to_write(&self) -> AbsPath {
        self.main_checkout.join(".claude/settings.local.json")
    }
}
