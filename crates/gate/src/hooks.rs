//! Hooks: programs of the person's, the project's or the machine's keepers that are asked about
//! calls (DESIGN section 7; their formats are Claude Code's).
//!
//! [`Hooks`] finds the hooks that an event concerns, asks them all at once, and merges what they
//! say. It decides nothing itself: dispatch and the handlers act on what comes back. A hook that
//! fails has no vote; a guard that fails is a question in its name (law 15).

mod answer;
mod merge;
mod outcome;
mod payload;
mod selection;
mod turn;

use std::sync::Arc;

use futures_util::future::join_all;
use pointsman_ledger::Ledger;
use pointsman_model::{
    AbsPath, Attended, Effects, HookedCall, Lineage, PermissionMode, PermissionRequest,
};
use pointsman_policy::Tree;
use pointsman_policy::settings::{HookEvent, HookLife, HookSetting, HookSettings};
use pointsman_process::Environment;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::payload::Told;
use self::selection::{Subject, select};
use self::turn::{Given, Turn};

pub use self::outcome::{HookRule, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote};

/// What is the same for all hooks of a run.
#[derive(Clone)]
pub struct HookPlace {
    /// The project's root; hooks get it as `CLAUDE_PROJECT_DIR`.
    pub project: AbsPath,
    /// The user's home.
    pub home: AbsPath,
    /// The variables that hooks see; the leader's secrets are not among them.
    pub environment: Environment,
    /// Whether someone can answer; hooks are told.
    pub attended: Attended,
    /// How paths are looked at, for conditions that name some.
    pub tree: Arc<dyn Tree>,
    /// Where the process groups of hooks are recorded.
    pub ledger: Ledger,
}

/// What a hook is told about the agent whose call it is asked about.
#[derive(Clone, Copy)]
pub struct HookScene<'a> {
    /// Who calls.
    pub lineage: &'a Lineage,
    /// The agent's current folder; the hooks run in it.
    pub folder: &'a AbsPath,
    /// The agent's mode.
    pub mode: PermissionMode,
    /// What the call would do, in the form the hooks see; conditions (`if`) look at it.
    pub effects: &'a Effects,
    /// Ends the hooks' turn: their process groups are killed, none has a vote.
    pub stop: &'a CancellationToken,
}

/// How many hooks run at once, of all agents together. A machine of two cores starts about a thousand
/// small ones a second at eight; the rest is for those that wait for somebody.
const AT_ONCE_MAX: usize = 64;

/// The hooks that see a run's calls. Shared by all agents.
pub struct Hooks {
    hooks: Vec<HookSetting>,
    place: HookPlace,
    environment: Environment,
    slots: Arc<Semaphore>,
    detached: TaskTracker,
}

impl Hooks {
    /// The hooks of these settings.
    #[must_use]
    pub fn new(settings: HookSettings, place: HookPlace) -> Self {
        let attended = match place.attended {
            Attended::Yes => "1",
            Attended::No => "0",
        };
        let environment = place
            .environment
            .clone()
            .with("CLAUDE_PROJECT_DIR", place.project.as_str())
            .with("CLAUDE_CODE_SESSION_ATTENDED", attended)
            .with("POINTSMAN_PROJECT_DIR", place.project.as_str());
        Self {
            hooks: settings.hooks,
            place,
            environment,
            slots: Arc::new(Semaphore::new(AT_ONCE_MAX)),
            detached: TaskTracker::new(),
        }
    }

    /// Asks the PreToolUse hooks about a call. They see the raw input.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn pre_tool_use(&self, call: &HookedCall, scene: &HookScene<'_>) -> PreToolUse {
        let subject = Subject {
            tool: &call.tool,
            input: &call.input,
            effects: scene.effects,
            folder: scene.folder,
            lineage: scene.lineage,
        };
        let told = Told {
            event: HookEvent::PreToolUse,
            call: call.id,
            tool: &call.tool,
            input: &call.input,
            folder: scene.folder.as_str(),
            mode: scene.mode,
            lineage: scene.lineage,
            attended: self.place.attended,
            request: None,
        };
        let turns = self.ask_all(&subject, &told, scene.stop).await;
        merge::pre_tool_use(&call.input, turns)
    }

    /// Asks the PermissionRequest hooks to answer a request. An allow of a hook that is neither the
    /// person's own nor of the managed settings does not count for a request that must be asked
    /// (law 2).
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn permission_request(
        &self,
        request: &PermissionRequest,
        stop: &CancellationToken,
    ) -> PermissionTurn {
        let subject = Subject {
            tool: &request.call.tool,
            input: &request.call.text,
            effects: &request.effects,
            folder: &request.folder,
            lineage: &request.lineage,
        };
        let told = Told {
            event: HookEvent::PermissionRequest,
            call: request.call.id,
            tool: &request.call.tool,
            input: &request.call.text,
            folder: request.folder.as_str(),
            mode: request.mode,
            lineage: &request.lineage,
            attended: self.place.attended,
            request: Some(request),
        };
        let turns = self.ask_all(&subject, &told, stop).await;
        merge::permission_request(request, turns)
    }

    /// Whether any hook could be asked to answer a request for this tool; a cheap look that spares
    /// handlers the rest.
    #[must_use]
    pub fn answer_requests(&self) -> bool {
        self.hooks
            .iter()
            .any(|hook| hook.event == HookEvent::PermissionRequest)
    }

    /// Asks all hooks that the event concerns at once, and waits for each to the end.
    async fn ask_all(
        &self,
        subject: &Subject<'_>,
        told: &Told<'_>,
        stop: &CancellationToken,
    ) -> Vec<Turn> {
        let of_event = self.hooks.iter().filter(|hook| hook.event == told.event);
        let selected = select(of_event, subject, &self.place);
        if selected.is_empty() {
            return Vec::new();
        }
        let payload = match payload::line(told) {
            Ok(payload) => payload,
            Err(error) => {
                let text = format!("it can't be told of the call: {error}");
                let failed = |hook: &HookSetting| Turn::failed(hook, &text);
                return selected.iter().map(failed).collect();
            }
        };
        let worker = told.lineage.agent().worker;
        let environment = self
            .environment
            .clone()
            .with("CLAUDE_CODE_SESSION_ID", worker.run().to_string())
            .with("POINTSMAN_WORKER", worker.to_string());
        let given = Given {
            worker,
            call: told.call,
            folder: subject.folder,
            environment: &environment,
            payload: &payload,
            stop,
        };
        let (asked, told_only): (Vec<_>, Vec<_>) = selected
            .into_iter()
            .partition(|hook| hook.life != HookLife::Detached);
        for hook in told_only {
            self.start_detached(hook, &given);
        }
        join_all(asked.iter().map(|hook| self.ask(hook, &given))).await
    }

    async fn ask(&self, hook: &HookSetting, given: &Given<'_>) -> Turn {
        let slot = tokio::select! {
            slot = self.slots.acquire() => slot,
            () = given.stop.cancelled() => return Turn::failed(hook, "it was stopped"),
        };
        match slot {
            Ok(_slot) => turn::take(hook, &self.place, given).await,
            // Nobody closes the slots.
            Err(_) => Turn::failed(hook, "there is no place to run it"),
        }
    }

    /// Starts a hook that is not waited for. It ends at its time limit, at the stop of its agent or
    /// with [`Self::finish`], and whatever it says counts for nothing.
    fn start_detached(&self, hook: HookSetting, given: &Given<'_>) {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            tracing::warn!(
                hook = &*hook.name(),
                "too many hooks are running, so it was not started"
            );
            return;
        };
        let place = self.place.clone();
        let environment = given.environment.clone();
        let payload = given.payload.to_vec();
        let folder = given.folder.clone();
        let stop = given.stop.child_token();
        let (worker, call) = (given.worker, given.call);
        self.detached.spawn(async move {
            let given = Given {
                worker,
                call,
                folder: &folder,
                environment: &environment,
                payload: &payload,
                stop: &stop,
            };
            turn::take(&hook, &place, &given).await;
            drop(slot);
        });
    }

    /// Waits for the hooks that nobody waited for. Called once, when no agent is left.
    pub async fn finish(&self) {
        self.detached.close();
        self.detached.wait().await;
    }
}

#[cfg(test)]
mod tests;
