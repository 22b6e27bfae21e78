//! Agent: starts an agent and waits for what it says, or goes on beside it. Its old name is Task.

use async_trait::async_trait;
use pointsman_model::{ExecutedCall, JsonText, ToolInput, ToolNature, ToolSpec};

use crate::input_fields::{self, FieldKind, InputField};
use crate::spawner::{Spawned, SpawnedHow};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

/// What is said behind the id of an agent that works in the background.
pub(crate) const WORKS_BESIDE: &str = " works in the background;";

const FIELDS: &[InputField] = &[
    InputField::required(
        "prompt",
        FieldKind::SomeText,
        "The task, with all the agent has to know.",
    ),
    InputField::optional(
        "description",
        FieldKind::Text,
        "The task in a few words; the agent is listed by it.",
    ),
    InputField::optional("subagent_type", FieldKind::SomeText, "Which kind of agent."),
    InputField::optional(
        "run_in_background",
        FieldKind::Flag,
        "True: you go on at once, and are told when the agent has ended. Else it is waited for.",
    ),
];

/// The tool.
pub(super) struct Agent {
    spec: ToolSpec,
}

impl Agent {
    pub(super) fn new() -> Self {
        let description = "Starts an agent with a task of its own and waits for its report, unless it is to work in \
            the background. It may do no more than you may. Several started in one batch work at the same time.";
        Self {
            spec: super::spec("Agent", ToolNature::Spawns, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Agent {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        Ok(ToolInput::Spawn(input_fields::check(FIELDS, raw)?))
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Spawn(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let seat = scene.seat;
        let spawned = seat
            .spawner
            .spawn(seat, call.id, input)
            .await
            .map_err(super::failed)?;
        let spawned = match spawned {
            Spawned::Ended(end) => end,
            Spawned::InBackground(worker) => {
                let text = format!(
                    "{worker}{WORKS_BESIDE} you are told when it has ended, and it ends with you at the latest"
                );
                return Ok(ToolOutput::text(text));
            }
        };
        let text = format!("{}: {}", spawned.worker, spawned.text);
        match spawned.end {
            SpawnedHow::Done => Ok(ToolOutput::text(text)),
            SpawnedHow::NotDone if seat.stop.is_cancelled() => Err(ToolError::Stopped(text)),
            SpawnedHow::NotDone => Err(ToolError::Failed(text)),
        }
    }
}
