//! The walk over the tree: every simple command, in the state that the line has set up before it.
//!
//! It goes every way that the line could go: both sides of `&&`, all arms of `case`, bodies of loops
//! until nothing new comes of them. What stands in words is walked before the command they belong
//! to, in a state of its own, as the shell does.

mod ambiguous;
mod assign;
mod branches;
mod compute;
mod dialect;
mod ends;
mod facts;
mod fed;
mod functions;
mod input;
mod made;
mod prints;
mod redirect;
mod simple;
mod spelled;
mod ways;

use pointsman_model::{AbsPath, EffectView, OpaqueWhy, Span};

use self::ends::Ends;
use self::prints::Prints;
use self::ways::{can_fail, keeps_state};
use crate::analysis::{NameCase, Nesting, Surroundings};
use crate::field::Field;
use crate::limits::WALK_DEPTH_MAX;
use crate::sink::Sink;
use crate::state::{Folder, FunctionText, Left, State, Value};
use crate::syntax::{
    Body, Command, Compound, Cut, Form, Item, Link, Parameter, Piece, Range, Script, Word,
};
use crate::work;

pub(crate) use compute::{leads_to_code, runs_in_subscript};
pub(crate) use dialect::Dialect;
pub(crate) use facts::folder_of;
pub(crate) use fed::{Feed, is_filled_unseen, is_input, is_stream, is_the_usual_one};
pub(crate) use input::{Input, Taken};
pub(crate) use made::texts_in;
pub(crate) use redirect::paths;
pub(crate) use simple::Called;

/// Simple commands walked for one line, repeats counted; long ones count as several.
const STEPS_MAX: usize = 8_000;

/// Words that a step may look at.
const WORDS_PER_STEP: usize = 8;

/// Bytes of words, or of a text that is read, that a step may look at.
const BYTES_PER_STEP: usize = 64;

/// The walk over one line.
pub(crate) struct Walker<'w> {
    pub(crate) home: &'w AbsPath,
    /// The folder that the line starts in.
    pub(crate) start: &'w AbsPath,
    pub(crate) case: NameCase,
    pub(crate) sink: Sink,
    steps: usize,
    /// Commands inside each other at this moment, through all texts.
    level: u32,
    /// Of what the command at hand prints, the next one shows some lines alone.
    pub(crate) picked: bool,
    /// Whose language the text at hand is in.
    pub(crate) dialect: Dialect,
    /// What those have made that the command at hand has started.
    left: Left,
    /// How the function and the loops at hand may have left things before their end.
    ends: Ends,
    /// What the command at hand is fed: its substitutions are fed it too.
    around: Input,
    /// The `read` that a loop goes on for: where its body runs, there was a line.
    pub(crate) asked: Option<Span>,
    /// What the commands at hand print, where a group around them fills files with it.
    prints: Option<Prints>,
}

/// A text that is walked, and what it hangs on.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    pub(crate) source: &'s str,
    pub(crate) documents: &'s [Word<'s>],
    /// Of a text that is no part of the line itself: the place that it comes from.
    pub(crate) anchor: Option<Span>,
    pub(crate) within: Option<u32>,
    pub(crate) nesting: Nesting,
    pub(crate) view: EffectView,
    /// How many texts this one is in.
    pub(crate) depth: u32,
}

impl Scene<'_> {
    pub(crate) fn span(&self, range: Range) -> Span {
        self.anchor.unwrap_or_else(|| range.span())
    }
}

impl<'w> Walker<'w> {
    pub(crate) fn new(at: &'w Surroundings) -> Self {
        Self {
            home: &at.home,
            start: &at.folder,
            case: at.case,
            sink: Sink::default(),
            steps: 0,
            level: 0,
            picked: false,
            dialect: Dialect::Bash,
            left: Left::default(),
            ends: Ends::default(),
            asked: None,
            around: Input::default(),
            prints: None,
        }
    }

    pub(crate) fn script(
        &mut self,
        scene: &Scene<'_>,
        script: &Script<'_>,
        state: &mut State,
        input: &Input,
    ) {
        for Item {
            command,
            background,
        } in &script.items
        {
            if *background {
                self.apart(state, |walker, own| {
                    walker.command(scene, command, own, input);
                });
                continue;
            }
            if keeps_state(command, state) {
                self.command(scene, command, state, input);
                continue;
            }
            let before = state.folders.clone();
            self.command(scene, command, state, input);
            if let Command::Simple(_) = command {
                // It may have failed to go where it was told.
                state.may_also_be_in(&before);
            }
        }
    }

    /// Counts a step over so many words and bytes; `false` when the line has used up what it may.
    fn step(&mut self, words: usize, bytes: usize) -> bool {
        work::count(1 + words + bytes);
        self.steps += 1 + words / WORDS_PER_STEP + bytes / BYTES_PER_STEP;
        if self.steps > STEPS_MAX {
            self.sink.full = true;
        }
        !self.sink.full
    }

    /// Counts a step over these fields.
    fn step_over(&mut self, fields: &[Field]) -> bool {
        let bytes = fields.iter().map(Field::len).sum();
        self.step(fields.len(), bytes)
    }

    pub(crate) fn command(
        &mut self,
        scene: &Scene<'_>,
        command: &Command<'_>,
        state: &mut State,
        input: &Input,
    ) {
        if self.sink.full {
            return;
        }
        if self.level >= WALK_DEPTH_MAX {
            let (part, view) = (scene.within.unwrap_or(0), EffectView::Sure);
            let span = scene.span(Range::default());
            self.sink
                .opaque(part, view, OpaqueWhy::TooDeep, scene.source, span);
            return;
        }
        self.level += 1;
        self.command_here(scene, command, state, input);
        self.level -= 1;
    }

    fn command_here(
        &mut self,
        scene: &Scene<'_>,
        command: &Command<'_>,
        state: &mut State,
        input: &Input,
    ) {
        match command {
            Command::Empty => {}
            Command::Simple(simple) => {
                self.simple(scene, simple, state, input);
            }
            Command::Pipeline(commands) => {
                self.out_of_loops(|walker| walker.pipeline(scene, commands, state, input));
            }
            Command::Chain(first, rest) => self.chain(scene, first, rest, state, input),
            Command::Not(inner) => self.command(scene, inner, state, input),
            Command::Time(inner, word) => {
                self.timed(scene, *word, inner);
                self.command(scene, inner, state, input);
            }
            Command::Compound(compound) => self.compound(scene, compound, state, input),
            Command::Function(function) => self.function(scene, function, state),
            Command::Coproc(name, inner) => {
                self.set_outside(scene, name.unwrap_or("COPROC"), Value::Unknown, state);
                self.word_of_the_shell(scene, "coproc", state);
                let fed = Input::of(Feed::Commands);
                self.apart_from_group(|walker| {
                    walker.apart(state, |walker, own| walker.command(scene, inner, own, &fed));
                });
            }
        }
    }

    /// Each command of a pipeline has a process of its own, and the output of the one before it.
    fn pipeline(
        &mut self,
        scene: &Scene<'_>,
        commands: &[Command<'_>],
        state: &mut State,
        input: &Input,
    ) {
        let mut fed = input.clone();
        let mut own = state.clone();
        let last = commands.len().saturating_sub(1);
        for (number, command) in commands.iter().enumerate() {
            let keeps = keeps_state(command, &own);
            self.picked = commands.get(number + 1).is_some_and(picks_lines);
            let next = if number < last {
                self.apart_from_group(|walker| walker.piped(scene, command, &mut own, &fed))
            } else {
                self.command(scene, command, &mut own, &fed);
                Input::default()
            };
            fed = next;
            fed.fed = true;
            self.picked = false;
            state.keep_made(&own);
            if number == last && self.dialect.keeps_last_of_pipe() {
                state.join(&own);
            }
            if !keeps {
                own = state.clone();
            }
        }
    }

    /// A command of a pipeline. Gives what it hands to the next one.
    fn piped(
        &mut self,
        scene: &Scene<'_>,
        command: &Command<'_>,
        own: &mut State,
        fed: &Input,
    ) -> Input {
        if let Command::Simple(simple) = command {
            let next = self.simple(scene, simple, own, fed);
            return next.with_text(self.printed(scene, simple, own));
        }
        self.command(scene, command, own, fed);
        Input::of(Feed::Commands)
    }

    fn chain(
        &mut self,
        scene: &Scene<'_>,
        first: &Command<'_>,
        rest: &[(Link, Command<'_>)],
        state: &mut State,
        input: &Input,
    ) {
        // The state of those ways that have left the chain's successful way.
        let mut failed: Option<State> = None;
        // Something may have failed and left the state as it is now.
        let mut fails = false;
        let mut before = state.clone();
        self.command(scene, first, state, input);
        let mut last = first;
        for (link, command) in rest {
            match link {
                Link::And => {
                    let mut add = |way: State| match &mut failed {
                        Some(failed) => failed.join(&way),
                        None => failed = Some(way),
                    };
                    if keeps_state(last, state) {
                        fails |= can_fail(last);
                    } else {
                        let mut left = std::mem::replace(&mut before, state.clone());
                        if can_fail(last) {
                            left.join(state);
                            add(left);
                        }
                    }
                    if fails && !keeps_state(command, state) {
                        add(state.clone());
                        fails = false;
                    }
                    self.command(scene, command, state, input);
                }
                Link::Or => {
                    let mut other = before.clone();
                    other.join(state);
                    if let Some(failed) = failed.take() {
                        other.join(&failed);
                    }
                    before = other.clone();
                    self.command(scene, command, &mut other, input);
                    if !self.leaves(command, &other) {
                        state.join(&other);
                    }
                }
            }
            last = command;
        }
        if let Command::Simple(_) = last
            && !self.leaves(last, state)
        {
            state.may_also_be_in(&before.folders);
        }
        if let Some(failed) = failed {
            state.join(&failed);
        }
    }

    fn compound(
        &mut self,
        scene: &Scene<'_>,
        compound: &Compound<'_>,
        state: &mut State,
        input: &Input,
    ) {
        let part = scene.within.unwrap_or(0);
        let mut fed = input.clone();
        for redirect in &compound.redirects {
            self.around = fed.for_words();
            self.words_of(scene, std::slice::from_ref(&redirect.target), state);
            self.redirect(scene, redirect, state, part, &mut fed);
        }
        self.printing(scene, compound, state, |walker, state| {
            walker.body(scene, compound, state, &fed);
        });
    }

    fn body(&mut self, scene: &Scene<'_>, compound: &Compound<'_>, state: &mut State, fed: &Input) {
        self.around = fed.for_words();
        match &compound.body {
            Body::Subshell(script) => self.apart(state, |walker, own| {
                walker.script(scene, script, own, fed);
            }),
            Body::Group(script) => self.script(scene, script, state, fed),
            Body::If { arms, otherwise } => {
                self.branches(scene, arms, otherwise.as_ref(), state, fed);
            }
            Body::Loop {
                kind,
                condition,
                body,
            } => {
                self.repeat(state, fed, |walker, state| {
                    let mut end = walker.condition_of(scene, *kind, condition, state, fed);
                    walker.script(scene, body, state, fed);
                    end.join(state);
                    *state = end;
                });
            }
            Body::For { name, words, body } => {
                self.for_each(scene, name, words.as_deref(), body, state, fed);
            }
            Body::Select { name, words, body } => {
                self.words_of(scene, words.as_deref().unwrap_or_default(), state);
                self.set_outside(scene, name, Value::Unknown, state);
                self.set_outside(scene, "REPLY", Value::Unknown, state);
                self.word_of_the_shell(scene, "select", state);
                self.repeat(state, fed, |walker, state| {
                    walker.script(scene, body, state, fed);
                });
            }
            Body::ForArithmetic { expression, body } => {
                self.computed(scene, expression, state, compound.span);
                self.repeat(state, fed, |walker, state| {
                    walker.script(scene, body, state, fed);
                });
            }
            Body::Case { word, arms } => {
                self.words_of(scene, std::slice::from_ref(word), state);
                let entry = state.clone();
                for (patterns, script) in arms {
                    self.around = fed.for_words();
                    self.words_of(scene, patterns, state);
                    let mut own = entry.clone();
                    self.script(scene, script, &mut own, fed);
                    state.join(&own);
                }
            }
            Body::Arithmetic(expression) => {
                self.computed(scene, expression, state, compound.span);
            }
            Body::Condition(words) => self.condition(scene, words, state, compound.span),
        }
    }

    /// Walks what has a process of its own: of what it sets up, the files stay behind alone.
    fn apart(&mut self, state: &mut State, walk: impl FnOnce(&mut Self, &mut State)) {
        let mut own = state.clone();
        self.out_of_loops(|walker| walk(walker, &mut own));
        state.keep_made(&own);
    }

    fn function(
        &mut self,
        scene: &Scene<'_>,
        function: &crate::syntax::Function<'_>,
        state: &mut State,
    ) {
        let Command::Compound(body) = &function.body else {
            return;
        };
        if state.is_trapped(&function.name) {
            // What it sets is set in front of any command.
            self.sink.opaque(
                scene.within.unwrap_or(0),
                scene.view,
                OpaqueWhy::UnknownConstruct,
                &function.name,
                scene.span(body.span),
            );
        }
        let text = FunctionText {
            body: body.span.of(scene.source).into(),
        };
        state.define(&function.name, text);
        // Bash itself calls this one.
        let called = matches!(function.name.as_ref(), "command_not_found_handle");
        let scene = Scene {
            view: if called {
                scene.view
            } else {
                EffectView::Might
            },
            ..*scene
        };
        let mut own = state.clone();
        own.positional = None;
        own.forget_variables();
        own.enter_function();
        self.apart_from_group(|walker| {
            walker.elsewhere(|walker| walker.compound(&scene, body, &mut own, &Input::default()));
        });
    }

    /// Walks the substitutions in words.
    pub(crate) fn words_of(&mut self, scene: &Scene<'_>, words: &[Word<'_>], state: &mut State) {
        for word in words {
            self.pieces(scene, word, state);
        }
    }

    fn pieces(&mut self, scene: &Scene<'_>, word: &Word<'_>, state: &mut State) {
        for piece in &word.pieces {
            match piece {
                Piece::Text(_) | Piece::Quoted(_) => {}
                Piece::Parameter(parameter) => self.parameter(scene, parameter, state),
                Piece::Substitution(substitution) => {
                    let input = self.around.clone();
                    self.inner(scene, &substitution.script, state, &input);
                }
                Piece::Process(script) => {
                    // `>( )` is fed what is written to it.
                    let sign = (script.span.start as usize).checked_sub(2);
                    let sign = sign.and_then(|at| scene.source.as_bytes().get(at));
                    let input = match sign {
                        Some(b'>') => Input::of(Feed::Commands),
                        _ => self.around.clone(),
                    };
                    self.inner(scene, script, state, &input);
                }
                Piece::Arithmetic(expression) => {
                    self.computed(scene, expression, state, expression.span);
                }
            }
        }
    }

    fn inner(&mut self, scene: &Scene<'_>, script: &Script<'_>, state: &mut State, input: &Input) {
        let inner = Scene {
            nesting: Nesting::Substitution,
            ..*scene
        };
        let around = self.around.clone();
        let asked = self.asked.take();
        self.apart_from_group(|walker| {
            walker.apart(state, |walker, own| {
                walker.script(&inner, script, own, input)
            });
        });
        self.around = around;
        self.asked = asked;
    }

    fn parameter(&mut self, scene: &Scene<'_>, parameter: &Parameter<'_>, state: &mut State) {
        if let Some(index) = &parameter.index
            && !matches!(index.bare(), Some("@" | "*"))
        {
            self.computed(scene, index, state, index.span);
        }
        self.words_of(scene, &parameter.words, state);
        for word in &parameter.words {
            // `${x:1:n}`: what stands behind a colon is computed.
            let before = (word.span.start as usize).checked_sub(1);
            let offset = before.and_then(|at| scene.source.as_bytes().get(at)) == Some(&b':');
            if offset && parameter.form == Form::Cut(Cut::Slice) {
                self.computed(scene, word, state, word.span);
            }
        }
        match parameter.form {
            Form::Assign => self.set_outside(scene, parameter.name, Value::Unknown, state),
            Form::Prompt => self.sink.opaque(
                scene.within.unwrap_or(0),
                scene.view,
                OpaqueWhy::UnknownScript,
                parameter.name,
                scene.span(Range::default()),
            ),
            Form::Indirect => self.indirect(scene, parameter, state),
            Form::Plain
            | Form::Length
            | Form::Default
            | Form::Error
            | Form::Other
            | Form::Cut(_)
            | Form::Transform => {}
        }
    }
}

/// Whether the command shows those lines of its input that hold a text, and no secret's name is in it.
fn picks_lines(command: &Command<'_>) -> bool {
    let Command::Simple(simple) = command else {
        return false;
    };
    let words: Vec<Option<&str>> = simple.words.iter().map(Word::bare).collect();
    let searches = matches!(words.first(), Some(Some("grep" | "egrep" | "fgrep" | "rg")));
    let plain = words.iter().skip(1).all(|word| {
        word.is_some_and(|word| {
            if word.starts_with('-') {
                matches!(word, "-i" | "-E" | "-F" | "-w" | "-e" | "-n" | "-q" | "-c")
            } else {
                word.len() > 2 && !crate::variables::is_secret(word)
                    || word.len() == 1 && word.bytes().all(|it| it.is_ascii_alphanumeric())
            }
        })
    });
    let operands = words
        .iter()
        .skip(1)
        .flatten()
        .filter(|word| !word.starts_with('-'))
        .count();
    searches && plain && operands == 1
}

/// Where a folder's relative path leads.
pub(crate) fn path_in(folder: &Folder, text: &str) -> Option<AbsPath> {
    if text.starts_with('/') {
        return AbsPath::parse(text).ok();
    }
    match folder {
        Folder::Known(folder) if !text.contains('\0') => Some(folder.join(text)),
        Folder::Known(_) | Folder::Unknown(_) => None,
    }
}
