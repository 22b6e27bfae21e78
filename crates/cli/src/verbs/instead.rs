//! A call that a person has let run in the place of the one that was asked for: all of it, and what it does.

use pointsman_model::{ExecutedCall, JsonText, PermissionRequest};
use pointsman_policy::{DiskTree, effects_of, name_case};
use pointsman_shell::Surroundings;
use pointsman_surfaces::render::{call_text, effect_lines};
use pointsman_surfaces::shown::Extent;

use super::check::input;
use crate::failure::Failure;
use crate::place::Place;

/// The call that runs with that input.
///
/// # Errors
/// When the input does not fit the tool: the leader has let none such through.
pub(super) fn call(request: &PermissionRequest, input: &JsonText) -> Result<ExecutedCall, Failure> {
    let read = input::read(request.call.tool.as_str(), input.as_str())?;
    Ok(ExecutedCall {
        id: request.call.id,
        tool: read.tool,
        input: read.input,
        text: read.text,
    })
}

/// All of it behind bars, and its effects, in lines.
pub(super) fn text(request: &PermissionRequest, call: &ExecutedCall, place: &Place) -> String {
    let at = Surroundings {
        folder: request.folder.clone(),
        home: place.home.clone(),
        case: name_case(&DiskTree),
    };
    let effects = effects_of(&call.tool, &call.input, &at);
    let effects: Vec<String> = effect_lines(&effects)
        .iter()
        .map(|line| format!("    {line}\n"))
        .collect();
    let effects = match effects.is_empty() {
        true => "    nothing that is known of\n".to_owned(),
        false => effects.concat(),
    };
    format!("{}  effects\n{effects}", call_text(call, Extent::Whole))
}
