//! Subcommands of git that change the files of its work tree.
//!
//! Which files these are, only the repository knows: where no argument names them, it is all that
//! lies below the folder.

use pointsman_model::{Change, Reach};

use crate::field::Field;
use crate::options::{Arg, Options, Order, read};
use crate::programs::carriers::values;
use crate::programs::{Asked, Facts, UseKind, files};

/// A subcommand and its arguments.
struct Sub<'f> {
    rest: &'f [Field],
    /// Behind `--`, or all that are no options.
    operands: Vec<&'f Field>,
    dashes: bool,
}

impl Sub<'_> {
    fn has(&self, options: &[&str]) -> bool {
        self.rest
            .iter()
            .any(|field| options.iter().any(|option| field.is(option)))
    }

    fn first(&self) -> Option<&str> {
        self.rest.first().and_then(Field::text)
    }
}

/// What the subcommand changes, and what it reads of the files it is given.
pub(super) fn changes(facts: &mut Facts, asked: &Asked<'_>, name: &str, rest: &[Field]) {
    let dashes = rest.iter().position(|field| field.is("--"));
    let sub = Sub {
        rest,
        operands: match dashes {
            Some(at) => rest.iter().skip(at + 1).collect(),
            None => rest.iter().filter(|field| !field.may_be_option()).collect(),
        },
        dashes: dashes.is_some(),
    };
    match name {
        "checkout" | "checkout-index" | "switch" | "restore" => goes(facts, asked, name, &sub),
        "am" if !sub.has(&["--abort", "--quit"]) => everything(facts, asked),
        "reset" if sub.has(&["--hard", "--merge", "--keep"]) => everything(facts, asked),
        "stash" => match sub.first() {
            Some("list" | "show" | "drop" | "clear" | "create" | "store") => {}
            _ => everything(facts, asked),
        },
        "apply" => applies(facts, asked, &sub),
        "clean" => cleans(facts, asked, &sub),
        "read-tree" if sub.has(&["-u", "--reset"]) => everything(facts, asked),
        "rm" => {
            for field in sub.operands {
                facts.write(field, Change::Remove);
            }
        }
        "mv" => {
            if let Some((target, sources)) = sub.operands.split_last() {
                for source in sources {
                    let inside = files::inside(target, source);
                    for name in std::iter::once(*target).chain(&inside) {
                        facts.copies.push((name.clone(), (*source).clone()));
                    }
                }
            }
            for field in sub.operands {
                facts.write(field, Change::Remove);
                facts.write(field, Change::Content);
            }
        }
        "clone" | "init" => clones(facts, asked, name, rest),
        "submodule" if sub.first() == Some("add") => {
            clones(facts, asked, "clone", rest.get(1..).unwrap_or_default());
        }
        "lfs" if matches!(sub.first(), Some("install" | "uninstall" | "update")) => {
            let hooks = Field::made(".git/hooks/pre-push", asked.called.span);
            facts.might(&hooks, UseKind::Write(Change::Content));
        }
        "worktree" if sub.first() == Some("add") => {
            for field in sub.operands.iter().skip(1) {
                facts.might(field, UseKind::Write(Change::Content));
            }
        }
        "commit" => commits(facts, rest),
        "hash-object" | "archive" => {
            for field in sub.operands {
                facts.might(field, UseKind::Read(Reach::ContentBelow));
            }
        }
        "send-email" => {
            for field in sub.operands {
                facts.might(field, UseKind::Read(Reach::Itself));
            }
        }
        // Of a folder the files that are not ignored: which these are, only git knows.
        "add" | "stage" | "update-index" => {
            for field in sub.operands {
                facts.might(field, UseKind::Read(Reach::Itself));
            }
        }
        _ => {}
    }
}

/// Options of `clone`, `init` and `submodule add`.
const CLONE: Options = Options {
    short: "lnqsvf46",
    short_value: "bcjou",
    short_glued: "",
    long: &[
        "bare",
        "mirror",
        "quiet",
        "verbose",
        "progress",
        "no-checkout",
        "local",
        "no-local",
        "no-hardlinks",
        "shared",
        "recursive",
        "recurse-submodules",
        "single-branch",
        "no-single-branch",
        "no-tags",
        "shallow-submodules",
        "no-shallow-submodules",
        "remote-submodules",
        "sparse",
        "dissociate",
        "reject-shallow",
        "also-filter-submodules",
        "force",
        "ipv4",
        "ipv6",
    ],
    long_value: &[
        "branch",
        "bundle-uri",
        "config",
        "depth",
        "filter",
        "initial-branch",
        "jobs",
        "name",
        "object-format",
        "origin",
        "ref-format",
        "reference",
        "reference-if-able",
        "revision",
        "separate-git-dir",
        "server-option",
        "shallow-exclude",
        "shallow-since",
        "template",
        "upload-pack",
    ],
};

/// A folder is made, and a clone fills it.
fn clones(facts: &mut Facts, asked: &Asked<'_>, name: &str, rest: &[Field]) {
    let mut operands: Vec<&Field> = Vec::new();
    let mut unsure = false;
    let mut hooks = false;
    for arg in read(rest, &CLONE, Order::Mixed) {
        match arg {
            // Hooks come with it.
            Arg::Option("--template", _) => hooks = true,
            Arg::Option("--separate-git-dir", Some(folder)) => {
                facts.write(&folder, Change::Content);
            }
            Arg::Option(..) => {}
            Arg::Operand(field) => operands.push(field),
            Arg::Stranger(field) => {
                unsure = true;
                hooks |= field.prefix().starts_with("--t");
                if field.text().is_none() {
                    operands.push(field);
                }
            }
        }
    }
    // The first operand of a clone is where it comes from.
    let (source, target) = match (name, operands.as_slice()) {
        ("clone", [source, rest @ ..]) => (Some(*source), rest.first().copied()),
        (_, rest) => (None, rest.first().copied()),
    };
    if let Some(target) = target {
        facts.write(target, Change::Content);
    }
    if let Some(source) = source {
        // What it takes for an option's value, or makes of a name that nobody knows, may be any folder here.
        let made = target.cloned().or_else(|| cloned_into(source));
        let made = made.filter(|_| !unsure).unwrap_or_else(|| asked.here());
        facts.fill(&made);
        if let Some(text) = made.text() {
            // `--bare`
            facts.fill(&Field::made(&format!("{text}.git"), made.span));
        }
    }
    if hooks {
        let hooks = match target.and_then(Field::text) {
            Some(folder) => format!("{folder}/.git/hooks/*"),
            None => ".git/hooks/*".to_owned(),
        };
        let hooks = Field::made(&hooks, asked.called.span);
        facts.might(&hooks, UseKind::Write(Change::Content));
    }
}

/// The folder that a clone makes where none is named.
pub(in crate::programs) fn cloned_into(source: &Field) -> Option<Field> {
    let address = source.text()?.trim_end_matches('/');
    let address = address.strip_suffix("/.git").unwrap_or(address);
    let name = address.rsplit(['/', ':']).next()?;
    let name = name.strip_suffix(".git").unwrap_or(name);
    let name = name.strip_suffix(".bundle").unwrap_or(name);
    (!name.is_empty()).then(|| Field::made(name, source.span))
}

/// `checkout`, `switch`, `restore`: another state of the tree, or of the files that are named.
fn goes(facts: &mut Facts, asked: &Asked<'_>, name: &str, sub: &Sub<'_>) {
    let forced = sub.has(&["-f", "--force", "--discard-changes", "-a", "--all"]);
    match name {
        "checkout" if sub.has(&["-b", "-B", "--orphan", "--detach"]) && !sub.dashes => {}
        "switch" if forced => everything(facts, asked),
        // To another branch: files come as they were saved there.
        "switch" => {}
        "restore" if sub.has(&["--staged", "-S"]) && !sub.has(&["--worktree", "-W"]) => {}
        "restore" => named(facts, &sub.operands),
        _ => {
            // Without dashes a name is a branch or a path; only git knows which.
            named(facts, &sub.operands);
            if sub.operands.is_empty() || forced {
                everything(facts, asked);
            }
        }
    }
}

fn applies(facts: &mut Facts, asked: &Asked<'_>, sub: &Sub<'_>) {
    if sub.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
        return;
    }
    for field in &sub.operands {
        facts.read(field, Reach::Itself);
    }
    for folder in values(sub.rest, "--directory") {
        facts.might(&folder, UseKind::Write(Change::Content));
        facts.might(&folder, UseKind::Below(Change::Content));
    }
    everything(facts, asked);
}

fn cleans(facts: &mut Facts, asked: &Asked<'_>, sub: &Sub<'_>) {
    if sub.has(&["-n", "--dry-run"]) || is_bundle(sub.rest, 'n') {
        return;
    }
    if sub.operands.is_empty() {
        facts.might(&asked.here(), UseKind::Below(Change::Remove));
    }
    for field in &sub.operands {
        facts.might(field, UseKind::Write(Change::Remove));
        facts.might(field, UseKind::Below(Change::Remove));
    }
}

/// The files that a commit is given by name; the message is none.
fn commits(facts: &mut Facts, rest: &[Field]) {
    for option in ["-F", "--file", "-t", "--template"] {
        for file in values(rest, option) {
            facts.might(&file, UseKind::Read(Reach::Itself));
        }
    }
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| rest.get(at));
        before.and_then(Field::text).is_some_and(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.ends_with('m')
                || matches!(text, "--message" | "--author" | "--date" | "--trailer")
        })
    };
    for (at, field) in rest.iter().enumerate() {
        if !field.may_be_option() && !is_value(at) {
            facts.might(field, UseKind::Read(Reach::Itself));
        }
    }
}

/// Files and folders that are named.
fn named(facts: &mut Facts, operands: &[&Field]) {
    for field in operands {
        facts.might(field, UseKind::Write(Change::Content));
        facts.might(field, UseKind::Below(Change::Content));
    }
}

/// Any file below the folder, there or not.
fn everything(facts: &mut Facts, asked: &Asked<'_>) {
    facts.might(&asked.here(), UseKind::Below(Change::Content));
}

fn is_bundle(rest: &[Field], letter: char) -> bool {
    rest.iter().filter_map(Field::text).any(|text| {
        text.strip_prefix('-').is_some_and(|letters| {
            !letters.starts_with('-')
                && letters.contains(letter)
                && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
    })
}
