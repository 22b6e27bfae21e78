//! Variables that a line sets and that say what runs: what is known of their values, and which runs see them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pointsman_model::{
    AbsPath, Assignment, AssignmentWeight, Effect, Effects, OpaqueWhy, Run, Word, WordValue,
};

/// Programs that set variables by their words.
const SETTERS: &[&str] = &["export", "declare", "typeset", "readonly", "local", "env"];

/// Commands that put what they read or are told into the variables that they name.
const FILLERS: &[&str] = &["read", "mapfile", "readarray", "printf", "getopts"];

/// What gives a number.
const NUMBERS: &[&str] = &[
    "$(nproc)",
    "$(getconf _NPROCESSORS_ONLN)",
    "$(sysctl -n hw.ncpu)",
];

/// How a path below the person's home begins.
const HOMES: &[&str] = &["$HOME/", "${HOME}/", "~/"];

/// A piece of a value, as colons part it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// This text; of a path, relative to the folder of the run.
    Known(String),
    /// What the variable held before.
    Before,
    /// A place below the person's home, as it is spelled.
    AtHome(Box<str>),
    /// Known only when it runs.
    Unknown,
}

impl Piece {
    /// Whether nobody knows what it leads to. What lies at the person's home outside of the folder's own place is the
    /// person's, as all that `PATH` held before is.
    pub(super) fn is_unknown(&self, folder: &AbsPath) -> bool {
        match self {
            Self::Known(_) | Self::Before => false,
            Self::AtHome(spelled) => {
                let first = spelled.split('/').nth(1).unwrap_or_default();
                folder.as_str().split('/').any(|name| name == first)
            }
            Self::Unknown => true,
        }
    }
}

/// The pieces of a value.
pub(super) fn pieces(assignment: &Assignment) -> Vec<Piece> {
    let value = &assignment.value;
    if let Some(text) = value.literal() {
        let known = |piece: &str| Piece::Known(piece.to_owned());
        return text.split(':').map(known).collect();
    }
    if matches!(value.value, WordValue::Glob(_)) {
        return vec![Piece::Unknown];
    }
    // Of `"./bin:$PATH"` the first piece is known.
    let text = value
        .source
        .replace(['"', '\''], "")
        .replace("$(pwd)", "$PWD");
    let text = NUMBERS
        .iter()
        .fold(text, |text, number| text.replace(number, "1"));
    let piece = |piece: &str| {
        let name = &*assignment.name;
        if piece
            .strip_prefix('$')
            .is_some_and(|rest| rest.trim_matches(['{', '}']) == name)
        {
            return Piece::Before;
        }
        let below = ["$PWD", "${PWD}"]
            .iter()
            .find_map(|here| piece.strip_prefix(here));
        let below = below.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if HOMES.iter().any(|home| piece.starts_with(home)) {
            return Piece::AtHome(piece.into());
        }
        let text = below.map_or_else(|| piece.to_owned(), |rest| format!(".{rest}"));
        match super::is_plain(&text) || text.is_empty() {
            true if !text.starts_with('~') => Piece::Known(text),
            _ => Piece::Unknown,
        }
    };
    text.split(':').map(piece).collect()
}

/// What a line sets of variables: those that change what it runs, and those into which it puts what nobody knows.
#[derive(Debug, Default)]
pub(crate) struct LineVariables {
    /// What changes what runs. In front of one command it reaches all that this starts, so each run may see it.
    set: Vec<Assignment>,
    /// Names of variables that hold what a command gave.
    filled: BTreeSet<Box<str>>,
}

impl LineVariables {
    /// Those of a line.
    pub(crate) fn of(effects: &Effects) -> Self {
        let changing: BTreeSet<&str> = changing(effects).map(name_of).collect();
        let mut variables = Self::default();
        for run in effects.runs() {
            let is_one_of =
                |programs: &[&str]| run.program().is_some_and(|it| programs.contains(&it));
            let words = run.argv.iter().skip(1);
            if is_one_of(FILLERS) {
                let names = words.clone().filter_map(Word::literal);
                variables.filled.extend(names.map(Box::from));
            }
            let by_words = words.filter_map(by_word).filter(|_| is_one_of(SETTERS));
            for assignment in run.assignments.iter().cloned().chain(by_words) {
                if assignment.value.literal().is_none() {
                    variables.filled.insert(assignment.name.clone());
                }
                let is_new = !variables.set.contains(&assignment);
                if changing.contains(&*assignment.name) && is_new {
                    variables.set.push(assignment);
                }
            }
        }
        variables
    }

    /// Whether each variable that changes what the line runs is set where its value can be read.
    pub(super) fn are_told(&self, effects: &Effects) -> Result<(), Box<str>> {
        let is_told = |text: &str| self.set.iter().any(|it| *it.name == *name_of(text));
        let hidden = changing(effects).find(|text| !is_told(text));
        hidden.map_or(Ok(()), |text| Err(text.into()))
    }

    /// Whether a word may become what the line got from a command, a file or its arguments, so that whoever wrote that
    /// chooses its options.
    pub(super) fn may_choose_options(&self, word: &Word) -> bool {
        let source = word.source.trim_start_matches('"');
        if word.literal().is_some() || NUMBERS.contains(&source.trim_end_matches('"')) {
            return false;
        }
        let Some(name) = source.strip_prefix('$') else {
            return source.starts_with(['`', '<']);
        };
        let name = name.trim_start_matches('{');
        let end = name.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        let name = end.map_or(name, |end| name.get(..end).unwrap_or(name));
        let is_argument = name.is_empty() || name.starts_with(|sign: char| sign.is_ascii_digit());
        is_argument || self.filled.contains(name)
    }

    /// The run with all that it may see of them. What stands in a loop or a function may run in any order, so it may see
    /// all.
    pub(crate) fn seen_by<'a>(&self, run: &'a Run) -> Cow<'a, Run> {
        if self.set.is_empty() {
            return Cow::Borrowed(run);
        }
        let mut run = run.clone();
        let own = run.assignments.len();
        for assignment in &self.set {
            if !run.assignments.iter().take(own).any(|it| it == assignment) {
                run.assignments.push(assignment.clone());
            }
        }
        Cow::Owned(run)
    }
}

/// What the analyser says to change what the line runs, as it is spelled.
fn changing(effects: &Effects) -> impl Iterator<Item = &str> {
    let opaque = effects.list.iter().filter_map(Effect::as_opaque);
    let changing = opaque.filter(|opaque| opaque.why == OpaqueWhy::Environment);
    changing.map(|opaque| &*opaque.text)
}

fn name_of(text: &str) -> &str {
    let name = text.split('=').next().unwrap_or(text);
    name.trim_end_matches('+')
}

/// The assignment that a word makes (`export PATH=./bin:$PATH`).
fn by_word(word: &Word) -> Option<Assignment> {
    let (name, source) = word.source.split_once('=')?;
    let value = match &word.value {
        WordValue::Literal(text) => WordValue::Literal(text.split_once('=')?.1.into()),
        WordValue::Glob(_) | WordValue::Unknown => WordValue::Unknown,
    };
    Some(Assignment {
        name: name.trim_matches(['"', '\'', '+']).into(),
        value: Word {
            value,
            source: source.into(),
            span: word.span,
        },
        weight: AssignmentWeight::ChangesWhatRuns,
    })
}
