//! `pointsman log`: what the ledger holds, and its care.

mod export;
mod prune;

use std::time::Duration;

use pointsman_ledger::{Filter, LedgerReader, Pages, ReadError, RunInfo, RunState, VerifyReport};
use pointsman_model::{CallId, RequestId, RunId, WorkerId};
use pointsman_surfaces::render::{moment, record_line};
use pointsman_surfaces::{masked, shown};
use serde_json::json;

use super::leader::leader_died;
use crate::arguments::{LogArguments, LogVerb};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// How often new records are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Shows a run's records or all runs, or takes care of the ledger.
pub(super) fn run(arguments: &LogArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    match &arguments.verb {
        Some(LogVerb::Prune(arguments)) => return prune::run(arguments, &place, output),
        Some(LogVerb::Export(arguments)) => return export::run(arguments, &open(&place)?, output),
        Some(LogVerb::Verify(_)) => return verify(&open(&place)?, output),
        None => {}
    }
    let ledger = open(&place)?;
    let runs = ledger.runs().map_err(|error| failed(&error))?;
    if arguments.runs {
        for run in &runs {
            output.text(&run_line(run));
            output.object(&run_object(run));
        }
        return Ok(Code::Done);
    }
    // An id says of which run it is.
    let named = arguments
        .run
        .or(arguments.worker.map(WorkerId::run))
        .or(arguments.call.map(CallId::run))
        .or(arguments.request.map(RequestId::run));
    let wanted = match named {
        None => runs.last(),
        Some(id) => runs.iter().find(|run| run.run == id),
    };
    match (wanted, named) {
        (Some(run), _) => records(&ledger, run, arguments, output),
        (None, Some(id)) => Err(no_such_run(id)),
        (None, None) => Err(Failure::bad_input("nothing has run in this project yet").hint(START)),
    }
}

/// What to do where nothing has run yet.
const START: &str = "`pointsman run` with a job file starts a run; `pointsman init` writes one";

/// The ledger of the project, for reading.
pub(super) fn open(place: &Place) -> Result<LedgerReader, Failure> {
    LedgerReader::open(&place.state.ledger()).map_err(|error| failed(&error))
}

/// What is said of a run that the ledger does not have.
pub(super) fn no_such_run(run: RunId) -> Failure {
    Failure::bad_input(format!("there is no {run} in this project"))
        .hint("`pointsman runs` lists them")
}

/// An error of reading, told.
pub(super) fn failed(error: &ReadError) -> Failure {
    let failure = Failure::of(error);
    match error {
        ReadError::Missing(_) => failure.hint(START),
        _ => failure,
    }
}

fn records(
    ledger: &LedgerReader,
    run: &RunInfo,
    arguments: &LogArguments,
    output: &mut Output,
) -> Result<Code, Failure> {
    output.text(&run_line(run));
    let mut pages = Pages::of(Filter {
        worker: arguments.worker,
        call: arguments.call,
        request: arguments.request,
        kinds: arguments.kind.clone(),
        ..Filter::of_run(run.run)
    });
    let mut is_any = false;
    loop {
        // Looked at before the records: what a leader wrote last is read after it was seen to be gone.
        let goes_on = arguments.follow && is_live(ledger, run.run)?;
        let Some(page) = pages.next(ledger).map_err(|error| failed(&error))? else {
            if !goes_on || !output.is_read() {
                if !is_any && !arguments.follow {
                    output.text("nothing of it is what you asked for\n");
                }
                return ended(ledger, run.run, arguments);
            }
            std::thread::sleep(LOOK_EVERY);
            continue;
        };
        is_any |= !page.records.is_empty() || !page.unreadable.is_empty();
        for record in &page.records {
            let line = record_line(record) + "\n";
            if arguments.reveal {
                output.text(&line);
            } else {
                output.text(&masked(&line));
            }
            output.object(record);
        }
        for unreadable in &page.unreadable {
            output.note(&format!(
                "record {} can't be read: {}; `pointsman log verify` tells more\n",
                unreadable.seq.0,
                shown::line(&unreadable.why)
            ));
        }
        if !output.is_read() {
            return Ok(Code::Done);
        }
    }
}

/// How a look ends. Whoever follows a run hears of a leader that went without having ended it.
fn ended(ledger: &LedgerReader, run: RunId, arguments: &LogArguments) -> Result<Code, Failure> {
    if arguments.follow && state(ledger, run)? == Some(RunState::Interrupted) {
        return Err(leader_died(run));
    }
    Ok(Code::Done)
}

fn is_live(ledger: &LedgerReader, run: RunId) -> Result<bool, Failure> {
    Ok(state(ledger, run)? == Some(RunState::Live))
}

fn state(ledger: &LedgerReader, run: RunId) -> Result<Option<RunState>, Failure> {
    let runs = ledger.runs().map_err(|error| failed(&error))?;
    let info = runs.into_iter().find(|info| info.run == run);
    Ok(info.map(|info| info.state))
}

pub(super) fn run_line(run: &RunInfo) -> String {
    let how = match &run.state {
        RunState::Live => "running".into(),
        RunState::Ended {
            exit_code, text, ..
        } => format!("ended with exit code {exit_code}: {}", shown::line(text)),
        RunState::Interrupted => "interrupted: its leader did not record its end".into(),
    };
    let file = run
        .start
        .as_ref()
        .and_then(|start| start.job_file.as_deref());
    format!(
        "{}  {}  {}  {how}\n",
        run.run,
        moment(run.started_at),
        shown::line(file.unwrap_or("no job file"))
    )
}

pub(super) fn run_object(run: &RunInfo) -> serde_json::Value {
    let (state, exit_code) = match &run.state {
        RunState::Live => ("live", None),
        RunState::Ended { exit_code, .. } => ("ended", Some(*exit_code)),
        RunState::Interrupted => ("interrupted", None),
    };
    json!({
        "run": run.run,
        "started_at": run.started_at,
        "last_at": run.last_at,
        "job_file": run.start.as_ref().and_then(|start| start.job_file.clone()),
        "state": state,
        "exit_code": exit_code,
        "records": run.records,
    })
}

fn verify(ledger: &LedgerReader, output: &mut Output) -> Result<Code, Failure> {
    let report = ledger.verify().map_err(|error| failed(&error))?;
    for damage in report.faults() {
        output.text(&format!(
            "{} record {}: {}\n",
            damage.run,
            damage.number,
            shown::line(&damage.why)
        ));
    }
    for fault in &report.structure {
        output.text(&format!("the file: {}\n", shown::line(fault)));
    }
    for aside in &report.set_aside {
        output.text(&format!(
            "a damaged ledger was set aside as {}: {}; {} records were kept of it\n",
            shown::line(&aside.file),
            shown::line(&aside.why),
            aside.records_kept
        ));
    }
    output.text(&verify_summary(&report));
    output.object(&verify_object(&report));
    Ok(if report.is_sound() {
        Code::Done
    } else {
        Code::Failed
    })
}

fn verify_summary(report: &VerifyReport) -> String {
    let how = if report.is_sound() {
        "all are as they were written".to_owned()
    } else {
        match report.faults().count() {
            1 => "1 is not as it was written".into(),
            count => format!("{count} are not as they were written"),
        }
    };
    let runs = counted_runs(report.heads.len());
    format!("{} records of {runs}: {how}\n", report.records)
}

/// So many runs, in words.
pub(super) fn counted_runs(count: usize) -> String {
    match count {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    }
}

fn verify_object(report: &VerifyReport) -> serde_json::Value {
    let damage: Vec<_> = report
        .faults()
        .map(|found| json!({ "run": found.run, "number": found.number, "why": found.why }))
        .collect();
    let heads: Vec<_> = report
        .heads
        .iter()
        .map(|head| json!({ "run": head.run, "number": head.number, "hash": head.hash }))
        .collect();
    json!({
        "whole": report.is_sound(),
        "records": report.records,
        "heads": heads,
        "damage": damage,
        "structure": report.structure,
        "set_aside": report.set_aside.iter().map(|aside| json!({
            "file": aside.file, "why": aside.why, "records_kept": aside.records_kept,
        })).collect::<Vec<_>>(),
    })
}
