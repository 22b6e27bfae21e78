//! Who answers: hooks, classifier, the race guard, the three handlers.
//!
//! A question that the ladder leaves open goes to the handler of the agent that asks, a
//! [`PermissionHandler`]; there are three strategies. Each comes back with exactly one verdict, and
//! leaves no answerer running behind it. Nothing here runs a tool.

mod answers;
mod handler;
mod hooks;

pub use answers::{Answers, Classifier, ClassifierVote};
pub use handler::PermissionHandler;
pub use hooks::{
    HookPlace, HookRule, HookScene, Hooks, PermissionAnswer, PermissionTurn, PreToolUse,
    PreToolUseVote,
};
