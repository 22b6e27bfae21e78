//! Expressions: `(( ))`, `$(( ))`, subscripts, and the comparisons of `[[ ]]`.
//!
//! They look harmless and are not always: Bash reads the value of a variable in them as an
//! expression again, and a subscript in such a text runs the substitutions in it.

use std::collections::BTreeSet;

use pointsman_model::OpaqueWhy;

use super::{Scene, Walker};
use crate::expand::{Expander, Output};
use crate::field::Field;
use crate::state::{State, Value, is_plain_number};
use crate::syntax::{Form, Parameter, Piece, Range, Word};
use crate::work;

impl Walker<'_> {
    /// An arithmetic expression. Bash reads the variables in it as expressions again, and a
    /// subscript in such a text runs what is in it.
    pub(crate) fn computed(
        &mut self,
        scene: &Scene<'_>,
        expression: &Word<'_>,
        state: &mut State,
        range: Range,
    ) {
        self.pieces(scene, expression, state);
        self.expression(scene, expression, state, range);
    }

    /// The same, where what is expanded in it was walked before.
    pub(super) fn expression(
        &mut self,
        scene: &Scene<'_>,
        expression: &Word<'_>,
        state: &mut State,
        range: Range,
    ) {
        let part = scene.within.unwrap_or(0);
        let text = expression.span.of(scene.source);
        let at = self.expander(scene, state);
        if puts_code(&at, expression) || leads_to_code(text, state) {
            self.sink.opaque(
                part,
                scene.view,
                OpaqueWhy::UnknownScript,
                text,
                scene.span(range),
            );
        }
        self.numbers(scene, text, state);
    }

    /// Sets the variables that an expression may set.
    pub(crate) fn numbers(&mut self, scene: &Scene<'_>, text: &str, state: &mut State) {
        let set: Vec<&str> = names_in(text)
            .filter(|(at, name)| assigns(text, *at, name))
            .map(|(_, name)| name)
            .collect();
        let surely = match set.as_slice() {
            [name] => always_sets(text, name, state),
            _ => false,
        };
        for name in set {
            let value = match state.variables.get(name) {
                // A part of it may not be computed, or none.
                Some(before) if !surely => before.clone().join(Value::Number),
                Some(_) | None => Value::Number,
            };
            self.set_outside(scene, name, value, state);
        }
    }

    /// `[[ ... ]]`: arithmetic comparisons are computed, and `-v` looks at a subscript.
    pub(super) fn condition(
        &mut self,
        scene: &Scene<'_>,
        words: &[Word<'_>],
        state: &mut State,
        range: Range,
    ) {
        self.words_of(scene, words, state);
        let mut before: Option<&Word<'_>> = None;
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if matches!(
                word.bare(),
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R")
            ) {
                for side in [before, words.peek().copied()].into_iter().flatten() {
                    self.compared(scene, side, state, range);
                }
            }
            before = Some(word);
        }
    }

    /// `${!x}`: the subscript in the name that it finds is computed.
    pub(super) fn indirect(&mut self, scene: &Scene<'_>, parameter: &Parameter<'_>, state: &State) {
        if lists_names(scene, parameter) || !finds_code(&self.expander(scene, state), parameter) {
            return;
        }
        self.sink.opaque(
            scene.within.unwrap_or(0),
            scene.view,
            OpaqueWhy::UnknownScript,
            parameter.name,
            scene.span(Range::default()),
        );
    }

    fn compared(&mut self, scene: &Scene<'_>, word: &Word<'_>, state: &mut State, range: Range) {
        for piece in &word.pieces {
            if let Piece::Parameter(parameter) = piece
                && matches!(
                    state.variables.get(parameter.name),
                    Some(Value::Unknown | Value::Among(_))
                )
                && parameter.form == Form::Plain
            {
                self.sink.opaque(
                    scene.within.unwrap_or(0),
                    scene.view,
                    OpaqueWhy::UnknownScript,
                    word.span.of(scene.source),
                    scene.span(range),
                );
            }
        }
        self.computed(scene, word, state, range);
    }
}

/// `${!x*}`, `${!x@}` and `${!x[@]}`, which list names and follow none.
fn lists_names(scene: &Scene<'_>, parameter: &Parameter<'_>) -> bool {
    match (&parameter.index, parameter.words.as_slice()) {
        (Some(index), []) => matches!(index.bare(), Some("@" | "*")),
        (None, [word]) => {
            let operator = (word.span.start as usize).checked_sub(1);
            let operator = operator.and_then(|at| scene.source.as_bytes().get(at));
            word.pieces.is_empty() && matches!(operator, Some(b'*' | b'@'))
        }
        _ => false,
    }
}

/// Whether the name that `${!x}` finds has a subscript that runs something, or is one that nobody knows.
fn finds_code(at: &Expander<'_>, parameter: &Parameter<'_>) -> bool {
    let code = |text: &str| runs_in_subscript(text, at.state);
    match parameter.name {
        // Numbers, and the letters of settings.
        "#" | "?" | "$" | "!" | "-" => false,
        "@" | "*" => {
            let given = at.state.positional.as_deref();
            given.is_none_or(|fields| fields.iter().any(|it| it.text().is_none_or(code)))
        }
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            may_be(&at.positional(digits), code)
        }
        // What the line was started with is no news to the one who wrote it.
        name => at
            .state
            .variables
            .get(name)
            .is_some_and(|it| may_be(it, code)),
    }
}

/// Whether the value is a text of that kind, or one that nobody knows.
fn may_be(value: &Value, kind: impl Fn(&str) -> bool) -> bool {
    match value {
        Value::Texts(texts) | Value::List(texts) => texts.iter().any(|text| kind(text)),
        Value::Number => false,
        Value::Among(_) | Value::Patterns(_) | Value::Unknown => true,
    }
}

/// Whether a text that is looked up as the name of a variable has a subscript that runs something or sets a variable.
pub(crate) fn runs_in_subscript(text: &str, state: &State) -> bool {
    let Some((name, behind)) = text.split_once('[') else {
        return false;
    };
    let subscript = behind.split(']').next().unwrap_or(behind);
    let sets = ["=", "++", "--"].iter().any(|it| subscript.contains(it));
    let runs = sets || behind.contains(['$', '`']) || leads_to_code(subscript, state);
    !name.contains('=') && runs
}

/// Whether a text is put into the expression that runs something, or one that nobody knows.
fn puts_code(at: &Expander<'_>, expression: &Word<'_>) -> bool {
    let code = |text: &str| is_code(text) || leads_to_code(text, at.state);
    let field = |field: &Field| field.text().is_none_or(code);
    expression.pieces.iter().any(|piece| match piece {
        Piece::Quoted(text) => text.contains(['$', '`']),
        Piece::Substitution(substitution) => match at.printed(substitution) {
            Output::Text(text) => code(&text),
            Output::Number => false,
            Output::Names(_) | Output::Unknown => true,
        },
        Piece::Parameter(parameter) => {
            let given = at.state.positional.as_deref();
            let unknown = match parameter.name {
                _ if parameter.form == Form::Length => false,
                "@" | "*" => given.is_none_or(|fields| fields.iter().any(field)),
                name if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                    match at.positional(name) {
                        Value::Texts(texts) => texts.iter().any(|text| code(text)),
                        Value::Number => false,
                        Value::Among(_) | Value::List(_) | Value::Patterns(_) | Value::Unknown => {
                            true
                        }
                    }
                }
                _ => false,
            };
            unknown || parameter.words.iter().any(|word| puts_code(at, word))
        }
        Piece::Text(_) | Piece::Process(_) | Piece::Arithmetic(_) => false,
    })
}

/// Whether a variable that is named in the text, or in the value of one that is, holds a text that runs something, or one
/// that nobody knows.
pub(crate) fn leads_to_code(text: &str, state: &State) -> bool {
    let mut seen = BTreeSet::new();
    let mut texts = vec![text];
    while let Some(text) = texts.pop() {
        for (_, name) in names_in(text).filter(|(_, name)| seen.insert(*name)) {
            match state.variables.get(name) {
                Some(Value::Texts(values) | Value::List(values)) => {
                    if values.iter().any(|value| is_code(value)) {
                        return true;
                    }
                    texts.extend(values.iter().map(AsRef::as_ref));
                }
                Some(Value::Number) | None => {}
                // Names of files are as they are.
                Some(Value::Among(_) | Value::Patterns(_) | Value::Unknown) => return true,
            }
        }
    }
    false
}

/// Whether a text may run something where it is computed.
fn is_code(text: &str) -> bool {
    text.contains(['[', '$', '`', '('])
}

/// The names in an expression, and where they stand.
fn names_in(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
        .map(move |name| {
            let start = at;
            // What parts them is one character, of whatever width.
            at += name.len();
            at += text
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(0, char::len_utf8);
            (start, name)
        })
        .filter(|(_, name)| {
            !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit())
        })
}

/// Whether the expression is a plain one that does nothing but set the variable, and can't fail: `x=1`, `x+=y*2`, `x++`.
fn always_sets(text: &str, name: &str, state: &State) -> bool {
    work::count(text.len());
    let text = text.trim();
    let steps = ["++", "--"].map(|it| text.strip_prefix(it).or_else(|| text.strip_suffix(it)));
    if steps.into_iter().flatten().any(|it| it.trim() == name) {
        return is_operand(name, state);
    }
    let Some((left, right)) = text.split_once('=') else {
        return false;
    };
    let target = left.strip_suffix(['+', '-', '*']);
    let computed = target.is_none_or(|_| is_operand(name, state));
    target.unwrap_or(left).trim() == name
        && computed
        && right
            .split(['+', '-', '*'])
            .all(|it| is_operand(it.trim(), state))
}

/// Whether the text is a number or the name of one.
fn is_operand(text: &str, state: &State) -> bool {
    let inner = text.strip_prefix('$').unwrap_or(text);
    let name = inner.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    let name = name.unwrap_or(inner);
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    is_plain_number(text)
        || is_name
            && match state.variables.get(name) {
                Some(Value::Texts(texts)) => texts.iter().all(|text| is_plain_number(text)),
                // Where it is something that can't be computed, nobody knows what runs.
                Some(Value::Number | Value::Unknown) | None => true,
                Some(Value::Among(_) | Value::List(_) | Value::Patterns(_)) => false,
            }
}

/// Whether the expression may set the variable that is named at this place.
fn assigns(text: &str, at: usize, name: &str) -> bool {
    let before = text.get(..at).unwrap_or("").trim_end();
    let after = text.get(at + name.len()..).unwrap_or("").trim_start();
    let set = after.starts_with('=') && !after.starts_with("==");
    let changed = after.len() > 1
        && after.as_bytes().get(1) == Some(&b'=')
        && matches!(
            after.as_bytes().first(),
            Some(b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^')
        );
    let shifted = after.starts_with("<<=") || after.starts_with(">>=");
    let stepped = after.starts_with("++")
        || after.starts_with("--")
        || before.ends_with("++")
        || before.ends_with("--");
    let indexed = after.starts_with('[');
    set || changed || shifted || stepped || indexed
}
