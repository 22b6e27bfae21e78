//! `pointsman run`: start a leader on a job file, stand by it, and tell what came of it.

mod checking;
mod detach;
mod hangup;
mod judges;
mod prepare;
mod printer;
mod records;
mod scene;
mod signals;
mod summary;
mod telling;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{Clock, SystemClock};
use pointsman_model::{Attended, RunId};
use pointsman_process::Orphans;
use pointsman_surfaces::render::summary_text;
use pointsman_swarm::{Leader, StartError, StopReason};

use crate::arguments::RunArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;
pub(in crate::verbs) use judges::hook_place;
use prepare::Prepared;
use printer::{Patience, Printer, Stalled};
use records::Verdicts;
use scene::{Left, Scene, SceneOptions};
pub(in crate::verbs) use signals::Signals;

/// How often dead orphans are looked for. They take a number each, of which there are some ten thousand.
const BURY_EVERY: Duration = Duration::from_secs(30);

/// Checks the job file, or runs it.
pub(super) fn run(arguments: &RunArguments, output: &mut Output) -> Result<Code, Failure> {
    if arguments.detached {
        detach::leave_session()?;
    }
    let place = Place::here()?;
    let prepared = prepare::prepare(arguments, &place, output)?;
    if arguments.check {
        return checking::check(prepared, place, output);
    }
    if arguments.detach {
        let attended = prepared.attended_by_name();
        return match prepared.problem_with(attended) {
            Some(problem) => Err(problem),
            None => detach::start(attended, output),
        };
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(&error))?;
    let orphans = Orphans::adopt();
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = lead(prepared, place, output) => ended,
            never = bury(&orphans) => match never {},
        }
    });
    // What an agent's command left behind, in whatever way, ends with the run.
    orphans.end();
    // A command of an agent that does not die holds nothing up.
    runtime.shutdown_background();
    ended
}

/// Takes leave of dead orphans now and then, as long as it is polled.
async fn bury(orphans: &Orphans) -> Infallible {
    loop {
        tokio::time::sleep(BURY_EVERY).await;
        orphans.bury();
    }
}

/// Leads the run, and sees to it that what it has to say is printed as far as anybody reads it.
async fn lead(prepared: Prepared, place: Place, output: &mut Output) -> Result<Code, Failure> {
    let mut signals = Signals::new();
    let (printer, printing) = Printer::start(output.form())?;
    let (ended, patience) = stand_by(prepared, place, printer, &mut signals).await;
    match printing.finish(patience, &mut signals).await {
        Ok(printed) => *output = printed,
        Err(Stalled) => output.abandon(),
    }
    ended
}

async fn stand_by(
    prepared: Prepared,
    place: Place,
    printer: Printer,
    signals: &mut Signals,
) -> (Result<Code, Failure>, Patience) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (attended, front) = prepared.presence();
    if let Some(problem) = prepared.problem_with(attended) {
        return (Err(problem), Patience::Ended);
    }
    let ledger = place.state.ledger();
    let (told_problems, texts) = prepared.told_problems();
    let notice = prepared.notice(&place);
    let is_detached = prepared.is_detached();
    let (options, remarks) = prepared.options(place, attended, Arc::clone(&clock));
    for remark in remarks {
        printer.note(format!("{remark}\n")).await;
    }
    if is_detached && let Err(nobody) = detach::is_waited_for() {
        return (Err(nobody), Patience::Ended);
    }
    let (handle, leader) = match Leader::start(options).await {
        Ok(started) => started,
        Err(error) => return (Err(start_failure(&error)), Patience::Ended),
    };
    for problem in leader.problems() {
        if !told_problems.contains(problem) {
            printer.note(texts.draw(problem)).await;
        }
    }
    for unknown in leader.unknown() {
        printer.note(format!("{unknown}\n")).await;
    }
    let scene = Scene::set(SceneOptions {
        handle: handle.clone(),
        attended,
        front,
        clock,
        ledger,
        notice,
        printer: printer.clone(),
    });
    let scene = scene.await;
    // Only now: whoever hears of the run may ask its leader something at once.
    if is_detached && detach::tell(handle.run()).is_err() {
        handle.stop(StopReason::StarterGone);
    }
    drop(handle);
    let (left, patience) = scene.watch(leader, signals).await;
    let ended = match left {
        Left::Ended(summary) => {
            let told = async {
                printer.text(summary_text(&summary)).await;
                printer.object(&summary::object(&summary)).await;
            };
            // What does not fit the queue of a reader that has stalled is not told.
            let _ = patience.wait(printer.progress(), signals, told).await;
            Ok(Code::OfRun(summary.exit.code()))
        }
        Left::AtOnce => {
            let text = "stopped at once; `pointsman log` tells what was interrupted\n";
            let told = printer.note(text);
            let _ = patience.wait(printer.progress(), signals, told).await;
            Ok(Code::OfRun(pointsman_swarm::ExitCode::Cancelled.code()))
        }
        Left::Broken(error) => Err(Failure::failed(format!(
            "the leader broke off ({error}), which is a defect of pointsman"
        ))
        .hint("`pointsman log` tells what was interrupted")),
    };
    (ended, patience)
}

/// Why a run does not start, and what to do about it.
fn start_failure(error: &StartError) -> Failure {
    let failure = Failure::of(error);
    match error {
        StartError::Settings { problems } => {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            failure.hint(format!(
                "mend these, or run it in a terminal: {}",
                all.join("; ")
            ))
        }
        StartError::ContextChanged { .. } => {
            failure.hint("put them back as they were (give the same rules, mode and `--attended`), or start a new run")
        }
        StartError::Paused { .. } => failure.hint(
            "let it go on with `--go-on`, or take it up with `--attended` and say `pointsman pause --off` when you are there",
        ),
        StartError::PastDamaged { .. } | StartError::PastNotWhole { .. } => failure.hint(
            "`pointsman log verify` names them, `pointsman log` tells what was done; start what is left as a new run",
        ),
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
