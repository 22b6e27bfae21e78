//! The form of a call that the transcript keeps: absolute paths, defaults left out.

use pointsman_model::{ExecutedCall, JsonText, JsonTextError, RecordedCall, ToolInput};
use pointsman_policy::resolve_path;
use pointsman_shell::Surroundings;

/// Tidies a call. Falls back to the input as it is.
pub(super) fn recorded(call: &ExecutedCall, at: &Surroundings) -> RecordedCall {
    let mut input = call.input.clone();
    match &mut input {
        ToolInput::Bash(bash) => {
            bash.run_in_background = bash.run_in_background.filter(|background| *background);
        }
        ToolInput::Read(read) => {
            read.file_path = absolute(&read.file_path, at);
            read.offset = read.offset.filter(|offset| *offset != 1);
        }
        ToolInput::Write(write) => write.file_path = absolute(&write.file_path, at),
        ToolInput::Edit(edit) => {
            edit.file_path = absolute(&edit.file_path, at);
            edit.replace_all = edit.replace_all.filter(|all| *all);
        }
        ToolInput::Glob(glob) => glob.path = glob.path.as_deref().map(|path| absolute(path, at)),
        ToolInput::Grep(grep) => {
            grep.path = grep.path.as_deref().map(|path| absolute(path, at));
            grep.ignore_case = grep.ignore_case.filter(|ignore| *ignore);
            grep.multiline = grep.multiline.filter(|multiline| *multiline);
        }
        ToolInput::Spawn(spawn) => {
            spawn.run_in_background = spawn.run_in_background.filter(|background| *background);
        }
        ToolInput::Other(_) => {}
    }
    RecordedCall {
        id: call.id,
        tool: call.tool.clone(),
        input: text_of(&input).unwrap_or_else(|_| call.text.clone()),
    }
}

/// An input as the bytes that are shown and that the digest covers.
pub(super) fn text_of(input: &ToolInput) -> Result<JsonText, JsonTextError> {
    match input {
        ToolInput::Bash(input) => JsonText::of(input),
        ToolInput::Read(input) => JsonText::of(input),
        ToolInput::Write(input) => JsonText::of(input),
        ToolInput::Edit(input) => JsonText::of(input),
        ToolInput::Glob(input) => JsonText::of(input),
        ToolInput::Grep(input) => JsonText::of(input),
        ToolInput::Spawn(input) => JsonText::of(input),
        ToolInput::Other(input) => Ok(input.raw.clone()),
    }
}

fn absolute(path: &str, at: &Surroundings) -> String {
    resolve_path(path, at).map_or_else(|| path.into(), |path| path.as_str().into())
}
