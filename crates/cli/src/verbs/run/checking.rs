//! `run --check`: what a run that is started here would refuse or warn of, and nothing is run.

use std::sync::Arc;

use pointsman_ledger::SystemClock;
use pointsman_policy::Severity;
use pointsman_swarm::{Checked, Leader};
use serde_json::json;

use super::super::room::{FOLDER_HINT, room_remark};
use super::prepare::Prepared;
use super::start_failure;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Tells it. What was wrong with the settings has been told when they were read.
pub(super) fn check(
    prepared: Prepared,
    place: Place,
    output: &mut Output,
) -> Result<Code, Failure> {
    let attended = prepared.attended_here();
    let (file, jobs) = prepared.named();
    let (told, texts) = prepared.told_problems();
    let refused = prepared.problem_with(attended);
    let unwritable = place.state.could_be_prepared().err();
    let room = room_remark(&place);
    let (options, mut remarks) = prepared.options(place, attended, Arc::new(SystemClock));
    remarks.extend(room);
    for remark in &remarks {
        output.note(&format!("{remark}\n"));
        output.object(&json!({ "remark": remark }));
    }
    let Checked {
        problems,
        may_start,
    } = Leader::check(options).map_err(|error| start_failure(&error))?;
    for problem in problems.iter().filter(|problem| !told.contains(problem)) {
        output.note(&texts.draw(problem));
        output.object(&json!({ "problem": problem }));
    }
    if let Some(refused) = refused {
        return Err(refused);
    }
    if let Some(error) = unwritable {
        return Err(Failure::of(&error).hint(FOLDER_HINT));
    }
    may_start.map_err(|error| start_failure(&error))?;
    let count = problems.len().saturating_add(remarks.len());
    let mut verdict = match count {
        0 => "no problem".to_owned(),
        1 => "it would run, with the warning above".to_owned(),
        count => format!("it would run, with the {count} warnings above"),
    };
    let stops = |severity: Severity| severity == Severity::StopsUnattended;
    if problems.iter().any(|problem| stops(problem.severity)) {
        verdict.push_str("; with nobody there to ask it would not");
    }
    let counted = match jobs.len() {
        1 => "1 job".to_owned(),
        count => format!("{count} jobs"),
    };
    let names = jobs.join(", ");
    output.text(&format!("{file}: {verdict}; {counted}: {names}\n"));
    output.object(&json!({ "job_file": file, "jobs": jobs, "problems": count }));
    Ok(Code::Done)
}
