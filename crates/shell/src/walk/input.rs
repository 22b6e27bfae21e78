//! What stands at a command's standard input, and how much of it those before have taken.

use std::cell::Cell;
use std::rc::Rc;

use pointsman_model::PathValue;

use super::{Called, Feed};
use crate::field::Field;
use crate::programs::{last_name, runs_unasked};

/// What stands at a command's standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Input {
    /// A pipe or a redirect, not what the line itself got.
    pub(crate) fed: bool,
    /// Its text, when that is known.
    text: Option<Text>,
    /// The places that it names, when it is a list of files.
    pub(crate) names: Option<Vec<PathValue>>,
    /// Where it comes from.
    from: Feed,
}

/// A text, which all commands share that it is fed to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text {
    text: Rc<str>,
    taken: Rc<Cell<Taken>>,
}

/// What may have been taken of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Taken {
    Nothing,
    Lines,
    /// Pieces of lines too.
    Parts,
}

impl Input {
    /// This text, or one that nobody knows.
    pub(crate) fn of_text(text: Option<String>) -> Self {
        Self {
            fed: true,
            ..Self::default()
        }
        .with_text(text)
    }

    pub(crate) fn of(from: Feed) -> Self {
        Self {
            fed: true,
            from,
            ..Self::default()
        }
    }

    pub(crate) fn with_names(self, names: Option<Vec<PathValue>>) -> Self {
        Self {
            fed: self.fed || names.is_some(),
            names,
            ..self
        }
    }

    pub(crate) fn with_text(self, text: Option<String>) -> Self {
        let text = text.map(|text| Text {
            text: text.into(),
            taken: Rc::new(Cell::new(Taken::Nothing)),
        });
        Self { text, ..self }
    }

    /// The same for what stands in words, where nobody lists files.
    pub(super) fn for_words(&self) -> Self {
        Self {
            fed: self.fed,
            text: self.text.clone(),
            names: None,
            from: self.from.clone(),
        }
    }

    /// Its whole text, when that is known.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text_and_taken()
            .filter(|(_, taken)| *taken == Taken::Nothing)
            .map(|(text, _)| text)
    }

    /// The text that it held at first, and what may have been taken of it.
    pub(crate) fn text_and_taken(&self) -> Option<(&str, Taken)> {
        self.text.as_ref().map(|it| (&*it.text, it.taken.get()))
    }

    /// A command takes this of it, which those behind it don't find any more.
    pub(crate) fn take(&self, taken: Taken) {
        if let Some(text) = &self.text
            && text.taken.get() < taken
        {
            text.taken.set(taken);
        }
    }

    /// Where it comes from.
    pub(crate) fn from(&self) -> &Feed {
        match self.text_and_taken() {
            None | Some((_, Taken::Nothing)) => &self.from,
            Some((_, Taken::Lines | Taken::Parts)) => &Feed::Commands,
        }
    }
}

/// A program takes what it takes of its input.
pub(super) fn program_takes(called: &Called<'_>, program: &str) {
    if called.input.text.is_some() {
        let taken = taken_by(last_name(program), called.args());
        called.input.take(taken);
    }
}

/// Whether the last argument is a file, and no value of an option nor the input itself.
fn names_a_file(args: &[Field]) -> bool {
    let [before @ .., last] = args else {
        return false;
    };
    let valued = |field: &Field| field.text().is_none_or(|it| it.starts_with('-'));
    let free = match before.last() {
        // A letter with its value in the same word asks for no other one.
        Some(field) if valued(field) => field
            .text()
            .is_some_and(|it| it.ends_with(|it: char| it.is_ascii_digit())),
        Some(_) | None => true,
    };
    free && last
        .text()
        .is_some_and(|it| !it.is_empty() && !it.starts_with('-'))
        && !super::is_input(last)
}

/// What a program may take of its input.
fn taken_by(name: &str, args: &[Field]) -> Taken {
    let no_file = args.iter().all(|field| field.prefix().starts_with('-'));
    match name {
        // They take all, and one that reads behind them finds nothing.
        "cat" | "tac" | "sort" | "uniq" | "wc" | "nl" | "rev" | "cut" if no_file => Taken::Lines,
        "tr" => Taken::Lines,
        "head" if names_a_file(args) => Taken::Nothing,
        // Of a pipe `head` takes whole blocks, which end anywhere.
        "head" | "od" | "xxd" | "hexdump" | "sed" | "dd" => Taken::Parts,
        "cp" | "mv" | "rm" | "mkdir" | "rmdir" | "touch" | "ln" | "chmod" | "tee" | "sleep"
        | "kill" => Taken::Nothing,
        name if runs_unasked(name) => Taken::Nothing,
        _ => Taken::Parts,
    }
}
