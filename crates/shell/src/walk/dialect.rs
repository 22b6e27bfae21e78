//! The language of a text that a shell reads.

use pointsman_model::OpaqueWhy;

use super::{Scene, Walker};
use crate::expand::Expander;
use crate::state::State;
use crate::syntax::{Parameter, Piece, Word};
use crate::wrappers::zsh;

impl Walker<'_> {
    /// Looks at words that the shell at hand may make other fields of than Bash does.
    pub(super) fn split_otherwise(&mut self, scene: &Scene<'_>, words: &[Word<'_>], state: &State) {
        let at = self.expander(scene, state);
        if let [first, ..] = words
            && self.dialect.splits_otherwise(words, &at)
        {
            let (part, why) = (scene.within.unwrap_or(0), OpaqueWhy::UnknownScript);
            let (text, span) = (first.span.of(scene.source), scene.span(first.span));
            self.sink.opaque(part, scene.view, why, text, span);
        }
    }
}

/// A shell's language, as far as it has other commands in the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// The Korn shell, and others that are read as Bash.
    Korn,
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
            false if program.contains("ksh") => Self::Korn,
            false => Self::Bash,
        }
    }

    /// Whether the last command of a pipeline may run in the shell itself.
    pub(super) fn keeps_last_of_pipe(self) -> bool {
        match self {
            Self::Bash => false,
            Self::Korn | Self::Zsh | Self::ZshOfAPerson => true,
        }
    }

    /// Whether these words become other fields where the values of variables are not split.
    fn splits_otherwise(self, words: &[Word<'_>], at: &Expander<'_>) -> bool {
        let is_one =
            |parameter: &Parameter<'_>| !parameter.quoted && !matches!(parameter.name, "@" | "*");
        let split = |word: &Word<'_>| {
            word.pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Parameter(it) if is_one(it)))
                && at
                    .all(std::slice::from_ref(word))
                    .is_some_and(|fields| fields.len() > 1)
        };
        match self {
            Self::Bash | Self::Korn => false,
            Self::Zsh | Self::ZshOfAPerson => words.iter().any(split),
        }
    }

    /// Whether something stands in the text that Bash reads in another way.
    pub(super) fn reads_otherwise(self, text: &str) -> bool {
        match self {
            Self::Bash | Self::Korn => false,
            Self::Zsh => zsh::reads_otherwise(text),
            Self::ZshOfAPerson => zsh::reads_otherwise(text) || zsh::has_signs_of_settings(text),
        }
    }
}
