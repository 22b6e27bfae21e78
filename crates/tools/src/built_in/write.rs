//! Write: a file, whole.

use async_trait::async_trait;
use pointsman_ledger::SeenFile;
use pointsman_model::{ExecutedCall, JsonText, ToolInput, ToolNature, ToolSpec};

use super::blocking;
use super::file;
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

const FIELDS: &[InputField] = &[
    InputField::required(
        "file_path",
        FieldKind::SomeText,
        "The file: absolute, from home (`~/`) or relative to your folder.",
    ),
    InputField::required("content", FieldKind::Text, "All of the file's new content."),
];

/// The tool.
pub(super) struct Write {
    spec: ToolSpec,
}

impl Write {
    pub(super) fn new() -> Self {
        let description = "Writes a file whole, making it and its folders where they are missing. The file is \
            replaced in one step and keeps its mode. Refused when the file changed since you last read or wrote \
            it: read it again first. To change a part of a file, use Edit.";
        Self {
            spec: super::spec("Write", ToolNature::Changes, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        input_fields::check(FIELDS, raw).map(ToolInput::Write)
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Write(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let target = super::target(scene)?;
        let (content, seen) = (input.content.clone(), scene.seen);
        blocking(move || {
            if let Some(seen) = seen
                && !file::is_as_seen(&target, seen).map_err(super::failed)?
            {
                return Err(ToolError::Failed(format!(
                    "`{target}` changed since you last read or wrote it; read it again first"
                )));
            }
            let digest = file::replace(&target, content.as_bytes()).map_err(super::failed)?;
            Ok(ToolOutput {
                text: format!("wrote {} bytes to `{target}`", content.len()),
                seen: Some(SeenFile {
                    path: target,
                    content: digest,
                }),
                ..ToolOutput::default()
            })
        })
        .await
    }
}
