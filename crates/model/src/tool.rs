//! Tools as agents see them: names, descriptions, input schemas; and names of agents by type.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::JsonText;

/// The canonical name of a tool (`Bash`, `Edit`, `mcp__github__get_issue`), never a label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(Arc<str>);

/// A text that cannot name a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no tool name: letters, digits, `_`, `-` and `.` only, at most 128 of them")]
pub struct ToolNameError(String);

/// The longest tool name, from the Messages API of the large model vendors.
const NAME_BYTES_MAX: usize = 128;

impl ToolName {
    /// Reads a tool's name.
    ///
    /// # Errors
    /// When it is empty, too long, or holds anything but letters, digits, `_`, `-`, `.`.
    pub fn parse(text: &str) -> Result<Self, ToolNameError> {
        let fits = (1..=NAME_BYTES_MAX).contains(&text.len());
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        if fits && text.bytes().all(plain) {
            Ok(Self(text.into()))
        } else {
            Err(ToolNameError(text.into()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The server part of an MCP tool's name: `github` of `mcp__github__get_issue`.
    #[must_use]
    pub fn mcp_server(&self) -> Option<&str> {
        self.0
            .strip_prefix("mcp__")?
            .split_once("__")
            .map(|(server, _)| server)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ToolName {
    type Error = ToolNameError;
    fn try_from(text: String) -> Result<Self, ToolNameError> {
        Self::parse(&text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.as_ref().into()
    }
}

/// How calls of a tool go together with others of the same batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolNature {
    /// Changes nothing: runs together with its neighbours.
    Reads,
    /// May change something: runs alone, in its place.
    Changes,
    /// Starts an agent, whose own calls are judged: runs together with its neighbours.
    Spawns,
}

impl ToolNature {
    /// Whether neighbours in a batch may run at the same time.
    #[must_use]
    pub fn runs_together(self) -> bool {
        match self {
            Self::Reads | Self::Spawns => true,
            Self::Changes => false,
        }
    }
}

/// What an agent is told of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does and how it is used, for the agent.
    pub description: Box<str>,
    /// The JSON schema of its input.
    pub input_schema: JsonText,
    /// How its calls go together.
    pub nature: ToolNature,
}

/// The type of an agent (`Explore`, `reviewer`): what `Agent(name)` rules and hooks see.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentName(Arc<str>);

impl AgentName {
    /// The agent type of that name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
