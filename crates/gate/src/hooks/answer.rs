//! One hook's answer, read from how it ended and what it wrote.
//!
//! The formats are Claude Code's. Where that lets a call pass for a hook that failed, this does not:
//! an allow counts only from a hook that ended well. A deny or an ask counts from any that could
//! still say it.

use pointsman_ledger::HookCame;
use pointsman_model::{JsonText, RuleBehavior, RuleSource, RuleText};
use pointsman_policy::settings::HookEvent;
use pointsman_process::{End, Finished};

use self::wire::{Output, Update};

mod wire;

/// The exit code by which a hook blocks.
const BLOCKED: i32 = 2;

/// How much of a hook's text goes on record and to the agent, in characters; hosts of the same hooks
/// cut there too.
const TEXT_CHARS_MAX: usize = 10_000;

/// What one hook said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// What it came to.
    pub(super) came: HookCame,
    /// What it said, or how it failed.
    pub(super) text: Box<str>,
    /// The whole input as it would have it.
    pub(super) updated: Option<JsonText>,
    /// Rules it wants to add.
    pub(super) rules: Vec<WantedRule>,
}

/// A rule that a hook wants to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedRule {
    pub(super) behavior: RuleBehavior,
    pub(super) text: RuleText,
    pub(super) destination: RuleSource,
}

impl Said {
    /// A hook that failed, and how.
    pub(super) fn failed(text: &str) -> Self {
        Self::plain(HookCame::Failed, text)
    }

    fn nothing() -> Self {
        Self::plain(HookCame::Nothing, "")
    }

    fn plain(came: HookCame, text: &str) -> Self {
        Self {
            came,
            text: bounded(text),
            updated: None,
            rules: Vec::new(),
        }
    }
}

/// Reads the answer of a hook that ran.
pub(super) fn read(event: HookEvent, finished: &Finished) -> Said {
    let output = read_output(finished);
    match finished.end {
        End::Exited(0) => match output {
            Ok(None) => Said::nothing(),
            Ok(Some(output)) => said(event, output).unwrap_or_else(|why| Said::failed(&why)),
            Err(why) => Said::failed(&why),
        },
        End::Exited(BLOCKED) if event == HookEvent::PreToolUse => blocked(finished, output),
        End::Exited(code) => {
            let how = with_stderr(&format!("it ended with code {code}"), finished);
            tightening(event, output).unwrap_or_else(|| Said::failed(&how))
        }
        End::Signalled(signal) => Said::failed(&with_stderr(
            &format!("it was killed by signal {signal}"),
            finished,
        )),
        End::TimedOut => Said::failed("it took longer than its time limit"),
        End::Stopped => Said::failed("it was stopped"),
    }
}

/// Exit code 2 blocks whatever was written; the reason is what stands on standard error.
fn blocked(finished: &Finished, output: Result<Option<Output>, String>) -> Said {
    let stderr = finished.stderr.text();
    let reason = match stderr.trim() {
        "" => output
            .ok()
            .flatten()
            .and_then(|output| said(HookEvent::PreToolUse, output).ok())
            .filter(|said| said.came == HookCame::Deny)
            .map(|said| said.text),
        text => Some(bounded(text)),
    };
    let text = reason.unwrap_or_else(|| "it ended with code 2, which blocks".into());
    Said::plain(HookCame::Deny, &text)
}

/// What a hook that failed by its exit code said nevertheless, if that only makes things stricter.
fn tightening(event: HookEvent, output: Result<Option<Output>, String>) -> Option<Said> {
    let said = said(event, output.ok()??).ok()?;
    match said.came {
        HookCame::Deny | HookCame::Ask | HookCame::Halt => Some(Said {
            updated: None,
            rules: Vec::new(),
            ..said
        }),
        HookCame::Nothing | HookCame::Allow | HookCame::Failed => None,
    }
}

/// The object on standard output; nothing when there is only plain text.
fn read_output(finished: &Finished) -> Result<Option<Output>, String> {
    let text = finished.stdout.text();
    let text = text.trim();
    if !text.starts_with('{') {
        return Ok(None);
    }
    match finished.stdout.cut() {
        0 => serde_json::from_str(text)
            .map(Some)
            .map_err(|error| format!("what it wrote is no answer: {error}")),
        cut => Err(format!("it wrote {cut} bytes more than a hook may")),
    }
}

/// What the object says. An error says what is wrong with it.
fn said(event: HookEvent, output: Output) -> Result<Said, String> {
    let mut said = match event {
        HookEvent::PreToolUse => pre_tool_use(&output)?,
        HookEvent::PermissionRequest => permission_request(&output)?,
        // Other events are told, not asked.
        HookEvent::PermissionDenied
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::SessionStart
        | HookEvent::SessionEnd
        | HookEvent::Stop => Said::nothing(),
    };
    if output.goes_on == Some(false) {
        said.came = HookCame::Halt;
        said.text = bounded(output.stop_reason.as_deref().unwrap_or("it said to stop"));
    } else if said.text.is_empty() {
        said.text = bounded(output.system_message.as_deref().unwrap_or_default());
    }
    Ok(said)
}

fn pre_tool_use(output: &Output) -> Result<Said, String> {
    let specific = output.specific(HookEvent::PreToolUse)?;
    let (decision, reason) = match specific {
        Some(specific) => (
            &specific.permission_decision,
            &specific.permission_decision_reason,
        ),
        None => (&None, &None),
    };
    // The old form stands at the top, and counts only without the new one.
    let (decision, reason) = match decision {
        Some(_) => (decision, reason),
        None => (&output.decision, &output.reason),
    };
    let came = match decision.as_deref() {
        None => HookCame::Nothing,
        Some("allow" | "approve") => HookCame::Allow,
        Some("deny" | "block") => HookCame::Deny,
        // There is no session to come back to later, so a call that is put off is asked about.
        Some("ask" | "defer") => HookCame::Ask,
        Some(other) => return Err(format!("`{other}` is no decision: allow, deny or ask")),
    };
    let mut said = Said::plain(came, reason.as_deref().unwrap_or_default());
    if let Some(specific) = specific {
        said.updated = wire::object(specific.updated_input.as_deref())?;
        said.rules = wanted_rules(specific.updated_permissions.as_deref())?;
    }
    Ok(said)
}

fn permission_request(output: &Output) -> Result<Said, String> {
    let Some(decision) = output
        .specific(HookEvent::PermissionRequest)?
        .and_then(|specific| specific.decision.as_ref())
    else {
        return Ok(Said::nothing());
    };
    let came = match decision.behavior.as_str() {
        "allow" => HookCame::Allow,
        "deny" => HookCame::Deny,
        other => return Err(format!("`{other}` is no behavior: allow or deny")),
    };
    let mut said = Said::plain(came, decision.message.as_deref().unwrap_or_default());
    said.updated = wire::object(decision.updated_input.as_deref())?;
    said.rules = wanted_rules(decision.updated_permissions.as_deref())?;
    Ok(said)
}

fn wanted_rules(updates: Option<&[Update]>) -> Result<Vec<WantedRule>, String> {
    let mut wanted = Vec::new();
    for update in updates.unwrap_or_default() {
        if update.kind != "addRules" {
            return Err(format!("hooks can't `{}` here, only addRules", update.kind));
        }
        let behavior = match update.behavior.as_deref() {
            Some("allow") => RuleBehavior::Allow,
            Some("deny") => RuleBehavior::Deny,
            Some("ask") => RuleBehavior::Ask,
            _ => return Err("a rule to add allows, denies or asks".into()),
        };
        let destination = match update.destination.as_deref() {
            None | Some("session") => RuleSource::Session,
            Some("userSettings") => RuleSource::UserSettings,
            Some("projectSettings") => RuleSource::ProjectSettings,
            Some("localSettings") => RuleSource::LocalSettings,
            Some(other) => return Err(format!("rules can't be added to `{other}`")),
        };
        wanted.extend(update.rules.iter().map(|rule| WantedRule {
            behavior,
            text: rule.text(),
            destination,
        }));
    }
    Ok(wanted)
}

/// The end of what it complained, since programs say last what ended them.
fn with_stderr(how: &str, finished: &Finished) -> String {
    let stderr = finished.stderr.text();
    match stderr.trim().lines().next_back() {
        None => how.to_owned(),
        Some(line) => format!("{how}: {line}"),
    }
}

fn bounded(text: &str) -> Box<str> {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => text.into(),
        Some((at, _)) => format!("{} […]", text.get(..at).unwrap_or_default()).into(),
    }
}

#[cfg(test)]
mod tests;
