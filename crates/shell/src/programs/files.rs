//! Programs that change files, and what they change.

use pointsman_model::{Change, Reach, RunNature};

use super::{Asked, Facts, UseKind};
use crate::expand::escaped;
use crate::field::{Field, Known};
use crate::options::{Arg, Options, Order, read};

const NONE: Options = Options {
    short: "",
    short_value: "",
    short_glued: "",
    long: &[],
    long_value: &[],
};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    let facts = match name {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" | "trash-put" => remove(asked, name),
        "mkdir" | "touch" | "mkfifo" | "mktemp" | "mknod" => make(asked, name),
        "cp" | "mv" | "install" | "gcp" | "gmv" | "ln" | "link" => copy(asked, name),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chcon" => attributes(asked),
        "tee" | "sponge" | "truncate" | "fallocate" => write_all(asked, name),
        "dd" => dd(asked),
        "patch" => patch(asked),
        "split" | "csplit" => split(asked, name),
        "mount" => mount(asked),
        _ => return None,
    };
    Some(facts)
}

/// Options and operands of a file command; the nature falls back for an unknown option.
fn arguments<'f>(
    asked: &Asked<'f>,
    options: &Options,
    facts: &mut Facts,
) -> (Vec<(&'f str, Option<Field>)>, Vec<&'f Field>) {
    let removes = matches!(asked.called.program(), Some("rm" | "rmdir"));
    let mut known = Vec::new();
    let mut operands = Vec::new();
    for arg in read(asked.args(), options, Order::Mixed) {
        match arg {
            Arg::Option(option, value) => known.push((option, value)),
            // Whatever option a file's name looks like, `rm` removes what is named beside it.
            Arg::Stranger(field) if removes && matches!(field.known, Known::Glob(_)) => {
                operands.push(field);
            }
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    (known, operands)
}

fn remove(asked: &Asked<'_>, name: &str) -> Facts {
    const REMOVE: Options = Options {
        short: "dfiIrRvp",
        long: &[
            "force",
            "recursive",
            "dir",
            "verbose",
            "interactive",
            "one-file-system",
            "preserve-root",
            "parents",
            "ignore-fail-on-non-empty",
        ],
        ..NONE
    };
    let mut facts = Facts::of(match name {
        "rm" | "rmdir" => RunNature::FileCommand,
        _ => RunNature::Program,
    });
    let (options, operands) = arguments(asked, &REMOVE, &mut facts);
    for field in operands {
        facts.write(field, Change::Remove);
        // `rmdir -p a/b` removes `a` too.
        if name == "rmdir"
            && options
                .iter()
                .any(|(option, _)| matches!(*option, "p" | "--parents"))
        {
            facts.spoil();
        }
    }
    facts
}

fn make(asked: &Asked<'_>, name: &str) -> Facts {
    const MAKE: Options = Options {
        short: "acfhmpvdqu",
        short_value: "trm",
        long: &[
            "parents",
            "verbose",
            "no-create",
            "no-dereference",
            "directory",
            "quiet",
        ],
        long_value: &["mode", "reference", "date", "time", "suffix"],
        ..NONE
    };
    const MKDIR: Options = Options {
        short: "pv",
        short_value: "m",
        ..MAKE
    };
    const TOUCH: Options = Options {
        short: "acfhm",
        short_value: "dtr",
        ..MAKE
    };
    let mut facts = Facts::of(match name {
        "mkdir" | "touch" => RunNature::FileCommand,
        _ => RunNature::Program,
    });
    let table = match name {
        "mkdir" => &MKDIR,
        "touch" => &TOUCH,
        _ => &MAKE,
    };
    let (options, operands) = arguments(asked, table, &mut facts);
    if operands.iter().any(|field| field.prefix().starts_with('-')) {
        // A name that the next command will take for an option is no plain edit.
        facts.spoil();
    }
    for (option, value) in options {
        if let ("r" | "--reference", Some(file)) = (option, value) {
            facts.read(&file, Reach::Itself);
        }
    }
    for field in operands {
        facts.write(field, Change::Content);
    }
    facts
}

const COPY: Options = Options {
    short: "abdfHiLlnPpRrsTuvxDCFZ",
    short_value: "tSmgo",
    long: &[
        "archive",
        "attributes-only",
        "backup",
        "copy-contents",
        "debug",
        "dereference",
        "force",
        "interactive",
        "link",
        "no-clobber",
        "no-dereference",
        "no-target-directory",
        "one-file-system",
        "parents",
        "preserve",
        "recursive",
        "reflink",
        "relative",
        "remove-destination",
        "sparse",
        "strip-trailing-slashes",
        "symbolic",
        "symbolic-link",
        "update",
        "verbose",
        "directory",
        "preserve-timestamps",
        "compare",
        "logical",
        "physical",
    ],
    long_value: &[
        "target-directory",
        "suffix",
        "no-preserve",
        "mode",
        "owner",
        "group",
    ],
    short_glued: "",
};

fn copy(asked: &Asked<'_>, name: &str) -> Facts {
    let mut facts = Facts::of(match name {
        "cp" | "mv" => RunNature::FileCommand,
        _ => RunNature::Program,
    });
    let (options, mut operands) = arguments(asked, &COPY, &mut facts);
    let mut target = None;
    let mut reach = Reach::Itself;
    let mut folders = false;
    let links = links(name, &options);
    for (option, value) in options {
        match (option, value) {
            ("t" | "--target-directory", Some(folder)) => target = Some(folder),
            ("a" | "r" | "R" | "--archive" | "--recursive", _) if name != "ln" => {
                reach = Reach::ContentBelow;
            }
            // Backups have names that are not told here.
            ("b" | "--backup" | "S" | "--suffix", _) => facts.spoil(),
            ("d" | "D" | "--directory", _) if name == "install" => folders = option != "D",
            _ => {}
        }
    }
    if folders {
        for field in operands {
            facts.write(field, Change::Content);
        }
        return facts;
    }
    let target = match target {
        Some(target) => target,
        None => match operands.pop() {
            Some(field) if operands.is_empty() && name == "ln" => {
                operands.push(field);
                asked.here()
            }
            Some(field) => field.clone(),
            None => return facts,
        },
    };
    if name == "mv" {
        reach = Reach::ContentBelow;
    }
    if reach == Reach::ContentBelow && name != "mv" {
        // A folder comes with all that is in it.
        facts.might(&target, UseKind::Below(Change::Content));
    }
    let here = target.is(".") && name == "ln" && operands.len() == 1;
    if !here {
        facts.write(&target, Change::Content);
    }
    for source in operands {
        facts.read(source, reach);
        if name == "mv" {
            facts.write(source, Change::Remove);
        }
        let inside = inside(&target, source);
        if inside.is_none() {
            // A name that nobody knows, in the target if that is a folder.
            facts.might(&target, UseKind::Below(Change::Content));
        }
        if let Some(inside) = &inside {
            facts.might(inside, UseKind::Write(Change::Content));
        }
        for name in std::iter::once(&target).chain(&inside) {
            match links {
                Some(kind) => {
                    let place = leads_to(name, source, kind);
                    facts.links.extend(place.map(|place| (name.clone(), place)));
                }
                None => facts.copies.push((name.clone(), source.clone())),
            }
        }
    }
    facts
}

/// Names for what is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Hard,
    Symbolic,
}

/// The names that the command makes, if it makes any.
fn links(name: &str, options: &[(&str, Option<Field>)]) -> Option<Links> {
    let has = |letters: &[&str]| options.iter().any(|(option, _)| letters.contains(option));
    let makes = matches!(name, "ln" | "link") || name == "cp" && has(&["l", "--link"]);
    if has(&["s", "--symbolic", "--symbolic-link"]) {
        Some(Links::Symbolic)
    } else {
        makes.then_some(Links::Hard)
    }
}

/// What a new name for `source` stands for: a symbolic one is read from the folder that it lies in.
fn leads_to(link: &Field, source: &Field, kind: Links) -> Option<Field> {
    let link = match &link.known {
        Known::Text(text) | Known::Glob(text) => text.as_str(),
        Known::Unknown(_) => return None,
    };
    let text = match source.text() {
        Some(text) if kind == Links::Symbolic && !text.starts_with('/') => text,
        Some(_) | None => return Some(source.clone()),
    };
    let folder = link.trim_end_matches('/').rsplit_once('/');
    let place = match folder {
        Some((folder, _)) => format!("{folder}/{text}"),
        None => text.to_owned(),
    };
    Some(Field {
        known: Known::Text(place.into()),
        ..source.clone()
    })
}

/// Where the source lands when the target is a folder.
pub(super) fn inside(target: &Field, source: &Field) -> Option<Field> {
    let (folder, file) = (target.text()?, source.text()?);
    let name = file.trim_end_matches('/').rsplit('/').next()?;
    let mut field = target.clone();
    field.known = Known::Text(format!("{folder}/{name}").into());
    Some(field)
}

fn attributes(asked: &Asked<'_>) -> Facts {
    const ATTRIBUTES: Options = Options {
        short: "cfhHLPRv",
        long: &[
            "changes",
            "recursive",
            "silent",
            "quiet",
            "verbose",
            "no-dereference",
            "preserve-root",
        ],
        long_value: &["from"],
        ..NONE
    };
    let mut facts = Facts::program();
    let mut reference = false;
    let mut deep = false;
    let mut operands = Vec::new();
    for arg in read(asked.args(), &ATTRIBUTES, Order::Mixed) {
        match arg {
            Arg::Option("R" | "--recursive", _) => deep = true,
            Arg::Option(..) => {}
            Arg::Stranger(field) => match field.text() {
                Some(text) if text.starts_with("--reference") => reference = true,
                // `chmod -x file`: a mode.
                Some(_) | None => operands.push(field),
            },
            Arg::Operand(field) => operands.push(field),
        }
    }
    let skip = if reference { 0 } else { 1 };
    for field in operands.iter().skip(skip) {
        facts.write(field, Change::Attributes);
        if deep {
            facts.might(field, UseKind::Below(Change::Attributes));
        }
    }
    facts
}

fn write_all(asked: &Asked<'_>, name: &str) -> Facts {
    const WRITE: Options = Options {
        short: "aipcon",
        short_value: "srl",
        long: &[
            "append",
            "ignore-interrupts",
            "no-create",
            "io-blocks",
            "output-error",
        ],
        long_value: &["size", "reference", "length", "offset"],
        ..NONE
    };
    let mut facts = Facts::program();
    let (_, operands) = arguments(asked, &WRITE, &mut facts);
    for field in operands {
        if !(name == "tee" && field.is("-")) {
            facts.write(field, Change::Content);
        }
    }
    // `tee` with the null device, or nothing, keeps nothing.
    let keeps = facts.uses.iter().any(|used| !used.field.is("/dev/null"));
    if name == "tee" && !keeps && asked.args().iter().all(|field| field.text().is_some()) {
        facts.nature = RunNature::KnownReader;
    }
    facts
}

/// `mount --bind place name`: another name for the place.
fn mount(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let operands: Vec<&Field> = asked
        .args()
        .iter()
        .filter(|field| !field.may_be_option())
        .collect();
    if let [.., place, name] = operands.as_slice() {
        facts.links.push(((*name).clone(), (*place).clone()));
    }
    facts
}

fn dd(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let named = |key: &str| -> Vec<Field> {
        let args = asked.args().iter();
        let fields = args.filter(|field| field.prefix().starts_with(key));
        fields.map(|field| field.tail(key.len())).collect()
    };
    let (sources, targets) = (named("if="), named("of="));
    for source in &sources {
        facts.read(source, Reach::Itself);
    }
    for target in &targets {
        facts.write(target, Change::Content);
        let copies = sources
            .iter()
            .map(|source| (target.clone(), source.clone()));
        facts.copies.extend(copies);
    }
    facts
}

fn patch(asked: &Asked<'_>) -> Facts {
    const PATCH: Options = Options {
        short: "bcEeflNnRsTtuvZ",
        short_value: "BDdFgioprVYz",
        long: &[
            "backup", "dry-run", "force", "batch", "forward", "reverse", "quiet", "silent",
            "verbose",
        ],
        long_value: &[
            "input",
            "output",
            "strip",
            "directory",
            "fuzz",
            "reject-file",
        ],
        ..NONE
    };
    let mut facts = Facts::program();
    let (options, operands) = arguments(asked, &PATCH, &mut facts);
    let mut dry = false;
    let mut folder = None;
    for (option, value) in options {
        match (option, value) {
            ("--dry-run" | "C", _) => dry = true,
            ("d" | "--directory", Some(value)) => folder = Some(value),
            ("i" | "--input", Some(file)) => facts.read(&file, Reach::Itself),
            ("o" | "--output" | "r" | "--reject-file", Some(file)) => {
                facts.write(&file, Change::Content);
            }
            _ => {}
        }
    }
    if let Some(file) = operands.first() {
        facts.write(file, Change::Content);
    } else if !dry {
        // The patch says which files.
        let folder = folder.unwrap_or_else(|| asked.here());
        facts.might(&folder, UseKind::Below(Change::Content));
    }
    if let Some(file) = operands.get(1) {
        facts.read(file, Reach::Itself);
    }
    facts
}

/// `split [options] [file [prefix]]`, `csplit [options] file place...`
fn split(asked: &Asked<'_>, name: &str) -> Facts {
    const SPLIT: Options = Options {
        short: "dexuzks",
        short_value: "abClntfm",
        long: &[
            "numeric-suffixes",
            "hex-suffixes",
            "verbose",
            "elide-empty-files",
        ],
        long_value: &[
            "bytes",
            "lines",
            "line-bytes",
            "number",
            "suffix-length",
            "additional-suffix",
            "filter",
            "separator",
            "prefix",
            "suffix-format",
            "digits",
        ],
        ..NONE
    };
    let mut facts = Facts::program();
    let (options, operands) = arguments(asked, &SPLIT, &mut facts);
    let mut operands = operands.into_iter();
    if let Some(file) = operands.next() {
        facts.might(file, UseKind::Read(Reach::Itself));
    }
    // Pieces have names that begin with what is given, or with an x.
    let prefix = match name {
        "split" => operands.next().cloned(),
        _ => options
            .into_iter()
            .find(|(option, _)| matches!(*option, "f" | "--prefix"))
            .and_then(|(_, value)| value),
    };
    let default = if name == "split" { "x" } else { "xx" };
    let prefix = prefix.unwrap_or_else(|| Field::made(default, asked.called.span));
    match prefix.text() {
        Some(text) => {
            let mut pieces = prefix.clone();
            pieces.known = Known::Glob(format!("{}*", escaped(text)).into());
            facts.might(&pieces, UseKind::Write(Change::Content));
        }
        None => facts.might(&prefix, UseKind::Write(Change::Content)),
    }
    facts
}
