//! What a command line would do: parse Bash, list every simple command, its words, redirects, effects.
//!
//! [`analyse`] is the one way in. It knows no rules and decides nothing; what it can't tell is an
//! Opaque effect, never silence.

mod analysis;
mod limits;
mod rule_words;
mod syntax;

pub use analysis::{Analysis, Nesting, Part, Surroundings, analyse};
pub use rule_words::{RulePiece, RuleWord, rule_words};
