//! Assignments: what they leave behind, and what they may change.

use pointsman_model::{Assignment, AssignmentWeight, OpaqueWhy, Span, Word as ModelWord};

use super::{Scene, Walker, leads_to_code};
use crate::field::Field;
use crate::limits::{ALTERNATIVES_MAX, FIELDS_MAX, VALUE_BYTES_MAX, VARIABLES_MAX};
use crate::state::{State, Value};
use crate::syntax::{Assign, AssignValue, Piece, Range, Simple, Word};
use crate::variables::{weigh, weigh_value};

/// What the subscripts in a list are: `a=([1]=x)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subscripts {
    /// Expressions.
    Computed,
    /// Texts as they are.
    Keys,
}

impl Subscripts {
    /// In what this command declares.
    fn declared_by(simple: &Simple<'_>) -> Self {
        let flags = simple.words.iter().skip(1).map_while(Word::bare);
        let mut flags = flags.take_while(|word| word.starts_with('-'));
        match flags.any(|flags| flags.contains('A')) {
            true => Self::Keys,
            false => Self::Computed,
        }
    }
}

impl Walker<'_> {
    /// Walks what is expanded in the assignments of a command.
    pub(super) fn walk_assigns(
        &mut self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        state: &mut State,
    ) {
        for assign in &simple.assignments {
            self.walk_assign(scene, assign, Subscripts::Computed, state);
        }
        for assign in &simple.declared {
            self.walk_assign(scene, assign, Subscripts::declared_by(simple), state);
        }
    }

    fn walk_assign(
        &mut self,
        scene: &Scene<'_>,
        assign: &Assign<'_>,
        subscripts: Subscripts,
        state: &mut State,
    ) {
        if let Some(index) = &assign.index {
            self.computed(scene, index, state, index.span);
        }
        match &assign.value {
            AssignValue::One(word) => {
                self.words_of(scene, std::slice::from_ref(word), state);
            }
            AssignValue::Array(words) => {
                self.words_of(scene, words, state);
                let computed = words.iter().filter(|_| subscripts == Subscripts::Computed);
                for subscript in computed.filter_map(|word| subscript_of(scene, word)) {
                    self.expression(scene, &subscript, state, assign.span);
                }
            }
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
                // What is put behind what the variable held, or into one of its elements, is not all that it holds.
                let whole = !assign.append && assign.index.is_none();
                let known = match at.value(word) {
                    Value::Texts(mut texts) if whole && texts.len() == 1 => texts.pop(),
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
        let suspicious = |text: &str| {
            text.contains('[') && text.contains(['$', '`']) || leads_to_code(text, state)
        };
        state.is_integer(name)
            && match value {
                Value::Texts(texts) | Value::List(texts) => texts.iter().any(|it| suspicious(it)),
                Value::Number => false,
                Value::Among(_) | Value::Patterns(_) | Value::Unknown => true,
            }
    }

    /// Remembers a value. The folder's own variables are never taken from an assignment.
    pub(crate) fn keep(&mut self, name: &str, value: Value, state: &mut State) {
        if self.has_room_for(name, state) {
            state.set(name, value);
        }
    }

    /// Whether the variable is among those that are followed; where it isn't, the line is too much.
    pub(super) fn has_room_for(&mut self, name: &str, state: &State) -> bool {
        let crowded = state.variables.len() >= VARIABLES_MAX;
        if crowded && !state.variables.contains_key(name) {
            self.sink.full = true;
        }
        !self.sink.full
    }

    /// An assignment that changes what later commands run.
    pub(crate) fn environment(&mut self, part: u32, scene: &Scene<'_>, text: &str, span: Span) {
        self.sink
            .opaque(part, scene.view, OpaqueWhy::Environment, text, span);
    }
}

/// The subscript in front of an element of a list.
fn subscript_of<'a>(scene: &Scene<'_>, element: &Word<'a>) -> Option<Word<'a>> {
    const ENDS: [&str; 2] = ["]=", "]+="];
    let mut pieces = Vec::new();
    for (number, piece) in element.pieces.iter().enumerate() {
        let Piece::Text(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        let inside = match number {
            0 => text.strip_prefix('[')?,
            _ => text,
        };
        match ENDS.iter().filter_map(|end| inside.find(end)).min() {
            Some(end) => {
                pieces.push(Piece::Text(inside.get(..end)?.to_owned().into()));
                let source = element.span.of(scene.source);
                // A name too many is looked at rather than one too few.
                let len = ENDS.iter().filter_map(|end| source.rfind(end)).max()?;
                let len = u32::try_from(len).ok()?;
                return Some(Word {
                    pieces: pieces.into(),
                    span: Range {
                        start: element.span.start + 1,
                        end: element.span.start + len,
                    },
                });
            }
            None => pieces.push(Piece::Text(inside.to_owned().into())),
        }
    }
    None
}

/// Whether `IFS` is for the one command that splits its input by it.
fn splits_a_line(fields: &[Field]) -> bool {
    fields
        .first()
        .is_some_and(|field| field.is("read") || field.is("mapfile") || field.is("readarray"))
}
