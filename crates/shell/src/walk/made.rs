//! What the line makes and runs itself: a script that it writes, a copy of a program, an alias.
//!
//! All of it is a possibility, for rules that deny and ask.

use std::rc::Rc;

use pointsman_model::{Change, EffectView, OpaqueWhy, PathValue, RunNature};

use super::{Called, Dialect, Scene, Walker, paths, redirect};
use crate::field::Field;
use crate::programs::{self, Facts, Kept, Told, UseKind};
use crate::state::{State, Written};

/// Where what a program puts into files comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It is what the program is fed.
    Input,
    /// From another machine.
    Elsewhere,
    /// The program makes it.
    Itself,
    /// Nothing new comes in, or what the files themselves held is changed.
    Changes,
    /// It is empty, or told as a copy.
    Nothing,
}

impl Walker<'_> {
    /// Remembers what a program with these facts puts into files.
    pub(super) fn remember_writes(
        &self,
        called: &Called<'_>,
        facts: &Facts,
        at: &State,
        state: &mut State,
    ) {
        let connects = facts
            .uses
            .iter()
            .any(|used| used.kind == UseKind::Connect && used.view == EffectView::Sure);
        let code = facts.nature == RunNature::InlineCode;
        let input = programs::keeps_input(called);
        let source = match &input {
            Some(_) => Source::Input,
            None if programs::puts_nothing_new(called) => Source::Nothing,
            None if connects => Source::Elsewhere,
            // Code that the line holds was looked at. What becomes of other input nobody knows.
            None if called.input.fed && !(code && called.input.text().is_some()) => Source::Itself,
            None if programs::makes_text(called) => Source::Itself,
            None => Source::Changes,
        };
        for used in &facts.uses {
            let filled = match used.kind {
                UseKind::Fills => {
                    state.unpack(&paths(&used.field, at));
                    continue;
                }
                UseKind::Write(Change::Content) => paths(&used.field, at),
                UseKind::Write(_)
                | UseKind::Read(_)
                | UseKind::Below(_)
                | UseKind::Mount(_)
                | UseKind::Connect => continue,
            };
            for path in filled {
                match source {
                    Source::Nothing => {}
                    Source::Input => self.keep_input(called, input, &path, state),
                    // What lies in the folder that it runs in is filled where it says so.
                    Source::Elsewhere if at.is_around(&path) => {}
                    Source::Elsewhere => state.unpack(&[path]),
                    Source::Changes if state.written(&path).is_empty() => {}
                    Source::Changes | Source::Itself => state.write(&path, &Written::Unknown),
                }
            }
        }
    }

    fn keep_input(
        &self,
        called: &Called<'_>,
        kept: Option<Kept>,
        file: &PathValue,
        state: &mut State,
    ) {
        let text = called.input.text();
        let written = text.map_or(Written::Unknown, |text| Written::Text(text.into()));
        match kept {
            Some(Kept::Behind) => state.append(file, &written),
            Some(Kept::InParts) => {
                state.write(file, &written);
                state.write(file, &Written::Unknown);
            }
            Some(Kept::Whole) | None => state.write(file, &written),
        }
    }

    /// Walks what the line itself has put into a file that the command runs.
    pub(crate) fn run_written(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        file: &Field,
        args: &[Field],
        state: &State,
    ) {
        if !state.has_made() {
            return;
        }
        let view = EffectView::Might;
        for path in paths(file, state) {
            if state.is_stranger(&path) {
                let why = OpaqueWhy::UnknownProgram;
                self.sink
                    .opaque(called.part, view, why, &file.source, called.span);
            }
            for written in state.written(&path) {
                let Written::Text(text) = written else {
                    let why = OpaqueWhy::UnknownScript;
                    self.sink
                        .opaque(called.part, view, why, &file.source, called.span);
                    continue;
                };
                if let Some(first) = text.lines().next()
                    && first.starts_with("#!")
                    && !first.contains("sh")
                {
                    let mut facts = Facts::program();
                    facts.code(&text, called.span);
                    let told = Told {
                        inner: facts.inner,
                        uses: facts.uses,
                        unusual: false,
                    };
                    self.told(scene, called, told, state);
                    continue;
                }
                let mut own = state.for_program();
                own.positional = Some(Rc::new(args.to_vec()));
                let inner = Scene { view, ..*scene };
                let dialect = match Dialect::of_script(&text) {
                    Dialect::Bash => self.dialect,
                    named => named,
                };
                let outer = std::mem::replace(&mut self.dialect, dialect);
                self.call_script(&inner, called, &text, called.span, view, &mut own);
                self.dialect = outer;
            }
        }
    }

    /// What the line itself has put where the program is named, or has the name stand for.
    pub(super) fn run_made(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        program: &str,
        state: &mut State,
    ) {
        if !program.contains('/') {
            self.run_aliased(scene, called, program, state);
            return;
        }
        let Some((program, args)) = called.fields.split_first() else {
            return;
        };
        self.run_written(scene, called, program, args, state);
        for path in paths(program, state) {
            for behind in state.programs_behind(&path) {
                let mut fields = vec![Field {
                    known: crate::field::Known::Text(behind.as_str().into()),
                    ..program.clone()
                }];
                fields.extend_from_slice(args);
                self.call_inner(
                    scene,
                    called,
                    &fields,
                    EffectView::Might,
                    &mut state.clone(),
                );
            }
        }
    }

    /// A name that the line has made an alias of.
    fn run_aliased(&mut self, scene: &Scene<'_>, called: &Called<'_>, name: &str, state: &State) {
        for text in state.aliased(name) {
            let text = format!("{text} {}", super::spelled::joined(called.args()));
            let view = EffectView::Might;
            let inner = Scene { view, ..*scene };
            let span = redirect::span_of(called.fields);
            self.call_script(&inner, called, &text, span, view, &mut state.clone());
        }
    }
}

/// What the line itself has put into the file.
pub(crate) fn texts_in(file: &Field, state: &State) -> Vec<Rc<str>> {
    if !state.has_written() {
        return Vec::new();
    }
    let written = paths(file, state)
        .into_iter()
        .flat_map(|path| state.written(&path));
    written
        .filter_map(|written| match written {
            Written::Text(text) => Some(text),
            Written::Unknown => None,
        })
        .collect()
}
