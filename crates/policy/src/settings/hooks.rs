//! Hooks as settings configure them: which program or address is asked at which event.

use std::sync::Arc;

use pointsman_model::{FilePlace, Millis, RuleSource, RuleText};
use serde::Serialize;

/// All hooks that count, in the order of the files and within them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookSettings {
    /// The hooks.
    pub hooks: Vec<HookSetting>,
}

/// When a hook is asked or told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum HookEvent {
    /// A call is about to be judged.
    PreToolUse,
    /// A question is about to be asked.
    PermissionRequest,
    /// The classifier refused a call.
    PermissionDenied,
    /// A call ended well.
    PostToolUse,
    /// A call failed.
    PostToolUseFailure,
    /// The person is told something.
    Notification,
    /// An agent was spawned.
    SubagentStart,
    /// A spawned agent is done.
    SubagentStop,
    /// The session begins.
    SessionStart,
    /// The session ends.
    SessionEnd,
    /// The agent stops working.
    Stop,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookSetting {
    /// When it is asked.
    pub event: HookEvent,
    /// For which tools (or other values of the event).
    pub matcher: HookMatcher,
    /// For which calls, by one permission rule.
    pub condition: Option<RuleText>,
    /// What is asked.
    pub run: HookRun,
    /// How long it may take.
    pub timeout: Millis,
    /// What its failure means.
    pub duty: HookDuty,
    /// How it is kept.
    pub life: HookLife,
    /// Whose file configures it.
    pub source: RuleSource,
    /// Where.
    pub place: FilePlace,
}

/// For which values of its event a hook is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum HookMatcher {
    /// Every one.
    All,
    /// These names alone, compared whole.
    Names(Vec<Box<str>>),
    /// Every one in which the regular expression is found.
    Regex(Box<str>),
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HookRun {
    /// A command line for `sh -c`.
    Shell {
        /// The line.
        line: Box<str>,
    },
    /// A program with its arguments; no shell reads them.
    Program {
        /// The program.
        program: Box<str>,
        /// Its arguments.
        args: Vec<Box<str>>,
    },
    /// An address that is sent the input by POST.
    Http {
        /// The address.
        url: Box<str>,
        /// Headers; `$NAME` in a value stands for a variable named in `env`.
        headers: Vec<(Box<str>, Box<str>)>,
        /// The variables that headers may hold.
        env: Vec<Box<str>>,
    },
}

/// What a hook's failure means (law 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookDuty {
    /// No vote, and it is shown.
    Plain,
    /// A refusal or a question in its name.
    Guard,
}

/// How a hook's program is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookLife {
    /// Started for each call.
    OneCall,
    /// One process, one JSON line each way.
    Resident,
}

impl HookSettings {
    /// The hooks of an event, in order.
    pub fn of(&self, event: HookEvent) -> impl Iterator<Item = &HookSetting> {
        self.hooks.iter().filter(move |hook| hook.event == event)
    }
}

impl HookSetting {
    /// Its name in votes, verdicts and records: where it stands.
    #[must_use]
    pub fn name(&self) -> Arc<str> {
        self.place.to_string().into()
    }
}
