//! May it be done: rules and their index, sources, settings, paths, modes, the ladder, the case runner.
//!
//! [`judge`] is the whole ladder as one pure function over a [`Question`]: the effects of a call
//! ([`effects_of`]), the frozen context of the agent that makes it ([`Frozen`]) and the leader's
//! overlay. Files are looked at through a [`Tree`] alone, and nothing here writes.

mod case;
#[cfg(any(test, feature = "checks"))]
pub mod checks;
mod documentation;
mod effects;
mod executed;
mod frozen;
mod index;
mod ladder;
mod place;
mod problem;
mod propose;
mod rule;
#[cfg(test)]
mod sample;
pub mod settings;
mod subject;
mod tree;
mod wild;

pub use case::{CaseError, CaseResult, run_case};
pub use effects::{effects_of, resolve_path};
pub use executed::{
    Becomes, Climbing, Executed, Role, SEARCHED_MAX, Searched, Spelling, TooManyFiles, Unseen,
    by_gravest_role, check_seen, climbing, executed, executed_by, handed_to, may_match,
    says_it_is_code, script_of, searched,
};
pub use frozen::Frozen;
pub use index::RuleIndex;
pub use ladder::{HookVote, Question, Ruling, decide, judge, judge_denies_and_asks};
pub use problem::{Problem, Severity};
pub use propose::{narrowest_rule, propose};
pub use rule::{ParsedRule, ParsedRules, RuleError, RuleFault, known_tools, parse_rule};
pub use tree::{CaseTree, DiskTree, EntryKind, FileId, Hops, Kept, Tree, name_case};
