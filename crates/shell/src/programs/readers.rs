//! Plain readers: coreutils and kin, all of whose options, or all of those listed, only read.

mod table;
mod text;

use pointsman_model::Reach;

use super::{Asked, Facts, Lists};
use crate::field::Field;
use crate::names::{self, ByName};
use crate::options::{Arg, Options, Order, read};

/// What the operands of a reader are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Files, read as far as this.
    Files(Reach),
    /// Text.
    Text,
    /// Names of its own; one with a slash is a file.
    Names,
    /// None may be there.
    None,
}

/// A reader.
#[derive(Debug)]
struct Reader {
    names: &'static [&'static str],
    operands: Operands,
    options: Options,
    /// Options with a file for their value, by letter or with dashes.
    files: &'static [&'static str],
    /// Options that make it read what lies below its operands.
    deep: &'static [&'static str],
    /// Whatever other option there is only reads too, now and in later versions.
    every_option: bool,
    lists: Lists,
}

const NONE: Options = Options {
    short: "",
    short_value: "",
    short_glued: "",
    long: &[],
    long_value: &[],
};

const BASE: Reader = Reader {
    names: &[],
    operands: Operands::Files(Reach::Itself),
    options: NONE,
    files: &[],
    deep: &[],
    every_option: true,
    lists: Lists::Nothing,
};

/// An option of the `base64` of some systems, which has it write a file.
fn sends_output(field: &Field) -> bool {
    let text = field.prefix();
    text.starts_with("--o")
        || text.starts_with('-') && !text.starts_with("--") && text.contains('o')
}

static BY_NAME: ByName<&Reader> = ByName::new(|| {
    let readers = text::READERS.iter().chain(table::READERS.iter());
    names::first(readers, |reader| reader.names)
});

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let reader = BY_NAME.get(name)?;
    let mut facts = Facts::reader();
    if name == "base64" && asked.args().iter().any(sends_output) {
        facts.spoil();
    }
    facts.lists = reader.lists;
    let mut reach = match reader.operands {
        Operands::Files(reach) => reach,
        Operands::Text | Operands::Names | Operands::None => Reach::Itself,
    };
    let mut operands: Vec<&Field> = Vec::new();
    for arg in read(asked.args(), &reader.options, Order::Mixed) {
        match arg {
            Arg::Option(option, value) => {
                if reader.deep.contains(&option) {
                    reach = match reach {
                        Reach::Itself if name == "ls" => Reach::NamesBelow,
                        Reach::Itself => Reach::ContentBelow,
                        deep => deep,
                    };
                }
                if let Some(value) = value
                    && reader.files.contains(&option)
                {
                    facts.read(&value, Reach::Itself);
                }
            }
            Arg::Stranger(field) => {
                if !reader.every_option {
                    facts.spoil();
                }
                // A shortened option may name a file.
                if let Some((name, _)) = field.prefix().split_once('=')
                    && name.starts_with("--")
                {
                    let value = field.tail(name.len() + 1);
                    if value.prefix().starts_with(['/', '~']) || value.prefix().contains("..") {
                        facts.read(&value, Reach::Itself);
                    }
                }
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    match reader.operands {
        Operands::Files(_) => {
            let stands_here = matches!(name, "ls" | "du" | "dir" | "vdir");
            for field in &operands {
                if !field.is("-") {
                    facts.read(field, reach);
                }
            }
            if operands.is_empty() && stands_here {
                facts.read(&asked.here(), reach);
            }
            if !operands.is_empty() && reader.lists == Lists::WhatItIsFed {
                facts.lists = Lists::Nothing;
            }
        }
        Operands::Names => files_among(&mut facts, &operands),
        Operands::Text => {}
        Operands::None if operands.is_empty() => {}
        Operands::None => facts.spoil(),
    }
    Some(facts)
}

/// Reads those of the names that are files.
fn files_among(facts: &mut Facts, names: &[&Field]) {
    for field in names {
        if field.text().is_none_or(|text| text.contains('/')) {
            facts.read(field, Reach::Itself);
        }
    }
}
