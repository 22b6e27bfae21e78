//! Builtins that set variables.

mod options;
mod read;

use pointsman_model::{AssignmentWeight, EffectView, OpaqueWhy};

pub(super) use self::read::read;

use self::options::{Declares, Exports, Names, Whose};
use super::{opaque, program, reader, set_variable};
use crate::field::{Field, Known, Shape};
use crate::state::{Attribute, State, Value};
use crate::variables::{weigh, weigh_value};
use crate::walk::{Called, Scene, Taken, Walker, leads_to_code, runs_in_subscript};

/// Whether an argument names an element of an array by an expression that runs something: Bash
/// reads a subscript again when it sets, unsets or looks up a variable by name.
pub(super) fn hides_code(program: &str, args: &[Field], state: &State) -> bool {
    let by_name = match program {
        "read" | "unset" | "export" | "declare" | "typeset" | "local" | "readonly" | "getopts"
        | "mapfile" | "readarray" | "let" | "wait" => true,
        "printf" => args
            .iter()
            .any(|field| field.text().is_some_and(|text| text.starts_with("-v"))),
        "test" | "[" => return looks_up(args, state),
        _ => false,
    };
    let code = |text: &str| runs_in_subscript(text, state);
    by_name && args.iter().filter_map(Field::text).any(code)
}

/// The operators of `test` that look up a name, and compute the subscript behind it.
const LOOKS_UP: [&str; 2] = ["-v", "-R"];

/// Whether `test` looks up a name that runs something, or one that nobody knows.
fn looks_up(args: &[Field], state: &State) -> bool {
    let operator = |field: &Field| match &field.known {
        Known::Text(text) => LOOKS_UP.contains(&text.as_str()),
        Known::Glob(_) => field.may_be_option(),
        Known::Unknown(unknown) => match unknown.shape {
            Shape::Many | Shape::One => LOOKS_UP.iter().any(|it| it.starts_with(field.prefix())),
            Shape::Number | Shape::Process => false,
        },
    };
    let name = |field: &Field| match &field.known {
        Known::Text(text) => runs_in_subscript(text, state),
        Known::Glob(_) => true,
        Known::Unknown(unknown) => unknown.shape != Shape::Number,
    };
    let pair = |pair: &[Field]| matches!(pair, [front, behind] if operator(front) && name(behind));
    // One word without quotes may become operator and name both.
    let both = |field: &Field| {
        let many = match &field.known {
            Known::Text(_) => false,
            // The name of a file is split where a variable holds it, and where it stands in the line it is not.
            Known::Glob(_) => field.splits,
            Known::Unknown(unknown) => unknown.shape == Shape::Many,
        };
        many && field.may_be_option() && is_of_the_line(&field.source, state)
    };
    args.windows(2).any(pair) || args.iter().any(both)
}

/// Whether something stands in the word that the line itself got, and nobody knows: what a command prints, or a variable
/// that was set to it. What the line was started with is no news to the one who wrote it.
pub(crate) fn is_of_the_line(source: &str, state: &State) -> bool {
    let unknown = |name: &str| {
        let value = state.variables.get(name);
        matches!(
            value,
            Some(Value::Unknown | Value::Among(_) | Value::Patterns(_))
        )
    };
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let given = state.positional.as_deref();
    let positional = given.is_some_and(|fields| fields.iter().any(|it| it.text().is_none()))
        && source.contains(|char: char| char.is_ascii_digit() || matches!(char, '@' | '*'));
    // What stands between `$((` and `))` may be a command and what it prints; `${!x}` is another variable's value.
    let prints = source.contains("$(") || source.contains(['`', '!']);
    prints || positional || source.split(|char| !is_name(char)).any(unknown)
}

/// `export`, `declare`, `typeset`, `local`, `readonly`.
pub(super) fn declare(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    name: &str,
    state: &mut State,
) {
    // Whether nothing but names that are known to be harmless is set.
    let mut harmless = true;
    let mut declares = Declares::by(name);
    if name == "local" && !state.is_in_function() {
        // Bash refuses it there.
        declares.names = Names::VariablesAtMost;
    }
    for field in called.args() {
        match field.text() {
            Some(flags) if flags.starts_with(['-', '+']) => {
                declares.take(name, flags);
                let exports = declares.exports == Some(Exports::Yes);
                // A name reference makes later assignments land elsewhere; an exported function
                // reaches other shells.
                if flags.contains('n') && name != "export" || exports && flags.contains('f') {
                    opaque(walker, called, OpaqueWhy::Environment);
                }
                harmless = false;
                continue;
            }
            _ => {}
        }
        let prefix = field.prefix();
        let (variable, known) = match prefix.split_once('=') {
            Some((variable, _)) => (variable, true),
            None => (prefix, field.text().is_some()),
        };
        let variable = variable.trim_end_matches('+');
        let base = variable.split('[').next().unwrap_or("");
        if !known || variable.contains('$') {
            opaque(walker, called, OpaqueWhy::Environment);
            harmless = false;
            continue;
        }
        let text = prefix.split_once('=').map(|(_, text)| text);
        if declares.names == Names::Others && text.is_none() {
            if declares.attributes.contains(&Attribute::Fixed) {
                state.fix_function(base);
            }
            continue;
        }
        // Naming what the line was started with changes nothing.
        let as_it_was = text.is_none()
            && state.variables.get(base).is_none()
            && weigh(base) == AssignmentWeight::ChangesWhatRuns;
        if declares.whose == Whose::Own {
            state.make_local(base);
        }
        let one = Declared {
            base,
            value: text.map(|_| given(field, prefix)),
            declares: &declares,
        };
        harmless &= as_it_was || weigh_value(base, text) == AssignmentWeight::Harmless;
        match declares.whose {
            Whose::Outermost => state.outside(base, |state| one.take_in(walker, scene, state)),
            Whose::Own | Whose::Found => one.take_in(walker, scene, state),
        }
    }
    if harmless && !called.args().is_empty() {
        reader(walker, called, state);
    } else {
        program(walker, called, state);
    }
}

/// What `name=value` gives the variable.
fn given(field: &Field, assignment: &str) -> Value {
    match (&field.known, assignment.split_once('=')) {
        (Known::Text(_), Some((left, text))) => {
            let whole = !left.ends_with('+') && !left.contains('[') && !text.starts_with('(');
            if whole {
                Value::text(text)
            } else {
                Value::Unknown
            }
        }
        (Known::Text(_), None) | (Known::Glob(_) | Known::Unknown(_), _) => Value::Unknown,
    }
}

/// One variable of a command that declares some.
struct Declared<'d> {
    base: &'d str,
    /// What it is set to; nothing where it keeps what it holds.
    value: Option<Value>,
    declares: &'d Declares,
}

impl Declared<'_> {
    fn take_in(self, walker: &mut Walker<'_>, scene: &Scene<'_>, state: &mut State) {
        let Self {
            base,
            value,
            declares,
        } = self;
        let fixed = declares.attributes.contains(&Attribute::Fixed);
        let spelled = declares.attributes.iter();
        for attribute in spelled.filter(|it| **it != Attribute::Fixed) {
            state.give_attribute(base, *attribute);
        }
        match declares.exports {
            Some(Exports::Yes) => state.export(base),
            Some(Exports::NoMore) => state.keep_from_programs(base),
            None => {}
        }
        match (value, declares.names) {
            (Some(value), Names::Variables) => {
                set_variable(walker, scene, base, value, state);
            }
            (Some(_), Names::VariablesAtMost | Names::Others) => {
                set_variable(walker, scene, base, Value::Unknown, state);
            }
            (None, _) if weigh(base) == AssignmentWeight::ChangesWhatRuns => {}
            (None, _) => {
                let now = state.variables.get(base).cloned();
                state.put(base, now.unwrap_or(Value::Unknown));
            }
        }
        if fixed {
            state.give_attribute(base, Attribute::Fixed);
        }
    }
}

pub(super) fn unset(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let functions = called.args().iter().any(|field| field.is("-f"));
    for field in called.args() {
        match field.text() {
            Some("-v" | "-f" | "-n") => {}
            Some(name) if functions => state.may_undefine(name),
            Some(name) => {
                // It is a function's where no variable has it.
                state.may_undefine(name);
                let value = state.end_variable(name);
                set_variable(walker, scene, name, value, state);
            }
            // It may have a subscript.
            None => {
                opaque(walker, called, OpaqueWhy::UnknownScript);
                state.may_undefine_any();
            }
        }
    }
    program(walker, called, state);
}

pub(super) fn mapfile(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    if called.args().iter().any(|field| {
        field.text().is_none_or(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.contains('C')
        })
    }) {
        opaque(walker, called, OpaqueWhy::UnknownScript);
        for script in crate::programs::values(called.args(), "-C") {
            if let Some(text) = script.text() {
                let view = EffectView::Might;
                let inner = Scene { view, ..*scene };
                walker.call_script(&inner, called, text, script.span, view, &mut state.clone());
            }
        }
    }
    called.input.take(Taken::Parts);
    let names = read::operands(called.args(), "dnOsuCc");
    let name = names.first().map_or(Some("MAPFILE"), |field| field.text());
    if let Some(name) = name {
        set_variable(walker, scene, name, Value::Unknown, state);
    }
    program(walker, called, state);
}

/// `wait -p NAME`: the name may have a subscript.
pub(super) fn wait(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    for name in crate::programs::values(called.args(), "-p") {
        match name.text() {
            // Where nothing is waited for, it is unset.
            Some(name) => set_variable(walker, scene, name, Value::Unknown, state),
            None => opaque(walker, called, OpaqueWhy::UnknownScript),
        }
    }
    program(walker, called, state);
}

pub(super) fn getopts(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let name = called.args().get(1).and_then(Field::text).unwrap_or("");
    set_variable(walker, scene, name, Value::Unknown, state);
    state.set("OPTARG", Value::Unknown);
    program(walker, called, state);
}

/// `let`: each argument is an expression.
pub(super) fn compute(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    for field in called.args() {
        let plain = |text: &&str| !text.contains(['[', '$', '`']) && !leads_to_code(text, state);
        let Some(text) = field.text().filter(plain) else {
            opaque(walker, called, OpaqueWhy::UnknownScript);
            continue;
        };
        walker.numbers(scene, text, state);
    }
    program(walker, called, state);
}

/// `printf -v NAME`.
pub(super) fn printf(
    walker: &mut Walker<'_>,
    scene: &Scene<'_>,
    called: &Called<'_>,
    state: &mut State,
) {
    let args = called.args();
    let first = args.first().and_then(Field::text).unwrap_or("");
    let name = match first.strip_prefix("-v") {
        Some("") => args.get(1).and_then(Field::text),
        Some(name) => Some(name),
        // Some other text that could be an option, or is known only when it runs.
        None => None,
    };
    let value = match args {
        [_, _, format] if first == "-v" => match format.text() {
            Some(text) if !text.contains(['%', '\\']) => Value::text(text),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    };
    match name {
        Some(name) => set_variable(walker, scene, name, value, state),
        None if first.starts_with('-') && !first.starts_with("-v") => {}
        None => opaque(walker, called, OpaqueWhy::Environment),
    }
    program(walker, called, state);
}
