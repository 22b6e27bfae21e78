//! From places to what all of them say.

use pointsman_model::{Digest, FilePlace, PermissionRule, RuleBehavior, RuleSource, RuleText};

use super::drawing::SourceTexts;
use super::files::SettingsFiles;
use super::hooks::HookSettings;
use super::loaded::{Found, Loaded, Offer, SettingsFile, Standing, Switches, Whose};
use super::place::SettingsPlaces;
use super::pointsman::PointsmanSettings;
use crate::{Problem, Severity};

/// Reads all settings.
#[must_use]
pub fn load(places: &SettingsPlaces, files: &dyn SettingsFiles) -> Loaded {
    let mut loaded = Loaded {
        rules: Vec::new(),
        default_mode: None,
        additional_directories: Vec::new(),
        hooks: HookSettings::default(),
        pointsman: PointsmanSettings::default(),
        switches: Switches {
            bypass: Offer::Offered,
            auto: Offer::Offered,
            allow_rules: Whose::Everyones,
            hooks: Whose::Everyones,
        },
        problems: Vec::new(),
        untrusted: Vec::new(),
        standing: Standing::Clean,
        files: Vec::new(),
        texts: SourceTexts::default(),
    };
    for path in [
        places.project.join(".claude/settings.json"),
        places.home.join(".claude/settings.json"),
    ] {
        let found = match files.read(&path) {
            Ok(None) => Found::Absent,
            Ok(Some(bytes)) => Found::Read {
                digest: Digest::of(&bytes),
            },
            Err(_) => Found::Unreadable,
        };
        if found != Found::Absent {
            ask_everything(&mut loaded, path.as_str(), places);
        }
        loaded.files.push(SettingsFile {
            path,
            source: RuleSource::ProjectSettings,
            found,
        });
    }
    loaded
}

fn ask_everything(loaded: &mut Loaded, file: &str, places: &SettingsPlaces) {
    let place = FilePlace {
        file: file.into(),
        line: 1,
        column: 1,
    };
    loaded.standing = Standing::AskEverything;
    loaded.rules.push(PermissionRule {
        behavior: RuleBehavior::Ask,
        text: RuleText::new("*"),
        source: RuleSource::ProjectSettings,
        place: Some(place.clone()),
        anchor: places.project.clone(),
    });
    loaded.problems.push(Problem {
        severity: Severity::StopsUnattended,
        place: Some(place),
        message: format!("`{file}` is not read by this version"),
        hint: None,
    });
}
