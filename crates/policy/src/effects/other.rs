//! Tools whose input pointsman does not check itself: those of other agents, and MCP tools.

use pointsman_model::{EffectKind, Effects, JsonText, Opaque, OpaqueWhy, Reach, ToolName};
use pointsman_shell::Surroundings;
use serde_json::Value;

use super::{List, url};

/// Tools that only keep the agent's own books, or talk to a person: they do nothing that a rule speaks of.
const WITHOUT_EFFECT: &[&str] = &[
    "AskUserQuestion",
    "BashOutput",
    "CronList",
    "EndConversation",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListAgents",
    "StructuredOutput",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
];

/// Fields that hold a path, whatever their value looks like.
const PATH_FIELDS: &[&str] = &[
    "cwd",
    "dest",
    "destination",
    "dir",
    "directory",
    "file",
    "file_path",
    "filename",
    "filepath",
    "files",
    "folder",
    "from",
    "notebook_path",
    "path",
    "paths",
    "root",
    "source",
    "src",
    "target",
    "to",
    "uri",
];

/// Words in a tool's name that say it reads.
const READING_WORDS: &[&str] = &[
    "find", "get", "list", "read", "search", "show", "stat", "view",
];

/// So many texts of an input are looked at for paths and addresses; more of them are a question anyway.
const TEXTS_MAX: usize = 200;

/// The effects of such a call.
pub(super) fn effects(tool: &ToolName, raw: &JsonText, at: &Surroundings) -> Effects {
    let input: Value = serde_json::from_str(raw.as_str()).unwrap_or(Value::Null);
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let mut list = List::default();
    match tool.as_str() {
        "NotebookEdit" => list.change(text("notebook_path"), tool, at),
        "MultiEdit" | "Update" | "Edit" | "Write" => list.change(text("file_path"), tool, at),
        "Read" => list.look(text("file_path"), Reach::Itself, tool, at),
        "NotebookRead" => list.look(text("notebook_path"), Reach::Itself, tool, at),
        "LS" => list.look(text("path"), Reach::Itself, tool, at),
        "Monitor" => match text("command") {
            Some(command) => return pointsman_shell::analyse(command, at).effects,
            None => list.sure(opaque(OpaqueWhy::UnknownTool, tool.as_str())),
        },
        "WebFetch" => {
            let address = text("url").unwrap_or_default();
            list.hidden(address);
            list.sure(EffectKind::Connect(url::connection(address)));
        }
        "WebSearch" => list.sure(EffectKind::Connect(url::connection(
            text("query").unwrap_or_default(),
        ))),
        "Skill" | "SlashCommand" => {
            let name = text("skill").or(text("command")).unwrap_or_default();
            // A leading slash is how people type it.
            let name = name.trim_start();
            let name = name.strip_prefix('/').unwrap_or(name);
            let call = format!("{name} {}", text("args").unwrap_or_default());
            list.sure(opaque(OpaqueWhy::UnknownTool, call.trim()));
        }
        name if WITHOUT_EFFECT.contains(&name) => {}
        name => {
            list.sure(opaque(OpaqueWhy::UnknownTool, name));
            list.guesses(name, &input, at);
        }
    }
    list.done()
}

/// What can't be told.
pub(super) fn opaque(why: OpaqueWhy, text: &str) -> EffectKind {
    EffectKind::Opaque(Opaque {
        why,
        text: text.into(),
        span: None,
    })
}

impl List {
    fn change(&mut self, path: Option<&str>, tool: &ToolName, at: &Surroundings) {
        match path {
            Some(path) => self.write(path, at),
            None => self.sure(opaque(OpaqueWhy::UnknownTool, tool.as_str())),
        }
    }

    fn look(&mut self, path: Option<&str>, reach: Reach, tool: &ToolName, at: &Surroundings) {
        match path {
            Some(path) => self.read(path, reach, at),
            None => self.sure(opaque(OpaqueWhy::UnknownTool, tool.as_str())),
        }
    }

    /// What a tool that says nothing might read, change or talk to, by the look of its input. Deny and ask rules, and the
    /// guard of protected places, look at these; they never help to allow.
    fn guesses(&mut self, tool: &str, input: &Value, at: &Surroundings) {
        let mut texts = Vec::new();
        gather(input, PathField::No, &mut texts);
        let name = tool.rsplit("__").next().unwrap_or(tool).to_lowercase();
        let reads_alone = name
            .split(|char: char| !char.is_ascii_alphanumeric())
            .next()
            .is_some_and(|word| READING_WORDS.contains(&word));
        for (text, field) in texts {
            let bare = text.strip_prefix("file://").unwrap_or(text);
            let looks_like_path = bare.len() < text.len()
                || ["/", "~/", "./", "../"]
                    .iter()
                    .any(|start| bare.starts_with(start));
            if text.contains("://") && bare.len() == text.len() {
                self.might(EffectKind::Connect(url::connection(text)));
            } else if looks_like_path || field == PathField::Yes {
                self.might_read(bare, at);
                if !reads_alone {
                    self.might_write(bare, at);
                }
            }
        }
    }
}

/// Whether a text stands in a field that holds a path by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathField {
    Yes,
    No,
}

/// All texts of an input, with whether their field holds a path.
fn gather<'a>(value: &'a Value, field: PathField, out: &mut Vec<(&'a str, PathField)>) {
    if out.len() >= TEXTS_MAX {
        return;
    }
    match value {
        Value::String(text) if !text.is_empty() && !text.contains('\n') => out.push((text, field)),
        Value::Array(list) => list.iter().for_each(|inner| gather(inner, field, out)),
        Value::Object(map) => {
            for (key, inner) in map {
                let key = key.to_lowercase();
                let field = if PATH_FIELDS.contains(&&*key) {
                    PathField::Yes
                } else {
                    PathField::No
                };
                gather(inner, field, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
