//! What stands beside the rules: the mode, folders, locks and hooks that settings come to, each with
//! whose file says it and where.

use pointsman_model::{FilePlace, RuleSource};
use pointsman_policy::settings::{Loaded, Lock, Offer, SettingsFile, Standing, Whose};
use pointsman_surfaces::shown;
use serde::Serialize;

use crate::output::Output;

/// Something that is no rule, for programs.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Object<'a> {
    Mode(&'a pointsman_policy::settings::ModeSetting),
    Directory(&'a pointsman_policy::settings::DirectorySetting),
    Lock(&'a pointsman_policy::settings::LockSetting),
    Hook(&'a pointsman_policy::settings::HookSetting),
    Summary(Summary<'a>),
}

/// What all of it came to. A program is told so of no rules too.
#[derive(Serialize)]
struct Summary<'a> {
    rules: usize,
    standing: Standing,
    files: &'a [SettingsFile],
}

/// Prints all of it.
pub(super) fn show(loaded: &Loaded, output: &mut Output) {
    match &loaded.default_mode {
        Some(mode) => {
            output.text(&entry("mode", mode.mode.as_str(), mode.source, &mode.place));
            output.object(&Object::Mode(mode));
        }
        None => output.text("mode   default, since no file sets one\n"),
    }
    for added in &loaded.additional_directories {
        let folder = added.folder.as_str();
        output.text(&entry("folder", folder, added.source, &added.place));
        output.object(&Object::Directory(added));
    }
    for set in &loaded.locks {
        output.text(&entry("lock", lock(set.lock), set.source, &set.place));
        output.object(&Object::Lock(set));
    }
    let switches = &loaded.switches;
    let locked = switches.bypass == Offer::Forbidden
        || switches.auto == Offer::Forbidden
        || switches.allow_rules == Whose::ManagedOnly
        || switches.hooks == Whose::ManagedOnly;
    if locked && loaded.locks.is_empty() {
        output.text("lock   everything, since a managed file can't be read\n");
    }
    for hook in &loaded.hooks.hooks {
        let text = hook.described();
        output.text(&entry("hook", &text, hook.source, &hook.place));
        output.object(&Object::Hook(hook));
    }
    match loaded.standing {
        Standing::Clean => {}
        Standing::AskEverything => output.text(
            "every call that no deny refuses asks, since something that forbids may be missing\n",
        ),
    }
}

/// Prints what all of it came to, for a program: how many rules are in force, and what became of each file
/// that was looked for.
pub(super) fn summary(loaded: &Loaded, output: &mut Output) {
    output.object(&Object::Summary(Summary {
        rules: loaded.rules.len(),
        standing: loaded.standing,
        files: &loaded.files,
    }));
}

fn entry(what: &str, text: &str, source: RuleSource, place: &FilePlace) -> String {
    format!(
        "{what:6} {}\n       {source} {}\n",
        shown::line(text),
        shown::line(&place.to_string())
    )
}

fn lock(lock: Lock) -> &'static str {
    match lock {
        Lock::Bypass => "no mode bypassPermissions",
        Lock::Auto => "no mode auto",
        Lock::OthersAllowRules => "only managed allow rules count",
        Lock::OthersHooks => "only managed hooks run",
        Lock::AllHooks => "no hooks but managed ones",
    }
}
