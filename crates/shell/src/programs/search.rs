//! Programs that search: grep, rg, ag, fd, find.

mod find;

use pointsman_model::Reach;

use super::{Asked, Facts, Lists, UseKind, below};
use crate::field::{Field, Known};
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "grep" | "egrep" | "fgrep" | "zgrep" | "zegrep" | "zfgrep" | "rgrep" => {
            Some(grep(asked, name))
        }
        "rg" => Some(rg(asked)),
        "ag" | "ack" => Some(ag(asked)),
        "fd" | "fdfind" => Some(fd(asked)),
        "find" | "gfind" => Some(find::find(asked)),
        _ => None,
    }
}

const GREP: Options = Options {
    short: "EFGPabcHhiIlLnoqrRsTuUvVwxyzZ0123456789",
    short_value: "efmABCdD",
    short_glued: "",
    long: &[
        "extended-regexp",
        "fixed-strings",
        "basic-regexp",
        "perl-regexp",
        "ignore-case",
        "no-ignore-case",
        "invert-match",
        "word-regexp",
        "line-regexp",
        "count",
        "color",
        "colour",
        "files-without-match",
        "files-with-matches",
        "only-matching",
        "quiet",
        "silent",
        "no-messages",
        "byte-offset",
        "with-filename",
        "no-filename",
        "line-number",
        "initial-tab",
        "null",
        "null-data",
        "recursive",
        "dereference-recursive",
        "text",
        "binary",
        "line-buffered",
    ],
    long_value: &[
        "regexp",
        "file",
        "max-count",
        "label",
        "after-context",
        "before-context",
        "context",
        "binary-files",
        "devices",
        "directories",
        "exclude",
        "exclude-from",
        "exclude-dir",
        "include",
        "group-separator",
    ],
};

/// Every option of grep only reads.
fn grep(asked: &Asked<'_>, name: &str) -> Facts {
    let mut facts = Facts::reader();
    let mut patterned = false;
    let mut recursive = name == "rgrep";
    let mut names = false;
    let mut unknown = false;
    let mut only: Vec<Field> = Vec::new();
    let mut operands = Vec::new();
    for arg in read(asked.args(), &GREP, Order::Mixed) {
        match arg {
            Arg::Option("e" | "--regexp", _) => patterned = true,
            Arg::Option("f" | "--file", Some(file)) => {
                patterned = true;
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--exclude-from", Some(file)) => facts.read(&file, Reach::Itself),
            Arg::Option("--include", Some(glob)) => only.push(glob),
            Arg::Option("r" | "R" | "--recursive" | "--dereference-recursive", _) => {
                recursive = true;
            }
            Arg::Option("d" | "--directories", Some(value)) => {
                recursive |= value
                    .text()
                    .is_none_or(|text| !text.is_empty() && "recurse".starts_with(text));
            }
            Arg::Option("l" | "L" | "--files-with-matches" | "--files-without-match", _) => {
                names = true;
            }
            Arg::Option(..) => {}
            // An unknown word could be the pattern, a file, or an option like `-r`.
            Arg::Stranger(field) => {
                if field.text().is_none() {
                    operands.push(field);
                    unknown |= matches!(field.known, Known::Unknown(_));
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    if unknown {
        for field in operands.iter().filter(|field| field.text().is_some()) {
            facts.might(field, UseKind::Read(Reach::ContentBelow));
        }
        facts.might(&asked.here(), UseKind::Read(Reach::ContentBelow));
    }
    if !patterned && !operands.is_empty() {
        operands.remove(0);
    }
    let reach = if recursive {
        Reach::ContentBelow
    } else {
        Reach::Itself
    };
    let otherwise = if recursive {
        Otherwise::Folder
    } else {
        Otherwise::Input
    };
    match picked(&only, Hidden::Read).filter(|_| recursive) {
        Some(picked) => read_picked(asked, &mut facts, &operands, &picked),
        None => read_files(asked, &mut facts, &operands, reach, otherwise),
    }
    facts.lists = match (names, operands.is_empty() && !recursive) {
        (true, _) => Lists::WhatItReads,
        (false, true) => Lists::WhatItIsFed,
        (false, false) => Lists::Nothing,
    };
    facts
}

/// Reads the operands; where there are none, what stands in the folder is read `Otherwise` or not.
fn read_files(
    asked: &Asked<'_>,
    facts: &mut Facts,
    operands: &[&Field],
    reach: Reach,
    otherwise: Otherwise,
) {
    for field in operands {
        if !field.is("-") {
            facts.read(field, reach);
        }
    }
    if operands.is_empty() && otherwise == Otherwise::Folder {
        facts.read(&asked.here(), reach);
    }
}

/// Reads files of such names below the operands, or below the folder when there are none.
fn read_picked(asked: &Asked<'_>, facts: &mut Facts, operands: &[&Field], picked: &str) {
    let here = asked.here();
    let folders: Vec<&Field> = match operands {
        [] => vec![&here],
        named => named.to_vec(),
    };
    for folder in folders.into_iter().filter(|field| !field.is("-")) {
        if !operands.is_empty() {
            facts.read(folder, Reach::Itself);
        }
        match below(folder, picked) {
            Some(below) => facts.read(&below, Reach::Itself),
            None => facts.read(folder, Reach::ContentBelow),
        }
    }
}

/// What a search without operands looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    Folder,
    Input,
}

impl Otherwise {
    fn of_input(input: &crate::walk::Input) -> Self {
        if input.fed { Self::Input } else { Self::Folder }
    }
}

const RG: Options = Options {
    short: ".0acFhHiIlLnNopPqsSuUvVwx",
    short_value: "ABCdEefgjMmrTt",
    short_glued: "",
    long: &[
        "auto-hybrid-regex",
        "binary",
        "block-buffered",
        "byte-offset",
        "case-sensitive",
        "column",
        "count",
        "count-matches",
        "crlf",
        "debug",
        "files",
        "files-with-matches",
        "files-without-match",
        "fixed-strings",
        "follow",
        "glob-case-insensitive",
        "heading",
        "help",
        "hidden",
        "ignore-case",
        "include-zero",
        "invert-match",
        "json",
        "line-buffered",
        "line-number",
        "line-regexp",
        "max-columns-preview",
        "mmap",
        "multiline",
        "multiline-dotall",
        "no-binary",
        "no-config",
        "no-heading",
        "no-filename",
        "no-hidden",
        "no-ignore",
        "no-ignore-dot",
        "no-ignore-exclude",
        "no-ignore-files",
        "no-ignore-global",
        "no-ignore-messages",
        "no-ignore-parent",
        "no-ignore-vcs",
        "no-line-number",
        "no-messages",
        "no-mmap",
        "no-require-git",
        "no-unicode",
        "null",
        "null-data",
        "one-file-system",
        "only-matching",
        "passthru",
        "pcre2",
        "pcre2-version",
        "pretty",
        "quiet",
        "smart-case",
        "stats",
        "stop-on-nonmatch",
        "text",
        "trace",
        "trim",
        "type-list",
        "unrestricted",
        "version",
        "vimgrep",
        "with-filename",
        "word-regexp",
    ],
    long_value: &[
        "after-context",
        "before-context",
        "color",
        "colors",
        "context",
        "context-separator",
        "dfa-size-limit",
        "encoding",
        "engine",
        "field-context-separator",
        "field-match-separator",
        "file",
        "generate",
        "glob",
        "iglob",
        "ignore-file",
        "max-columns",
        "max-count",
        "max-depth",
        "max-filesize",
        "path-separator",
        "regex-size-limit",
        "regexp",
        "replace",
        "sort",
        "sortr",
        "threads",
        "type",
        "type-add",
        "type-clear",
        "type-not",
    ],
};

/// `--pre`, `--hostname-bin` and `-z` start programs, and are not in the table.
fn rg(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::reader();
    let mut patterned = false;
    let mut names = false;
    let mut only: Vec<Field> = Vec::new();
    let mut hidden = Hidden::LeftOut;
    let mut operands = Vec::new();
    for arg in read(asked.args(), &RG, Order::Mixed) {
        match arg {
            Arg::Option("e" | "--regexp", _) => patterned = true,
            Arg::Option("--files", _) => {
                patterned = true;
                names = true;
            }
            Arg::Option("--type-list" | "--version" | "--help" | "V" | "h", _) => patterned = true,
            Arg::Option("l" | "--files-with-matches" | "--files-without-match", _) => names = true,
            Arg::Option("f" | "--file", Some(file)) => {
                patterned = true;
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--ignore-file", Some(file)) => facts.read(&file, Reach::Itself),
            Arg::Option("g" | "--glob" | "--iglob", Some(glob)) => only.push(glob),
            Arg::Option("." | "--hidden" | "u" | "--unrestricted", _) => {
                hidden = Hidden::Read;
            }
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    operands.push(field);
                    facts.might(&asked.here(), UseKind::Read(Reach::ContentBelow));
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    if !patterned && !operands.is_empty() {
        operands.remove(0);
    }
    let fed = asked.called.input.fed;
    let reach = if names && patterned {
        Reach::NamesBelow
    } else {
        Reach::ContentBelow
    };
    let otherwise = Otherwise::of_input(asked.called.input);
    let picked = picked(&only, hidden);
    match picked.filter(|_| reach == Reach::ContentBelow) {
        Some(_) if fed && operands.is_empty() => {}
        Some(picked) => read_picked(asked, &mut facts, &operands, &picked),
        None => read_files(asked, &mut facts, &operands, reach, otherwise),
    }
    if names {
        facts.lists = Lists::WhatItReads;
    } else if fed && operands.is_empty() {
        facts.lists = Lists::WhatItIsFed;
    }
    facts
}

/// The names of the files that a search reads below a folder, when that is less than all: those of its one
/// pattern, else all but hidden ones.
fn picked(only: &[Field], hidden: Hidden) -> Option<String> {
    let plain = |text: &str| !text.contains(['/', '{', '!', '\\']);
    match only {
        [] if hidden == Hidden::LeftOut => Some("[!.]*".to_owned()),
        [one] => match &one.known {
            Known::Text(text) | Known::Glob(text) => plain(text).then(|| text.to_string()),
            Known::Unknown(_) => None,
        },
        _ => None,
    }
}

/// Whether a search reads hidden files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    LeftOut,
    Read,
}

const AG: Options = Options {
    short: "acfhHiLlnoQsSuUvwrR",
    short_value: "ABCGgmp",
    short_glued: "",
    long: &[
        "hidden",
        "nocolor",
        "color",
        "nogroup",
        "group",
        "literal",
        "ignore-case",
        "count",
    ],
    long_value: &[
        "ignore",
        "ignore-dir",
        "depth",
        "after",
        "before",
        "context",
        "type",
    ],
};

/// `--pager` and the like start programs; they are not in the table.
fn ag(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::reader();
    let mut operands = Vec::new();
    for arg in read(asked.args(), &AG, Order::Mixed) {
        match arg {
            Arg::Option(..) => {}
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(field) => operands.push(field),
        }
    }
    if !operands.is_empty() {
        operands.remove(0);
    }
    // Both read a file of options from the folder they run in.
    facts.spoil();
    let otherwise = Otherwise::of_input(asked.called.input);
    read_files(asked, &mut facts, &operands, Reach::ContentBelow, otherwise);
    facts
}

const FD: Options = Options {
    short: "0aFgHIilLpqsuU1V",
    short_value: "CcdeEjoStM",
    short_glued: "",
    long: &[
        "absolute-path",
        "case-sensitive",
        "exact-depth",
        "fixed-strings",
        "follow",
        "full-path",
        "glob",
        "hidden",
        "ignore-case",
        "list-details",
        "no-ignore",
        "no-ignore-vcs",
        "no-require-git",
        "one-file-system",
        "print0",
        "prune",
        "quiet",
        "regex",
        "show-errors",
        "unrestricted",
        "version",
        "help",
        "strip-cwd-prefix",
    ],
    long_value: &[
        "and",
        "batch-size",
        "changed-after",
        "changed-before",
        "changed-within",
        "color",
        "exclude",
        "extension",
        "format",
        "ignore-file",
        "max-depth",
        "max-results",
        "min-depth",
        "older",
        "newer",
        "owner",
        "path-separator",
        "size",
        "threads",
        "type",
        "search-path",
        "base-directory",
    ],
};

/// `-x` and `-X` start programs, and are not in the table. What is found is told apart by folder alone.
fn fd(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::reader();
    facts.lists = Lists::WhatItReads;
    let mut operands = Vec::new();
    let mut roots = false;
    let mut places: Vec<Field> = Vec::new();
    let mut inner = None;
    for (at, field) in asked.args().iter().enumerate() {
        if matches!(field.text(), Some("-x" | "-X" | "--exec" | "--exec-batch")) {
            inner = Some(at + 1);
            break;
        }
    }
    let args = match inner {
        Some(at) => asked.args().get(..at - 1).unwrap_or_default(),
        None => asked.args(),
    };
    for arg in read(args, &FD, Order::Mixed) {
        match arg {
            Arg::Option("--search-path" | "--base-directory" | "C", Some(root)) => {
                roots = true;
                facts.read(&root, Reach::NamesBelow);
                places.push(root);
            }
            Arg::Option("--ignore-file", Some(file)) => facts.read(&file, Reach::Itself),
            Arg::Option(..) => {}
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(field) => operands.push(field),
        }
    }
    if !operands.is_empty() {
        operands.remove(0);
    }
    places.extend(operands.iter().map(|field| (*field).clone()));
    let otherwise = if roots {
        Otherwise::Input
    } else {
        Otherwise::Folder
    };
    read_files(asked, &mut facts, &operands, Reach::NamesBelow, otherwise);
    if let Some(at) = inner {
        let command = asked.args().get(at..).unwrap_or_default();
        let mut command = command.to_vec();
        let braces = ["{}", "{/}", "{//}", "{.}", "{/.}"];
        if !command
            .iter()
            .any(|field| braces.iter().any(|it| field.prefix().contains(it)))
        {
            command.push(Field::made("{}", asked.called.span));
        }
        let places = if places.is_empty() {
            vec![asked.here()]
        } else {
            places
        };
        let found = find::Found {
            roots: places,
            ..find::Found::default()
        };
        find::starts(asked, &mut facts, &command, &found);
    }
    facts
}
