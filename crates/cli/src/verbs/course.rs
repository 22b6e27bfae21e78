//! `pointsman stop`, `pause`, `retry` and `add`: the course of a run while it is on.

use pointsman_model::{Digest, RunId, WorkerId};
use pointsman_surfaces::socket::{Ask, Client, CourseWord, Reply, Seat};

use super::job_text::job_text;
use super::leader::{leader, order, refused};
use crate::arguments::{AddArguments, PauseArguments, RetryArguments, StopArguments, StopWhat};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Stops a run, a job or an agent.
pub(super) fn stop(arguments: &StopArguments, output: &mut Output) -> Result<Code, Failure> {
    let text = arguments.text.clone();
    let (run, ask) = match &arguments.what {
        StopWhat::Run(run) => (Some(*run), Ask::Stop { worker: None, text }),
        StopWhat::Worker(worker) => {
            let worker = Some(*worker);
            (worker.map(WorkerId::run), Ask::Stop { worker, text })
        }
        StopWhat::Job(name) => {
            let (job, at) = (name.clone(), Seat::Command);
            (arguments.leader.run, Ask::StopJob { job, text, at })
        }
    };
    let (_, mut leader) = leader(&Place::here()?, run)?;
    order(&mut leader, &ask, output)
}

/// Holds a run, a job or an agent, or lets it go on.
pub(super) fn pause(arguments: &PauseArguments, output: &mut Output) -> Result<Code, Failure> {
    let (mut leader, worker) = find(arguments.what.as_ref(), arguments.leader.run)?;
    let course = if arguments.off {
        CourseWord::On
    } else {
        CourseWord::Paused
    };
    order(&mut leader, &Ask::Course { worker, course }, output)
}

/// The leader of what is meant, and the agent that is meant; the whole run when none is.
fn find(
    what: Option<&StopWhat>,
    run: Option<RunId>,
) -> Result<(Client, Option<WorkerId>), Failure> {
    let place = Place::here()?;
    let (run, worker, job) = match what {
        None => (run, None, None),
        Some(StopWhat::Run(run)) => (Some(*run), None, None),
        Some(StopWhat::Worker(worker)) => (Some(worker.run()), Some(*worker), None),
        Some(StopWhat::Job(name)) => (run, None, Some(name)),
    };
    let (run, mut leader) = leader(&place, run)?;
    let worker = match job {
        None => worker,
        Some(name) => Some(worker_of(name, run, &mut leader)?),
    };
    Ok((leader, worker))
}

/// The worker of a job at work.
fn worker_of(name: &str, run: RunId, leader: &mut Client) -> Result<WorkerId, Failure> {
    let status = leader.ask(&Ask::Status);
    let jobs = match status.map_err(|error| Failure::of(&error))? {
        Reply::Status(status) => status.jobs,
        reply => return Err(refused(reply)),
    };
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    let Some(job) = jobs.iter().find(|job| job.name == *name) else {
        return Err(Failure::bad_input(format!("{run} has no job `{name}`"))
            .hint(format!("it has {}", names.join(", "))));
    };
    match (job.worker, job.state.as_str()) {
        (Some(worker), "runs") => Ok(worker),
        // One that runs may have no worker on record yet, and one that is tried again has that of its last try.
        (_, "waits" | "runs") => Err(Failure::bad_input(format!(
            "the job `{name}` is not at work yet: {}",
            job.state
        ))
        .hint(format!(
            "a job can be paused once it is at work; `pointsman pause {run}` holds all of the run"
        ))),
        (_, state) => Err(Failure::bad_input(format!(
            "the job `{name}` is not at work: {state}"
        ))),
    }
}

/// Has jobs tried again.
pub(super) fn retry(arguments: &RetryArguments, output: &mut Output) -> Result<Code, Failure> {
    let (_, mut leader) = leader(&Place::here()?, arguments.leader.run)?;
    let jobs = (!arguments.jobs.is_empty()).then(|| arguments.jobs.clone());
    order(&mut leader, &Ask::Retry { jobs }, output)
}

/// Lets the jobs of a file join.
pub(super) fn add(arguments: &AddArguments, output: &mut Output) -> Result<Code, Failure> {
    let file = arguments.job_file.display().to_string();
    let place = Place::here()?;
    let (text, at) = job_text(&file, &place)?;
    let digest = Digest::of(text.as_bytes());
    let (_, mut leader) = leader(&place, arguments.leader.run)?;
    order(&mut leader, &Ask::Add { file, at, digest }, output)
}
