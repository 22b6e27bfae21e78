//! Where settings are looked for, in which order, and whose they are.

use std::io;

use pointsman_model::{AbsPath, RuleSource};
use serde::Serialize;

use super::checkout;
use super::files::SettingsFiles;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Claude Code's: its keys alone.
    Claude,
    /// pointsman's: the same keys, and its own; also a file named on the command line.
    Pointsman,
}

/// Whose word a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person's, or the keeper's of the machine: all that it says counts.
    Person,
    /// The project's, that is, whoever can commit to it: what it loosens needs the person's yes.
    Project,
}

/// One file that settings are looked for in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingsPlace {
    pub(super) path: AbsPath,
    /// The source of the rules in it.
    pub(super) source: RuleSource,
    pub(super) dialect: Dialect,
    pub(super) author: Author,
    /// The folder that a path pattern with one leading slash in it is anchored at.
    pub(super) anchor: AbsPath,
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
        self.main_checkout.join(LOCAL)
    }

    /// Every file that is looked for, from the level whose single values count least to the one
    /// whose count most.
    ///
    /// # Errors
    /// When the folder of managed fragments can't be listed; what it holds is not known then.
    pub(super) fn in_order(
        &self,
        files: &dyn SettingsFiles,
    ) -> (Vec<SettingsPlace>, Result<(), (AbsPath, io::Error)>) {
        let mut order = vec![self.of_person(self.home.join(CLAUDE), self.home.join(".claude"))];
        if let Some(path) = &self.pointsman_user {
            let anchor = path.parent().unwrap_or_else(AbsPath::root);
            let mut place = self.of_person(path.clone(), anchor);
            place.dialect = Dialect::Pointsman;
            order.push(place);
        }
        for (file, dialect) in [(CLAUDE, Dialect::Claude), (POINTSMAN, Dialect::Pointsman)] {
            let path = self.project.join(file);
            if order.iter().any(|place| place.path == path) {
                // Started in the home folder: its files are the person's.
                continue;
            }
            order.push(SettingsPlace {
                path,
                source: RuleSource::ProjectSettings,
                dialect,
                author: Author::Project,
                anchor: self.project.clone(),
            });
        }
        for root in self.local_roots() {
            order.push(SettingsPlace {
                path: root.join(LOCAL),
                source: RuleSource::LocalSettings,
                dialect: Dialect::Claude,
                author: checkout::author_of_local(&root, files),
                anchor: self.folder.clone(),
            });
        }
        for path in &self.flag {
            let anchor = path.parent().unwrap_or_else(AbsPath::root);
            let mut place = self.of_person(path.clone(), anchor);
            (place.source, place.dialect) = (RuleSource::FlagSettings, Dialect::Pointsman);
            order.push(place);
        }
        let managed = self.managed_files(files, &mut order);
        (order, managed)
    }

    fn of_person(&self, path: AbsPath, anchor: AbsPath) -> SettingsPlace {
        SettingsPlace {
            path,
            source: RuleSource::UserSettings,
            dialect: Dialect::Claude,
            author: Author::Person,
            anchor,
        }
    }

    /// The local settings lie at the main checkout; those that older programs wrote where a session
    /// started still count.
    fn local_roots(&self) -> Vec<AbsPath> {
        let mut roots = vec![self.main_checkout.clone()];
        for root in [&self.project, &self.folder] {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        roots
    }

    /// The managed file, then its fragments by name.
    fn managed_files(
        &self,
        files: &dyn SettingsFiles,
        order: &mut Vec<SettingsPlace>,
    ) -> Result<(), (AbsPath, io::Error)> {
        let Some(folder) = &self.managed else {
            return Ok(());
        };
        let managed = |path: AbsPath| SettingsPlace {
            path,
            source: RuleSource::PolicySettings,
            dialect: Dialect::Pointsman,
            author: Author::Person,
            anchor: folder.clone(),
        };
        order.push(managed(folder.join("managed-settings.json")));
        let fragments = folder.join("managed-settings.d");
        let names = files
            .list(&fragments)
            .map_err(|error| (fragments.clone(), error))?;
        for name in names {
            if name.ends_with(".json") && !name.starts_with('.') {
                order.push(managed(fragments.join(&name)));
            }
        }
        Ok(())
    }
}

/// Claude Code's settings, below a project's root or a home.
pub(super) const CLAUDE: &str = ".claude/settings.json";

/// pointsman's settings below a project's root.
pub(super) const POINTSMAN: &str = ".pointsman/settings.json";

/// The settings of one checkout, below its root.
pub(super) const LOCAL: &str = ".claude/settings.local.json";
