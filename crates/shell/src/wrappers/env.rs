//! `env`, `exec`, and the query forms of `command`.

use pointsman_model::{AssignmentWeight, EffectView, OpaqueWhy, RunNature};

use super::table::Kind;
use super::{Guess, assignment, guess, outer, shells};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::state::{State, Value};
use crate::variables::weigh;
use crate::walk::{Called, Scene, Walker, folder_of};

const ENV: Options = Options {
    short: "0iv",
    short_value: "auC",
    short_glued: "",
    long: &[
        "null",
        "ignore-environment",
        "debug",
        "block-signal",
        "default-signal",
        "ignore-signal",
    ],
    long_value: &["argv0", "unset", "chdir"],
};

/// `command -v name` asks where a command is.
pub(super) fn queries(called: &Called<'_>) -> bool {
    called
        .args()
        .first()
        .and_then(Field::text)
        .is_some_and(|text| {
            text.starts_with('-')
                && text.contains(['v', 'V'])
                && text.bytes().skip(1).all(|byte| b"pvV".contains(&byte))
        })
}

/// `env [options] [NAME=value]... [command]`
pub(super) fn env(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let split = Split::of(called.args());
    let args = split.as_ref().map_or(called.args(), |it| it.front);
    let mut own = state.clone();
    let mut behind = args.len();
    let options = read(args, &ENV, Order::OptionsFirst);
    for arg in &options {
        match arg {
            Arg::Option("C" | "--chdir", Some(folder)) => {
                let folder = folder_of(folder, state);
                own.change_folder(folder);
            }
            Arg::Option("u" | "--unset", Some(name)) => match name.text() {
                Some(name) => own.hide(name),
                None => own.may_hide_all(),
            },
            Arg::Option("i" | "--ignore-environment", _) => own.hide_all(),
            Arg::Option(..) => {}
            // A lone dash is `-i`.
            Arg::Operand(field) if field.is("-") => own.hide_all(),
            Arg::Operand(field) => {
                behind = args
                    .iter()
                    .position(|other| std::ptr::eq(other, *field))
                    .unwrap_or(args.len());
                break;
            }
            Arg::Stranger(_) => {
                outer(walker, called, Kind::Loud, state);
                // Any number of assignments may stand in front.
                let begins = Guess::at(0, args.len());
                guess(walker, scene, called, begins, state);
                return;
            }
        }
    }
    behind += assign(walker, called, args.get(behind..), &mut own);
    let inner = args.get(behind..).unwrap_or_default();
    if let Some(split) = split {
        if split.letters.contains('i') {
            own.hide_all();
        }
        outer(walker, called, Kind::Loud, state);
        split.walk(walker, scene, called, &mut own);
        return;
    }
    if inner.is_empty() {
        // It prints the environment, secrets included.
        let nature = if walker.picked && args.is_empty() {
            RunNature::KnownReader
        } else {
            RunNature::Program
        };
        walker.run(called, nature, None, called.view, state);
        return;
    }
    outer(walker, called, Kind::Loud, state);
    walker.call_inner(scene, called, inner, EffectView::Might, &mut own);
    if let Some(inner) = as_first_shell(&options, inner) {
        walker.call_inner(scene, called, &inner, EffectView::Might, &mut own);
    }
}

/// `env -S 'text' words...`: what stands in the text is words as well, options among them.
struct Split<'a> {
    /// The arguments in front of it.
    front: &'a [Field],
    /// The letters of other options in the same word.
    letters: String,
    text: Field,
    rest: &'a [Field],
}

impl<'a> Split<'a> {
    fn of(args: &'a [Field]) -> Option<Self> {
        let options = args
            .iter()
            .take_while(|field| assignment(field.prefix()).is_none());
        let (at, (skip, letters)) = options
            .enumerate()
            .find_map(|(at, it)| Some((at, split_option(it)?)))?;
        let front = args.get(..at)?;
        if crate::options::first_operand(front, &ENV).is_ok_and(|operand| operand < front.len()) {
            return None;
        }
        let text = args.get(at)?.tail(skip);
        let (text, behind) = match text.is("") {
            true => (args.get(at + 1)?.clone(), at + 2),
            false => (text, at + 1),
        };
        Some(Self {
            front,
            letters: letters.to_owned(),
            text,
            rest: args.get(behind..).unwrap_or_default(),
        })
    }

    fn walk(
        &self,
        walker: &mut Walker<'_>,
        scene: &Scene<'_>,
        called: &Called<'_>,
        own: &mut State,
    ) {
        let rest: Option<Vec<&str>> = self.rest.iter().map(Field::text).collect();
        let (Some(text), Some(rest)) = (self.text.text(), rest) else {
            return super::unknown_script(walker, called, Some(&self.text));
        };
        // It undoes signs behind a backslash in its own way: `\_` is a blank to it.
        if text.contains('\\') {
            return super::unknown_script(walker, called, Some(&self.text));
        }
        let options = text.trim_start().starts_with('-');
        let again = if options { "env " } else { "" };
        let text = format!("{again}{text}{}", quoted(&rest));
        walker.call_script(scene, called, &text, called.span, EffectView::Might, own);
    }
}

/// How many bytes of a word are the option itself that splits a text, and the letters of other options in it.
fn split_option(field: &Field) -> Option<(usize, &str)> {
    const LONG: &str = "--split-string";
    let prefix = field.prefix();
    if prefix.starts_with("--") {
        let (name, value) = prefix
            .split_once('=')
            .map_or((prefix, None), |(name, it)| (name, Some(it.len())));
        // No other option begins with its first letter.
        let is_it = name.len() > 2 && LONG.starts_with(name);
        return is_it.then(|| (prefix.len() - value.unwrap_or(0), ""));
    }
    let letters = prefix.strip_prefix('-')?;
    let behind = letters.trim_start_matches(['0', 'i', 'v']);
    let before = letters.get(..letters.len() - behind.len())?;
    behind
        .starts_with('S')
        .then(|| (prefix.len() - behind.len() + 1, before))
}

/// The words as a shell spells them.
fn quoted(words: &[&str]) -> String {
    let quoted = |word: &&str| format!(" '{}'", word.replace('\'', "'\\''"));
    words.iter().map(quoted).collect()
}

/// Takes the assignments in front of a command among the arguments, which it sees. Gives how many they are.
pub(super) fn assign(
    walker: &mut Walker<'_>,
    called: &Called<'_>,
    args: Option<&[Field]>,
    own: &mut State,
) -> usize {
    let mut count = 0;
    for field in args.unwrap_or_default() {
        let Some((name, _)) = assignment(field.prefix()) else {
            break;
        };
        weigh_argument(walker, called, name, Some(field));
        let value = field.tail(name.len() + 1);
        own.set(name, value.text().map_or(Value::Unknown, Value::text));
        own.export(name);
        count += 1;
    }
    count
}

/// An assignment among arguments, which the command behind it sees.
pub(super) fn weigh_argument(
    walker: &mut Walker<'_>,
    called: &Called<'_>,
    name: &str,
    field: Option<&Field>,
) {
    if weigh(name) == AssignmentWeight::ChangesWhatRuns {
        let text = field.map_or("", |field| &field.source);
        walker.sink.opaque(
            called.part,
            called.view,
            OpaqueWhy::Environment,
            text,
            called.span,
        );
    }
}

const EXEC: Options = Options {
    short: "cl",
    short_value: "a",
    short_glued: "",
    long: &[],
    long_value: &[],
};

/// `exec [-cl] [-a name] command`; without a command its redirects stay.
pub(super) fn exec(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let args = called.args();
    match crate::options::first_operand(args, &EXEC) {
        Ok(at) if at >= args.len() => {
            walker.run(called, RunNature::KnownReader, None, called.view, state);
            if called.input.fed {
                state.set_input(called.input.clone());
            }
        }
        Ok(at) => {
            outer(walker, called, Kind::Loud, state);
            let inner = args.get(at..).unwrap_or_default();
            let options = read(args.get(..at).unwrap_or_default(), &EXEC, Order::Mixed);
            let clears = |option: &Arg<'_>| matches!(option, Arg::Option("c", _));
            // Where the program can't be started, the shell may go on, with all its variables.
            let mut cleared = options.iter().any(clears).then(|| {
                let mut own = state.clone();
                own.hide_all();
                own
            });
            let own = cleared.as_mut().unwrap_or(state);
            walker.call_inner(scene, called, inner, EffectView::Might, own);
            if let Some(inner) = as_first_shell(&options, inner) {
                walker.call_inner(scene, called, &inner, EffectView::Might, own);
            }
        }
        Err(at) => {
            outer(walker, called, Kind::Loud, state);
            guess(walker, scene, called, Guess::at(at, 1), state);
        }
    }
}

/// `exec -l zsh`, `exec -a -zsh zsh`: the shell takes itself for the first one of a person, as it does with `-l`.
fn as_first_shell(options: &[Arg<'_>], inner: &[Field]) -> Option<Vec<Field>> {
    let (shell, args) = inner.split_first()?;
    let name = shell.text().map(crate::programs::last_name);
    let first = options.iter().any(|option| match option {
        Arg::Option("l", _) => true,
        Arg::Option("a" | "--argv0", Some(name)) => {
            name.prefix().starts_with('-') || name.text().is_none()
        }
        Arg::Option(..) | Arg::Stranger(_) | Arg::Operand(_) => false,
    });
    (first && name.is_some_and(shells::is_shell)).then(|| {
        let option = Field::made("-l", shell.span);
        let words = [shell.clone(), option].into_iter();
        words.chain(args.iter().cloned()).collect()
    })
}
