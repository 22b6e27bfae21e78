//! What a command line would do: parse Bash, list every simple command, its words, redirects, effects.
//!
//! [`analyse`] is the one way in. It knows no rules and decides nothing; what it can't tell is an
//! Opaque effect, never silence. The way of a line: `syntax` reads it into a tree by one of two
//! gears, `opinion` lets another parser look at it, `walk` goes through it with what the line sets up
//! on its way, and `builtins`, `wrappers` and `programs` know what the commands do.

mod analysis;
mod builtins;
#[cfg(any(test, feature = "checks"))]
pub mod checks;
mod draw;
mod expand;
mod field;
mod limits;
mod names;
mod opinion;
mod options;
mod output;
mod process_links;
mod programs;
mod risk;
mod rule_words;
mod sink;
mod state;
mod syntax;
#[cfg(test)]
mod truth;
mod variables;
mod walk;
mod work;
mod wrappers;

pub use analysis::{Analysis, NameCase, Nesting, Part, Surroundings, analyse};
pub use process_links::behind_process;
pub use rule_words::{RulePiece, RuleWord, rule_words};
