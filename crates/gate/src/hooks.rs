//! Hooks: programs of the person's, the project's or the machine's keepers that are asked about
//! calls (DESIGN section 7; their formats are Claude Code's).
//!
//! [`Hooks`] finds the hooks that an event concerns, asks them all at once, and merges what they
//! say. It decides nothing itself: dispatch and the handlers act on what comes back. A hook that
//! fails has no vote; a guard that fails is a question in its name (law 15).

use std::sync::Arc;

use pointsman_ledger::{HookReport, Ledger};
use pointsman_model::{
    AbsPath, Attended, Effects, HookedCall, JsonText, Lineage, PermissionMode, PermissionRequest,
    RuleBehavior, RuleSource, RuleText, VerdictKind,
};
use pointsman_policy::settings::HookSettings;
use pointsman_policy::{HookVote, Tree};
use pointsman_process::Environment;
use tokio_util::sync::CancellationToken;

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

/// The hooks that see a run's calls. Shared by all agents.
pub struct Hooks {
    settings: HookSettings,
    place: HookPlace,
}

/// What the PreToolUse hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreToolUse {
    /// What they say.
    pub vote: PreToolUseVote,
    /// The input they made of it, merged in the order of configuration; not checked against the
    /// tool's schema yet.
    pub rewritten: Option<JsonText>,
    /// Rules they want to add.
    pub rules: Vec<HookRule>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// The merged vote of the PreToolUse hooks: halt over deny over ask over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreToolUseVote {
    /// The ladder goes on with this.
    Ladder(HookVote),
    /// The call ends here.
    Deny {
        /// The hook.
        hook: Box<str>,
        /// What the agent is told.
        text: Box<str>,
    },
    /// The call ends here, and the agent that made it stops.
    Halt {
        /// The hook.
        hook: Box<str>,
        /// Why.
        text: Box<str>,
    },
}

/// A rule that a hook wants to add. It goes into the session's overlay; into a file only when the
/// hook is the person's own or of the managed settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRule {
    /// The hook.
    pub hook: Box<str>,
    /// Whose file configures the hook.
    pub hook_source: RuleSource,
    /// What the rule does.
    pub behavior: RuleBehavior,
    /// The rule; not parsed yet.
    pub text: RuleText,
    /// Where the hook wants it kept; never the managed settings.
    pub destination: RuleSource,
}

/// What the PermissionRequest hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionTurn {
    /// Their answer.
    pub answer: PermissionAnswer,
    /// Rules they want to add; only those of the hooks whose answer counts.
    pub rules: Vec<HookRule>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// The merged answer of the PermissionRequest hooks: deny over a failed guard over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// None answered.
    None,
    /// One did. Its verdict may be an allow or a deny, never an end.
    Given {
        /// The hook.
        hook: Box<str>,
        /// What it says.
        kind: VerdictKind,
    },
    /// A guard failed: no hook and no classifier may say yes any more (law 15).
    GuardFailed {
        /// The guard.
        hook: Box<str>,
        /// How it failed.
        text: Box<str>,
    },
}

impl Hooks {
    /// The hooks of these settings.
    #[must_use]
    pub fn new(settings: HookSettings, place: HookPlace) -> Self {
        Self { settings, place }
    }

    /// Asks the PreToolUse hooks about a call. They see the raw input.
    ///
    /// Cancellation: dropping the future kills their process groups.
    pub async fn pre_tool_use(&self, call: &HookedCall, scene: &HookScene<'_>) -> PreToolUse {
        let _ = (&self.settings, &self.place, call, scene);
        PreToolUse {
            vote: PreToolUseVote::Ladder(HookVote::None),
            rewritten: None,
            rules: Vec::new(),
            reports: Vec::new(),
        }
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
        let _ = (request, stop);
        PermissionTurn {
            answer: PermissionAnswer::None,
            rules: Vec::new(),
            reports: Vec::new(),
        }
    }
}
