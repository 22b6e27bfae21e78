//! `xargs` and `parallel`: commands whose last arguments come from elsewhere.

use pointsman_model::{EffectView, PathRole, Reach, RunNature};

use super::table::Kind;
use super::{guess, outer, shells};
use crate::expand::unknown;
use crate::field::{Field, Shape};
use crate::options::{Options, first_operand};
use crate::programs;
use crate::state::State;
use crate::walk::{Called, Scene, Walker};

const XARGS: Options = Options {
    short: "0rtxpo",
    short_value: "aEILnPsdR",
    short_glued: "eil",
    long: &[
        "null",
        "no-run-if-empty",
        "verbose",
        "exit",
        "interactive",
        "open-tty",
        "replace",
        "eof",
        "max-lines",
    ],
    long_value: &[
        "arg-file",
        "delimiter",
        "max-args",
        "max-procs",
        "max-chars",
        "process-slot-var",
    ],
};

/// `xargs [options] [command [arguments]]`
pub(super) fn xargs(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let args = called.args();
    let start = match first_operand(args, &XARGS) {
        Ok(start) => start,
        Err(at) => {
            outer(walker, called, Kind::Loud, state);
            guess(walker, scene, called, at, state);
            return;
        }
    };
    let command = args.get(start..).unwrap_or_default();
    if command.is_empty() {
        // It prints its input.
        walker.run(called, RunNature::KnownReader, None, called.view, state);
        return;
    }
    let mark = replaced(args.get(..start).unwrap_or_default());
    // Names that a known program lists are read for themselves below; what writes gets them as words
    // that nobody knows.
    let names = if called.input.names.is_some() {
        Names::ReadBeside
    } else {
        Names::Anything
    };
    let fields = filled(called, command, mark.as_deref(), names);
    let reader = is_reader(walker, called, &fields, state);
    let fields = if reader || names == Names::Anything {
        fields
    } else {
        filled(called, command, mark.as_deref(), Names::Anything)
    };
    let plain = start == 0 && called.program() == Some("xargs");
    let (kind, view) = match (plain, reader) {
        (true, _) => (Kind::Plain, called.view),
        (false, true) => {
            walker.run(called, RunNature::KnownReader, None, called.view, state);
            walker.call_inner(scene, called, &fields, called.view, &mut state.clone());
            read_listed(walker, called);
            return;
        }
        (false, false) => (Kind::Loud, EffectView::Might),
    };
    outer(walker, called, kind, state);
    walker.call_inner(scene, called, &fields, view, &mut state.clone());
    read_listed(walker, called);
}

/// What the input adds to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Words that nobody knows.
    Anything,
    /// Names of files that are listed as read beside it.
    ReadBeside,
}

/// The command with what the input adds to it.
fn filled(called: &Called<'_>, command: &[Field], mark: Option<&str>, names: Names) -> Vec<Field> {
    let listed = names == Names::ReadBeside;
    let mut fields = command.to_vec();
    let Some(mark) = mark else {
        let shape = if listed { Shape::Process } else { Shape::Many };
        fields.push(Field {
            known: unknown("", shape),
            source: "<input>".into(),
            span: called.span,
            continues: true,
            splits: false,
        });
        return fields;
    };
    for field in &mut fields {
        let Some(text) = field.text().filter(|text| text.contains(mark)) else {
            continue;
        };
        let alone = text == mark;
        let prefix = text.split(mark).next().unwrap_or("").to_owned();
        let shape = if alone && listed {
            Shape::Process
        } else {
            Shape::One
        };
        field.known = unknown(&prefix, shape);
    }
    fields
}

/// The text that each line of input takes the place of.
fn replaced(options: &[Field]) -> Option<String> {
    let mut options = options.iter();
    while let Some(field) = options.next() {
        let text = field.text()?;
        match text {
            "-I" => return options.next().and_then(Field::text).map(str::to_owned),
            "-i" | "--replace" => return Some("{}".to_owned()),
            _ => {
                for prefix in ["-I", "-i", "--replace="] {
                    if let Some(mark) = text.strip_prefix(prefix) {
                        return Some(mark.to_owned());
                    }
                }
            }
        }
    }
    None
}

/// Whether what is started is a known reader.
pub(super) fn is_reader(
    walker: &Walker<'_>,
    outer: &Called<'_>,
    fields: &[Field],
    state: &State,
) -> bool {
    let inner = Called {
        fields,
        assignments: &[],
        span: outer.span,
        part: outer.part,
        view: outer.view,
        input: outer.input,
    };
    let Some(name) = inner.program() else {
        return false;
    };
    if shells::is_shell(name) || super::table::find(name).is_some() {
        return false;
    }
    let facts = programs::describe(&programs::Asked {
        called: &inner,
        state,
        start: walker.start,
    });
    facts.nature == RunNature::KnownReader
}

/// The files that the input names are read by what `xargs` starts.
fn read_listed(walker: &mut Walker<'_>, called: &Called<'_>) {
    for path in called.input.names.iter().flatten() {
        let used = pointsman_model::PathUse {
            path: path.clone(),
            by: PathRole::Operand,
            reach: Reach::ContentBelow,
            span: Some(called.span),
        };
        let kind = pointsman_model::EffectKind::Read(used);
        walker.sink.push(called.part, called.view, kind);
    }
}

/// `parallel [options] [command] [::: arguments]`
pub(super) fn parallel(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    outer(walker, called, Kind::Loud, state);
    let args = called.args();
    let end = args
        .iter()
        .position(|field| field.text().is_some_and(|text| text.starts_with(":::")))
        .unwrap_or(args.len());
    let view = EffectView::Might;
    let command = args.get(..end).unwrap_or_default();
    if command.iter().all(|field| field.may_be_option()) {
        for field in args.get(end..).unwrap_or_default().iter().skip(1) {
            shells::script_text(walker, scene, called, Some(field), view, &mut state.clone());
        }
        if end == args.len() {
            super::unknown_script(walker, called, None);
        }
        return;
    }
    guess(walker, scene, called, 0, state);
    // A command in one word is a text for a shell.
    for field in command.iter().filter(|field| !field.may_be_option()) {
        if field.text().is_some_and(|text| text.contains(' ')) {
            shells::script_text(walker, scene, called, Some(field), view, &mut state.clone());
        }
    }
}
