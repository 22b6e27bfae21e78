//! Programs with a grammar of their own, and those that nobody knows.

use pointsman_model::{Change, EffectView, Reach};
use smallvec::SmallVec;

use super::{Asked, Facts, Inner, Lists, UseKind, globals};
use crate::expand::escaped;
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "sort" | "gsort" => Some(sort(asked)),
        "uniq" => Some(uniq(asked)),
        "date" | "gdate" => Some(date(asked)),
        "ps" => Some(ps(asked)),
        "xxd" => Some(xxd(asked)),
        "ip" => Some(ip(asked)),
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" => {
            Some(compress(asked))
        }
        "printenv" => Some(Facts::program()),
        _ => None,
    }
}

/// `-o` writes, `--compress-program` starts something; neither keeps it a reader.
fn sort(asked: &Asked<'_>) -> Facts {
    const SORT: Options = Options {
        short: "bcCdfghiMmnRrsuVz",
        short_value: "kSotT",
        short_glued: "",
        long: &[
            "check",
            "dictionary-order",
            "general-numeric-sort",
            "human-numeric-sort",
            "ignore-case",
            "ignore-leading-blanks",
            "ignore-nonprinting",
            "merge",
            "month-sort",
            "numeric-sort",
            "reverse",
            "stable",
            "unique",
            "version-sort",
            "zero-terminated",
            "debug",
            "random-sort",
        ],
        long_value: &[
            "key",
            "field-separator",
            "buffer-size",
            "parallel",
            "sort",
            "batch-size",
            "files0-from",
            "output",
        ],
    };
    let mut facts = Facts::reader();
    let mut files = false;
    for arg in read(asked.args(), &SORT, Order::Mixed) {
        match arg {
            Arg::Option("o" | "--output", Some(file)) => {
                facts.spoil();
                facts.write(&file, Change::Content);
            }
            Arg::Option("--files0-from", Some(file)) => facts.read(&file, Reach::Itself),
            Arg::Option("T", _) => facts.spoil(),
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    facts.read(field, Reach::Itself);
                }
            }
            Arg::Operand(field) if field.is("-") => {}
            Arg::Operand(field) => {
                files = true;
                facts.read(field, Reach::Itself);
            }
        }
    }
    if !files {
        facts.lists = Lists::WhatItIsFed;
    }
    facts
}

/// Its second operand is written.
fn uniq(asked: &Asked<'_>) -> Facts {
    const UNIQ: Options = Options {
        short: "cdDiuz",
        short_value: "fsw",
        short_glued: "",
        long: &[
            "count",
            "repeated",
            "all-repeated",
            "ignore-case",
            "unique",
            "zero-terminated",
            "group",
        ],
        long_value: &["skip-fields", "skip-chars", "check-chars"],
    };
    let mut facts = Facts::reader();
    let mut operands = Vec::new();
    for arg in read(asked.args(), &UNIQ, Order::Mixed) {
        match arg {
            Arg::Option(..) => {}
            // An option of old, to some versions: the next one may be the first operand, or the second.
            Arg::Operand(field) if is_plus_number(field) => {
                facts.spoil();
                for other in asked.args().iter().filter(|other| !other.may_be_option()) {
                    facts.might(other, UseKind::Write(Change::Content));
                }
            }
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => {
                if field.is_many() {
                    facts.spoil();
                }
                operands.push(field);
            }
        }
    }
    if let Some(input) = operands.first().filter(|field| !field.is("-")) {
        facts.read(input, Reach::Itself);
    }
    if let Some(output) = operands.get(1).filter(|field| !field.is("-")) {
        facts.spoil();
        facts.write(output, Change::Content);
    }
    if operands.len() > 2 {
        facts.spoil();
    }
    if operands.is_empty() {
        facts.lists = Lists::WhatItIsFed;
    }
    facts
}

fn is_plus_number(field: &Field) -> bool {
    field
        .prefix()
        .strip_prefix('+')
        .is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

/// `-s` and an operand without `+` set the clock.
fn date(asked: &Asked<'_>) -> Facts {
    const DATE: Options = Options {
        short: "uRjn",
        short_value: "drfv",
        short_glued: "I",
        long: &["utc", "universal", "rfc-email", "iso-8601", "debug"],
        long_value: &["date", "reference", "rfc-3339", "file"],
    };
    let mut facts = Facts::reader();
    for arg in read(asked.args(), &DATE, Order::Mixed) {
        match arg {
            Arg::Option("f" | "--file", Some(file)) => facts.read(&file, Reach::Itself),
            Arg::Option(..) => {}
            Arg::Operand(field) if field.prefix().starts_with('+') => {}
            Arg::Operand(_) | Arg::Stranger(_) => facts.spoil(),
        }
    }
    facts
}

/// The letter `e` without a dash in front shows the environment of others.
fn ps(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::reader();
    for field in asked.args() {
        match field.text() {
            Some(text) if text.starts_with('-') => {}
            Some(text) if !text.contains(['e', 'E']) || text.contains(',') => {}
            Some(_) | None => facts.spoil(),
        }
    }
    facts
}

/// Its second operand is written, and `-r` writes binary there. Behind the first one all are operands.
fn xxd(asked: &Asked<'_>) -> Facts {
    const XXD: Options = Options {
        short: "abeipuEC",
        short_value: "cglonsRd",
        short_glued: "",
        long: &[],
        long_value: &[],
    };
    let mut facts = Facts::reader();
    let mut operands = Vec::new();
    for arg in read(asked.args(), &XXD, Order::OptionsFirst) {
        match arg {
            Arg::Option(..) => {}
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(field) => {
                if field.is_many() {
                    facts.spoil();
                }
                operands.push(field);
            }
        }
    }
    if let Some(input) = operands.first() {
        facts.read(input, Reach::Itself);
    }
    if let Some(output) = operands.get(1) {
        facts.spoil();
        facts.write(output, Change::Content);
    }
    facts
}

fn ip(asked: &Asked<'_>) -> Facts {
    let texts: Option<Vec<&str>> = asked.args().iter().map(Field::text).collect();
    let texts = texts.unwrap_or_default();
    let objects: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| {
            !matches!(
                *text,
                "-4" | "-6" | "-br" | "-brief" | "-s" | "-j" | "-c" | "-o"
            )
        })
        .collect();
    match objects.as_slice() {
        ["a" | "addr" | "address" | "r" | "route" | "l" | "link" | "n" | "neigh"]
        | [
            "a" | "addr" | "address" | "r" | "route" | "l" | "link" | "n" | "neigh",
            "show" | "list" | "ls",
        ] => Facts::reader(),
        _ => Facts::program(),
    }
}

/// Compressors take the place of their operands, unless they print.
fn compress(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let prints = asked.args().iter().any(|field| {
        field.text().is_some_and(|text| {
            matches!(text, "--stdout" | "--to-stdout" | "--list" | "--test")
                || (text.starts_with('-')
                    && !text.starts_with("--")
                    && text.contains(['c', 'l', 't']))
        })
    });
    for field in asked.args().iter().filter(|field| !field.may_be_option()) {
        facts.read(field, Reach::Itself);
        if prints {
            continue;
        }
        facts.write(field, Change::Remove);
        // What takes its place has an ending more, or one less.
        if let Some(text) = field.text() {
            let stem = text.rsplit_once('.').map_or(text, |(stem, _)| stem);
            facts.fill(&Field::made(stem, field.span));
            for made in [format!("{}.*", escaped(text)), escaped(stem)] {
                let made = Field {
                    known: crate::field::Known::Glob(made.into()),
                    ..field.clone()
                };
                facts.might(&made, UseKind::Write(Change::Content));
            }
        }
    }
    facts
}

/// Names of programs that people write rules for: behind an unknown program they may be what it
/// starts. Sorted; looked through by halves.
static WELL_KNOWN: [&str; 60] = [
    "aws",
    "bash",
    "brew",
    "bun",
    "cargo",
    "cat",
    "chmod",
    "chown",
    "cp",
    "crontab",
    "curl",
    "dash",
    "dd",
    "deno",
    "docker",
    "eval",
    "find",
    "gcloud",
    "gh",
    "git",
    "go",
    "helm",
    "kill",
    "killall",
    "kubectl",
    "ln",
    "make",
    "mkfs",
    "mv",
    "nc",
    "ncat",
    "node",
    "npm",
    "npx",
    "perl",
    "pip",
    "pip3",
    "pkill",
    "pnpm",
    "podman",
    "python",
    "python3",
    "rm",
    "rmdir",
    "rsync",
    "ruby",
    "scp",
    "sh",
    "shred",
    "shutdown",
    "ssh",
    "sudo",
    "systemctl",
    "tee",
    "terraform",
    "touch",
    "truncate",
    "wget",
    "yarn",
    "zsh",
];

/// Whether people write rules for a program of that name.
pub(crate) fn is_well_known(name: &str) -> bool {
    WELL_KNOWN.binary_search(&name).is_ok()
}

/// A program that no table has. It may be a wrapper: what it may start stands behind its options, behind
/// `--`, or in a text whose first word is a program that rules are written for.
pub(super) fn stranger(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let args = asked.args();
    let program = asked.called.program().unwrap_or("");
    let name = super::last_name(program);
    let installs = INSTALLERS.contains(&name);
    // Known programs start what stands behind dashes; what others take their arguments for nobody knows.
    let view = if globals::has_subcommands(name) {
        EffectView::Might
    } else {
        EffectView::Guessed
    };
    for at in starts(args, name).into_iter().filter(|_| !installs) {
        let rest = args.get(at..).unwrap_or_default();
        let known = rest.first().and_then(Field::text).is_some_and(is_program);
        if known && rest.len() > 1 {
            let inner = Inner::Argv(rest.to_vec(), view);
            if !facts.inner.contains(&inner) {
                facts.inner.push(inner);
            }
        }
    }
    for field in args {
        if let Some(file) = named_file(field) {
            facts.might(&file, UseKind::Read(Reach::Itself));
        }
    }
    for field in args.iter().take(TEXTS_MAX) {
        let Some(text) = field.text() else { continue };
        let text = match text.split_once('=') {
            Some((option, value)) if option.starts_with('-') => value,
            _ => text,
        };
        let text = text.trim_start_matches(['!', ' ']);
        if text
            .split_once(' ')
            .is_some_and(|(word, _)| is_program(word))
        {
            facts.may_start(Field::made(text, field.span));
        }
    }
    facts
}

/// Programs that take the names of others for what they install or start as services, and run none of them.
const INSTALLERS: [&str; 17] = [
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "brew",
    "choco",
    "dnf",
    "gem",
    "pacman",
    "pip",
    "pip3",
    "port",
    "snap",
    "systemctl",
    "winget",
    "yum",
    "zypper",
];

/// Words that say what is done to the names behind them, which are no commands.
const VERBS: [&str; 26] = [
    "add",
    "disable",
    "enable",
    "get",
    "help",
    "info",
    "install",
    "list",
    "ls",
    "purge",
    "reinstall",
    "reload",
    "remove",
    "rm",
    "restart",
    "search",
    "show",
    "start",
    "status",
    "stop",
    "uninstall",
    "unlink",
    "update",
    "upgrade",
    "which",
    "why",
];

/// Words behind which a command line stands.
const RUNNING: [&str; 6] = ["do", "exec", "run", "shell", "with", "x"];

/// Where a command may begin: at the first operand and behind `--`; behind values of options, and behind a
/// word that says so. A subcommand is none.
fn starts(args: &[Field], name: &str) -> SmallVec<[usize; 4]> {
    let dashes = args.iter().position(|field| field.is("--"));
    if globals::has_subcommands(name) {
        return dashes.into_iter().map(|at| at + 1).collect();
    }
    let mut found = SmallVec::new();
    let mut valued = true;
    for (at, field) in args.iter().enumerate() {
        let Some(text) = field.text() else {
            valued = false;
            continue;
        };
        if text.starts_with('-') {
            valued = true;
            continue;
        }
        found.push(at);
        // What stands behind an option may be its value, or the command's own first word.
        let goes_on = valued && at > 0 || RUNNING.contains(&text);
        if !goes_on || VERBS.contains(&text) || is_program(text) {
            break;
        }
        valued = false;
    }
    found.extend(dashes.map(|at| at + 1));
    found
}

/// The file that an argument names, by the look of it: `x/y`, `.env`, `@f.txt`, `--file=x.yml`.
fn named_file(field: &Field) -> Option<Field> {
    let text = field.text()?;
    if !text.bytes().any(|byte| matches!(byte, b'.' | b'/')) {
        return None;
    }
    let skip = match text.split_once('=') {
        Some((option, _)) if !option.contains('/') => option.len() + 1,
        _ if text.starts_with('-') => return None,
        _ => 0,
    };
    let file = field.tail(skip);
    let at = usize::from(file.prefix().starts_with('@'));
    let file = file.tail(at);
    let text = file.text()?;
    let looks = text.contains(['.', '/']) && !text.contains([' ', '\n']) && !text.contains("://");
    looks.then_some(file)
}

/// Arguments of a program that nobody knows that are looked at for commands.
const TEXTS_MAX: usize = 16;

fn is_program(text: &str) -> bool {
    is_well_known(super::last_name(text))
}

#[cfg(test)]
mod tests {
    use super::WELL_KNOWN;

    #[test]
    fn the_list_is_sorted() {
        assert!(WELL_KNOWN.is_sorted());
    }
}
