//! The desk: what the person at the terminal sees and says, as a plain state machine.
//!
//! Requests are taken first come, first shown. One has the focus, and a typed answer is for that
//! one alone, bound to the very request that was drawn. The service around it reads keys, draws and
//! carries answers; the desk only says what to do.

use std::sync::Arc;

use pointsman_model::{
    Answerer, Millis, PermissionRequest, RequestId, Surface, Verdict, VerdictKind, WallTime,
};

use super::draft::{Draft, Typed};
use super::words::{Said, understand};
use crate::render::{answers_text, call_line, is_grave, request_text, verdict_line};
use crate::session;
use crate::shown::{self, Extent};

/// Keys within this time after a request took the focus are no sign that somebody has read it.
const GRACE: Millis = Millis(200);
/// Characters shown of a draft: with the prompt before it, less than a narrow terminal's line.
const DRAFT_CHARS_MAX: usize = 48;

/// What comes to the desk.
#[derive(Debug)]
pub(super) enum Event {
    /// A request is to be shown.
    Shown(Arc<PermissionRequest>),
    /// These are all that are to be shown, after some news may have been missed.
    Listed(Vec<Arc<PermissionRequest>>),
    /// A request has its verdict.
    Closed(RequestId, Verdict),
    /// An answer of ours did not get in: who was first, or what failed.
    Refused(RequestId, String),
    /// Keys were pressed.
    Keys(Vec<u8>),
    /// The run has something to tell.
    Notice(String),
    /// There will be no more keys.
    InputEnded,
}

/// What the service does for the desk.
#[derive(Debug, PartialEq)]
pub(super) enum Effect {
    /// Print this text above the prompt.
    Say(String),
    /// Draw the prompt line; empty when nothing has the focus.
    Prompt(String),
    /// Throw away what was typed and not read yet.
    DropInput,
    /// Tell that a person is at it.
    Touch(RequestId),
    /// Carry an answer.
    Answer(Arc<PermissionRequest>, VerdictKind),
    /// End the run.
    Stop,
}

/// The request that answers go to.
#[derive(Debug)]
struct Focus {
    id: RequestId,
    since: WallTime,
    stage: Stage,
}

/// How far the person has come with the request in focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Drawn,
    Touched,
    Sent,
}

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Desk {
    waiting: Vec<Arc<PermissionRequest>>,
    focus: Option<Focus>,
    draft: Draft,
}

impl Desk {
    /// Takes what came at `now`, and says what to do, in order.
    pub(super) fn handle(&mut self, event: Event, now: WallTime) -> Vec<Effect> {
        let mut effects = match event {
            Event::Shown(request) => self.shown(request, now),
            Event::Listed(requests) => self.listed(requests, now),
            Event::Closed(id, verdict) => self.closed(id, &verdict, now),
            Event::Refused(id, text) => self.refused(id, &text),
            Event::Keys(bytes) => self.keys(&bytes, now),
            Event::Notice(text) if text.is_empty() => Vec::new(),
            Event::Notice(text) => vec![Effect::Say(text)],
            Event::InputEnded => self.input_ended(),
        };
        effects.push(Effect::Prompt(self.prompt()));
        effects
    }

    fn shown(&mut self, request: Arc<PermissionRequest>, now: WallTime) -> Vec<Effect> {
        if self.waiting.iter().any(|known| known.id == request.id) {
            return Vec::new();
        }
        self.waiting.push(request);
        match self.focus {
            None => self.focus_first(now),
            Some(_) => Vec::new(),
        }
    }

    fn listed(&mut self, requests: Vec<Arc<PermissionRequest>>, now: WallTime) -> Vec<Effect> {
        self.waiting
            .retain(|known| requests.iter().any(|open| open.id == known.id));
        let mut effects = Vec::new();
        if self.focus.is_some() && self.in_focus().is_none() {
            self.focus = None;
            effects.extend(self.focus_first(now));
        }
        for request in requests {
            effects.extend(self.shown(request, now));
        }
        effects
    }

    fn closed(&mut self, id: RequestId, verdict: &Verdict, now: WallTime) -> Vec<Effect> {
        let before = self.waiting.len();
        self.waiting.retain(|known| known.id != id);
        if self.waiting.len() == before {
            return Vec::new();
        }
        let had_focus = self.focus.as_ref().is_some_and(|focus| focus.id == id);
        let ours = verdict.by
            == Answerer::Person {
                surface: Surface::Terminal,
            };
        let lost = if had_focus && !ours && !self.draft.text().is_empty() {
            "; what you were typing was not sent"
        } else {
            ""
        };
        let mut effects = vec![Effect::Say(format!(
            "{id}  {}{lost}\n",
            verdict_line(verdict)
        ))];
        if had_focus {
            self.focus = None;
            effects.extend(self.focus_first(now));
        }
        effects
    }

    fn refused(&mut self, id: RequestId, text: &str) -> Vec<Effect> {
        if let Some(focus) = self.focus.as_mut().filter(|focus| focus.id == id) {
            focus.stage = Stage::Touched;
        }
        vec![Effect::Say(format!("{id}  {text}\n"))]
    }

    fn input_ended(&mut self) -> Vec<Effect> {
        self.draft.clear();
        vec![Effect::Say(
            "the terminal is gone; `pointsman answer` still reaches this run\n".into(),
        )]
    }

    fn keys(&mut self, bytes: &[u8], now: WallTime) -> Vec<Effect> {
        let mut effects = Vec::new();
        for byte in bytes {
            match self.draft.take(*byte) {
                Typed::Same => {}
                Typed::Changed => effects.extend(self.touch(now)),
                Typed::Line(line) => effects.extend(self.said(&line, now)),
            }
        }
        effects
    }

    /// A key after the grace: from here on no automatic answer gets in before the person.
    fn touch(&mut self, now: WallTime) -> Option<Effect> {
        let focus = self.focus.as_mut()?;
        if focus.stage != Stage::Drawn || now.since(focus.since) < GRACE {
            return None;
        }
        focus.stage = Stage::Touched;
        Some(Effect::Touch(focus.id))
    }

    fn said(&mut self, line: &str, now: WallTime) -> Vec<Effect> {
        let said = understand(line);
        let Some(request) = self.in_focus() else {
            return match said {
                Said::Nothing => Vec::new(),
                Said::Stop => vec![Effect::Stop],
                _ => vec![Effect::Say("nothing is asked at the moment\n".into())],
            };
        };
        match said {
            Said::Nothing => Vec::new(),
            Said::Show => vec![Effect::Say(drawn(&request, Extent::Whole))],
            Said::List => vec![Effect::Say(self.list_text(now))],
            Said::TurnTo(id) => self.turn_to(id, now),
            Said::Unclear(text) => vec![Effect::Say(format!(
                "`{}` is no answer; nothing was answered\n{}",
                shown::line(&text),
                answers_text(&request)
            ))],
            Said::Allow { .. } | Said::Session { .. } | Said::Deny { .. } | Said::Stop => {
                self.answer(&request, said)
            }
        }
    }

    fn answer(&mut self, request: &Arc<PermissionRequest>, said: Said) -> Vec<Effect> {
        if self
            .focus
            .as_ref()
            .is_some_and(|focus| focus.stage == Stage::Sent)
        {
            return vec![Effect::Say(format!("{} is being answered\n", request.id))];
        }
        let stops = said == Said::Stop;
        match verdict_of(request, said) {
            Err(text) => vec![Effect::Say(text)],
            Ok(kind) => {
                if let Some(focus) = self.focus.as_mut() {
                    focus.stage = Stage::Sent;
                }
                let answer = Effect::Answer(Arc::clone(request), kind);
                if stops {
                    vec![answer, Effect::Stop]
                } else {
                    vec![answer]
                }
            }
        }
    }

    fn turn_to(&mut self, id: RequestId, now: WallTime) -> Vec<Effect> {
        match self.waiting.iter().position(|known| known.id == id) {
            Some(at) => {
                let request = self.waiting.remove(at);
                self.waiting.insert(0, request);
                self.focus_first(now)
            }
            None => vec![Effect::Say(format!("{id} is not open here\n"))],
        }
    }

    /// Draws the first of those that wait. Whatever was typed before that was typed at something
    /// else, and is dropped.
    fn focus_first(&mut self, now: WallTime) -> Vec<Effect> {
        let Some(request) = self.waiting.first() else {
            self.focus = None;
            return Vec::new();
        };
        self.focus = Some(Focus {
            id: request.id,
            since: now,
            stage: Stage::Drawn,
        });
        self.draft.clear();
        vec![
            Effect::Say(drawn(request, Extent::Screen)),
            Effect::DropInput,
        ]
    }

    fn in_focus(&self) -> Option<Arc<PermissionRequest>> {
        let focus = self.focus.as_ref()?;
        self.waiting
            .iter()
            .find(|known| known.id == focus.id)
            .map(Arc::clone)
    }

    fn list_text(&self, now: WallTime) -> String {
        self.waiting
            .iter()
            .map(|request| {
                format!(
                    "{}  {}s  {}: {}\n",
                    request.id,
                    now.since(request.opened_at).0 / 1_000,
                    shown::line(&request.lineage.to_string()),
                    call_line(&request.call)
                )
            })
            .collect()
    }

    fn prompt(&self) -> String {
        let Some(focus) = &self.focus else {
            return String::new();
        };
        let others = match self.waiting.len().saturating_sub(1) {
            0 => String::new(),
            count => format!(" ({count} more)"),
        };
        format!(
            "{}{others}> {}",
            focus.id,
            tail(&shown::line(&self.draft.text()))
        )
    }
}

/// The end of a long draft: a line that wraps can't be redrawn in place.
fn tail(draft: &str) -> String {
    let count = draft.chars().count();
    match count.checked_sub(DRAFT_CHARS_MAX) {
        None | Some(0) => draft.into(),
        Some(before) => format!("…{}", draft.chars().skip(before).collect::<String>()),
    }
}

/// A request and what each answer would do.
fn drawn(request: &PermissionRequest, extent: Extent) -> String {
    format!(
        "\n{}{}",
        request_text(request, extent),
        answers_text(request)
    )
}

/// The verdict that a typed answer makes, or what is wrong with it.
fn verdict_of(request: &PermissionRequest, said: Said) -> Result<VerdictKind, String> {
    match said {
        Said::Allow { id: Some(id) } if id != request.id => Err(format!(
            "{id} is not the one that is drawn; nothing was answered\n"
        )),
        Said::Allow { id: None } if is_grave(request) => Err(format!(
            "this can't be had back: to run it, type `allow {}`\n",
            request.id
        )),
        Said::Allow { .. } => Ok(VerdictKind::Allow {
            edited: None,
            grant: None,
        }),
        Said::Session { proposal, scope } => session::grant_for(request, proposal, scope)
            .map(|grant| VerdictKind::Allow {
                edited: None,
                grant: Some(grant),
            })
            .map_err(|error| format!("{error}\n")),
        Said::Deny { text } => Ok(VerdictKind::Deny {
            text: text.map(String::into_boxed_str),
        }),
        Said::Stop => Ok(VerdictKind::Deny {
            text: Some("the run was stopped".into()),
        }),
        Said::Show | Said::List | Said::TurnTo(_) | Said::Nothing | Said::Unclear(_) => {
            Err("nothing was answered\n".into())
        }
    }
}

#[cfg(test)]
mod tests;
