//! `git config`: which of its forms show settings, and which change the file that they are in.

use pointsman_model::{Change, Reach};

use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::programs::{Asked, Facts, UseKind};

const CONFIG: Options = Options {
    short: "zl",
    short_value: "f",
    short_glued: "",
    long: &[
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "get-color",
        "get-colorbool",
        "list",
        "global",
        "system",
        "local",
        "worktree",
        "null",
        "name-only",
        "show-origin",
        "show-scope",
        "show-names",
        "bool",
        "int",
        "bool-or-int",
        "path",
        "includes",
        "no-includes",
        "all",
        "regexp",
        "fixed-value",
    ],
    long_value: &["type", "default", "file", "blob", "value", "url"],
};

/// What a form of it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// It shows settings, and all of its arguments are known to ask for no more.
    Reads,
    /// It changes nothing.
    Shows,
    Changes,
}

/// What it reads, of a form that only shows settings.
pub(super) fn shows(rest: &[Field]) -> Option<Facts> {
    let mut facts = Facts::reader();
    if form(rest) != Form::Reads {
        return None;
    }
    for arg in read(rest, &CONFIG, Order::Mixed) {
        if let Arg::Option("f" | "--file", Some(file)) = arg {
            facts.read(&file, Reach::Itself);
        }
    }
    Some(facts)
}

/// The file of settings that it changes. What they name runs later.
pub(super) fn configures(facts: &mut Facts, asked: &Asked<'_>, rest: &[Field]) {
    if form(rest) != Form::Changes {
        return;
    }
    let change = UseKind::Write(Change::Content);
    for (at, field) in rest.iter().enumerate() {
        let glued = ["--file=", "-f"].iter().find(|option| {
            field.prefix().len() > option.len() && field.prefix().starts_with(**option)
        });
        if field.is("-f") || field.is("--file") {
            if let Some(file) = rest.get(at + 1) {
                facts.might(file, change);
            }
        } else if let Some(option) = glued {
            facts.might(&field.tail(option.len()), change);
        }
    }
    // Whichever of its files it is, each is protected under this name too.
    facts.might(&Field::made(".git/config", asked.called.span), change);
}

fn form(rest: &[Field]) -> Form {
    let Some(first) = rest.first() else {
        return Form::Shows;
    };
    match first.text() {
        Some("get" | "list") => {
            let behind = rest.get(1..).unwrap_or_default();
            let args = read(behind, &CONFIG, Order::Mixed);
            let strange = args.iter().any(|arg| matches!(arg, Arg::Stranger(_)));
            if strange { Form::Shows } else { Form::Reads }
        }
        Some("set" | "unset" | "edit" | "rename-section" | "remove-section") => Form::Changes,
        _ => of_options(rest),
    }
}

/// The form without a subcommand. Its first word ends the options: `user.name --get` sets the name to `--get`.
fn of_options(rest: &[Field]) -> Form {
    let mut form = None;
    let mut words = 0;
    let mut name = None;
    for arg in read(rest, &CONFIG, Order::OptionsFirst) {
        match arg {
            Arg::Option(
                "--get" | "--get-all" | "--get-regexp" | "--get-urlmatch" | "--list" | "l",
                _,
            ) => form = form.or(Some(Form::Reads)),
            Arg::Option("--get-color" | "--get-colorbool", _) => form = Some(Form::Shows),
            Arg::Option(..) => {}
            // A second action is an error.
            Arg::Stranger(_) if form.is_some() => form = Some(Form::Shows),
            Arg::Stranger(_) => return Form::Changes,
            Arg::Operand(field) => {
                words += if field.is_many() { 2 } else { 1 };
                name = name.or_else(|| field.text());
            }
        }
    }
    // A name alone shows its value.
    form.unwrap_or(match (words, name) {
        (0, _) => Form::Shows,
        (1, Some(name)) if name.contains('.') => Form::Reads,
        (1, _) => Form::Shows,
        _ => Form::Changes,
    })
}
