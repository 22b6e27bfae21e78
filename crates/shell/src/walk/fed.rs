//! Code that stands in files which no word names as a script: what an interpreter is fed, and what an earlier command of
//! the line has put where the interpreter finds it.

use pointsman_model::{AbsPath, EffectView, OpaqueWhy, PathValue};

use super::{Called, Walker, paths};
use crate::field::{Field, Known, Shape};
use crate::programs::last_name;
use crate::state::{State, Written};

/// Where the text at a command's standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Feed {
    /// What stands in the line, or what the line itself got.
    #[default]
    Line,
    /// These files, whole and one behind the other.
    Files(Vec<AbsPath>),
    /// What commands print.
    Commands,
}

impl Feed {
    /// Files that fields name, as far as all of them are known.
    pub(crate) fn of<'f>(fields: impl Iterator<Item = &'f Field>, state: &State) -> Self {
        let mut files = Vec::new();
        for field in fields.filter(|field| !field.is("/dev/null")) {
            let named = paths(field, state);
            if !matches!(named.first(), Some(PathValue::Known(_))) || is_stream(field) {
                return Self::Commands;
            }
            files.extend(named.into_iter().filter_map(|path| match path {
                PathValue::Known(path) => Some(path),
                PathValue::Pattern { .. } | PathValue::Unknown(_) => None,
            }));
        }
        Self::Files(files)
    }
}

impl Walker<'_> {
    /// What a command hands to the next one of a pipeline.
    pub(super) fn handed_on(&self, called: &Called<'_>, state: &State) -> Feed {
        let from = called.input.from();
        let program = called.program().unwrap_or("");
        let elsewhere = called.assignments.iter().any(|it| &*it.name == "PATH");
        if elsewhere || !is_the_usual_one(program, state) {
            return Feed::Commands;
        }
        match last_name(program) {
            "cat" => {
                let options = |field: &&Field| field.is("-u") || field.is("--");
                let operands = || called.args().iter().filter(|field| !options(field));
                let own = |field: &Field| field.is("-") || is_input(field);
                if operands().all(own) {
                    return from.clone();
                }
                if operands().any(|field| field.may_be_option() || own(field)) {
                    return Feed::Commands;
                }
                Feed::of(operands(), state)
            }
            "tee" => from.clone(),
            _ => Feed::Commands,
        }
    }

    /// The command runs what it is fed as code.
    pub(super) fn fed_code(&mut self, called: &Called<'_>, state: &State) {
        if called.input.text().is_some() {
            return;
        }
        let known = match called.input.from() {
            Feed::Line => true,
            Feed::Commands => false,
            Feed::Files(files) => {
                self.note_fed(called);
                let mut files = files.iter().cloned().map(PathValue::Known);
                !files.any(|file| holds_unknown(&file, state))
            }
        };
        if !known {
            let (view, why) = (EffectView::Might, OpaqueWhy::UnknownScript);
            let text = called.text();
            self.sink.opaque(called.part, view, why, &text, called.span);
        }
    }

    /// Notes the files whose content is what the command runs as code.
    pub(crate) fn note_fed(&mut self, called: &Called<'_>) {
        if let Feed::Files(files) = called.input.from() {
            for file in files {
                self.sink.feed(file);
            }
        }
    }
}

/// Whether the name means the program of that name that came with the system, as far as the line tells.
pub(crate) fn is_the_usual_one(program: &str, state: &State) -> bool {
    // The shell's own commands are looked for nowhere.
    let builtin = matches!(program, "echo" | "printf" | "pwd");
    match program.rsplit_once('/') {
        Some((folder, _)) => matches!(folder, "/bin" | "/usr/bin"),
        None => {
            let own = state.functions.contains_key(program) || !state.aliased(program).is_empty();
            !own && (builtin || !state.variables.contains_key("PATH"))
        }
    }
}

/// Whether the line has put into the file what nobody knows.
pub(crate) fn is_filled_unseen(file: &Field, state: &State) -> bool {
    state.has_made() && paths(file, state).iter().any(|it| holds_unknown(it, state))
}

fn holds_unknown(path: &PathValue, state: &State) -> bool {
    state.is_stranger(path) || state.written(path).contains(&Written::Unknown)
}

/// Whether the field is a command's own standard input.
pub(crate) fn is_input(field: &Field) -> bool {
    let text = field.text();
    text.is_some_and(|text| matches!(text, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// Whether the field names something that is open already, or a pipe that the line makes.
pub(crate) fn is_stream(field: &Field) -> bool {
    match &field.known {
        Known::Text(text) => text.starts_with("/dev/") || text.starts_with("/proc/self/fd/"),
        Known::Unknown(unknown) => unknown.shape == Shape::Process,
        Known::Glob(_) => false,
    }
}
