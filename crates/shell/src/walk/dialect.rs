//! The language of a text that a shell reads.

use crate::wrappers::zsh;

/// A shell's language, as far as it has other commands in the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    Zsh,
    /// The Z shell with what a person has set.
    ZshOfAPerson,
}

impl Dialect {
    /// Of the program that a script names in its first line.
    pub(super) fn of_script(text: &str) -> Self {
        let first = text.lines().next().unwrap_or("");
        let program = first.strip_prefix("#!").unwrap_or("");
        let options = |letters| program.split(" -").skip(1).any(|it| it.contains(letters));
        match program.contains("zsh") {
            true if options(['i', 'l']) => Self::ZshOfAPerson,
            true => Self::Zsh,
            false => Self::Bash,
        }
    }

    /// Whether something stands in the text that Bash reads in another way.
    pub(super) fn reads_otherwise(self, text: &str) -> bool {
        match self {
            Self::Bash => false,
            Self::Zsh => zsh::reads_otherwise(text),
            Self::ZshOfAPerson => zsh::reads_otherwise(text) || zsh::has_signs_of_settings(text),
        }
    }
}
