//! Inputs that an answer puts in the place of those that were asked about: whoever gave it hears at once that such a call
//! would not run, while the question is open still.

use std::sync::Arc;

use pointsman_approvals::EditedInputs;
use pointsman_model::Answerer;
use pointsman_tools::Toolbox;

use super::desk_rules::DeskRules;

/// The input has to fit its tool, and a person's has to be one that no rule refuses. What another answerer wrote is
/// judged where it is to run, as a rewrite is.
pub(super) fn edited_inputs(rules: Arc<DeskRules>, toolbox: Arc<Toolbox>) -> EditedInputs {
    EditedInputs::checked_by(move |edited| {
        let Some(tool) = toolbox.get(&edited.request.call.tool) else {
            // Nobody can run it; that is told when it is tried.
            return Ok(());
        };
        let input = tool.check(edited.input).map_err(|problems| -> Box<str> {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            problems.join("; ").into()
        })?;
        match edited.by {
            Answerer::Person { .. } => rules
                .refusal_of(edited.request, edited.input, &input)
                .map_or(Ok(()), Err),
            Answerer::Hook { .. }
            | Answerer::Classifier { .. }
            | Answerer::Grant { .. }
            | Answerer::Ladder
            | Answerer::Runtime => Ok(()),
        }
    })
}
