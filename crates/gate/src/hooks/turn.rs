//! One hook's turn: its program is given the event on standard input, and has its time to answer.

use std::time::Duration;

use pointsman_ledger::{GroupFacts, ProcessGroupEnded, ProcessGroupStarted};
use pointsman_model::{AbsPath, CallId, Millis, RuleSource, WorkerId};
use pointsman_policy::settings::{HookDuty, HookRun, HookSetting};
use pointsman_process::{CommandSpec, Environment, ProcessGroup, RunError, run};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::HookPlace;
use super::answer::{self, Said};

/// How much of each output is kept, in bytes. An answer may hold a whole file's new content.
const OUTPUT_BYTES_MAX: usize = 4 << 20;

/// How long a hook that is late may take to end after the first signal.
const KILL_GRACE: Duration = Duration::from_millis(500);

/// What a hook's turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    /// The hook.
    pub(super) hook: Box<str>,
    /// Whose file configures it.
    pub(super) source: RuleSource,
    /// What its failure means.
    pub(super) duty: HookDuty,
    /// What it said.
    pub(super) said: Said,
    /// How long it took.
    pub(super) took: Millis,
}

impl Turn {
    /// The turn of a hook that could not even be asked.
    pub(super) fn failed(hook: &HookSetting, text: &str) -> Self {
        Self {
            hook: (*hook.name()).into(),
            source: hook.source,
            duty: hook.duty,
            said: Said::failed(text),
            took: Millis(0),
        }
    }
}

/// What the hooks of one event are given.
pub(super) struct Given<'a> {
    /// For whose call.
    pub(super) worker: WorkerId,
    /// Which call.
    pub(super) call: CallId,
    /// Where they run.
    pub(super) folder: &'a AbsPath,
    /// All their variables.
    pub(super) environment: &'a Environment,
    /// What stands on their standard input.
    pub(super) payload: &'a [u8],
    /// Ends their turn.
    pub(super) stop: &'a CancellationToken,
}

/// Asks a hook. Cancellation: dropping the future kills its process group.
pub(super) async fn take(hook: &HookSetting, place: &HookPlace, given: &Given<'_>) -> Turn {
    let asked = tokio::time::Instant::now();
    let said = match spec_of(hook, place, given) {
        Ok(spec) => ask(hook, spec, place, given).await,
        Err(why) => Said::failed(why),
    };
    Turn {
        hook: (*hook.name()).into(),
        source: hook.source,
        duty: hook.duty,
        said,
        took: asked.elapsed().into(),
    }
}

/// A resident hook is asked as any other is: it gets its one line, then the end of its input.
fn spec_of(
    hook: &HookSetting,
    place: &HookPlace,
    given: &Given<'_>,
) -> Result<CommandSpec, &'static str> {
    let placed = |text: &str| {
        text.replace("${CLAUDE_PROJECT_DIR}", place.project.as_str())
            .replace("$CLAUDE_PROJECT_DIR", place.project.as_str())
    };
    let (program, args) = match &hook.run {
        HookRun::Shell { line } => ("/bin/sh".into(), vec!["-c".into(), line.to_string()]),
        HookRun::Program { program, args } => (
            placed(program),
            args.iter().map(|arg| placed(arg)).collect(),
        ),
        HookRun::Http { .. } => return Err("hooks that are addresses can't be asked yet"),
    };
    Ok(CommandSpec {
        program,
        args,
        folder: given.folder.clone(),
        env: given.environment.clone(),
        stdin: Some(given.payload.to_vec()),
        output_bytes_max: OUTPUT_BYTES_MAX,
        time_max: hook.timeout.duration(),
        kill_grace: KILL_GRACE,
    })
}

async fn ask(hook: &HookSetting, spec: CommandSpec, place: &HookPlace, given: &Given<'_>) -> Said {
    let program = spec.program.clone();
    let (tell, told) = oneshot::channel::<ProcessGroup>();
    let recording = async {
        let Ok(group) = told.await else { return None };
        let facts = GroupFacts {
            pgid: group.id(),
            started_ticks: group.started_ticks(),
            boot: group.boot().into(),
            mark: group.mark().into(),
        };
        let record = ProcessGroupStarted {
            worker: Some(given.worker),
            call: Some(given.call),
            group: facts.clone(),
            program: program.as_str().into(),
        };
        note(place, given, record).await;
        Some(facts)
    };
    let running = async move {
        let mut tell = Some(tell);
        let mut started = |group: ProcessGroup| {
            if let Some(tell) = tell.take() {
                // The one who records it waits beside the run.
                let _ = tell.send(group);
            }
        };
        // A program that never starts takes `tell` with it, which ends the recording.
        run(spec, given.stop, &mut started).await
    };
    let (finished, facts) = tokio::join!(running, recording);
    if let Some(group) = facts {
        let text = match &finished {
            Ok(finished) => format!("{:?}", finished.end).into(),
            Err(error) => error.to_string().into(),
        };
        let record = ProcessGroupEnded {
            call: Some(given.call),
            group,
            text,
        };
        note(place, given, record).await;
    }
    match finished {
        Ok(finished) => answer::read(hook.event, &finished),
        Err(error) => Said::failed(&failure(&error)),
    }
}

async fn note(
    place: &HookPlace,
    given: &Given<'_>,
    record: impl Into<pointsman_ledger::RecordBody>,
) {
    if let Err(error) = place.ledger.note(given.worker.run(), record).await {
        tracing::warn!(%error, "a hook's process group is not on record");
    }
}

fn failure(error: &RunError) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
