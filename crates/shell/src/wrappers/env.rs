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
    short_value: "auCS",
    short_glued: "",
    long: &[
        "null",
        "ignore-environment",
        "debug",
        "block-signal",
        "default-signal",
        "ignore-signal",
    ],
    long_value: &["argv0", "unset", "chdir", "split-string"],
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
    let args = called.args();
    let mut own = state.clone();
    let mut behind = args.len();
    let mut split: Option<Field> = None;
    let options = read(args, &ENV, Order::OptionsFirst);
    for arg in &options {
        match arg {
            Arg::Option("S" | "--split-string", value) => split = value.clone(),
            Arg::Option("C" | "--chdir", Some(folder)) => {
                let folder = folder_of(folder, state);
                own.change_folder(folder);
            }
            Arg::Option(..) => {}
            // A lone dash is `-i`.
            Arg::Operand(field) if field.is("-") => {}
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
    while let Some(field) = args.get(behind) {
        let Some((name, _)) = assignment(field.prefix()) else {
            break;
        };
        weigh_argument(walker, called, name, Some(field));
        let value = field.tail(name.len() + 1);
        own.set(name, value.text().map_or(Value::Unknown, Value::text));
        own.export(name);
        behind += 1;
    }
    let inner = args.get(behind..).unwrap_or_default();
    if let Some(split) = split {
        outer(walker, called, Kind::Loud, state);
        let rest: Option<Vec<&str>> = inner.iter().map(Field::text).collect();
        match (split.text(), rest) {
            (Some(text), Some(rest)) => {
                let text = format!("{text} {}", rest.join(" "));
                let (span, view) = (called.span, EffectView::Might);
                walker.call_script(scene, called, &text, span, view, &mut own);
            }
            _ => super::unknown_script(walker, called, Some(&split)),
        }
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
            walker.call_inner(scene, called, inner, EffectView::Might, state);
            let options = read(args.get(..at).unwrap_or_default(), &EXEC, Order::Mixed);
            if let Some(inner) = as_first_shell(&options, inner) {
                walker.call_inner(scene, called, &inner, EffectView::Might, state);
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
