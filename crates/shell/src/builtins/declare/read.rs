//! `read`: what its variables get.

use pointsman_model::{AssignmentWeight, OpaqueWhy, PathValue};

use crate::builtins::{opaque, program, set_variable};
use crate::field::Field;
use crate::state::{State, Value};
use crate::variables::weigh;
use crate::walk::{Called, Scene, Taken, Walker};

/// The arguments that are no options; `valued` are the letters of those with a value.
pub(super) fn operands<'f>(args: &'f [Field], valued: &str) -> Vec<&'f Field> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(field) = args.next() {
        match field.text() {
            Some("--") => {
                found.extend(args);
                break;
            }
            Some(text) if text.len() > 1 && text.starts_with('-') && found.is_empty() => {
                let letters = text.get(1..).unwrap_or("");
                if let Some(at) = letters.find(|char| valued.contains(char))
                    && at + 1 == letters.len()
                {
                    args.next();
                }
            }
            _ => found.push(field),
        }
    }
    found
}

pub(in crate::builtins) fn read(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let names = operands(called.args(), "adinNptu");
    let asked = walker.asked == Some(called.span);
    let line = match line_of(called, &names, state) {
        // Behind the end of its input it finds nothing.
        line @ (Value::Texts(_) | Value::Among(_)) if !asked && is_begun(called) => {
            line.join(Value::text(""))
        }
        line => line,
    };
    let options = called.args().get(..called.args().len() - names.len());
    called
        .input
        .take(match Takes::by(options.unwrap_or_default()) {
            Takes::Lines | Takes::Unescaped => Taken::Lines,
            Takes::Names | Takes::Anything => Taken::Parts,
        });
    for name in crate::programs::values(called.args(), "-a") {
        if let Some(name) = name.text() {
            set_variable(walker, scene, name, Value::Unknown, state);
        }
    }
    if names.is_empty() {
        state.set("REPLY", Value::Unknown);
    }
    for field in &names {
        match field.text() {
            Some(name) => {
                let value = match (&line, state.variables.get(name)) {
                    // It may have read nothing.
                    (Value::Unknown, Some(before)) => before.clone().join(Value::Unknown),
                    (line, _) => line.clone(),
                };
                set_variable(walker, scene, name, value, state);
            }
            None => {
                opaque(walker, called, OpaqueWhy::Environment);
            }
        }
    }
    let before = walker.sink.effects.len();
    program(walker, called, state);
    let alone = called
        .assignments
        .iter()
        .all(|it| it.weight == AssignmentWeight::Harmless);
    if alone && let Some(names) = plainly(called.args(), &names) {
        walker.sink.only_sets(before, names);
    }
}

/// The variables that `read` sets, when it does nothing else: no list, nothing from somewhere else.
fn plainly(args: &[Field], names: &[&Field]) -> Option<Vec<Box<str>>> {
    let options = args.get(..args.len() - names.len())?;
    let idle = |field: &Field| field.text().is_some_and(|text| matches!(text, "-r" | "-s"));
    if !options.iter().all(idle) {
        return None;
    }
    let texts = names.iter().map(|field| {
        let text = field.text()?;
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (plain && weigh(text) != AssignmentWeight::ChangesWhatRuns).then(|| text.into())
    });
    match names {
        [] => Some(vec!["REPLY".into()]),
        _ => texts.collect(),
    }
}

/// What `read` takes of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Lines as they are.
    Lines,
    /// Lines, with what a backslash in them does undone.
    Unescaped,
    /// What stands between bytes that are none.
    Names,
    /// Parts of it, or another input.
    Anything,
}

impl Takes {
    fn by(options: &[Field]) -> Self {
        let mut takes = Self::Unescaped;
        let mut names = false;
        let mut options = options.iter();
        while let Some(field) = options.next() {
            let Some(text) = field.text().filter(|text| *text != "--") else {
                return Self::Anything;
            };
            for letter in text.chars().skip(1) {
                match letter {
                    'r' => takes = Self::Lines,
                    's' | 'e' => {}
                    // The prompt.
                    'p' if text.ends_with('p') => {
                        options.next();
                    }
                    'd' if text.ends_with('d') => match options.next() {
                        Some(end) if end.is("") || end.is("\0") => names = true,
                        Some(_) | None => return Self::Anything,
                    },
                    _ => return Self::Anything,
                }
            }
        }
        if names { Self::Names } else { takes }
    }
}

/// Whether something may have been taken of the input already.
fn is_begun(called: &Called<'_>) -> bool {
    let taken = called.input.text_and_taken();
    taken.is_some_and(|(_, taken)| taken != Taken::Nothing)
}

/// The line without what `read` cuts off its ends; nothing where nobody knows what that is.
fn trimmed<'l>(line: &'l str, state: &State) -> Option<&'l str> {
    match state.variables.get("IFS") {
        None => Some(line.trim_matches([' ', '\t'])),
        Some(Value::Texts(texts)) => {
            let ends = |signs: &str| {
                line.starts_with(|it| signs.contains(it)) || line.ends_with(|it| signs.contains(it))
            };
            (!texts.iter().any(|signs| ends(signs))).then_some(line)
        }
        Some(_) => None,
    }
}

/// What one variable gets of an input that is known: its lines, or the names that a program lists.
fn line_of(called: &Called<'_>, names: &[&Field], state: &State) -> Value {
    if names.len() != 1 {
        return Value::Unknown;
    }
    let options = called.args().get(..called.args().len() - 1);
    let takes = Takes::by(options.unwrap_or_default());
    if takes == Takes::Anything {
        return Value::Unknown;
    }
    if let Some((text, taken)) = called.input.text_and_taken() {
        let plain = match takes {
            Takes::Lines => true,
            Takes::Unescaped => !text.contains('\\'),
            Takes::Names | Takes::Anything => false,
        };
        let lines = text
            .lines()
            .map(|line| trimmed(line, state).map(Into::into));
        let lines: Vec<Box<str>> = lines.collect::<Option<_>>().unwrap_or_default();
        if plain && !lines.is_empty() && lines.len() <= crate::limits::ALTERNATIVES_MAX {
            return match taken {
                Taken::Parts => Value::Among(lines),
                Taken::Nothing | Taken::Lines => Value::Texts(lines),
            };
        }
    }
    let patterns = called.input.names.iter().flatten().map(pattern_of);
    match patterns.collect::<Option<Vec<_>>>() {
        Some(patterns) if !patterns.is_empty() => {
            let patterns: Vec<Box<str>> = patterns.into_iter().flatten().collect();
            if patterns.len() <= crate::limits::ALTERNATIVES_MAX {
                Value::Patterns(patterns)
            } else {
                Value::Unknown
            }
        }
        _ => Value::Unknown,
    }
}

/// The patterns of the names that a listed place stands for.
fn pattern_of(path: &PathValue) -> Option<Vec<Box<str>>> {
    let escaped = crate::expand::escaped;
    match path {
        PathValue::Known(path) => {
            let path = escaped(path.as_str());
            let below = format!("{}/**", path.trim_end_matches('/'));
            Some(vec![path.into(), below.into()])
        }
        PathValue::Pattern { base, glob } => {
            let base = escaped(base.as_str());
            Some(vec![
                format!("{}/{glob}", base.trim_end_matches('/')).into(),
            ])
        }
        PathValue::Unknown(_) => None,
    }
}
