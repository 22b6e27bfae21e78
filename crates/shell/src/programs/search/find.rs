//! `find`: roots, then an expression whose words are tests and actions.

use pointsman_model::{Change, EffectView, Reach, RunNature};

use crate::expand::unknown;
use crate::field::{Field, Known, Shape};
use crate::programs::{Asked, Facts, Inner, Lists, UseKind, below, describe};
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

/// Places searched by one command that are told apart for what it starts.
const FILLINGS_MAX: usize = 4;

pub(super) fn find(asked: &Asked<'_>) -> Facts {
    let args = asked.args();
    let mut facts = Facts::reader();
    facts.lists = Lists::WhatItReads;
    let (roots, mut at) = roots(asked, &mut facts);
    let expression = at;
    let shown = |field: &Field| {
        matches!(
            field.text(),
            Some(
                "-print" | "-print0" | "-printf" | "-ls" | "-exec" | "-ok" | "-execdir" | "-okdir"
            )
        )
    };
    let tests = args.get(at..).unwrap_or_default();
    let end = tests.iter().position(shown).unwrap_or(tests.len());
    facts.listed = found(&roots, tests.get(..end).unwrap_or_default()).listed;
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
                let found = found(&roots, args.get(expression..at).unwrap_or_default());
                starts(asked, &mut facts, command, &found);
                at += end + 1;
            }
            "-delete" => {
                facts.nature = RunNature::Wrapper;
                let found = found(&roots, args.get(expression..at).unwrap_or_default());
                for root in roots.iter().filter(|_| found.listed.is_empty()) {
                    if found.few {
                        facts.might(root, UseKind::Below(Change::Remove));
                    } else {
                        facts.write(root, Change::Remove);
                    }
                }
                for field in &found.listed {
                    facts.might(field, UseKind::Write(Change::Remove));
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

/// What a search finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Where it looks.
    pub(super) roots: Vec<Field>,
    /// The names that it finds, when an expression says which; none when it may be all.
    pub(super) listed: Vec<Field>,
    /// Whether it finds less than all, in a way that is not told here.
    pub(super) few: bool,
}

/// What the expression finds below the roots.
fn found(roots: &[Field], expression: &[Field]) -> Found {
    let mut found = Found {
        roots: roots.to_vec(),
        ..Found::default()
    };
    let texts: Vec<&str> = expression
        .iter()
        .map(|field| field.text().unwrap_or(""))
        .collect();
    let few = [
        "-empty",
        "-path",
        "-wholename",
        "-ipath",
        "-regex",
        "-iregex",
        "-samefile",
        "-inum",
    ];
    found.few = texts.iter().any(|text| few.contains(text));
    // With alternatives a name says nothing of the others.
    if texts.iter().any(|text| matches!(*text, "-o" | "-or" | ",")) {
        return found;
    }
    let name = texts.windows(2).enumerate().find_map(|(at, pair)| {
        let turned = at > 0 && matches!(texts.get(at - 1), Some(&"!" | &"-not"));
        let named = matches!(pair.first(), Some(&"-name" | &"-iname"));
        (named && !turned).then(|| pair.get(1).copied().unwrap_or(""))
    });
    if let Some(name) = name.filter(|name| !name.is_empty() && *name != "*") {
        found.listed = roots.iter().filter_map(|root| below(root, name)).collect();
        // A root of that name is found too.
        let itself = |root: &&Field| {
            let text = root.text().unwrap_or("");
            text.trim_end_matches('/').rsplit('/').next() == Some(name)
        };
        found.listed.extend(roots.iter().filter(itself).cloned());
    }
    found
}

/// The command that the search starts for what it finds.
pub(super) fn starts(asked: &Asked<'_>, facts: &mut Facts, command: &[Field], found: &Found) {
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
    if !reads(asked, &fields) {
        facts.nature = RunNature::Wrapper;
        for fields in fill(command, found) {
            facts.inner.push(Inner::Argv(fields, EffectView::Might));
        }
        return;
    }
    if filled {
        // It reads what is found, anywhere below the roots.
        for root in &found.roots {
            if found.listed.is_empty() {
                facts.read(root, Reach::ContentBelow);
            } else {
                facts.read(root, Reach::NamesBelow);
            }
        }
        for field in &found.listed {
            facts.might(field, UseKind::Read(Reach::Itself));
        }
    }
    facts.inner.push(Inner::Argv(fields, EffectView::Sure));
}

/// Whether the command is a known reader.
fn reads(asked: &Asked<'_>, fields: &[Field]) -> bool {
    let inner = Called {
        fields,
        text: None,
        assignments: &[],
        span: asked.called.span,
        part: asked.called.part,
        view: asked.called.view,
        input: asked.called.input,
    };
    // A search that starts searches is looked at one by one, by the walk and its limits.
    let name = inner.program().map(crate::programs::last_name);
    let plain = name.filter(|name| !matches!(*name, "find" | "gfind" | "fd" | "fdfind"));
    plain.is_some_and(|_| {
        let facts = describe(&Asked {
            called: &inner,
            state: asked.state,
            start: asked.start,
        });
        facts.nature == RunNature::KnownReader
    })
}

/// The command with what is found in its place: for each place that is searched, the names below it;
/// inside other words, and in texts for a shell, the place itself stands for what is found.
fn fill(command: &[Field], found: &Found) -> Vec<Vec<Field>> {
    let inside = |field: &Field| {
        field
            .text()
            .is_some_and(|text| text.contains("{}") && text != "{}")
    };
    let mut fillings: Vec<Field> = found.listed.clone();
    if fillings.is_empty() && !found.few {
        fillings.extend(found.roots.iter().filter_map(|root| below(root, "**")));
    }
    fillings.truncate(FILLINGS_MAX);
    let mut filled: Vec<Vec<Field>> = Vec::new();
    for filling in &fillings {
        let fields = command.iter().map(|field| match field.text() {
            Some("{}") => Field {
                span: field.span,
                ..filling.clone()
            },
            Some(text) if text.contains("{}") => Field {
                known: unknown(text.split("{}").next().unwrap_or(""), Shape::One),
                ..field.clone()
            },
            _ => field.clone(),
        });
        filled.push(fields.collect());
    }
    if command.iter().any(inside) {
        for root in found.roots.iter().take(FILLINGS_MAX) {
            let Some(place) = root.text() else { continue };
            let fields = command.iter().map(|field| match field.text() {
                Some(text) => Field {
                    known: Known::Text(text.replace("{}", place).into()),
                    ..field.clone()
                },
                None => field.clone(),
            });
            filled.push(fields.collect());
        }
    }
    if filled.is_empty() {
        let fields = command.iter().map(|field| match field.text() {
            Some(text) if text.contains("{}") => Field {
                known: unknown(text.split("{}").next().unwrap_or(""), Shape::One),
                ..field.clone()
            },
            _ => field.clone(),
        });
        filled.push(fields.collect());
    }
    filled
}
