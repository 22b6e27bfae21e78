//! Asking: the hooks of one event, all at once, each to its end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use pointsman_ledger::{HookReport, HooksTold};
use pointsman_model::{AbsPath, Lineage, WorkerId};
use pointsman_policy::settings::{HookLife, HookSetting};
use tokio_util::sync::CancellationToken;

use super::Hooks;
use super::payload::{self, Told};
use super::selection::{Subject, select};
use super::turn::{self, Given, Turn};

/// How many hooks run at once, of all agents together. A machine of two cores starts about a thousand
/// small ones a second at eight; the rest is for those that wait for somebody.
pub(super) const AT_ONCE_MAX: usize = 64;

/// How long hooks that nobody waited for may go on after the run. Somebody may wait to get out, and what they do is
/// mostly a note or a message.
const AFTER_RUN_MAX: Duration = Duration::from_secs(10);

/// What an event is about, for choosing its hooks, and what they are told.
pub(super) struct Occasion<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) told: Told<'a>,
    pub(super) folder: &'a AbsPath,
    pub(super) stop: &'a CancellationToken,
}

impl Hooks {
    /// Asks all hooks that the event concerns at once, and waits for each to the end.
    pub(super) async fn ask_all(&self, occasion: &Occasion<'_>) -> Vec<Turn> {
        let told = &occasion.told;
        let of_event = self.hooks.iter().filter(|hook| hook.event == told.event);
        let selected = select(of_event, &occasion.subject, &self.means.place);
        self.ask_these(selected, occasion).await
    }

    pub(super) async fn ask_these(
        &self,
        hooks: Vec<HookSetting>,
        occasion: &Occasion<'_>,
    ) -> Vec<Turn> {
        if hooks.is_empty() {
            return Vec::new();
        }
        let told = &occasion.told;
        let payload = match payload::line(told) {
            Ok(payload) => payload,
            Err(error) => {
                let text = format!("it can't be told of the call: {error}");
                let failed = |hook: &HookSetting| Turn::failed(hook, &text);
                return hooks.iter().map(failed).collect();
            }
        };
        let worker = told.lineage.map(|lineage| lineage.agent().worker);
        let mut environment = self
            .means
            .environment
            .clone()
            .with("CLAUDE_CODE_SESSION_ID", told.run.to_string());
        if let Some(worker) = worker {
            environment = environment.with("POINTSMAN_WORKER", worker.to_string());
        }
        let given = Given {
            run: told.run,
            worker,
            call: told.call.map(|call| call.id),
            folder: occasion.folder,
            environment: &environment,
            payload: &payload,
            stop: occasion.stop,
        };
        let (asked, told_only): (Vec<_>, Vec<_>) = hooks
            .into_iter()
            .partition(|hook| hook.life != HookLife::Detached);
        for hook in told_only {
            self.start_detached(hook, told.lineage, &given);
        }
        join_all(asked.iter().map(|hook| self.ask(hook, &given))).await
    }

    /// Puts on record what the hooks of an event came to that has no record of its own.
    pub(super) async fn record(&self, occasion: &Occasion<'_>, reports: &[HookReport]) {
        if reports.is_empty() {
            return;
        }
        let told = &occasion.told;
        let record = HooksTold {
            event: told.event.as_str().into(),
            worker: told.lineage.map(|lineage| lineage.agent().worker),
            call: told.call.map(|call| call.id),
            hooks: reports.to_vec(),
        };
        turn::note(self.means.place.ledger.as_ref(), told.run, record).await;
    }

    async fn ask(&self, hook: &HookSetting, given: &Given<'_>) -> Turn {
        // One that stays has its place already.
        if hook.life == HookLife::Resident {
            return turn::take(hook, &self.means, given).await;
        }
        let slot = tokio::select! {
            slot = self.slots.acquire() => slot,
            () = given.stop.cancelled() => return Turn::failed(hook, "it was stopped"),
        };
        match slot {
            Ok(_slot) => turn::take(hook, &self.means, given).await,
            // Nobody closes the slots.
            Err(_) => Turn::failed(hook, "there is no place to run it"),
        }
    }

    /// Starts a hook that is not waited for. It ends by itself, at its time limit, some time after the run
    /// ([`Self::finish`]), or with a cancel; what it says counts for nothing.
    fn start_detached(&self, hook: HookSetting, lineage: Option<&Lineage>, given: &Given<'_>) {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            tracing::warn!(
                hook = &*hook.name(),
                "too many hooks are running, so it was not started"
            );
            return;
        };
        let means = Arc::clone(&self.means);
        let environment = given.environment.clone();
        let payload = given.payload.to_vec();
        let folder = given.folder.clone();
        let stop = self.means.unawaited.begin(lineage);
        // Looked at only now: a cancel stops the agent first, and then ends those that have begun.
        if given.stop.is_cancelled() {
            stop.cancel();
            return;
        }
        let (run, worker, call) = (given.run, given.worker, given.call);
        self.means.tasks.spawn(async move {
            // However it ends, its place among those that may be ended is free.
            let _ended = stop.clone().drop_guard();
            let given = Given {
                run,
                worker,
                call,
                folder: &folder,
                environment: &environment,
                payload: &payload,
                stop: &stop,
            };
            turn::take(&hook, &means, &given).await;
            drop(slot);
        });
    }

    /// Ends the hooks that stay, and waits some time for those that nobody waited for; what is left of them then is
    /// ended. Called once, when no agent is left.
    pub async fn finish(&self) {
        self.means.residents.end();
        self.means.tasks.close();
        let all_ended = self.means.tasks.wait();
        if tokio::time::timeout(AFTER_RUN_MAX, all_ended)
            .await
            .is_err()
        {
            tracing::warn!(
                "hooks that nobody waited for took too long after the run, and were ended"
            );
            self.means.unawaited.end_all();
            self.means.tasks.wait().await;
        }
    }

    /// Ends the hooks that nobody waits for: the run is cancelled. Those that are yet to begin don't start.
    pub fn end_unawaited(&self) {
        self.means.unawaited.end_all();
    }

    /// The same for an agent that is stopped, and all below it. The agent has been told to stop by then.
    pub fn end_unawaited_of(&self, worker: WorkerId) {
        self.means.unawaited.end_of(worker);
    }
}
