//! Subcommands of git that only look at the repository, with the options that keep it so.

use pointsman_model::Reach;

use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::programs::{Asked, Facts, Lists, UseKind};

/// Options of `log`, `diff`, `show` and kin. Not here: `--output`, `--ext-diff`, `--textconv`,
/// `--no-index`, and what else writes, starts or looks outside the repository.
const HISTORY: Options = Options {
    short: "0123456789abcEFghikmpPqrRstuvwWz",
    short_value: "nGSLOl",
    short_glued: "BCDMUX",
    long: &[
        "abbrev",
        "abbrev-commit",
        "all",
        "all-match",
        "anchored",
        "ancestry-path",
        "author-date-order",
        "basic-regexp",
        "bisect",
        "boundary",
        "branches",
        "cached",
        "cc",
        "check",
        "cherry",
        "cherry-mark",
        "cherry-pick",
        "clear-decorations",
        "color",
        "color-moved",
        "color-words",
        "column",
        "combined-all-paths",
        "compact-summary",
        "count",
        "cumulative",
        "date-order",
        "decorate",
        "dense",
        "diff-algorithm",
        "diff-merges",
        "dirstat",
        "do-walk",
        "encoding",
        "exit-code",
        "expand-tabs",
        "extended-regexp",
        "find-copies",
        "find-copies-harder",
        "find-object",
        "find-renames",
        "first-parent",
        "fixed-strings",
        "follow",
        "full-diff",
        "full-history",
        "full-index",
        "function-context",
        "graph",
        "grep-reflog",
        "histogram",
        "ignore-all-space",
        "ignore-blank-lines",
        "ignore-case",
        "ignore-cr-at-eol",
        "ignore-missing",
        "ignore-space-at-eol",
        "ignore-space-change",
        "ignore-submodules",
        "indent-heuristic",
        "invert-grep",
        "irreversible-delete",
        "ita-invisible-in-index",
        "left-only",
        "left-right",
        "log-size",
        "mailmap",
        "merge",
        "merge-base",
        "merges",
        "minimal",
        "name-only",
        "name-status",
        "no-abbrev",
        "no-abbrev-commit",
        "no-color",
        "no-color-moved",
        "no-decorate",
        "no-expand-tabs",
        "no-ext-diff",
        "no-indent-heuristic",
        "no-mailmap",
        "no-merges",
        "no-notes",
        "no-patch",
        "no-prefix",
        "no-renames",
        "no-textconv",
        "no-walk",
        "not",
        "notes",
        "null",
        "numstat",
        "objects",
        "oneline",
        "parents",
        "children",
        "patch",
        "patch-with-raw",
        "patch-with-stat",
        "patience",
        "perl-regexp",
        "pickaxe-all",
        "pickaxe-regex",
        "pretty",
        "quiet",
        "raw",
        "reflog",
        "regexp-ignore-case",
        "relative",
        "relative-date",
        "remerge-diff",
        "remotes",
        "remove-empty",
        "reverse",
        "right-only",
        "root",
        "shortstat",
        "show-linear-break",
        "show-pulls",
        "show-signature",
        "simplify-by-decoration",
        "simplify-merges",
        "sparse",
        "staged",
        "stat",
        "stdin",
        "submodule",
        "summary",
        "tags",
        "text",
        "timestamp",
        "topo-order",
        "unified",
        "use-mailmap",
        "walk-reflogs",
        "word-diff",
        "no-relative",
        "header",
        "disk-usage",
        "summarize",
    ],
    long_value: &[
        "after",
        "author",
        "before",
        "committer",
        "date",
        "decorate-refs",
        "decorate-refs-exclude",
        "diff-filter",
        "dst-prefix",
        "exclude",
        "format",
        "glob",
        "grep",
        "inter-hunk-context",
        "line-prefix",
        "max-age",
        "max-count",
        "max-parents",
        "min-age",
        "min-parents",
        "rotate-to",
        "since",
        "since-as-filter",
        "skip",
        "skip-to",
        "src-prefix",
        "stat-count",
        "stat-graph-width",
        "stat-name-width",
        "stat-width",
        "until",
        "word-diff-regex",
        "ws-error-highlight",
        "show-notes",
        "group",
    ],
};

const EVERYDAY: Options = Options {
    short: "abBcdeEfhiIklLmnopqrstuvwxzZ0123456789",
    short_value: "",
    short_glued: "",
    long: &[
        "abbrev",
        "abbrev-ref",
        "absolute-git-dir",
        "ahead-behind",
        "all",
        "always",
        "batch-all-objects",
        "branch",
        "broken",
        "buffer",
        "cached",
        "candidates",
        "color",
        "column",
        "count",
        "debug",
        "deduplicate",
        "deleted",
        "dereference",
        "directory",
        "dirty",
        "empty-directory",
        "eol",
        "error-unmatch",
        "exact-match",
        "exclude-existing",
        "exclude-standard",
        "exists",
        "find-renames",
        "first-parent",
        "fork-point",
        "full-name",
        "full-tree",
        "git-common-dir",
        "git-dir",
        "git-path",
        "hash",
        "head",
        "heads",
        "human-readable",
        "ignore-submodules",
        "ignored",
        "independent",
        "incremental",
        "is-ancestor",
        "is-bare-repository",
        "is-inside-git-dir",
        "is-inside-work-tree",
        "is-shallow-repository",
        "killed",
        "line-porcelain",
        "local-env-vars",
        "long",
        "modified",
        "name-only",
        "name-status",
        "no-abbrev",
        "no-ahead-behind",
        "no-column",
        "no-empty-directory",
        "no-renames",
        "no-undefined",
        "non-matching",
        "null",
        "object-only",
        "octopus",
        "others",
        "path-format",
        "porcelain",
        "progress",
        "quiet",
        "remotes",
        "renames",
        "resolve-git-dir",
        "resolve-undo",
        "root",
        "score-debug",
        "short",
        "show-cdup",
        "show-email",
        "show-name",
        "show-number",
        "show-object-format",
        "show-prefix",
        "show-ref-format",
        "show-stash",
        "show-stats",
        "show-superproject-working-tree",
        "show-toplevel",
        "sparse",
        "sq",
        "sq-quote",
        "stage",
        "stdin",
        "symbolic",
        "symbolic-full-name",
        "tags",
        "unmerged",
        "unordered",
        "untracked-files",
        "verbose",
        "verify",
        "show-forced-updates",
        "z",
        "allow-unknown-type",
        "batch",
        "batch-check",
        "follow-symlinks",
        "not",
        "branches",
    ],
    long_value: &[
        "contains",
        "date",
        "exclude",
        "exclude-per-directory",
        "format",
        "glob",
        "match",
        "no-contains",
        "no-merged",
        "merged",
        "points-at",
        "since",
        "sort",
        "until",
        "refs",
        "default",
        "shell",
        "since-time",
        "contents",
        "ignore-rev",
    ],
};

/// Options of `git grep`; `-O` starts a pager, and is not here.
const GREP: Options = Options {
    short: "acEFGhHiIlLnopPqrvwWz0123456789",
    short_value: "ABCefm",
    short_glued: "",
    long: &[
        "all-match",
        "and",
        "basic-regexp",
        "break",
        "cached",
        "color",
        "column",
        "count",
        "exclude-standard",
        "extended-regexp",
        "files-with-matches",
        "files-without-match",
        "fixed-strings",
        "full-name",
        "function-context",
        "heading",
        "ignore-case",
        "invert-match",
        "line-number",
        "name-only",
        "no-color",
        "no-exclude-standard",
        "not",
        "null",
        "only-matching",
        "or",
        "perl-regexp",
        "quiet",
        "recursive",
        "show-function",
        "text",
        "untracked",
        "word-regexp",
    ],
    long_value: &[
        "after-context",
        "before-context",
        "context",
        "max-count",
        "max-depth",
        "threads",
    ],
};

/// What the subcommand does, if it is one that only looks.
pub(super) fn looks(asked: &Asked<'_>, name: &str, rest: &[Field]) -> Option<Facts> {
    let first = rest.first().and_then(Field::text);
    let behind = rest.get(1..).unwrap_or_default();
    match name {
        "log" | "diff" | "show" | "whatchanged" | "rev-list" | "diff-tree" | "diff-index"
        | "diff-files" | "shortlog" | "range-diff" | "cherry" => Some(tabled(rest, &HISTORY)),
        "status" | "ls-files" | "ls-tree" | "rev-parse" | "describe" | "name-rev"
        | "merge-base" | "show-ref" | "for-each-ref" | "count-objects" | "check-ignore"
        | "check-attr" | "cat-file" | "blame" | "annotate" | "version" | "show-branch" => {
            let mut facts = match name {
                "blame" | "annotate" => blame(rest),
                _ => tabled(rest, &EVERYDAY),
            };
            if name == "ls-files" {
                facts.lists = Lists::WhatItReads;
                facts.read(&asked.here(), Reach::NamesBelow);
            }
            Some(facts)
        }
        "grep" => Some(tabled(rest, &GREP)),
        "branch" => Some(listed(rest, &BRANCH, &["--list", "l"])),
        "tag" => Some(listed(rest, &TAG, &["--list", "l", "n"])),
        "remote" => match (first, behind) {
            (None | Some("-v" | "--verbose"), []) => Some(Facts::reader()),
            (Some("get-url"), _) => Some(tabled(behind, &REMOTE)),
            _ => None,
        },
        "stash" | "notes" | "worktree" | "bisect" => match (name, first) {
            ("stash", Some("list" | "show")) | ("notes", Some("list" | "show")) => {
                Some(tabled(behind, &HISTORY))
            }
            ("worktree", Some("list")) => Some(tabled(behind, &EVERYDAY)),
            ("bisect", Some("log")) if behind.is_empty() => Some(Facts::reader()),
            _ => None,
        },
        "reflog" => match first {
            Some("expire" | "delete" | "drop" | "exists" | "write") => None,
            Some("show" | "list") => Some(tabled(behind, &HISTORY)),
            _ => Some(tabled(rest, &HISTORY)),
        },
        "config" => config(rest),
        "symbolic-ref" => {
            let operands = rest.iter().filter(|field| !field.may_be_option()).count();
            let facts = tabled(rest, &SYMBOLIC);
            (operands == 1).then_some(facts)
        }
        _ => None,
    }
}

const BRANCH: Options = Options {
    short: "alrvqi",
    short_value: "",
    short_glued: "",
    long: &[
        "all",
        "remotes",
        "verbose",
        "list",
        "show-current",
        "color",
        "no-color",
        "column",
        "no-column",
        "abbrev",
        "no-abbrev",
        "ignore-case",
        "quiet",
        "omit-empty",
    ],
    long_value: &[
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "sort",
        "format",
    ],
};

const TAG: Options = Options {
    short: "li",
    short_value: "",
    short_glued: "n",
    long: &[
        "list",
        "column",
        "no-column",
        "color",
        "ignore-case",
        "omit-empty",
    ],
    long_value: &[
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "sort",
        "format",
    ],
};

const REMOTE: Options = Options {
    short: "",
    short_value: "",
    short_glued: "",
    long: &["all", "push"],
    long_value: &[],
};

const SYMBOLIC: Options = Options {
    short: "q",
    short_value: "",
    short_glued: "",
    long: &["short", "quiet", "recurse", "no-recurse"],
    long_value: &[],
};

fn tabled(rest: &[Field], options: &Options) -> Facts {
    let mut facts = Facts::reader();
    let behind_dashes = rest.iter().position(|field| field.is("--"));
    for arg in read(rest, options, Order::Mixed) {
        match arg {
            Arg::Option("O", Some(value)) | Arg::Option("f", Some(value)) => {
                facts.read(&value, Reach::Itself);
            }
            Arg::Option(..) => {}
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(field) if is_behind(rest, field, behind_dashes) => {
                facts.might(field, UseKind::Read(Reach::ContentBelow));
            }
            Arg::Operand(field) => operand(&mut facts, field),
        }
    }
    facts
}

fn is_behind(rest: &[Field], field: &Field, dashes: Option<usize>) -> bool {
    let at = rest.iter().position(|other| std::ptr::eq(other, field));
    matches!((at, dashes), (Some(at), Some(dashes)) if at > dashes)
}

/// A revision or a path: only git knows which.
fn operand(facts: &mut Facts, field: &Field) {
    let content = UseKind::Read(Reach::ContentBelow);
    match field.text() {
        Some(text) if text.contains("..") && !text.starts_with("../") => {}
        Some(text) => match text.split_once(':') {
            Some((revision, path)) if !path.is_empty() && !revision.is_empty() => {
                let skip = revision.len() + 1;
                facts.might(&field.tail(skip), content);
            }
            _ if text.contains(['~', '^', '@']) => {}
            _ => facts.might(field, content),
        },
        None => facts.might(field, content),
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
fn listed(rest: &[Field], options: &Options, listing: &[&str]) -> Facts {
    let mut facts = Facts::reader();
    let mut lists = false;
    let mut operands = false;
    for arg in read(rest, options, Order::Mixed) {
        match arg {
            Arg::Option(option, _) => lists |= listing.contains(&option),
            Arg::Stranger(_) => facts.spoil(),
            Arg::Operand(_) => operands = true,
        }
    }
    if operands && !lists {
        facts.spoil();
    }
    facts
}

/// `config --get` and `config get`; every other form may set something or list secrets.
fn config(rest: &[Field]) -> Option<Facts> {
    const CONFIG: Options = Options {
        short: "z",
        short_value: "",
        short_glued: "",
        long: &[
            "get",
            "get-all",
            "get-regexp",
            "global",
            "system",
            "local",
            "worktree",
            "null",
            "name-only",
            "show-origin",
            "show-scope",
            "bool",
            "int",
            "path",
            "includes",
            "no-includes",
            "all",
            "regexp",
        ],
        long_value: &["type", "default"],
    };
    let mut gets = rest.first().is_some_and(|field| field.is("get"));
    for arg in read(rest, &CONFIG, Order::Mixed) {
        match arg {
            Arg::Option("--get" | "--get-all" | "--get-regexp", _) => gets = true,
            Arg::Option(..) | Arg::Operand(_) => {}
            Arg::Stranger(_) => return None,
        }
    }
    gets.then(Facts::reader)
}
