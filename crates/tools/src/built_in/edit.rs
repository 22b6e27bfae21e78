//! Edit: one text in a file for another.

use async_trait::async_trait;
use pointsman_ledger::SeenFile;
use pointsman_model::{
    AbsPath, Digest, EditInput, ExecutedCall, JsonText, ToolInput, ToolNature, ToolSpec,
};

use super::blocking;
use super::file::{self, FileError};
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

/// Lines named when a text occurs more than once.
const PLACES_MAX: usize = 5;

const FIELDS: &[InputField] = &[
    InputField::required(
        "file_path",
        FieldKind::SomeText,
        "The file: absolute, from home (`~/`) or relative to your folder.",
    ),
    InputField::required(
        "old_string",
        FieldKind::Text,
        "The text to replace, exactly as it stands in the file.",
    ),
    InputField::required(
        "new_string",
        FieldKind::Text,
        "The text to put there; another than old_string.",
    ),
    InputField::optional(
        "replace_all",
        FieldKind::Flag,
        "Replace each occurrence; without it there must be exactly one.",
    ),
];

/// The tool.
pub(super) struct Edit {
    spec: ToolSpec,
}

impl Edit {
    pub(super) fn new() -> Self {
        let description = "Replaces a text in a file. You must have read the file before; if it changed since, \
            the edit is refused: read it again. old_string has to occur exactly once, unless replace_all is set. \
            The file is replaced in one step and keeps its mode.";
        Self {
            spec: super::spec("Edit", ToolNature::Changes, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        input_fields::check(FIELDS, raw).map(ToolInput::Edit)
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Edit(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let target = super::target(scene)?;
        let (input, seen) = (input.clone(), scene.seen);
        blocking(move || edit(&target, &input, seen).map_err(super::failed)).await
    }
}

/// Why nothing was edited.
#[derive(Debug, thiserror::Error)]
enum EditError {
    #[error("`{0}` has to be read before it can be edited")]
    NeverRead(AbsPath),
    #[error("`{0}` changed since you last read or wrote it; read it again first")]
    Changed(AbsPath),
    #[error("`old_string` is empty; use Write to make a file or to fill an empty one")]
    NothingToReplace,
    #[error("`old_string` and `new_string` are the same, so there is nothing to do")]
    Same,
    #[error("`old_string` does not occur in `{path}`{}", hint(*.near))]
    NotFound { path: AbsPath, near: Option<usize> },
    #[error(
        "`old_string` occurs {count} times in `{path}` (lines {lines}); give more of the text around the \
         one you mean, or set replace_all"
    )]
    NotOnce {
        path: AbsPath,
        count: usize,
        lines: String,
    },
    #[error(transparent)]
    File(#[from] FileError),
}

fn hint(near: Option<usize>) -> String {
    near.map(|line| {
        format!("; line {line} is like its first line but for blanks, which have to be the same")
    })
    .unwrap_or_default()
}

fn edit(
    target: &AbsPath,
    input: &EditInput,
    seen: Option<Digest>,
) -> Result<ToolOutput, EditError> {
    if input.old_string.is_empty() {
        return Err(EditError::NothingToReplace);
    }
    if input.old_string == input.new_string {
        return Err(EditError::Same);
    }
    let file = file::read_text(target)?;
    match seen {
        None => return Err(EditError::NeverRead(target.clone())),
        Some(seen) if seen != file.digest => return Err(EditError::Changed(target.clone())),
        Some(_) => {}
    }
    let text = file.text()?;
    let places: Vec<usize> = text
        .match_indices(&input.old_string)
        .map(|(at, _)| at)
        .collect();
    let replaced = match (places.len(), input.replace_all.unwrap_or(false)) {
        (0, _) => {
            return Err(EditError::NotFound {
                path: target.clone(),
                near: line_like(text, &input.old_string),
            });
        }
        (1, _) | (_, true) => text.replace(&input.old_string, &input.new_string),
        (count, false) => {
            return Err(EditError::NotOnce {
                path: target.clone(),
                count,
                lines: lines_of(text, &places),
            });
        }
    };
    let digest = file::replace(target, replaced.as_bytes())?;
    Ok(ToolOutput {
        text: format!(
            "replaced {} in `{target}`, line {}",
            if places.len() == 1 {
                "one occurrence".into()
            } else {
                format!("{} occurrences", places.len())
            },
            lines_of(text, &places)
        ),
        seen: Some(SeenFile {
            path: target.clone(),
            content: digest,
        }),
        ..ToolOutput::default()
    })
}

/// The lines that these bytes stand in, the first few of them.
fn lines_of(text: &str, places: &[usize]) -> String {
    let line_of = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        (before.matches('\n').count() + 1).to_string()
    };
    let mut lines: Vec<String> = places.iter().take(PLACES_MAX).map(line_of).collect();
    if places.len() > PLACES_MAX {
        lines.push("…".into());
    }
    lines.join(", ")
}

/// A line that equals the first line of `wanted` but for blanks.
fn line_like(text: &str, wanted: &str) -> Option<usize> {
    let bare = |line: &str| line.split_whitespace().collect::<String>();
    let first = bare(wanted.lines().find(|line| !line.trim().is_empty())?);
    text.lines()
        .position(|line| bare(line) == first)
        .map(|at| at + 1)
}
