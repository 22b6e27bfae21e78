//! Pointsman's own tools.

mod agent;
mod bash;
mod edit;
mod file;
mod glob;
mod grep;
mod hidden;
mod read;
mod search;
mod write;

use std::sync::Arc;

use pointsman_model::{AbsPath, ExecutedCall, JsonText, ToolName, ToolNature, ToolSpec};

pub(crate) use self::agent::WORKS_BESIDE;
use crate::input_fields::{self, InputField};
use crate::{Tool, ToolError, ToolOutput, ToolScene};

/// All of them.
pub(crate) fn all() -> [Arc<dyn Tool>; 7] {
    [
        Arc::new(bash::Bash::new()),
        Arc::new(read::Read::new()),
        Arc::new(write::Write::new()),
        Arc::new(edit::Edit::new()),
        Arc::new(glob::Glob::new()),
        Arc::new(grep::Grep::new()),
        Arc::new(agent::Agent::new()),
    ]
}

/// The spec of a built-in tool.
#[expect(
    clippy::expect_used,
    reason = "names and fields are constants of this crate; a wrong one fails at start and in every test"
)]
fn spec(
    name: &str,
    nature: ToolNature,
    description: &str,
    fields: &'static [InputField],
) -> ToolSpec {
    ToolSpec {
        name: ToolName::parse(name).expect("a built-in tool has a proper name"),
        description: description.into(),
        input_schema: JsonText::of(&input_fields::schema(fields)).expect("a schema is an object"),
        nature,
    }
}

/// The path that the call was judged for.
fn target(scene: &ToolScene<'_>) -> Result<AbsPath, ToolError> {
    scene.target.cloned().ok_or_else(|| {
        ToolError::Failed("the call names no path that could be found out before it ran".into())
    })
}

/// The input of another tool; dispatch never hands one over.
fn wrong_input(call: &ExecutedCall) -> ToolError {
    ToolError::Failed(format!("the input is none for `{}`", call.tool))
}

/// An error of a tool's own, with its text for the agent.
fn failed(error: impl std::error::Error) -> ToolError {
    ToolError::Failed(error.to_string())
}

/// Does file work where it may block. Dropping the future lets work that has begun come to its end.
async fn blocking(
    work: impl FnOnce() -> Result<ToolOutput, ToolError> + Send + 'static,
) -> Result<ToolOutput, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ToolError::Failed(format!("the tool broke off: {error}"))),
    }
}
