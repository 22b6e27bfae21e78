//! `pointsman answer`: a yes or a no to open questions, from another terminal.

mod editing;
mod saving;

use pointsman_approvals::Epoch;
use pointsman_model::{Digest, JsonText, RequestId, RunId};
use pointsman_surfaces::Editable;
use pointsman_surfaces::render::{call_line, is_grave, moment, verdict_line};
use pointsman_surfaces::shown::{self, Extent};
use pointsman_surfaces::socket::{
    AlwaysWire, AnswerWord as Word, Ask, Came, Client, Reply, RequestCard, Seat,
};
use serde::Serialize;
use serde_json::json;

use super::instead;
use super::leader::{leader, refused, unexpected};
use super::queue::{card, on_record};
use crate::arguments::{AnswerArguments, AnswerWord};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;
use editing::Meant;
use saving::Saving;

/// Answers each of the questions. All of them are tried; the code is that of the worst.
pub(super) fn run(arguments: &AnswerArguments, output: &mut Output) -> Result<Code, Failure> {
    let ids = arguments.questions();
    check(arguments)?;
    let place = Place::here()?;
    let mut worst = Code::Done;
    let mut reached: Option<(RunId, Client)> = None;
    for id in &ids {
        let client = match reached.take() {
            Some((run, client)) if run == id.run() => Ok(client),
            Some(_) | None => leader(&place, Some(id.run())).map(|(_, client)| client),
        };
        let answered = client.and_then(|mut client| {
            let answered = answer(arguments, *id, &place, &mut client, output);
            reached = Some((id.run(), client));
            answered
        });
        let code = match answered {
            Ok(code) => code,
            Err(failure) => {
                output.object(&json!({ "id": id, "error": failure.what() }));
                if ids.len() == 1 {
                    return Err(failure);
                }
                output.note(&failure.to_string());
                failure.code()
            }
        };
        if code.number() > worst.number() {
            worst = code;
        }
    }
    Ok(worst)
}

/// What goes together.
fn check(arguments: &AnswerArguments) -> Result<(), Failure> {
    let edits = arguments.edit || arguments.input.is_some();
    let several = arguments.questions().len() > 1;
    let pinned = arguments.digest.is_some() || arguments.epoch.is_some();
    match arguments.answer {
        AnswerWord::Deny if arguments.always.is_some() => {
            Err(Failure::bad_input("`--always` goes with `allow` alone"))
        }
        AnswerWord::Deny if arguments.save.is_some() => {
            Err(Failure::bad_input("`--save` goes with `allow` alone"))
        }
        AnswerWord::Deny if edits => Err(Failure::bad_input(
            "`--edit` and `--input` go with `allow` alone",
        )),
        AnswerWord::Allow if arguments.text.is_some() => {
            Err(Failure::bad_input("`--text` goes with `deny` alone")
                .hint("an agent is told why it may not; a yes needs no words"))
        }
        _ if several && (edits || pinned || arguments.save.is_some()) => Err(Failure::bad_input(
            "`--edit`, `--input`, `--digest`, `--epoch` and `--save` are for one question at a time",
        )),
        AnswerWord::Allow | AnswerWord::Deny => Ok(()),
    }
}

/// What can't be had back takes more than one act: a row of ids is one for all of them, so none of them may be such a call.
/// A yes to one that the classifier has refused lifts that, and is no less of a yes.
fn stands_in_a_row(
    id: RequestId,
    card: Option<&RequestCard>,
    place: &Place,
) -> Result<(), Failure> {
    let grave = match card {
        Some(card) => card.grave,
        None => on_record(place, id)?.is_some_and(|(request, _)| is_grave(&request)),
    };
    if grave {
        return Err(Failure::bad_input(format!(
            "{id} can't be had back or told, or changes who may do or run what: a yes to it is given by itself; it was not answered"
        ))
        .hint(format!("`pointsman show {id}`, then `pointsman answer {id} allow`")));
    }
    Ok(())
}

fn answer(
    arguments: &AnswerArguments,
    id: RequestId,
    place: &Place,
    client: &mut Client,
    output: &mut Output,
) -> Result<Code, Failure> {
    let card = card(client, id)?;
    if arguments.questions().len() > 1 && arguments.answer == AnswerWord::Allow {
        stands_in_a_row(id, card.as_ref(), place)?;
    }
    let saving = match (arguments.save, &card) {
        (Some(whose), Some(card)) => Some(Saving::of(card, arguments.rule, whose, place)?),
        (None, _) | (_, None) => None,
    };
    let epoch = arguments.epoch.map(Epoch::new);
    let edited = edited(arguments, id, card.as_ref(), place)?;
    let ask = Ask::Answer {
        id,
        answer: match arguments.answer {
            AnswerWord::Allow => Word::Allow,
            AnswerWord::Deny => Word::Deny,
        },
        text: arguments.text.clone(),
        always: arguments.always.map(|scope| AlwaysWire {
            scope,
            proposal: arguments.rule,
            rules: (!arguments.grant.is_empty()).then(|| arguments.grant.clone()),
            lasts: arguments.lasts,
            uses: arguments.uses,
        }),
        edited: edited.clone(),
        // Bound to the question that was looked up, and told: whatever is open by then under its id is another one.
        digest: arguments.digest.or(card.as_ref().map(|card| card.digest)),
        epoch: epoch.or(card.as_ref().map(|card| card.epoch)),
        at: Seat::Command,
    };
    let question = card.as_ref().map(Question::of);
    if arguments.edit {
        // The leader does not wait for an editor; who comes back from it comes anew.
        *client = leader(place, Some(id.run()))?.1;
    }
    match client.ask(&ask).map_err(|error| Failure::of(&error))? {
        Reply::Answered {
            came: Came::NotFound,
            text,
            ..
        } => Err(Failure::bad_input(text).hint("`pointsman queue` lists what is open")),
        reply @ Reply::Answered { .. } => {
            output.object(&Told {
                reply: &reply,
                question: question.as_ref(),
                input: edited.as_deref(),
            });
            let Reply::Answered { came, text, .. } = reply else {
                return Err(unexpected());
            };
            output.text(&(text + "\n"));
            if let (Some(question), Came::Won) = (&question, came) {
                output.text(&match &edited {
                    Some(input) => runs_instead(id, input, place) + &question.line("instead of "),
                    None => question.line(""),
                });
            }
            if let (Some(saving), Came::Won) = (saving, came) {
                let told = saving.save()?;
                output.text(&told);
                output.object(&json!({ "saved": saving.rules, "file": saving.file }));
            }
            Ok(unkept(arguments, came, output))
        }
        reply => Err(refused(reply)),
    }
}

/// The question that an answer is bound to.
#[derive(Serialize)]
struct Question {
    agent: String,
    call: String,
    digest: Digest,
    epoch: Epoch,
}

impl Question {
    fn of(card: &RequestCard) -> Self {
        Self {
            agent: card.agent.clone(),
            call: card.call.clone(),
            digest: card.digest,
            epoch: card.epoch,
        }
    }

    /// What was answered, for a person.
    fn line(&self, how: &str) -> String {
        format!("  {how}{}: {}\n", shown::line(&self.agent), self.call)
    }
}

/// What runs in the place of what was asked for, all of it. The answer was taken: a ledger that can't be read makes its
/// telling shorter, and no failure of it.
fn runs_instead(id: RequestId, input: &str, place: &Place) -> String {
    let whole = || format!("  runs\n{}", shown::block(input, "  │ ", Extent::Whole));
    let Ok(Some((request, _))) = on_record(place, id) else {
        return whole();
    };
    let call = JsonText::parse(input)
        .map_err(|error| Failure::of(&error))
        .and_then(|input| instead::call(&request, &input));
    call.map_or_else(
        |_| whole(),
        |call| {
            let text = instead::text(&request, &call, place);
            format!("  runs {}\n{text}", call_line(&call))
        },
    )
}

/// What came of an answer, with what was answered.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    reply: &'a Reply,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a Question>,
    /// What runs instead of what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
}

/// Why no other input can be let run in the place of a question that is not open.
fn nothing_instead(id: RequestId, place: &Place) -> Failure {
    // A ledger that can't be read makes this shorter.
    match on_record(place, id) {
        Ok(Some((_, Some(verdict)))) => Failure::failed(format!(
            "{id} is {} at {}: nothing else can be let run in its place",
            verdict_line(&verdict),
            moment(verdict.at)
        )),
        Ok(_) | Err(_) => Failure::bad_input(format!(
            "{id} is not open: nothing else can be let run in its place"
        ))
        .hint("`pointsman queue` lists what is open"),
    }
}

/// Tells of a yes that was to be kept and came too late: a plain one was before it, or it lets the agent ask anew.
fn unkept(arguments: &AnswerArguments, came: Came, output: &mut Output) -> Code {
    let wants_more = arguments.always.is_some() || arguments.save.is_some();
    match came {
        Came::SameAgain | Came::Lifted if wants_more => {
            output.text("  nothing was granted or saved by this answer\n");
            Code::Failed
        }
        Came::SameAgain
        | Came::Lifted
        | Came::Won
        | Came::Conflict
        | Came::Expired
        | Came::NotFound => code(came),
    }
}

/// The input that is to run instead, when there is to be another one.
fn edited(
    arguments: &AnswerArguments,
    id: RequestId,
    card: Option<&RequestCard>,
    place: &Place,
) -> Result<Option<String>, Failure> {
    if !arguments.edit && arguments.input.is_none() {
        return Ok(None);
    }
    // A yes to another call is none to this one: it must not go out as that.
    let Some(card) = card else {
        return Err(nothing_instead(id, place));
    };
    let part = Editable::of(&card.tool, &card.input);
    let input = match &arguments.input {
        Some(text) => match Meant::by(text, &part, &card.input) {
            Meant::Whole => text.clone(),
            Meant::Part => rewritten(&part, text)?,
            Meant::Broken(error) => {
                return Err(Failure::bad_input(format!(
                    "`--input` begins as a JSON object and is none: {error}; nothing was answered"
                ))
                .hint(format!(
                    "mend it; a text that is to begin so is given by `--edit`, or as the `{}` of a whole object",
                    part.field.unwrap_or("input")
                )));
            }
            Meant::Unclear(field) => {
                return Err(Failure::bad_input(format!(
                    "`--input` is an object that has no field of the tool {}; nothing was answered",
                    card.tool
                ))
                .hint(format!(
                    "give all its fields for another input; for a `{field}` that is such a text use `--edit`, or give all fields with it"
                )));
            }
        },
        None => rewritten(&part, &editing::in_editor(&part)?)?,
    };
    Ok(Some(input))
}

fn rewritten(part: &Editable, text: &str) -> Result<String, Failure> {
    let input = part.with(text).map_err(|error| {
        Failure::of(&error).hint("nothing was answered; to run it as it is, leave `--edit` away")
    })?;
    Ok(input.as_str().to_owned())
}

fn code(came: Came) -> Code {
    match came {
        Came::Won | Came::SameAgain | Came::Lifted => Code::Done,
        Came::Conflict | Came::Expired => Code::Failed,
        Came::NotFound => Code::BadInput,
    }
}
