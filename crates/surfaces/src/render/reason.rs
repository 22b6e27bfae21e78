//! Reasons and covers as sentences.

use pointsman_model::{Cover, DecisionReason, Matched, OpaqueWhy};

use crate::shown;

/// The name of a reason's kind: what records and `--json` call it, and what its page is called.
#[must_use]
pub fn reason_kind(reason: &DecisionReason) -> &'static str {
    match reason {
        DecisionReason::Rule { .. } => "rule",
        DecisionReason::RuleMayMatch { .. } => "ruleMayMatch",
        DecisionReason::Covered { .. } => "covered",
        DecisionReason::Mode { .. } => "mode",
        DecisionReason::ProtectedPath { .. } => "protectedPath",
        DecisionReason::CriticalRemoval { .. } => "criticalRemoval",
        DecisionReason::NeedsPerson => "needsPerson",
        DecisionReason::OutsideDirectories { .. } => "outsideDirectories",
        DecisionReason::Opaque { .. } => "opaque",
        DecisionReason::Hook { .. } => "hook",
        DecisionReason::Classifier { .. } => "classifier",
        DecisionReason::NothingDecided { .. } => "nothingDecided",
        DecisionReason::DontAsk { .. } => "dontAsk",
        DecisionReason::NobodyCanAnswer { .. } => "nobodyCanAnswer",
    }
}

/// A reason as one line.
#[must_use]
pub fn reason_line(reason: &DecisionReason) -> String {
    match reason {
        DecisionReason::Rule { rule, matched } => {
            format!("{} matches {}", rule_name(rule), part(matched))
        }
        DecisionReason::RuleMayMatch { rule, matched } => format!(
            "{} may match: {} is known only when it runs",
            rule_name(rule),
            part(matched)
        ),
        DecisionReason::Covered { by } => {
            let covers: Vec<String> = by.iter().map(cover_line).collect();
            format!("all of it is covered: {}", covers.join("; "))
        }
        DecisionReason::Mode { mode } => format!("mode {mode} decides"),
        DecisionReason::ProtectedPath { path } => {
            format!(
                "it changes `{}`, a protected path",
                shown::line(path.as_str())
            )
        }
        DecisionReason::CriticalRemoval { matched } => {
            format!("it removes {}, which nobody wants removed", part(matched))
        }
        DecisionReason::NeedsPerson => "the tool is there to talk to a person".into(),
        DecisionReason::OutsideDirectories { matched } => {
            format!("{} lies outside the agent's directories", part(matched))
        }
        DecisionReason::Opaque { why, matched } => {
            format!(
                "{} can't be told before it runs: {}",
                part(matched),
                opaque_line(*why)
            )
        }
        DecisionReason::Hook { hook, text } => said("hook", hook, text),
        DecisionReason::Classifier { name, text } => said("classifier", name, text),
        DecisionReason::NothingDecided { matched } => format!("nothing covers {}", part(matched)),
        DecisionReason::DontAsk { question } => format!(
            "mode dontAsk refuses what would be asked: {}",
            reason_line(question)
        ),
        DecisionReason::NobodyCanAnswer { question } => {
            format!("nobody can answer: {}", reason_line(question))
        }
    }
}

/// A cover as a few words.
#[must_use]
pub fn cover_line(cover: &Cover) -> String {
    match cover {
        Cover::Rule { rule } => rule_name(rule),
        Cover::Grant { grant } => format!("grant {grant}"),
        Cover::KnownReader => "a known reader".into(),
        Cover::InsideDirectories => "reads inside the agent's directories".into(),
        Cover::Mode { mode } => format!("mode {mode}"),
        Cover::Spawn => "an agent's own calls are judged".into(),
        Cover::Sandbox => "it runs in the sandbox".into(),
        Cover::Hook { hook } => format!("hook `{}`", shown::line(hook)),
    }
}

/// Why something is opaque, as the end of a sentence.
pub(super) fn opaque_line(why: OpaqueWhy) -> &'static str {
    match why {
        OpaqueWhy::Syntax => "the line does not parse",
        OpaqueWhy::TooLong => "the line is too long to read",
        OpaqueWhy::TooDeep => "the line is nested too deeply",
        OpaqueWhy::TooMany => "the line has too many parts",
        OpaqueWhy::Disagreement => "it can be read in two ways",
        OpaqueWhy::UnknownConstruct => "a construct that is not understood",
        OpaqueWhy::HiddenCharacter => "a character that hides or reorders text",
        OpaqueWhy::UnknownProgram => "the program's name is made when it runs",
        OpaqueWhy::UnknownScript => "a shell runs a text that is made when it runs",
        OpaqueWhy::Remote => "code for another machine or container",
        OpaqueWhy::Environment => "an assignment changes what later commands run",
        OpaqueWhy::UnknownTool => "the tool does not say what it does",
    }
}

fn rule_name(rule: &pointsman_model::PermissionRule) -> String {
    format!("rule `{}`", shown::line(&rule.to_string()))
}

fn part(matched: &Matched) -> String {
    format!("`{}`", shown::line(&matched.text))
}

fn said(what: &str, name: &str, text: &str) -> String {
    let name = shown::line(name);
    if text.is_empty() {
        format!("{what} `{name}` says so")
    } else {
        format!("{what} `{name}`: {}", shown::line(text))
    }
}
