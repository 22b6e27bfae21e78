//! What is wrong with a text that is no rule, and with a rule that does not do what one would think.

use pointsman_model::RuleBehavior;

use super::{NeverWhy, ParsedRule, Specifier};
use crate::Severity;

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no rule: {what}", pointsman_model::visible(text))]
pub struct RuleError {
    text: Box<str>,
    what: Box<str>,
    column: u32,
    hint: Option<Box<str>>,
}

impl RuleError {
    pub(super) fn at(text: &str, what: &str, byte: usize, hint: Option<String>) -> Self {
        let before = text.get(..byte).unwrap_or(text).chars().count();
        Self {
            text: text.into(),
            what: what.into(),
            column: u32::try_from(before + 1).unwrap_or(u32::MAX),
            hint: hint.map(Into::into),
        }
    }

    /// Where in the text the fault is, in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.column
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// What is wrong with a rule that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// The fault of a rule that has that behavior, if it has one.
pub(super) fn of(rule: &ParsedRule, behavior: RuleBehavior) -> Option<RuleFault> {
    let allow = behavior == RuleBehavior::Allow;
    let severity = if allow {
        Severity::DroppedAllow
    } else {
        Severity::Warning
    };
    let fault = |message: String, hint: Option<String>| {
        Some(RuleFault {
            severity,
            message,
            hint,
        })
    };
    if allow && !rule.tool.may_allow() {
        return fault(
            format!(
                "`{rule}` allows nothing: a pattern for tools' names only allows behind `mcp__server__`"
            ),
            Some("name the tools one by one".into()),
        );
    }
    match &rule.specifier {
        Specifier::Param { field, .. } if allow => fault(
            format!("`{rule}` allows nothing: rules on the field `{field}` only deny or ask"),
            None,
        ),
        Specifier::Never(why) => never(rule, *why, fault),
        Specifier::Path { pattern, .. } if allow && pattern.up > 0 => fault(
            format!("`{rule}` allows nothing: an allow never reaches above its folder"),
            Some("write the path from the root, beginning with `//`".into()),
        ),
        Specifier::Whole
        | Specifier::Inside
        | Specifier::Command(_)
        | Specifier::Path { .. }
        | Specifier::Host(_)
        | Specifier::Name(_)
        | Specifier::Param { .. } => None,
    }
}

fn never(
    rule: &ParsedRule,
    why: NeverWhy,
    fault: impl Fn(String, Option<String>) -> Option<RuleFault>,
) -> Option<RuleFault> {
    let specifier = rule.specifier().unwrap_or_default().trim();
    match why {
        NeverWhy::PathOfOtherTool => fault(
            format!(
                "`{rule}` never matches: paths are governed by `Read(...)` and `Edit(...)` alone"
            ),
            Some(match rule.tool() {
                "Glob" | "Grep" | "LS" | "NotebookRead" => format!("write `Read({specifier})`"),
                _ => format!("write `Edit({specifier})`"),
            }),
        ),
        NeverWhy::PrimaryField => fault(
            format!("`{rule}` never matches: this field is what the tool's own rules are about"),
            Some(primary(rule.tool(), specifier)),
        ),
        NeverWhy::NoSuchHost => fault(
            format!("`{rule}` never matches: no host has such a name"),
            Some(match host_in(specifier.trim_start_matches("domain:")) {
                "" => "write `WebFetch(domain:HOST)`, or `WebFetch` for every host".into(),
                host => {
                    format!("write `WebFetch(domain:{host})`: a host without scheme, port and path")
                }
            }),
        ),
        NeverWhy::BareOnly => fault(
            format!("`{rule}` never matches: this tool's rules are its bare name or `field:value`"),
            Some(format!("write `{}`", rule.tool())),
        ),
        NeverWhy::NoSuchPath => fault(
            format!("`{rule}` never matches: no path has such a shape"),
            None,
        ),
        NeverWhy::NoDomain => fault(
            format!("`{rule}` never matches: hosts are named by `domain:`"),
            Some(format!(
                "write `{}(domain:{})`",
                rule.tool(),
                host_in(specifier)
            )),
        ),
    }
}

/// The rule that was meant by one on the field that the tool's own rules are about.
fn primary(tool: &str, specifier: &str) -> String {
    let value = specifier
        .split_once(':')
        .map_or("", |(_, value)| value)
        .trim();
    match tool {
        "WebFetch" => "write `WebFetch(domain:HOST)`".into(),
        "Bash" | "Monitor" | "PowerShell" => format!("write `{tool}({value})`"),
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => format!("write `Read({value})`"),
        _ => format!("write `Edit({value})`"),
    }
}

/// What looks like the host in a text that may be an address.
fn host_in(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', ':']).next().unwrap_or(rest).trim();
    host.trim_matches('.')
}
