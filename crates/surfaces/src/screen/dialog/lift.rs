//! Lifting a classifier's no: the refusal stands, and the same call passes when it is asked for again.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::VerdictKind;

use super::{Form, SEND, Turn};
use crate::screen::key::Key;
use crate::screen::sheet::{Line, Tone, wrap};

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct LiftPanel {
    open: Arc<OpenRequest>,
}

impl LiftPanel {
    pub(super) fn new(open: &Arc<OpenRequest>) -> Self {
        Self {
            open: Arc::clone(open),
        }
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        match key {
            SEND => {
                let once = VerdictKind::Allow {
                    edited: None,
                    grant: None,
                };
                Turn::Send(vec![(Arc::clone(&self.open), once)])
            }
            Key::Esc | Key::Char('q') => Turn::Close,
            _ => Turn::Other,
        }
    }

    pub(super) fn form(&self, width: u16) -> Form {
        let lines = [
            Line::plain(
                Tone::Plain,
                "the refusal stands; this very call passes once, when the agent asks for it again",
            ),
            Line::plain(
                Tone::Quiet,
                "the same tool, input and folder, and the same content of the scripts that it runs",
            ),
        ];
        Form {
            title: format!("lift the classifier's no to {}", self.open.request.id),
            body: wrap(&lines, width),
            field: None,
            keys: vec![("Ctrl-Y", "lift it"), ("Esc", "back")],
        }
    }
}
