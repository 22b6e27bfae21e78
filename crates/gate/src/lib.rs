//! Who answers: hooks, classifier, explainer, the race guard, the three handlers.
//!
//! A question that the ladder leaves open goes to the handler of the agent that asks, a
//! [`PermissionHandler`]; there are three strategies. Each comes back with exactly one verdict, and
//! leaves no answerer running behind it. Nothing here runs a tool.

mod adjudicator;
mod aftermaths;
mod answers;
mod beside;
mod classifier;
mod explainer;
mod handler;
mod hooks;
mod lifts;
mod notices;
mod race;
mod strict;
mod submit;
mod votes;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod simulation;

pub use adjudicator::{Adjudicator, LeaderRules, LeaderSays};
pub use aftermaths::{Aftermath, Aftermaths};
pub use answers::{Answers, Classifier, ClassifierVote, Word};
pub use classifier::{
    ClassifierGuidance, ClassifierHealth, ClassifierOutOfReach, ClassifierState, ModelClassifier,
    ProgramClassifier,
};
pub use explainer::{Explainer, Explaining};
pub use handler::{
    CoordinatorHandler, InteractiveHandler, Panel, PermissionHandler, SwarmWorkerHandler,
};
pub use hooks::{
    Asker, FailedHow, HaltReach, Happening, Heard, HookHalt, HookPlace, HookScene, HookUpdate,
    HookWish, HookWord, Hooks, PermissionAnswer, PermissionTurn, PreToolUse, PreToolUseVote,
    Rehearsal, RehearsedHook, Stopping, command_that_cant_start, hooks_that_cant_start,
    sample_request,
};
pub use lifts::{Lifted, Lifts};
pub use notices::Notices;
pub use votes::Votes;
