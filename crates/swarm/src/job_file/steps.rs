//! The steps of scripted agents, taken out of `[[job.step]]` and `[[agents.NAME.step]]`.
//!
//! Names of tools and the inputs given to them are checked here, by the tools' own checks, so that a slip shows
//! before anything runs and not in the middle of it.

use pointsman_agents::{Step, Steps};
use pointsman_model::{JsonText, ToolInput};
use pointsman_tools::{InputProblem, Toolbox};
use serde::Deserialize as _;
use toml::de::{DeValue, ValueDeserializer};

use super::reader::{Reader, Section, Value};
use super::{json, settings};

/// What a section's steps come to.
pub(super) struct Found {
    pub(super) steps: Steps,
    /// The types of the agents that the steps spawn, each with its place.
    pub(super) spawned: Vec<(String, usize)>,
}

/// The keys of a step.
const KEYS: &[&str] = &["name", "tool", "input", "expect", "on_refusal", "parallel"];

/// Takes the steps out of a section.
pub(super) fn steps<'t>(reader: &mut Reader<'t>, section: Section<'_, 't>) -> Found {
    let toolbox = Toolbox::built_in();
    let mut found = Found {
        steps: Steps::default(),
        spawned: Vec::new(),
    };
    let Some(value) = section.get("step") else {
        return found;
    };
    let DeValue::Array(list) = value.get_ref() else {
        let message = "`step` is a list of tables: write `[[job.step]]`";
        reader.report(value.span().start, message, None);
        return found;
    };
    for step in list.iter() {
        let before = reader.count();
        look(reader, &toolbox, step, &mut found.spawned);
        if reader.count() > before {
            continue;
        }
        match Step::deserialize(ValueDeserializer::from(step.clone())) {
            Ok(step) => found.steps.steps.push(step),
            Err(error) => {
                let at = error.span().map_or(step.span().start, |span| span.start);
                reader.report(at, error.message(), None);
            }
        }
    }
    found
}

/// Looks at one step and those inside it.
fn look<'t>(
    reader: &mut Reader<'t>,
    toolbox: &Toolbox,
    value: &Value<'t>,
    spawned: &mut Vec<(String, usize)>,
) {
    let Some(step) = reader.section("step", value, "a step") else {
        return;
    };
    reader.only_known(step, KEYS);
    for inner in ["parallel", "on_refusal"] {
        if let Some(DeValue::Array(list)) = step.get(inner).map(Value::get_ref) {
            for value in list.iter() {
                look(reader, toolbox, value, spawned);
            }
        }
    }
    if let Some(ToolInput::Spawn(spawn)) = call(reader, toolbox, step, value.span().start) {
        let agent = spawn.subagent_type.unwrap_or_default();
        let at = step.get("input").map_or(0, |input| input.span().start);
        spawned.push((agent, at));
    }
}

/// The checked input of the step's call, when it has one and nothing is wrong with it.
fn call<'t>(
    reader: &mut Reader<'t>,
    toolbox: &Toolbox,
    step: Section<'_, 't>,
    at: usize,
) -> Option<ToolInput> {
    if step.get("parallel").is_some() {
        return None;
    }
    if step.get("tool").is_none() {
        let hint = "a step is one call, `tool` and `input`, or `parallel`, a list of calls";
        reader.report(at, "a step without `tool`", Some(hint));
        return None;
    }
    let text = reader.text(step, "tool")?;
    let name = match settings::tool(&text.text) {
        Ok(name) => name,
        Err((message, hint)) => {
            reader.report(text.span.start, &message, hint.as_deref());
            return None;
        }
    };
    let tool = toolbox.get(&name)?;
    let input = match step.get("input") {
        Some(input) => Some(reader.section("input", input, "an input")?),
        None => None,
    };
    let raw = JsonText::of(
        &input
            .map(|input| json::object(input.table()))
            .unwrap_or_default(),
    )
    .ok()?;
    match tool.check(&raw) {
        Ok(input) => Some(input),
        Err(problems) => {
            let whole = step
                .get("input")
                .map_or(text.span.start, |input| input.span().start);
            for problem in problems {
                let at = input
                    .and_then(|input| place_of(&problem, input))
                    .unwrap_or(whole);
                reader.report(at, &format!("`{name}`: {problem}"), None);
            }
            None
        }
    }
}

/// Where the field stands that a problem names.
fn place_of(problem: &InputProblem, input: Section<'_, '_>) -> Option<usize> {
    let field: &str = match problem {
        InputProblem::Unknown { field, .. } => field,
        InputProblem::Unfit { field, .. } => field,
        _ => return None,
    };
    let entries = input.entries();
    let (_, span, _) = entries.iter().find(|(key, _, _)| *key == field)?;
    Some(span.start)
}
