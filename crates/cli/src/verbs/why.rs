//! `pointsman why`: why a call was decided as it was.

use pointsman_ledger::{CallStory, Filter, LedgerReader};
use pointsman_model::CallId;
use pointsman_surfaces::masked;
use pointsman_surfaces::render::story_text;
use serde_json::json;

use super::log::{failed, open};
use crate::arguments::{CallOrRequest, WhyArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Tells the story of the call.
pub(super) fn run(arguments: &WhyArguments, output: &mut Output) -> Result<Code, Failure> {
    let ledger = open(&Place::here()?)?;
    let call = match arguments.id {
        CallOrRequest::Call(call) => call,
        CallOrRequest::Request(request) => {
            call_of(&ledger, request)?.ok_or_else(|| unknown(&request.to_string()))?
        }
    };
    let story = ledger
        .call_story(call)
        .map_err(|error| failed(&error))?
        .ok_or_else(|| unknown(&call.to_string()))?;
    let text = story_text(&story);
    if arguments.reveal {
        output.text(&text);
    } else {
        output.text(&masked(&text));
    }
    output.object(&object(&story));
    for unreadable in &story.records.unreadable {
        output.note(&format!(
            "record {} of this call can't be read; `pointsman log verify` tells more\n",
            unreadable.seq.0
        ));
    }
    Ok(Code::Done)
}

fn call_of(
    ledger: &LedgerReader,
    request: pointsman_model::RequestId,
) -> Result<Option<CallId>, Failure> {
    let filter = Filter {
        request: Some(request),
        ..Filter::default()
    };
    let found = ledger.records(&filter).map_err(|error| failed(&error))?;
    Ok(found
        .records
        .first()
        .and_then(|record| record.body.about().call))
}

fn unknown(id: &str) -> Failure {
    Failure::bad_input(format!("there is no `{id}` in this project's ledger"))
        .hint("`pointsman log` lists what there is")
}

/// The story for a program: the three answers, and all records of the call.
fn object(story: &CallStory) -> serde_json::Value {
    let decided = story.decided.last();
    json!({
        "call": story.call,
        "agent": story.worker.as_ref().map(|worker| worker.lineage.to_string()),
        "decided": decided.map(|last| &last.judgement),
        "forms": {
            "requested": story.requested.as_ref().map(|form| &form.call.input),
            "hooked": story.hooked.last().map(|form| &form.call.input),
            "recorded": decided.map(|form| &form.recorded.input),
            "judged": decided.map(|form| &form.call.text),
            "executed": story.started.as_ref().map(|(_, form)| &form.call.text),
        },
        "with_nobody": decided.map(|last| &last.judgement.if_nobody),
        "verdicts": story.requests.iter().map(|request| &request.closed).collect::<Vec<_>>(),
        "ended": story.ended.as_ref().map(|(_, ended)| ended),
        "unknown": story.unknown.is_some(),
        "records": story.records.records,
    })
}
