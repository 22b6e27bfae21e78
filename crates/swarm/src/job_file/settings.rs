//! The keys that `[defaults]`, a job and an agent share, taken out of a section.

use std::time::Duration;

use pointsman_model::{PermissionMode, RuleBehavior, RuleText, ToolName, ToolSet};
use pointsman_tools::Toolbox;
use toml::de::DeValue;

use super::nearest::hint_for;
use super::reader::{Reader, Section, Text};
use super::work::{AgentKind, KINDS, ModelText, model};
use super::{FailurePolicy, JobRule, Retry};

/// The longest a job may take, in seconds: a week. Longer is a mistake, not a job.
pub(super) const TIME_S_MAX: u32 = 7 * 24 * 60 * 60;
/// The most retries; a job that failed so often does not want to end well.
const RETRIES_MAX: u32 = 100;
/// The wait before the first retry, in seconds, when the file does not say.
pub(super) const RETRY_WAIT_S: u32 = 1;

/// `continue` or `stop`.
pub(super) const FAILURE: &[(&str, FailurePolicy)] = &[
    ("continue", FailurePolicy::Continue),
    ("stop", FailurePolicy::Stop),
];

/// What one section says; a job's own word comes before that of `[defaults]`.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) agent: Option<AgentKind>,
    pub(super) model: Option<ModelText>,
    pub(super) folder: Option<Text>,
    pub(super) directories: Vec<Text>,
    pub(super) mode: Option<PermissionMode>,
    pub(super) rules: Vec<JobRule>,
    pub(super) tools: Option<ToolSet>,
    pub(super) time_s: Option<u32>,
    pub(super) retry: Option<Retry>,
    pub(super) on_failure: Option<FailurePolicy>,
}

/// The keys they have in the file.
pub(super) const KEYS: &[&str] = &[
    "agent",
    "folder",
    "directories",
    "mode",
    "model",
    "allow",
    "ask",
    "deny",
    "tools",
    "timeout_s",
    "retry",
    "on_failure",
];

/// Takes them out of `section`; keys that such a section may not have are reported elsewhere.
pub(super) fn settings<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Settings {
    Settings {
        agent: reader.choice(section, "agent", KINDS),
        model: model(reader, section),
        folder: reader.text(section, "folder"),
        directories: reader.texts(section, "directories"),
        mode: mode(reader, section),
        rules: rules(reader, section),
        tools: tools(reader, section),
        time_s: reader.number(section, "timeout_s", 1..=TIME_S_MAX),
        retry: retry(reader, section),
        on_failure: reader.choice(section, "on_failure", FAILURE),
    }
}

/// The mode that a section names.
pub(super) fn mode<'t>(
    reader: &mut Reader<'t>,
    section: Section<'_, 't>,
) -> Option<PermissionMode> {
    let choices = PermissionMode::ALL.map(|mode| (mode.as_str(), mode));
    reader.choice(section, "mode", &choices)
}

/// The tools that a section names; nothing when it does not limit them.
pub(super) fn tools<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Option<ToolSet> {
    section.get("tools")?;
    let mut tools = Vec::new();
    for text in reader.texts(section, "tools") {
        match tool(&text.text) {
            Ok(name) => tools.push(name),
            Err((message, hint)) => reader.report(text.span.start, &message, hint.as_deref()),
        }
    }
    Some(ToolSet::Only(tools.into()))
}

/// The tool of that name, as the toolbox calls it: `Task` is an old name of `Agent`. Tools of MCP servers can't be
/// known before their servers run.
///
/// # Errors
/// What is wrong with the name, and a hint.
pub(super) fn tool(text: &str) -> Result<ToolName, (String, Option<String>)> {
    let name = ToolName::parse(text).map_err(|error| (error.to_string(), None))?;
    let toolbox = Toolbox::built_in();
    if let Some(tool) = toolbox.get(&name) {
        return Ok(tool.spec().name.clone());
    }
    if name.mcp_server().is_some() {
        return Ok(name);
    }
    let known: Vec<&str> = toolbox
        .tools()
        .map(|tool| tool.spec().name.as_str())
        .collect();
    Err((
        format!("there is no tool `{text}`"),
        Some(hint_for(text, &known)),
    ))
}

fn rules<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Vec<JobRule> {
    let mut rules = Vec::new();
    for behavior in [RuleBehavior::Allow, RuleBehavior::Ask, RuleBehavior::Deny] {
        for text in reader.texts(section, behavior.as_str()) {
            match pointsman_policy::parse_rule(&text.text) {
                Ok(_) => rules.push(JobRule {
                    behavior,
                    text: RuleText::new(&text.text),
                    place: reader.place(text.span.start),
                }),
                Err(error) => {
                    let at = reader.inside(&text, error.column());
                    reader.report(at, &error.to_string(), error.hint());
                }
            }
        }
    }
    rules
}

fn retry<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Option<Retry> {
    let value = section.get("retry")?;
    if matches!(value.get_ref(), DeValue::Integer(_)) {
        let times = reader.number(section, "retry", 0..=RETRIES_MAX)?;
        let wait = Duration::from_secs(RETRY_WAIT_S.into());
        return Some(Retry { times, wait });
    }
    let table = reader.section("retry", value, "a retry")?;
    reader.only_known(table, &["times", "wait_s"]);
    let times = reader.number(table, "times", 0..=RETRIES_MAX);
    let wait_s = reader.number(table, "wait_s", 0..=TIME_S_MAX);
    Some(Retry {
        times: times.unwrap_or(0),
        wait: Duration::from_secs(wait_s.unwrap_or(RETRY_WAIT_S).into()),
    })
}
