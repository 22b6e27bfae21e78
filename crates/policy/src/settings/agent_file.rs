//! Agent files: `.claude/agents/*.md`, the definition of a kind of sub-agent in the lines between
//! two `---` and its instructions below them.
//!
//! A file in which anything that limits the agent can't be read defines nothing, and says so: an
//! agent that is missing does no harm, one without its limits might.

mod frontmatter;

use pointsman_model::{
    AbsPath, AgentName, FilePlace, PermissionMode, PermissionRule, RuleBehavior, RuleSource,
    RuleText, ToolName, WhoSetMode,
};
use serde::Serialize;

use self::frontmatter::{Field, Value, fields};
use super::document::Source;
use super::{keys, lint};
use crate::rule::ParsedRule;
use crate::{Problem, Severity, parse_rule};

/// One kind of sub-agent, as a file defines it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentFile {
    /// What it is spawned by.
    pub name: AgentName,
    /// When to use it.
    pub description: String,
    /// The tools it is limited to; nothing for all that its parent may pass on.
    pub tools: Option<Vec<RuleText>>,
    /// The tools it is not offered, and, where they have a specifier, the calls it is refused.
    pub disallowed_tools: Vec<RuleText>,
    /// The model it asks for.
    pub model: Option<String>,
    /// The mode it asks for.
    pub mode: Option<PermissionMode>,
    /// On whose word it asks for that: a person's only where the file is theirs or trusted.
    pub who_set_mode: WhoSetMode,
    /// Its instructions.
    pub prompt: String,
    /// Whose file it is.
    pub source: RuleSource,
    /// Where it begins.
    pub place: FilePlace,
    /// Where its mode stands.
    pub mode_place: Option<FilePlace>,
}

/// Keys that mean something here.
const READ: &[&str] = &[
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "permissionMode",
];

/// Keys of Claude Code that mean nothing here.
const OTHER: &[&str] = &[
    "mcpServers",
    "skills",
    "memory",
    "background",
    "effort",
    "initialPrompt",
    "color",
];

/// Keys of Claude Code that limit an agent, and that mean nothing here, each with what to do about it.
const LIMITS_ELSEWHERE: &[(&str, &str)] = &[
    (
        "hooks",
        "write the hooks into a settings file, where they are asked for every agent",
    ),
    (
        "maxTurns",
        "take it out; what an agent may spend is limited by the job file",
    ),
    (
        "isolation",
        "take it out; the agent works in the folder of the one that starts it",
    ),
];

impl AgentFile {
    /// Reads an agent file. Nothing, and at least one problem, when it defines no agent.
    #[must_use]
    pub fn read(path: &AbsPath, text: &str, source: RuleSource) -> (Option<Self>, Vec<Problem>) {
        let file = Source::new(path.as_str(), text);
        let mut reader = AgentReader {
            file: &file,
            problems: Vec::new(),
            broken: false,
        };
        let agent = reader.agent(source);
        (agent, reader.problems)
    }

    /// The tools it is offered of those that its parent may pass on: without the disallowed ones,
    /// and of the rest those it is limited to. An empty answer means that it can't be spawned.
    #[must_use]
    pub fn offered(&self, pool: &[ToolName]) -> Vec<ToolName> {
        let taken = |rules: &[RuleText], tool: &ToolName| {
            rules.iter().any(|rule| names(rule.as_str(), tool.as_str()))
        };
        pool.iter()
            .filter(|tool| {
                let bare = self.disallowed_tools.iter().filter(|rule| is_bare(rule));
                !bare
                    .into_iter()
                    .any(|rule| names(rule.as_str(), tool.as_str()))
            })
            .filter(|tool| self.tools.as_ref().is_none_or(|tools| taken(tools, tool)))
            .cloned()
            .collect()
    }

    /// The disallowed entries with a specifier: deny rules for this agent alone.
    pub fn denies(&self) -> impl Iterator<Item = &RuleText> {
        self.disallowed_tools.iter().filter(|rule| !is_bare(rule))
    }
}

fn is_bare(rule: &RuleText) -> bool {
    !rule.as_str().contains('(')
}

/// Whether a tool entry names a tool: by its name, by its server, or by a pattern with `*`.
fn names(entry: &str, tool: &str) -> bool {
    let name = entry.split('(').next().unwrap_or(entry).trim();
    let name = if name == "Task" { "Agent" } else { name };
    if let Some((front, back)) = name.split_once('*') {
        return tool.len() >= front.len() + back.len()
            && tool.starts_with(front)
            && tool.ends_with(back);
    }
    let of_server = || {
        tool.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with("__"))
    };
    name == tool || (name.starts_with("mcp__") && of_server())
}

struct AgentReader<'a> {
    file: &'a Source,
    problems: Vec<Problem>,
    broken: bool,
}

impl AgentReader<'_> {
    fn agent(&mut self, source: RuleSource) -> Option<AgentFile> {
        let (fields, prompt) = match fields(&self.file.text) {
            Ok(read) => read,
            Err(error) => {
                self.broken(
                    error.at,
                    error.what,
                    "this file defines no agent until it is mended",
                );
                return None;
            }
        };
        let mut agent = AgentFile {
            name: AgentName::new(""),
            description: String::new(),
            tools: None,
            disallowed_tools: Vec::new(),
            model: None,
            mode: None,
            who_set_mode: match source {
                RuleSource::ProjectSettings => WhoSetMode::Agent,
                _ => WhoSetMode::Person,
            },
            prompt: prompt.trim().to_owned(),
            source,
            place: self.file.place(0),
            mode_place: None,
        };
        for field in &fields {
            self.field(field, &mut agent);
        }
        if agent.name.as_str().is_empty() && !self.broken {
            self.broken(
                0,
                "this agent has no `name`".into(),
                "write `name: ...` between the two `---`",
            );
        }
        (!self.broken).then_some(agent)
    }

    fn field(&mut self, field: &Field, agent: &mut AgentFile) {
        match (&*field.key, &field.value) {
            ("name", Value::Text(name)) if is_agent_name(name) => agent.name = AgentName::new(name),
            ("name", _) => self.broken(
                field.value_at,
                "this can't name an agent".into(),
                "a name has letters, digits, `-`, `_`, `:` and `.`",
            ),
            ("description", Value::Text(text)) => agent.description.clone_from(text),
            ("model", Value::Text(text)) => agent.model = Some(text.clone()),
            ("tools", value) => {
                agent.tools = self.tools(field, value);
                let tools = agent.tools.as_deref().unwrap_or_default();
                self.unknown_tools(field, tools, lint::unknown_tool);
            }
            ("disallowedTools", value) => {
                agent.disallowed_tools = self.tools(field, value).unwrap_or_default();
                self.unknown_tools(field, &agent.disallowed_tools, lint::never_matches);
            }
            ("permissionMode", Value::Text(text)) => {
                agent.mode_place = Some(self.file.place(field.value_at));
                match text.parse() {
                    Ok(mode) => agent.mode = Some(mode),
                    Err(_) => {
                        let names = PermissionMode::ALL.map(PermissionMode::as_str);
                        let near = keys::nearest(text, &names).unwrap_or("default");
                        let hint = format!(
                            "did you mean `{near}`? this file defines no agent until it is mended"
                        );
                        self.broken(
                            field.value_at,
                            format!("`{text}` is no permission mode"),
                            &hint,
                        );
                    }
                }
            }
            (key, _) if OTHER.contains(&key) => {}
            (key, Value::Nothing) if limit_elsewhere(key).is_some() => {}
            (key, _) if limit_elsewhere(key).is_some() => self.limit_elsewhere(field),
            (key, _) if READ.contains(&key) => {
                self.broken(
                    field.value_at,
                    format!("`{key}` is a text of one line"),
                    "this file defines no agent until it is mended",
                );
            }
            (key, _) => {
                let limits = LIMITS_ELSEWHERE.iter().map(|(limit, _)| limit);
                let known = READ.iter().chain(OTHER).chain(limits);
                let hint = keys::nearest(key, known).map(|near| format!("did you mean `{near}`?"));
                // What a misspelt limit was to limit is not known.
                if hint
                    .as_deref()
                    .is_some_and(|hint| hint.contains("ools`") || hint.contains("Mode`"))
                {
                    self.broken = true;
                }
                self.problem(field.key_at, format!("unknown key `{key}`"), hint);
            }
        }
    }

    /// A list of tools; an empty one is none at all.
    fn tools(&mut self, field: &Field, value: &Value) -> Option<Vec<RuleText>> {
        let entries: Vec<String> = match value {
            Value::Text(text) => outside_parentheses(text),
            Value::List(entries) => entries.clone(),
            Value::Nothing => Vec::new(),
            Value::Nested => {
                self.broken(
                    field.value_at,
                    format!("`{}` is a list of tools", field.key),
                    "write `Read, Grep` or one `- Read` a line",
                );
                return None;
            }
        };
        let mut rules = Vec::new();
        for entry in entries {
            match parse_rule(&entry) {
                Ok(_) => rules.push(RuleText::new(&entry)),
                Err(error) => self.broken(
                    field.value_at,
                    error.to_string(),
                    "this file defines no agent until it is mended",
                ),
            }
        }
        Some(rules)
    }

    /// A limit that people count on and that nobody keeps here.
    fn limit_elsewhere(&mut self, field: &Field) {
        if let Some((key, hint)) = limit_elsewhere(&field.key) {
            self.problems.push(Problem {
                severity: Severity::StopsUnattended,
                place: Some(self.file.place(field.key_at)),
                message: format!("`{key}` limits this agent, and has no effect here"),
                hint: Some((*hint).to_owned()),
            });
        }
    }

    /// Tells of entries that name no tool; what is near may have been meant.
    fn unknown_tools(
        &mut self,
        field: &Field,
        entries: &[RuleText],
        fault: fn(&PermissionRule, &ParsedRule) -> Option<Problem>,
    ) {
        for text in entries {
            let Ok(parsed) = parse_rule(text.as_str()) else {
                continue;
            };
            let rule = PermissionRule {
                behavior: RuleBehavior::Deny,
                text: text.clone(),
                source: RuleSource::UserSettings,
                place: Some(self.file.place(field.value_at)),
                anchor: AbsPath::root(),
            };
            if let Some(problem) = fault(&rule, &parsed) {
                self.problem(field.value_at, problem.message, problem.hint);
            }
        }
    }

    fn broken(&mut self, at: usize, message: String, hint: &str) {
        self.broken = true;
        self.problem(at, message, Some(hint.to_owned()));
    }

    fn problem(&mut self, at: usize, message: String, hint: Option<String>) {
        self.problems.push(Problem {
            severity: Severity::Warning,
            place: Some(self.file.place(at)),
            message,
            hint,
        });
    }
}

fn limit_elsewhere(key: &str) -> Option<&'static (&'static str, &'static str)> {
    LIMITS_ELSEWHERE.iter().find(|(limit, _)| *limit == key)
}

fn is_agent_name(name: &str) -> bool {
    let plain = |char: char| char.is_alphanumeric() || "-_:.".contains(char);
    !name.is_empty() && name.chars().all(plain)
}

/// The entries between commas, those in parentheses apart: `Agent(a, b), Read` has two.
fn outside_parentheses(text: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let mut entries = vec![String::new()];
    for char in text.chars() {
        match char {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                entries.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(entry) = entries.last_mut() {
            entry.push(char);
        }
    }
    let entries = entries.into_iter().map(|entry| entry.trim().to_owned());
    entries.filter(|entry| !entry.is_empty()).collect()
}

#[cfg(test)]
mod tests;
