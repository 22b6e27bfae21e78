//! Assignments: what they leave behind, and what they may change.

use pointsman_model::{Assignment, AssignmentWeight, OpaqueWhy, Span, Word as ModelWord};

use super::{Scene, Walker};
use crate::field::Field;
use crate::limits::{ALTERNATIVES_MAX, FIELDS_MAX, VALUE_BYTES_MAX, VARIABLES_MAX};
use crate::state::{State, Value};
use crate::syntax::{Assign, AssignValue, Range};
use crate::variables::{weigh, weigh_value};

impl Walker<'_> {
    /// Walks what is expanded in an assignment.
    pub(crate) fn walk_assign(
        &mut self,
        scene: &Scene<'_>,
        assign: &Assign<'_>,
        state: &mut State,
    ) {
        if let Some(index) = &assign.index {
            self.computed(scene, index, state, index.span);
        }
        match &assign.value {
            AssignValue::One(word) => {
                self.words_of(scene, std::slice::from_ref(word), state);
            }
            AssignValue::Array(words) => self.words_of(scene, words, state),
        }
    }

    /// The value that an assignment gives.
    pub(crate) fn assigned(&self, scene: &Scene<'_>, assign: &Assign<'_>, state: &State) -> Value {
        let at = self.expander(scene, state);
        let value = match &assign.value {
            AssignValue::One(word) => at.value(word),
            AssignValue::Array(words) => {
                let fields = at.all(words);
                let plain = |field: &Field| {
                    let text = field.text()?;
                    (!text.starts_with('[')).then(|| text.into())
                };
                let texts = fields.and_then(|fields| fields.iter().map(plain).collect());
                texts.map_or(Value::Unknown, Value::List)
            }
        };
        if assign.index.is_some() {
            return Value::Unknown;
        }
        if !assign.append {
            return value;
        }
        match (state.variables.get(assign.name), value) {
            (Some(Value::Texts(before)), Value::Texts(after)) => {
                let longest = |texts: &[Box<str>]| texts.iter().map(|text| text.len()).max();
                let bytes = longest(before).unwrap_or(0) + longest(&after).unwrap_or(0);
                if before.len() * after.len() > ALTERNATIVES_MAX || bytes > VALUE_BYTES_MAX {
                    return Value::Unknown;
                }
                let mut joined = Vec::new();
                for front in before {
                    for back in &after {
                        joined.push(format!("{front}{back}").into());
                    }
                }
                Value::Texts(joined)
            }
            (Some(Value::List(before)), Value::List(after))
                if before.len() + after.len() <= FIELDS_MAX =>
            {
                Value::List(before.iter().cloned().chain(after).collect())
            }
            _ => Value::Unknown,
        }
    }

    /// The assignment in front of these fields, as the model says it.
    pub(crate) fn shown(
        &self,
        scene: &Scene<'_>,
        assign: &Assign<'_>,
        before: &[Field],
        state: &State,
    ) -> Assignment {
        let value = match &assign.value {
            AssignValue::One(word) => {
                let at = self.expander(scene, state);
                let known = match at.value(word) {
                    Value::Texts(mut texts) if texts.len() == 1 => texts.pop(),
                    Value::Texts(_)
                    | Value::Among(_)
                    | Value::List(_)
                    | Value::Patterns(_)
                    | Value::Number
                    | Value::Unknown => None,
                };
                ModelWord {
                    value: known.map_or(pointsman_model::WordValue::Unknown, |text| {
                        pointsman_model::WordValue::Literal(text.into())
                    }),
                    source: word.span.of(scene.source).into(),
                    span: scene.span(word.span),
                }
            }
            AssignValue::Array(_) => ModelWord {
                value: pointsman_model::WordValue::Unknown,
                source: assign.span.of(scene.source).into(),
                span: scene.span(assign.span),
            },
        };
        Assignment {
            name: assign.name.into(),
            weight: if assign.name == "IFS" && splits_a_line(before) {
                AssignmentWeight::Harmless
            } else {
                weigh_value(assign.name, value.literal())
            },
            value,
        }
    }

    /// Sets a variable by other means than an assignment: a loop, `read`, `${x:=y}`.
    pub(crate) fn set_outside(
        &mut self,
        scene: &Scene<'_>,
        name: &str,
        value: Value,
        state: &mut State,
    ) {
        if weigh(name) == AssignmentWeight::ChangesWhatRuns {
            self.environment(
                scene.within.unwrap_or(0),
                scene,
                name,
                scene.span(Range::default()),
            );
        }
        if Self::runs_by_value(name, &value, state) {
            let (part, view) = (scene.within.unwrap_or(0), scene.view);
            let span = scene.span(Range::default());
            self.sink
                .opaque(part, view, OpaqueWhy::UnknownScript, name, span);
        }
        self.keep(name, value, state);
    }

    /// Whether giving this value to the variable computes an expression that may run something.
    pub(crate) fn runs_by_value(name: &str, value: &Value, state: &State) -> bool {
        let suspicious = |text: &str| text.contains('[') && text.contains(['$', '`']);
        state.is_integer(name)
            && match value {
                Value::Texts(texts) | Value::List(texts) => texts.iter().any(|it| suspicious(it)),
                Value::Number => false,
                Value::Among(_) | Value::Patterns(_) | Value::Unknown => true,
            }
    }

    /// Remembers a value. The folder's own variables are never taken from an assignment.
    pub(crate) fn keep(&mut self, name: &str, value: Value, state: &mut State) {
        let crowded = state.variables.len() >= VARIABLES_MAX;
        if crowded && !state.variables.contains_key(name) {
            self.sink.full = true;
            return;
        }
        state.set(name, value);
    }

    /// An assignment that changes what later commands run.
    pub(crate) fn environment(&mut self, part: u32, scene: &Scene<'_>, text: &str, span: Span) {
        self.sink
            .opaque(part, scene.view, OpaqueWhy::Environment, text, span);
    }
}

/// Whether `IFS` is for the one command that splits its input by it.
fn splits_a_line(fields: &[Field]) -> bool {
    fields
        .first()
        .is_some_and(|field| field.is("read") || field.is("mapfile") || field.is("readarray"))
}
