//! Branches and loops: each way that the line could go, and bodies until nothing new comes of them.

use super::{Input, Scene, Walker};
use crate::expand::escaped;
use crate::field::{Field, Known};
use crate::state::{State, Value};
use crate::syntax::{Command, LoopKind, Script, Word};

/// How often a loop's body is walked before what it changes is given up as unknown.
const ROUNDS_MAX: usize = 4;

impl Walker<'_> {
    /// `if`: the conditions one after another, each body for itself.
    pub(super) fn branches(
        &mut self,
        scene: &Scene<'_>,
        arms: &[(Script<'_>, Script<'_>)],
        otherwise: Option<&Script<'_>>,
        state: &mut State,
        input: &Input,
    ) {
        let mut ends: Option<State> = None;
        let mut end = |state: State| match &mut ends {
            Some(ends) => ends.join(&state),
            None => ends = Some(state),
        };
        for (condition, body) in arms {
            self.script(scene, condition, state, input);
            let mut own = state.clone();
            self.script(scene, body, &mut own, input);
            if !body.items.last().is_some_and(|it| self.ends_in(it, &own)) {
                end(own);
            }
        }
        if let Some(script) = otherwise {
            self.script(scene, script, state, input);
        }
        if let Some(ends) = ends {
            state.join(&ends);
        }
    }

    /// Walks a body that may run any number of times. What it takes of this input, no later round finds.
    pub(super) fn repeat(
        &mut self,
        state: &mut State,
        input: &Input,
        mut body: impl FnMut(&mut Self, &mut State),
    ) {
        let repeats = std::mem::replace(&mut self.sink.repeats, true);
        let outer = self.sink.looped_from;
        let here = self.sink.effects.len();
        self.sink.looped_from.get_or_insert(here);
        let entry = state.clone();
        for round in 0..=ROUNDS_MAX {
            let before = state.clone();
            if round == ROUNDS_MAX {
                state.forget_changes(&entry);
            }
            let mut own = state.clone();
            // What it feeds itself is new in each round.
            let inputs = [Some(input.clone()), before.input().cloned()];
            let taken = || {
                inputs
                    .each_ref()
                    .map(|it| it.as_ref()?.text_and_taken().map(|it| it.1))
            };
            let taken_before = taken();
            self.round(&mut own, &mut body);
            state.join(&own);
            if *state == before && taken() == taken_before || self.sink.full {
                break;
            }
        }
        self.sink.repeats = repeats;
        self.sink.looped_from = outer;
    }

    /// Walks a loop's condition, and leaves the state in which the body runs. Gives the one in which the loop ends.
    pub(super) fn condition_of(
        &mut self,
        scene: &Scene<'_>,
        kind: LoopKind,
        condition: &Script<'_>,
        state: &mut State,
        input: &Input,
    ) -> State {
        let asked = match (kind, condition.items.last().map(|it| &it.command)) {
            (LoopKind::While, Some(Command::Simple(simple))) => Some(simple)
                .filter(|it| it.words.first().and_then(Word::bare) == Some("read"))
                .filter(|_| !state.functions.contains_key("read")),
            _ => None,
        };
        let span = asked.map(|it| scene.span(it.span));
        let outer = std::mem::replace(&mut self.asked, span);
        self.script(scene, condition, state, input);
        self.asked = outer;
        let mut end = state.clone();
        let words = asked.map_or(&[][..], |it| &it.words);
        for name in words.iter().skip(1).filter_map(Word::bare) {
            // There is no line left.
            if let Some(value @ (Value::Texts(_) | Value::Among(_))) = state.variables.get(name) {
                end.put(name, value.clone().join(Value::text("")));
            }
        }
        end
    }

    pub(super) fn for_each(
        &mut self,
        scene: &Scene<'_>,
        name: &str,
        words: Option<&[Word<'_>]>,
        body: &Script<'_>,
        state: &mut State,
        input: &Input,
    ) {
        let mut value = Value::Unknown;
        if let Some(words) = words {
            self.words_of(scene, words, state);
            let fields = self.expander(scene, state).all(words);
            let Some(fields) = fields.filter(|fields| self.step_over(fields)) else {
                self.sink.full = true;
                return;
            };
            if fields.is_empty() {
                return;
            }
            self.split_otherwise(scene, words, state);
            let texts: Option<Vec<Box<str>>> = fields
                .iter()
                .map(|field| field.text().map(Into::into))
                .collect();
            if fields.len() > crate::limits::ALTERNATIVES_MAX {
                if fields.iter().all(|field| is_counter(field.text())) {
                    value = Value::Number;
                }
            } else if let Some(texts) = texts {
                value = Value::Texts(texts);
            } else if let Some(patterns) = patterns(&fields) {
                value = Value::Patterns(patterns);
            } else if fields.iter().all(|field| is_counter(field.text())) {
                value = Value::Number;
            }
        }
        // Set before too: a body that changes nothing else needs no second round then.
        self.set_outside(scene, name, value.clone(), state);
        self.repeat(state, input, |walker, state| {
            walker.set_outside(scene, name, value.clone(), state);
            walker.script(scene, body, state, input);
        });
    }
}

/// The fields as patterns for names of files, when each is one or a text.
fn patterns(fields: &[Field]) -> Option<Vec<Box<str>>> {
    fields
        .iter()
        .map(|field| match &field.known {
            Known::Text(text) => Some(escaped(text).into()),
            Known::Glob(pattern) => Some(pattern.as_str().into()),
            Known::Unknown(_) => None,
        })
        .collect()
}

/// Whether the text is a number without a sign.
fn is_counter(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}
