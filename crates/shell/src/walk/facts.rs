//! From what a program is known to do to effects.

use pointsman_model::{Change, EffectView, OpaqueWhy, PathRole, PathValue, Reach, RunNature, Span};

use super::{Called, Scene, Walker, paths};
use crate::analysis::Part;
use crate::field::Field;
use crate::programs::{Facts, Inner, InputIs, Lists, Mounted, Told, Use, UseKind, names};
use crate::state::{Folder, State};
use crate::syntax::{Command, Range};

impl Walker<'_> {
    /// Emits what a program does. Gives the places that its output names.
    pub(crate) fn facts(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        mut facts: Facts,
        state: &mut State,
    ) -> Option<Vec<PathValue>> {
        let canonical = facts.canonical.take();
        self.run(called, facts.nature, canonical, called.view, state);
        let mut own = state.clone();
        if let Some(folder) = &facts.elsewhere {
            own.change_folder(folder_of(folder, state));
        }
        let mut reads = Vec::new();
        let lists = facts.lists == Lists::WhatItReads;
        for used in &facts.uses {
            let view = match used.view {
                EffectView::Sure => called.view,
                EffectView::Might | EffectView::Inferred | EffectView::Guessed => {
                    self.weaker(used.view, called.view)
                }
            };
            if lists && matches!(used.kind, UseKind::Read(_)) {
                reads.extend(paths(&used.field, &own).into_iter().next());
            }
            match used.kind {
                UseKind::Connect
                | UseKind::Read(_)
                | UseKind::Write(_)
                | UseKind::Below(_)
                | UseKind::Mount(_) => self.uses_one(view, used, &own, called.part),
                UseKind::Fills => {}
            }
        }
        let inner = std::mem::take(&mut facts.inner);
        self.start_all(scene, called, inner, &mut own);
        if facts.input == InputIs::Code {
            self.fed_code(called, &own);
        }
        for (name, target) in &facts.links {
            let (names, targets) = (paths(name, &own), paths(target, &own));
            self.sink.copies(&names, &targets);
            state.link(&names, &targets);
        }
        for (name, source) in &facts.copies {
            let (names, sources) = (paths(name, &own), paths(source, &own));
            self.sink.copies(&names, &sources);
            state.copy(&names, &sources);
        }
        self.remember_writes(called, &facts, &own, state);
        let listed: Vec<PathValue> = facts
            .listed
            .iter()
            .flat_map(|field| paths(field, &own))
            .collect();
        if !listed.is_empty() {
            reads = listed;
        }
        names(facts.lists, &reads, called.input.names.as_ref())
    }

    /// What a command starts.
    pub(crate) fn start_all(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        inner: Vec<Inner>,
        state: &mut State,
    ) {
        for inner in inner {
            match inner {
                Inner::Argv(fields, view) => {
                    let view = self.weaker(view, called.view);
                    self.call_inner(scene, called, &fields, view, state);
                }
                Inner::Script(field, view) => {
                    let view = self.weaker(view, called.view);
                    match field.text() {
                        Some(text) => {
                            let inner = Scene { view, ..*scene };
                            let span = field.span;
                            self.call_script(&inner, called, text, span, view, &mut state.clone());
                        }
                        None => self.sink.opaque(
                            called.part,
                            view,
                            OpaqueWhy::UnknownScript,
                            &field.source,
                            field.span,
                        ),
                    }
                }
            }
        }
    }

    /// What the arguments of a wrapper say besides what it wraps.
    pub(crate) fn told(
        &mut self,
        scene: &Scene<'_>,
        called: &Called<'_>,
        told: Told,
        state: &State,
    ) {
        for used in &told.uses {
            let view = self.weaker(EffectView::Might, used.view);
            self.uses_one(view, used, state, called.part);
        }
        self.start_all(scene, called, told.inner, &mut state.clone());
    }

    /// Emits the use of a file, or of a host.
    fn uses_one(&mut self, view: EffectView, used: &Use, state: &State, part: u32) {
        let (field, role) = (&used.field, PathRole::Operand);
        match used.kind {
            UseKind::Read(reach) => self.read(view, field, role, reach, state, part),
            UseKind::Write(change) => self.write(view, field, role, change, state, part),
            UseKind::Below(change) => self.write_below(view, field, change, state, part),
            UseKind::Mount(mounted) => {
                let change = Change::Content;
                // What runs on the project reads and changes of it what it is told to.
                let within = paths(field, state)
                    .iter()
                    .all(|it| matches!(it, PathValue::Known(it) if it.is_within(self.start)));
                let reach = match within {
                    true => Reach::Itself,
                    false => Reach::ContentBelow,
                };
                self.read(view, field, role, reach, state, part);
                if mounted == Mounted::ToChange {
                    self.write(view, field, role, change, state, part);
                    if !within {
                        self.write_below(view, field, change, state, part);
                    }
                }
            }
            UseKind::Connect => self.connect(view, host_of(field).as_deref(), field, part),
            UseKind::Fills => {}
        }
    }

    /// The view of something that hangs on something of another view.
    pub(crate) fn weaker(&self, one: EffectView, other: EffectView) -> EffectView {
        match (one, other) {
            (EffectView::Sure, EffectView::Sure) => EffectView::Sure,
            (EffectView::Inferred, _) | (_, EffectView::Inferred) => EffectView::Inferred,
            (EffectView::Guessed, _) | (_, EffectView::Guessed) => EffectView::Guessed,
            (EffectView::Might, _) | (_, EffectView::Might) => EffectView::Might,
        }
    }

    /// The reserved word `time`, as the plain wrapper that it is.
    pub(crate) fn timed(&mut self, scene: &Scene<'_>, word: Range, inner: &Command<'_>) {
        let text = word.of(scene.source).trim_end();
        let span: Span = scene.span(word);
        let state = State::new(self.start);
        // `time -p`, `time --` and `time !` are as loud as other wrappers.
        let (nature, view) = match (text, inner) {
            ("time", Command::Not(_)) => (RunNature::Wrapper, scene.view),
            ("time", _) => (RunNature::PlainWrapper, EffectView::Might),
            _ => (RunNature::Wrapper, scene.view),
        };
        self.word_as(scene, ("time", span), nature, view, &state);
    }

    /// A reserved word that no rule for the commands behind it covers.
    pub(crate) fn word_of_the_shell(&mut self, scene: &Scene<'_>, word: &str, state: &State) {
        let span = scene.span(Range::default());
        let view = scene.view;
        self.word_as(scene, (word, span), RunNature::Wrapper, view, state);
    }

    fn word_as(
        &mut self,
        scene: &Scene<'_>,
        (word, span): (&str, Span),
        nature: RunNature,
        view: EffectView,
        state: &State,
    ) {
        let part = self.sink.part(Part {
            text: word.into(),
            span,
            within: scene.within,
            nesting: scene.nesting,
        });
        let fields = [Field::made(word, span)];
        let called = Called {
            fields: &fields,
            text: None,
            assignments: &[],
            span,
            part,
            view,
            input: &super::Input::default(),
        };
        self.run(&called, nature, None, view, state);
    }
}

/// The folder that a field names.
pub(crate) fn folder_of(field: &Field, state: &State) -> Folder {
    match paths(field, state).into_iter().next() {
        Some(PathValue::Known(path)) => Folder::Known(path),
        Some(PathValue::Pattern { .. } | PathValue::Unknown(_)) | None => {
            Folder::Unknown(field.source.as_str().into())
        }
    }
}

/// The host in a URL, an address like `user@host:path`, or a bare name.
fn host_of(field: &Field) -> Option<String> {
    let text = match field.text() {
        Some(text) => text,
        None => {
            // The host is known when something behind it is not.
            let prefix = field.prefix();
            let rest = prefix.split_once("://").map_or(prefix, |(_, rest)| rest);
            if !rest.contains(['/', '?', '#']) {
                return None;
            }
            prefix
        }
    };
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => host.split(':').next().unwrap_or(host),
    };
    // A backslash or a blank is read in several ways.
    let plain = !host.is_empty()
        && host
            .chars()
            .all(|char| char.is_alphanumeric() || matches!(char, '.' | '-' | '_' | ':'));
    plain.then(|| host.to_owned())
}
