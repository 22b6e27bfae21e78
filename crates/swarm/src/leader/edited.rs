//! Inputs that an answer puts in the place of those that were asked about: whoever gave it hears at once that such a call
//! would not run, while the question is open still.

use std::sync::Arc;

use pointsman_approvals::EditedInputs;
use pointsman_model::{Answerer, JsonText};
use pointsman_process::Environment;
use pointsman_tools::holds_key;

use super::LeaderOptions;
use super::desk_rules::DeskRules;

/// The input must hold no key, which would go on record with the answer, also with one that comes too late. It has to
/// fit its tool, and a person's has to be one that no rule refuses. What another answerer wrote is judged where it is to
/// run, as a rewrite is.
pub(super) fn edited_inputs(rules: Arc<DeskRules>, options: &LeaderOptions) -> EditedInputs {
    let toolbox = Arc::clone(&options.toolbox);
    let environment = options.environment.clone();
    EditedInputs::checked_by(move |edited| {
        without_key(edited.input, &environment)?;
        let Some(request) = edited.request else {
            return Ok(());
        };
        let Some(tool) = toolbox.get(&request.call.tool) else {
            // Nobody can run it; that is told when it is tried.
            return Ok(());
        };
        let input = tool.check(edited.input).map_err(|problems| -> Box<str> {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            problems.join("; ").into()
        })?;
        match edited.by {
            Answerer::Person { .. } => rules
                .refusal_of(request, edited.input, &input)
                .map_or(Ok(()), Err),
            Answerer::Hook { .. }
            | Answerer::Classifier { .. }
            | Answerer::Grant { .. }
            | Answerer::Ladder
            | Answerer::Runtime => Ok(()),
        }
    })
}

fn without_key(input: &JsonText, environment: &Environment) -> Result<(), Box<str>> {
    match holds_key(input, environment) {
        true => Err("it holds a key to the models of this run, which goes into no record".into()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_a_key_is_refused_before_it_is_on_record_however_json_writes_it() {
        let variables = [("MODEL_KEY".into(), "sk-0123456789".into())];
        let environment = Environment::without_secrets(variables).without("MODEL_KEY");
        for (input, fits) in [
            (r#"{"command":"echo sk-0123456789"}"#, false),
            (r#"{"command":"echo \u0073k-0123456789"}"#, false),
            (r#"{"command":"echo \"sk-\" 0123456789"}"#, true),
        ] {
            let input = JsonText::parse(input).unwrap();
            let checked = without_key(&input, &environment);
            assert_eq!(checked.is_ok(), fits, "{}", input.as_str());
        }
    }
}
