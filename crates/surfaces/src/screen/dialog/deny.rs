//! Saying no: to this request, to equal ones, or to all that an agent asks; with words for the agent.

use std::sync::Arc;

use pointsman_approvals::OpenRequest;
use pointsman_model::VerdictKind;

use super::{End, Form, Turn, gone_lines};
use crate::render::call_line;
use crate::screen::field::{Field, Lines, Pasted, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Ink, Line, Tone, wrap};
use crate::shown;

/// How far a no goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The drawn request.
    This,
    /// It and its equals, whoever asks them.
    Equal,
    /// All that its agent asks, and agents below it.
    Agent,
}

/// To whom the no is said, and exactly which requests that are.
#[derive(Debug)]
struct Whom {
    reach: Reach,
    label: String,
    requests: Vec<Arc<OpenRequest>>,
}

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct DenyPanel {
    choices: Vec<Whom>,
    at: usize,
    field: Field,
    /// Those among all the choices that have ended meanwhile.
    gone: Vec<End>,
}

impl DenyPanel {
    /// A no to the first of these equal requests; the others, and all of its agent, may be chosen.
    pub(super) fn this(equal: &[Arc<OpenRequest>], of_agent: &[Arc<OpenRequest>]) -> Self {
        let mut choices = Vec::new();
        if let Some(first) = equal.first() {
            choices.push(Whom {
                reach: Reach::This,
                label: format!("no to {}", first.request.id),
                requests: vec![Arc::clone(first)],
            });
            if equal.len() > 1 {
                choices.push(Whom {
                    reach: Reach::Equal,
                    label: format!("no to these {} equal ones", equal.len()),
                    requests: equal.to_vec(),
                });
            }
            choices.push(Whom {
                reach: Reach::Agent,
                label: agent_label(first, of_agent),
                requests: of_agent.to_vec(),
            });
        }
        Self {
            choices,
            at: 0,
            field: Field::new(Lines::One, ""),
            gone: Vec::new(),
        }
    }

    /// One of them has ended.
    pub(super) fn ended(&mut self, end: &End) {
        self.gone.push(end.clone());
    }

    /// Those of a choice that have ended meanwhile.
    fn gone_of(&self, whom: &Whom) -> Vec<End> {
        let is_of = |end: &&End| whom.requests.iter().any(|open| open.request.id == end.id);
        self.gone.iter().filter(is_of).cloned().collect()
    }

    /// The same, with all of its agent chosen.
    pub(super) fn agents(equal: &[Arc<OpenRequest>], of_agent: &[Arc<OpenRequest>]) -> Self {
        let mut panel = Self::this(equal, of_agent);
        let agent = |whom: &Whom| whom.reach == Reach::Agent;
        panel.at = panel.choices.iter().position(agent).unwrap_or(0);
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
        let gone = chosen.map_or_else(Vec::new, |whom| self.gone_of(whom));
        lines.extend(gone_lines(&gone));
        let label = chosen.map_or_else(String::new, |whom| whom.label.clone());
        let title = match (gone.len(), requests.len()) {
            (0, _) => label,
            (_, 1) => format!("{label}, which has ended"),
            (gone, all) => format!("{label}, {} of them open still", all.saturating_sub(gone)),
        };
        let mut keys = vec![("Enter", "refuse"), ("Esc", "back")];
        if self.choices.len() > 1 {
            keys.push(("Tab", "refuse more, or less"));
        }
        Form {
            title,
            body: wrap(&lines, width),
            field: Some((
                "tell the agent: ",
                self.field.drawn(width.saturating_sub(16)),
            )),
            keys,
        }
    }
}

/// What all that an agent asks is called: agents below it are named where some of them ask.
fn agent_label(first: &OpenRequest, of_agent: &[Arc<OpenRequest>]) -> String {
    let lineage = &first.request.lineage;
    let who = shown::line(&lineage.to_string());
    let worker = lineage.agent().worker;
    let own = |open: &Arc<OpenRequest>| open.request.lineage.agent().worker == worker;
    let count = of_agent.len();
    match of_agent.iter().all(own) {
        true if count == 1 => format!("no to all that {who} asks now: {}", first.request.id),
        true => format!("no to all {count} that {who} asks now"),
        false => format!("no to all {count} that {who} and agents below it ask now"),
    }
}
