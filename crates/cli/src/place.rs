//! Where this command was called: the project, the home, the state folder, the settings.
//!
//! The one place that looks at the environment for it; everything below is told.

use std::path::Path;

use pointsman_approvals::TrustFile;
use pointsman_model::AbsPath;
use pointsman_policy::settings::{DiskFiles, SettingsPlaces, main_checkout};
use pointsman_swarm::StatePlace;

use crate::failure::Failure;

/// What marks the root of a project: the first folder upwards that holds one of these.
const MARKS: [&str; 3] = [".git", ".pointsman", ".claude"];

/// Where this command was called.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The folder it was called in.
    pub(crate) folder: AbsPath,
    /// The project's root.
    pub(crate) project: AbsPath,
    /// The user's home.
    pub(crate) home: AbsPath,
    /// Where the ledger and the sockets are.
    pub(crate) state: StatePlace,
}

impl Place {
    /// Looks at the environment.
    pub(crate) fn here() -> Result<Self, Failure> {
        let folder = std::env::current_dir()
            .map_err(|error| Failure::of(&error).hint("change to a folder that exists"))?;
        let folder = absolute(&folder)?;
        let home = variable("HOME").ok_or_else(|| {
            Failure::bad_input("`HOME` names no absolute path")
                .hint("set it: settings and the ledger live below it")
        })?;
        let project = project_of(&folder, &home);
        let state = StatePlace::of(&project, &home, variable("XDG_STATE_HOME").as_ref());
        Ok(Self {
            folder,
            project,
            home,
            state,
        })
    }

    /// The settings that count here, with these files on top.
    pub(crate) fn settings(&self, flag: Vec<AbsPath>) -> SettingsPlaces {
        let user = variable("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"));
        let mut places = SettingsPlaces::of_project(self.project.clone(), self.home.clone());
        places.main_checkout = main_checkout(&self.project, &DiskFiles);
        places.folder = self.folder.clone();
        places.managed = AbsPath::parse(SettingsPlaces::MANAGED).ok();
        places.pointsman_user = Some(user.join("pointsman/settings.json"));
        places.flag = flag;
        places
    }

    /// Where the person's yes to what the project's files loosen is kept: one file for a checkout and
    /// all its worktrees.
    pub(crate) fn trust_file(&self, places: &SettingsPlaces) -> TrustFile {
        TrustFile::at(self.trust_place(places).trust())
    }

    /// The state folder of the main checkout.
    pub(crate) fn trust_place(&self, places: &SettingsPlaces) -> StatePlace {
        let state_home = variable("XDG_STATE_HOME");
        StatePlace::of(&places.main_checkout, &self.home, state_home.as_ref())
    }

    /// A path as it was typed, seen from the folder.
    pub(crate) fn path(&self, typed: &Path) -> Result<AbsPath, Failure> {
        let text = typed
            .to_str()
            .ok_or_else(|| Failure::bad_input(format!("`{}` is no UTF-8", typed.display())))?;
        Ok(self.folder.join(text))
    }
}

/// The first folder upwards that is marked as a project; the folder itself when none is. The home
/// is none, since everybody's home holds `.claude`.
fn project_of(folder: &AbsPath, home: &AbsPath) -> AbsPath {
    let mut at = Some(folder.clone());
    while let Some(candidate) = at {
        let is_marked = MARKS
            .iter()
            .any(|mark| candidate.join(mark).as_path().exists());
        if is_marked && candidate != *home {
            return candidate;
        }
        at = candidate.parent();
    }
    folder.clone()
}

fn absolute(path: &Path) -> Result<AbsPath, Failure> {
    path.to_str()
        .and_then(|text| AbsPath::parse(text).ok())
        .ok_or_else(|| Failure::bad_input(format!("`{}` is no UTF-8", path.display())))
}

/// Whether the terminal, as its name tells, can be no full screen.
pub(crate) fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// A variable that holds an absolute path; others are as if unset.
fn variable(name: &str) -> Option<AbsPath> {
    AbsPath::parse(&std::env::var(name).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mark_upwards_makes_the_project() {
        let temp = tempfile::tempdir().unwrap();
        let root = AbsPath::parse(temp.path().to_str().unwrap()).unwrap();
        let make = |path: &str| std::fs::create_dir_all(root.join(path).as_path()).unwrap();
        make("home/.claude");
        make("home/site/.git");
        make("home/site/src/deep");
        make("home/plain/sub");
        let home = root.join("home");
        let project = |path: &str| project_of(&root.join(path), &home);
        assert_eq!(project("home/site/src/deep"), root.join("home/site"));
        assert_eq!(project("home/plain/sub"), root.join("home/plain/sub"));
        assert_eq!(project("home"), home);
    }
}
