//! What a subcommand of git starts because its arguments say so.

use pointsman_model::EffectView;

use super::command_of;
use crate::field::Field;
use crate::programs::carriers::values;
use crate::programs::{Facts, Inner};

/// Options whose value is a command, by subcommand.
const COMMANDS: [(&[&str], &[&str]); 9] = [
    (&["rebase"], &["-x", "--exec"]),
    (
        &["filter-branch"],
        &[
            "--setup",
            "--env-filter",
            "--tree-filter",
            "--index-filter",
            "--parent-filter",
            "--msg-filter",
            "--commit-filter",
            "--tag-name-filter",
        ],
    ),
    (&["difftool", "mergetool"], &["-x", "--extcmd"]),
    (
        &["fetch", "pull", "clone", "ls-remote", "fetch-pack"],
        &["--upload-pack", "--exec"],
    ),
    (&["clone"], &["-u"]),
    (
        &["push", "send-pack", "archive"],
        &["--receive-pack", "--exec"],
    ),
    (
        &["send-email"],
        &[
            "--sendmail-cmd",
            "--smtp-server",
            "--to-cmd",
            "--cc-cmd",
            "--header-cmd",
        ],
    ),
    (
        &["web--browse", "instaweb", "help"],
        &["-d", "--httpd", "--browser"],
    ),
    (&["daemon"], &["--access-hook"]),
];

/// What a subcommand starts by its arguments.
pub(super) fn started(facts: &mut Facts, name: &str, rest: &[Field]) {
    for (names, options) in COMMANDS {
        if !names.contains(&name) {
            continue;
        }
        for option in options {
            for script in values(rest, option) {
                facts.guard();
                facts.starts(script);
            }
        }
    }
    match name {
        "bisect" if rest.first().is_some_and(|field| field.is("run")) => {
            argv(facts, rest.get(1..).unwrap_or_default().to_vec());
        }
        "submodule" | "for-each-repo" => foreach(facts, name, rest),
        "clone" | "submodule--helper" => {
            for option in ["-c", "--config"] {
                for setting in values(rest, option) {
                    if let Some(script) = command_of(&setting) {
                        facts.guard();
                        facts.starts(script);
                    }
                }
            }
        }
        "grep" => pager(facts, rest),
        "lfs" | "annex" => {}
        _ => {}
    }
}

fn argv(facts: &mut Facts, command: Vec<Field>) {
    facts.guard();
    // Words that may be none leave a text alone.
    let (script, behind) = match command.split_first() {
        Some((script, behind)) if behind.iter().all(Field::is_many) => (script.clone(), behind),
        _ => {
            facts.inner.push(Inner::Argv(command, EffectView::Might));
            return;
        }
    };
    facts.starts(script);
    if !behind.is_empty() {
        facts.inner.push(Inner::Argv(command, EffectView::Might));
    }
}

fn foreach(facts: &mut Facts, name: &str, rest: &[Field]) {
    let at = match rest.iter().position(|field| field.is("foreach")) {
        Some(at) => at + 1,
        None if name == "for-each-repo" => 0,
        None => return,
    };
    let command: Vec<Field> = rest
        .iter()
        .skip(at)
        .skip_while(|field| field.text().is_some_and(|text| text.starts_with('-')))
        .cloned()
        .collect();
    if !command.is_empty() {
        argv(facts, command);
    }
}

/// `grep -O[pager]` opens what it finds in a pager; without a value in the one that is configured.
fn pager(facts: &mut Facts, rest: &[Field]) {
    for field in rest {
        let glued = ["--open-files-in-pager=", "-O"]
            .into_iter()
            .find(|option| field.prefix().starts_with(option));
        if let Some(option) = glued {
            facts.guard();
            let script = field.tail(option.len());
            if !script.is("") {
                facts.starts(script);
            }
        }
    }
}
