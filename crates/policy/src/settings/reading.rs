//! Reading one settings file: from its tree to [`FileContent`] and problems.
//!
//! Nothing here decides whether what a file says counts; that is [`super::load`]'s.

mod permissions;

use pointsman_model::{FilePlace, RuleSource};

use rustc_hash::FxHashMap;

use super::content::{FileContent, Said};
use super::document::{Json, Located, Member, Source};
use super::hooks::{self, holds_guard};
use super::keys;
use super::place::{Dialect, SettingsPlace, SettingsPlaces};
use crate::rule::known_tools;
use crate::{Problem, Severity, parse_rule};

pub(super) use permissions::{lost, told};

/// Reads one file and keeps what is wrong with it.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) place: &'a SettingsPlace,
    pub(super) places: &'a SettingsPlaces,
    pub(super) problems: &'a mut Vec<Problem>,
    pub(super) content: FileContent,
    /// How many keys were not known.
    pub(super) unknown_keys: usize,
}

/// After so many unknown keys the file is taken for another kind of file: what was meant by each is not looked for.
const UNKNOWN_KEYS_MAX: usize = 1_000;

impl Reader<'_> {
    /// Reads the whole file. `None` when it is no settings file at all; the problem says why.
    pub(super) fn read(mut self) -> Option<FileContent> {
        let root = match self.source.parse() {
            Ok(root) => root,
            Err(error) => {
                self.report(
                    Severity::StopsUnattended,
                    error.at,
                    format!("this is no JSON: {}", error.what),
                    Some("nothing in this file is in force; comments and trailing commas are fine, all else must be JSON"),
                );
                return None;
            }
        };
        let Json::Object(members) = &root.json else {
            self.report(
                Severity::StopsUnattended,
                root.at,
                format!(
                    "a settings file holds an object, and this is {}",
                    root.json.kind()
                ),
                None,
            );
            return None;
        };
        self.doubles(members);
        for member in members {
            self.top(member);
        }
        Some(self.content)
    }

    /// Keeps a problem.
    pub(super) fn report(
        &mut self,
        severity: Severity,
        at: usize,
        message: String,
        hint: Option<&str>,
    ) {
        let place = self.source.place(at);
        self.report_at(severity, place, message, hint);
    }

    pub(super) fn report_at(
        &mut self,
        severity: Severity,
        place: FilePlace,
        message: String,
        hint: Option<&str>,
    ) {
        self.problems.push(Problem {
            severity,
            place: Some(place),
            message,
            hint: hint.map(str::to_owned),
        });
    }

    /// Reports keys that come twice: readers disagree on which of them counts.
    pub(super) fn doubles(&mut self, members: &[Member]) {
        self.doubles_weighing(members, Severity::Warning);
    }

    /// The same, where it may weigh more. Which of two was meant is not known, so a guard in either may be lost.
    pub(super) fn doubles_weighing(&mut self, members: &[Member], severity: Severity) {
        let mut before: FxHashMap<&str, &Member> = FxHashMap::default();
        for member in members {
            if let Some(first) = before.insert(&member.key, member) {
                let line = self.source.place(first.key_at).line;
                let guards = holds_guard(&first.value) || holds_guard(&member.value);
                let severity = if guards {
                    Severity::StopsUnattended
                } else {
                    severity
                };
                self.report(
                    severity,
                    member.key_at,
                    format!("`{}` is here twice, first on line {line}", member.key),
                    Some("write the key once; here lists of both are read and of other values the last"),
                );
            }
        }
    }

    /// Reports a key that isn't known, with the one that was most likely meant.
    pub(super) fn unknown_key(&mut self, member: &Member, within: &str, known: &[&[&str]]) {
        self.unknown_keys += 1;
        if self.unknown_keys > UNKNOWN_KEYS_MAX {
            if self.unknown_keys == UNKNOWN_KEYS_MAX + 1 {
                self.report(
                    Severity::StopsUnattended,
                    member.key_at,
                    format!("more than {UNKNOWN_KEYS_MAX} keys of this file are unknown; the rest is not told"),
                    Some("what the others may forbid is not known; remove what is no setting"),
                );
            }
            return;
        }
        let near = keys::nearest(&member.key, known.iter().copied().flatten());
        // Rules under a name that nobody reads may have been to forbid or ask, and a misspelt `guard`
        // was to make a hook one: that is lost as a deny that can't be parsed is.
        let loses = match (near, &member.value.json) {
            (Some("deny" | "ask"), Json::List(_)) => within == "`permissions`",
            (Some("allow" | "additionalDirectories"), Json::List(_)) => false,
            (_, Json::List(entries)) => {
                // An allow that nobody reads loosens nothing.
                let allows = within.is_empty() && member.key.to_lowercase().starts_with("allow");
                let holds_rules = within.is_empty() || within == "`permissions`";
                holds_rules && !allows && entries.iter().any(is_a_rule)
            }
            (near, Json::Object(members)) if within.is_empty() => {
                let tightens = |member: &Member| matches!(&*member.key, "ask" | "deny");
                near == Some("permissions") || members.iter().any(tightens)
            }
            (Some("guard"), json) => within == "a hook" && !matches!(json, Json::Bool(false)),
            _ => false,
        };
        let guards = holds_guard(&member.value);
        let severity = if loses || guards {
            Severity::StopsUnattended
        } else {
            Severity::Warning
        };
        let message = if within.is_empty() {
            format!("unknown key `{}`", member.key)
        } else {
            format!("unknown key `{}` in {within}", member.key)
        };
        let hint = match near {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None => guards.then(|| hooks::SHAPE.to_owned()),
        };
        self.report(severity, member.key_at, message, hint.as_deref());
    }

    fn top(&mut self, member: &Member) {
        match &*member.key {
            "permissions" => self.permissions(member),
            "hooks" => self.hooks(&member.value),
            "disableAllHooks" => {
                if let Some(off) = self.boolean(member) {
                    self.content.hooks_off = Some(self.said(member.key_at, off));
                }
            }
            "allowedHttpHookUrls" => {
                self.content.hook_urls = self.texts(member);
            }
            "httpHookAllowedEnvVars" => {
                self.content.hook_env = self.texts(member);
            }
            "allowManagedPermissionRulesOnly" => {
                self.content.managed_rules_only = self.managed_lock(member);
            }
            "allowManagedHooksOnly" => {
                self.content.managed_hooks_only = self.managed_lock(member);
            }
            "disableBypassPermissionsMode" | "disableAutoMode" => self.disable(member),
            "pointsman" if self.place.dialect != Dialect::Claude => self.pointsman(&member.value),
            "pointsman" => self.report(
                Severity::Warning,
                member.key_at,
                "`pointsman` counts in pointsman's own settings alone".into(),
                Some("move it to `.pointsman/settings.json`, or to your own pointsman settings"),
            ),
            "allow" | "ask" | "deny" | "additionalDirectories" | "defaultMode" => {
                self.misplaced(member);
            }
            key if keys::TOP_OTHER.contains(&key) => {}
            key => {
                if let Some((_, hint)) = keys::TOP_FORMER.iter().find(|(former, _)| *former == key)
                {
                    let message = format!("`{key}` is a key of former versions");
                    self.report(former_weighs(member), member.key_at, message, Some(hint));
                } else {
                    self.unknown_key(
                        member,
                        "",
                        &[keys::TOP_OURS, keys::TOP_OTHER, &["pointsman"]],
                    );
                }
            }
        }
    }

    /// A key of `permissions` beside it instead of in it.
    fn misplaced(&mut self, member: &Member) {
        let severity = match &*member.key {
            "ask" | "deny" => Severity::StopsUnattended,
            _ => Severity::Warning,
        };
        self.report(
            severity,
            member.key_at,
            format!("`{}` has no effect here", member.key),
            Some("it belongs into the object `permissions`"),
        );
    }

    /// A lock of the managed settings: present and unreadable means locked.
    fn managed_lock(&mut self, member: &Member) -> Option<FilePlace> {
        if self.place.source != RuleSource::PolicySettings {
            self.report(
                Severity::Warning,
                member.key_at,
                format!("`{}` counts in managed settings alone", member.key),
                None,
            );
            return None;
        }
        match &member.value.json {
            Json::Bool(true) => {}
            Json::Bool(false) => return None,
            other => self.report(
                Severity::Warning,
                member.value.at,
                format!(
                    "`{}` is a boolean, and this is {}",
                    member.key,
                    other.kind()
                ),
                Some("it counts as true until it is mended"),
            ),
        }
        Some(self.source.place(member.key_at))
    }

    /// A boolean; anything else is reported and says nothing.
    pub(super) fn boolean(&mut self, member: &Member) -> Option<bool> {
        match &member.value.json {
            Json::Bool(value) => Some(*value),
            other => {
                let kind = other.kind();
                let message = format!("`{}` is a boolean, and this is {kind}", member.key);
                self.report(Severity::Warning, member.value.at, message, None);
                None
            }
        }
    }

    /// A list of strings. A list that can't be read holds nothing: it is there to restrict.
    pub(super) fn texts(&mut self, member: &Member) -> Option<Vec<Box<str>>> {
        let mut texts = Vec::new();
        let entries: &[Located] = match &member.value.json {
            Json::List(entries) => entries,
            other => {
                let kind = other.kind();
                let message = format!("`{}` is a list of strings, and this is {kind}", member.key);
                self.report(Severity::Warning, member.value.at, message, None);
                &[]
            }
        };
        for entry in entries {
            match &entry.json {
                Json::Text(text) => texts.push(text.clone()),
                other => {
                    let message = format!(
                        "`{}` holds strings, and this is {}",
                        member.key,
                        other.kind()
                    );
                    self.report(Severity::Warning, entry.at, message, None);
                }
            }
        }
        Some(texts)
    }

    /// Something said at a byte of this file.
    pub(super) fn said<T>(&self, at: usize, it: T) -> Said<T> {
        Said {
            it,
            place: self.source.place(at),
        }
    }
}

/// How much a key of former versions matters: one that was to forbid is lost as a deny is.
fn former_weighs(member: &Member) -> Severity {
    let forbids = &*member.key == "ignorePatterns";
    match &member.value.json {
        Json::List(entries) if forbids && !entries.is_empty() => Severity::StopsUnattended,
        _ => Severity::Warning,
    }
}

/// Whether an entry of a list is a rule: of a tool that is known, or with a specifier.
fn is_a_rule(entry: &Located) -> bool {
    let Json::Text(text) = &entry.json else {
        return false;
    };
    parse_rule(text)
        .is_ok_and(|rule| rule.specifier().is_some() || known_tools().contains(&rule.tool()))
}
