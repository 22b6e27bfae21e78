//! `pointsman queue` and `pointsman answer`: reach a running leader from another terminal.

mod saving;

use pointsman_model::{RequestId, RunId};
use pointsman_surfaces::render::length;
use pointsman_surfaces::shown;
use pointsman_surfaces::socket::{
    AlwaysWire, AnswerWord as Word, Ask, Came, Client, FindError, Reply, RequestCard, find_leader,
};
use serde_json::json;

use crate::arguments::{AnswerArguments, AnswerWord, QueueArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;
use saving::Saving;

/// Lists the open questions, or shows one in full.
pub(super) fn queue(arguments: &QueueArguments, output: &mut Output) -> Result<Code, Failure> {
    let run = arguments.leader.run.or(arguments.id.map(RequestId::run));
    let (run, mut leader) = leader(&Place::here()?, run)?;
    let cards = cards(&mut leader)?;
    match arguments.id {
        Some(id) => {
            let card = cards
                .into_iter()
                .find(|card| card.id == id)
                .ok_or_else(|| not_open(id))?;
            output.text(&card.drawn);
            for (at, rules) in card.proposals.iter().enumerate() {
                output.text(&proposal(at, rules));
            }
            output.object(&card);
        }
        None => {
            for card in &cards {
                output.text(&line(card));
                output.object(card);
            }
            if cards.is_empty() {
                output.text(&format!("nothing is asked in {run}\n"));
            }
        }
    }
    Ok(Code::Done)
}

/// Answers a question.
pub(super) fn answer(arguments: &AnswerArguments, output: &mut Output) -> Result<Code, Failure> {
    let id = arguments.id;
    let (answer, always) = match (arguments.answer, arguments.always, &arguments.text) {
        (AnswerWord::Deny, Some(_), _) => {
            return Err(Failure::bad_input("`--always` goes with `allow` alone"));
        }
        (AnswerWord::Deny, None, _) if arguments.save.is_some() => {
            return Err(Failure::bad_input("`--save` goes with `allow` alone"));
        }
        (AnswerWord::Allow, _, Some(_)) => {
            return Err(Failure::bad_input("`--text` goes with `deny` alone")
                .hint("an agent is told why it may not; a yes needs no words"));
        }
        (AnswerWord::Deny, None, _) => (Word::Deny, None),
        (AnswerWord::Allow, always, None) => (
            Word::Allow,
            always.map(|scope| AlwaysWire {
                scope,
                proposal: arguments.rule,
            }),
        ),
    };
    let place = Place::here()?;
    let (_, mut leader) = leader(&place, Some(id.run()))?;
    let card = cards(&mut leader)?.into_iter().find(|card| card.id == id);
    let saving = match (arguments.save, &card) {
        (Some(whose), Some(card)) => Some(Saving::of(card, arguments.rule, whose, &place)?),
        (None, _) | (_, None) => None,
    };
    let ask = Ask::Answer {
        id,
        answer,
        text: arguments.text.clone(),
        always,
        digest: card.map(|card| card.digest),
    };
    match leader.ask(&ask).map_err(|error| Failure::of(&error))? {
        Reply::Answered {
            came: Came::NotFound,
            text,
            ..
        } => Err(Failure::bad_input(text).hint("`pointsman queue` lists what is open")),
        reply @ Reply::Answered { .. } => {
            output.object(&reply);
            let Reply::Answered { came, text, .. } = reply else {
                return Err(unexpected());
            };
            output.text(&(text + "\n"));
            if let (Some(saving), Came::Won) = (saving, came) {
                let told = saving.save()?;
                output.text(&told);
                output.object(&json!({ "saved": saving.rules, "file": saving.file }));
            }
            Ok(code(came))
        }
        Reply::Error { text } => Err(Failure::failed(text)),
        Reply::Queue { .. } | Reply::Grants { .. } | Reply::Revoked { .. } => Err(unexpected()),
    }
}

fn code(came: Came) -> Code {
    match came {
        Came::Won | Came::SameAgain => Code::Done,
        Came::Conflict | Came::Expired => Code::Failed,
        Came::NotFound => Code::BadInput,
    }
}

pub(super) fn leader(place: &Place, run: Option<RunId>) -> Result<(RunId, Client), Failure> {
    let sockets = place
        .state
        .sockets()
        .map_err(|error| Failure::of(&FindError::State(error)).at(place.state.folder()))?;
    find_leader(sockets, run).map_err(|error| {
        let failure = Failure::of(&error);
        match error {
            FindError::Several(_) => failure.hint("name one with `--run`"),
            FindError::None | FindError::NotThatRun(_) => failure.hint(format!(
                "start one with `pointsman run`, or look from inside its project; this is `{}`",
                place.project
            )),
            _ => failure,
        }
    })
}

fn cards(leader: &mut Client) -> Result<Vec<RequestCard>, Failure> {
    match leader
        .ask(&Ask::Queue)
        .map_err(|error| Failure::of(&error))?
    {
        Reply::Queue { requests, .. } => Ok(requests),
        Reply::Error { text } => Err(Failure::failed(text)),
        Reply::Answered { .. } | Reply::Grants { .. } | Reply::Revoked { .. } => Err(unexpected()),
    }
}

fn line(card: &RequestCard) -> String {
    format!(
        "{}  {}  {}: {}\n",
        card.id,
        length(card.waits),
        shown::line(&card.agent),
        card.call
    )
}

fn proposal(at: usize, rules: &[String]) -> String {
    let rules: Vec<String> = rules
        .iter()
        .map(|rule| format!("`{}`", shown::line(rule)))
        .collect();
    format!(
        "  --always SCOPE --rule {}  grants {}\n",
        at.saturating_add(1),
        rules.join(" and ")
    )
}

fn not_open(id: RequestId) -> Failure {
    Failure::bad_input(format!("{id} is not open")).hint("`pointsman queue` lists what is open")
}

pub(super) fn unexpected() -> Failure {
    Failure::failed("the leader answered something else than it was asked")
        .hint("use the same version of pointsman as the leader")
}
