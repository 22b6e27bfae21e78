//! What a substitution prints, where the line alone tells: `$(pwd)`, `$(echo x)`, `$(cat <<'EOF' ...)`.

use pointsman_model::{EffectView, PathValue, RunNature};

use crate::expand::{Expander, Output, escaped};
use crate::field::{Field, Shape};
use crate::programs::{self, Lists};
use crate::state::Value;
use crate::syntax::{Command, Redirect, RedirectKind, Script, Simple, Word};
use crate::walk::{Called, Input, is_the_usual_one, paths};

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
        Command::Simple(simple) => {
            // Worked out once: what stands in its words may be worked out in turn.
            let Some(fields) = at.all(&simple.words) else {
                return Output::Unknown;
            };
            match of_fields(at, simple, &fields) {
                Output::Unknown => names_alone(listed_by(at, simple, &fields, None)),
                known => known,
            }
        }
        // What its last command prints.
        Command::Pipeline(commands) => match commands.last() {
            Some(Command::Simple(last)) if of_simple(at, last) == Output::Number => Output::Number,
            _ => names_alone(listed(at, commands)),
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

/// The names that a program lists, those behind it in a pipeline picking some of its lines.
fn listed(at: &Expander<'_>, commands: &[Command<'_>]) -> Option<Vec<PathValue>> {
    let mut listed: Option<Vec<PathValue>> = None;
    for command in commands {
        let Command::Simple(simple) = command else {
            return None;
        };
        let mut fields = Vec::new();
        for word in &simple.words {
            at.fields(word, &mut fields);
        }
        listed = Some(listed_by(at, simple, &fields, listed.take())?);
    }
    listed
}

/// The names that a command with these fields lists, when it is fed those.
fn listed_by(
    at: &Expander<'_>,
    simple: &Simple<'_>,
    fields: &[Field],
    fed: Option<Vec<PathValue>>,
) -> Option<Vec<PathValue>> {
    let null = |redirect: &Redirect<'_>| matches!(redirect.descriptor, Some("2"));
    if !simple.assignments.is_empty() || !simple.redirects.iter().all(null) {
        return None;
    }
    let name = fields.first().and_then(Field::text)?;
    if !is_the_usual_one(name, at.state) || !programs::runs_unasked(name) {
        return None;
    }
    let input = Input::default().with_names(fed);
    let called = Called {
        fields,
        text: None,
        assignments: &[],
        span: at.span(&Word {
            pieces: Vec::new().into(),
            span: simple.span,
        }),
        part: 0,
        view: EffectView::Might,
        input: &input,
    };
    names_of(at, &called)
}

fn names_alone(listed: Option<Vec<PathValue>>) -> Output {
    match listed.as_deref() {
        Some([PathValue::Known(path)]) => {
            let path = escaped(path.as_str());
            Output::Names(format!("{}/**", path.trim_end_matches('/')).into())
        }
        Some([PathValue::Pattern { base, glob }]) => {
            let base = escaped(base.as_str());
            Output::Names(format!("{}/{glob}", base.trim_end_matches('/')).into())
        }
        _ => Output::Unknown,
    }
}

fn names_of(at: &Expander<'_>, called: &Called<'_>) -> Option<Vec<PathValue>> {
    let facts = programs::describe(&programs::Asked {
        called,
        state: at.state,
        start: at.start,
    });
    let reader = facts.nature == RunNature::KnownReader;
    if !reader || facts.lists == Lists::Nothing || at.state.folders.len() != 1 {
        return None;
    }
    let mut reads = Vec::new();
    for field in &facts.listed {
        reads.extend(paths(field, at.state).into_iter().next());
    }
    if reads.is_empty() {
        for used in &facts.uses {
            if let programs::UseKind::Read(_) = used.kind {
                reads.extend(paths(&used.field, at.state).into_iter().next());
            }
        }
    }
    programs::names(facts.lists, &reads, called.input.names.as_ref())
}

/// What a simple command prints on standard output.
pub(crate) fn of_simple(at: &Expander<'_>, simple: &Simple<'_>) -> Output {
    if !simple.assignments.is_empty() {
        return Output::Unknown;
    }
    match at.all(&simple.words) {
        Some(fields) => of_fields(at, simple, &fields),
        None => Output::Unknown,
    }
}

/// The same, its words worked out.
fn of_fields(at: &Expander<'_>, simple: &Simple<'_>, fields: &[Field]) -> Output {
    if !simple.assignments.is_empty() {
        return Output::Unknown;
    }
    let Some(name) = fields.first().and_then(Field::text) else {
        return Output::Unknown;
    };
    if !is_the_usual_one(name, at.state) {
        return Output::Unknown;
    }
    let args = fields.get(1..).unwrap_or_default();
    if name == "cat" && args.is_empty() {
        return here(at, simple);
    }
    if counts(fields) && simple.redirects.iter().all(keeps_output) {
        return Output::Number;
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
        "printf" => match texts(args).as_deref().and_then(formatted) {
            Some(text) => Output::Text(text),
            None => Output::Unknown,
        },
        _ => Output::Unknown,
    }
}

/// Whether what the command prints goes where it went without the redirect, and nothing else does.
pub(crate) fn keeps_output(redirect: &Redirect<'_>) -> bool {
    match redirect.kind {
        RedirectKind::Read | RedirectKind::Document | RedirectKind::HereString => {
            matches!(redirect.descriptor, None | Some("0"))
        }
        RedirectKind::Write => {
            redirect.descriptor == Some("2") && redirect.target.bare() == Some("/dev/null")
        }
        RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::CopyIn
        | RedirectKind::CopyOut => false,
    }
}

/// What `printf` prints, where its format is a plain one.
fn formatted(args: &[&str]) -> Option<String> {
    let args = match args {
        ["--", rest @ ..] => rest,
        // An option, or a format that is taken for one.
        [option, ..] if option.starts_with('-') => return None,
        all => all,
    };
    match args {
        [only] if !only.contains('%') => decoded(only),
        ["%s", texts @ ..] if !texts.is_empty() => Some(texts.concat()),
        ["%s\\n", texts @ ..] if !texts.is_empty() => {
            Some(texts.iter().map(|text| format!("{text}\n")).collect())
        }
        _ => None,
    }
}

/// A format without conversions, its plain escapes decoded.
fn decoded(format: &str) -> Option<String> {
    let mut text = String::with_capacity(format.len());
    let mut chars = format.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        text.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            '\\' => '\\',
            '0' if !chars
                .clone()
                .next()
                .is_some_and(|next| next.is_ascii_digit()) =>
            {
                '\0'
            }
            _ => return None,
        });
    }
    Some(text)
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
        Value::Among(_) | Value::List(_) | Value::Patterns(_) | Value::Number | Value::Unknown => {
            Output::Unknown
        }
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
        // What stands behind and is not known may make it print something else.
        _ if texts.len() < fields.len() => false,
        ["date", format] => format.strip_prefix("+%").is_some_and(|parts| {
            let digits = |part: &str| part.len() == 1 && "sNYmdHMSju".contains(part);
            parts.split('%').all(digits)
        }),
        ["nproc"] | ["id", "-u" | "-g"] | ["tput", "cols" | "lines"] => true,
        ["stat", "-c", "%s" | "%Y", operand] | ["git", "rev-list", "--count", operand] => {
            !operand.starts_with('-')
        }
        _ => false,
    }
}
