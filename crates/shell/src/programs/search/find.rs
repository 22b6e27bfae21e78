//! `find`: roots, then an expression whose words are tests and actions.

use pointsman_model::{Change, EffectView, Reach, RunNature};

use crate::expand::unknown;
use crate::field::{Field, Known, Shape};
use crate::programs::{Asked, Facts, Inner, Lists, Use, UseKind, describe};
use crate::walk::Called;

/// Words of the expression without a value.
const WORDS: [&str; 32] = [
    "(",
    ")",
    "!",
    ",",
    "-not",
    "-a",
    "-and",
    "-o",
    "-or",
    "-daystart",
    "-depth",
    "-d",
    "-empty",
    "-executable",
    "-false",
    "-true",
    "-follow",
    "-help",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-nogroup",
    "-nouser",
    "-noignore_readdir_race",
    "-noleaf",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-writable",
    "-xdev",
];

/// Words of the expression with one value.
const VALUED: [&str; 41] = [
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-newermt",
    "-newerct",
    "-newerat",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
    "-warn",
];

pub(super) fn find(asked: &Asked<'_>) -> Facts {
    let args = asked.args();
    let mut facts = Facts::reader();
    facts.lists = Lists::WhatItReads;
    let (roots, mut at) = roots(asked, &mut facts);
    while let Some(field) = args.get(at) {
        at += 1;
        let Some(word) = field.text() else {
            facts.spoil();
            continue;
        };
        if WORDS.contains(&word) {
            continue;
        }
        if VALUED.contains(&word) {
            // A wildcard may become several words, and the second one an action.
            if args.get(at).is_none_or(Field::is_many) {
                facts.spoil();
            }
            at += 1;
            continue;
        }
        match word {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = args.get(at..).unwrap_or_default();
                let end = end_of_command(rest);
                let command = rest.get(..end).unwrap_or_default();
                starts(asked, &mut facts, command);
                at += end + 1;
            }
            "-delete" => {
                facts.nature = RunNature::Wrapper;
                for root in &roots {
                    facts.write(root, Change::Remove);
                }
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                facts.nature = RunNature::Wrapper;
                if let Some(file) = args.get(at) {
                    facts.write(file, Change::Content);
                }
                at += if word == "-fprintf" { 2 } else { 1 };
            }
            "-files0-from" => {
                facts.spoil();
                at += 1;
            }
            _ => facts.spoil(),
        }
    }
    facts
}

/// The folders that are searched, and where the expression begins.
fn roots(asked: &Asked<'_>, facts: &mut Facts) -> (Vec<Field>, usize) {
    let args = asked.args();
    let mut roots: Vec<Field> = Vec::new();
    let mut at = 0;
    while let Some(field) = args.get(at) {
        match field.text() {
            Some("-H" | "-L" | "-P") => {}
            Some(text) if text.starts_with("-O") => {}
            Some("-D") => at += 1,
            Some(text) if text.starts_with(['-', '(', '!']) || text == ")" => break,
            Some(_) => roots.push(field.clone()),
            None => {
                // It may become an expression.
                if field.may_be_option() {
                    facts.spoil();
                }
                roots.push(field.clone());
            }
        }
        at += 1;
    }
    if roots.is_empty() {
        roots.push(asked.here());
    }
    for root in &roots {
        facts.read(root, Reach::NamesBelow);
    }
    (roots, at)
}

/// Where the command behind `-exec` ends: at `;`, or at `{} +`.
fn end_of_command(rest: &[Field]) -> usize {
    let mut braces = false;
    for (at, field) in rest.iter().enumerate() {
        match field.text() {
            Some(";") => return at,
            Some("+") if braces => return at,
            text => braces = text == Some("{}"),
        }
    }
    rest.len()
}

/// The command that the search starts for what it finds.
pub(super) fn starts(asked: &Asked<'_>, facts: &mut Facts, command: &[Field]) {
    let mut fields = command.to_vec();
    let mut filled = false;
    for field in &mut fields {
        let Some(text) = field.text() else { continue };
        if text.contains("{}") {
            filled = true;
            let alone = text == "{}";
            let prefix = text.split("{}").next().unwrap_or("").to_owned();
            let shape = if alone { Shape::Process } else { Shape::One };
            field.known = unknown(&prefix, shape);
        }
    }
    let inner = Called {
        fields: &fields,
        assignments: &[],
        span: asked.called.span,
        part: asked.called.part,
        view: asked.called.view,
        input: asked.called.input,
    };
    // A search that starts searches is looked at one by one, by the walk and its limits.
    let name = inner
        .program()
        .map(|name| name.rsplit('/').next().unwrap_or(name));
    let plain = name.filter(|name| !matches!(*name, "find" | "gfind" | "fd" | "fdfind"));
    let inside = plain.map(|_| {
        describe(&Asked {
            called: &inner,
            state: asked.state,
            start: asked.start,
        })
    });
    let reads = inside.is_some_and(|inside| inside.nature == RunNature::KnownReader);
    if !reads {
        facts.nature = RunNature::Wrapper;
        for field in &mut fields {
            if let Known::Unknown(unknown) = &mut field.known
                && unknown.shape == Shape::Process
            {
                unknown.shape = Shape::One;
            }
        }
        facts.inner.push(Inner::Argv(fields, EffectView::Might));
        return;
    }
    if filled {
        // It reads what is found, anywhere below the roots.
        let found: Vec<Use> = facts
            .uses
            .iter()
            .filter(|used| used.kind == UseKind::Read(Reach::NamesBelow))
            .map(|used| Use {
                kind: UseKind::Read(Reach::ContentBelow),
                ..used.clone()
            })
            .collect();
        facts.uses.extend(found);
    }
    facts.inner.push(Inner::Argv(fields, EffectView::Sure));
}
