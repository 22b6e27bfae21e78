//! Grep: lines by content.

use std::fmt::Write as _;

use async_trait::async_trait;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use pointsman_model::{
    AbsPath, ExecutedCall, GrepInput, GrepOutput, JsonText, ToolInput, ToolNature, ToolSpec,
};
use tokio_util::sync::CancellationToken;

use super::hidden::HiddenFiles;
use super::search::{self, SearchError};
use super::{blocking, file};
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

/// How much text an agent is given; the same as for Bash.
const TEXT_BYTES_MAX: usize = 30_000;

/// Longer lines are cut; they are generated text.
const LINE_CHARS_MAX: usize = 500;

const FIELDS: &[InputField] = &[
    InputField::required("pattern", FieldKind::SomeText, "A regular expression."),
    InputField::optional(
        "path",
        FieldKind::SomeText,
        "The file or folder to look in; your folder if left out.",
    ),
    InputField::optional(
        "glob",
        FieldKind::SomeText,
        "Only files with names like this, such as `*.rs`.",
    ),
    InputField::optional(
        "output_mode",
        FieldKind::OneOf(&["content", "files_with_matches", "count"]),
        "What to give: matching lines with file and number, files that hold a match (if left out), or how many \
         lines match in each.",
    ),
    InputField::optional("-i", FieldKind::Flag, "Ignore case."),
    InputField::optional("multiline", FieldKind::Flag, "Let a match span lines."),
];

/// The tool.
pub(super) struct Grep {
    spec: ToolSpec,
}

impl Grep {
    pub(super) fn new() -> Self {
        let description = "Finds lines by regular expression in a file or below a folder. Files that .gitignore \
            leaves out, binary files, symbolic links and files you may not read are not searched.";
        Self {
            spec: super::spec("Grep", ToolNature::Reads, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        input_fields::check(FIELDS, raw).map(ToolInput::Grep)
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Grep(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let root = super::target(scene)?;
        let hidden = HiddenFiles::of(call, scene);
        let (input, stop) = (input.clone(), scene.seat.stop.clone());
        blocking(move || {
            let text = grep(&root, &input, &hidden, &stop).map_err(super::failed)?;
            Ok(ToolOutput::text(text))
        })
        .await
    }
}

/// Why a search could not be made.
#[derive(Debug, thiserror::Error)]
enum GrepError {
    #[error("`{pattern}` is no regular expression: {why}")]
    Pattern { pattern: Box<str>, why: Box<str> },
    #[error(transparent)]
    Search(#[from] SearchError),
}

fn grep(
    root: &AbsPath,
    input: &GrepInput,
    hidden: &HiddenFiles,
    stop: &CancellationToken,
) -> Result<String, GrepError> {
    let matcher = matcher(input)?;
    let names = input.glob.as_deref().map(search::pattern).transpose()?;
    let files = search::files(root, names.as_ref(), stop)?;
    let mode = input.output_mode.unwrap_or(GrepOutput::FilesWithMatches);
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .multi_line(input.multiline.unwrap_or(false))
        .heap_limit(Some(file::FILE_BYTES_MAX as usize))
        .build();
    let mut results = Results::new(mode);
    for path in &files {
        if stop.is_cancelled() {
            return Err(SearchError::Stopped.into());
        }
        let mut matches = Matches::new(mode);
        // A file that can't be read, or is larger than is searched, can't hold a match that is shown.
        if searcher
            .search_path(&matcher, path.as_path(), &mut matches)
            .is_err()
        {
            continue;
        }
        if matches.count > 0 && !hidden.hides(path) && results.add(path, &matches) == Room::None {
            break;
        }
    }
    Ok(results.finish())
}

fn matcher(input: &GrepInput) -> Result<RegexMatcher, GrepError> {
    let multiline = input.multiline.unwrap_or(false);
    RegexMatcherBuilder::new()
        .case_insensitive(input.ignore_case.unwrap_or(false))
        .multi_line(true)
        .dot_matches_new_line(multiline)
        .line_terminator((!multiline).then_some(b'\n'))
        .build(&input.pattern)
        .map_err(|error| GrepError::Pattern {
            pattern: input.pattern.as_str().into(),
            why: error.to_string().lines().last().unwrap_or_default().into(),
        })
}

/// The matches in one file.
struct Matches {
    mode: GrepOutput,
    count: usize,
    lines: Vec<(u64, String)>,
    bytes: usize,
}

impl Matches {
    fn new(mode: GrepOutput) -> Self {
        Self {
            mode,
            count: 0,
            lines: Vec::new(),
            bytes: 0,
        }
    }

    fn take_lines(&mut self, found: &SinkMatch<'_>) {
        let first = found.line_number().unwrap_or(1);
        for (number, line) in (first..).zip(found.lines()) {
            let line = String::from_utf8_lossy(line);
            let line: String = line.trim_end().chars().take(LINE_CHARS_MAX).collect();
            self.bytes += line.len();
            self.lines.push((number, line));
        }
    }
}

impl Sink for Matches {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.count += 1;
        Ok(match self.mode {
            GrepOutput::FilesWithMatches => false,
            GrepOutput::Count => true,
            GrepOutput::Content => {
                self.take_lines(found);
                self.bytes <= TEXT_BYTES_MAX
            }
        })
    }
}

/// Whether more can be shown.
#[derive(PartialEq, Eq)]
enum Room {
    Left,
    None,
}

/// What the agent is given.
struct Results {
    mode: GrepOutput,
    text: String,
    cut: bool,
}

impl Results {
    fn new(mode: GrepOutput) -> Self {
        Self {
            mode,
            text: String::new(),
            cut: false,
        }
    }

    fn add(&mut self, path: &AbsPath, matches: &Matches) -> Room {
        match self.mode {
            GrepOutput::FilesWithMatches => self.line(format_args!("{path}")),
            GrepOutput::Count => self.line(format_args!("{path}:{}", matches.count)),
            GrepOutput::Content => {
                for (number, line) in &matches.lines {
                    self.line(format_args!("{path}:{number}:{line}"));
                }
            }
        }
        if self.cut { Room::None } else { Room::Left }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let before = self.text.len();
        // Writing into a String can't fail.
        let _ = writeln!(self.text, "{line}");
        if self.text.len() > TEXT_BYTES_MAX {
            self.text.truncate(before);
            self.cut = true;
        }
    }

    fn finish(mut self) -> String {
        if self.cut {
            self.text
                .push_str("(there is more; look with a narrower pattern, path or glob)\n");
        }
        if self.text.is_empty() {
            return "(nothing matches)".into();
        }
        self.text
    }
}
