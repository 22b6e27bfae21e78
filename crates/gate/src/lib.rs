//! Who answers: hooks, classifier, the race guard, the three handlers.
//!
//! A question that the ladder leaves open goes to the handler of the agent that asks, a
//! [`PermissionHandler`]; there are three strategies. Each comes back with exactly one verdict, and
//! leaves no answerer running behind it. Nothing here runs a tool.

mod adjudicator;
mod answers;
mod handler;
mod hooks;
mod race;
mod submit;

#[cfg(test)]
mod fixture;

pub use adjudicator::{Adjudicator, LeaderRules, LeaderSays};
pub use answers::{Answers, Classifier, ClassifierVote, Word};
pub use handler::{
    CoordinatorHandler, InteractiveHandler, Panel, PermissionHandler, SwarmWorkerHandler,
};
pub use hooks::{
    HookPlace, HookRule, HookScene, Hooks, PermissionAnswer, PermissionTurn, PreToolUse,
    PreToolUseVote,
};
