//! Who does the work of a section: a script, or a model.

use std::sync::Arc;

use pointsman_agents::{ModelDialect, ModelSettings};
use pointsman_model::WorkerId;
use serde::Deserialize as _;
use toml::de::ValueDeserializer;

use super::reader::{Reader, Section};
use super::settings::Settings;
use super::shape::{COUNT, Kind, SMALL_COUNT};
use super::{ModelWork, Work, steps};

/// Which kind of agent does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentKind {
    Steps,
    Llm,
    Replay,
}

pub(super) const KINDS: &[(&str, AgentKind)] = &[
    ("steps", AgentKind::Steps),
    ("llm", AgentKind::Llm),
    ("replay", AgentKind::Replay),
];

/// How a model is written.
const MODEL_HINT: &str = "write `model = { model = \"NAME\", dialect = \"anthropic\" }`";

/// A model as a section names it, with its place.
#[derive(Debug, Clone)]
pub(super) struct ModelText {
    work: Arc<ModelWork>,
    at: usize,
}

impl ModelText {
    /// The model as agents have it.
    pub(super) fn work(&self) -> Arc<ModelWork> {
        Arc::clone(&self.work)
    }
}

/// Takes the model out of a section.
pub(super) fn model<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Option<ModelText> {
    let value = section.get("model")?;
    let at = value.span().start;
    let before = reader.count();
    let table = reader.section("model", value, "a model")?;
    look(reader, table, at);
    if reader.count() > before {
        return None;
    }
    let settings = match ModelSettings::deserialize(ValueDeserializer::from(value.clone())) {
        Ok(settings) => settings,
        Err(error) => {
            let at = error.span().map_or(at, |span| span.start);
            reader.report(at, error.message(), Some(MODEL_HINT));
            return None;
        }
    };
    match settings.spending() {
        Ok(spending) => Some(ModelText {
            work: Arc::new(ModelWork { settings, spending }),
            at,
        }),
        Err(error) => {
            reader.report(at, &error.to_string(), None);
            None
        }
    }
}

/// Looks at the table of a model, which begins at `at`.
fn look<'t>(reader: &mut Reader<'t>, model: Section<'_, 't>, at: usize) {
    let dialects = ModelDialect::ALL.map(ModelDialect::as_str);
    let fields = [
        ("model", Kind::Text),
        ("dialect", Kind::Word(&dialects)),
        ("base_url", Kind::Text),
        ("base_url_env", Kind::Text),
        ("key_env", Kind::Text),
        ("instructions", Kind::Text),
        ("turns_max", SMALL_COUNT),
        ("output_tokens_max", SMALL_COUNT),
        ("context_tokens", COUNT),
        ("temperature", Kind::Number),
        ("budget", Kind::Own),
        ("prices", Kind::Own),
    ];
    reader.shape(model, &fields);
    reader.needs(model, at, &["model", "dialect"], MODEL_HINT);
    if let Some(value) = model.get("budget")
        && let Some(budget) = reader.section("budget", value, "a budget")
    {
        let money = ("money", Kind::Number);
        reader.shape(budget, &[("tokens", COUNT), money, ("time_s", COUNT)]);
    }
    if let Some(value) = model.get("prices")
        && let Some(prices) = reader.section("prices", value, "a list of prices")
    {
        let fields =
            ["input", "output", "cache_read", "cache_write"].map(|key| (key, Kind::Number));
        reader.shape(prices, &fields);
        let hint = "say what a million tokens cost";
        reader.needs(prices, value.span().start, &["input", "output"], hint);
    }
}

/// The agent of an earlier run that a section names.
pub(super) fn earlier<'t>(
    reader: &mut Reader<'t>,
    section: Section<'_, 't>,
    key: &str,
) -> Option<WorkerId> {
    let text = reader.text(section, key)?;
    let worker = text.text.parse().ok();
    if worker.is_none() {
        let message = format!("`{}` is no agent of a run", text.text);
        reader.report(
            text.span.start,
            &message,
            Some("write it like `w3-1`, as `pointsman log` tells it"),
        );
    }
    worker
}

/// Whose work it is, for what is said of it.
pub(super) struct Worker<'a> {
    /// What it is, `the job`.
    pub(super) what: &'static str,
    /// Its name, when it has one.
    pub(super) name: &'a str,
    /// Where it stands.
    pub(super) at: usize,
    /// What to do when it has no step.
    pub(super) hint: &'a str,
}

/// The work of a section, and the types of the agents that its steps spawn.
pub(super) fn work<'t>(
    reader: &mut Reader<'t>,
    section: Section<'_, 't>,
    worker: &Worker<'_>,
    own: &Settings,
    defaults: &Settings,
) -> (Work, Vec<(String, usize)>) {
    let named = match worker.name {
        "" => worker.what.to_owned(),
        name => format!("{} `{name}`", worker.what),
    };
    let found = steps::steps(reader, section);
    match own.agent.or(defaults.agent).unwrap_or(AgentKind::Steps) {
        AgentKind::Steps => {
            if section.get("step").is_none() {
                let message = format!("{named} has no step");
                reader.report(worker.at, &message, Some(worker.hint));
            }
            if let Some(model) = &own.model {
                let message = "a scripted agent has no model";
                reader.report(model.at, message, Some("write `agent = \"llm\"`"));
            }
            (Work::Steps(Arc::new(found.steps)), found.spawned)
        }
        AgentKind::Replay => {
            if let Some(step) = section.get("step") {
                let message =
                    format!("{named} asks for what another agent asked for and takes no steps");
                reader.report(step.span().start, &message, None);
            }
            let work = match earlier(reader, section, "replays") {
                Some(worker) => Work::Replay(worker),
                None => {
                    if section.get("replays").is_none() {
                        let message = format!("{named} names no agent to replay");
                        let hint = "add `replays = \"w3-1\"`; `pointsman log` tells their ids";
                        reader.report(worker.at, &message, Some(hint));
                    }
                    Work::Steps(Arc::new(found.steps))
                }
            };
            (work, Vec::new())
        }
        AgentKind::Llm => {
            if let Some(step) = section.get("step") {
                let message = format!("{named} thinks for itself and takes no steps");
                let hint = "say in its task what it is to do";
                reader.report(step.span().start, &message, Some(hint));
            }
            let model = own.model.as_ref().or(defaults.model.as_ref());
            let work = match model {
                Some(model) => Work::Model(Arc::clone(&model.work)),
                None => {
                    if section.get("model").is_none() {
                        let message = format!("{named} has no model");
                        reader.report(worker.at, &message, Some(MODEL_HINT));
                    }
                    Work::Steps(Arc::new(found.steps))
                }
            };
            (work, Vec::new())
        }
    }
}
