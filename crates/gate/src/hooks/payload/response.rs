//! `tool_response`: what a tool gave, in the shape that hooks know it of each tool.

use pointsman_model::ToolInput;
use serde::Serialize;

/// What a tool gave.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ToolResponse<'a> {
    #[serde(rename_all = "camelCase")]
    Streams {
        stdout: &'a str,
        /// A command's two outputs are one text here.
        stderr: &'static str,
        interrupted: bool,
        is_image: bool,
    },
    #[serde(rename_all = "camelCase")]
    Changed {
        file_path: &'a str,
        success: bool,
    },
    Read {
        #[serde(rename = "type")]
        kind: &'static str,
        file: FileRead<'a>,
    },
    Text(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRead<'a> {
    file_path: &'a str,
    content: &'a str,
}

/// What a tool gave, for hooks.
pub(super) fn response<'a>(input: &'a ToolInput, text: &'a str) -> ToolResponse<'a> {
    match input {
        ToolInput::Bash(_) => ToolResponse::Streams {
            stdout: text,
            stderr: "",
            interrupted: false,
            is_image: false,
        },
        ToolInput::Write(input) => changed(&input.file_path),
        ToolInput::Edit(input) => changed(&input.file_path),
        ToolInput::Read(input) => ToolResponse::Read {
            kind: "text",
            file: FileRead {
                file_path: &input.file_path,
                content: text,
            },
        },
        ToolInput::Glob(_) | ToolInput::Grep(_) | ToolInput::Spawn(_) | ToolInput::Other(_) => {
            ToolResponse::Text(text)
        }
    }
}

fn changed(file_path: &str) -> ToolResponse<'_> {
    ToolResponse::Changed {
        file_path,
        success: true,
    }
}
