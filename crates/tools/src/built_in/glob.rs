//! Glob: files by name.

use async_trait::async_trait;
use pointsman_model::{ExecutedCall, JsonText, ToolInput, ToolNature, ToolSpec};

use super::hidden::HiddenFiles;
use super::{blocking, search};
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

/// How many files an agent is given; who finds more has to look closer.
const FOUND_MAX: usize = 500;

const FIELDS: &[InputField] = &[
    InputField::required(
        "pattern",
        FieldKind::SomeText,
        "Names to find, like `src/**/*.rs`; without a slash at any depth.",
    ),
    InputField::optional(
        "path",
        FieldKind::SomeText,
        "The folder to look in; your folder if left out.",
    ),
];

/// The tool.
pub(super) struct Glob {
    spec: ToolSpec,
}

impl Glob {
    pub(super) fn new() -> Self {
        let description = "Finds files by name below a folder. Gives their paths, in order, at most 500. Files that \
            .gitignore leaves out, symbolic links and files you may not read are not found.";
        Self {
            spec: super::spec("Glob", ToolNature::Reads, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        input_fields::check(FIELDS, raw).map(ToolInput::Glob)
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Glob(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let root = super::target(scene)?;
        let hidden = HiddenFiles::of(call, scene);
        let (pattern, stop) = (input.pattern.clone(), scene.seat.stop.clone());
        blocking(move || {
            let matching = search::pattern_below(&pattern).map_err(super::failed)?;
            let found = search::files(&root, Some(&matching), &stop).map_err(super::failed)?;
            let shown: Vec<&str> = found
                .iter()
                .filter(|file| !hidden.hides(file))
                .map(|file| file.as_str())
                .collect();
            Ok(ToolOutput::text(list(&shown)))
        })
        .await
    }
}

fn list(files: &[&str]) -> String {
    if files.is_empty() {
        return "(no file found)".into();
    }
    let mut text = files
        .iter()
        .take(FOUND_MAX)
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    if files.len() > FOUND_MAX {
        text.push_str(&format!(
            "\n({} more; look with a narrower pattern or path)",
            files.len() - FOUND_MAX
        ));
    }
    text
}
