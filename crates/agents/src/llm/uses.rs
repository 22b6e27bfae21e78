//! From a model's tool uses to calls, and from their ends to results.

use pointsman_llm::{Reply, ResultKind, Stop, ToolInputText, ToolResult, ToolUse};
use pointsman_model::{CallState, JsonText, ToolName};
use pointsman_tools::{AskedCall, CallEnd};

/// Tool uses of one turn that are run; more than any model asks for that knows what it does.
const PER_TURN_MAX: usize = 32;

/// Bytes of a result that a model is told.
const RESULT_BYTES_MAX: usize = 96 * 1024;

/// What becomes of a tool use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Use {
    /// It goes to the dispatch.
    Asked(AskedCall),
    /// It does not, for this reason.
    NotRun(String),
}

/// What becomes of each tool use of a reply, in order; nothing when it wants none: it uses none, or what it asked for
/// before it, or its server, broke off is not what it came to want.
pub(super) fn wanted(reply: &Reply) -> Option<Vec<(&ToolUse, Use)>> {
    let count = reply.uses().count();
    // An input that reads well may still be half of what was meant.
    let whole = match reply.stop {
        Stop::Declined | Stop::Other(_) => return None,
        Stop::Done | Stop::ToolUse => count,
        Stop::OutputLimit => count.saturating_sub(1),
        Stop::ContextFull => 0,
    };
    let sorted = reply
        .uses()
        .zip(1..)
        .map(|(tool_use, number)| {
            let it = if number > whole {
                Use::NotRun("it was not run: your answer was cut off while you wrote it".into())
            } else if number > PER_TURN_MAX {
                Use::NotRun(format!(
                    "it was not run: at most {PER_TURN_MAX} calls are taken in one turn"
                ))
            } else {
                asked(tool_use)
            };
            (tool_use, it)
        })
        .collect();
    (count > 0).then_some(sorted)
}

/// What becomes of each tool use that a model asked for before its leader died: what it had come to is taken up from
/// there, and nothing begins that had not. `before` are the calls that were asked for then and whose end the model was
/// not told, in order; `tidied` gives the form in which a transcript keeps one.
pub(super) fn sort_again(
    uses: &[ToolUse],
    mut before: Vec<AskedCall>,
    tidied: impl Fn(&AskedCall) -> JsonText,
) -> Vec<(&ToolUse, Use)> {
    uses.iter()
        .map(|tool_use| {
            let same = |asked: &AskedCall| match &tool_use.input {
                ToolInputText::Object(input) => {
                    asked.tool.as_str() == tool_use.name && tidied(asked) == *input
                }
                ToolInputText::Broken(_) => false,
            };
            let it = match before.iter().position(same) {
                Some(at) => Use::Asked(before.remove(at)),
                None => Use::NotRun(
                    "it was not run: the work was interrupted before. Ask for it again if it is \
                     still wanted"
                        .into(),
                ),
            };
            (tool_use, it)
        })
        .collect()
}

fn asked(tool_use: &ToolUse) -> Use {
    let tool = match ToolName::parse(&tool_use.name) {
        Ok(tool) => tool,
        Err(error) => return Use::NotRun(format!("it was not run: {error}")),
    };
    match &tool_use.input {
        ToolInputText::Object(input) => Use::Asked(AskedCall {
            tool,
            input: input.clone(),
        }),
        ToolInputText::Broken(_) => {
            Use::NotRun("it was not run: its input is no JSON object".into())
        }
    }
}

/// What the model is told of a use.
pub(super) fn answer(tool_use: &ToolUse, it: &Use, end: Option<CallEnd>) -> ToolResult {
    let (text, kind) = match (it, end) {
        (Use::NotRun(why), _) => (why.clone(), ResultKind::NotDone),
        (Use::Asked(_), Some(end)) => {
            let kind = if end.state == CallState::Success {
                ResultKind::Done
            } else {
                ResultKind::NotDone
            };
            (end.text, kind)
        }
        (Use::Asked(_), None) => ("it had no turn".into(), ResultKind::NotDone),
    };
    ToolResult {
        id: tool_use.id.clone(),
        text: cut(text),
        kind,
    }
}

/// A text for a model, no longer than it is told at once.
pub(super) fn cut(mut text: String) -> String {
    if text.len() > RESULT_BYTES_MAX {
        let whole = text.len();
        let at = (0..=RESULT_BYTES_MAX)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        text.truncate(at);
        text.push_str(&format!("\n[cut here: {whole} bytes in all]"));
    }
    text
}
