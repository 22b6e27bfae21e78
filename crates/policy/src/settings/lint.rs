//! What settings say without meaning it: rules that never match, rules in another's shadow, allows
//! that come to everything, denies beside an open door.
//!
//! [`at_load`] is what law 7 wants told whenever settings are read; [`lint`] is the rest, for people
//! who ask.

mod coverage;
mod doors;
mod reach;

use pointsman_model::{PermissionRule, RuleBehavior};

use super::hooks::HookMatcher;
use super::keys;
use super::loaded::Loaded;
use crate::rule::{ToolPattern, known_tools};
use crate::{ParsedRule, Problem, Severity, parse_rule};

/// A rule with what it was read as.
struct Read<'r> {
    rule: &'r PermissionRule,
    parsed: ParsedRule,
}

impl Read<'_> {
    fn problem(&self, message: String, hint: impl Into<String>) -> Problem {
        warning(self.rule, message, hint)
    }
}

fn read<'r>(rules: impl Iterator<Item = &'r PermissionRule>) -> Vec<Read<'r>> {
    let parsed = |rule| {
        Some(Read {
            rule,
            parsed: parse_rule(rule.text.as_str()).ok()?,
        })
    };
    rules.filter_map(parsed).collect()
}

/// What is told of a rule at every loading: that it can never match, that nobody knows its tool, that
/// it is read in another way than it looks.
pub(super) fn at_load(rule: &PermissionRule, parsed: &ParsedRule) -> Option<Problem> {
    never_matches(rule, parsed).or_else(|| looks_otherwise(rule, parsed))
}

/// A rule that matches no call: nobody knows its tool, or what it says of it can't be.
pub(super) fn never_matches(rule: &PermissionRule, parsed: &ParsedRule) -> Option<Problem> {
    let fault = || {
        let fault = parsed.fault(rule.behavior)?;
        Some(Problem {
            severity: fault.severity,
            place: rule.place.clone(),
            message: fault.message,
            hint: fault.hint,
        })
    };
    unknown_tool(rule, parsed).or_else(fault)
}

/// A warning about a rule.
fn warning(rule: &PermissionRule, message: String, hint: impl Into<String>) -> Problem {
    Problem {
        severity: Severity::Warning,
        place: rule.place.clone(),
        message,
        hint: Some(hint.into()),
    }
}

/// All that [`super::load`] doesn't tell by itself, in the order of the rules.
#[must_use]
pub fn lint(loaded: &Loaded) -> Vec<Problem> {
    let made = stand_in(loaded);
    let rules = read(loaded.rules.iter().filter(|rule| Some(*rule) != made));
    let shadows = coverage::Shadows::new(&rules);
    let doors = doors::Doors::new(&rules);
    let mut problems = Vec::new();
    for (index, read) in rules.iter().enumerate() {
        if read.parsed.fault(read.rule.behavior).is_some() {
            continue;
        }
        if let Some(shadow) = shadows.over(read, index) {
            problems.push(shadow);
            continue;
        }
        match read.rule.behavior {
            RuleBehavior::Allow => problems.extend(reach::of_allow(read)),
            RuleBehavior::Ask | RuleBehavior::Deny => problems.extend(doors.beside(read)),
        }
    }
    problems.extend(reach::of_directories(loaded));
    problems.extend(hooks(loaded));
    problems
}

/// The ask rule for everything that loading made because something can't be read: nobody wrote it,
/// and that it shadows all others goes without saying.
fn stand_in(loaded: &Loaded) -> Option<&PermissionRule> {
    let stops = |problem: &&Problem| problem.severity == Severity::StopsUnattended;
    let cause = loaded.problems.iter().find(stops)?;
    loaded.rules.iter().find(|rule| {
        rule.behavior == RuleBehavior::Ask && rule.text.as_str() == "*" && rule.place == cause.place
    })
}

/// A deny or ask for a tool that nobody knows forbids nothing. Names with `_` or `*` are of servers,
/// or patterns; which of them exist is not known here.
pub(super) fn unknown_tool(rule: &PermissionRule, parsed: &ParsedRule) -> Option<Problem> {
    let ToolPattern::Exact(name) = &parsed.tool else {
        return None;
    };
    if name.contains('_') || known_tools().contains(&&**name) {
        return None;
    }
    let near = keys::nearest(name, known_tools());
    let hint = near.map_or_else(
        || "the rule has no effect unless a tool of that name exists".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Some(warning(rule, format!("no tool is named `{name}`"), hint))
}

/// Folders of the root that a path with one slash in front is likely meant to begin at.
const ROOT_FOLDERS: &[&str] = &[
    "bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "private", "proc", "root", "run",
    "sbin", "srv", "sys", "tmp", "usr", "var", "Users", "Volumes",
];

fn looks_otherwise(rule: &PermissionRule, parsed: &ParsedRule) -> Option<Problem> {
    let specifier = parsed.specifier()?.trim();
    let tool = parsed.tool();
    if matches!(tool, "Read" | "Edit") {
        if let Some((what, hint)) = spelled_for_others(tool, specifier) {
            return Some(warning(rule, format!("`{}` {what}", rule.text), hint));
        }
        let rest = specifier.strip_prefix('/')?;
        let first = rest.split('/').next().unwrap_or_default();
        return ROOT_FOLDERS.contains(&first).then(|| {
            let folder = &rule.anchor;
            warning(
                rule,
                format!(
                    "`{}` means `{first}` in `{folder}`, not in the root",
                    rule.text
                ),
                format!("write `{tool}(/{specifier})` for a path from the root"),
            )
        });
    }
    let middle = specifier
        .strip_suffix(":*")
        .unwrap_or(specifier)
        .contains(":*");
    (matches!(tool, "Bash" | "Monitor") && middle).then(|| {
        let message = format!("`:*` in the middle of `{}` stands for itself", rule.text);
        warning(rule, message, ONLY_AT_THE_END)
    })
}

/// What a path means that is spelled for a shell or another system, and what to write.
fn spelled_for_others(tool: &str, specifier: &str) -> Option<(&'static str, String)> {
    let quoted = |quote: char| specifier.starts_with(quote) && specifier.ends_with(quote);
    let first = specifier.split('/').next().unwrap_or_default();
    let drive = specifier.as_bytes().first_chunk::<3>();
    if specifier.len() > 1 && (quoted('"') || quoted('\'')) {
        let bare = specifier.trim_matches(['"', '\'']);
        Some((
            "means names with quotes in them",
            format!("write `{tool}({bare})`"),
        ))
    } else if first.len() > 1 && first.starts_with('~') {
        let hint = "write the path from the root, beginning with `//`";
        Some((
            "means a folder of that name here, not somebody's home",
            hint.into(),
        ))
    } else if first.starts_with('$') && !matches!(first, "$HOME" | "${HOME}") {
        let hint = "write the path out; `~` and `$HOME` alone are known";
        Some((
            "means a folder of that name: no variable is looked up",
            hint.into(),
        ))
    } else if matches!(drive, Some([b'a'..=b'z' | b'A'..=b'Z', b':', b'\\'])) {
        let hint = "write paths with `/`; a `\\` makes the sign behind it stand for itself";
        Some(("means no path of a drive", hint.into()))
    } else {
        None
    }
}

/// What to write instead of a `:*` that stands for itself.
const ONLY_AT_THE_END: &str =
    "`:*` means \"and anything after it\" at the end alone; write ` *` where anything may stand";

/// Names in matchers that no tool has: such a hook is never asked.
fn hooks(loaded: &Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    for hook in loaded
        .hooks
        .hooks
        .iter()
        .filter(|hook| hook.event.is_of_a_call())
    {
        let HookMatcher::Names(names) = &hook.matcher else {
            continue;
        };
        for name in names
            .iter()
            .filter(|name| !known_tools().contains(&&***name))
        {
            let is_server = name
                .strip_prefix("mcp__")
                .is_some_and(|rest| !rest.contains("__"));
            let hint = if is_server {
                format!("write `{name}__.*` for every tool of the server")
            } else if name.contains('_') {
                continue;
            } else {
                keys::nearest(name, known_tools()).map_or_else(
                    || "the hook is asked when a tool of exactly that name is used".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                )
            };
            problems.push(Problem {
                severity: Severity::Warning,
                place: Some(hook.place.clone()),
                message: format!(
                    "the matcher of this hook names `{name}`, and no tool is named so"
                ),
                hint: Some(hint),
            });
        }
    }
    problems
}
