//! The four versions of one call, each a type of its own: as the model asked for it, as hooks saw
//! it, as the transcript keeps it, as it ran. Only the runtime turns one into the next.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CallId, Digest, ToolInput, ToolName};

/// A JSON object as text, kept byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JsonText(Arc<str>);

/// A text that is no JSON object.
#[derive(Debug, thiserror::Error)]
pub enum JsonTextError {
    /// Not JSON at all.
    #[error("the input is not JSON")]
    Syntax(#[source] serde_json::Error),
    /// JSON, but a list or a scalar.
    #[error("the input of a tool is a JSON object")]
    NotAnObject,
}

impl JsonText {
    /// Reads a JSON object, keeping its bytes.
    ///
    /// # Errors
    /// When the text is not JSON or not an object.
    pub fn parse(text: &str) -> Result<Self, JsonTextError> {
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(JsonTextError::Syntax)?;
        if text.trim_start().starts_with('{') {
            Ok(Self(text.into()))
        } else {
            Err(JsonTextError::NotAnObject)
        }
    }

    /// Writes a value that becomes an object.
    ///
    /// # Errors
    /// When it can't be written as JSON, or is no object.
    pub fn of<T: Serialize>(value: &T) -> Result<Self, JsonTextError> {
        Self::parse(&serde_json::to_string(value).map_err(JsonTextError::Syntax)?)
    }

    /// The bytes as they came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is such a text in it, as the name or the value of a field, however JSON writes it.
    #[must_use]
    pub fn has_text(&self, is: impl Fn(&str) -> bool) -> bool {
        serde_json::from_str(&self.0).is_ok_and(|value| has_text(&value, &is))
    }

    /// The fingerprint of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

fn has_text(value: &serde_json::Value, is: &impl Fn(&str) -> bool) -> bool {
    match value {
        serde_json::Value::String(text) => is(text),
        serde_json::Value::Array(values) => values.iter().any(|value| has_text(value, is)),
        serde_json::Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| is(name) || has_text(value, is)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            false
        }
    }
}

impl TryFrom<String> for JsonText {
    type Error = JsonTextError;
    fn try_from(text: String) -> Result<Self, JsonTextError> {
        Self::parse(&text)
    }
}

impl From<JsonText> for String {
    fn from(text: JsonText) -> Self {
        text.0.as_ref().into()
    }
}

/// A call as the agent asked for it. Nothing about it is checked yet but that its input is an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// Made by the runtime, whatever id the model gave.
    pub id: CallId,
    /// The tool it names; it may not exist.
    pub tool: ToolName,
    /// The model's input, byte for byte.
    pub input: JsonText,
}

/// A call as the PreToolUse hooks saw it: the raw input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookedCall {
    /// The call's id.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The input that was handed to the hooks.
    pub input: JsonText,
}

/// A call as the transcript keeps it: tidied (absolute paths, defaults left out).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The call's id.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The tidied input.
    pub input: JsonText,
}

/// A call as it ran, or as it would run: after hooks' rewrites and a person's edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutedCall {
    /// The call's id.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The input, checked against the tool's schema.
    pub input: ToolInput,
    /// The same input as bytes; what is shown and what the digest covers.
    pub text: JsonText,
}
