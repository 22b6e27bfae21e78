//! The agents that may be spawned: those of the job file, and those that agent files define. Of two with one name the job
//! file's counts, since a person named that file for this run.

use std::sync::Arc;

use dashmap::DashMap;
use pointsman_agents::ModelSettings;
use pointsman_model::{
    AgentName, ChildContext, LineageStep, PermissionMode, PermissionRule, RuleBehavior, ToolName,
    ToolSet, WhoSetMode,
};
use pointsman_policy::settings::AgentFile;
use pointsman_policy::{Problem, Severity};

use super::contexts::is_forbidden;
use super::options::LeaderOptions;
use crate::job_file::{AgentDefinition, ModelWork, Work};

/// The model of a file that wants its parent's.
const INHERIT: &str = "inherit";

/// Names by which Claude Code means whichever model is current; no server knows them.
const SHORT_NAMES: [&str; 3] = ["sonnet", "opus", "haiku"];

/// The agents that may be spawned, by type.
pub(super) type Roster = DashMap<AgentName, Spawnable>;

/// An agent that may be spawned.
pub(super) struct Spawnable {
    /// When to use it.
    pub(super) description: Box<str>,
    /// The mode it asks for, and on whose word.
    pub(super) mode: Option<(PermissionMode, WhoSetMode)>,
    /// Its own tool limit.
    pub(super) tools: ToolSet,
    /// What it is denied beside its parent's rules.
    pub(super) denies: Vec<PermissionRule>,
    work: SpawnWork,
}

/// What a spawned agent does, and by what means.
enum SpawnWork {
    /// As the job file says.
    Own(Work),
    /// It thinks, by the file's instructions, with the model of the agent that spawns it unless the file names another
    /// of the same server.
    Thinks {
        instructions: Box<str>,
        model: Option<Box<str>>,
    },
}

/// All agents that may be spawned, and what is wrong with those of files.
pub(super) fn roster(options: &LeaderOptions) -> (Roster, Vec<Problem>) {
    let roster = Roster::new();
    let mut problems = Vec::new();
    for file in &options.loaded.agents {
        let spawnable = of_file(file, options, &mut problems);
        roster.insert(file.name.clone(), spawnable);
    }
    for (name, definition) in &options.job_file.agents {
        roster.insert(name.clone(), of_job_file(definition));
    }
    (roster, problems)
}

/// The types of agents that may be spawned, in order.
pub(super) fn types(roster: &Roster) -> Vec<AgentName> {
    let mut types: Vec<AgentName> = roster.iter().map(|entry| entry.key().clone()).collect();
    types.sort_unstable();
    types
}

/// An agent of a job file.
pub(super) fn of_job_file(definition: &AgentDefinition) -> Spawnable {
    Spawnable {
        description: definition.description.clone(),
        // A person wrote the job file and named it on the command line.
        mode: definition.mode.map(|mode| (mode, WhoSetMode::Person)),
        tools: definition.tools.clone(),
        denies: Vec::new(),
        work: SpawnWork::Own(definition.work.clone()),
    }
}

fn of_file(file: &AgentFile, options: &LeaderOptions, problems: &mut Vec<Problem>) -> Spawnable {
    let pool: Vec<ToolName> = options
        .toolbox
        .tools()
        .map(|tool| tool.spec().name.clone())
        .collect();
    let offered = file.offered(&pool);
    let tools = if offered.len() == pool.len() {
        ToolSet::All
    } else {
        ToolSet::Only(offered.into())
    };
    let denies = file.denies().map(|text| PermissionRule {
        behavior: RuleBehavior::Deny,
        text: text.clone(),
        source: file.source,
        place: Some(file.place.clone()),
        anchor: options.project.clone(),
    });
    let mode = file.mode.filter(|mode| {
        let forbidden = is_forbidden(options, *mode);
        if forbidden {
            problems.push(told(
                file,
                format!(
                    "the agent `{}` asks for mode `{mode}`, which the settings switch off",
                    file.name
                ),
                "it is spawned with the mode of the agent that spawns it",
            ));
        }
        !forbidden
    });
    Spawnable {
        description: file.description.as_str().into(),
        mode: mode.map(|mode| (mode, file.who_set_mode)),
        tools,
        denies: denies.collect(),
        work: SpawnWork::Thinks {
            instructions: file.prompt.as_str().into(),
            model: model_of(file, problems),
        },
    }
}

fn model_of(file: &AgentFile, problems: &mut Vec<Problem>) -> Option<Box<str>> {
    match file.model.as_deref() {
        None | Some("" | INHERIT) => None,
        Some(short) if SHORT_NAMES.contains(&short) => {
            problems.push(told(
                file,
                format!(
                    "the agent `{}` wants the model `{short}`, a name that no server knows",
                    file.name
                ),
                "it has the model of the agent that spawns it; write the model's full name",
            ));
            None
        }
        Some(model) => Some(model.into()),
    }
}

fn told(file: &AgentFile, message: String, hint: &str) -> Problem {
    Problem {
        severity: Severity::Warning,
        place: Some(file.place.clone()),
        message,
        hint: Some(hint.into()),
    }
}

impl Spawnable {
    /// What it takes of its parent's context, and adds to it.
    pub(super) fn child_context(&self, step: LineageStep) -> ChildContext {
        ChildContext {
            step,
            mode: self.mode,
            tools: self.tools.clone(),
            folder: None,
            rules: self.denies.clone(),
        }
    }

    /// What it does when an agent with this model spawns it; nothing when it has to think and there is no model.
    pub(super) fn work(&self, of_parent: Option<&Arc<ModelWork>>) -> Option<Work> {
        match &self.work {
            SpawnWork::Own(work) => Some(work.clone()),
            SpawnWork::Thinks {
                instructions,
                model,
            } => {
                let parent = of_parent?;
                let settings = ModelSettings {
                    model: model
                        .as_deref()
                        .unwrap_or(&parent.settings.model)
                        .to_owned(),
                    instructions: Some(instructions.to_string()),
                    ..parent.settings.clone()
                };
                Some(Work::Model(Arc::new(ModelWork {
                    settings,
                    // One budget for a family: who spawns can't spend more by it.
                    spending: parent.spending.clone(),
                })))
            }
        }
    }
}
