//! One hook's turn: it is given the event, and has its time to answer.
//!
//! A program reads the event on its standard input, or as a line if it stays; an address is posted it.

mod program;

use pointsman_ledger::{Ledger, RecordBody};
use pointsman_model::{AbsPath, CallId, Millis, RuleSource, RunId, WorkerId};
use pointsman_policy::settings::{HookDuty, HookLife, HookRun, HookSetting, with_root};
use pointsman_process::{Environment, ResidentSpec};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HookPlace;
use super::address::{Addresses, Post, Variables};
use super::answer::{self, Said};
use super::bound::BoundScripts;
use super::resident::{Home, Residents, Step};
use super::unawaited::Unawaited;
use super::wish::{HookWish, sort};

/// How much of each output is kept, in bytes. An answer may hold a whole file's new content.
const OUTPUT_BYTES_MAX: usize = 4 << 20;

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
    /// What of its updates counts.
    pub(super) wishes: Vec<HookWish>,
    /// How long it took.
    pub(super) took: Millis,
}

/// All that hooks are asked with.
pub(super) struct Means {
    pub(super) place: HookPlace,
    /// What the scripts of a project's hooks were when the run began.
    pub(super) scripts: BoundScripts,
    /// The variables that are the same for all hooks.
    pub(super) environment: Environment,
    pub(super) variables: Box<Variables>,
    pub(super) addresses: Addresses,
    pub(super) residents: Residents,
    /// Hooks that nobody waits for, and the tasks of those that stay.
    pub(super) tasks: TaskTracker,
    /// What ends the hooks that nobody waits for.
    pub(super) unawaited: Unawaited,
}

/// What the hooks of one event are given.
pub(super) struct Given<'a> {
    pub(super) run: RunId,
    /// For whose call.
    pub(super) worker: Option<WorkerId>,
    /// Which call.
    pub(super) call: Option<CallId>,
    /// Where they run.
    pub(super) folder: &'a AbsPath,
    /// All their variables.
    pub(super) environment: &'a Environment,
    /// What they are told, as one line.
    pub(super) payload: &'a [u8],
    /// Ends their turn.
    pub(super) stop: &'a CancellationToken,
}

impl Turn {
    /// The turn of a hook that could not even be asked.
    pub(super) fn failed(hook: &HookSetting, text: &str) -> Self {
        Self::of(hook, Said::failed(text), Millis(0))
    }

    fn of(hook: &HookSetting, mut said: Said, took: Millis) -> Self {
        // What a hook wrote that says nothing may have been its no: a guard is there to be heard (law 15).
        match (said.stray.take(), hook.duty) {
            (Some(stray), HookDuty::Guard) => said = Said::failed(&stray),
            (Some(stray), HookDuty::Plain) if said.text.is_empty() => said.text = stray,
            (Some(_) | None, HookDuty::Plain) | (None, HookDuty::Guard) => {}
        }
        let name: Box<str> = (*hook.name()).into();
        let (wishes, remarks) = sort(std::mem::take(&mut said.updates), &name, hook.source);
        if !remarks.is_empty() {
            let before = if said.text.is_empty() { "" } else { " " };
            said.text = format!("{}{before}[{}]", said.text, remarks.join("; ")).into();
        }
        Self {
            hook: name,
            source: hook.source,
            duty: hook.duty,
            said,
            wishes,
            took,
        }
    }
}

/// Asks a hook. Cancellation: dropping the future kills its process group, or breaks its connection; a
/// process that stays has some time to come to its answer, which is thrown away.
pub(super) async fn take(hook: &HookSetting, means: &Means, given: &Given<'_>) -> Turn {
    let asked = tokio::time::Instant::now();
    // A process that stays has its place in the project's root.
    let folder = match hook.life {
        HookLife::Resident => &means.place.project,
        HookLife::OneCall | HookLife::Detached => given.folder,
    };
    let project = &means.place.project;
    if let Some(why) = means.scripts.fault(hook, project, folder).await {
        if hook.life == HookLife::Detached {
            tracing::warn!(hook = &*hook.name(), why, "a hook was not started");
        }
        return Turn {
            // Whoever changed it would have silenced it else: that is never a yes (law 15).
            duty: HookDuty::Guard,
            ..Turn::of(hook, Said::failed(&why), asked.elapsed().into())
        };
    }
    let said = match (&hook.run, hook.life) {
        (HookRun::Http { url, headers, env }, _) => {
            let post = Post {
                event: hook.event,
                url,
                headers,
                allowed: env,
                variables: &*means.variables,
                body: given.payload.strip_suffix(b"\n").unwrap_or(given.payload),
                time_max: hook.timeout.duration(),
                stop: given.stop,
            };
            means.addresses.ask(&post).await
        }
        (HookRun::Shell { .. } | HookRun::Program { .. }, HookLife::Resident) => {
            stays(hook, means, given).await
        }
        (
            HookRun::Shell { .. } | HookRun::Program { .. },
            HookLife::OneCall | HookLife::Detached,
        ) => program::ask(hook, means, given).await,
    };
    Turn::of(hook, said, asked.elapsed().into())
}

async fn stays(hook: &HookSetting, means: &Means, given: &Given<'_>) -> Said {
    let spec = || {
        let (program, args) = program_of(&hook.run, &means.place);
        ResidentSpec {
            program,
            args,
            folder: means.place.project.clone(),
            env: means
                .environment
                .clone()
                .with("CLAUDE_CODE_SESSION_ID", given.run.to_string()),
            line_bytes_max: OUTPUT_BYTES_MAX,
        }
    };
    let home = Home {
        run: given.run,
        ledger: means.place.ledger.as_ref(),
        tasks: &means.tasks,
    };
    let time_max = hook.timeout.duration();
    let asked = means
        .residents
        .ask(&hook.run, spec, &home, given.payload, time_max);
    tokio::select! {
        biased;
        () = given.stop.cancelled() => Said::failed("it was stopped"),
        answer = asked => match answer {
            Ok(line) => {
                let said = answer::read_line(hook.event, &line.text);
                match line.step {
                    Step::Named => said,
                    Step::Unnamed => answer::unnamed(said, hook.duty),
                }
            }
            Err(why) => Said::failed(&why),
        },
    }
}

/// What a hook's settings start: the program and its arguments, as they are given to the system.
pub(super) fn program_of(run: &HookRun, place: &HookPlace) -> (String, Vec<String>) {
    let placed = |text: &str| with_root(text, &place.project);
    match run {
        HookRun::Shell { line } => ("/bin/sh".into(), vec!["-c".into(), line.to_string()]),
        HookRun::Program { program, args } => (
            placed(program),
            args.iter().map(|arg| placed(arg)).collect(),
        ),
        // An address starts nothing.
        HookRun::Http { .. } => (String::new(), Vec::new()),
    }
}

/// Records what became of a hook's processes, where anything is recorded.
pub(super) async fn note(ledger: Option<&Ledger>, run: RunId, record: impl Into<RecordBody>) {
    let Some(ledger) = ledger else { return };
    if let Err(error) = ledger.note(run, record).await {
        tracing::warn!(%error, "a hook's turn is not on record");
    }
}
