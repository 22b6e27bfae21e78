//! `git`: its global options, and the subcommands that only look.

mod readers;
mod tables;
mod writes;

use pointsman_model::{Change, EffectView, Reach};

use self::readers::looks;
use self::writes::{configures, outputs};
use super::{Asked, Facts, Inner, UseKind};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};

/// Global options. `--exec-path`, `--config-env` and the like change what runs, and are not here.
const GLOBAL: Options = Options {
    short: "pP",
    short_value: "Cc",
    short_glued: "",
    long: &[
        "no-pager",
        "paginate",
        "no-optional-locks",
        "no-replace-objects",
        "literal-pathspecs",
        "glob-pathspecs",
        "noglob-pathspecs",
        "icase-pathspecs",
        "no-lazy-fetch",
        "no-advice",
        "bare",
    ],
    long_value: &["git-dir", "work-tree", "namespace"],
};

/// Configuration that changes how output looks and nothing else.
const IDLE_SETTINGS: [&str; 6] = [
    "color.",
    "core.quotepath",
    "core.pager=cat",
    "core.pager=",
    "advice.",
    "column.",
];

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    if name != "git" {
        return None;
    }
    let args = asked.args();
    let globals = match Globals::read(asked) {
        Ok(globals) => globals,
        Err(stranger) => {
            let mut facts = Facts::program();
            guess(args, stranger, &mut facts);
            return Some(facts);
        }
    };
    let Some(at) = globals.behind else {
        return Some(Facts::program());
    };
    let rest = args.get(at + 1..).unwrap_or_default();
    let plain = without_options(asked, at);
    let Some(name) = args.get(at).and_then(Field::text) else {
        let mut facts = Facts::program();
        facts.inner.push(Inner::Argv(plain, EffectView::Might));
        return Some(facts);
    };
    let mut facts = subcommand(asked, name, rest);
    if at > 0 && globals.idle {
        facts.canonical = Some(plain.iter().map(Field::word).collect());
    } else if at > 0 {
        facts.spoil();
        facts.elsewhere = globals.elsewhere;
        for script in globals.scripts {
            facts.inner.push(Inner::Script(script, EffectView::Might));
        }
        facts.inner.push(Inner::Argv(plain, EffectView::Might));
    }
    // Another folder may be another repository, with hooks and settings of its own.
    if !asked.at_start() {
        facts.spoil();
    }
    Some(facts)
}

/// The global options of a command.
struct Globals {
    /// They change nothing of what the subcommand does.
    idle: bool,
    /// The folder that `-C` names.
    elsewhere: Option<Field>,
    /// Where the subcommand stands among the arguments.
    behind: Option<usize>,
    /// Values of settings that may be commands: of aliases, pagers, helpers.
    scripts: Vec<Field>,
}

impl Globals {
    fn read<'f>(asked: &Asked<'f>) -> Result<Self, &'f Field> {
        let args = asked.args();
        let mut globals = Self {
            idle: true,
            elsewhere: None,
            behind: None,
            scripts: Vec::new(),
        };
        for arg in read(args, &GLOBAL, Order::OptionsFirst) {
            match arg {
                Arg::Option("C", Some(folder)) => {
                    let target = crate::walk::folder_of(&folder, asked.state);
                    let same = asked.state.folders.as_slice() == std::slice::from_ref(&target);
                    // A second one is relative to the first.
                    globals.idle &= same && globals.elsewhere.is_none();
                    globals.elsewhere = Some(folder);
                }
                Arg::Option("c", Some(setting)) => {
                    let idle = is_idle(&setting);
                    globals.idle &= idle;
                    if let Some((key, value)) = setting.prefix().split_once('=')
                        && !idle
                    {
                        let bang = usize::from(value.starts_with('!'));
                        globals.scripts.push(setting.tail(key.len() + 1 + bang));
                    }
                }
                Arg::Option(
                    "--git-dir" | "--work-tree" | "--namespace" | "--bare" | "p" | "--paginate",
                    _,
                ) => globals.idle = false,
                Arg::Option(..) => {}
                Arg::Stranger(field) => return Err(field),
                Arg::Operand(field) => {
                    globals.behind = args.iter().position(|other| std::ptr::eq(other, field));
                    break;
                }
            }
        }
        Ok(globals)
    }
}

fn is_idle(setting: &Field) -> bool {
    setting.text().is_some_and(|text| {
        let text = text.to_ascii_lowercase();
        IDLE_SETTINGS.iter().any(|known| {
            if known.contains('=') {
                text == *known
            } else {
                text.starts_with(known)
            }
        })
    })
}

/// The command without its global options.
fn without_options(asked: &Asked<'_>, sub: usize) -> Vec<Field> {
    let mut plain = Vec::new();
    plain.extend(asked.called.fields.first().cloned());
    plain.extend_from_slice(asked.args().get(sub..).unwrap_or_default());
    plain
}

/// Behind an unknown option the subcommand may be the next word, or the one behind it.
fn guess(args: &[Field], stranger: &Field, facts: &mut Facts) {
    let Some(at) = args.iter().position(|other| std::ptr::eq(other, stranger)) else {
        return;
    };
    for from in [at + 1, at + 2] {
        let Some(rest) = args.get(from..).filter(|rest| !rest.is_empty()) else {
            continue;
        };
        let mut plain = vec![Field::made("git", stranger.span)];
        plain.extend_from_slice(rest);
        if rest.first().is_some_and(|field| !field.may_be_option()) {
            facts.inner.push(Inner::Argv(plain, EffectView::Might));
        }
    }
}

fn subcommand(asked: &Asked<'_>, name: &str, rest: &[Field]) -> Facts {
    if let Some(mut facts) = looks(asked, name, rest) {
        outputs(&mut facts, name, rest);
        return facts;
    }
    let mut facts = Facts::program();
    outputs(&mut facts, name, rest);
    match name {
        "config" => configures(&mut facts, asked, rest),
        "checkout" | "restore" | "rm" | "mv" | "apply" | "add" | "stage" => {
            changes(&mut facts, name, rest);
        }
        "push" | "fetch" | "pull" | "clone" | "ls-remote" | "remote" | "submodule" => {
            let remote = rest
                .iter()
                .find(|field| field.text().is_some_and(is_address))
                .cloned();
            let field = remote.unwrap_or_else(|| Field {
                known: crate::expand::unknown("", crate::field::Shape::One),
                ..Field::made(name, asked.called.span)
            });
            if !matches!(name, "remote" | "submodule") || field.text().is_some() {
                facts.connect(&field);
            }
        }
        _ => {}
    }
    started(&mut facts, name, rest);
    facts
}

/// What a subcommand starts by its arguments.
fn started(facts: &mut Facts, name: &str, rest: &[Field]) {
    let might = EffectView::Might;
    match name {
        "bisect" if rest.first().is_some_and(|field| field.is("run")) => {
            let command = rest.get(1..).unwrap_or_default().to_vec();
            facts.inner.push(Inner::Argv(command, might));
        }
        "submodule" if rest.iter().any(|field| field.is("foreach")) => {
            let at = rest
                .iter()
                .position(|field| field.is("foreach"))
                .unwrap_or(0);
            let command: Vec<Field> = rest
                .iter()
                .skip(at + 1)
                .filter(|field| !field.is("--recursive") && !field.is("-q"))
                .cloned()
                .collect();
            match command.as_slice() {
                [script] => facts.inner.push(Inner::Script(script.clone(), might)),
                _ => facts.inner.push(Inner::Argv(command, might)),
            }
        }
        "rebase" | "filter-branch" | "difftool" | "mergetool" | "fetch" | "pull" | "clone"
        | "push" | "archive" => {
            for (at, field) in rest.iter().enumerate() {
                let Some(text) = field.text() else { continue };
                let exec = [
                    "-x",
                    "--exec",
                    "--extcmd",
                    "--tree-filter",
                    "--index-filter",
                    "--msg-filter",
                    "--upload-pack",
                    "-u",
                    "--receive-pack",
                ];
                if exec.contains(&text) && !(text == "-u" && matches!(name, "push" | "archive")) {
                    if let Some(script) = rest.get(at + 1) {
                        facts.inner.push(Inner::Script(script.clone(), might));
                    }
                } else if let Some((option, _)) = text.split_once('=')
                    && exec.contains(&option)
                {
                    let script = field.tail(option.len() + 1);
                    facts.inner.push(Inner::Script(script, might));
                }
            }
        }
        _ => {}
    }
}

fn changes(facts: &mut Facts, name: &str, rest: &[Field]) {
    let dashes = rest.iter().position(|field| field.is("--"));
    let paths = match (name, dashes) {
        // Without dashes a name is a branch or a path; only git knows which.
        ("checkout", None) if rest.iter().any(|field| field.is("-b") || field.is("-B")) => &[],
        (_, Some(at)) => rest.get(at + 1..).unwrap_or_default(),
        (_, None) => rest,
    };
    for field in paths.iter().filter(|field| !field.may_be_option()) {
        match name {
            "checkout" | "restore" => facts.might(field, UseKind::Write(Change::Content)),
            "rm" => facts.write(field, Change::Remove),
            "mv" => {
                facts.write(field, Change::Remove);
                facts.write(field, Change::Content);
            }
            "apply" => facts.read(field, Reach::Itself),
            _ => facts.might(field, UseKind::Read(Reach::ContentBelow)),
        }
    }
}

/// Whether the text is the address of a repository elsewhere.
fn is_address(text: &str) -> bool {
    if text.starts_with('-') {
        return false;
    }
    text.contains("://") || (text.contains('@') && text.contains(':'))
}
