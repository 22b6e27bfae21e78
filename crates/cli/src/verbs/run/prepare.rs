//! What a run is started with, read and checked before anything starts.

use std::io::IsTerminal as _;
use std::sync::Arc;

use pointsman_agents::ModelAccess;
use pointsman_ledger::{Clock, Filter, LedgerReader, RecordBody, RecordKind, RunOrder, RunStart};
use pointsman_llm::{Cassette, Recorder, Transport};
use pointsman_model::{AbsPath, AgentName, Attended, Digest, PermissionMode, RunId, Surface};
use pointsman_policy::settings::{Hangup, NotifySettings, Presence, QuietHours, SourceTexts};
use pointsman_policy::{DiskTree, Problem};
use pointsman_process::Environment;
use pointsman_surfaces::render::minute_of_day;
use pointsman_surfaces::{Terminal, ToldEarlier};
use pointsman_swarm::{JobFile, JobFileProblem, LeaderOptions, Pauses, Resumed};
use pointsman_tools::Toolbox;
use serde_json::json;

use super::super::job_text::{job_text, job_text_at};
use super::super::rules::{self, Given};
use super::judges;
use crate::arguments::RunArguments;
use crate::failure::Failure;
use crate::output::{Form, Output};
use crate::place::{Place, is_dumb_terminal};

/// A job file and settings without a fault that would keep them from being used.
pub(super) struct Prepared {
    job_file: JobFile,
    given: Given,
    mode: Option<PermissionMode>,
    resume: Option<Resumed>,
    earlier: ToldEarlier,
    wants: Wants,
    shape: Shape,
    models: ModelAccess,
    started: Started,
}

/// By whom this process was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    /// A person or a script.
    Here,
    /// `run --detach`, which waits for it.
    Detached,
}

/// How a person is told that something waits, and what becomes of questions when the terminal is closed.
pub(super) struct Notice {
    pub(super) settings: NotifySettings,
    pub(super) hangup: Hangup,
    /// What earlier leaders of the run have told.
    pub(super) earlier: ToldEarlier,
    pub(super) folder: AbsPath,
    pub(super) environment: Environment,
}

/// How the person at the terminal is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// On a full screen, where the terminal can show one.
    Screen,
    /// Line by line.
    Lines,
}

/// Where the person at the terminal is asked.
pub(super) enum Front {
    /// Nowhere: there is no terminal, or it is not to be used.
    Nowhere,
    /// Line by line.
    Prompt(Terminal),
    /// On a full screen, which tells of these jobs.
    Screen {
        /// Their names, in the order of the file.
        jobs: Vec<String>,
    },
}

/// Who is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Whoever is at the terminal, if there is one.
    AsFound,
    /// Nobody.
    Nobody,
    /// Somebody in another terminal, too.
    ByCommand,
}

/// Reads the job file and the settings; tells every problem.
pub(super) fn prepare(
    arguments: &RunArguments,
    place: &Place,
    output: &mut Output,
) -> Result<Prepared, Failure> {
    let begun = match arguments.resume {
        Some(run) => Some((run, begun(run, place)?)),
        None => None,
    };
    let shown = match (&begun, &arguments.job_file) {
        (Some((_, start)), _) => start.job_file.as_deref().unwrap_or_default().to_owned(),
        (None, Some(file)) => file.display().to_string(),
        (None, None) => String::new(),
    };
    let lies_at = begun
        .as_ref()
        .and_then(|(_, start)| start.job_file_at.clone());
    let (text, at) = text_of(&shown, lies_at, place)?;
    let given = rules::read(&arguments.rules, place)?;
    let agents = given.loaded.agents.iter().map(|agent| agent.name.clone());
    let agents: Vec<_> = agents.collect();
    let parsed = JobFile::parse_in(&text, &shown, &place.project, &agents);
    rules::tell(&given.loaded, output);
    for problem in &given.loaded.problems {
        output.object(&json!({ "problem": problem }));
    }
    if !given.loaded.untrusted.is_empty() {
        output.object(&json!({ "untrusted": given.loaded.untrusted }));
    }
    let job_file = parsed.map_err(|problems| tell(&problems, output))?;
    let job_file = job_file.lying_at(at);
    let resume = match &begun {
        None => None,
        Some((run, start)) => {
            is_as_it_was(&job_file, *run, start.job_file_digest)?;
            Some(Resumed {
                run: *run,
                joined: joined(*run, place, (&job_file, agents), output)?,
                pauses: if arguments.go_on {
                    Pauses::Over
                } else {
                    Pauses::Kept
                },
            })
        }
    };
    let quiet = given.loaded.pointsman.notify.quiet;
    let earlier = match &begun {
        None => ToldEarlier::default(),
        Some((run, _)) => told_earlier(*run, quiet, place)?,
    };
    let by_settings = given.loaded.pointsman.unattended;
    let wants = match (arguments.unattended, arguments.attended, by_settings) {
        (true, _, _) | (false, false, Presence::Unattended) => Wants::Nobody,
        (false, true, _) => Wants::ByCommand,
        (false, false, Presence::AsFound) => Wants::AsFound,
    };
    Ok(Prepared {
        job_file,
        mode: arguments.rules.mode,
        resume,
        earlier,
        given,
        wants,
        models: models(arguments)?,
        shape: match (arguments.plain, output.form()) {
            (false, Form::Person) => Shape::Screen,
            // Standard output is for the program that reads it.
            (true, _) | (_, Form::Program) => Shape::Lines,
        },
        started: if arguments.detached {
            Started::Detached
        } else {
            Started::Here
        },
    })
}

/// What the first leader of a run said when it began.
fn begun(run: RunId, place: &Place) -> Result<RunStart, Failure> {
    let reader = LedgerReader::open(&place.state.ledger()).map_err(|error| Failure::of(&error))?;
    let records = reader.records(&Filter {
        kinds: vec![RecordKind::RunStarted],
        ..Filter::of_run(run)
    });
    let records = records.map_err(|error| Failure::of(&error))?.records;
    match records.into_iter().next().map(|record| record.body) {
        Some(RecordBody::RunStarted(started)) => Ok(started.start),
        Some(_) | None => Err(
            Failure::bad_input(format!("there is no {run} in this project"))
                .hint("`pointsman log` lists the runs"),
        ),
    }
}

/// What the earlier leaders of a run told of the questions that they left.
fn told_earlier(
    run: RunId,
    quiet: Option<QuietHours>,
    place: &Place,
) -> Result<ToldEarlier, Failure> {
    let reader = LedgerReader::open(&place.state.ledger()).map_err(|error| Failure::of(&error))?;
    let reigns = reader.reigns(run).map_err(|error| Failure::of(&error))?;
    Ok(ToldEarlier::in_reigns(&reigns, quiet, minute_of_day))
}

/// The files whose jobs had joined a run, read anew.
fn joined(
    run: RunId,
    place: &Place,
    (first, mut agents): (&JobFile, Vec<AgentName>),
    output: &mut Output,
) -> Result<Vec<JobFile>, Failure> {
    agents.extend(first.agents.keys().cloned());
    let reader = LedgerReader::open(&place.state.ledger()).map_err(|error| Failure::of(&error))?;
    let records = reader.records(&Filter {
        kinds: vec![RecordKind::OrderGiven],
        ..Filter::of_run(run)
    });
    let records = records.map_err(|error| Failure::of(&error))?.records;
    let mut files = Vec::new();
    for record in records {
        let RecordBody::OrderGiven(given) = record.body else {
            continue;
        };
        let RunOrder::Add {
            file, digest, at, ..
        } = given.order
        else {
            continue;
        };
        let (text, at) = text_of(&file, at, place)?;
        let parsed = JobFile::parse_in(&text, &file, &place.project, &agents);
        let parsed = parsed.map_err(|problems| tell(&problems, output))?;
        is_as_it_was(&parsed, run, Some(digest))?;
        agents.extend(parsed.agents.keys().cloned());
        files.push(parsed.lying_at(at));
    }
    Ok(files)
}

/// The text of a job file, read where it is known to lie; what does not say so is as it was typed, and seen from here.
fn text_of(
    shown: &str,
    lies_at: Option<AbsPath>,
    place: &Place,
) -> Result<(String, AbsPath), Failure> {
    match lies_at {
        Some(at) => Ok((job_text_at(shown, &at)?, at)),
        None => job_text(shown, place),
    }
}

/// A run goes on with the job files that it had, byte for byte.
fn is_as_it_was(job_file: &JobFile, run: RunId, digest: Option<Digest>) -> Result<(), Failure> {
    if digest == Some(job_file.digest) {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "the job file is not what it was when {run} took it up"
    ))
    .at(&*job_file.path)
    .hint("put it back as it was, or start a new run"))
}

/// Tells each problem of a job file; the failure says how many there are.
fn tell(problems: &[JobFileProblem], output: &mut Output) -> Failure {
    for problem in problems {
        let mut failure = Failure::bad_input(problem.message()).at(problem.place());
        if let Some(hint) = problem.hint() {
            failure = failure.hint(hint);
        }
        output.note(&failure.to_string());
        output.object(&json!({ "problem": {
            "place": problem.place(),
            "message": problem.message(),
            "hint": problem.hint(),
        }}));
    }
    let count = match problems.len() {
        1 => "1 problem".into(),
        count => format!("{count} problems"),
    };
    Failure::bad_input(format!("the job file has {count}; nothing was run"))
}

impl Prepared {
    /// Whether someone can answer: at the terminal, or by command when a flag says so.
    pub(super) fn presence(&self) -> (Attended, Front) {
        if self.wants == Wants::Nobody {
            return (Attended::No, Front::Nowhere);
        }
        let front = self.front();
        let attended = match (&front, self.wants) {
            (Front::Prompt(_) | Front::Screen { .. }, _) | (_, Wants::ByCommand) => Attended::Yes,
            (Front::Nowhere, Wants::AsFound | Wants::Nobody) => self.attended_by_name(),
        };
        (attended, front)
    }

    /// Whether someone can answer who is not at a terminal now: a flag says so, or a setting names a surface that there
    /// is. An attached terminal is one; the web page and chats are none yet. That the socket is there does not count.
    pub(super) fn attended_by_name(&self) -> Attended {
        let surfaces = &self.given.loaded.pointsman.surfaces;
        match self.wants {
            Wants::Nobody => Attended::No,
            Wants::ByCommand => Attended::Yes,
            Wants::AsFound if surfaces.contains(&Surface::Terminal) => Attended::Yes,
            Wants::AsFound => Attended::No,
        }
    }

    /// Whether `run --detach` has started this process.
    pub(super) fn is_detached(&self) -> bool {
        self.started == Started::Detached
    }

    /// How a person is told of what waits.
    pub(super) fn notice(&self, place: &Place) -> Notice {
        let settings = &self.given.loaded.pointsman;
        Notice {
            settings: settings.notify.clone(),
            hangup: settings.hangup,
            earlier: self.earlier.clone(),
            folder: place.project.clone(),
            environment: self.environment(),
        }
    }

    /// What anything that the run starts sees of this process's environment: nothing that is a secret by its looks, and
    /// no key of a judge or of a model of any of its job files, whatever its variable is called.
    fn environment(&self) -> Environment {
        let joined = self.resume.iter().flat_map(|resumed| &resumed.joined);
        let files = std::iter::once(&self.job_file).chain(joined);
        let of_all = judges::environment(&self.given.loaded.pointsman);
        files
            .flat_map(JobFile::key_variables)
            .fold(of_all, Environment::without)
    }

    /// Whether a run that is started here would find someone who can answer.
    pub(super) fn attended_here(&self) -> Attended {
        match self.wants {
            Wants::AsFound if std::io::stdin().is_terminal() => Attended::Yes,
            Wants::AsFound | Wants::Nobody | Wants::ByCommand => self.attended_by_name(),
        }
    }

    /// The job file's name, and the names of its jobs.
    pub(super) fn named(&self) -> (String, Vec<String>) {
        let jobs = self.job_file.jobs.iter();
        let names = jobs.map(|job| job.name.to_string()).collect();
        (self.job_file.path.to_string(), names)
    }

    fn front(&self) -> Front {
        if !std::io::stdin().is_terminal() {
            return Front::Nowhere;
        }
        // It tells, too, whether this process has the terminal or runs in its background.
        let Ok(terminal) = Terminal::open() else {
            return Front::Nowhere;
        };
        let dumb = is_dumb_terminal();
        if self.shape == Shape::Lines || dumb || !std::io::stdout().is_terminal() {
            return Front::Prompt(terminal);
        }
        let jobs = self.job_file.jobs.iter();
        Front::Screen {
            jobs: jobs.map(|job| job.name.to_string()).collect(),
        }
    }

    /// The problems that were told when the settings were read, and the texts they point into.
    pub(super) fn told_problems(&self) -> (Vec<Problem>, SourceTexts) {
        let loaded = &self.given.loaded;
        (loaded.problems.clone(), loaded.texts.clone())
    }

    /// Why the run must not start, when it must not.
    pub(super) fn problem_with(&self, attended: Attended) -> Option<Failure> {
        match attended {
            Attended::Yes => None,
            Attended::No if self.given.loaded.may_run_unattended() => None,
            Attended::No => Some(
                Failure::bad_input(
                    "something in the settings that forbids or asks can't be read, and nobody is there to ask instead",
                )
                .hint("mend what is named above, or run it in a terminal"),
            ),
        }
    }

    /// All that the leader is started with, and what is to be said of it.
    pub(super) fn options(
        self,
        place: Place,
        attended: Attended,
        clock: Arc<dyn Clock>,
    ) -> (LeaderOptions, Vec<String>) {
        let environment = self.environment();
        let models = self.models;
        let settings = &self.given.loaded.pointsman;
        let hook_place = judges::hook_place(&self.given.loaded, &place, attended);
        let judges = judges::judges(settings, &models, &hook_place, &clock);
        let options = LeaderOptions {
            job_file: self.job_file,
            project: place.project,
            home: place.home,
            place: place.state,
            attended,
            loaded: self.given.loaded,
            mode: self.mode,
            clock,
            tree: Arc::new(DiskTree),
            environment,
            toolbox: Arc::new(Toolbox::built_in()),
            classifier: judges.classifier,
            explainer: judges.explainer,
            models: Some(models),
            version: env!("CARGO_PKG_VERSION").into(),
            resume: self.resume,
        };
        (options, judges.remarks)
    }
}

/// How models are reached: over the network, with the keys of this process's environment, on record if a person wants
/// that; or not at all, by a record of earlier.
fn models(arguments: &RunArguments) -> Result<ModelAccess, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let proxy = variable("HTTPS_PROXY").or_else(|| variable("https_proxy"));
    match (&arguments.record_models, &arguments.play_models) {
        (_, Some(file)) => {
            let cassette = Cassette::open(file).map_err(|error| Failure::of(&error))?;
            Ok(ModelAccess::played(cassette, variable))
        }
        (Some(file), None) => {
            let recorder = Recorder::create(file).map_err(|error| Failure::of(&error))?;
            let transport = Transport::recorded(proxy.as_deref(), recorder)
                .map_err(|error| Failure::of(&error))?;
            Ok(ModelAccess::by(transport, variable))
        }
        (None, None) => Ok(ModelAccess::over_network(proxy.as_deref(), variable)),
    }
}
