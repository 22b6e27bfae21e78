//! What a command line would do: parse Bash, list every simple command, its words, redirects, effects.

mod surroundings;

pub use surroundings::{Analysis, Surroundings, analyse};
