//! A program that is started for the call: the event on its standard input, the answer in how it ends
//! and what it wrote.

use std::time::Duration;

use pointsman_ledger::{ProcessGroupEnded, ProcessGroupStarted};
use pointsman_policy::settings::HookSetting;
use pointsman_process::{CommandSpec, ProcessGroup, RunError, run};
use tokio::sync::oneshot;

use super::{Given, Means, OUTPUT_BYTES_MAX, note, program_of};
use crate::hooks::answer::{self, Said};

/// How long a hook that is late may take to end after the first signal.
const KILL_GRACE: Duration = Duration::from_millis(500);

pub(super) async fn ask(hook: &HookSetting, means: &Means, given: &Given<'_>) -> Said {
    let (program, args) = program_of(&hook.run, &means.place);
    let spec = CommandSpec {
        program: program.clone(),
        args,
        folder: given.folder.clone(),
        env: given.environment.clone(),
        stdin: Some(given.payload.to_vec()),
        output_bytes_max: OUTPUT_BYTES_MAX,
        time_max: hook.timeout.duration(),
        kill_grace: KILL_GRACE,
    };
    let ledger = means.place.ledger.as_ref();
    let (tell, told) = oneshot::channel::<ProcessGroup>();
    let recording = async {
        let Ok(group) = told.await else { return None };
        let group = group.facts().clone();
        let record = ProcessGroupStarted {
            worker: given.worker,
            call: given.call,
            group: group.clone(),
            program: program.as_str().into(),
        };
        note(ledger, given.run, record).await;
        Some(group)
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
    let (finished, group) = tokio::join!(running, recording);
    if let Some(group) = group {
        let text = match &finished {
            Ok(finished) => format!("{:?}", finished.end).into(),
            Err(error) => error.to_string().into(),
        };
        let record = ProcessGroupEnded {
            call: given.call,
            group,
            text,
        };
        note(ledger, given.run, record).await;
    }
    match finished {
        Ok(finished) => answer::read(hook.event, &finished),
        Err(error) => Said::failed(&failure(&error)),
    }
}

fn failure(error: &RunError) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
