//! From places to what all of them say: every file read, then what counts of each.

mod counting;
mod given;
mod hooks;

use std::sync::Arc;

use pointsman_model::{
    AbsPath, Digest, FilePlace, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
    WhoSetMode,
};

use super::agent_file::AgentFile;
use super::content::FileContent;
use super::document::Source;
use super::drawing::SourceTexts;
use super::files::SettingsFiles;
use super::hooks::HookSettings;
use super::lint;
use super::loaded::{Found, Loaded, Offer, SettingsFile, Standing, Switches, Whose};
use super::place::{Author, SettingsPlace, SettingsPlaces};
use super::pointsman::PointsmanSettings;
use super::reading::{Reader, lost, told};
use super::trust::{Loosening, LooseningKind, ProjectContent};
use crate::{ParsedRules, Problem, Severity, parse_rule};

/// Reads all settings. It always ends in an answer: what can't be read is a problem of it, and
/// where that may have forbidden, asked or guarded something, [`Loaded::standing`] says so.
#[must_use]
pub fn load(places: &SettingsPlaces, files: &dyn SettingsFiles) -> Loaded {
    let mut loading = Loading::new(places, files);
    let (order, managed) = places.in_order(files);
    for place in &order {
        loading.file(place);
    }
    if let Err((folder, error)) = managed {
        loading.unreadable(&folder, RuleSource::PolicySettings, &error.to_string());
    }
    loading.agents();
    loading.finish()
}

/// One file that was read, and whose it is.
struct ReadFile {
    place: SettingsPlace,
    content: FileContent,
}

/// The loading while it goes on.
struct Loading<'a> {
    places: &'a SettingsPlaces,
    files: &'a dyn SettingsFiles,
    read: Vec<ReadFile>,
    project: ProjectContent,
    loaded: Loaded,
}

impl<'a> Loading<'a> {
    fn new(places: &'a SettingsPlaces, files: &'a dyn SettingsFiles) -> Self {
        Self {
            places,
            files,
            read: Vec::new(),
            project: ProjectContent::new(&places.project),
            loaded: Loaded {
                rules: Vec::new(),
                parsed: ParsedRules::default(),
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
                locks: Vec::new(),
                problems: Vec::new(),
                loosens: Vec::new(),
                untrusted: Vec::new(),
                project_content: Digest::of(b""),
                agents: Vec::new(),
                standing: Standing::Clean,
                files: Vec::new(),
                texts: SourceTexts::default(),
            },
        }
    }

    fn file(&mut self, place: &SettingsPlace) {
        let (found, text) = match self.files.read(&place.path) {
            Ok(None) if place.source == RuleSource::FlagSettings => {
                self.unreadable(&place.path, place.source, "there is no such file");
                (Found::Absent, None)
            }
            Ok(None) => (Found::Absent, None),
            Err(error) => {
                self.unreadable(&place.path, place.source, &error.to_string());
                (Found::Unreadable, None)
            }
            Ok(Some(bytes)) => {
                if place.author == Author::Project {
                    self.project.file(&place.path, &bytes);
                }
                let digest = Digest::of(&bytes);
                match String::from_utf8(bytes) {
                    Ok(text) => (Found::Read { digest }, Some(text)),
                    Err(_) => {
                        self.unreadable(&place.path, place.source, "it is no UTF-8 text");
                        (Found::Unreadable, None)
                    }
                }
            }
        };
        let content = text.map(|text| self.text(place, &text));
        let found = match &content {
            Some(None) => Found::Unreadable,
            _ => found,
        };
        if let Some(content) = content.flatten() {
            let place = place.clone();
            self.read.push(ReadFile { place, content });
        }
        self.loaded.files.push(SettingsFile {
            path: place.path.clone(),
            source: place.source,
            found,
        });
    }

    fn text(&mut self, place: &SettingsPlace, text: &str) -> Option<FileContent> {
        let source = Source::new(place.path.as_str(), text);
        self.loaded
            .texts
            .keep(Arc::clone(&source.file), Arc::clone(&source.text));
        let mut problems = Vec::new();
        let reader = Reader {
            source: &source,
            place,
            places: self.places,
            problems: &mut problems,
            content: FileContent::default(),
            unknown_keys: 0,
        };
        let mut content = reader.read();
        if let Some(content) = &mut content {
            self.loaded.parsed.add(std::mem::take(&mut content.parsed));
        }
        self.problems(problems, place.source);
        content
    }

    /// Keeps problems; the first that leaves something unguarded makes everything asked for.
    fn problems(&mut self, problems: Vec<Problem>, source: RuleSource) {
        self.loaded.keep(problems, source, &self.places.project);
    }

    fn unreadable(&mut self, path: &AbsPath, source: RuleSource, why: &str) {
        let problem = Problem {
            severity: Severity::StopsUnattended,
            place: Some(FilePlace {
                file: path.as_str().into(),
                line: 1,
                column: 1,
            }),
            message: format!("this can't be read: {why}"),
            hint: Some("what it may forbid is not known; mend or remove it".into()),
        };
        self.problems(vec![problem], source);
    }

    /// Reads the agents of the person, then of the project, which stand before those of the same name.
    fn agents(&mut self) {
        for (root, source) in [
            (&self.places.home, RuleSource::UserSettings),
            (&self.places.project, RuleSource::ProjectSettings),
        ] {
            if source == RuleSource::ProjectSettings && root == &self.places.home {
                continue;
            }
            let folder = root.join(".claude/agents");
            let names = self.files.list(&folder).unwrap_or_else(|error| {
                let why = error.to_string();
                self.agent_problem(&folder, &why);
                Vec::new()
            });
            for name in names.iter().filter(|name| name.ends_with(".md")) {
                self.agent(&folder.join(name), source);
            }
        }
    }

    fn agent(&mut self, path: &AbsPath, source: RuleSource) {
        let text = match self.files.read(path) {
            Ok(None) => return,
            Ok(Some(bytes)) => {
                if source == RuleSource::ProjectSettings {
                    self.project.file(path, &bytes);
                }
                String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())
            }
            Err(error) => Err(error.to_string()),
        };
        match text {
            Ok(text) => {
                let (agent, problems) = AgentFile::read(path, &text, source);
                self.loaded.texts.keep(path.as_str().into(), text.into());
                self.problems(problems, source);
                if let Some(agent) = agent {
                    self.takes_place(&agent);
                    self.loaded.agents.push(agent);
                }
            }
            Err(why) => self.agent_problem(path, &why),
        }
    }

    /// Takes the agents out that one of the same name stands before.
    fn takes_place(&mut self, agent: &AgentFile) {
        let same = |other: &&AgentFile| other.name == agent.name;
        let told = self.loaded.agents.iter().filter(same).map(|other| Problem {
            severity: Severity::Warning,
            place: Some(agent.place.clone()),
            message: format!(
                "this agent takes the place of the one in {}, which has the name `{}` too",
                other.place.file, agent.name
            ),
            hint: Some("give each a name of its own".into()),
        });
        self.loaded.problems.extend(told);
        self.loaded.agents.retain(|other| other.name != agent.name);
    }

    /// An agent that is missing forbids nothing by that.
    fn agent_problem(&mut self, path: &AbsPath, why: &str) {
        self.loaded.problems.push(Problem {
            severity: Severity::Warning,
            place: Some(FilePlace {
                file: path.as_str().into(),
                line: 1,
                column: 1,
            }),
            message: format!("this can't be read: {why}"),
            hint: Some("the agents that it defines can't be spawned".into()),
        });
    }
}
