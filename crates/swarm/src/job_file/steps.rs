//! The steps of scripted agents, taken out of `[[job.step]]` and `[[agents.NAME.step]]`.
//!
//! Names of tools and the inputs given to them are checked here, by the tools' own checks, so that a slip shows
//! before anything runs and not in the middle of it.

use pointsman_agents::{ExpectedOutcome, OnRefusal, Pattern, Step, Steps};
use pointsman_model::{JsonText, ToolInput};
use pointsman_tools::{InputProblem, Toolbox};
use serde::Deserialize as _;
use toml::de::{DeValue, ValueDeserializer};

use super::reader::{Reader, Section, Value};
use super::shape::{Field, Kind};
use super::{json, settings};

/// What a section's steps come to.
pub(super) struct Found {
    pub(super) steps: Steps,
    /// The types of the agents that the steps spawn, each with its place.
    pub(super) spawned: Vec<(String, usize)>,
}

/// The keys of a step.
const STEP: &[Field<'_>] = &[
    ("name", Kind::Text),
    ("tool", Kind::Own),
    ("input", Kind::Own),
    ("expect", Kind::Own),
    ("on_refusal", Kind::Own),
    ("parallel", Kind::Own),
];
/// Those that belong to a single call, beside its tool.
const OF_A_CALL: [&str; 4] = ["name", "input", "expect", "on_refusal"];

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A step of the script.
    Step,
    /// One of the calls that are asked for at once.
    Call,
}

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
        look(reader, &toolbox, (step, Level::Step), &mut found.spawned);
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
    (value, level): (&Value<'t>, Level),
    spawned: &mut Vec<(String, usize)>,
) {
    let at = value.span().start;
    let (what, fields) = match level {
        Level::Step => ("a step", STEP),
        // Nothing stands in a call but what is its own.
        Level::Call => (
            "a call of `parallel`",
            STEP.split_last().map_or(STEP, |(_, own)| own),
        ),
    };
    let Some(step) = reader.section("step", value, what) else {
        return;
    };
    reader.shape(step, fields);
    expect(reader, step);
    match step.get("on_refusal").map(|value| (value, value.get_ref())) {
        None => {}
        Some((value, DeValue::String(word))) => {
            reader.word("on_refusal", word, value.span().start, &OnRefusal::WORDS);
        }
        Some((_, DeValue::Array(list))) => {
            for value in list.iter() {
                look(reader, toolbox, (value, Level::Step), spawned);
            }
        }
        Some((value, _)) => {
            let words = OnRefusal::WORDS.join(", ");
            let expected = format!("one of {words}, or a list of steps");
            reader.wrong_kind("on_refusal", value, &expected);
        }
    }
    match (step.get("parallel"), level) {
        (Some(parallel), Level::Step) => {
            at_once(reader, toolbox, (step, parallel), spawned);
            return;
        }
        (Some(_), Level::Call) | (None, _) => {}
    }
    if let Some(ToolInput::Spawn(spawn)) = call(reader, toolbox, step, at) {
        let agent = spawn.subagent_type.unwrap_or_default();
        let at = step.get("input").map_or(0, |input| input.span().start);
        spawned.push((agent, at));
    }
}

/// Looks at calls that are asked for at once.
fn at_once<'t>(
    reader: &mut Reader<'t>,
    toolbox: &Toolbox,
    (step, value): (Section<'_, 't>, &Value<'t>),
    spawned: &mut Vec<(String, usize)>,
) {
    let at = value.span().start;
    if step.get("tool").is_some() {
        let message = "a step has either `tool` or `parallel`";
        reader.report(at, message, Some("write two steps"));
    } else {
        for (key, span, _) in step.entries() {
            if OF_A_CALL.contains(&key) {
                let message = format!("`{key}` belongs to a single call");
                reader.report(
                    span.start,
                    &message,
                    Some("write it in the calls of `parallel`"),
                );
            }
        }
    }
    match value.get_ref() {
        DeValue::Array(list) if list.is_empty() => {
            reader.report(at, "`parallel` is empty", None);
        }
        DeValue::Array(list) => {
            for call in list.iter() {
                look(reader, toolbox, (call, Level::Call), spawned);
            }
        }
        _ => reader.wrong_kind("parallel", value, "a list of calls"),
    }
}

/// Looks at what a step's call has to come to.
fn expect<'t>(reader: &mut Reader<'t>, step: Section<'_, 't>) {
    let expect = step
        .get("expect")
        .and_then(|value| reader.section("expect", value, "an expectation"));
    let Some(expect) = expect else {
        return;
    };
    let outcomes = ExpectedOutcome::ALL.map(ExpectedOutcome::as_str);
    let exit_codes = i64::from(i32::MIN)..=i64::from(i32::MAX);
    let fields = [
        ("outcome", Kind::Word(&outcomes)),
        ("text_contains", Kind::Text),
        ("text_matches", Kind::Text),
        ("exit_code", Kind::Whole(exit_codes)),
    ];
    reader.shape(expect, &fields);
    if let Some(value) = expect.get("text_matches")
        && let DeValue::String(text) = value.get_ref()
        && let Err(why) = Pattern::try_from(text.to_string())
    {
        reader.report(value.span().start, &why, None);
    }
}

/// The checked input of the step's call, when it has one and nothing is wrong with it.
fn call<'t>(
    reader: &mut Reader<'t>,
    toolbox: &Toolbox,
    step: Section<'_, 't>,
    at: usize,
) -> Option<ToolInput> {
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
