//! Bash: a command line, in the agent's folder.
//!
//! The line goes to bash as one argument, byte for byte as it was judged. How the agent's folder is
//! learnt afterwards is in [`folder`].

use std::time::Duration;

use async_trait::async_trait;
use pointsman_ledger::{ProcessGroupEnded, ProcessGroupStarted};
use pointsman_model::{BashInput, ExecutedCall, JsonText, Millis, ToolInput, ToolNature, ToolSpec};
use pointsman_process::{CommandSpec, End, Environment, Finished, ProcessGroup, RunError};
use tokio::sync::oneshot;

use self::folder::FolderReport;
use crate::input_fields::{self, FieldKind, InputField};
use crate::{InputProblem, Tool, ToolError, ToolOutput, ToolScene};

mod folder;

/// How long a command may run when the agent does not say.
const TIME_DEFAULT: Duration = Duration::from_mins(2);

/// How long a command may run at most, in milliseconds: ten minutes.
const TIME_MS_MAX: u64 = 10 * 60 * 1_000;

/// How long a command may take to end by itself once it is told to.
const KILL_GRACE: Duration = Duration::from_secs(2);

/// How much of its output an agent is given: enough for a failed build, little enough for a model to read.
const OUTPUT_BYTES_MAX: usize = 30_000;

/// The longest line, in bytes: the system takes no longer argument, its closing zero included. What is longer is said
/// before anybody is asked about it.
const COMMAND_BYTES_MAX: usize = 128 * 1024 - 1;

/// Variables that would make bash run something else than the line says: functions and options
/// handed down from the shell that the leader was started in, and files read before the line.
const SHELL_VARIABLES: [&str; 5] = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "OLDPWD"];

/// How bash hands its functions down.
const SHELL_FUNCTION_PREFIX: &str = "BASH_FUNC_";

const FIELDS: &[InputField] = &[
    InputField::required(
        "command",
        FieldKind::SomeText,
        "The command line, for bash.",
    ),
    InputField::optional(
        "description",
        FieldKind::Text,
        "What it is for, in a few words.",
    ),
    InputField::optional(
        "timeout",
        FieldKind::Count {
            min: 1,
            max: TIME_MS_MAX,
        },
        "How long it may run, in milliseconds; 120000 if left out, 600000 at most.",
    ),
    InputField::optional(
        "run_in_background",
        FieldKind::Flag,
        "Has to be false: commands are waited for.",
    ),
];

/// The tool.
pub(super) struct Bash {
    spec: ToolSpec,
}

impl Bash {
    pub(super) fn new() -> Self {
        let description = "Runs a command line in bash, in your folder; `cd` moves you for the calls that follow, \
            within your directories. It has no input and no terminal. It ends after its timeout, and nothing it \
            started in the background outlives it. Of long output the middle is left out.";
        Self {
            spec: super::spec("Bash", ToolNature::Changes, description, FIELDS),
        }
    }
}

#[async_trait]
impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn check(&self, raw: &JsonText) -> Result<ToolInput, Vec<InputProblem>> {
        let input: BashInput = input_fields::check(FIELDS, raw)?;
        if input.run_in_background == Some(true) {
            return Err(vec![InputProblem::Unfit {
                field: "run_in_background",
                wanted: "false, since commands are waited for here".into(),
                found: "true".into(),
            }]);
        }
        startable(&input.command)?;
        Ok(ToolInput::Bash(input))
    }

    async fn run(
        &self,
        call: &ExecutedCall,
        scene: &ToolScene<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let ToolInput::Bash(input) = &call.input else {
            return Err(super::wrong_input(call));
        };
        let report = FolderReport::prepare().map_err(super::failed)?;
        let spec = CommandSpec {
            program: "bash".into(),
            // Without `--` a line that begins with a dash would be taken for an option.
            args: vec!["-c".into(), "--".into(), input.command.clone()],
            folder: scene.folder.clone(),
            env: variables(&scene.seat.environment)
                .with("PWD", scene.folder.as_str())
                .with("BASH_ENV", report.startup_file()),
            stdin: None,
            output_bytes_max: OUTPUT_BYTES_MAX,
            time_max: input.timeout_ms.map_or(TIME_DEFAULT, Millis::duration),
            kill_grace: KILL_GRACE,
        };
        let time_max = spec.time_max;
        let finished = run_recorded(spec, call, scene).await.map_err(started_not)?;
        ended(&finished, time_max, &report, scene)
    }
}

/// Whether the system can start bash with this line at all.
fn startable(command: &str) -> Result<(), Vec<InputProblem>> {
    let unfit = |wanted: String, found: String| InputProblem::Unfit {
        field: "command",
        wanted: wanted.into(),
        found: found.into(),
    };
    let mut problems = Vec::new();
    if command.len() > COMMAND_BYTES_MAX {
        problems.push(unfit(
            format!(
                "at most {COMMAND_BYTES_MAX} bytes long, since the system starts no longer one (write it to a file \
                 and run that)"
            ),
            format!("{} bytes long", command.len()),
        ));
    }
    if command.contains('\0') {
        problems.push(unfit(
            "a text without null characters, since the system can't hand one on".into(),
            "one that has some".into(),
        ));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// The agent's variables, without those that change what a line means.
fn variables(environment: &Environment) -> Environment {
    environment
        .iter()
        .filter(|(name, _)| {
            !name.to_str().is_some_and(|name| {
                SHELL_VARIABLES.contains(&name) || name.starts_with(SHELL_FUNCTION_PREFIX)
            })
        })
        .fold(Environment::empty(), |kept, (name, value)| {
            kept.with(name, value)
        })
}

/// Runs it and keeps its process group on the ledger, so that the next leader can end what this one left.
async fn run_recorded(
    spec: CommandSpec,
    call: &ExecutedCall,
    scene: &ToolScene<'_>,
) -> Result<Finished, RunError> {
    let seat = scene.seat;
    let (tell, told) = oneshot::channel::<ProcessGroup>();
    let mut tell = Some(tell);
    let mut started = move |group: ProcessGroup| {
        if let Some(tell) = tell.take() {
            // The other end lives as long as this function.
            let _ = tell.send(group);
        }
    };
    let keep = async {
        let group = told.await.ok()?;
        let facts = group.facts().clone();
        let record = ProcessGroupStarted {
            worker: Some(seat.worker),
            call: Some(call.id),
            group: facts.clone(),
            program: "bash".into(),
        };
        if let Err(error) = seat.ledger.append(seat.run, record).await {
            tracing::warn!(call = %call.id, %error, "a process group could not be recorded");
        }
        Some(facts)
    };
    let run = async {
        let finished = pointsman_process::run(spec, &seat.stop, &mut started).await;
        // Of a program that was not started nothing is told, and `keep` is not to wait for it.
        drop(started);
        finished
    };
    let (finished, facts) = tokio::join!(run, keep);
    if let Some(group) = facts {
        let record = ProcessGroupEnded {
            call: Some(call.id),
            group,
            text: finished
                .as_ref()
                .map_or_else(|error| error.to_string(), |done| how(done.end))
                .into(),
        };
        if let Err(error) = seat.ledger.note(seat.run, record).await {
            tracing::warn!(call = %call.id, %error, "the end of a process group could not be recorded");
        }
    }
    finished
}

fn how(end: End) -> String {
    match end {
        End::Exited(code) => format!("ended with exit code {code}"),
        End::Signalled(signal) => format!("ended by signal {signal}"),
        End::TimedOut => "killed at its time limit".into(),
        End::Stopped => "killed since its agent was to end".into(),
    }
}

/// Says with its cause why nothing ran.
fn started_not(error: RunError) -> ToolError {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    ToolError::Failed(format!("{error}{}", cause.unwrap_or_default()))
}

/// What the agent is given.
fn ended(
    finished: &Finished,
    time_max: Duration,
    report: &FolderReport,
    scene: &ToolScene<'_>,
) -> Result<ToolOutput, ToolError> {
    let output = text(finished);
    let with = |note: String| {
        if output.is_empty() {
            note
        } else {
            format!("{output}\n{note}")
        }
    };
    match finished.end {
        End::Exited(code) => {
            let (moved_to, note) = report.moved(scene);
            let notes: Vec<String> = (code != 0)
                .then(|| format!("(exit code {code})"))
                .into_iter()
                .chain(note)
                .collect();
            Ok(ToolOutput {
                text: if notes.is_empty() {
                    output
                } else {
                    with(notes.join("\n"))
                },
                exit_code: Some(code),
                moved_to,
                seen: None,
            })
        }
        End::Signalled(signal) => Err(ToolError::Failed(with(format!(
            "(ended by signal {signal})"
        )))),
        End::TimedOut => Err(ToolError::Failed(with(format!(
            "(killed: it ran longer than its timeout of {} ms)",
            time_max.as_millis()
        )))),
        End::Stopped => Err(ToolError::Stopped(with(
            "(killed: this agent was stopped, or its time was over)".into(),
        ))),
    }
}

/// Both outputs, one after the other, within the limit together.
fn text(finished: &Finished) -> String {
    let errors = finished.stderr.clone().within(OUTPUT_BYTES_MAX / 3);
    let room = OUTPUT_BYTES_MAX.saturating_sub(errors.kept_bytes());
    let mut text = finished.stdout.clone().within(room).text();
    let errors = errors.text();
    if !text.is_empty() && !errors.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&errors);
    text.truncate(text.trim_end().len());
    text
}
