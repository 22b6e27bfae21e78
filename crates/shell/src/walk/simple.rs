//! Simple commands: from words to runs.

use compact_str::CompactString;
use pointsman_model::{
    Assignment, AssignmentWeight, EffectKind, EffectView, OpaqueWhy, PathValue, Run, RunNature,
    Span, Word as ModelWord,
};

use super::functions::may_keep_assignments;
use super::input::program_takes;
use super::spelled::{joined, part_text};
use super::{Input, Scene, Walker, ambiguous, redirect};
use crate::analysis::{NameCase, Nesting, Part, read, read_again};
use crate::expand::{Expander, Output};
use crate::field::Field;
use crate::limits::{ALTERNATIVES_MAX, OUTPUT_DEPTH_MAX, SCRIPT_DEPTH_MAX};
use crate::state::{Folder, State, Value};
use crate::syntax::{AssignValue, Piece, Simple, Word};
use crate::{builtins, output, programs, wrappers};

/// A command with its words worked out.
pub(crate) struct Called<'c> {
    /// The program and its arguments.
    pub(crate) fields: &'c [Field],
    /// The spelling of its words, where that was put together before.
    pub(crate) text: Option<&'c CompactString>,
    pub(crate) assignments: &'c [Assignment],
    pub(crate) span: Span,
    pub(crate) part: u32,
    pub(crate) view: EffectView,
    pub(crate) input: &'c Input,
}

impl<'c> Called<'c> {
    /// The arguments.
    pub(crate) fn args(&self) -> &'c [Field] {
        self.fields.get(1..).unwrap_or_default()
    }

    /// The program's name as spelled, when it is known.
    pub(crate) fn program(&self) -> Option<&'c str> {
        self.fields.first().and_then(Field::text)
    }

    pub(crate) fn text(&self) -> CompactString {
        self.text.cloned().unwrap_or_else(|| joined(self.fields))
    }
}

impl Walker<'_> {
    pub(crate) fn expander<'x>(&'x self, scene: &Scene<'x>, state: &'x State) -> Expander<'x> {
        Expander {
            source: scene.source,
            documents: scene.documents,
            state,
            home: self.home,
            start: self.start,
            anchor: scene.anchor,
            output: &output::output,
            levels: OUTPUT_DEPTH_MAX,
        }
    }

    /// Walks a simple command. Gives what it hands to the next one of a pipeline.
    pub(crate) fn simple(
        &mut self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        state: &mut State,
        input: &Input,
    ) -> Input {
        let several = ambiguous::names(scene, simple, state);
        if several.is_empty() {
            return self.simple_once(scene, simple, state, input);
        }
        let mut readings = vec![state.clone()];
        for name in several {
            let mut next = Vec::new();
            for reading in &readings {
                let values: Vec<Value> = match reading.variables.get(&name) {
                    Some(Value::Texts(texts)) => {
                        texts.iter().map(|text| Value::text(text.clone())).collect()
                    }
                    Some(Value::Among(texts)) => texts
                        .iter()
                        .map(|text| Value::text(text.clone()))
                        .chain([Value::Unknown])
                        .collect(),
                    Some(Value::Patterns(patterns)) => patterns
                        .iter()
                        .map(|pattern| Value::Patterns(vec![pattern.clone()]))
                        .collect(),
                    _ => continue,
                };
                for value in values {
                    let mut one = reading.clone();
                    one.put(&name, value);
                    next.push(one);
                }
            }
            if next.len() > ALTERNATIVES_MAX {
                for reading in &mut readings {
                    reading.put(&name, Value::Unknown);
                }
            } else {
                readings = next;
            }
        }
        let repeats = std::mem::replace(&mut self.sink.repeats, true);
        let mut joined: Option<State> = None;
        let mut last = Input::default();
        for mut reading in readings {
            last = self.simple_once(scene, simple, &mut reading, input);
            match &mut joined {
                Some(joined) => joined.join(&reading),
                None => joined = Some(reading),
            }
        }
        self.sink.repeats = repeats;
        self.printed_one_of_several();
        if let Some(joined) = joined {
            *state = joined;
        }
        last
    }

    fn simple_once(
        &mut self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        state: &mut State,
        input: &Input,
    ) -> Input {
        if self.sink.full {
            return Input::default();
        }
        let fields = self.expander(scene, state).all(&simple.words);
        let Some(mut fields) = fields.filter(|fields| self.step_over(fields)) else {
            self.sink.full = true;
            return Input::default();
        };
        for field in &mut fields {
            if names_a_program_for_zsh(field) {
                field.known = crate::expand::unknown("", crate::field::Shape::One);
            }
        }
        let text = part_text(scene, simple);
        // Where each word is one field, the command is spelled as the part is.
        let whole = fields.len() == simple.words.len() && !fields.iter().any(|it| it.continues);
        let spelled = (whole && !fields.is_empty()).then(|| text.clone());
        let part = self.sink.part(Part {
            text,
            span: scene.span(simple.span),
            within: scene.within,
            nesting: scene.nesting,
        });
        let inner = Scene {
            within: Some(part),
            ..*scene
        };
        self.split_otherwise(&inner, &simple.words, state);
        self.around = input.for_words();
        self.walk_assigns(&inner, simple, state);
        self.words_of(&inner, &simple.words, state);
        let mut assignments = Vec::with_capacity(simple.assignments.len());
        for assign in &simple.assignments {
            let shown = self.shown(&inner, assign, &fields, state);
            if shown.weight == AssignmentWeight::ChangesWhatRuns {
                let text = assign.span.of(scene.source);
                self.environment(part, &inner, text, scene.span(assign.span));
            }
            assignments.push(shown);
        }
        let mut own = (!simple.redirects.is_empty()).then(|| input.clone());
        for redirect in &simple.redirects {
            if let Some(fed) = &own {
                self.around = fed.for_words();
            }
            self.words_of(&inner, std::slice::from_ref(&redirect.target), state);
            if let Some(fed) = &mut own {
                self.redirect(&inner, redirect, state, part, fed);
            }
        }
        let fed = own.as_ref().unwrap_or(input);
        let kept = state.input().filter(|_| !fed.fed).cloned();
        let fed = kept.as_ref().unwrap_or(fed);
        self.remember_text(&inner, simple, fed, state);
        if fields.is_empty() {
            self.assignments_alone(&inner, simple, assignments, state, part);
            return Input::default();
        }
        let called = Called {
            fields: &fields,
            text: spelled.as_ref(),
            assignments: &assignments,
            span: scene.span(simple.span),
            part,
            view: view_of(scene, simple),
            input: fed,
        };
        let from = self.handed_on(&called, state);
        self.around = fed.for_words();
        let names = self.call(&inner, &called, state);
        Input::of(from).with_names(names)
    }

    /// The text that a command hands to the next one of a pipeline, where the line alone tells.
    pub(super) fn printed(
        &self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        state: &State,
    ) -> Option<String> {
        let name = simple.words.first().and_then(Word::bare);
        if !matches!(name, Some("echo" | "printf" | "cat"))
            || !ambiguous::names(scene, simple, state).is_empty()
        {
            return None;
        }
        match output::of_simple(&self.expander(scene, state), simple) {
            Output::Text(text) => Some(text),
            Output::Number | Output::Names(_) | Output::Unknown => None,
        }
    }

    /// A command without words: its assignments stay.
    fn assignments_alone(
        &mut self,
        scene: &Scene<'_>,
        simple: &Simple<'_>,
        assignments: Vec<Assignment>,
        state: &mut State,
        part: u32,
    ) {
        for assign in &simple.assignments {
            let value = self.assigned(scene, assign, state);
            if let Value::List(items) = &value {
                self.step(items.len(), 0);
            }
            // What is added to is computed too.
            let before = state.variables.get(assign.name);
            let before = before.filter(|_| assign.append);
            let mut values = std::iter::once(&value).chain(before);
            if values.any(|value| Self::runs_by_value(assign.name, value, state)) {
                let (text, span) = (assign.span.of(scene.source), scene.span(assign.span));
                let why = OpaqueWhy::UnknownScript;
                self.sink.opaque(part, scene.view, why, text, span);
            }
            self.keep(assign.name, value, state);
        }
        // A name that is not known to be harmless may be one that a program of the line looks at.
        let harmless = assignments
            .iter()
            .all(|assignment| assignment.weight == AssignmentWeight::Harmless);
        let only_sets = assignments
            .iter()
            .zip(&simple.assignments)
            .all(|(it, one)| {
                let plain = matches!(one.value, AssignValue::One(_)) && one.index.is_none();
                plain && it.weight != AssignmentWeight::ChangesWhatRuns
            });
        let names = simple.assignments.iter().map(|it| it.name.into()).collect();
        let before = self.sink.effects.len();
        self.sink.push(
            part,
            scene.view,
            EffectKind::Run(Run {
                argv: Vec::new(),
                canonical: None,
                text: part_text(scene, simple),
                folder: folder_value(state),
                nature: if harmless {
                    RunNature::KnownReader
                } else {
                    RunNature::Program
                },
                span: scene.span(simple.span),
                risks: Vec::new(),
                assignments,
            }),
        );
        if only_sets && !harmless {
            self.sink.only_sets(before, names);
        }
    }

    /// A command whose words are worked out. Gives the places that its output names.
    pub(crate) fn call(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        state: &mut State,
    ) -> Option<Vec<PathValue>> {
        let mut set = Vec::with_capacity(called.assignments.len());
        for one in called.assignments {
            let value = one.value.literal().map_or(Value::Unknown, Value::text);
            if self.has_room_for(&one.name, state) {
                set.push(state.set_in_front(&one.name, value));
            }
        }
        let names = self.call_here(scene, called, state);
        let stays = called.program().is_some_and(may_keep_assignments);
        // A name that is set twice has at the end what it had first.
        for one in set.into_iter().rev() {
            if stays {
                state.may_stay(one);
            } else {
                state.restore(one);
            }
        }
        // Files stay behind that processes of their own have made.
        state.take(&mut self.left);
        names
    }

    fn call_here(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        state: &mut State,
    ) -> Option<Vec<PathValue>> {
        let Some(program) = called.program() else {
            self.unknown_program(called, state);
            return None;
        };
        if state.has_made() {
            self.run_made(scene, called, program, state);
        }
        if let Some(bodies) = state.functions.get(program).cloned() {
            let without = state.without_function(program);
            self.run(called, RunNature::Program, None, EffectView::Might, state);
            self.call_functions(scene, called, &bodies, state);
            let mut without = without?;
            let view = EffectView::Might;
            let called = Called { view, ..*called };
            let names = self.call_here(&Scene { view, ..*scene }, &called, &mut without);
            state.join(&without);
            return names;
        }
        if builtins::call(self, scene, called, program, state) {
            return None;
        }
        // The shell compares the names of its own commands; those of files are the file system's.
        let folded = self.folded(called, program);
        let folded = folded.as_deref().map(|fields| Called { fields, ..*called });
        let called = folded.as_ref().unwrap_or(called);
        let program = called.program().unwrap_or(program);
        if wrappers::call(self, scene, called, program, state) {
            return None;
        }
        let facts = programs::describe(&programs::Asked {
            called,
            state,
            start: self.start,
        });
        let names = self.facts(scene, called, facts, state);
        program_takes(called, program);
        names
    }

    /// The words with the program's name in lower case, where that is the same program and another text.
    fn folded(&self, called: &Called<'_>, program: &str) -> Option<Vec<Field>> {
        let lower = match self.case {
            NameCase::Counts => return None,
            NameCase::Folds => program.to_lowercase(),
        };
        if lower == program {
            return None;
        }
        let mut fields = called.fields.to_vec();
        let first = fields.first_mut()?;
        *first = Field {
            source: first.source.clone(),
            ..Field::made(&lower, first.span)
        };
        Some(fields)
    }

    /// A program whose name is known only when it runs.
    fn unknown_program(&mut self, called: &Called<'_>, state: &State) {
        let text = called.text();
        self.run(called, RunNature::Program, None, EffectView::Might, state);
        self.sink.opaque(
            called.part,
            called.view,
            OpaqueWhy::UnknownProgram,
            &text,
            called.span,
        );
    }

    /// Emits the run.
    pub(crate) fn run(
        &mut self,
        called: &Called<'_>,
        nature: RunNature,
        canonical: Option<Vec<ModelWord>>,
        view: EffectView,
        state: &State,
    ) {
        // A reader that is told to look elsewhere is no known one.
        let plain = called
            .assignments
            .iter()
            .all(|assignment| assignment.weight == AssignmentWeight::Harmless);
        let nature = match nature {
            RunNature::KnownReader | RunNature::FileCommand if !plain => RunNature::Program,
            nature => nature,
        };
        self.sink.push(
            called.part,
            view,
            EffectKind::Run(Run {
                argv: called.fields.iter().map(Field::word).collect(),
                canonical,
                assignments: called.assignments.to_vec(),
                text: called.text(),
                folder: folder_value(state),
                nature,
                span: called.span,
                risks: Vec::new(),
            }),
        );
    }

    /// Calls something that the command starts, as a part of its own.
    pub(crate) fn call_inner(
        &mut self,
        scene: &Scene<'_>,
        outer: &Called<'_>,
        fields: &[Field],
        view: EffectView,
        state: &mut State,
    ) {
        if fields.is_empty() || !self.step_over(fields) {
            return;
        }
        let span = redirect::span_of(fields);
        let text = joined(fields);
        let part = self.sink.part(Part {
            text: text.clone(),
            span,
            within: Some(outer.part),
            nesting: Nesting::Wrapped,
        });
        let inner = Scene {
            within: Some(part),
            view,
            depth: scene.depth + 1,
            ..*scene
        };
        if inner.depth > SCRIPT_DEPTH_MAX * 4 {
            self.sink
                .opaque(part, scene.view, OpaqueWhy::TooDeep, &text, span);
            return;
        }
        let called = Called {
            fields,
            text: Some(&text),
            assignments: &[],
            span,
            part,
            view,
            input: outer.input,
        };
        // Only the shell itself knows the functions.
        let functions = std::mem::take(&mut state.functions);
        let guesses = u32::from(view == EffectView::Guessed);
        self.sink.guesses += guesses;
        self.call(&inner, &called, state);
        self.sink.guesses -= guesses;
        state.leave(&mut self.left);
        state.functions = functions;
    }

    /// Walks a text that the command runs as a script.
    pub(crate) fn call_script(
        &mut self,
        scene: &Scene<'_>,
        outer: &Called<'_>,
        text: &str,
        span: Span,
        view: EffectView,
        state: &mut State,
    ) {
        let guesses = u32::from(view == EffectView::Guessed);
        self.sink.guesses += guesses;
        self.nested_text(scene, outer, text, span, (view, Nesting::Script), state);
        self.sink.guesses -= guesses;
        state.leave(&mut self.left);
    }

    pub(super) fn nested_text(
        &mut self,
        scene: &Scene<'_>,
        outer: &Called<'_>,
        text: &str,
        span: Span,
        (view, nesting): (EffectView, Nesting),
        state: &mut State,
    ) {
        if scene.depth >= SCRIPT_DEPTH_MAX {
            self.sink
                .opaque(outer.part, scene.view, OpaqueWhy::TooDeep, text, span);
            return;
        }
        if !self.step(0, text.len()) {
            return;
        }
        if self.dialect.reads_otherwise(text) {
            let why = OpaqueWhy::UnknownScript;
            self.sink.opaque(outer.part, scene.view, why, text, span);
        }
        let tree = match nesting {
            Nesting::Function => read_again(text),
            Nesting::Line | Nesting::Substitution | Nesting::Wrapped | Nesting::Script => {
                read(text)
            }
        };
        match tree {
            Ok(tree) => {
                if let Some(doubt) = tree.doubt {
                    self.sink.opaque(outer.part, scene.view, doubt, text, span);
                }
                let inner = Scene {
                    source: text,
                    documents: &tree.documents,
                    anchor: Some(span),
                    within: Some(outer.part),
                    nesting,
                    view,
                    depth: scene.depth + 1,
                };
                self.script(&inner, &tree.script, state, outer.input);
            }
            Err(unreadable) => {
                // The outer command is as sure as it is; what it runs can't be told.
                self.sink
                    .opaque(outer.part, scene.view, unreadable.why, text, span);
            }
        }
    }
}

/// `=name`: the shell of many people puts the place of that program there.
fn names_a_program_for_zsh(field: &Field) -> bool {
    field
        .source
        .strip_prefix('=')
        .is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_alphabetic()))
}

/// How sure it is what the command starts: another one may have to print it first.
fn view_of(scene: &Scene<'_>, simple: &Simple<'_>) -> EffectView {
    let printed = simple.words.first().is_some_and(|word| {
        word.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Substitution(_)))
    });
    if printed {
        EffectView::Inferred
    } else {
        scene.view
    }
}

/// The folder of a run.
pub(crate) fn folder_value(state: &State) -> PathValue {
    match state.folders.first() {
        Some(Folder::Known(path)) => PathValue::Known(path.clone()),
        Some(Folder::Unknown(source)) => PathValue::Unknown(source.clone()),
        None => PathValue::Unknown(".".into()),
    }
}
