//! One hook's answer, read from how it ended and what it wrote.
//!
//! The formats are Claude Code's. Where that lets a call pass for a hook that failed, this does not:
//! an allow counts only from a hook that ended well. A deny or an ask counts from any that could
//! still say it.

use pointsman_ledger::HookCame;
use pointsman_model::JsonText;
use pointsman_policy::settings::{HookDuty, HookEvent};
use pointsman_process::{End, Finished};

use self::wire::Output;
use crate::strict::{self, Object};

pub(super) use self::updates::Update;

mod updates;
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
    /// What it wants changed beyond the call.
    pub(super) updates: Vec<Update>,
    /// What it wants the agent told.
    pub(super) context: Option<Box<str>>,
    /// What it wants the agent told in place of the tool's output.
    pub(super) output: Option<Box<str>>,
    /// What is to come after its no.
    pub(super) after: AfterNo,
    /// What it wrote that says nothing, though it may have been to. Of a guard that is a failure.
    pub(super) stray: Option<Box<str>>,
}

/// What a hook wants after its no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterNo {
    /// The agent goes on.
    GoesOn,
    /// The agent stops.
    Stops,
    /// The agent may ask again.
    AsksAgain,
}

impl Said {
    /// A hook that failed, and how.
    pub(super) fn failed(text: &str) -> Self {
        Self::plain(HookCame::Failed, text)
    }

    fn nothing() -> Self {
        Self::plain(HookCame::Nothing, "")
    }

    /// The same without what it wants changed, and without another try for the agent.
    fn only_stricter(self) -> Self {
        Self {
            after: match self.after {
                AfterNo::AsksAgain => AfterNo::GoesOn,
                after @ (AfterNo::GoesOn | AfterNo::Stops) => after,
            },
            updated: None,
            updates: Vec::new(),
            output: None,
            ..self
        }
    }

    /// Whether it would have anything else than a no.
    fn loosens(&self) -> bool {
        let asks_again = self.after == AfterNo::AsksAgain;
        self.updated.is_some() || !self.updates.is_empty() || self.output.is_some() || asks_again
    }

    pub(super) fn plain(came: HookCame, text: &str) -> Self {
        Self {
            came,
            text: bounded(text),
            updated: None,
            updates: Vec::new(),
            context: None,
            output: None,
            after: AfterNo::GoesOn,
            stray: None,
        }
    }
}

/// Reads the answer of a hook that ran.
pub(super) fn read(event: HookEvent, finished: &Finished) -> Said {
    match finished.end {
        End::Exited(0) => match Written::read(finished) {
            Written::Nothing => Said::nothing(),
            Written::Text(text) => plain_text(event, &text),
            Written::Object(text) => {
                said(event, text.as_bytes()).unwrap_or_else(|why| Said::failed(&why))
            }
            Written::Garbled { text, why } => {
                tightening(event, &text).unwrap_or_else(|| Said::failed(&why))
            }
        },
        End::Exited(BLOCKED) if blocks(event) => blocked(event, finished),
        End::Exited(code) => {
            let how = with_stderr(&format!("it ended with code {code}"), finished);
            tightening(event, &finished.stdout.text()).unwrap_or_else(|| Said::failed(&how))
        }
        End::Signalled(signal) => Said::failed(&with_stderr(
            &format!("it was killed by signal {signal}"),
            finished,
        )),
        End::TimedOut => Said::failed("it took longer than its time limit"),
        End::Stopped => Said::failed("it was stopped"),
    }
}

/// Reads the line of a hook that stays, or what an address answered.
pub(super) fn read_line(event: HookEvent, line: &[u8]) -> Said {
    // A reader of JSON lets any bytes pass in what it skips.
    if std::str::from_utf8(line).is_err() {
        let text = String::from_utf8_lossy(line);
        return tightening(event, &text).unwrap_or_else(|| Said::failed(NO_TEXT));
    }
    said(event, line).unwrap_or_else(|why| Said::failed(&why))
}

/// What counts of the line of a hook that stays when it does not say which line it answers. It may be an
/// earlier one's, so it makes things stricter at most; a guard's silence lets pass as well as its allow.
pub(super) fn unnamed(said: Said, duty: HookDuty) -> Said {
    const WHY: &str = "its answer does not repeat `turn`, so it may belong to another line";
    match said.came {
        HookCame::Failed => said,
        HookCame::Deny | HookCame::Ask | HookCame::Halt => said.only_stricter(),
        HookCame::Allow => Said::failed(WHY),
        HookCame::Nothing if duty == HookDuty::Guard || said.loosens() => Said::failed(WHY),
        HookCame::Nothing => said,
    }
}

/// Reads the answer of an address. Only an object in an answer of success counts.
pub(super) fn read_response(event: HookEvent, status: u16, body: &[u8]) -> Said {
    match (status, body.trim_ascii()) {
        (200..300, []) => Said::nothing(),
        (200..300, body) if body.starts_with(b"{") => read_line(event, body),
        (200..300, _) => Said::failed("it answered with something that is no JSON object"),
        (300..400, _) => Said::failed(&format!(
            "it answered with status {status}, and hooks are not sent elsewhere"
        )),
        _ => Said::failed(&format!("it answered with status {status}")),
    }
}

/// Text that is no JSON says nothing, but at the start of a session, where it is for the agents.
fn plain_text(event: HookEvent, text: &str) -> Said {
    let mut said = Said::nothing();
    if event == HookEvent::SessionStart {
        said.context = Some(bounded(text));
    } else {
        said.stray = Some("it wrote text, which is no answer".into());
    }
    said
}

/// Whether a hook's exit code 2 is a no at this event.
fn blocks(event: HookEvent) -> bool {
    match event {
        HookEvent::PreToolUse
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::SubagentStop
        | HookEvent::Stop => true,
        HookEvent::PermissionRequest
        | HookEvent::PermissionDenied
        | HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SessionStart
        | HookEvent::SessionEnd => false,
    }
}

/// Exit code 2 blocks whatever was written; the reason is what stands on standard error.
fn blocked(event: HookEvent, finished: &Finished) -> Said {
    let stderr = finished.stderr.text();
    let reason = match stderr.trim() {
        "" => tightening(event, &finished.stdout.text())
            .filter(|said| said.came == HookCame::Deny)
            .map(|said| said.text),
        text => Some(bounded(text)),
    };
    let text = reason.unwrap_or_else(|| "it ended with code 2, which blocks".into());
    Said::plain(HookCame::Deny, &text)
}

/// What a hook that failed by its exit code said nevertheless, if that only makes things stricter.
fn tightening(event: HookEvent, text: &str) -> Option<Said> {
    let said = said(event, text.trim().as_bytes()).ok()?;
    match said.came {
        HookCame::Deny | HookCame::Ask | HookCame::Halt => Some(said.only_stricter()),
        HookCame::Nothing | HookCame::Allow | HookCame::Failed => None,
    }
}

/// What a program wrote on its standard output.
enum Written {
    /// Nothing but blanks.
    Nothing,
    /// Words that are for nobody here.
    Text(String),
    /// What begins as an object.
    Object(String),
    /// What may have been an answer, and can't be read as one.
    Garbled { text: String, why: String },
}

/// Why bytes are no answer.
const NO_TEXT: &str = "what it wrote is no answer: it is no UTF-8 text";

/// Words of answers. Text in which one stands is an answer that went wrong.
const ANSWER_WORDS: [&str; 4] = [
    "\"hookSpecificOutput\"",
    "\"permissionDecision\"",
    "\"decision\"",
    "\"continue\"",
];

impl Written {
    /// Of what was cut nobody can tell whether an answer stood in it.
    fn read(finished: &Finished) -> Self {
        let text = finished.stdout.text();
        let text = text.trim().to_owned();
        let garbled = |text: String, why: &str| Self::Garbled {
            text,
            why: why.to_owned(),
        };
        let Some(bytes) = finished.stdout.whole() else {
            let cut = finished.stdout.cut();
            // What is left of an object is none.
            return garbled(
                String::new(),
                &format!("it wrote {cut} bytes more than a hook may"),
            );
        };
        if std::str::from_utf8(&bytes).is_err() {
            return garbled(text, NO_TEXT);
        }
        if text.starts_with('{') {
            return Self::Object(text);
        }
        let of_an_answer = text.starts_with(['[', '\u{feff}'])
            || text.contains('\0')
            || ANSWER_WORDS.iter().any(|word| text.contains(word));
        if of_an_answer {
            return garbled(
                text,
                "what it wrote is no answer: it is more than one JSON object",
            );
        }
        if text.is_empty() {
            Self::Nothing
        } else {
            Self::Text(text)
        }
    }
}

/// What the object says. An error says what is wrong with it.
fn said(event: HookEvent, text: &[u8]) -> Result<Said, String> {
    let output: Output =
        strict::object(text).map_err(|error| format!("what it wrote is no answer: {error}"))?;
    let mut said = match event {
        HookEvent::PreToolUse => pre_tool_use(&output)?,
        HookEvent::PermissionRequest => permission_request(&output)?,
        HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::SubagentStop
        | HookEvent::Stop => objection(&output)?,
        HookEvent::PermissionDenied => permission_denied(&output)?,
        // The rest is told, not asked.
        HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SessionStart
        | HookEvent::SessionEnd => Said::nothing(),
    };
    if let Some(specific) = output.specific(event)? {
        said.context = specific.additional_context.as_deref().map(bounded);
        said.output = wire::tool_output(specific.updated_tool_output.as_deref())?;
    }
    if output.goes_on == Some(false) {
        said.came = HookCame::Halt;
        said.text = bounded(output.stop_reason.as_deref().unwrap_or("it said to stop"));
    } else if said.text.is_empty() {
        said.text = bounded(output.system_message.as_deref().unwrap_or_default());
    }
    if said.came == HookCame::Nothing && said.updated.is_none() {
        said.stray = wire::stray_key(event, text).map(|key| {
            format!("it says `{key}`, which is no word of such an answer, and decides nothing")
                .into()
        });
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
    // The old form stands at the top, and counts only without the new one; but who says no anywhere has said no.
    let refuses = |decision: &str| matches!(decision, "deny" | "block");
    let old_refuses = output.decision.as_deref().is_some_and(refuses);
    let (decision, reason) = match decision {
        Some(new) if !old_refuses || refuses(new) => (decision, reason),
        Some(_) | None => (&output.decision, &output.reason),
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
        said.updates = updates::read(specific.updated_permissions.as_deref())?;
    }
    Ok(said)
}

fn permission_request(output: &Output) -> Result<Said, String> {
    let Some(Object(decision)) = output
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
    if came == HookCame::Deny && decision.interrupt == Some(true) {
        said.after = AfterNo::Stops;
    }
    said.updated = wire::object(decision.updated_input.as_deref())?;
    said.updates = updates::read(decision.updated_permissions.as_deref())?;
    Ok(said)
}

/// What a hook says of something that was done, or of an agent that wants to stop.
fn objection(output: &Output) -> Result<Said, String> {
    let came = match output.decision.as_deref() {
        None => HookCame::Nothing,
        Some("block") => HookCame::Deny,
        Some(other) => return Err(format!("`{other}` is no decision here: only block is")),
    };
    Ok(Said::plain(
        came,
        output.reason.as_deref().unwrap_or_default(),
    ))
}

fn permission_denied(output: &Output) -> Result<Said, String> {
    let mut said = Said::nothing();
    let specific = output.specific(HookEvent::PermissionDenied)?;
    if specific.is_some_and(|specific| specific.retry == Some(true)) {
        said.after = AfterNo::AsksAgain;
        said.text = "it may be asked again".into();
    }
    Ok(said)
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
