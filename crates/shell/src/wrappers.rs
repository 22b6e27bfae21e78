//! Programs that start what their arguments say.
//!
//! Plain wrappers step aside: what they start is as sure as they are. All others stay in sight, and
//! what they start is listed as a possibility, for rules that deny and ask.

mod env;
mod runners;
mod shell_options;
mod shells;
mod table;
mod usual;
mod xargs;
pub(crate) mod zsh;

use pointsman_model::{EffectView, OpaqueWhy, RunNature};

use self::table::{Entry, Kind};
use crate::analysis::read;
use crate::field::Field;
use crate::options::first_operand;
use crate::programs::{self, last_name, told_by_arguments};
use crate::state::State;
use crate::walk::{Called, Scene, Walker};

/// Starts of a command line that are tried behind options which no table has.
const GUESSES_MAX: usize = 6;

/// Calls the wrapper, if the command is one.
pub(crate) fn call(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    program: &str,
    state: &mut State,
) -> bool {
    let name = last_name(program);
    if programs::asks_about_itself(called, name) {
        return false;
    }
    if !wrap(walker, scene, called, name, state) {
        return false;
    }
    let mut told = told_by_arguments(called);
    let asked = programs::Asked {
        called,
        state,
        start: walker.start,
    };
    told.inner.extend(programs::written(&asked, name));
    walker.told(scene, called, told, state);
    true
}

fn wrap(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &mut State,
) -> bool {
    match name {
        "env" => env::env(walker, scene, called, state),
        "xargs" => xargs::xargs(walker, scene, called, state),
        "parallel" => xargs::parallel(walker, scene, called, state),
        "command" if env::queries(called) => return false,
        "exec" => env::exec(walker, scene, called, state),
        _ if zsh::call(walker, scene, called, name, state) => {}
        _ if shells::is_shell(name) => shells::shell(walker, scene, called, state),
        _ if shells::takes_script(name) => shells::script(walker, scene, called, name, state),
        _ => match table::find(name) {
            // `arch` and `nice` alone are no wrappers; `unshare` alone starts a shell.
            Some(entry)
                if called.args().is_empty() && (entry.kind == Kind::Plain || !called.input.fed) =>
            {
                return false;
            }
            Some(entry) if name == "bwrap" => {
                let mut own = state.clone();
                runners::mount_names(name, called.args(), state, &mut own);
                peel(walker, scene, called, entry, &mut own);
            }
            Some(entry) => peel(walker, scene, called, entry, state),
            None => return runners::call(walker, scene, called, name, state),
        },
    }
    true
}

fn peel(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    entry: &Entry,
    state: &mut State,
) {
    let args = called.args();
    let kind = kind_here(called, entry);
    let first = args.first().and_then(Field::text);
    let from = usize::from(entry.numbers && first.is_some_and(is_dash_number));
    let rest = args.get(from..).unwrap_or_default();
    let start = match first_operand(rest, &entry.options) {
        Ok(start) => from + start,
        Err(at) => {
            outer(walker, called, Kind::Loud, state);
            let begins = Guess::at(from + at, entry.skip);
            guess(walker, scene, called, begins, state);
            return;
        }
    };
    let mut start = start + entry.skip;
    let mut own = state.clone();
    if entry.elsewhere {
        own.forget_variables();
        if !keeps_folder(called, args.get(..start).unwrap_or_default()) {
            own.folders.push(crate::state::Folder::Unknown(".".into()));
        }
    }
    if entry.assigns {
        start += env::assign(walker, called, args.get(start..), &mut own);
    }
    let inner = args.get(start..).unwrap_or_default();
    if inner.is_empty() {
        if called.input.fed && kind != Kind::Plain {
            // A shell of another user or place may read its commands from there.
            outer(walker, called, Kind::Loud, state);
            shells::fed(walker, scene, called, EffectView::Might, &own);
            return;
        }
        // Nothing is started: `sudo -l`, `nice`.
        walker.run(called, RunNature::Program, None, called.view, state);
        return;
    }
    let first_is_option = inner
        .first()
        .is_some_and(|field| entry.skip > 0 && field.may_be_option() && field.text().is_some());
    if first_is_option && !entry.script_flag {
        // Options of a subcommand.
        outer(walker, called, Kind::Loud, state);
        guess(walker, scene, called, Guess::at(start, entry.skip), state);
        return;
    }
    outer(walker, called, kind, state);
    let view = match kind {
        Kind::Plain => called.view,
        Kind::Loud | Kind::Runner => EffectView::Might,
        Kind::Applets => EffectView::Inferred,
    };
    if entry.script_flag && inner.first().is_some_and(|field| field.is("-c")) {
        shells::script_text(walker, scene, called, inner.get(1), view, &mut own);
        return;
    }
    if entry.in_shell
        && called
            .program()
            .is_some_and(|program| !program.contains('/'))
    {
        // What it starts may be a builtin that changes the shell's own state.
        walker.call_inner(scene, called, inner, view, state);
        return;
    }
    walker.call_inner(scene, called, inner, view, &mut own);
    let words = (inner, OneWord::MayBeScript, EffectView::Might);
    one_word(walker, scene, called, words, &own);
}

/// Only the program of that name in its usual place is known to step aside.
fn kind_here(called: &Called<'_>, entry: &Entry) -> Kind {
    match called.program() {
        Some(program) if entry.kind == Kind::Plain => {
            if program.contains('/') || !usual::steps_aside(program, called.args()) {
                Kind::Loud
            } else {
                Kind::Plain
            }
        }
        _ => entry.kind,
    }
}

/// Whether a wrapper that runs a command as somebody else, or with other libraries, stays in this folder.
fn keeps_folder(called: &Called<'_>, options: &[Field]) -> bool {
    let program = called.program().unwrap_or("");
    match last_name(program) {
        "sudo" => options.iter().all(|field| {
            let Some(text) = field.text() else {
                return false;
            };
            let goes = ["--login", "--chdir", "--chroot"]
                .iter()
                .any(|option| text.starts_with(option));
            let letters = text.starts_with('-') && !text.starts_with("--");
            !(goes || letters && text.contains(['i', 'D', 'R']))
        }),
        "doas" | "fakeroot" | "faketime" | "eatmydata" | "proxychains" | "proxychains4"
        | "torsocks" | "setuidgid" | "envuidgid" | "envdir" | "s6-setuidgid" | "logsave" | "sg" => {
            true
        }
        _ => false,
    }
}

/// What becomes of a word with blanks in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OneWord {
    /// It may be handed to a shell.
    MayBeScript,
    /// It is an argument: the program that is started may take it for a command line, no shell in between does.
    Argument,
}

/// A command line in one word: some wrappers hand it to a shell.
fn one_word(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    (inner, word, view): (&[Field], OneWord, EffectView),
    state: &State,
) {
    if let Some(field) = inner.first()
        && field
            .text()
            .is_some_and(|text| text.trim().contains(char::is_whitespace))
    {
        let scene = Scene { view, ..*scene };
        // A shell alias of `gh` and of git has a mark in front.
        let mark = usize::from(field.prefix().starts_with('!'));
        let script = field.tail(mark);
        let script = match word {
            OneWord::MayBeScript => script,
            OneWord::Argument => match script.text().and_then(runnable) {
                Some(text) => Field {
                    source: script.source.clone(),
                    ..Field::made(text, script.span)
                },
                // SQL, or code: nothing that a shell would be given.
                None => return,
            },
        };
        shells::script_text(
            walker,
            &scene,
            called,
            Some(&script),
            view,
            &mut state.clone(),
        );
    }
}

/// So many lines of a text that is no script as a whole are looked at, each with those before it.
const LINES_MAX: usize = 32;

/// What a shell that is given the text may run of it, if anything: it reads line by line, and stops only where it comes to
/// what is no command.
fn runnable(text: &str) -> Option<&str> {
    let why = match read(text) {
        // Where it is in doubt it is shell all the same.
        Ok(_) => return Some(text),
        Err(unreadable) => unreadable.why,
    };
    if !matches!(why, OpaqueWhy::Syntax | OpaqueWhy::UnknownConstruct) {
        return Some(text);
    }
    let mut found = None;
    let ends = text.match_indices('\n').map(|(at, _)| at);
    for (number, end) in ends.enumerate() {
        if number == LINES_MAX {
            return Some(text);
        }
        let begin = text.get(..end).unwrap_or("");
        if read(begin).is_ok_and(|tree| !tree.script.items.is_empty()) {
            // Behind what only we can't read it may go on.
            found = Some(if why == OpaqueWhy::Syntax {
                begin
            } else {
                text
            });
        }
    }
    found
}

/// Emits the wrapper itself.
fn outer(walker: &mut Walker<'_>, called: &Called<'_>, kind: Kind, state: &State) {
    let kind = match kind {
        Kind::Runner if told_by_arguments(called).unusual => Kind::Loud,
        kind => kind,
    };
    match kind {
        Kind::Plain => {
            let view = EffectView::Might;
            walker.run(called, RunNature::PlainWrapper, None, view, state);
        }
        Kind::Loud | Kind::Applets => {
            walker.run(called, RunNature::Wrapper, None, called.view, state)
        }
        Kind::Runner => walker.run(called, RunNature::Program, None, called.view, state),
    }
}

/// Where a command line may begin among arguments.
#[derive(Debug, Clone, Copy)]
struct Guess {
    /// The first argument that may be its first word.
    from: usize,
    /// So many words at most stand in front of it besides values of options: a container, a host.
    skip: usize,
    /// What becomes of a word with blanks in it.
    word: OneWord,
}

impl Guess {
    fn at(from: usize, skip: usize) -> Self {
        Self {
            from,
            skip,
            word: OneWord::MayBeScript,
        }
    }
}

/// Options of runners and wrappers without a value.
const SWITCHES: [&str; 24] = [
    "-T",
    "-d",
    "-i",
    "-it",
    "-q",
    "-t",
    "-ti",
    "-y",
    "--detach",
    "--frozen",
    "--init",
    "--interactive",
    "--locked",
    "--no-install",
    "--no-sync",
    "--no-TTY",
    "--offline",
    "--privileged",
    "--quiet",
    "--rm",
    "--stdin",
    "--tty",
    "--verbose",
    "--yes",
];

/// Behind an option that no table has, the command may begin anywhere: where it stands if the options take values or
/// none is walked as what may run, the words behind that, of which a few are known programs, as guesses.
fn guess(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    guess: Guess,
    state: &State,
) {
    let args = called.args();
    unknown_command(walker, called, args.get(guess.from..).unwrap_or_default());
    let mut words = 0;
    let mut known = 0;
    // Options that may have the next word for their value.
    let mut valued = 0;
    let mut told = false;
    for at in guess.from..args.len() {
        let Some(field) = args.get(at) else { break };
        if let Some(text) = field.text().filter(|_| field.may_be_option()) {
            told = matches!(text, "--" | "-c" | "--command");
            valued += usize::from(!SWITCHES.contains(&text) && !text.contains('=') && text != "--");
            continue;
        }
        if !field
            .prefix()
            .contains(|char: char| char.is_ascii_alphanumeric())
        {
            continue;
        }
        words += 1;
        let may_begin = std::mem::take(&mut told) || words <= guess.skip + valued + 1;
        if words > GUESSES_MAX {
            known += usize::from(may_start(field));
            if !may_start(field) || known > GUESSES_MAX {
                continue;
            }
        }
        let inner = args.get(at..).unwrap_or_default();
        let view = if may_begin {
            EffectView::Might
        } else {
            EffectView::Guessed
        };
        // Where no option leaves room for doubt it began before, and this is an argument of it.
        if may_begin || valued > 0 {
            walker.call_inner(scene, called, inner, view, &mut state.clone());
        }
        one_word(walker, scene, called, (inner, guess.word, view), state);
    }
}

/// Behind a wrapper a word of unknown value may be what it starts. A runner's may be a package, an
/// image or a machine, and what it starts is a matter of the rule for the runner.
fn unknown_command(walker: &mut Walker<'_>, called: &Called<'_>, args: &[Field]) {
    let name = called.program().unwrap_or("");
    if runners::is_runner(last_name(name)) {
        return;
    }
    let known = |field: &&Field| {
        let text = field.text();
        text.is_some_and(|text| !text.starts_with('-') && !is_number(text))
    };
    // What stands behind an option may be its value.
    let value = |field: &Field| {
        let option = field.before(args);
        option.is_some_and(|it| it.may_be_option() && !it.prefix().contains('='))
    };
    let mut before = args
        .iter()
        .take_while(|field| !known(field) || value(field));
    if let Some(field) = before.find(|field| field.text().is_none()) {
        walker.sink.opaque(
            called.part,
            EffectView::Might,
            OpaqueWhy::UnknownProgram,
            &field.source,
            field.span,
        );
    }
}

fn is_number(text: &str) -> bool {
    text.bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit())
}

/// Whether the word is the name of a program that rules are written for, or that starts others.
fn may_start(field: &Field) -> bool {
    field.text().is_none_or(|text| {
        let name = last_name(text);
        programs::is_well_known(name)
            || shells::is_shell(name)
            || shells::takes_script(name)
            || table::find(name).is_some()
            || matches!(name, "env" | "xargs" | "parallel")
            || text.contains(char::is_whitespace)
    })
}

/// Emits that a text is run which is known only when it runs.
fn unknown_script(walker: &mut Walker<'_>, called: &Called<'_>, field: Option<&Field>) {
    let text = field.map_or_else(|| called.text(), |field| field.source.clone());
    walker.sink.opaque(
        called.part,
        called.view,
        OpaqueWhy::UnknownScript,
        &text,
        called.span,
    );
}

fn is_dash_number(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `NAME=value` among arguments.
pub(crate) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let plain = !name.is_empty()
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain.then_some((name, value))
}
