//! Hooks: programs of the person's, the project's or the machine's keepers that are asked about
//! calls (DESIGN section 7; their formats are Claude Code's).
//!
//! [`Hooks`] finds the hooks that an event concerns, asks them all at once, and merges what they
//! say. It decides nothing itself: dispatch and the handlers act on what comes back. A hook that
//! fails has no vote; a guard that fails is a question in its name (law 15).

mod address;
mod answer;
mod asking;
mod bound;
mod happening;
mod keeping;
mod merge;
mod outcome;
mod payload;
mod rehearsal;
mod resident;
mod selection;
mod shown;
mod startable;
mod turn;
mod unawaited;
mod wish;

use std::borrow::Cow;
use std::sync::Arc;

use pointsman_ledger::Ledger;
use pointsman_model::{
    AbsPath, Attended, Effects, HookedCall, JsonText, Lineage, PermissionMode, PermissionRequest,
    RunId,
};
use pointsman_policy::Tree;
use pointsman_policy::settings::{HookEvent, HookSetting, HookSettings, ROOT_VARIABLES, Whose};
use pointsman_process::Environment;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::address::Addresses;
use self::asking::Occasion;
use self::bound::BoundScripts;
use self::payload::{CallTold, Told};
use self::resident::Residents;
use self::selection::Subject;
use self::turn::Means;
use self::unawaited::Unawaited;
use crate::Aftermaths;

pub use self::happening::{FailedHow, Happening, Heard, HookWord, Stopping};
pub use self::keeping::Asker;
pub use self::outcome::{
    HaltReach, HookHalt, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote,
};
pub use self::rehearsal::{Rehearsal, RehearsedHook, sample_request};
pub use self::startable::{command_that_cant_start, hooks_that_cant_start};
pub use self::wish::{HookUpdate, HookWish};

/// What is the same for all hooks of a run.
#[derive(Clone)]
pub struct HookPlace {
    /// The project's root; hooks get it in the [`ROOT_VARIABLES`].
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
    aftermaths: Aftermaths,
}

impl Hooks {
    /// The hooks of these settings. Those of a project are held from now on to the scripts that were read with them.
    #[must_use]
    pub fn new(settings: HookSettings, place: HookPlace) -> Self {
        let attended = match place.attended {
            Attended::Yes => "1",
            Attended::No => "0",
        };
        let environment = place
            .environment
            .clone()
            .with("CLAUDECODE", "1")
            .with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        let environment = ROOT_VARIABLES
            .into_iter()
            .fold(environment, |environment, name| {
                environment.with(name, place.project.as_str())
            });
        let means = Means {
            scripts: BoundScripts::new(&settings, &place.project),
            place,
            environment,
            // Somebody wrote the name of each into a header, so a secret may be among them.
            variables: Box::new(|name| std::env::var(name).ok()),
            addresses: Addresses::default(),
            residents: Residents::default(),
            tasks: TaskTracker::new(),
            unawaited: Unawaited::default(),
        };
        Self {
            hooks: settings.hooks,
            means: Arc::new(means),
            slots: Arc::new(Semaphore::new(asking::AT_ONCE_MAX)),
            aftermaths: Aftermaths::default(),
        }
    }

    /// Asks the PreToolUse hooks about a call. They see the raw input, as [`Self::shown`] makes it.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn pre_tool_use(&self, call: &HookedCall, scene: &HookScene<'_>) -> PreToolUse {
        let input = self.shown(&call.input, scene.folder);
        let call = CallTold {
            id: call.id,
            tool: &call.tool,
            input: &input,
        };
        let occasion = self.occasion(HookEvent::PreToolUse, Some(call), scene);
        merge::pre_tool_use(&input, self.ask_all(&occasion).await)
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
        let input = self.shown(&request.call.text, &request.folder);
        let call = CallTold {
            id: request.call.id,
            tool: &request.call.tool,
            input: &input,
        };
        let mut occasion = self.occasion(HookEvent::PermissionRequest, Some(call), &scene);
        occasion.told.request = Some(request);
        let mut turns = self.ask_all(&occasion).await;
        self.leave_out_locked(&mut turns);
        let turn = merge::permission_request(request, &input, turns);
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
        let call = happening.call();
        let input = call.map(|call| self.shown(&call.text, scene.folder));
        let call = call.zip(input.as_ref()).map(|(call, input)| CallTold {
            id: call.id,
            tool: &call.tool,
            input,
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

    /// An input as hooks are shown it: the paths of files absolute. Of one that is so already nothing changes.
    #[must_use]
    pub fn shown<'a>(&self, input: &'a JsonText, folder: &AbsPath) -> Cow<'a, JsonText> {
        shown::shown(input, folder, &self.means.place.home)
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

    /// What follows answers that were given and are not acted on yet.
    #[must_use]
    pub fn aftermaths(&self) -> &Aftermaths {
        &self.aftermaths
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
        self.means.unawaited.end_all();
    }
}

#[cfg(test)]
mod tests;
