//! What a substitution prints, where the line alone tells: `$(pwd)`, `$(echo x)`, `$(cat <<'EOF' ...)`.

use crate::expand::{Expander, Output};
use crate::field::{Field, Shape};
use crate::state::Value;
use crate::syntax::{Command, RedirectKind, Script, Simple};

/// What the script prints, the line feeds at its end dropped as a substitution does.
pub(crate) fn output(at: &Expander<'_>, script: &Script<'_>) -> Output {
    match printed(at, script) {
        Output::Text(text) => Output::Text(text.trim_end_matches('\n').to_owned()),
        other => other,
    }
}

fn printed(at: &Expander<'_>, script: &Script<'_>) -> Output {
    let [item] = script.items.as_slice() else {
        return Output::Unknown;
    };
    match &item.command {
        Command::Simple(simple) => of_simple(at, simple),
        Command::Pipeline(commands) => match commands.last() {
            Some(Command::Simple(last))
                if at.all(&last.words).is_some_and(|fields| counts(&fields)) =>
            {
                Output::Number
            }
            _ => Output::Unknown,
        },
        Command::Chain(..)
        | Command::Not(_)
        | Command::Time(..)
        | Command::Compound(_)
        | Command::Function(_)
        | Command::Coproc(..)
        | Command::Empty => Output::Unknown,
    }
}

/// What a simple command prints on standard output.
pub(crate) fn of_simple(at: &Expander<'_>, simple: &Simple<'_>) -> Output {
    if !simple.assignments.is_empty() {
        return Output::Unknown;
    }
    let Some(fields) = at.all(&simple.words) else {
        return Output::Unknown;
    };
    let Some(name) = fields.first().and_then(Field::text) else {
        return Output::Unknown;
    };
    if at.state.functions.contains_key(name) {
        return Output::Unknown;
    }
    let args = fields.get(1..).unwrap_or_default();
    if name == "cat" && args.is_empty() {
        return here(at, simple);
    }
    if !simple.redirects.is_empty() {
        return Output::Unknown;
    }
    match name {
        "pwd" if args.is_empty() => match (at.state.folder(), at.state.folders.len()) {
            (Some(path), 1) => Output::Text(format!("{path}\n")),
            _ => Output::Unknown,
        },
        "echo" => match texts(args) {
            Some(texts) if !texts.iter().any(|text| text.starts_with('-')) => {
                Output::Text(format!("{}\n", texts.join(" ")))
            }
            _ => Output::Unknown,
        },
        "printf" => match texts(args).as_deref() {
            Some([only]) if !only.contains(['%', '\\']) && !only.starts_with('-') => {
                Output::Text((*only).to_owned())
            }
            Some(["%s", only]) => Output::Text((*only).to_owned()),
            Some(["%s\\n", only]) => Output::Text(format!("{only}\n")),
            _ => Output::Unknown,
        },
        _ if counts(&fields) => Output::Number,
        _ => Output::Unknown,
    }
}

/// The text of a here-document or here-string, the command's only redirect.
fn here(at: &Expander<'_>, simple: &Simple<'_>) -> Output {
    let [redirect] = simple.redirects.as_slice() else {
        return Output::Unknown;
    };
    let (word, end) = match redirect.kind {
        RedirectKind::Document => {
            let number = redirect.target.span.start as usize;
            match at.documents.get(number) {
                Some(body) => (body, ""),
                None => return Output::Unknown,
            }
        }
        RedirectKind::HereString => (&redirect.target, "\n"),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::CopyIn
        | RedirectKind::CopyOut => return Output::Unknown,
    };
    if redirect.descriptor.is_some_and(|number| number != "0") {
        return Output::Unknown;
    }
    match at.value(word) {
        Value::Texts(texts) => match texts.first() {
            Some(text) if texts.len() == 1 => Output::Text(format!("{text}{end}")),
            _ => Output::Unknown,
        },
        Value::List(_) | Value::Patterns(_) | Value::Number | Value::Unknown => Output::Unknown,
    }
}

fn texts(fields: &[Field]) -> Option<Vec<&str>> {
    fields.iter().map(Field::text).collect()
}

/// Whether the command prints one number: `wc -l`, `grep -c`, `date +%s`, `nproc`.
fn counts(fields: &[Field]) -> bool {
    let texts: Vec<&str> = fields.iter().map_while(Field::text).collect();
    let from_input = fields.len() == 2;
    match texts.as_slice() {
        ["wc", flag] => from_input && matches!(*flag, "-l" | "-c" | "-w" | "-m"),
        ["grep", flag, ..] => {
            let option = |field: &Field| field.text().is_none_or(|text| text.starts_with('-'));
            // With several files each number has a name in front.
            *flag == "-c"
                && fields.len() <= 4
                && !fields.iter().skip(2).any(option)
                && !fields.iter().any(|field| match &field.known {
                    crate::field::Known::Text(_) => false,
                    crate::field::Known::Glob(_) => true,
                    crate::field::Known::Unknown(unknown) => unknown.shape == Shape::Many,
                })
        }
        ["date", format] => matches!(
            *format,
            "+%s" | "+%s%N" | "+%Y" | "+%Y%m%d" | "+%Y%m%d%H%M%S"
        ),
        ["nproc"] | ["id", "-u" | "-g"] => true,
        _ => false,
    }
}
