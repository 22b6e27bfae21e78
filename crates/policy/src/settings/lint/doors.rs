//! Denies and asks that leave another door open.

use std::collections::HashSet;

use pointsman_model::{HostName, RuleBehavior};

use super::Read;
use crate::Problem;
use crate::rule::{HostPattern, Specifier};

/// What closes doors beside other rules.
pub(super) struct Doors {
    /// Behaviors and tools of rules for every path.
    everywhere: HashSet<(RuleBehavior, Box<str>)>,
    /// Behaviors and hosts of rules for all that lies below a host.
    below: HashSet<(RuleBehavior, HostName)>,
}

impl Doors {
    pub(super) fn new(rules: &[Read<'_>]) -> Self {
        let everywhere = rules
            .iter()
            .filter(|it| it.parsed.specifier().is_some_and(is_everywhere))
            .map(|it| (it.rule.behavior, it.parsed.tool().into()));
        let below = rules.iter().filter_map(|it| match &it.parsed.specifier {
            Specifier::Host(HostPattern::Below(host)) => Some((it.rule.behavior, host.clone())),
            _ => None,
        });
        Self {
            everywhere: everywhere.collect(),
            below: below.collect(),
        }
    }

    /// The problem of a deny or ask that what it forbids can easily go around.
    pub(super) fn beside(&self, read: &Read<'_>) -> Option<Problem> {
        beside(read, self)
    }
}

fn beside(read: &Read<'_>, doors: &Doors) -> Option<Problem> {
    let behavior = read.rule.behavior;
    let verb = match behavior {
        RuleBehavior::Ask => "asks for",
        _ => "refuses",
    };
    let whole = read.parsed.is_whole_tool();
    let governed = |tool: &str| doors.everywhere.contains(&(behavior, tool.into()));
    match read.parsed.tool() {
        tool @ ("Write" | "Edit" | "NotebookEdit" | "MultiEdit") if whole && !governed("Edit") => {
            Some(read.problem(
                format!("`{behavior} {tool}` {verb} the tool `{tool}` alone; other tools and the shell still write files"),
                "write `Edit(//**)` for every change of a file, by whatever tool",
            ))
        }
        "Read" if whole && !governed("Read") => Some(read.problem(
            format!("`{behavior} Read` {verb} the tool `Read` alone; other tools and the shell still read files"),
            "write `Read(//**)` for every reading of a file, by whatever tool",
        )),
        "WebFetch" if whole => Some(read.problem(
            format!("`{behavior} WebFetch` {verb} the tool `WebFetch` alone; `curl` and its like still reach the network"),
            "add rules as `Bash(curl *)`, or run commands in a sandbox",
        )),
        "WebFetch" => sub_domains(read, doors, verb),
        "Bash" => command(read, verb),
        _ => None,
    }
}

/// Whether a path pattern is for every path.
fn is_everywhere(specifier: &str) -> bool {
    matches!(specifier.trim(), "//**" | "//*" | "*")
}

/// A rule for a host that leaves the hosts below it open.
fn sub_domains(read: &Read<'_>, doors: &Doors, verb: &str) -> Option<Problem> {
    let Specifier::Host(HostPattern::Exact(host)) = &read.parsed.specifier else {
        return None;
    };
    let below = (read.rule.behavior, host.clone());
    (!doors.below.contains(&below)).then(|| {
        let host = host.as_str();
        read.problem(
            format!(
                "`{}` {verb} `{host}` alone, not the hosts below it",
                read.rule.text
            ),
            format!("add `WebFetch(domain:*.{host})`"),
        )
    })
}

/// A command rule without a star at its end is for one spelling without further arguments.
fn command(read: &Read<'_>, verb: &str) -> Option<Problem> {
    let Specifier::Command(pattern) = &read.parsed.specifier else {
        return None;
    };
    let specifier = read.parsed.specifier().unwrap_or_default().trim();
    let ends_open = specifier.ends_with('*');
    if ends_open {
        return None;
    }
    let message = if pattern.is_exact() {
        format!(
            "`{}` {verb} exactly this command, not the same with further arguments",
            read.rule.text
        )
    } else {
        format!(
            "`{}` {verb} commands that end so, not those that go on",
            read.rule.text
        )
    };
    Some(read.problem(
        message,
        format!("write `Bash({specifier} *)` unless that is meant"),
    ))
}
