//! Calls with a key to the run's models in their input, however JSON writes it: they are not run, and on record stands
//! that they had one.

use pointsman_model::JsonText;
use pointsman_process::Environment;

/// What stands on record in the place of an input with a key.
const LEFT_OUT: &str = r#"{"left_out":"it held a key to the models of this run"}"#;

/// What is recorded in the place of this input, when that holds a key; nothing when it holds none.
pub(super) fn in_place_of(input: &JsonText, environment: &Environment) -> Option<JsonText> {
    let holds = holds_key(input, environment);
    holds.then(|| JsonText::parse(LEFT_OUT).ok()).flatten()
}

/// Whether an input holds a key to the run's models, however JSON writes it.
#[must_use]
pub fn holds_key(input: &JsonText, environment: &Environment) -> bool {
    let text = input.as_str();
    // Without an escape each text stands in it as it is.
    let holds = |text: &str| environment.holds_key_in(text);
    holds(text) || text.contains('\\') && input.has_text(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_however_json_writes_it() {
        let variables = [("MODEL_KEY".into(), "sk-0123456789".into())];
        let environment = Environment::without_secrets(variables).without("MODEL_KEY");
        for (input, holds) in [
            (r#"{"command":"echo sk-0123456789 > x"}"#, true),
            (r#"{"command":"echo \u0073k-0123456789"}"#, true),
            (r#"{"edits":[{"new":"\"\u0073k-01234\u00356789\""}]}"#, true),
            (r#"{"\u0073k-0123456789":1}"#, true),
            (r#"{"command":"echo \"sk-012345678\" 9"}"#, false),
            (r#"{"command":"ls"}"#, false),
        ] {
            let input = JsonText::parse(input).unwrap();
            let place = in_place_of(&input, &environment);
            assert_eq!(place.is_some(), holds, "{}", input.as_str());
        }
    }
}
