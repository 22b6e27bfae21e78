//! What all tables say of the programs of one name: one look-up for each command.

use super::carriers::{CARRIERS, Carrier, FED};
use super::globals::SUBCOMMANDED;
use super::hosts;
use super::listed::RUN_UNASKED;
use super::named::{FORMATTERS, Formatter, Named, entries};
use super::told::Language;
use crate::names::ByName;

/// The entries for one name.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Options that carry commands.
    pub(super) carriers: Vec<&'static Carrier>,
    /// Languages in which it takes commands from its input.
    pub(super) fed: Vec<Language>,
    /// Options and operands that name files.
    pub(super) named: Vec<&'static Named>,
    /// Forms in which it rewrites sources.
    pub(super) formatters: Vec<&'static Formatter>,
    /// Its first operand is a subcommand.
    pub(super) subcommands: bool,
    /// It connects to what an address among its arguments says.
    pub(super) connects: bool,
    /// Options whose value is a host.
    pub(super) host_options: &'static [&'static str],
    /// Its operands are hosts.
    pub(super) to_operands: bool,
    /// What it only reads, it reads without a rule.
    pub(super) unasked: bool,
}

static NOTHING: Tables = Tables {
    carriers: Vec::new(),
    fed: Vec::new(),
    named: Vec::new(),
    formatters: Vec::new(),
    subcommands: false,
    connects: false,
    host_options: &[],
    to_operands: false,
    unasked: false,
};

static BY_NAME: ByName<Tables> = ByName::new(|| {
    let mut index = rustc_hash::FxHashMap::<&'static str, Tables>::default();
    for carrier in CARRIERS {
        for name in carrier.names {
            index.entry(name).or_default().carriers.push(carrier);
        }
    }
    for (names, language) in FED {
        for name in *names {
            index.entry(name).or_default().fed.push(*language);
        }
    }
    for named in entries() {
        for name in named.names {
            index.entry(name).or_default().named.push(named);
        }
    }
    for formatter in FORMATTERS {
        for name in formatter.names {
            index.entry(name).or_default().formatters.push(formatter);
        }
    }
    for name in SUBCOMMANDED {
        index.entry(name).or_default().subcommands = true;
    }
    for name in hosts::CLIENTS {
        index.entry(name).or_default().connects = true;
    }
    for (names, options) in hosts::OPTIONS {
        for name in names {
            index.entry(name).or_default().host_options = options;
        }
    }
    for name in hosts::TO_OPERANDS {
        index.entry(name).or_default().to_operands = true;
    }
    for name in RUN_UNASKED {
        index.entry(name).or_default().unasked = true;
    }
    index
});

/// What the tables say of programs of that name; most are in none.
pub(super) fn of(name: &str) -> &'static Tables {
    BY_NAME.get(name).unwrap_or(&NOTHING)
}
