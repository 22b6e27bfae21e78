//! Subcommands of git that only look at the repository, with the options that keep it so.

use pointsman_model::Reach;

use super::config;
use super::tables::{BRANCH, EVERYDAY, GREP, HISTORY, REMOTE, SHORTLOG, TAG};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::programs::{Asked, Facts, Lists, UseKind, below};

/// What the subcommand does, if it is one that only looks.
pub(super) fn looks(asked: &Asked<'_>, name: &str, rest: &[Field]) -> Option<Facts> {
    let first = rest.first().and_then(Field::text);
    let behind = rest.get(1..).unwrap_or_default();
    match name {
        "log" | "diff" | "show" | "whatchanged" | "rev-list" | "diff-tree" | "diff-index"
        | "diff-files" | "range-diff" | "cherry" => {
            let mut facts = walked(asked, name, rest);
            asks_if_rare(&mut facts, name);
            if rest.iter().any(|field| field.is("--name-only")) {
                // Names below the folder.
                facts.lists = Lists::WhatItReads;
                facts.listed = vec![asked.here()];
            }
            Some(facts)
        }
        "status" | "ls-files" | "ls-tree" | "rev-parse" | "describe" | "name-rev"
        | "merge-base" | "show-ref" | "for-each-ref" | "count-objects" | "check-ignore"
        | "check-attr" | "cat-file" | "blame" | "annotate" | "version" | "show-branch" => {
            let mut facts = match name {
                "blame" | "annotate" => blame(rest),
                _ => tabled(rest, &EVERYDAY),
            };
            asks_if_rare(&mut facts, name);
            if name == "cat-file"
                && !rest
                    .iter()
                    .any(|it| it.is("-t") || it.is("-s") || it.is("-e"))
            {
                shows_tracked(&mut facts, asked, rest, Reach::Tracked);
            }
            if name == "ls-files" {
                lists(&mut facts, asked, rest);
            }
            Some(facts)
        }
        "grep" => {
            let mut facts = tabled(rest, &GREP);
            match below_of(rest) {
                Reach::TrackedBelow => {
                    shows_tracked(&mut facts, asked, rest, Reach::TrackedBelow);
                }
                everything => facts.read(&asked.here(), everything),
            }
            Some(facts)
        }
        "branch" => Some(listed(rest, &BRANCH)),
        "tag" => Some(listed(rest, &TAG)),
        "shortlog" => Some(tabled(rest, &SHORTLOG)),
        "remote" => match (first, behind) {
            (None | Some("-v" | "--verbose" | "show"), []) => Some(Facts::reader()),
            (Some("get-url"), _) => Some(tabled(behind, &REMOTE)),
            _ => None,
        },
        "stash" | "worktree" => match (name, first) {
            ("stash", Some("list" | "show")) => Some(walked(asked, name, behind)),
            ("worktree", Some("list")) => Some(tabled(behind, &EVERYDAY)),
            _ => None,
        },
        "reflog" => match first {
            Some("expire" | "delete" | "drop" | "exists" | "write") => None,
            Some("show" | "list") => Some(walked(asked, name, behind)),
            _ => Some(walked(asked, name, rest)),
        },
        "config" => config::shows(rest),
        // It asks the remote that the repository names, by the way that is set there.
        "ls-remote" if rest.is_empty() => Some(Facts::reader()),
        _ => None,
    }
}

/// Subcommands that only look but that few people expect to run unasked: what they read is told all the same.
fn asks_if_rare(facts: &mut Facts, name: &str) {
    const EXPECTED: [&str; 16] = [
        "blame",
        "cat-file",
        "describe",
        "diff",
        "for-each-ref",
        "log",
        "ls-files",
        "merge-base",
        "rev-list",
        "rev-parse",
        "shortlog",
        "show",
        "status",
        "version",
        "reflog",
        "grep",
    ];
    if !EXPECTED.contains(&name) {
        facts.spoil();
    }
}

fn tabled(rest: &[Field], options: &Options) -> Facts {
    let mut facts = Facts::reader();
    let behind_dashes = rest.iter().position(|field| field.is("--"));
    let below = below_of(rest);
    for arg in read(rest, options, Order::Mixed) {
        match arg {
            Arg::Option("O" | "f" | "--contents" | "--ignore-revs-file", Some(value)) => {
                facts.read(&value, Reach::Itself);
            }
            Arg::Option("--format" | "--pretty", Some(value)) if checks_signatures(&value) => {
                facts.spoil();
            }
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                facts.spoil();
                if field.text().is_none() {
                    operand(&mut facts, field, below);
                }
            }
            Arg::Operand(field) if is_behind(rest, field, behind_dashes) => {
                facts.might(field, UseKind::Read(below));
            }
            Arg::Operand(field) => operand(&mut facts, field, below),
        }
    }
    facts
}

/// Whether a format asks for a signature: to check it, git starts the program that the repository names for that.
fn checks_signatures(format: &Field) -> bool {
    format
        .text()
        .is_none_or(|text| text.contains("%G") || text.contains("(signature"))
}

/// `ls-files`: the names below the folder, or those that its patterns pick.
fn lists(facts: &mut Facts, asked: &Asked<'_>, rest: &[Field]) {
    facts.lists = Lists::WhatItReads;
    facts.read(&asked.here(), Reach::NamesBelow);
    let operands = rest.iter().filter(|field| !field.may_be_option());
    facts.listed = operands
        .filter_map(|field| match field.text() {
            // A pattern without a slash is one for names at any depth.
            Some(text) if text.contains('*') && !text.contains('/') => below(&asked.here(), text),
            _ => Some(field.clone()),
        })
        .collect();
}

/// What is looked at below an operand: the files that the repository keeps, unless others are asked for.
fn below_of(rest: &[Field]) -> Reach {
    let others = |field: &Field| field.is("--no-index") || field.is("--untracked");
    if rest.iter().any(others) {
        Reach::ContentBelow
    } else {
        Reach::TrackedBelow
    }
}

/// A walk through commits.
fn walked(asked: &Asked<'_>, name: &str, rest: &[Field]) -> Facts {
    let mut facts = tabled(rest, &HISTORY);
    if shows_changes(name, rest) && below_of(rest) == Reach::TrackedBelow {
        shows_tracked(&mut facts, asked, rest, Reach::Tracked);
    }
    facts
}

/// Whether a subcommand that walks commits or compares them shows what changed in the files, not only which did.
fn shows_changes(name: &str, rest: &[Field]) -> bool {
    const LESS: [&str; 13] = [
        "--stat",
        "--shortstat",
        "--numstat",
        "--dirstat",
        "--compact-summary",
        "--summary",
        "--name-only",
        "--name-status",
        "--raw",
        "--check",
        "--quiet",
        "--no-patch",
        "s",
    ];
    const CHANGES: [&str; 14] = [
        "p",
        "u",
        "U",
        "c",
        "W",
        "L",
        "--patch",
        "--patch-with-raw",
        "--patch-with-stat",
        "--unified",
        "--cc",
        "--remerge-diff",
        "--word-diff",
        "--color-words",
    ];
    let mut less = false;
    for arg in read(rest, &HISTORY, Order::Mixed) {
        match arg {
            Arg::Option(option, _) if CHANGES.contains(&option) => return true,
            Arg::Option(option, _) => {
                less |= LESS.contains(&option);
                if matches!(option, "--diff-merges" | "--function-context") {
                    return true;
                }
            }
            // It may be one that shows them.
            Arg::Stranger(_) => return true,
            Arg::Operand(_) => {}
        }
    }
    !less && matches!(name, "diff" | "show" | "range-diff")
}

/// Any file that the repository keeps, unless the arguments say which: paths behind dashes, or files of a commit.
pub(super) fn shows_tracked(facts: &mut Facts, asked: &Asked<'_>, rest: &[Field], reach: Reach) {
    let mut operands = rest
        .iter()
        .filter(|field| !field.may_be_option())
        .peekable();
    let of_commits = |field: &Field| {
        field.text().is_some_and(|text| {
            text.split_once(':')
                .is_some_and(|(_, path)| !path.is_empty())
        })
    };
    let limited = rest
        .iter()
        .position(|field| field.is("--"))
        .is_some_and(|at| at + 1 < rest.len());
    let named = operands.peek().is_some() && operands.all(of_commits);
    if !limited && !named {
        facts.might(&asked.here(), UseKind::Read(reach));
    }
}

fn is_behind(rest: &[Field], field: &Field, dashes: Option<usize>) -> bool {
    let at = rest.iter().position(|other| std::ptr::eq(other, field));
    matches!((at, dashes), (Some(at), Some(dashes)) if at > dashes)
}

/// A revision or a path: only git knows which.
fn operand(facts: &mut Facts, field: &Field, below: Reach) {
    let content = UseKind::Read(below);
    match field.text() {
        Some(text) if text.contains("..") && !text.starts_with("../") => {}
        Some(text) => match text.split_once(':') {
            // `HEAD:path`, `:path`, `:0:path`: the file as it was, or as it is staged.
            Some((revision, path)) if !path.is_empty() => {
                let skip = revision.len() + 1;
                facts.might(&field.tail(skip), content);
                if let (true, Some((stage, _))) = (revision.is_empty(), path.split_once(':')) {
                    facts.might(&field.tail(skip + stage.len() + 1), content);
                }
            }
            _ if text.contains(['~', '^', '@']) && !text.starts_with('/') => {}
            // It lies outside of the repository: git compares files there as `diff` does.
            _ if text.starts_with(['/', '~']) || text.starts_with("../") => {
                facts.read(field, Reach::ContentBelow);
            }
            _ => facts.might(field, content),
        },
        None => {
            facts.might(field, content);
            if let Some((revision, path)) = field.prefix().split_once(':')
                && !path.is_empty()
            {
                facts.might(&field.tail(revision.len() + 1), content);
            }
            // `$revision:path`
            let spelled = field.source.trim_matches('"').rsplit_once(':');
            if let Some((_, path)) = spelled
                && path.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'_' | b'-')
                })
            {
                facts.might(&Field::made(path, field.span), content);
            }
        }
    }
}

fn blame(rest: &[Field]) -> Facts {
    const BLAME: Options = Options {
        short: "bcefklnpstwMC",
        short_value: "LS",
        short_glued: "",
        ..EVERYDAY
    };
    tabled(rest, &BLAME)
}

/// `branch` and `tag`: operands make things, unless an option says that they are patterns.
fn listed(rest: &[Field], options: &Options) -> Facts {
    const LISTING: [&str; 8] = [
        "--list",
        "l",
        "n",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
    ];
    let mut facts = Facts::reader();
    let mut lists = false;
    let mut operands = false;
    for arg in read(rest, options, Order::Mixed) {
        match arg {
            Arg::Option("--format", Some(value)) if checks_signatures(&value) => facts.spoil(),
            Arg::Option(option, _) => lists |= LISTING.contains(&option),
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(_) => operands = true,
        }
    }
    if operands && !lists {
        facts.spoil();
    }
    facts
}
