//! A yes to something else: the person writes what is to run instead.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::{JsonText, PermissionRequest, ToolInput, VerdictKind};
use serde_json::{Map, Value};

use super::{Form, SEND, Turn};
use crate::screen::field::{Field, Lines, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Line, Tone, wrap};

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct EditPanel {
    request: Arc<PermissionRequest>,
    /// The field of the input that is edited; the whole input as JSON when nothing is named.
    name: Option<&'static str>,
    field: Field,
}

impl EditPanel {
    pub(super) fn new(request: &Arc<PermissionRequest>) -> Self {
        let (name, text) = match &request.call.input {
            ToolInput::Bash(input) => (Some("command"), input.command.clone()),
            ToolInput::Write(input) => (Some("content"), input.content.clone()),
            ToolInput::Edit(input) => (Some("new_string"), input.new_string.clone()),
            ToolInput::Read(_)
            | ToolInput::Glob(_)
            | ToolInput::Grep(_)
            | ToolInput::Spawn(_)
            | ToolInput::Other(_) => (None, request.call.text.as_str().to_owned()),
        };
        Self {
            request: Arc::clone(request),
            name,
            field: Field::new(Lines::Many, &text),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.field.paste(text);
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        match key {
            Key::Esc => Turn::Close,
            SEND => match self.input() {
                Err(why) => Turn::Fault(format!("{why}; nothing was sent")),
                Ok(input) if input == self.request.call.text => {
                    Turn::Fault("nothing is changed: Esc, then `a` runs it as it was asked".into())
                }
                Ok(input) => {
                    let kind = VerdictKind::Allow {
                        edited: Some(input),
                        grant: None,
                    };
                    Turn::Send(vec![(Arc::clone(&self.request), kind)])
                }
            },
            key => match self.field.take(key) {
                Took::Taken => Turn::Stay,
                Took::Left => Turn::Other,
            },
        }
    }

    /// The input as it is written now.
    fn input(&self) -> Result<JsonText, String> {
        let text = self.field.text();
        let Some(name) = self.name else {
            return JsonText::parse(text).map_err(|error| chain(&error));
        };
        let before = self.request.call.text.as_str();
        let mut fields: Map<String, Value> =
            serde_json::from_str(before).map_err(|error| error.to_string())?;
        if fields.get(name).and_then(Value::as_str) == Some(text) {
            return Ok(self.request.call.text.clone());
        }
        fields.insert(name.into(), Value::String(text.into()));
        JsonText::of(&fields).map_err(|error| chain(&error))
    }

    pub(super) fn form(&self, covered: &[Arc<OpenRequest>], width: u16) -> Form {
        let what = self.name.unwrap_or("input, as JSON,");
        let mut lines = vec![Line::plain(
            Tone::Quiet,
            "deny and ask rules judge it again before it runs; the agent is told that you changed it",
        )];
        if covered.len() > 1 {
            let id = self.request.id;
            lines.push(Line::plain(
                Tone::Notice,
                format!("this answers {id} alone"),
            ));
        }
        Form {
            title: format!("the {what} that is to run instead"),
            body: wrap(&lines, width),
            field: Some(("", self.field.drawn(width))),
            keys: vec![("Ctrl-Y", "run this once"), ("Esc", "back, keep the text")],
        }
    }
}

/// An error and what it came from, as one line.
fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
