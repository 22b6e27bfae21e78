//! Hooks: programs of the person's, the project's or the machine's keepers that are asked about
//! calls (DESIGN section 7; their formats are Claude Code's).
//!
//! [`Hooks`] finds the hooks that an event concerns, asks them all at once, and merges what they
//! say. It decides nothing itself: dispatch and the handlers act on what comes back. A hook that
//! fails has no vote; a guard that fails is a question in its name (law 15).

mod address;
mod answer;
mod asking;
mod happening;
mod keeping;
mod merge;
mod outcome;
mod payload;
mod rehearsal;
mod resident;
mod selection;
mod startable;
mod turn;
mod wish;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pointsman_ledger::Ledger;
use pointsman_model::{
    AbsPath, Answerer, Attended, Effects, HookedCall, Lineage, PermissionMode, PermissionRequest,
    RequestId, RunId, Verdict,
};
use pointsman_policy::Tree;
use pointsman_policy::settings::{HookEvent, HookSetting, HookSettings, Whose};
use pointsman_process::Environment;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::address::Addresses;
use self::asking::Occasion;
use self::payload::{CallTold, Told};
use self::resident::Residents;
use self::selection::Subject;
use self::turn::Means;

pub use self::happening::{FailedHow, Happening, Heard, HookWord, Stopping};
pub use self::keeping::Asker;
pub use self::outcome::{
    Aftermath, HaltReach, HookHalt, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote,
};
pub use self::rehearsal::{Rehearsal, RehearsedHook, sample_request};
pub use self::startable::hooks_that_cant_start;
pub use self::wish::{HookUpdate, HookWish};

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
    /// Whose allow rules count. With managed ones alone, what other hooks want allowed is neither granted
    /// nor kept.
    pub allow_rules: Whose,
    /// Where the turns of hooks and their process groups are recorded; nothing when hooks are tried
    /// outside of a run.
    pub ledger: Option<Ledger>,
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

/// The hooks that see a run's calls. Shared by all agents.
pub struct Hooks {
    hooks: Vec<HookSetting>,
    means: Arc<Means>,
    slots: Arc<Semaphore>,
    /// What follows answers that were given and are not verdicts yet, with the hooks that gave them.
    aftermaths: Mutex<HashMap<RequestId, (Box<str>, Aftermath)>>,
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
        let means = Means {
            place,
            environment,
            // Somebody wrote the name of each into a header, so a secret may be among them.
            variables: Box::new(|name| std::env::var(name).ok()),
            addresses: Addresses::default(),
            residents: Residents::default(),
            tasks: TaskTracker::new(),
        };
        Self {
            hooks: settings.hooks,
            means: Arc::new(means),
            slots: Arc::new(Semaphore::new(asking::AT_ONCE_MAX)),
            aftermaths: Mutex::default(),
        }
    }

    /// Asks the PreToolUse hooks about a call. They see the raw input.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn pre_tool_use(&self, call: &HookedCall, scene: &HookScene<'_>) -> PreToolUse {
        let call = CallTold {
            id: call.id,
            tool: &call.tool,
            input: &call.input,
        };
        let occasion = self.occasion(HookEvent::PreToolUse, Some(call), scene);
        merge::pre_tool_use(call.input, self.ask_all(&occasion).await)
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
        let scene = HookScene {
            lineage: &request.lineage,
            folder: &request.folder,
            mode: request.mode,
            effects: &request.effects,
            stop,
        };
        let call = CallTold {
            id: request.call.id,
            tool: &request.call.tool,
            input: &request.call.text,
        };
        let mut occasion = self.occasion(HookEvent::PermissionRequest, Some(call), &scene);
        occasion.told.request = Some(request);
        let turns = self.ask_all(&occasion).await;
        let turn = merge::permission_request(request, turns);
        self.record(&occasion, &turn.reports).await;
        turn
    }

    /// Tells the hooks of something that happened to an agent, and hears what they say to it.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn tell(&self, happening: &Happening<'_>, scene: &HookScene<'_>) -> Heard {
        let event = happening.event();
        if !self.has(event) {
            return Heard::default();
        }
        let call = happening.call().map(|call| CallTold {
            id: call.id,
            tool: &call.tool,
            input: &call.text,
        });
        let mut occasion = self.occasion(event, call, scene);
        occasion.told.happening = Some(happening);
        if let Happening::SubagentStarted = happening {
            occasion.told.mode = None;
        }
        occasion.subject.value = match happening {
            Happening::SubagentStarted | Happening::SubagentStops(_) => {
                scene.lineage.agent().agent.as_str()
            }
            Happening::Notified { kind, .. } => kind,
            _ => occasion.subject.value,
        };
        self.hear(&occasion).await
    }

    /// Tells the hooks of the run's begin, or of its end, where they start in the project's root.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn tell_of_run(
        &self,
        run: RunId,
        happening: &Happening<'_>,
        stop: &CancellationToken,
    ) -> Heard {
        let event = happening.event();
        if !self.has(event) {
            return Heard::default();
        }
        let project = &self.means.place.project;
        let occasion = Occasion {
            subject: Subject {
                value: match happening {
                    Happening::SessionStarted { source } => source,
                    Happening::SessionEnds { reason } => reason,
                    _ => "",
                },
                call: None,
            },
            told: Told {
                event,
                run,
                folder: project.as_str(),
                mode: None,
                lineage: None,
                attended: self.means.place.attended,
                call: None,
                request: None,
                happening: Some(happening),
            },
            folder: project,
            stop,
        };
        self.hear(&occasion).await
    }

    async fn hear(&self, occasion: &Occasion<'_>) -> Heard {
        let heard = Heard::from_turns(self.ask_all(occasion).await);
        self.record(occasion, &heard.reports).await;
        heard
    }

    fn occasion<'a>(
        &'a self,
        event: HookEvent,
        call: Option<CallTold<'a>>,
        scene: &HookScene<'a>,
    ) -> Occasion<'a> {
        Occasion {
            subject: Subject {
                value: call.map_or("", |call| call.tool.as_str()),
                call: call.map(|call| (call, *scene)),
            },
            told: Told {
                event,
                run: scene.lineage.agent().worker.run(),
                folder: scene.folder.as_str(),
                mode: Some(scene.mode),
                lineage: Some(scene.lineage),
                attended: self.means.place.attended,
                call,
                request: None,
                happening: None,
            },
            folder: scene.folder,
            stop: scene.stop,
        }
    }

    /// Keeps what follows a hook's answer until the answer is the verdict.
    pub(crate) fn remember(&self, request: RequestId, hook: &str, aftermath: Aftermath) {
        if aftermath != Aftermath::default() {
            let mut kept = self.lock();
            kept.insert(request, (hook.into(), aftermath));
        }
    }

    /// What follows a verdict: something when a hook gave it. Asked once for each request, when it has
    /// its verdict; what an answer that did not count wanted is forgotten then.
    #[must_use]
    pub fn aftermath(&self, request: RequestId, verdict: &Verdict) -> Option<Aftermath> {
        let (hook, aftermath) = self.lock().remove(&request)?;
        match &verdict.by {
            Answerer::Hook { name } if *name == hook => Some(aftermath),
            Answerer::Hook { .. }
            | Answerer::Person { .. }
            | Answerer::Classifier { .. }
            | Answerer::Grant { .. }
            | Answerer::Ladder
            | Answerer::Runtime => None,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, (Box<str>, Aftermath)>> {
        // No code that can panic runs under the lock.
        self.aftermaths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is any hook of an event; a cheap look that spares the rest.
    #[must_use]
    pub fn has(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        self.means.residents.end();
    }
}

#[cfg(test)]
mod tests;
