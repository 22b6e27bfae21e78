//! The shell's own commands: those that change its state, and those that run a text.

mod declare;
mod folder;
mod settings;

use pointsman_model::{EffectView, OpaqueWhy, PathRole, Reach, RunNature};

use crate::field::Field;
use crate::state::{Folder, State, Value, Written};
use crate::variables::is_secret;
use crate::walk::{Called, Scene, Walker};

pub(crate) use self::settings::{Setting, by_letter, by_name, is_plain_shopt};
pub(crate) use declare::is_of_the_line;

/// Calls the builtin, if the command is one that is more than a program.
pub(crate) fn call(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    program: &str,
    state: &mut State,
) -> bool {
    if declare::hides_code(program, called.args(), state) {
        opaque(walker, called, OpaqueWhy::UnknownScript);
    }
    match program {
        "cd" => folder::cd(walker, scene, called, state),
        "pushd" => folder::pushd(walker, scene, called, state),
        "popd" => folder::popd(walker, scene, called, state),
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            declare::declare(walker, scene, called, program, state);
        }
        "unset" => declare::unset(walker, scene, called, state),
        "read" => declare::read(walker, scene, called, state),
        "wait" => declare::wait(walker, scene, called, state),
        "mapfile" | "readarray" => declare::mapfile(walker, scene, called, state),
        "getopts" => declare::getopts(walker, scene, called, state),
        "let" => declare::compute(walker, scene, called, state),
        "printf" if called.args().first().is_some_and(|field| !is_format(field)) => {
            declare::printf(walker, scene, called, state);
        }
        "echo" | "printf" => shows(walker, called, state),
        "set" => settings::set(walker, called, state),
        "shopt" => settings::shopt(walker, called, state),
        "setopt" | "unsetopt" => settings::setopt(walker, called, state),
        "emulate" => settings::emulate(walker, called, state),
        "shift" => {
            settings::shift(called, state);
            reader(walker, called, state);
        }
        "eval" => eval(walker, scene, called, state),
        "source" | "." => source(walker, scene, called, state),
        "trap" => trap(walker, scene, called, state),
        "alias" => alias(walker, scene, called, state),
        "enable" | "hash" => lookup(walker, called, state),
        "fc" if !listing(called) => again(walker, called, state),
        "complete" | "compgen" | "bind" => completes(walker, scene, called, state),
        "return" => {
            walker.returns(state);
            reader(walker, called, state);
        }
        "break" | "continue" => {
            walker.leaves_loops(called.args(), state);
            reader(walker, called, state);
        }
        ":" | "true" | "false" | "exit" | "type" | "pwd" | "help" => reader(walker, called, state),
        "history" if called.args().is_empty() => reader(walker, called, state),
        "history" => history(walker, called, state),
        // The shell's own jobs and state: harmless, and no reading that people expect to run unasked.
        "logout" | "jobs" | "bg" | "fg" | "disown" | "times" | "caller" | "dirs" | "unalias"
        | "suspend" => self::program(walker, called, state),
        _ => return false,
    }
    true
}

pub(super) fn reader(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    walker.run(called, RunNature::KnownReader, None, called.view, state);
}

pub(super) fn program(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    walker.run(called, RunNature::Program, None, called.view, state);
}

pub(super) fn opaque(walker: &mut Walker<'_>, called: &Called<'_>, why: OpaqueWhy) {
    let text = called.text();
    walker
        .sink
        .opaque(called.part, called.view, why, &text, called.span);
}

/// `fc -l`: it lists what was run; every other form runs it again.
fn listing(called: &Called<'_>) -> bool {
    called
        .args()
        .first()
        .and_then(Field::text)
        .is_some_and(|text| text.starts_with('-') && text.contains('l'))
}

/// What was run is run again.
fn again(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    program(walker, called, state);
    opaque(walker, called, OpaqueWhy::UnknownScript);
}

/// `complete` and `compgen`, which run a command to find words; `bind -x`, which keeps one for a key.
fn completes(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &State) {
    let args = called.args();
    let mut texts = Vec::new();
    for option in ["-C", "-W", "-F", "-P", "-S"] {
        texts.extend(crate::programs::values(args, option));
    }
    if called.program() == Some("bind") {
        for value in crate::programs::values(args, "-x") {
            // `"keys": command`, or the command between quotes.
            let keys = value.prefix().find(':').map_or(0, |at| at + 1);
            let script = value.tail(keys);
            texts.push(match script.text() {
                Some(text) => Field::made(text.trim().trim_matches(['"', '\'']), script.span),
                None => script,
            });
        }
    }
    if texts.is_empty() {
        program(walker, called, state);
        return;
    }
    walker.run(called, RunNature::Wrapper, None, called.view, state);
    for field in texts {
        match field.text() {
            // A list of words is expanded: what stands in it runs.
            Some(text) => {
                let view = EffectView::Might;
                let scene = Scene { view, ..*scene };
                walker.call_script(&scene, called, text, field.span, view, &mut state.clone());
            }
            None => opaque(walker, called, OpaqueWhy::UnknownScript),
        }
    }
}

/// `history -a FILE` and kin, which write what was run, or take a file's lines for it.
fn history(walker: &mut Walker<'_>, called: &Called<'_>, state: &mut State) {
    program(walker, called, state);
    let role = PathRole::Operand;
    let args = called.args();
    let has = |letters: &[&str]| args.iter().any(|it| letters.iter().any(|flag| it.is(flag)));
    for file in args.iter().filter(|field| !field.may_be_option()) {
        if has(&["-a", "-w"]) {
            let change = pointsman_model::Change::Content;
            walker.write(called.view, file, role, change, state, called.part);
            for path in crate::walk::paths(file, state) {
                state.write(&path, &Written::Unknown);
            }
        } else if has(&["-r", "-n"]) {
            walker.read(called.view, file, role, Reach::Itself, state, called.part);
        }
    }
}

/// Whether this is `printf`'s format: no option that makes it set a variable.
fn is_format(field: &Field) -> bool {
    !field.may_be_option() || field.is("--")
}

/// `echo` and `printf`: readers, unless they show a secret.
fn shows(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    let secret = called.args().iter().any(|field| {
        field.text().is_none()
            && field.source.split('$').skip(1).any(|rest| {
                let name = rest.trim_start_matches(['{', '!']);
                let end = name
                    .find(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
                    .unwrap_or(name.len());
                is_secret(name.get(..end).unwrap_or(""))
            })
    });
    if secret {
        program(walker, called, state);
    } else {
        reader(walker, called, state);
    }
}

fn eval(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &mut State) {
    walker.run(called, RunNature::Wrapper, None, called.view, state);
    let texts: Option<Vec<&str>> = called.args().iter().map(Field::text).collect();
    match texts {
        Some(texts) => {
            let text = texts.join(" ");
            walker.call_script(scene, called, &text, called.span, called.view, state);
        }
        None => {
            opaque(walker, called, OpaqueWhy::UnknownScript);
            let spelled: Vec<&str> = called
                .args()
                .iter()
                .map(|field| field.source.trim_matches('"'))
                .collect();
            let spelled = spelled.join(" ");
            if !spelled.contains(['"', '\'']) {
                // What is known of it, with the unknown in its place.
                let view = EffectView::Might;
                let scene = Scene { view, ..*scene };
                let mut own = state.clone();
                walker.call_script(&scene, called, &spelled, called.span, view, &mut own);
            }
            state.forget_variables();
            walker.may_leave_all_loops(state);
        }
    }
}

fn source(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &mut State) {
    program(walker, called, state);
    let mut args = called.args().iter().filter(|field| !field.is("--"));
    match args.next() {
        Some(field) if field.text().is_some_and(|text| !text.starts_with("/dev/")) => {
            let (view, role) = (called.view, PathRole::Operand);
            walker.read(view, field, role, Reach::Itself, state, called.part);
            let rest: Vec<Field> = args.cloned().collect();
            walker.run_written(scene, called, field, &rest, state);
        }
        _ => opaque(walker, called, OpaqueWhy::UnknownScript),
    }
    state.forget_variables();
    walker.may_leave_all_loops(state);
}

/// `trap 'text' SIGNAL`: the text runs later, when variables and folder may be others.
fn trap(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &mut State) {
    reader(walker, called, state);
    let mut args = called.args().iter().skip_while(|field| field.is("--"));
    let Some(first) = args.next() else {
        return;
    };
    match first.text() {
        Some("-" | "" | "-p" | "-l" | "-P") => {}
        Some(text) => {
            let mut later = state.clone();
            later.forget_variables();
            if state.folders.len() > 1 || state.folder() != Some(walker.start) {
                later.folders.push(Folder::Unknown(".".into()));
            }
            let before = later.clone();
            let ends = walker.elsewhere(|walker| {
                walker.call_script(scene, called, text, first.span, called.view, &mut later);
            });
            let mut signals = args.filter(|field| !field.is("EXIT") && !field.is("0"));
            if signals.next().is_some() {
                // It may run in front of any command behind it.
                if ends || !later.is_like(&before) {
                    opaque(walker, called, OpaqueWhy::UnknownConstruct);
                }
                for (name, value) in later.variables.news(&before.variables) {
                    state.haunt(name, value.clone());
                }
                state.remember_trap(text);
            }
        }
        None => {
            opaque(walker, called, OpaqueWhy::UnknownScript);
            state.forget_variables();
        }
    }
}

/// `alias name='text'`: such a text runs only in a shell that expands aliases.
fn alias(walker: &mut Walker<'_>, scene: &Scene<'_>, called: &Called<'_>, state: &mut State) {
    if called.args().iter().all(|field| field.is("-p")) {
        reader(walker, called, state);
        return;
    }
    program(walker, called, state);
    for field in called.args() {
        if let Some((_, text)) = field.text().and_then(|text| text.split_once('=')) {
            let view = EffectView::Might;
            let inner = Scene { view, ..*scene };
            walker.call_script(&inner, called, text, field.span, view, &mut state.clone());
        }
    }
    for field in called.args() {
        if let Some((name, text)) = field.text().and_then(|text| text.split_once('=')) {
            state.alias(name, text);
        }
    }
}

/// `enable` and `hash` can change which program a name means.
fn lookup(walker: &mut Walker<'_>, called: &Called<'_>, state: &State) {
    let plain = called.args().iter().all(|field| {
        field
            .text()
            .is_some_and(|text| matches!(text, "-r" | "-l" | "-t" | "-a"))
    });
    if plain {
        reader(walker, called, state);
    } else {
        program(walker, called, state);
        opaque(walker, called, OpaqueWhy::Environment);
    }
}

/// Sets a variable by a builtin, when the name is one, or one of its elements.
pub(super) fn set_variable(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    name: &str,
    value: Value,
    state: &mut State,
) {
    let (base, value) = match name.split_once('[') {
        Some((base, _)) => (base, Value::Unknown),
        None => (name, value),
    };
    let plain = !base.is_empty()
        && base
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        walker.set_outside(scene, base, value, state);
    }
}
