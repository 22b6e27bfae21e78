//! Variables that a line sets and that say what runs: what is known of their values, and which runs see them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pointsman_model::{
    Assignment, AssignmentWeight, EffectKind, Effects, OpaqueWhy, Run, Word, WordValue,
};

/// Programs that set variables by their words.
const SETTERS: &[&str] = &["export", "declare", "typeset", "readonly", "local", "env"];

/// A piece of a value, as colons part it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// This text; of a path, relative to the folder of the run.
    Known(String),
    /// What the variable held before.
    Before,
    /// Known only when it runs.
    Unknown,
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
    let text = value.source.replace(['"', '\''], "");
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
        let text = below.map_or_else(|| piece.to_owned(), |rest| format!(".{rest}"));
        match super::is_plain(&text) || text.is_empty() {
            true if !text.starts_with('~') => Piece::Known(text),
            _ => Piece::Unknown,
        }
    };
    text.split(':').map(piece).collect()
}

/// Variables that a line sets for more than the command in front of which they stand.
#[derive(Debug, Default)]
pub(crate) struct LineVariables {
    set: Vec<Assignment>,
    /// All that change what runs and are set by an assignment that can be read.
    told: BTreeSet<Box<str>>,
}

impl LineVariables {
    /// Those of a line that change what it runs.
    pub(crate) fn of(effects: &Effects) -> Self {
        let mut changing = changing(effects).peekable();
        if changing.peek().is_none() {
            return Self::default();
        }
        let changing: BTreeSet<&str> = changing.map(name_of).collect();
        let runs = effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some(run),
            EffectKind::Read(_)
            | EffectKind::Write { .. }
            | EffectKind::Connect(_)
            | EffectKind::Spawn(_)
            | EffectKind::Opaque(_) => None,
        });
        let mut variables = Self::default();
        for run in runs {
            let is_setter = run.program().is_some_and(|it| SETTERS.contains(&it));
            let by_words = run.argv.iter().skip(1).filter_map(by_word);
            let by_words = by_words.filter(|_| is_setter);
            let alone = run.assignments.iter().filter(|_| run.argv.is_empty());
            let lasting = alone.cloned().chain(by_words);
            let lasting = lasting.filter(|it| changing.contains(&*it.name));
            variables.set.extend(lasting);
            let names = run.assignments.iter().map(|it| it.name.clone());
            variables.told.extend(names);
        }
        let names = variables.set.iter().map(|it| it.name.clone());
        variables.told.extend(names);
        variables
    }

    /// Whether each variable that changes what the line runs is set where its value can be read.
    pub(super) fn are_told(&self, effects: &Effects) -> Result<(), Box<str>> {
        let hidden = changing(effects).find(|text| !self.told.contains(name_of(text)));
        hidden.map_or(Ok(()), |text| Err(text.into()))
    }

    /// The run with all that it may see of them. What stands in a loop or a function may run in any order, so it may see
    /// all.
    pub(crate) fn seen_by<'a>(&self, run: &'a Run) -> Cow<'a, Run> {
        if self.set.is_empty() {
            return Cow::Borrowed(run);
        }
        let mut run = run.clone();
        run.assignments.extend(self.set.iter().cloned());
        Cow::Owned(run)
    }
}

/// What the analyser says to change what the line runs, as it is spelled.
fn changing(effects: &Effects) -> impl Iterator<Item = &str> {
    effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Opaque(opaque) if opaque.why == OpaqueWhy::Environment => Some(&*opaque.text),
        EffectKind::Run(_)
        | EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Connect(_)
        | EffectKind::Spawn(_)
        | EffectKind::Opaque(_) => None,
    })
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
