//! `pointsman runs`: the runs of this project, and which of them have a leader now.

use std::collections::BTreeMap;

use pointsman_surfaces::shown;
use pointsman_surfaces::socket::{Ask, Client, ClientError, CourseWord, Reply, StatusWire};
use serde_json::json;

use super::leader::refused;
use super::log;
use crate::arguments::RunsArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// How the leader of a run stands.
enum Leads {
    At(StatusWire),
    /// It listens, and does not answer.
    Silent(ClientError),
}

/// Lists the runs, oldest first; of those that are on also how they stand.
pub(super) fn run(arguments: &RunsArguments, output: &mut Output) -> Result<Code, Failure> {
    let RunsArguments { form: _ } = arguments;
    let place = Place::here()?;
    let sockets = place.state.sockets().map_err(|error| Failure::of(&error))?;
    let mut led = BTreeMap::new();
    for (run, socket) in sockets {
        if let Ok(mut client) = Client::connect(&socket) {
            match client.ask(&Ask::Status) {
                Ok(Reply::Status(status)) => drop(led.insert(run, Leads::At(status))),
                Ok(reply) => return Err(refused(reply)),
                Err(silent @ ClientError::Late(_)) => drop(led.insert(run, Leads::Silent(silent))),
                // It has ended between the two.
                Err(_) => {}
            }
        }
    }
    let runs = log::open(&place)?.runs();
    for info in runs.map_err(|error| log::failed(&error))? {
        output.text(&log::run_line(&info));
        let leader = match led.get(&info.run) {
            None => json!(null),
            Some(Leads::At(status)) => {
                output.text(&format!("        {}\n", words(status)));
                if let Some(classifier) = &status.classifier {
                    output.text(&format!("        {}\n", shown::line(classifier)));
                }
                json!(status)
            }
            Some(Leads::Silent(error)) => {
                output.text(&format!("        {error}\n"));
                json!({ "silent": error.to_string() })
            }
        };
        let mut object = log::run_object(&info);
        if let Some(fields) = object.as_object_mut() {
            fields.insert("leader".into(), leader);
        }
        output.object(&object);
    }
    match led.len() {
        0 => output.text("no leader runs now\n"),
        1 => {}
        count => output.text(&format!(
            "{count} leaders run: verbs that reach one want `--run`, or an id of its run\n"
        )),
    }
    Ok(Code::Done)
}

fn words(status: &StatusWire) -> String {
    let done = status.jobs.iter().filter(|job| job.state == "done").count();
    let course = match (status.course, status.held.len()) {
        (CourseWord::Paused, _) => ", paused".into(),
        (CourseWord::On, 0) => String::new(),
        (CourseWord::On, held) => format!(", {held} paused"),
    };
    let agents = match status.at_work {
        1 => "1 agent".to_owned(),
        count => format!("{count} agents"),
    };
    let jobs = match status.jobs.len() {
        1 => "1 job".to_owned(),
        count => format!("{count} jobs"),
    };
    format!(
        "{done} of {jobs} done, {agents} at work, {}{course}",
        waiting(status)
    )
}

/// How many questions wait.
pub(super) fn waiting(status: &StatusWire) -> String {
    match status.waiting {
        1 => "1 question waits".to_owned(),
        count => format!("{count} questions wait"),
    }
}
