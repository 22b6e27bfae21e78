//! `pointsman queue` and `pointsman show`: the open questions of a running leader, from another terminal.

use std::time::{Duration, Instant};

use pointsman_ledger::{Filter, RecordBody, RecordKind, RunState};
use pointsman_model::{PermissionRequest, RequestId, RunId, Verdict, VerdictKind};
use pointsman_surfaces::masked;
use pointsman_surfaces::render::{ended_line, length, moment, request_text, verdict_line};
use pointsman_surfaces::shown::{self, Extent};
use pointsman_surfaces::socket::{Ask, Client, Reply, RequestCard};
use serde_json::json;

use super::leader::{find, leader, leader_died, unexpected};
use super::{instead, log};
use crate::arguments::{QueueArguments, ShowArguments};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// How long a leader whose socket is closed may take to write its last record.
const END_TIME_MAX: Duration = Duration::from_secs(30);
/// How often that is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Lists the open questions, shows one in full, or goes on telling of them.
pub(super) fn queue(arguments: &QueueArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let run = arguments.leader.run.or(arguments.id.map(RequestId::run));
    let (run, mut leader) = leader(&place, run)?;
    if arguments.watch {
        watch(&mut leader, output)?;
        return if output.is_read() {
            ended(run, &place)
        } else {
            Ok(Code::Done)
        };
    }
    match arguments.id {
        Some(id) => {
            let card = card(&mut leader, id)?;
            draw(&card.ok_or_else(|| not_open(id))?, output);
        }
        None => {
            let cards = cards(&mut leader)?;
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

/// Shows one question: as it waits, or as the ledger has it and how it ended.
pub(super) fn show(arguments: &ShowArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let id = arguments.id;
    if let Ok((_, mut leader)) = find(&place, Some(id.run()))
        && let Some(card) = card(&mut leader, id)?
    {
        draw(&card, output);
        return Ok(Code::Done);
    }
    let Some((request, closed)) = on_record(&place, id)? else {
        return Err(Failure::bad_input(format!("there is no question {id}"))
            .hint("`pointsman queue` lists what is open, `pointsman log` what was"));
    };
    // What is over is shown as `log` and `why` show it.
    let mut text = request_text(&request, Extent::Whole);
    if let Some(VerdictKind::Allow {
        edited: Some(input),
        ..
    }) = closed.as_ref().map(|verdict| &verdict.kind)
    {
        text.push_str("  a person had this run instead\n");
        text.push_str(&match instead::call(&request, input) {
            Ok(call) => instead::text(&request, &call, &place),
            Err(_) => shown::block(input.as_str(), "  │ ", Extent::Whole),
        });
    }
    if arguments.reveal {
        output.text(&text);
    } else {
        output.text(&masked(&text));
    }
    let ended = match &closed {
        Some(verdict) => format!("{} at {}", verdict_line(verdict), moment(verdict.at)),
        None => without_verdict(&place, &request)?,
    };
    output.text(&format!("  came to {ended}\n"));
    output.object(&json!({ "request": request, "verdict": closed }));
    Ok(Code::Done)
}

/// What came of a question of which no verdict is on record.
fn without_verdict(place: &Place, request: &PermissionRequest) -> Result<String, Failure> {
    let ledger = log::open(place)?;
    let call = request.call.id;
    let story = ledger.call_story(call);
    let story = story.map_err(|error| log::failed(&error))?;
    if let Some((at, ended)) = story.and_then(|story| story.ended) {
        let (at, ended) = (moment(at), ended_line(&ended));
        return Ok(format!(
            "no verdict on record; its call {call} ended at {at}: {ended}"
        ));
    }
    let runs = ledger.runs().map_err(|error| log::failed(&error))?;
    let mut led = runs.iter().filter(|info| info.state == RunState::Live);
    Ok(match led.any(|info| info.run == call.run()) {
        true => "no verdict on record so far: its leader lives, and may be kept from recording it (a full disk)".into(),
        false => "nothing: its leader died before it was answered".into(),
    })
}

/// A question as the ledger has it, and how it ended, when it has.
pub(super) fn on_record(
    place: &Place,
    id: RequestId,
) -> Result<Option<(PermissionRequest, Option<Verdict>)>, Failure> {
    let filter = Filter {
        request: Some(id),
        kinds: vec![RecordKind::RequestOpened, RecordKind::RequestClosed],
        ..Filter::default()
    };
    let found = log::open(place)?.records(&filter);
    let (mut opened, mut closed) = (None, None);
    for record in found.map_err(|error| log::failed(&error))?.records {
        match record.body {
            RecordBody::RequestOpened(it) => opened = Some(it.request),
            RecordBody::RequestClosed(it) => closed = Some(it.verdict),
            _ => {}
        }
    }
    Ok(opened.map(|request| (request, closed)))
}

/// Tells what is open, then what opens and how it ends, until the leader goes or nobody reads any more.
fn watch(leader: &mut Client, output: &mut Output) -> Result<(), Failure> {
    leader.watch().map_err(|error| Failure::of(&error))?;
    while output.is_read() {
        let heard = leader.heard().map_err(|error| Failure::of(&error))?;
        let Some(news) = heard else { break };
        match &news {
            Reply::Queue { run, requests } => {
                if requests.is_empty() {
                    output.text(&format!("nothing is asked in {run}\n"));
                }
                for card in requests {
                    output.text(&format!("? {}", line(card)));
                }
            }
            Reply::Opened { request } => output.text(&format!("? {}", line(request))),
            Reply::Closed { id, text } => output.text(&format!("  {id}  {text}\n")),
            _ => return Err(unexpected()),
        }
        output.object(&news);
    }
    Ok(())
}

/// Whether the run has ended, whose leader tells nothing any more.
fn ended(run: RunId, place: &Place) -> Result<Code, Failure> {
    let ledger = log::open(place)?;
    let given_up = Instant::now() + END_TIME_MAX;
    loop {
        let runs = ledger.runs().map_err(|error| log::failed(&error))?;
        let state = runs.into_iter().find(|info| info.run == run);
        match state.map(|info| info.state) {
            Some(RunState::Ended { .. }) => return Ok(Code::Done),
            // Its socket is closed before its last record is written.
            Some(RunState::Live) if Instant::now() < given_up => std::thread::sleep(LOOK_EVERY),
            Some(RunState::Live | RunState::Interrupted) | None => return Err(leader_died(run)),
        }
    }
}

/// That question of the leader, if it is open.
pub(super) fn card(leader: &mut Client, id: RequestId) -> Result<Option<RequestCard>, Failure> {
    // A leader that was started by an earlier version knows the whole list alone.
    let cards = match asked(leader, &Ask::Card { id }) {
        Err(failure) if failure.what().contains("not understood") => cards(leader)?,
        asked => asked?,
    };
    Ok(cards.into_iter().find(|card| card.id == id))
}

/// All open questions of that leader.
fn cards(leader: &mut Client) -> Result<Vec<RequestCard>, Failure> {
    asked(leader, &Ask::Queue)
}

fn asked(leader: &mut Client, ask: &Ask) -> Result<Vec<RequestCard>, Failure> {
    match leader.ask(ask).map_err(|error| Failure::of(&error))? {
        Reply::Queue { requests, .. } => Ok(requests),
        Reply::Error { text } => Err(Failure::failed(text)),
        _ => Err(unexpected()),
    }
}

fn draw(card: &RequestCard, output: &mut Output) {
    output.text(&card.drawn);
    for (at, rules) in card.proposals.iter().enumerate() {
        output.text(&proposal(at, rules));
    }
    output.object(card);
}

fn line(card: &RequestCard) -> String {
    let grave = if card.grave { "!" } else { " " };
    format!(
        "{}{grave} {:>8}  {}: {}\n",
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
    Failure::bad_input(format!("{id} is not open")).hint(format!(
        "`pointsman queue` lists what is open, `pointsman show {id}` tells how it ended"
    ))
}
