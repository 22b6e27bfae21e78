//! A yes to something else: the person writes what is to run instead.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::VerdictKind;

use super::{Form, SEND, Turn};
use crate::edit::{Editable, NotEdited};
use crate::screen::field::{Field, Lines, Pasted, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Line, Tone, wrap};

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct EditPanel {
    open: Arc<OpenRequest>,
    part: Editable,
    field: Field,
}

impl EditPanel {
    pub(super) fn new(open: &Arc<OpenRequest>) -> Self {
        let call = &open.request.call;
        let part = Editable::of(call.tool.as_str(), call.text.as_str());
        Self {
            open: Arc::clone(open),
            field: Field::new(Lines::Many, &part.text),
            part,
        }
    }

    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        self.field.paste(text)
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        match key {
            Key::Esc => Turn::Close,
            SEND => match self.part.with(self.field.text()) {
                Err(NotEdited::Unchanged) => {
                    Turn::Fault("nothing is changed: Esc, then `a` runs it as it was asked".into())
                }
                Err(why) => Turn::Fault(format!("{}; nothing was sent", chain(&why))),
                Ok(input) => {
                    let kind = VerdictKind::Allow {
                        edited: Some(input),
                        grant: None,
                    };
                    Turn::Send(vec![(Arc::clone(&self.open), kind)])
                }
            },
            key => match self.field.take(key) {
                Took::Taken => Turn::Stay,
                Took::Left => Turn::Other,
            },
        }
    }

    pub(super) fn form(&self, covered: &[Arc<OpenRequest>], width: u16) -> Form {
        let what = self.part.field.unwrap_or("input, as JSON,");
        let mut lines = vec![Line::plain(
            Tone::Quiet,
            "deny and ask rules judge it again before it runs; the agent is told that you changed it",
        )];
        if covered.len() > 1 {
            let id = self.open.request.id;
            lines.push(Line::told(Tone::Notice, format!("this answers {id} alone")));
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
