//! Variables of a command that may have one of several values.

use super::Scene;
use crate::state::{State, Value};
use crate::syntax::{AssignValue, Piece, RedirectKind, Simple, Word};

/// The variables in the command's words that have several values.
pub(super) fn names(scene: &Scene<'_>, simple: &Simple<'_>, state: &State) -> Vec<Box<str>> {
    let mut found = Vec::new();
    if state.variables.is_empty() {
        return found;
    }
    let mut look = |word: &Word<'_>| find(word, state, &mut found);
    simple.words.iter().for_each(&mut look);
    for assign in simple.assignments.iter().chain(&simple.declared) {
        match &assign.value {
            AssignValue::One(word) => look(word),
            AssignValue::Array(words) => words.iter().for_each(&mut look),
        }
    }
    for redirect in &simple.redirects {
        match redirect.kind {
            RedirectKind::Document => {
                let number = redirect.target.span.start as usize;
                if let Some(body) = scene.documents.get(number) {
                    look(body);
                }
            }
            _ => look(&redirect.target),
        }
    }
    found
}

fn find(word: &Word<'_>, state: &State, found: &mut Vec<Box<str>>) {
    for piece in &word.pieces {
        let Piece::Parameter(parameter) = piece else {
            continue;
        };
        for inner in &parameter.words {
            find(inner, state, found);
        }
        let several = match state.variables.get(parameter.name) {
            Some(Value::Texts(texts) | Value::Patterns(texts)) => texts.len() > 1,
            Some(Value::Among(_)) => true,
            Some(Value::List(_) | Value::Number | Value::Unknown) | None => false,
        };
        if several && !found.iter().any(|name| **name == *parameter.name) {
            found.push(parameter.name.into());
        }
    }
}
