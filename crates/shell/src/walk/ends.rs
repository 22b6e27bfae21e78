//! Where functions and loops end before their end: `return`, `break` and `continue`.
//!
//! What is known at such a place is kept until the function or the loop is done, and joined there
//! with what is known at its end.

use super::Walker;
use crate::field::Field;
use crate::state::{State, Value};
use crate::syntax::{Body, Command, Form, Item, Parameter, Piece, Simple, Word};

/// How functions and loops at hand may have left things where they ended before their end.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// The function.
    pub(super) returned: Option<State>,
    /// The loops, the outermost first.
    loops: Vec<Option<State>>,
    /// So many of them, the innermost ones, are in the same process and function as the command at hand.
    here: usize,
}

impl Ends {
    fn add(end: &mut Option<State>, state: &State) {
        match end {
            Some(end) => end.join(state),
            None => *end = Some(state.clone()),
        }
    }
}

impl Walker<'_> {
    /// The function at hand may end here.
    pub(crate) fn returns(&mut self, state: &State) {
        if state.is_in_function() {
            Ends::add(&mut self.ends.returned, state);
        }
    }

    /// `break` and `continue` with these arguments: as many loops as they say may end here, or their rounds. Those around a
    /// function that is called are among them for the Z shell.
    pub(crate) fn leaves_loops(&mut self, args: &[Field], state: &State) {
        let levels = match args {
            [] => 1,
            [levels] => levels
                .text()
                .and_then(|text| text.parse().ok())
                .unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        for end in self.ends.loops.iter_mut().rev().take(levels.max(1)) {
            Ends::add(end, state);
        }
    }

    /// All loops may end here: code runs that nobody knows.
    pub(crate) fn may_leave_all_loops(&mut self, state: &State) {
        for end in &mut self.ends.loops {
            Ends::add(end, state);
        }
    }

    /// Walks a round of a loop. What is known at its end takes in what is known where it may be left.
    pub(super) fn round(&mut self, state: &mut State, body: impl FnOnce(&mut Self, &mut State)) {
        self.ends.loops.push(None);
        self.ends.here += 1;
        body(self, state);
        self.ends.here -= 1;
        if let Some(mut left) = self.ends.loops.pop().flatten() {
            left.leave_functions_of(state);
            state.join(&left);
        }
    }

    /// Walks what can't end the loops around it: a process of its own, or a function's body.
    pub(super) fn out_of_loops<R>(&mut self, walk: impl FnOnce(&mut Self) -> R) -> R {
        let here = std::mem::take(&mut self.ends.here);
        let done = walk(self);
        self.ends.here = here;
        done
    }

    /// Walks a text that is run at some other place than where it stands. Gives whether it may end a function or a
    /// loop there.
    pub(crate) fn elsewhere(&mut self, walk: impl FnOnce(&mut Self)) -> bool {
        let around = std::mem::take(&mut self.ends);
        self.ends.loops.push(None);
        walk(self);
        let own = std::mem::replace(&mut self.ends, around);
        own.returned.is_some() || own.loops.iter().any(Option::is_some)
    }

    /// Whether nothing behind the command runs: `cd x || exit 1`.
    pub(super) fn leaves(&self, command: &Command<'_>, state: &State) -> bool {
        match command {
            Command::Simple(simple) => self.is_left_by(simple, state),
            Command::Compound(compound) => match &compound.body {
                // Where a redirect fails, it doesn't run.
                Body::Group(script) if compound.redirects.is_empty() => script
                    .items
                    .last()
                    .is_some_and(|it| self.ends_in(it, state)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether nothing behind the last command of a script runs.
    pub(super) fn ends_in(&self, last: &Item<'_>, state: &State) -> bool {
        !last.background && self.leaves(&last.command, state)
    }

    fn is_left_by(&self, simple: &Simple<'_>, state: &State) -> bool {
        let Some((name, args)) = simple.words.split_first() else {
            return false;
        };
        let name = name.bare().unwrap_or("");
        let leaves = match name {
            "exit" => true,
            "return" => state.is_in_function(),
            "break" | "continue" => self.ends.here > 0,
            _ => false,
        };
        leaves
            && simple.redirects.is_empty()
            && !state.functions.contains_key(name)
            && !args.iter().any(|word| may_be_option(word, state))
    }
}

/// Whether the word may be `--help`, with which nothing ends.
fn may_be_option(word: &Word<'_>, state: &State) -> bool {
    match word.pieces.as_slice() {
        [Piece::Text(text) | Piece::Quoted(text)] => text.starts_with('-'),
        [Piece::Parameter(parameter)] => {
            let mut words = parameter.words.iter();
            words.any(|word| may_be_option(word, state)) || may_hold_option(parameter, state)
        }
        [Piece::Arithmetic(_)] => false,
        _ => true,
    }
}

/// Whether a variable may hold `--help`.
fn may_hold_option(parameter: &Parameter<'_>, state: &State) -> bool {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match (parameter.name, state.variables.get(parameter.name)) {
        // What the line was started with is no news to the one who wrote it.
        ("?", _) | (_, None) => false,
        (_, Some(_)) if !matches!(parameter.form, Form::Plain | Form::Default) => true,
        (_, Some(Value::Number)) => false,
        (_, Some(Value::Texts(texts))) => !texts.iter().all(|text| number(text)),
        (_, Some(Value::Among(_) | Value::List(_) | Value::Patterns(_) | Value::Unknown)) => true,
    }
}
