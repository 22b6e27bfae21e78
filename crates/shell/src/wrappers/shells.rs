//! Shells, and programs that hand a text to one.

use pointsman_model::{EffectView, PathRole, Reach, RunNature};

use super::shell_options::{self, Takes, Told};
use super::table::Kind;
use super::{outer, unknown_script};
use crate::field::Field;
use crate::options::{Options, first_operand};
use crate::state::{State, Value};
use crate::walk::{Called, Dialect, Scene, Walker};

pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "rbash"
            | "fish"
            | "pwsh"
            | "powershell"
            | "tcsh"
            | "csh"
            | "yash"
            | "posh"
    )
}

/// Programs that run one of their arguments as a text for `sh`.
pub(super) fn takes_script(name: &str) -> bool {
    matches!(
        name,
        "su" | "newgrp" | "runuser" | "script" | "hyperfine" | "at" | "batch" | "crontab" | "watch"
    )
}

/// `sh [options] [-c text | file]`
pub(super) fn shell(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let args = called.args();
    let name = crate::programs::last_name(called.program().unwrap_or(""));
    if let [only] = args
        && matches!(only.text(), Some("--version" | "--help"))
    {
        walker.run(called, RunNature::Program, None, called.view, state);
        return;
    }
    let told = match shell_options::read(name, args) {
        Ok(told) => told,
        Err(unknown) => {
            outer(walker, called, Kind::Loud, state);
            unknown_script(walker, called, Some(unknown));
            return;
        }
    };
    for field in &told.odd {
        unknown_script(walker, called, Some(field));
    }
    let at = told.operands;
    let given = called.input.fed || called.input.text().is_some() || args.get(at).is_some();
    if let Some(field) = told.talks.filter(|_| given && told.takes != Takes::Text) {
        unknown_script(walker, called, Some(field));
    }
    let dialect = match (name, told.talks.or(told.logs_in)) {
        ("zsh", Some(_)) => Dialect::ZshOfAPerson,
        ("zsh", None) => Dialect::Zsh,
        ("ksh" | "mksh" | "yash", _) => Dialect::Korn,
        _ => Dialect::Bash,
    };
    let outer = std::mem::replace(&mut walker.dialect, dialect);
    run(walker, scene, called, &told, state);
    walker.dialect = outer;
}

/// Runs what a shell is told to.
fn run(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    told: &Told<'_>,
    state: &mut State,
) {
    let args = called.args();
    let name = crate::programs::last_name(called.program().unwrap_or(""));
    let at = told.operands;
    if told.takes == Takes::Text {
        outer(walker, called, Kind::Loud, state);
        if !shell_options::speaks_bash(name) {
            unknown_script(walker, called, args.get(at));
        }
        let mut own = with_arguments(args.get(at + 1..).unwrap_or_default(), state);
        script_text(walker, scene, called, args.get(at), called.view, &mut own);
        return;
    }
    match args.get(at) {
        Some(field) if told.takes == Takes::File => {
            // A script file: a rule for the shell and that file covers it.
            walker.run(called, RunNature::Program, None, called.view, state);
            if field.text().is_some_and(|text| text.starts_with("/dev/")) || field.is_many() {
                unknown_script(walker, called, Some(field));
                return;
            }
            let process = field.text().is_none() && !field.may_be_option();
            if process && field.source.contains('(') {
                unknown_script(walker, called, Some(field));
            }
            let (view, role) = (called.view, PathRole::Operand);
            walker.read(view, field, role, Reach::Itself, state, called.part);
            let rest = args.get(at + 1..).unwrap_or_default();
            walker.run_written(scene, called, field, rest, state);
        }
        _ => from_standard_input(walker, scene, called, state),
    }
}

/// The state of a shell that runs `-c text name arguments...`.
fn with_arguments(arguments: &[Field], state: &State) -> State {
    let mut own = state.for_program();
    let rest = arguments.get(1..).unwrap_or_default();
    own.positional = Some(std::rc::Rc::new(rest.to_vec()));
    let zero = arguments.first().and_then(Field::text);
    own.set("0", zero.map_or(Value::Unknown, Value::text));
    own
}

/// A shell that reads its commands from its input.
fn from_standard_input(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &State,
) {
    if called.input.fed || called.input.text().is_some() {
        outer(walker, called, Kind::Loud, state);
        fed(walker, scene, called, EffectView::Inferred, state);
        return;
    }
    // Nothing is fed: it waits for a person, or ends at once.
    walker.run(called, RunNature::Program, None, called.view, state);
}

/// Commands on standard input.
pub(super) fn fed(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    view: EffectView,
    state: &State,
) {
    match called.input.text() {
        Some(text) => {
            let mut own = state.for_program();
            walker.call_script(scene, called, text, called.span, view, &mut own);
        }
        None => {
            walker.note_fed(called);
            unknown_script(walker, called, None);
        }
    }
}

/// A text for a shell, when it is known.
pub(super) fn script_text(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    field: Option<&Field>,
    view: EffectView,
    state: &mut State,
) {
    match field.and_then(|field| Some((field.text()?, field.span))) {
        Some((text, span)) => walker.call_script(scene, called, text, span, view, state),
        None => {
            unknown_script(walker, called, field);
            known_part(walker, scene, called, field, state);
        }
    }
}

/// A text between double quotes with something unknown in it: the rest of it is read all the same, as
/// the shell that it is handed to would read it with that in the same place.
fn known_part(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    field: Option<&Field>,
    state: &mut State,
) {
    let Some(field) = field else { return };
    let inside = field
        .source
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|inside| !inside.contains('"'));
    if let Some(text) = inside {
        let view = EffectView::Might;
        let scene = Scene { view, ..*scene };
        walker.call_script(&scene, called, text, field.span, view, state);
    }
}

/// `su -c text`, `newgrp < text`, `script -c text`, `hyperfine text...`, and those that read one from their input.
pub(super) fn script(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &mut State,
) {
    let args = called.args();
    if let ("crontab", [only]) = (name, args)
        && only.is("-l")
    {
        walker.run(called, RunNature::KnownReader, None, called.view, state);
        return;
    }
    outer(walker, called, Kind::Loud, state);
    let view = EffectView::Might;
    if name == "watch" {
        watch(walker, scene, called, state);
        return;
    }
    if name == "hyperfine" {
        for field in args.iter().filter(|field| !field.may_be_option()) {
            script_text(walker, scene, called, Some(field), view, &mut state.clone());
        }
        return;
    }
    if matches!(name, "at" | "batch" | "crontab") {
        later(walker, scene, called, state);
        return;
    }
    let mut found = false;
    if name == "script" && !args.is_empty() {
        // `script file command...` on some systems.
        super::guess(walker, scene, called, super::Guess::at(0, 1), state);
    }
    for (at, field) in args.iter().enumerate() {
        let Some(text) = field.text() else { continue };
        let glued = text.strip_prefix("--command=");
        if let Some(script) = glued {
            found = true;
            let span = field.span;
            walker.call_script(scene, called, script, span, view, &mut for_another(state));
        } else if text == "--command"
            || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
        {
            found = true;
            script_text(
                walker,
                scene,
                called,
                args.get(at + 1),
                view,
                &mut for_another(state),
            );
        }
    }
    if name == "runuser" && !found {
        let at = args
            .iter()
            .position(|field| field.is("--"))
            .map_or(0, |at| at + 1);
        super::guess(walker, scene, called, super::Guess::at(at, 1), state);
    }
    if !found && called.input.fed {
        fed(walker, scene, called, called.view, &for_another(state));
    }
}

/// What a shell of somebody else finds, which may drop any variable.
fn for_another(state: &State) -> State {
    let mut own = state.for_program();
    own.may_hide_all();
    own
}

/// `at`, `batch` and `crontab`: what they are fed runs later.
fn later(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &State) {
    let own = for_another(state);
    if called.input.fed || called.input.text().is_some() {
        fed(walker, scene, called, EffectView::Inferred, &own);
    }
    for field in called.args().iter().filter(|field| !field.may_be_option()) {
        walker.run_written(scene, called, field, &[], &own);
    }
}

/// `watch [options] command...`: its words are joined to a text for `sh`, unless `-x` is given.
fn watch(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &State) {
    const WATCH: Options = Options {
        short: "bcCegprtwx",
        short_value: "nq",
        short_glued: "d",
        long: &[
            "beep",
            "color",
            "no-color",
            "differences",
            "errexit",
            "chgexit",
            "precise",
            "no-title",
            "no-wrap",
            "exec",
        ],
        long_value: &["interval", "equexit"],
    };
    let args = called.args();
    let start = match first_operand(args, &WATCH) {
        Ok(start) => start,
        Err(at) => {
            super::guess(walker, scene, called, super::Guess::at(at, 1), state);
            return;
        }
    };
    let command = args.get(start..).unwrap_or_default();
    let view = EffectView::Might;
    walker.call_inner(scene, called, command, view, &mut state.clone());
    let texts: Option<Vec<&str>> = command.iter().map(Field::text).collect();
    match texts {
        Some(texts) => {
            let text = texts.join(" ");
            walker.call_script(
                scene,
                called,
                &text,
                called.span,
                view,
                &mut state.for_program(),
            );
        }
        None => unknown_script(walker, called, None),
    }
}
