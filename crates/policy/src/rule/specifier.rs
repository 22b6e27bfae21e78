//! What stands in a rule's parentheses, by the tool in front of them.

use super::{CommandPattern, HostPattern, PathAccess, PathPattern};
use crate::wild::Wild;

/// What a rule says of the calls it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Specifier {
    /// Every call.
    Whole,
    /// `Tool(*)` of a tool that works on files: every call in a deny or ask; in an allow, what it does inside the
    /// directories.
    Inside,
    /// Calls that run such a command.
    Command(CommandPattern),
    /// Calls that use such a path.
    Path {
        /// How.
        access: PathAccess,
        /// Which.
        pattern: PathPattern,
    },
    /// Calls that talk to such a host.
    Host(HostPattern),
    /// Calls whose name (of an agent type, of a skill) is such.
    Name(CommandPattern),
    /// Calls with such a value in a field of their input.
    Param {
        /// The field.
        field: Box<str>,
        /// The value.
        value: Wild,
    },
    /// Nothing.
    Never(NeverWhy),
}

/// Why a rule never matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NeverWhy {
    /// Paths are governed by `Read` and `Edit` alone.
    PathOfOtherTool,
    /// The field is what the tool's own rules speak of.
    PrimaryField,
    /// The tool takes a bare name only.
    BareOnly,
    /// No path has such a shape.
    NoSuchPath,
    /// `WebFetch` takes `domain:host`.
    NoDomain,
    /// No host has such a name.
    NoSuchHost,
}

/// Reads a specifier that is not empty.
pub(super) fn read(tool: &str, text: &str) -> Result<Specifier, &'static str> {
    let param = |fields: &[&str]| param(text, |field| fields.contains(&field));
    if param(primary(tool)).is_some() {
        return Ok(Specifier::Never(NeverWhy::PrimaryField));
    }
    Ok(match tool {
        "Bash" | "Monitor" => match param(&["run_in_background", "dangerouslyDisableSandbox"]) {
            Some(param) => param,
            None => {
                let pattern = CommandPattern::read(text)?;
                if pattern.is_everything() {
                    Specifier::Whole
                } else {
                    Specifier::Command(pattern)
                }
            }
        },
        "Read" | "Edit" if text == "*" => Specifier::Inside,
        "Read" => {
            param(&["offset", "limit", "pages"]).unwrap_or_else(|| path(PathAccess::Read, text))
        }
        "Edit" => param(&["replace_all"]).unwrap_or_else(|| path(PathAccess::Edit, text)),
        "Write" | "NotebookEdit" | "MultiEdit" | "Glob" | "Grep" | "LS" | "NotebookRead"
            if text == "*" =>
        {
            Specifier::Inside
        }
        "Write" | "NotebookEdit" | "MultiEdit" | "Update" | "Glob" | "Grep" | "LS"
        | "NotebookRead" => {
            match param(&["edit_mode", "cell_type", "output_mode", "multiline", "-i"]) {
                Some(param) => param,
                None => Specifier::Never(NeverWhy::PathOfOtherTool),
            }
        }
        "WebFetch" => match text.split_once(':').map(|(key, rest)| (key.trim(), rest)) {
            _ if text == "*" => Specifier::Whole,
            Some(("domain", host)) => match HostPattern::read(host) {
                Some(HostPattern::Any) => Specifier::Whole,
                Some(host) => Specifier::Host(host),
                None => Specifier::Never(NeverWhy::NoSuchHost),
            },
            _ => param(&["prompt"]).unwrap_or(Specifier::Never(NeverWhy::NoDomain)),
        },
        "Agent" | "Task" if text == "*" => Specifier::Whole,
        "Agent" | "Task" => match param(AGENT_FIELDS) {
            Some(param) => param,
            None => Specifier::Name(CommandPattern::read(text)?),
        },
        "Skill" | "SlashCommand" if text == "*" => Specifier::Whole,
        "Skill" | "SlashCommand" => {
            // A leading slash is how people type it.
            let name = text.strip_prefix('/').unwrap_or(text);
            Specifier::Name(CommandPattern::read(name)?)
        }
        _ if text == "*" => Specifier::Whole,
        _ => self::param(text, |_| true).unwrap_or(Specifier::Never(NeverWhy::BareOnly)),
    })
}

/// Fields of a tool's input that its own rules are about.
fn primary(tool: &str) -> &'static [&'static str] {
    match tool {
        "Bash" | "Monitor" | "PowerShell" => &["command"],
        "Read" | "Edit" | "Write" | "MultiEdit" | "Update" => &["file_path"],
        "Grep" | "Glob" | "LS" => &["path"],
        "NotebookEdit" | "NotebookRead" => &["notebook_path"],
        "WebFetch" => &["url"],
        _ => &[],
    }
}

/// Fields of an agent's start; a type may hold a colon itself (`plugin:reviewer`), so no other name counts.
const AGENT_FIELDS: &[&str] = &[
    "description",
    "isolation",
    "max_turns",
    "mode",
    "model",
    "name",
    "prompt",
    "resume",
    "run_in_background",
    "subagent_type",
    "team_name",
];

fn path(access: PathAccess, text: &str) -> Specifier {
    match PathPattern::read(text) {
        Some(pattern) => Specifier::Path { access, pattern },
        None => Specifier::Never(NeverWhy::NoSuchPath),
    }
}

/// `field:value`, when the field is one that counts.
fn param(text: &str, counts: impl Fn(&str) -> bool) -> Option<Specifier> {
    let (field, value) = text.split_once(':')?;
    let field = field.trim();
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if field.is_empty() || !field.chars().all(plain) || !counts(field) {
        return None;
    }
    Some(Specifier::Param {
        field: field.into(),
        value: Wild::starred(value.trim()),
    })
}
