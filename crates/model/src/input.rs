//! Inputs of the built-in tools, checked. A raw input becomes one of these in the tools crate's
//! validation, nowhere else.

use serde::{Deserialize, Serialize};

use crate::{JsonText, Millis};

/// The checked input of one call, by tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolInput {
    /// A command line.
    Bash(BashInput),
    /// A file to read.
    Read(ReadInput),
    /// A file to write whole.
    Write(WriteInput),
    /// A text in a file to replace.
    Edit(EditInput),
    /// Files to find by name.
    Glob(GlobInput),
    /// Lines to find by content.
    Grep(GrepInput),
    /// An agent to start (the tool is called `Agent`, with `Task` as its old name).
    Spawn(SpawnInput),
    /// The input of a tool that is none of pointsman's own: an MCP tool, a tool of another agent.
    Other(OtherInput),
}

/// Input of `Bash`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    /// The command line, for bash.
    pub command: String,
    /// The agent's own words on what it is for; evidence, never permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How long it may run, in milliseconds.
    #[serde(default, rename = "timeout", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<Millis>,
    /// Whether to go on without waiting for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_in_background: Option<bool>,
}

/// Input of `Read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    /// The file, absolute, from home (`~/`) or relative to the agent's folder.
    pub file_path: String,
    /// First line to give, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many lines to give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Input of `Write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteInput {
    /// The file, absolute, from home (`~/`) or relative to the agent's folder.
    pub file_path: String,
    /// All of the file's new content.
    pub content: String,
}

/// Input of `Edit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditInput {
    /// The file, absolute, from home (`~/`) or relative to the agent's folder.
    pub file_path: String,
    /// The text to replace, as it stands in the file.
    pub old_string: String,
    /// The text to put there.
    pub new_string: String,
    /// Replace each occurrence; without it there must be exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace_all: Option<bool>,
}

/// Input of `Glob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobInput {
    /// Names to find, like `src/**/*.rs`.
    pub pattern: String,
    /// The folder to look in; the agent's folder if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Input of `Grep`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrepInput {
    /// A regular expression.
    pub pattern: String,
    /// The file or folder to look in; the agent's folder if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files with names like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// What to give for each match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<GrepOutput>,
    /// Ignore case.
    #[serde(default, rename = "-i", skip_serializing_if = "Option::is_none")]
    pub ignore_case: Option<bool>,
    /// Let a match span lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiline: Option<bool>,
}

/// What a `Grep` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrepOutput {
    /// The matching lines, with file and line number.
    Content,
    /// The files that hold a match.
    FilesWithMatches,
    /// How many matches each file holds.
    Count,
}

/// Input of `Agent`, the tool that spawns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnInput {
    /// The task in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The task. For a scripted agent: the name of the script.
    pub prompt: String,
    /// Which kind of agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<String>,
    /// Whether the parent goes on at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_in_background: Option<bool>,
}

/// Input of a tool whose fields pointsman does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherInput {
    /// The input as it came.
    pub raw: JsonText,
}
