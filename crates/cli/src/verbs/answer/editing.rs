//! `answer --edit`: the person's own editor on the part of the call that may be rewritten.

use std::io::Write as _;
use std::process::Command;

use pointsman_surfaces::Editable;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Where an editor is named, in the order in which other programs look.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// What a text after `--input` is meant for.
pub(super) enum Meant {
    /// The whole input as JSON. The leader says whether it fits the tool.
    Whole,
    /// What the field that may be rewritten is to say.
    Part,
    /// A whole input that has a slip in its JSON.
    Broken(serde_json::Error),
    /// It could be either, a slip in the one or the text of this field.
    Unclear(&'static str),
}

impl Meant {
    /// An object with a field that the input has is a whole input, and so is any object where a command is to stand, which
    /// is never one.
    pub(super) fn by(text: &str, part: &Editable, input: &str) -> Self {
        let object = |text| serde_json::from_str::<Map<String, Value>>(text);
        let Some(field) = part.field else {
            return Self::Part;
        };
        let known = object(input).unwrap_or_default();
        let fields = match object(text) {
            Ok(fields) => fields,
            // Much that is no JSON begins so: a group of commands, a block of code, settings with remarks.
            Err(error) => {
                return match first_key(text) {
                    Some(key) if field == "command" || known.contains_key(key) => {
                        Self::Broken(error)
                    }
                    Some(_) | None => Self::Part,
                };
            }
        };
        let named = |field: &str| fields.contains_key(field);
        if field == "command" || named(field) || known.keys().any(|field| named(field)) {
            Self::Whole
        } else {
            Self::Unclear(field)
        }
    }
}

/// The first key of what begins as a JSON object.
fn first_key(text: &str) -> Option<&str> {
    let inner = text.trim_start().strip_prefix('{')?.trim_start();
    let (key, behind) = inner.strip_prefix('"')?.split_once('"')?;
    behind.trim_start().starts_with(':').then_some(key)
}

/// What the person makes of it. The file is theirs alone, and goes with the editor.
pub(super) fn in_editor(part: &Editable) -> Result<String, Failure> {
    let editor = VARIABLES
        .iter()
        .find_map(|name| {
            std::env::var(name)
                .ok()
                .filter(|set| !set.trim().is_empty())
        })
        .ok_or_else(|| {
            Failure::bad_input("neither `VISUAL` nor `EDITOR` names an editor")
                .hint("set one, or write the text after `--input`")
        })?;
    let suffix = if part.field.is_some() {
        ".txt"
    } else {
        ".json"
    };
    let mut file = tempfile::Builder::new()
        .prefix("pointsman-")
        .suffix(suffix)
        .tempfile()
        .map_err(|error| Failure::of(&error))?;
    file.write_all(part.text.as_bytes())
        .map_err(|error| Failure::of(&error))?;
    // As other programs do it: the variable may hold arguments.
    let ended = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file.path())
        .status()
        .map_err(|error| Failure::of(&error))?;
    if !ended.success() {
        return Err(Failure::bad_input(format!(
            "the editor `{editor}` ended with {ended}; nothing was answered"
        ))
        .hint("the question is still open"));
    }
    let text = std::fs::read_to_string(file.path()).map_err(|error| Failure::of(&error))?;
    // Editors end a file with a line feed that was not there.
    let added = !part.text.ends_with('\n') && text.ends_with('\n');
    let text = if added {
        text.trim_end_matches('\n')
    } else {
        &text
    };
    Ok(text.to_owned())
}
