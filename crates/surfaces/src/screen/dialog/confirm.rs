//! The second act before something that can't be had back, or that nobody has weighed: a word to be typed out.
//!
//! What stands in it is what the answer would do: the input as it was changed, and the rule that goes with it.

use pointsman_model::{ExecutedCall, GrantRequest, JsonText, OtherInput, ToolInput, VerdictKind};

use crate::render::{call_line, scope_words};
use crate::screen::field::{Field, Lines, Took};
use crate::screen::key::Key;
use crate::screen::queue::Weight;
use crate::screen::sheet::{Line, Tone, call_lines, rule_lines, wrap};
use crate::secret::Secrets;

use super::{Answer, End, Form, Panel, Turn, gone_lines};

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct ConfirmPanel {
    answers: Vec<Answer>,
    weight: Weight,
    word: String,
    /// Those that have ended meanwhile.
    gone: Vec<End>,
    field: Field,
    /// Where the answers were made, and may be made otherwise.
    before: Box<Panel>,
}

impl ConfirmPanel {
    /// Asks for the id of the one that is to run, or for the number of all that are.
    pub(super) fn new(answers: Vec<Answer>, weight: Weight, before: Panel) -> Self {
        Self {
            word: word_of(&answers),
            answers,
            weight,
            gone: Vec::new(),
            field: Field::new(Lines::One, ""),
            before: Box::new(before),
        }
    }

    /// One of them has ended: it is not run, and what is to be typed out is another word.
    pub(super) fn ended(&mut self, end: &End) {
        match self.before.as_mut() {
            Panel::Allow(panel) => panel.ended(end),
            Panel::Deny(panel) => panel.ended(end),
            Panel::Confirm(_) | Panel::Edit(_) | Panel::Lift(_) => {}
        }
        let is_it = |(open, _): &Answer| open.request.id == end.id;
        if !self.answers.iter().any(is_it) {
            return;
        }
        self.gone.push(end.clone());
        if self.answers.len() > 1 {
            self.answers.retain(|answer| !is_it(answer));
            self.word = word_of(&self.answers);
        }
    }

    /// The panel that the answers were made in.
    pub(super) fn back(self) -> Panel {
        *self.before
    }

    pub(super) fn key(&mut self, key: Key) -> Turn {
        match key {
            Key::Esc => Turn::Close,
            Key::Enter if self.field.text().trim() == self.word => {
                Turn::Send(std::mem::take(&mut self.answers))
            }
            Key::Enter => Turn::Fault(format!(
                "`{}` is to be typed out; nothing was sent",
                self.word
            )),
            key => match self.field.take(key) {
                Took::Taken => Turn::Stay,
                Took::Left => Turn::Other,
            },
        }
    }

    pub(super) fn form(&self, width: u16) -> Form {
        let mut lines = Vec::new();
        if self.weight == Weight::Grave {
            lines.push(Line::plain(
                Tone::Danger,
                "this can't be had back or told, or changes who may do or run what:",
            ));
        }
        if let Some((open, kind)) = self.answers.first() {
            lines.extend(answer_lines(&open.request.call, kind));
        }
        lines.extend(gone_lines(&self.gone));
        lines.push(Line::told(
            Tone::Notice,
            format!("to run it, type `{}` and press Enter", self.word),
        ));
        Form {
            title: "are you sure?".into(),
            body: wrap(&lines, width),
            field: Some(("> ", self.field.drawn(width.saturating_sub(2)))),
            keys: vec![("Enter", "run it, once the word is there"), ("Esc", "back")],
        }
    }
}

/// The id of the one that is to run, or the number of all that are.
fn word_of(answers: &[Answer]) -> String {
    match answers {
        [(open, _)] => open.request.id.to_string(),
        many => format!("all {}", many.len()),
    }
}

/// What a yes to this call would have run and would grant.
fn answer_lines(call: &ExecutedCall, kind: &VerdictKind) -> Vec<Line> {
    let VerdictKind::Allow { edited, grant } = kind else {
        return Vec::new();
    };
    let mut lines = match edited {
        None => vec![Line::told(Tone::Plain, call_line(call))],
        Some(input) => {
            let note =
                "you changed it; deny and ask rules judge it again, its effects were not weighed:";
            let mut lines = vec![Line::plain(Tone::Notice, note)];
            lines.extend(call_lines(&edited_call(call, input), Secrets::Shown));
            lines
        }
    };
    lines.extend(grant.iter().flat_map(grant_lines));
    lines
}

fn grant_lines(grant: &GrantRequest) -> Vec<Line> {
    let heading = format!("and granted for later to {}:", scope_words(&grant.scope));
    let mut lines = vec![Line::told(Tone::Notice, heading)];
    lines.extend(rule_lines(&grant.rules));
    lines
}

/// The call with the input that the person wrote; one that does not fit its tool as it is written.
fn edited_call(call: &ExecutedCall, input: &JsonText) -> ExecutedCall {
    let text = input.as_str();
    let read = match &call.input {
        ToolInput::Bash(_) => serde_json::from_str(text).map(ToolInput::Bash).ok(),
        ToolInput::Write(_) => serde_json::from_str(text).map(ToolInput::Write).ok(),
        ToolInput::Edit(_) => serde_json::from_str(text).map(ToolInput::Edit).ok(),
        ToolInput::Read(_)
        | ToolInput::Glob(_)
        | ToolInput::Grep(_)
        | ToolInput::Spawn(_)
        | ToolInput::Other(_) => None,
    };
    let as_written = || ToolInput::Other(OtherInput { raw: input.clone() });
    ExecutedCall {
        input: read.unwrap_or_else(as_written),
        text: input.clone(),
        ..call.clone()
    }
}
