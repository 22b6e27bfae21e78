//! The input of a call as hooks are shown it: what the agent wrote, with the paths of files made absolute. Hooks of other
//! hosts count on that, and a path guard that compares beginnings would let a relative one pass.

use std::borrow::Cow;

use pointsman_model::{AbsPath, JsonText};
use pointsman_policy::resolve_path;
use pointsman_shell::Surroundings;
use serde_json::{Map, Value};

/// The fields of tools that name a file.
const FILE_FIELDS: [&str; 2] = ["file_path", "notebook_path"];

/// The input as hooks are shown it.
pub(super) fn shown<'a>(
    input: &'a JsonText,
    folder: &AbsPath,
    home: &AbsPath,
) -> Cow<'a, JsonText> {
    if !FILE_FIELDS
        .iter()
        .any(|field| input.as_str().contains(field))
    {
        return Cow::Borrowed(input);
    }
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(input.as_str()) else {
        return Cow::Borrowed(input);
    };
    let at = Surroundings {
        folder: folder.clone(),
        home: home.clone(),
        case: pointsman_shell::NameCase::Counts,
    };
    let mut changed = false;
    for field in FILE_FIELDS {
        let Some(Value::String(path)) = fields.get_mut(field) else {
            continue;
        };
        // A path that can't be resolved stands as it is; it names no file either way.
        let Some(absolute) = resolve_path(path, &at) else {
            continue;
        };
        if absolute.as_str() != path {
            *path = absolute.as_str().into();
            changed = true;
        }
    }
    match JsonText::of(&fields) {
        Ok(text) if changed => Cow::Owned(text),
        Ok(_) | Err(_) => Cow::Borrowed(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expect: &str) {
        let path = |text| AbsPath::parse(text).unwrap();
        let input = JsonText::parse(input).unwrap();
        let shown = shown(&input, &path("/p/sub"), &path("/h"));
        assert_eq!(shown.as_str(), expect);
    }

    #[test]
    fn paths_of_files_are_absolute_and_all_else_is_as_it_was() {
        check(
            r#"{"file_path":"a.txt"}"#,
            r#"{"file_path":"/p/sub/a.txt"}"#,
        );
        check(r#"{"file_path":"../.env"}"#, r#"{"file_path":"/p/.env"}"#);
        check(r#"{"file_path":"~/x"}"#, r#"{"file_path":"/h/x"}"#);
        check(r#"{ "file_path": "/p/a" }"#, r#"{ "file_path": "/p/a" }"#);
        check(
            r#"{"command":"cat file_path"}"#,
            r#"{"command":"cat file_path"}"#,
        );
        check(r#"{"file_path":7}"#, r#"{"file_path":7}"#);
    }
}
