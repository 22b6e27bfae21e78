//! `pointsman run`: start a leader on a job file, stand by it, and tell what came of it.

mod prepare;
mod records;
mod scene;
mod summary;

use std::sync::Arc;

use pointsman_ledger::{Clock, SystemClock};
use pointsman_model::{Attended, RunId};
use pointsman_surfaces::render::summary_text;
use pointsman_swarm::{Leader, StartError};

use crate::arguments::RunArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;
use prepare::Prepared;
use records::Verdicts;
use scene::Scene;

/// Checks the job file, or runs it.
pub(super) fn run(arguments: &RunArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    let prepared = prepare::prepare(arguments, &place, output)?;
    if arguments.check {
        return prepare::told(&prepared, output);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(&error))?;
    let ended = runtime.block_on(lead(prepared, place, output));
    // A command of an agent that does not die holds nothing up.
    runtime.shutdown_background();
    ended
}

async fn lead(prepared: Prepared, place: Place, output: &mut Output) -> Result<Code, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (attended, front) = prepared.presence();
    if let Some(problem) = prepared.problem_with(attended) {
        return Err(problem);
    }
    let ledger = place.state.ledger();
    let (told_problems, texts) = prepared.told_problems();
    let options = prepared.options(place, attended, Arc::clone(&clock));
    let (handle, leader) = Leader::start(options).await.map_err(|error| told(&error))?;
    for problem in leader.problems() {
        if !told_problems.contains(problem) {
            output.note(&texts.draw(problem));
        }
    }
    let scene = Scene::set(handle, (attended, front), clock, &ledger, output);
    let summary = scene.watch(leader, output).await;
    match summary {
        Some(summary) => {
            output.text(&summary_text(&summary));
            output.object(&summary::object(&summary));
            Ok(Code::OfRun(summary.exit.code()))
        }
        None => {
            output.note("stopped at once; `pointsman log` tells what was interrupted\n");
            Ok(Code::OfRun(pointsman_swarm::ExitCode::Cancelled.code()))
        }
    }
}

fn told(error: &StartError) -> Failure {
    let failure = Failure::of(error);
    match error {
        StartError::Settings { problems } => {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            failure.hint(format!(
                "mend these, or run it in a terminal: {}",
                all.join("; ")
            ))
        }
        StartError::Place(_) => {
            failure.hint("set `XDG_STATE_HOME` to a folder of yours that can be written")
        }
        _ => failure,
    }
}

/// What a run says of itself at its start.
fn greeting(run: RunId, attended: Attended, verdicts: Verdicts) -> String {
    let how = match (attended, verdicts) {
        (Attended::Yes, Verdicts::AtPrompt) => {
            "questions are asked here; `pointsman answer` reaches it too"
        }
        (Attended::Yes, Verdicts::Told) => "`pointsman queue` lists its questions",
        (Attended::No, _) => "nobody is asked: what would be a question is refused",
    };
    format!("{run}  {how}\n")
}
