//! Reading one settings file: from its tree to [`FileContent`] and problems.
//!
//! Nothing here decides whether what a file says counts; that is [`super::load`]'s.

use pointsman_model::{
    AbsPath, FilePlace, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
};

use super::content::{FileContent, Named, Said};
use super::document::{Json, Located, Member, Source};
use super::place::{Dialect, SettingsPlace, SettingsPlaces};
use super::{keys, lint};
use crate::rule::known_tools;
use crate::{Problem, RuleError, Severity, parse_rule};

/// Reads one file and keeps what is wrong with it.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) place: &'a SettingsPlace,
    pub(super) places: &'a SettingsPlaces,
    pub(super) problems: &'a mut Vec<Problem>,
    pub(super) content: FileContent,
}

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

    fn report_at(
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
        for (index, member) in members.iter().enumerate() {
            let earlier = members.iter().take(index);
            if let Some(first) = earlier.rev().find(|earlier| earlier.key == member.key) {
                let line = self.source.place(first.key_at).line;
                self.report(
                    Severity::Warning,
                    member.key_at,
                    format!("`{}` is here twice, first on line {line}", member.key),
                    Some("write the key once; here lists of both are read and of other values the last"),
                );
            }
        }
    }

    /// Reports a key that isn't known, with the one that was most likely meant.
    pub(super) fn unknown_key(&mut self, member: &Member, within: &str, known: &[&[&str]]) {
        let near = keys::nearest(&member.key, known.iter().copied().flatten());
        // Rules under a name that nobody reads may have been to forbid or ask, and a misspelt `guard`
        // was to make a hook one: that is lost as a deny that can't be parsed is.
        let loses = match (near, &member.value.json) {
            (Some("deny" | "ask"), Json::List(_)) => within == "`permissions`",
            (Some("allow" | "additionalDirectories"), Json::List(_)) => false,
            (_, Json::List(entries)) => within == "`permissions`" && entries.iter().any(is_a_rule),
            (near, Json::Object(members)) if within.is_empty() => {
                let tightens = |member: &Member| matches!(&*member.key, "ask" | "deny");
                near == Some("permissions") || members.iter().any(tightens)
            }
            (Some("guard"), json) => within == "a hook" && !matches!(json, Json::Bool(false)),
            _ => false,
        };
        let severity = if loses {
            Severity::StopsUnattended
        } else {
            Severity::Warning
        };
        let message = if within.is_empty() {
            format!("unknown key `{}`", member.key)
        } else {
            format!("unknown key `{}` in {within}", member.key)
        };
        let hint = near.map(|near| format!("did you mean `{near}`?"));
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
                    self.report(Severity::Warning, member.key_at, message, Some(hint));
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

    fn permissions(&mut self, member: &Member) {
        let Json::Object(members) = &member.value.json else {
            self.report(
                Severity::StopsUnattended,
                member.value.at,
                format!(
                    "`permissions` is an object, and this is {}",
                    member.value.json.kind()
                ),
                None,
            );
            return;
        };
        self.doubles(members);
        for member in members {
            match &*member.key {
                "allow" => self.rules(member, RuleBehavior::Allow),
                "ask" => self.rules(member, RuleBehavior::Ask),
                "deny" => self.rules(member, RuleBehavior::Deny),
                "additionalDirectories" => self.directories(member),
                "defaultMode" => self.mode(member),
                "disableBypassPermissionsMode" | "disableAutoMode" => self.disable(member),
                key if keys::PERMISSIONS_OTHER.contains(&key) => {}
                _ => self.unknown_key(member, "`permissions`", &[keys::PERMISSIONS]),
            }
        }
    }

    fn rules(&mut self, member: &Member, behavior: RuleBehavior) {
        let severity = lost(behavior);
        let Json::List(entries) = &member.value.json else {
            let kind = member.value.json.kind();
            self.report(
                severity,
                member.value.at,
                format!("`{behavior}` is a list of rules, and this is {kind}"),
                Some("write the rules as strings in `[` and `]`"),
            );
            return;
        };
        for entry in entries {
            let Json::Text(text) = &entry.json else {
                let kind = entry.json.kind();
                let message = format!("a rule is a string, and this is {kind}");
                self.report(severity, entry.at, message, consequence(behavior));
                continue;
            };
            let parsed = match parse_rule(text) {
                Ok(parsed) => parsed,
                Err(error) => {
                    let place = self.source.place_within(entry.at, error.column());
                    let (message, hint) = told(&error, behavior);
                    self.report_at(severity, place, message, hint.as_deref());
                    continue;
                }
            };
            let rule = PermissionRule {
                behavior,
                text: RuleText::new(text),
                source: self.place.source,
                place: Some(self.source.place(entry.at)),
                anchor: self.place.anchor.clone(),
            };
            self.problems.extend(lint::at_load(&rule, &parsed));
            self.content.rules.push(rule);
        }
    }

    fn directories(&mut self, member: &Member) {
        let Json::List(entries) = &member.value.json else {
            let kind = member.value.json.kind();
            let message = format!("`additionalDirectories` is a list, and this is {kind}");
            self.report(Severity::DroppedAllow, member.value.at, message, None);
            return;
        };
        for entry in entries {
            let Json::Text(written) = &entry.json else {
                let message = format!("a folder is a string, and this is {}", entry.json.kind());
                self.report(Severity::DroppedAllow, entry.at, message, None);
                continue;
            };
            if written.trim().is_empty() || written.contains('\0') {
                let message = format!("`{written}` is no folder");
                self.report(Severity::DroppedAllow, entry.at, message, None);
                continue;
            }
            let named = Named {
                it: self.folder(written),
                written: written.clone(),
            };
            let said = self.said(entry.at, named);
            self.content.directories.push(said);
        }
    }

    /// What a folder's text means: `~` is the home; a relative one starts at the project in the
    /// project's files, else where the session starts.
    fn folder(&self, written: &str) -> AbsPath {
        if written == "~" {
            return self.places.home.clone();
        }
        if let Some(rest) = written.strip_prefix("~/") {
            return self.places.home.join(rest);
        }
        match self.place.source {
            RuleSource::ProjectSettings => self.places.project.join(written),
            RuleSource::PolicySettings
            | RuleSource::UserSettings
            | RuleSource::LocalSettings
            | RuleSource::FlagSettings
            | RuleSource::CliArg
            | RuleSource::Command
            | RuleSource::Session => self.places.folder.join(written),
        }
    }

    /// A mode that can't be read counts as the default one: it was set to something, and guessing
    /// more trust than that is no choice.
    fn mode(&mut self, member: &Member) {
        let mode = match &member.value.json {
            Json::Text(text) => text.parse().map_err(|_| {
                let names = PermissionMode::ALL.map(PermissionMode::as_str);
                let near = keys::nearest(text, &names);
                (
                    format!("`{text}` is no permission mode"),
                    near.map(|near| {
                        format!("did you mean `{near}`? until then it counts as `default`")
                    }),
                )
            }),
            other => Err((
                format!("a mode is a string, and this is {}", other.kind()),
                None,
            )),
        };
        let mode = mode.unwrap_or_else(|(message, hint)| {
            let all = "it is one of default, plan, acceptEdits, auto, dontAsk, bypassPermissions; until then it counts as `default`";
            let hint = hint.as_deref().unwrap_or(all);
            self.report(Severity::Warning, member.value.at, message, Some(hint));
            PermissionMode::Default
        });
        self.content.mode = Some(self.said(member.value.at, mode));
    }

    /// `disableBypassPermissionsMode` and `disableAutoMode`: a value that can't be read forbids, as
    /// the key alone says that something was to be forbidden.
    fn disable(&mut self, member: &Member) {
        match &member.value.json {
            Json::Text(text) if &**text == "disable" => {}
            Json::Bool(false) | Json::Null => return,
            _ => self.report(
                Severity::Warning,
                member.value.at,
                format!("`{}` has the value \"disable\" or is left out", member.key),
                Some("it counts as \"disable\" until it is mended"),
            ),
        }
        let place = Some(self.source.place(member.key_at));
        if &*member.key == "disableAutoMode" {
            self.content.auto_forbidden = place;
        } else {
            self.content.bypass_forbidden = place;
        }
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

/// Whether an entry of a list is a rule: of a tool that is known, or with a specifier.
fn is_a_rule(entry: &Located) -> bool {
    let Json::Text(text) = &entry.json else {
        return false;
    };
    parse_rule(text)
        .is_ok_and(|rule| rule.specifier().is_some() || known_tools().contains(&rule.tool()))
}

/// How much the loss of a rule weighs.
pub(super) fn lost(behavior: RuleBehavior) -> Severity {
    match behavior {
        RuleBehavior::Allow => Severity::DroppedAllow,
        RuleBehavior::Ask | RuleBehavior::Deny => Severity::StopsUnattended,
    }
}

/// A text that is no rule, and what that leads to.
pub(super) fn told(error: &RuleError, behavior: RuleBehavior) -> (String, Option<String>) {
    let hint = match (error.hint(), consequence(behavior)) {
        (Some(hint), Some(then)) => Some(format!("{hint}; {then}")),
        (hint, then) => hint.or(then).map(str::to_owned),
    };
    (error.to_string(), hint)
}

/// What the loss of a rule leads to.
fn consequence(behavior: RuleBehavior) -> Option<&'static str> {
    match behavior {
        RuleBehavior::Allow => Some("this rule alone is left out"),
        RuleBehavior::Ask | RuleBehavior::Deny => {
            Some("until it is mended nothing runs unattended, and everything else is asked for")
        }
    }
}
