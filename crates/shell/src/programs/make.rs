//! `make`: which makefile it reads, and what its variables and options have it start.

use pointsman_model::{EffectView, RunNature};

use super::lists::is_input;
use super::told::{Language, scripts};
use super::{Asked, Facts, Inner};
use crate::builtins::is_of_the_line;
use crate::field::Field;

/// Variables that name what runs each line of a recipe, or what make itself is told.
const RUNNING: [&str; 6] = [
    "SHELL",
    ".SHELLFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFILES",
];

/// Shells that a rule for `make` covers too.
const SHELLS: [&str; 5] = ["/bin/sh", "/bin/bash", "sh", "bash", "/usr/bin/bash"];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if !matches!(name, "make" | "gmake" | "bmake") {
        return None;
    }
    let mut facts = Facts::program();
    for field in asked.args() {
        // What a function of the line prints may be any of these words.
        let state = asked.state;
        if field.is_many() && !state.functions.is_empty() && is_of_the_line(&field.source, state) {
            facts.starts(field.clone());
        }
        let Some((name, value)) = field.text().and_then(|text| text.split_once('=')) else {
            continue;
        };
        if name.starts_with("--") {
            continue;
        }
        let skip = name.len() + 1;
        let name = name.trim_end_matches([':', '+', '?', '!']);
        if RUNNING.contains(&name) && !SHELLS.contains(&value) {
            facts.nature = RunNature::Wrapper;
        }
        // Recipes run what variables such as `CC` say.
        facts.starts(field.tail(skip));
        for script in scripts(Language::Make, value, field.span) {
            facts.starts(script);
        }
    }
    if reads_its_input(asked.args()) {
        makefile(&mut facts, asked);
    }
    for option in ["-C", "--directory"] {
        facts.elsewhere = facts
            .elsewhere
            .or(super::carriers::values(asked.args(), option).pop());
    }
    Some(facts)
}

/// Whether the makefile comes from standard input, or from a process.
fn reads_its_input(args: &[Field]) -> bool {
    super::carriers::values(args, "-f")
        .iter()
        .chain(&super::carriers::values(args, "--file"))
        .chain(&super::carriers::values(args, "--makefile"))
        .any(|file| is_input(file) || file.text().is_none() && file.source.contains('('))
}

fn makefile(facts: &mut Facts, asked: &Asked<'_>) {
    facts.nature = RunNature::Wrapper;
    match asked.called.input.text() {
        Some(text) => {
            for script in scripts(Language::Make, text, asked.called.span) {
                facts.starts(script);
            }
        }
        None => {
            let script = Field {
                known: crate::expand::unknown("", crate::field::Shape::One),
                ..Field::made("makefile", asked.called.span)
            };
            facts.inner.push(Inner::Script(script, EffectView::Might));
        }
    }
}
