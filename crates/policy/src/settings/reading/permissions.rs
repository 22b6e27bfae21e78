//! Reading the object `permissions`: rules, folders, the start mode, what is switched off.

use pointsman_model::{
    AbsPath, PermissionMode, PermissionRule, RuleBehavior, RuleSource, RuleText,
};

use super::Reader;
use crate::settings::content::Named;
use crate::settings::document::{Json, Member};
use crate::settings::{keys, lint};
use crate::{RuleError, Severity, parse_rule};

impl Reader<'_> {
    pub(super) fn permissions(&mut self, member: &Member) {
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
            self.content.parsed.keep(&rule.text, parsed);
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
    pub(super) fn disable(&mut self, member: &Member) {
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
}

/// How much the loss of a rule weighs.
pub(in crate::settings) fn lost(behavior: RuleBehavior) -> Severity {
    match behavior {
        RuleBehavior::Allow => Severity::DroppedAllow,
        RuleBehavior::Ask | RuleBehavior::Deny => Severity::StopsUnattended,
    }
}

/// A text that is no rule, and what that leads to.
pub(in crate::settings) fn told(
    error: &RuleError,
    behavior: RuleBehavior,
) -> (String, Option<String>) {
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
