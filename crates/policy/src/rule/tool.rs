//! Which tools a rule names.

use pointsman_model::ToolName;

use crate::wild::Wild;

/// Tools that take no rule of theirs as unknown: pointsman's own, and those of the agents whose settings are read.
const KNOWN: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Cd",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// The names of tools that rules are known to be written for.
#[must_use]
pub fn known_tools() -> &'static [&'static str] {
    KNOWN
}

/// The one name of a tool that has two.
pub(crate) fn canonical_tool(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        other => other,
    }
}

/// The tools that a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolPattern {
    /// The tool of that canonical name.
    Exact(Box<str>),
    /// Every tool of that MCP server.
    Server(Box<str>),
    /// Every tool whose name matches.
    Glob(Wild),
}

impl ToolPattern {
    pub(super) fn new(name: &str) -> Self {
        let server = name
            .strip_prefix("mcp__")
            .map(|rest| rest.strip_suffix("__*").unwrap_or(rest));
        match server {
            Some(server)
                if !server.is_empty() && !server.contains("__") && !server.contains('*') =>
            {
                Self::Server(server.into())
            }
            _ if name.contains('*') => Self::Glob(Wild::starred(name)),
            _ => Self::Exact(canonical_tool(name).into()),
        }
    }

    /// Whether the rule is for this tool.
    pub(crate) fn matches(&self, tool: &ToolName) -> bool {
        match self {
            Self::Exact(name) => **name == *canonical_tool(tool.as_str()),
            Self::Server(server) => tool.mcp_server() == Some(server),
            Self::Glob(wild) => {
                wild.matches(tool.as_str().as_bytes())
                    || wild.matches(canonical_tool(tool.as_str()).as_bytes())
            }
        }
    }

    /// Whether an allow may be written so: only names, servers, and patterns behind a literal server.
    pub(crate) fn may_allow(&self) -> bool {
        match self {
            Self::Exact(_) | Self::Server(_) => true,
            Self::Glob(wild) => {
                let start = String::from_utf8_lossy(wild.literal_start()).into_owned();
                start.strip_prefix("mcp__").is_some_and(|rest| {
                    rest.split_once("__")
                        .is_some_and(|(server, _)| !server.is_empty())
                })
            }
        }
    }
}

/// What may stand in a tool's name in a rule.
pub(super) fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '*')
}
