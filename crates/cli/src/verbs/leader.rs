//! Which running leader a verb talks to, and the talk.
//!
//! An id names its run, and `--run` does. Without either it is the only leader of the project; several are never
//! chosen from in silence.

use pointsman_ledger::{LedgerReader, RunState};
use pointsman_model::RunId;
use pointsman_surfaces::socket::{Ask, Client, FindError, ProblemWire, Reply, find_leader};
use serde_json::json;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// The leader of that run, or the only one there is.
pub(super) fn leader(place: &Place, run: Option<RunId>) -> Result<(RunId, Client), Failure> {
    find(place, run).map_err(|error| {
        let failure = Failure::of(&error);
        match error {
            FindError::Several(_) => {
                failure.hint("name one with `--run`; `pointsman runs` tells which is which")
            }
            FindError::None if let Some(run) = last_interrupted(place) => failure.hint(format!(
                "the leader of {run} died: `pointsman run --resume {run}` goes on with it; `pointsman runs` tells of all runs"
            )),
            FindError::None => failure.hint(format!(
                "start one with `pointsman run`, or look from inside its project; this is `{}`; `pointsman runs` tells of runs that have ended",
                place.project
            )),
            FindError::NotThatRun(run) if is_interrupted(place, run) => failure.hint(format!(
                "its leader died: `pointsman run --resume {run}` goes on with it; `pointsman log --run {run}` tells how far it came"
            )),
            FindError::NotThatRun(run) if never_was(place, run) => failure.hint(format!(
                "this project has had no run of that number; `pointsman runs` lists its runs; this is `{}`",
                place.project
            )),
            FindError::NotThatRun(run) => failure.hint(format!(
                "`pointsman runs` tells whether it has ended; `pointsman show`, `why` and `log --run {run}` tell what became of it; this is `{}`",
                place.project
            )),
            FindError::State(_) => failure.at(place.state.folder()),
            _ => failure,
        }
    })
}

/// Whether the leader of that run has died, and left it to be gone on with. What can't be read says nothing.
fn is_interrupted(place: &Place, run: RunId) -> bool {
    interrupted(place).contains(&run)
}

/// Whether the ledger can be read and knows of no such run.
fn never_was(place: &Place, run: RunId) -> bool {
    let reader = LedgerReader::open(&place.state.ledger());
    let runs = reader.and_then(|reader| reader.runs());
    runs.is_ok_and(|runs| !runs.iter().any(|info| info.run == run))
}

/// The latest run whose leader has died, if that can be gone on with.
fn last_interrupted(place: &Place) -> Option<RunId> {
    interrupted(place).pop()
}

/// The runs whose leaders have died, oldest first.
fn interrupted(place: &Place) -> Vec<RunId> {
    let reader = LedgerReader::open(&place.state.ledger());
    let runs = reader.and_then(|reader| reader.runs()).unwrap_or_default();
    let dead = runs
        .iter()
        .filter(|info| info.state == RunState::Interrupted);
    dead.map(|info| info.run).collect()
}

/// The same, for those who can do without.
pub(super) fn find(place: &Place, run: Option<RunId>) -> Result<(RunId, Client), FindError> {
    find_leader(place.state.sockets().map_err(FindError::State)?, run)
}

/// What is said when a leader goes without having ended its run.
pub(super) fn leader_died(run: RunId) -> Failure {
    Failure::failed(format!("the leader of {run} is gone, and has not ended the run")).hint(format!(
        "`pointsman run --resume {run}` goes on with it; `pointsman log --run {run}` tells how far it came"
    ))
}

/// Gives a leader an order, and tells what came of it.
pub(super) fn order(leader: &mut Client, ask: &Ask, output: &mut Output) -> Result<Code, Failure> {
    match leader.ask(ask).map_err(|error| Failure::of(&error))? {
        Reply::Done { text } => {
            output.text(&format!("{text}\n"));
            output.object(&json!({ "done": text }));
            Ok(Code::Done)
        }
        Reply::Jobs { jobs } => {
            output.text(&format!("{}\n", jobs.join(", ")));
            output.object(&json!({ "jobs": jobs }));
            Ok(Code::Done)
        }
        Reply::Problems { problems } => Err(told(&problems, output)),
        reply => Err(refused(reply)),
    }
}

/// Tells each problem of a job file; the failure says how many there are.
fn told(problems: &[ProblemWire], output: &mut Output) -> Failure {
    for problem in problems {
        let mut failure = Failure::bad_input(problem.message.clone()).at(&problem.place);
        if let Some(hint) = &problem.hint {
            failure = failure.hint(hint.clone());
        }
        output.note(&failure.to_string());
        output.object(&json!({ "problem": problem }));
    }
    Failure::bad_input("the job file has problems; nothing of it joined")
}

/// What a leader says that does not do what it is asked.
pub(super) fn refused(reply: Reply) -> Failure {
    match reply {
        Reply::NotFound { text } | Reply::BadInput { text } => Failure::bad_input(text),
        Reply::Error { text } => Failure::failed(text),
        _ => unexpected(),
    }
}

/// A leader that answers something else.
pub(super) fn unexpected() -> Failure {
    Failure::failed("the leader answered something else than it was asked")
        .hint("use the same version of pointsman as the leader")
}
