//! Agent: starts an agent and waits for what it says. Its old name is Task.

use async_trait::async_trait;
use pointsman_model::{ExecutedCall, JsonText, SpawnInput, ToolInput, ToolNature, ToolSpec};

use crate::input_fields::{self, FieldKind, InputField};
use crate::spawner::SpawnedHow;
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

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
        "Has to be false: agents are waited for. Several in one batch run together.",
    ),
];

/// The tool.
pub(super) struct Agent {
    spec: ToolSpec,
}

impl Agent {
    pub(super) fn new() -> Self {
        let description = "Starts an agent with a task of its own and waits for its report. It may do no more than \
            you may. Several started in one batch work at the same time.";
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
        let input: SpawnInput = input_fields::check(FIELDS, raw)?;
        if input.run_in_background == Some(true) {
            return Err(vec![InputProblem::Unfit {
                field: "run_in_background",
                wanted: "false, since agents are waited for here".into(),
                found: "true".into(),
            }]);
        }
        Ok(ToolInput::Spawn(input))
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
            .spawn(seat, input)
            .await
            .map_err(super::failed)?;
        let text = format!("{}: {}", spawned.worker, spawned.text);
        match spawned.end {
            SpawnedHow::Done => Ok(ToolOutput::text(text)),
            SpawnedHow::NotDone if seat.stop.is_cancelled() => Err(ToolError::Stopped(text)),
            SpawnedHow::NotDone => Err(ToolError::Failed(text)),
        }
    }
}
