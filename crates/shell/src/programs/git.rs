//! `git`: its global options, and the subcommands that only look.

mod config;
mod readers;
mod started;
mod tables;
mod tree;
mod writes;

use pointsman_model::{EffectView, Reach};

use self::readers::{looks, shows_tracked};
use self::started::started;
use self::tree::changes;

pub(super) use self::tree::cloned_into;
use self::writes::outputs;
use super::carriers::values;
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
            if stranger.prefix().starts_with("--config-env")
                || stranger.prefix().starts_with("--exec-path=")
            {
                // It names a command, or the place of all commands, that can't be seen here.
                facts.guard();
                facts.starts(Field {
                    known: crate::expand::unknown("", crate::field::Shape::One),
                    ..stranger.clone()
                });
            }
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
    messages(&mut facts, asked, name, rest);
    if at > 0 && globals.idle {
        facts.canonical = Some(plain.iter().map(Field::word).collect());
    } else if at > 0 {
        facts.spoil();
        facts.elsewhere = globals.elsewhere;
        for script in globals.scripts {
            facts.guard();
            facts.starts(script);
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
                    if let Some(script) = command_of(&setting)
                        && !idle
                    {
                        globals.scripts.extend(of_git_itself(&setting, &script));
                        globals.scripts.push(script);
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

/// Keys whose value is a command, or names a place that commands are taken from.
const COMMAND_KEYS: [&str; 27] = [
    "alias.",
    "browser.",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "credential.",
    "diff.",
    "difftool.",
    "filter.",
    "gpg.",
    "include.",
    "includeif.",
    "init.templatedir",
    "interactive.difffilter",
    "man.",
    "merge.",
    "mergetool.",
    "pager.",
    "protocol.",
    "remote.",
    "sequence.editor",
    "trailer.",
    "uploadpack.",
];

/// The command that a setting `key=value` names.
pub(super) fn command_of(setting: &Field) -> Option<Field> {
    let (key, value) = setting.prefix().split_once('=')?;
    let lower = key.to_ascii_lowercase();
    if !COMMAND_KEYS.iter().any(|known| lower.starts_with(known)) {
        return None;
    }
    let bang = usize::from(value.starts_with('!'));
    Some(setting.tail(key.len() + 1 + bang))
}

/// An alias without a mark in front stands for a subcommand.
fn of_git_itself(setting: &Field, script: &Field) -> Option<Field> {
    let (_, value) = setting.prefix().split_once('=')?;
    let alias = setting.prefix().to_ascii_lowercase().starts_with("alias.");
    let plain = alias && !value.starts_with('!');
    let text = script.text().filter(|_| plain)?;
    Some(Field::made(&format!("git {text}"), setting.span))
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

/// Files that a message is taken from, and files of a commit that are asked for on the input.
fn messages(facts: &mut Facts, asked: &Asked<'_>, name: &str, rest: &[Field]) {
    if matches!(name, "tag" | "notes") {
        for option in ["-F", "--file"] {
            for file in values(rest, option) {
                facts.might(&file, UseKind::Read(Reach::Itself));
            }
        }
    }
    if let ("cat-file", Some(text)) = (name, asked.called.input.text()) {
        // `commit:path`, one a line.
        for (_, path) in text.lines().filter_map(|line| line.split_once(':')) {
            let file = Field::made(path, asked.called.span);
            facts.might(&file, UseKind::Read(Reach::Itself));
        }
    }
}

fn subcommand(asked: &Asked<'_>, name: &str, rest: &[Field]) -> Facts {
    if let Some(mut facts) = looks(asked, name, rest) {
        outputs(&mut facts, name, rest);
        started(&mut facts, name, rest);
        return facts;
    }
    let mut facts = Facts::program();
    outputs(&mut facts, name, rest);
    match name {
        "config" => config::configures(&mut facts, asked, rest),
        "push" | "fetch" | "pull" | "clone" | "ls-remote" | "remote" | "submodule" => {
            connects(&mut facts, asked, name, rest);
        }
        _ => {}
    }
    let shows = match name {
        "format-patch" | "archive" | "fast-export" | "difftool" => true,
        "bundle" => rest.first().is_some_and(|field| field.is("create")),
        _ => false,
    };
    if shows {
        shows_tracked(&mut facts, asked, rest, Reach::Tracked);
    }
    changes(&mut facts, asked, name, rest);
    started(&mut facts, name, rest);
    facts
}

fn connects(facts: &mut Facts, asked: &Asked<'_>, name: &str, rest: &[Field]) {
    let remote = rest
        .iter()
        .find(|field| field.text().is_some_and(is_address))
        .cloned();
    let known = remote.is_some();
    let field = remote.unwrap_or_else(|| {
        let named = rest.iter().find(|field| !field.may_be_option());
        Field {
            known: crate::expand::unknown("", crate::field::Shape::One),
            ..match (name, named) {
                ("push" | "fetch" | "pull" | "ls-remote", Some(remote)) => remote.clone(),
                _ => Field::made("", asked.called.span),
            }
        }
    });
    if known || !matches!(name, "remote" | "submodule") {
        facts.connect(&field);
    }
    for field in rest {
        // `ext::command`: the command is the transport; a percent sign quotes a blank.
        if let Some(command) = field.text().and_then(|text| text.strip_prefix("ext::")) {
            facts.guard();
            facts.starts(Field::made(command, field.span));
            facts.starts(Field::made(&command.replace("% ", " "), field.span));
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
