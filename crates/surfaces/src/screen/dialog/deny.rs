//! Saying no: to this request, to equal ones, or to all that an agent asks; with words for the agent.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::VerdictKind;

use super::{Form, Turn};
use crate::render::call_line;
use crate::screen::field::{Field, Lines, Pasted, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Ink, Line, Tone, wrap};
use crate::shown;

/// To whom the no is said, and exactly which requests that are.
#[derive(Debug)]
struct Whom {
    label: String,
    requests: Vec<Arc<OpenRequest>>,
}

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct DenyPanel {
    choices: Vec<Whom>,
    at: usize,
    field: Field,
}

impl DenyPanel {
    /// A no to the first of these equal requests; the others, and all of its agent, may be chosen.
    pub(super) fn this(equal: &[Arc<OpenRequest>], of_agent: &[Arc<OpenRequest>]) -> Self {
        let mut choices = Vec::new();
        if let Some(first) = equal.first() {
            choices.push(Whom {
                label: format!("no to {}", first.request.id),
                requests: vec![Arc::clone(first)],
            });
            if equal.len() > 1 {
                choices.push(Whom {
                    label: format!("no to these {} equal ones", equal.len()),
                    requests: equal.to_vec(),
                });
            }
            if of_agent.len() > 1 {
                let who = shown::line(&first.request.lineage.to_string());
                choices.push(Whom {
                    label: format!("no to all {} that {who} asks now", of_agent.len()),
                    requests: of_agent.to_vec(),
                });
            }
        }
        Self {
            choices,
            at: 0,
            field: Field::new(Lines::One, ""),
        }
    }

    /// The same, with all of its agent chosen.
    pub(super) fn agents(equal: &[Arc<OpenRequest>], of_agent: &[Arc<OpenRequest>]) -> Self {
        let mut panel = Self::this(equal, of_agent);
        panel.at = panel.choices.len().saturating_sub(1);
        panel
    }

    pub(super) fn paste(&mut self, text: &str) -> Pasted {
        self.field.paste(text)
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        match key {
            Key::Esc => Turn::Close,
            Key::Tab => {
                self.at = self.at.saturating_add(1) % self.choices.len().max(1);
                Turn::Changed
            }
            Key::Enter => {
                let text = self.field.text().trim();
                let text: Option<Box<str>> = (!text.is_empty()).then(|| text.into());
                let requests = self.choices.get(self.at).map(|whom| &whom.requests);
                let answers = requests.into_iter().flatten().map(|open| {
                    let kind = VerdictKind::Deny { text: text.clone() };
                    (Arc::clone(open), kind)
                });
                Turn::Send(answers.collect())
            }
            // These scroll the list.
            Key::Up | Key::Down | Key::PageUp | Key::PageDown => Turn::Other,
            key => match self.field.take(key) {
                Took::Taken => Turn::Stay,
                Took::Left => Turn::Other,
            },
        }
    }

    pub(super) fn form(&self, width: u16) -> Form {
        let mut lines = Vec::new();
        let chosen = self.choices.get(self.at);
        let requests = chosen.map_or(&[][..], |whom| &whom.requests);
        if requests.len() > 1 {
            lines.extend(requests.iter().map(|open| {
                let request = &open.request;
                Line::mixed(
                    Ink::new(Tone::Quiet, format!("  {}  ", request.id)),
                    vec![
                        Ink::new(Tone::Plain, call_line(&request.call)),
                        Ink::new(
                            Tone::Quiet,
                            format!("  {}", shown::line(&request.lineage.to_string())),
                        ),
                    ],
                )
            }));
        }
        let mut keys = vec![("Enter", "refuse"), ("Esc", "back")];
        if self.choices.len() > 1 {
            keys.push(("Tab", "refuse more, or less"));
        }
        Form {
            title: chosen.map_or_else(String::new, |whom| whom.label.clone()),
            body: wrap(&lines, width),
            field: Some((
                "tell the agent: ",
                self.field.drawn(width.saturating_sub(16)),
            )),
            keys,
        }
    }
}
