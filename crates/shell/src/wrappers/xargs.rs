//! `xargs` and `parallel`: commands whose last arguments come from elsewhere.

use pointsman_model::{EffectView, PathRole, PathValue, Reach, RunNature};

use super::table::Kind;
use super::{Guess, guess, outer, shells};
use crate::expand::unknown;
use crate::field::{Field, Known, Shape};
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
            guess(walker, scene, called, Guess::at(at, 1), state);
            return;
        }
    };
    let command = args.get(start..).unwrap_or_default();
    if command.is_empty() {
        // It prints its input.
        walker.run(called, RunNature::KnownReader, None, called.view, state);
        return;
    }
    let options = args.get(..start).unwrap_or_default();
    let mark = replaced(options);
    for option in ["-a", "--arg-file"] {
        for file in programs::values(options, option) {
            let (view, role) = (called.view, PathRole::Operand);
            walker.read(view, &file, role, Reach::Itself, state, called.part);
        }
    }
    let listed = called.input.names.is_some();
    let fields = filled(called, command, mark.as_deref(), Names::ReadBeside);
    // Names that a known program lists are read for themselves below, and whatever else comes is as
    // harmless to a reader of text as what it is written for.
    let reader = takes_text(command)
        || is_reader(walker, called, &fields, state) && (listed || called.input.text().is_some());
    let calls = if reader && called.input.text().is_none() {
        vec![fields]
    } else {
        fillings(called, command, options, mark.as_deref(), state)
    };
    let plain = start == 0 && called.program() == Some("xargs");
    let view = if plain || reader {
        called.view
    } else {
        EffectView::Might
    };
    match (plain, reader) {
        (true, _) => outer(walker, called, Kind::Plain, state),
        (false, true) => walker.run(called, RunNature::KnownReader, None, called.view, state),
        (false, false) => outer(walker, called, Kind::Loud, state),
    }
    for (number, fields) in calls.iter().enumerate() {
        // One reading stands for what it does; the others are what it may do too.
        let view = if number == 0 { view } else { EffectView::Might };
        walker.call_inner(scene, called, fields, view, &mut state.clone());
    }
    if reader {
        read_listed(walker, called);
    }
}

/// Programs that take their operands for text, whatever these are.
fn takes_text(command: &[Field]) -> bool {
    matches!(
        command.first().and_then(Field::text),
        Some("echo" | "basename" | "dirname")
    ) && command.iter().skip(1).all(|field| field.text().is_some())
}

/// Readings of the command with its input.
fn fillings(
    called: &Called<'_>,
    command: &[Field],
    options: &[Field],
    mark: Option<&str>,
    state: &State,
) -> Vec<Vec<Field>> {
    if let Some(text) = called.input.text()
        && let Some(words) = words(text, options, mark)
    {
        return with_words(called, command, options, mark, &words);
    }
    let mut calls = Vec::new();
    for path in called.input.names.iter().flatten().take(NAMES_MAX) {
        for place in places(path, called, state) {
            calls.push(placed(command, mark, &[place]));
        }
    }
    let all = called.input.names.as_ref().is_some_and(|names| {
        let known = |path: &PathValue| !matches!(path, PathValue::Unknown(_));
        names.len() <= NAMES_MAX && names.iter().all(known)
    });
    if !all || calls.is_empty() {
        calls.insert(0, filled(called, command, mark, Names::Anything));
    }
    calls
}

/// The places that a listed name may be, as fields: itself, and what lies below it.
fn places(path: &PathValue, called: &Called<'_>, state: &State) -> Vec<Field> {
    match path {
        PathValue::Known(path) => {
            let itself = Field::made(path.as_str(), called.span);
            let inside = programs::below(&itself, "**");
            // The folder itself is a folder: what is in it is listed.
            let above = state.folder().is_some_and(|folder| folder.is_within(path));
            let itself = Some(itself).filter(|_| !above);
            itself.into_iter().chain(inside).collect()
        }
        PathValue::Pattern { base, glob } => {
            let base = crate::expand::escaped(base.as_str());
            let glob = format!("{}/{glob}", base.trim_end_matches('/'));
            vec![Field {
                known: Known::Glob(glob.into()),
                ..Field::made("<input>", called.span)
            }]
        }
        PathValue::Unknown(_) => Vec::new(),
    }
}

/// The command with these words in the place that the input takes.
fn placed(command: &[Field], mark: Option<&str>, words: &[Field]) -> Vec<Field> {
    let Some(mark) = mark else {
        return command.iter().chain(words).cloned().collect();
    };
    let word = words.first();
    command
        .iter()
        .map(|field| match (field.text(), word) {
            (Some(text), Some(word)) if text == mark => word.clone(),
            (Some(text), Some(word)) if text.contains(mark) => Field {
                known: match word.text() {
                    Some(word) => Known::Text(text.replace(mark, word).into()),
                    None => unknown(text.split(mark).next().unwrap_or(""), Shape::One),
                },
                ..field.clone()
            },
            _ => field.clone(),
        })
        .collect()
}

/// The words of an input whose text is known, as `xargs` takes them apart; `None` for more of them
/// than are told apart.
fn words(text: &str, options: &[Field], mark: Option<&str>) -> Option<Vec<String>> {
    let has = |letter: char, long: &str| {
        options.iter().filter_map(Field::text).any(|text| {
            text == long
                || text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        })
    };
    let split: Vec<String> = if has('0', "--null") {
        text.split('\0').map(str::to_owned).collect()
    } else if has('d', "--delimiter") {
        return None;
    } else if mark.is_some() {
        text.lines()
            .map(|line| line.trim_start().to_owned())
            .collect()
    } else {
        let plain = text.replace(['"', '\'', '\\'], "");
        plain.split_whitespace().map(str::to_owned).collect()
    };
    let words: Vec<String> = split.into_iter().filter(|word| !word.is_empty()).collect();
    (words.len() <= WORDS_MAX).then_some(words)
}

/// One command with all words, and where the options say so one for each.
fn with_words(
    called: &Called<'_>,
    command: &[Field],
    options: &[Field],
    mark: Option<&str>,
    words: &[String],
) -> Vec<Vec<Field>> {
    let fields: Vec<Field> = words
        .iter()
        .map(|word| Field::made(word, called.span))
        .collect();
    let few = options.iter().filter_map(Field::text).any(|text| {
        ["-n", "-L", "-l", "--max-args", "--max-lines"]
            .iter()
            .any(|option| text.starts_with(option))
    });
    if mark.is_none() && !few || fields.is_empty() {
        return vec![placed(command, mark, &fields)];
    }
    let mut calls: Vec<Vec<Field>> = fields
        .iter()
        .map(|field| placed(command, mark, std::slice::from_ref(field)))
        .collect();
    if mark.is_none() {
        calls.push(placed(command, mark, &fields));
    }
    calls
}

/// Words of a known input, and listed names, that are told apart.
const WORDS_MAX: usize = 16;
const NAMES_MAX: usize = 4;

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
        text: None,
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
            reach: match path {
                PathValue::Pattern { .. } => Reach::Itself,
                PathValue::Known(_) | PathValue::Unknown(_) => Reach::ContentBelow,
            },
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
    let option = |field: &Field| field.text().is_some() && field.may_be_option();
    if command.iter().all(option) {
        for field in args.get(end..).unwrap_or_default().iter().skip(1) {
            shells::script_text(walker, scene, called, Some(field), view, &mut state.clone());
        }
        if end == args.len() {
            super::unknown_script(walker, called, None);
        }
        return;
    }
    // Without a place for them the arguments stand behind the command.
    let placed = command
        .iter()
        .any(|field| field.prefix().contains('{') && field.prefix().contains('}'));
    let behind = if placed { end } else { args.len() };
    let fields = called.fields.get(..=behind).unwrap_or(called.fields);
    let given = args.get(end + 1..).unwrap_or_default();
    let mut forms = vec![fields.to_vec()];
    if placed {
        let known = given.iter().filter_map(Field::text).take(ARGUMENTS_MAX);
        let values = known.map(Some).chain([None]);
        forms.extend(values.map(|value| with_argument(fields, value)));
    }
    for fields in &forms {
        let shown = Called {
            fields,
            text: None,
            ..*called
        };
        guess(walker, scene, &shown, Guess::at(0, 1), state);
    }
    // A command in one word is a text for a shell.
    for field in command.iter().filter(|field| !field.may_be_option()) {
        if field
            .text()
            .is_some_and(|text| text.contains(char::is_whitespace))
        {
            shells::script_text(walker, scene, called, Some(field), view, &mut state.clone());
        }
    }
}

/// Arguments of `parallel` that are put into their place one by one.
const ARGUMENTS_MAX: usize = 8;

/// The words with an argument in its place, `{}` or `{.}` and kin; one that is not known for none.
fn with_argument(fields: &[Field], argument: Option<&str>) -> Vec<Field> {
    let mut filled = fields.to_vec();
    for field in &mut filled {
        let Some((front, rest)) = field.text().and_then(|text| text.split_once('{')) else {
            continue;
        };
        let behind = rest.split_once('}').map_or("", |(_, behind)| behind);
        field.known = match argument {
            Some(argument) => Known::Text(format!("{front}{argument}{behind}").into()),
            None => unknown(front, Shape::One),
        };
    }
    filled
}
