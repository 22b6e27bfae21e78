//! The fields of a tool's input: one table from which both the JSON schema and the check are made,
//! so that what agents are told and what is taken never differ.

use pointsman_model::JsonText;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::InputProblem;

/// One field.
pub(crate) struct InputField {
    /// Its name.
    pub(crate) name: &'static str,
    /// What its value may be.
    pub(crate) kind: FieldKind,
    /// Whether it has to be there.
    pub(crate) need: FieldNeed,
    /// What it means, for the agent.
    pub(crate) meaning: &'static str,
}

/// What a value may be.
#[derive(Clone, Copy)]
pub(crate) enum FieldKind {
    /// Any text.
    Text,
    /// A text that is not empty.
    SomeText,
    /// True or false.
    Flag,
    /// A whole number within these bounds.
    Count { min: u64, max: u64 },
    /// One of these texts.
    OneOf(&'static [&'static str]),
}

/// Whether a field has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldNeed {
    /// It has to.
    Required,
    /// It may be left out, or null, which models write for the same.
    Optional,
}

/// A spelling this far from a field's is still taken for a slip of it.
const NEAR_MAX: usize = 3;

impl InputField {
    pub(crate) const fn required(
        name: &'static str,
        kind: FieldKind,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            need: FieldNeed::Required,
            meaning,
        }
    }

    pub(crate) const fn optional(
        name: &'static str,
        kind: FieldKind,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            need: FieldNeed::Optional,
            meaning,
        }
    }

    fn problem(&self, value: &Value) -> Option<InputProblem> {
        if value.is_null() && self.need == FieldNeed::Optional {
            return None;
        }
        let fits = match self.kind {
            FieldKind::Text => value.is_string(),
            FieldKind::SomeText => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            FieldKind::Flag => value.is_boolean(),
            FieldKind::Count { min, max } => value
                .as_u64()
                .is_some_and(|count| (min..=max).contains(&count)),
            FieldKind::OneOf(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
        };
        (!fits).then(|| InputProblem::Unfit {
            field: self.name,
            wanted: self.kind.words().into(),
            found: found(value).into(),
        })
    }
}

impl FieldKind {
    fn words(self) -> String {
        match self {
            Self::Text => "a text".into(),
            Self::SomeText => "a text that is not empty".into(),
            Self::Flag => "true or false".into(),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::OneOf(texts) => format!("one of {}", texts.join(", ")),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::SomeText => json!({ "type": "string", "minLength": 1 }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Count { min, max } => {
                json!({ "type": "integer", "minimum": min, "maximum": max })
            }
            Self::OneOf(texts) => json!({ "type": "string", "enum": texts }),
        }
    }
}

/// Says what a value is without repeating all of it.
fn found(value: &Value) -> String {
    const SHOWN_CHARS_MAX: usize = 40;
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
            let more = if shown.len() < text.len() { "…" } else { "" };
            format!("the text `{shown}{more}`")
        }
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The JSON schema of an input with these fields.
pub(crate) fn schema(fields: &[InputField]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = field.kind.schema();
            if let Value::Object(parts) = &mut schema {
                parts.insert("description".into(), field.meaning.into());
            }
            (field.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.need == FieldNeed::Required)
        .map(|field| field.name)
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Reads a raw input. All that is wrong with it is told at once.
pub(crate) fn check<T: DeserializeOwned>(
    fields: &[InputField],
    raw: &JsonText,
) -> Result<T, Vec<InputProblem>> {
    let unreadable =
        |error: serde_json::Error| vec![InputProblem::Unreadable(error.to_string().into())];
    let given: Map<String, Value> = serde_json::from_str(raw.as_str()).map_err(unreadable)?;
    let unknown = given
        .keys()
        .filter(|name| fields.iter().all(|field| field.name != name.as_str()))
        .map(|name| InputProblem::Unknown {
            field: name.as_str().into(),
            near: nearest(fields, name),
        });
    let unfit = fields
        .iter()
        .filter_map(|field| match given.get(field.name) {
            Some(value) => field.problem(value),
            None if field.need == FieldNeed::Required => Some(InputProblem::Missing {
                field: field.name,
                meaning: field.meaning,
            }),
            None => None,
        });
    let problems: Vec<InputProblem> = unknown.chain(unfit).collect();
    if problems.is_empty() {
        // The text is read a second time, since a map keeps the last of two fields of one name and hooks may
        // have kept the first; the typed reading refuses both.
        serde_json::from_str(raw.as_str()).map_err(unreadable)
    } else {
        Err(problems)
    }
}

fn nearest(fields: &[InputField], name: &str) -> Option<&'static str> {
    fields
        .iter()
        .map(|field| (strsim::levenshtein(field.name, name), field.name))
        .filter(|(distance, field)| *distance <= NEAR_MAX && *distance < field.len())
        .min()
        .map(|(_, field)| field)
}
