//! Read: a text file, with line numbers.

use std::fmt::Write as _;

use async_trait::async_trait;
use pointsman_ledger::SeenFile;
use pointsman_model::{ExecutedCall, JsonText, ReadInput, ToolInput, ToolNature, ToolSpec};

use super::blocking;
use super::file::{self, TextFile};
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

/// Lines given when the agent does not say how many: more than nearly all source files have.
const LINES_DEFAULT: u64 = 2_000;

/// Longer lines are cut; they are generated text.
const LINE_CHARS_MAX: usize = 2_000;

/// What one call gives at most; a page of this size is about 60,000 tokens.
const PAGE_BYTES_MAX: usize = 256 * 1024;

const FIELDS: &[InputField] = &[
    InputField::required(
        "file_path",
        FieldKind::SomeText,
        "The file: absolute, from home (`~/`) or relative to your folder.",
    ),
    InputField::optional(
        "offset",
        FieldKind::Count {
            min: 1,
            max: u32::MAX as u64,
        },
        "First line to give, counted from 1.",
    ),
    InputField::optional(
        "limit",
        FieldKind::Count {
            min: 1,
            max: u32::MAX as u64,
        },
        "How many lines to give; 2000 if left out.",
    ),
];

/// The tool.
pub(super) struct Read {
    spec: ToolSpec,
}

impl Read {
    pub(super) fn new() -> Self {
        let description = "Reads a text file. Gives its lines with their numbers, at most 2000 of them at \
            once; offset and limit give another part. Long lines are cut. A binary file, a folder, or a file \
            over 10 MiB is refused.";
        Self {
            spec: super::spec("Read", ToolNature::Reads, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        input_fields::check(FIELDS, raw).map(ToolInput::Read)
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Read(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let target = super::target(scene)?;
        let input = input.clone();
        blocking(move || {
            let file = file::read_text(&target).map_err(super::failed)?;
            Ok(ToolOutput {
                text: page(&file, &input),
                seen: Some(SeenFile {
                    path: target,
                    content: file.digest,
                }),
                ..ToolOutput::default()
            })
        })
        .await
    }
}

/// The lines that were asked for, numbered.
fn page(file: &TextFile, input: &ReadInput) -> String {
    let text = String::from_utf8_lossy(&file.bytes);
    if text.is_empty() {
        return "(the file is empty)".into();
    }
    let first = input.offset.unwrap_or(1);
    let count = input.limit.unwrap_or(LINES_DEFAULT);
    let total = text.lines().count();
    let mut shown = String::new();
    let mut next = first;
    let skip = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
    for line in text
        .lines()
        .skip(skip)
        .take(usize::try_from(count).unwrap_or(usize::MAX))
    {
        let line = cut(line);
        if shown.len() + line.len() > PAGE_BYTES_MAX {
            break;
        }
        // Writing into a String can't fail.
        let _ = writeln!(shown, "{next:>6}\t{line}");
        next += 1;
    }
    if next == first {
        return format!("(the file has {total} lines; there is no line {first})");
    }
    if next <= total as u64 {
        let _ = writeln!(
            shown,
            "(lines {first} to {} of {total}; go on with offset {next})",
            next - 1
        );
    }
    shown
}

/// A line of bearable length.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_MAX) {
        None => line.to_owned(),
        Some((at, _)) => {
            let head = line.get(..at).unwrap_or_default();
            format!("{head}… ({} bytes more)", line.len() - at)
        }
    }
}
