//! Files that git changes besides its own store: its settings, and what an option sends output to.

use pointsman_model::Change;

use crate::field::Field;
use crate::programs::{Asked, Facts, UseKind};

/// Forms of `config` that only show.
const SHOWS: [&str; 8] = [
    "-l",
    "--list",
    "--get",
    "--get-all",
    "--get-regexp",
    "--get-urlmatch",
    "--get-color",
    "--get-colorbool",
];

/// Forms of `config` that change something, however many names follow.
const CHANGES: [&str; 8] = [
    "-e",
    "--edit",
    "--add",
    "--unset",
    "--unset-all",
    "--replace-all",
    "--rename-section",
    "--remove-section",
];

/// `config`: the file of settings that it changes. What they name runs later.
pub(super) fn configures(facts: &mut Facts, asked: &Asked<'_>, rest: &[Field]) {
    if !changes_settings(rest) {
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

fn changes_settings(rest: &[Field]) -> bool {
    let has = |options: &[&str]| {
        rest.iter()
            .any(|field| options.iter().any(|option| field.is(option)))
    };
    if has(&CHANGES) {
        return true;
    }
    if has(&SHOWS) {
        return false;
    }
    let option = |field: &&Field| field.prefix().starts_with('-');
    let mut operands = rest.iter().filter(|field| !option(field));
    match operands.next().and_then(Field::text) {
        Some("list" | "get") => false,
        Some("set" | "unset" | "edit" | "rename-section" | "remove-section") => true,
        // A name alone shows its value.
        Some(_) => operands.next().is_some(),
        None => !rest.is_empty(),
    }
}

/// Where an option sends the output of a subcommand.
pub(super) fn outputs(facts: &mut Facts, name: &str, rest: &[Field]) {
    let short = matches!(name, "archive" | "format-patch");
    for (at, field) in rest.iter().enumerate() {
        if field.is("--") {
            break;
        }
        let prefix = field.prefix();
        let glued = ["--output=", "--output-directory="]
            .into_iter()
            .find(|option| prefix.starts_with(option));
        if let Some(option) = glued {
            facts.write(&field.tail(option.len()), Change::Content);
        } else if field.is("--output") || field.is("--output-directory") || short && field.is("-o")
        {
            if let Some(target) = rest.get(at + 1) {
                facts.write(target, Change::Content);
            }
        } else if short && prefix.len() > 2 && prefix.starts_with("-o") {
            facts.write(&field.tail(2), Change::Content);
        }
    }
    if name == "bundle" && rest.first().is_some_and(|field| field.is("create")) {
        let target = rest.iter().skip(1).find(|field| !field.may_be_option());
        if let Some(target) = target {
            facts.write(target, Change::Content);
        }
    }
}
