//! Hooks as settings configure them: which program or address is asked at which event.

mod guards;
mod matcher;
mod reading;
mod root;
mod scripts;

use std::cmp::Ordering;
use std::sync::Arc;

use pointsman_model::{FilePlace, Millis, RuleSource, RuleText};
use serde::Serialize;

pub(in crate::settings) use guards::{SHAPE, holds_guard};
pub use matcher::{HookMatcher, HookRegex};
use root::quoted;
pub use root::{ROOT_VARIABLES, line_with_root, with_root};
pub use scripts::{HookScripts, Naming, ScriptContent, is_bound, named_scripts, named_scripts_in};

/// All hooks that count, in the order of the files and within them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookSettings {
    /// The hooks.
    pub hooks: Vec<HookSetting>,
    /// The scripts that those of a project run, as they were read.
    pub scripts: HookScripts,
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
    /// Started for each call and not waited for: it has no vote.
    Detached,
}

impl HookEvent {
    /// Every event that hooks are asked or told of here.
    pub const ALL: [Self; 11] = [
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PermissionDenied,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Notification,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::SessionStart,
        Self::SessionEnd,
        Self::Stop,
    ];

    /// Its name in settings and in what hooks are sent.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PermissionDenied => "PermissionDenied",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::Notification => "Notification",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::Stop => "Stop",
        }
    }

    /// Whether it is about one call of a tool, so that a hook's `if` can be tried.
    #[must_use]
    pub fn is_of_a_call(self) -> bool {
        match self {
            Self::PreToolUse
            | Self::PermissionRequest
            | Self::PermissionDenied
            | Self::PostToolUse
            | Self::PostToolUseFailure => true,
            Self::Notification
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::SessionStart
            | Self::SessionEnd
            | Self::Stop => false,
        }
    }
}

/// Whose hook it is, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Keepers,
    Persons,
    Others,
}

impl Rank {
    fn of(source: RuleSource) -> Self {
        match source {
            RuleSource::PolicySettings => Self::Keepers,
            RuleSource::UserSettings => Self::Persons,
            RuleSource::ProjectSettings
            | RuleSource::LocalSettings
            | RuleSource::FlagSettings
            | RuleSource::CliArg
            | RuleSource::Command
            | RuleSource::Session => Self::Others,
        }
    }
}

/// Whether a hook of this source was configured by a person or the machine's keepers, so that it may speak for them
/// (law 2).
#[must_use]
pub fn is_the_persons(source: RuleSource) -> bool {
    Rank::of(source) != Rank::Others
}

/// Takes a hook among those that are asked. Of hooks that would do the same under the same condition one is asked, with what
/// all of them say of it.
pub fn take_in(asked: &mut Vec<HookSetting>, hook: &HookSetting) {
    match asked.iter_mut().find(|other| other.does_the_same(hook)) {
        None => asked.push(hook.clone()),
        Some(same) => same.join(hook),
    }
}

impl HookSetting {
    /// Its name in votes, verdicts and records: where it stands.
    #[must_use]
    pub fn name(&self) -> Arc<str> {
        self.place.to_string().into()
    }

    /// When it runs and what, on one line for people to read.
    #[must_use]
    pub fn described(&self) -> String {
        let run = match &self.run {
            HookRun::Shell { line } => line.to_string(),
            HookRun::Program { program, args } => {
                let words: Vec<&str> = std::iter::once(program)
                    .chain(args)
                    .map(|word| &**word)
                    .collect();
                words.join(" ")
            }
            HookRun::Http { url, .. } => url.to_string(),
        };
        format!("{}: {run}", self.event.as_str())
    }

    /// The same with its time limit, where that is not the usual one.
    #[must_use]
    pub fn described_with_limit(&self) -> String {
        let described = self.described();
        if self.timeout == reading::default_timeout(self.event) {
            return described;
        }
        let seconds = self.timeout.duration().as_secs_f64();
        format!("{described} (time limit {seconds} s)")
    }

    /// Whether both ask the same program or address under the same condition, so that one turn is enough.
    fn does_the_same(&self, other: &Self) -> bool {
        self.run == other.run && self.condition == other.condition && self.life == other.life
    }

    /// Takes in another setting that [does the same](Self::does_the_same). A guard in one of them is one; name and
    /// time limit are those of the more trusted, so that no file cuts short what a more trusted one asks. Of equally
    /// trusted ones the longer limit stands.
    fn join(&mut self, again: &Self) {
        if again.duty == HookDuty::Guard {
            self.duty = HookDuty::Guard;
        }
        match Rank::of(again.source).cmp(&Rank::of(self.source)) {
            Ordering::Less => {
                self.source = again.source;
                self.place = again.place.clone();
                self.timeout = again.timeout;
            }
            Ordering::Equal => self.timeout = self.timeout.max(again.timeout),
            Ordering::Greater => {}
        }
    }
}
