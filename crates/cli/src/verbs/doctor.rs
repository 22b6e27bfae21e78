//! `pointsman doctor`: what would go wrong, before it does.
//!
//! It changes nothing and asks no hook: it looks.

use std::io::IsTerminal as _;
use std::path::Path;

use pointsman_gate::{command_that_cant_start, hooks_that_cant_start};
use pointsman_ledger::{LedgerReader, ReadError, RunState};
use pointsman_model::{Attended, RunId};
use pointsman_policy::settings::{ClassifierBy, Loaded, lint};
use pointsman_policy::{Problem, Severity};
use pointsman_surfaces::shown;
use pointsman_surfaces::socket::{Ask, Client, ClientError, LineError, Reply};
use serde::Serialize;

use super::room::{FOLDER_HINT, ROOM_HINT, Room, room};
use super::run::hook_place;
use super::{log, rules, runs};
use crate::arguments::DoctorArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::{Place, is_dumb_terminal};

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// As it should be.
    Well,
    /// Worth a look; nothing fails for it.
    Look,
    /// Something will fail for it.
    Wrong,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    state: State,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Finding {
    fn new(about: &'static str, state: State, text: impl Into<String>) -> Self {
        Self {
            about,
            state,
            text: text.into(),
            hint: None,
        }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Looks at everything, and tells each thing.
pub(super) fn run(arguments: &DoctorArguments, output: &mut Output) -> Result<Code, Failure> {
    let DoctorArguments { form: _ } = arguments;
    let place = Place::here()?;
    let (_, loaded) = rules::settings(&[], &place)?;
    let mut findings = vec![project(&place)];
    findings.extend(state_folder(&place));
    findings.extend(settings(&loaded));
    findings.extend(programs(&loaded, &place));
    findings.extend(ledger(&place));
    findings.extend(sockets(&place)?);
    findings.push(terminal());
    for finding in &findings {
        let mark = match finding.state {
            State::Well => "ok   ",
            State::Look => "look ",
            State::Wrong => "WRONG",
        };
        output.text(&format!("{mark}  {:<9} {}\n", finding.about, finding.text));
        if let Some(hint) = &finding.hint {
            output.text(&format!("                 = {hint}\n"));
        }
        output.object(finding);
    }
    let worst = findings.iter().map(|finding| finding.state).max();
    Ok(match worst {
        Some(State::Wrong) => Code::Failed,
        Some(State::Well | State::Look) | None => Code::Done,
    })
}

fn project(place: &Place) -> Finding {
    Finding::new("project", State::Well, shown::line(place.project.as_str()))
}

/// Whether runs can write their records, and be reached.
fn state_folder(place: &Place) -> Vec<Finding> {
    let folder = place.state.folder();
    let text = shown::line(folder.as_str());
    let mut findings = vec![match place.state.could_be_prepared() {
        Ok(()) => Finding::new("state", State::Well, text),
        Err(error) => {
            Finding::new("state", State::Wrong, Failure::of(&error).what()).hint(FOLDER_HINT)
        }
    }];
    findings.extend(match room(place) {
        Room::Enough => None,
        Room::Little(text) => Some(Finding::new("state", State::Look, text).hint(ROOM_HINT)),
        Room::None(text) => Some(Finding::new("state", State::Wrong, text).hint(ROOM_HINT)),
    });
    // Runs are numbered; a long number makes a long path.
    let later = RunId::new(99_999_999);
    if later.is_some_and(|run| !place.state.socket_fits(run)) {
        findings.push(
            Finding::new(
                "state",
                State::Wrong,
                "its path is too long for a control socket",
            )
            .hint("set `XDG_STATE_HOME` to a shorter path: `pointsman answer` needs the socket"),
        );
    }
    findings
}

fn settings(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = Vec::new();
    for problem in &loaded.problems {
        findings.push(problem_finding("settings", problem));
    }
    match loaded.untrusted.len() {
        0 => {}
        count => findings.push(
            Finding::new(
                "trust",
                State::Look,
                format!(
                    "{count} lines of this project's files loosen something and are not in force"
                ),
            )
            .hint("`pointsman trust` shows them"),
        ),
    }
    let meant = lint(loaded).len();
    if meant > 0 {
        findings.push(
            Finding::new(
                "settings",
                State::Look,
                format!("{meant} rules may not say what they are meant to"),
            )
            .hint("`pointsman policy lint` tells which"),
        );
    }
    if findings.is_empty() {
        let count = loaded.rules.len();
        findings.push(Finding::new(
            "settings",
            State::Well,
            format!("{count} rules, nothing to mend"),
        ));
    }
    findings
}

fn problem_finding(about: &'static str, problem: &Problem) -> Finding {
    let state = match problem.severity {
        Severity::Warning | Severity::DroppedAllow => State::Look,
        Severity::StopsUnattended => State::Wrong,
    };
    let place = problem.place.as_ref();
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    let finding = Finding::new(
        about,
        state,
        format!("{}{place}", shown::line(&problem.message)),
    );
    match &problem.hint {
        Some(hint) => finding.hint(hint.clone()),
        None => finding,
    }
}

/// The programs that settings name: hooks, the classifier, whoever gives notice.
fn programs(loaded: &Loaded, place: &Place) -> Vec<Finding> {
    let hook_place = hook_place(loaded, place, Attended::No);
    let broken = hooks_that_cant_start(&loaded.hooks, &hook_place);
    let mut findings: Vec<Finding> = broken
        .iter()
        // One that can't start fails at each call, whatever its duty.
        .map(|problem| Finding {
            state: State::Wrong,
            ..problem_finding("hooks", problem)
        })
        .collect();
    if findings.is_empty() {
        let text = match loaded.hooks.hooks.len() {
            0 => "none".into(),
            count => format!("{count}, all can start; `pointsman hooks test` asks them"),
        };
        findings.push(Finding::new("hooks", State::Well, text));
    }
    let own = &loaded.pointsman;
    let classifier = own.classifier.as_ref().and_then(|it| match &it.by {
        ClassifierBy::Program { command } => Some((command, "classifier")),
        // Whether a model answers is seen when it is asked.
        ClassifierBy::Model(_) => None,
    });
    let notify = Some((&own.notify.command, "notify"));
    let escalation = own
        .notify
        .escalation
        .as_ref()
        .map(|it| (&it.command, "notify"));
    for (command, about) in [classifier, notify, escalation].into_iter().flatten() {
        let Some(program) = command.first() else {
            continue;
        };
        let finding = match command_that_cant_start(command, &hook_place) {
            None => Finding::new(about, State::Well, shown::line(program)),
            Some(fault) => Finding::new(about, State::Wrong, shown::line(&fault))
                .hint("mend its `command` in your settings"),
        };
        findings.push(finding);
    }
    findings
}

/// Whether the records are as they were written, and what dead leaders left.
fn ledger(place: &Place) -> Vec<Finding> {
    let path = place.state.ledger();
    let reader = match LedgerReader::open(&path) {
        Ok(reader) => reader,
        Err(ReadError::Missing(_)) => {
            return vec![Finding::new("ledger", State::Well, "nothing has run yet")];
        }
        Err(error) => {
            return vec![Finding::new(
                "ledger",
                State::Wrong,
                Failure::of(&error).what(),
            )];
        }
    };
    let mut findings = Vec::new();
    match reader.verify() {
        Ok(report) if report.is_sound() => findings.push(Finding::new(
            "ledger",
            State::Well,
            format!(
                "{} records of {}, {}, all as they were written",
                report.records,
                log::counted_runs(report.heads.len()),
                size(&path)
            ),
        )),
        Ok(report) => findings.push(
            Finding::new(
                "ledger",
                State::Wrong,
                match report.faults().count() {
                    1 => "1 record is not as it was written".into(),
                    count => format!("{count} records are not as they were written"),
                },
            )
            .hint("`pointsman log verify` tells which"),
        ),
        Err(error) => {
            findings.push(Finding::new(
                "ledger",
                State::Wrong,
                Failure::of(&error).what(),
            ));
        }
    }
    let interrupted: Vec<String> = reader
        .runs()
        .unwrap_or_default()
        .iter()
        .filter(|run| run.state == RunState::Interrupted)
        .map(|run| run.run.to_string())
        .collect();
    if !interrupted.is_empty() {
        findings.push(
            Finding::new(
                "runs",
                State::Look,
                format!("their leader died: {}", interrupted.join(", ")),
            )
            .hint("`pointsman run --resume RUN` goes on with one; `pointsman log --run RUN` tells what was interrupted and what is unknown"),
        );
    }
    findings
}

/// What the database takes on disk, with the log that is copied into it from time to time.
fn size(path: &Path) -> String {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let of = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
    let bytes = of(path).saturating_add(of(Path::new(&log)));
    format!("{} KiB", bytes.div_ceil(1_024))
}

/// Which leaders run, and which sockets nobody listens at.
fn sockets(place: &Place) -> Result<Vec<Finding>, Failure> {
    let sockets = place.state.sockets().map_err(|error| Failure::of(&error))?;
    let mut findings = Vec::new();
    for (run, path) in sockets {
        let asked = Client::connect(&path).map(|mut client| client.ask(&Ask::Status));
        findings.push(match asked {
            Ok(Ok(Reply::Status(status))) => Finding::new(
                "leader",
                State::Well,
                format!("{run} is led, {}", runs::waiting(&status)),
            ),
            Ok(Err(error @ ClientError::Late(_))) => {
                Finding::new("leader", State::Wrong, format!("{run}: {error}"))
                    .hint("let it go on, or wait until it has less to do; what it leads stands still meanwhile")
            }
            // It has ended between the two.
            Ok(Err(ClientError::Send(_) | ClientError::Receive(LineError::Closed))) => continue,
            Ok(_) => Finding::new(
                "leader",
                State::Wrong,
                format!("{run} is led by a pointsman that says something else"),
            )
            .hint("use the same version as the leader"),
            Err(_) => Finding::new(
                "leader",
                State::Look,
                format!("nobody listens at the socket of {run}: its leader was killed"),
            )
            .hint("nothing to do: it counts for nothing"),
        });
    }
    if findings.is_empty() {
        findings.push(Finding::new("leader", State::Well, "none runs now"));
    }
    Ok(findings)
}

/// What a person at this terminal will get.
fn terminal() -> Finding {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    match (is_terminal, is_dumb_terminal()) {
        (false, _) => Finding::new(
            "terminal",
            State::Look,
            "none here: a run is unattended unless `--attended` or a setting says otherwise",
        ),
        (true, true) => Finding::new(
            "terminal",
            State::Look,
            "it shows no full screen: a run asks line by line",
        ),
        (true, false) => Finding::new("terminal", State::Well, "a run opens a full screen"),
    }
}
