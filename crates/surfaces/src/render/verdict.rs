//! Verdicts and possible answers, in words.

use std::fmt::Write as _;

use pointsman_model::{GrantScope, PermissionRequest, Verdict, VerdictKind};

use super::request::{is_grave, proposal_line};
use crate::shown;

/// How a request ended, and by whom: `allowed by a person by command`.
#[must_use]
pub fn verdict_line(verdict: &Verdict) -> String {
    verdict_line_by(verdict, &verdict.by.to_string())
}

/// The same by another name of who it was.
pub(crate) fn verdict_line_by(verdict: &Verdict, by: &str) -> String {
    let what = match &verdict.kind {
        VerdictKind::Allow { edited, grant } => {
            let mut what = String::from("allowed");
            if edited.is_some() {
                what.push_str(" with another input");
            }
            if let Some(grant) = grant {
                let rules: Vec<String> = grant
                    .rules
                    .iter()
                    .map(|rule| format!("`{}`", shown::line(rule.as_str())))
                    .collect();
                // Writing into a String can't fail.
                let _ = write!(
                    what,
                    " and granted {} to {}",
                    rules.join(" and "),
                    scope_words(&grant.scope)
                );
            }
            what
        }
        VerdictKind::Deny { text: Some(text) } => format!("denied (`{}`)", shown::line(text)),
        VerdictKind::Deny { text: None } => "denied".into(),
        VerdictKind::Ended { outcome, text } => {
            return format!(
                "{} ({})",
                outcome.as_str().replace('_', " "),
                shown::line(text)
            );
        }
        VerdictKind::Unjudged { cause, text } => {
            return format!(
                "{}, the classifier: {cause} ({})",
                cause.outcome().as_str().replace('_', " "),
                shown::line(text)
            );
        }
    };
    format!("{what} by {}", shown::line(by))
}

/// The same without what was said or granted with it: `denied by a person by command`.
pub(crate) fn verdict_words_by(verdict: &Verdict, by: &str) -> String {
    match &verdict.kind {
        VerdictKind::Allow { .. } => format!("allowed by {}", shown::line(by)),
        VerdictKind::Deny { .. } => format!("denied by {}", shown::line(by)),
        VerdictKind::Ended { outcome, .. } => outcome.as_str().replace('_', " "),
        VerdictKind::Unjudged { cause, .. } => cause.outcome().as_str().replace('_', " "),
    }
}

/// A grant's scope as words.
#[must_use]
pub fn scope_words(scope: &GrantScope) -> String {
    match scope {
        GrantScope::Call { call } => format!("call {call}"),
        GrantScope::Worker { worker } => format!("agent {worker}"),
        GrantScope::Job { worker } => format!("the job of {worker}"),
        GrantScope::Run { run } => format!("all agents of {run}"),
    }
}

/// What each answer at the terminal would do; rules are shown in full.
#[must_use]
pub fn answers_text(request: &PermissionRequest) -> String {
    let mut text = String::from("  answers (a whole word, then Enter)\n");
    let allow = if is_grave(request) {
        format!("allow {}", request.id)
    } else {
        "allow".into()
    };
    let mut answer = |word: &str, what: &str| {
        // Writing into a String can't fail.
        let _ = writeln!(text, "    {word:<12} {what}");
    };
    answer(&allow, "run it this once");
    for (at, proposal) in request.proposals.iter().enumerate() {
        let word = match at {
            0 => "session".to_owned(),
            more => format!("session {}", more.saturating_add(1)),
        };
        answer(
            &word,
            &format!(
                "run it, and let this agent do whatever {} covers",
                proposal_line(proposal)
            ),
        );
    }
    if !request.proposals.is_empty() {
        answer("", "(add `job` or `run` to let more agents do so)");
    }
    answer("deny TEXT", "refuse it; the agent is told TEXT");
    answer("stop", "refuse it and end the run");
    text
}
