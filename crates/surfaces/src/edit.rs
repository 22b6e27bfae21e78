//! The part of a call's input that a person may rewrite before it runs: the command of Bash, the content of Write, the
//! new text of Edit; of other tools the whole input as JSON.

use pointsman_model::{JsonText, JsonTextError};
use serde_json::{Map, Value};

/// What of an input is rewritten, and what it says now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editable {
    /// The field; the whole input as JSON when there is none.
    pub field: Option<&'static str>,
    /// Its text.
    pub text: String,
    input: String,
}

/// Why a rewritten input can't be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotEdited {
    /// It says what it said before.
    #[error("nothing is changed")]
    Unchanged,
    /// It is no JSON.
    #[error("this is no input of the tool")]
    NoJson(#[source] JsonTextError),
    /// The input that was asked for can't be read.
    #[error("the input that was asked for is no object")]
    NoObject,
}

impl Editable {
    /// What may be rewritten of this tool's input.
    #[must_use]
    pub fn of(tool: &str, input: &str) -> Self {
        let field = match tool {
            "Bash" => Some("command"),
            "Write" => Some("content"),
            "Edit" => Some("new_string"),
            _ => None,
        };
        let fields: Option<Map<String, Value>> = serde_json::from_str(input).ok();
        let text = field.and_then(|field| {
            let text = fields.as_ref()?.get(field)?.as_str()?;
            Some((field, text.to_owned()))
        });
        let (field, text) = match text {
            Some((field, text)) => (Some(field), text),
            None => (None, input.to_owned()),
        };
        Self {
            field,
            text,
            input: input.into(),
        }
    }

    /// The whole input with another text in its place.
    ///
    /// # Errors
    /// When that changes nothing, or makes no input.
    pub fn with(&self, text: &str) -> Result<JsonText, NotEdited> {
        if text == self.text {
            return Err(NotEdited::Unchanged);
        }
        let Some(field) = self.field else {
            return JsonText::parse(text).map_err(NotEdited::NoJson);
        };
        let mut fields: Map<String, Value> =
            serde_json::from_str(&self.input).map_err(|_| NotEdited::NoObject)?;
        fields.insert(field.into(), Value::String(text.into()));
        JsonText::of(&fields).map_err(NotEdited::NoJson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_matters_is_rewritten_and_the_rest_stays() {
        let bash = Editable::of("Bash", r#"{"command":"rm -rf x","timeout_ms":5}"#);
        assert_eq!(
            (bash.field, bash.text.as_str()),
            (Some("command"), "rm -rf x")
        );
        let input = bash.with("rm -r x").unwrap();
        let read: Value = serde_json::from_str(input.as_str()).unwrap();
        assert_eq!(read["command"], "rm -r x");
        assert_eq!(read["timeout_ms"], 5);
        assert!(matches!(bash.with("rm -rf x"), Err(NotEdited::Unchanged)));
    }

    #[test]
    fn of_other_tools_the_whole_input_is_written() {
        let read = Editable::of("Read", r#"{"file_path":"/a"}"#);
        assert_eq!(read.field, None);
        assert!(matches!(read.with("{"), Err(NotEdited::NoJson(_))));
        assert_eq!(
            read.with(r#"{"file_path":"/b"}"#).unwrap().as_str(),
            r#"{"file_path":"/b"}"#
        );
    }
}
