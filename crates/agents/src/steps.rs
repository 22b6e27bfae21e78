//! A script: tool calls in order, what is expected of each, and what a refusal leads to. These
//! types are what a job file holds; their comments become the descriptions in its JSON schema.

mod expect;
mod on_refusal;

use pointsman_model::{JsonText, ToolName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::expect::{Expect, ExpectedOutcome, Pattern};
pub(crate) use self::expect::{how_it_ended, quoted};
pub use self::on_refusal::OnRefusal;

/// The script of a scripted agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The steps, one after another.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// One step: a call, or several calls at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenStep", into = "WrittenStep")]
#[schemars(with = "WrittenStep")]
pub enum Step {
    /// One call.
    Call(CallStep),
    /// Calls that are asked for at once. Those that read run together, those that change run one after another.
    Parallel(Vec<CallStep>),
}

/// One call of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallStep {
    /// What the step is called in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool: `Bash`, `Read`, `Write`, `Edit`, `Glob`, `Grep` or `Agent`.
    #[schemars(with = "String")]
    pub tool: ToolName,
    /// The tool's input, as in `{ command = "cargo test" }`.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// What the call has to come to. Left out: it may succeed or be refused, but not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// What a refusal leads to: "continue" (if left out), "fail", "stop", or steps to take instead. A refusal that
    /// `expect` names is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_refusal: Option<OnRefusal>,
}

impl CallStep {
    /// The input as an agent gives it.
    ///
    /// # Errors
    /// When it can't be written as JSON.
    pub(crate) fn input_text(&self) -> Result<JsonText, pointsman_model::JsonTextError> {
        JsonText::of(&self.input)
    }
}

/// A step as it is written: `tool` with what belongs to it, or `parallel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Step",
    extend("oneOf" = [{ "required": ["tool"] }, { "required": ["parallel"] }])
)]
struct WrittenStep {
    /// What the step is called in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The tool: `Bash`, `Read`, `Write`, `Edit`, `Glob`, `Grep` or `Agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    tool: Option<ToolName>,
    /// The tool's input, as in `{ command = "cargo test" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<Map<String, Value>>,
    /// What the call has to come to. Left out: it may succeed or be refused, but not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<Expect>,
    /// What a refusal leads to: "continue" (if left out), "fail", "stop", or steps to take instead. A refusal that
    /// `expect` names is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_refusal: Option<OnRefusal>,
    /// In place of `tool`: calls that are asked for at once. Those that read run together, those that change run
    /// one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parallel: Option<Vec<CallStep>>,
}

/// What is wrong with a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// It says nothing.
    #[error("a step needs `tool`, or `parallel` with a list of calls")]
    Nothing,
    /// It says both.
    #[error("a step has either `tool` or `parallel`; write two steps")]
    Both,
    /// It has parts of a single call beside `parallel`.
    #[error("`{0}` belongs to a single call: write it in the calls of `parallel`")]
    BesideParallel(&'static str),
    /// Nothing is to be done at once.
    #[error("`parallel` is empty")]
    Empty,
}

impl TryFrom<WrittenStep> for Step {
    type Error = StepError;

    fn try_from(written: WrittenStep) -> Result<Self, StepError> {
        let WrittenStep {
            name,
            tool,
            input,
            expect,
            on_refusal,
            parallel,
        } = written;
        match (tool, parallel) {
            (None, None) => Err(StepError::Nothing),
            (Some(_), Some(_)) => Err(StepError::Both),
            (Some(tool), None) => Ok(Self::Call(CallStep {
                name,
                tool,
                input: input.unwrap_or_default(),
                expect,
                on_refusal,
            })),
            (None, Some(calls)) => {
                let single = [
                    (name.is_some(), "name"),
                    (input.is_some(), "input"),
                    (expect.is_some(), "expect"),
                    (on_refusal.is_some(), "on_refusal"),
                ];
                if let Some((_, field)) = single.into_iter().find(|(written, _)| *written) {
                    return Err(StepError::BesideParallel(field));
                }
                if calls.is_empty() {
                    return Err(StepError::Empty);
                }
                Ok(Self::Parallel(calls))
            }
        }
    }
}

impl From<Step> for WrittenStep {
    fn from(step: Step) -> Self {
        match step {
            Step::Call(call) => Self {
                name: call.name,
                tool: Some(call.tool),
                input: Some(call.input),
                expect: call.expect,
                on_refusal: call.on_refusal,
                parallel: None,
            },
            Step::Parallel(calls) => Self {
                name: None,
                tool: None,
                input: None,
                expect: None,
                on_refusal: None,
                parallel: Some(calls),
            },
        }
    }
}

#[cfg(test)]
mod tests;
