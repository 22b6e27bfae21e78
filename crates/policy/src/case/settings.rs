//! The settings of a case, read as a project's file is: loudly and closed (law 7).

use pointsman_model::AbsPath;

use super::line::Line;
use crate::settings::{Loaded, MemoryFiles, SettingsPlaces, TrustRecord, load};

/// Where a project's settings lie that may say all there is to say.
const FILE: &str = ".pointsman/settings.json";

/// What the case's settings come to: those of a trusted project, and nothing else. They stand in no file, so nothing of it
/// has a place.
pub(super) fn read(case: &Line, root: &AbsPath, home: &AbsPath) -> Loaded {
    let mut files = MemoryFiles::new();
    if let Some(settings) = &case.settings {
        files = files.with(root.join(FILE), settings.get());
    }
    let mut places = SettingsPlaces::of_project(root.clone(), home.clone());
    let content = load(&places, &files).project_content;
    places.trust = Some(TrustRecord {
        project: root.clone(),
        contents: [content].into(),
    });
    let mut loaded = load(&places, &files);
    for rule in &mut loaded.rules {
        rule.place = None;
    }
    for problem in &mut loaded.problems {
        problem.place = None;
    }
    loaded
}
