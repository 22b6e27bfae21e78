//! The second act before something that can't be had back: a word to be typed out.

use crate::render::call_line;
use crate::screen::field::{Field, Lines, Took};
use crate::screen::key::Key;
use crate::screen::sheet::{Line, Tone, wrap};

use super::{Answer, Form, Turn};

/// See the module's words.
#[derive(Debug)]
pub(in crate::screen) struct ConfirmPanel {
    answers: Vec<Answer>,
    word: String,
    field: Field,
}

impl ConfirmPanel {
    /// Asks for the id of the one that is to run, or for the number of all that are.
    pub(super) fn new(answers: Vec<Answer>) -> Self {
        let word = match answers.as_slice() {
            [(open, _)] => open.request.id.to_string(),
            many => format!("all {}", many.len()),
        };
        Self {
            answers,
            word,
            field: Field::new(Lines::One, ""),
        }
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
        let mut lines = vec![Line::plain(
            Tone::Danger,
            "this can't be had back, or changes who may do what:",
        )];
        if let Some((open, _)) = self.answers.first() {
            lines.push(Line::told(Tone::Plain, call_line(&open.request.call)));
        }
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
