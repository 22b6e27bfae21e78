//! Reading the object under `pointsman`.

use std::time::Duration;

use pointsman_model::{Millis, RuleSource, Surface};

use super::{ClassifierSettings, Hangup};
use crate::Severity;
use crate::settings::document::{Json, Located, Member};
use crate::settings::keys;
use crate::settings::reading::Reader;

/// How long a classifier may take when its settings don't say: what a person waits for at a dialog.
const CLASSIFIER_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest time that may be set, a year: longer ones are typing mistakes, and sums of times with
/// it can't overflow.
const SECONDS_MAX: f64 = 366.0 * 86_400.0;

impl Reader<'_> {
    /// Reads pointsman's own settings.
    pub(in crate::settings) fn pointsman(&mut self, value: &Located) {
        let Json::Object(members) = &value.json else {
            let message = format!(
                "`pointsman` is an object, and this is {}",
                value.json.kind()
            );
            self.report(Severity::Warning, value.at, message, None);
            return;
        };
        self.doubles(members);
        for member in members {
            match &*member.key {
                "deadline_s" => {
                    if let Some(deadline) = self.seconds(member) {
                        self.content.deadline = Some(self.said(member.value.at, deadline));
                    }
                }
                "unattended" => {
                    if let Some(unattended) = self.boolean(member) {
                        self.content.unattended = Some(self.said(member.value.at, unattended));
                    }
                }
                "surfaces" => self.surfaces(member),
                "classifier" => self.classifier(member),
                "notify" => self.notify(member),
                "hangup" => self.hangup(member),
                _ => self.unknown_key(member, "`pointsman`", &[keys::POINTSMAN]),
            }
        }
    }

    /// A length of time in seconds, more than none.
    pub(in crate::settings) fn seconds(&mut self, member: &Member) -> Option<Millis> {
        let seconds = match &member.value.json {
            Json::Number(number) => number.parse::<f64>().ok(),
            _ => None,
        };
        match seconds {
            Some(seconds) if seconds > 0.0 && seconds <= SECONDS_MAX => {
                Some(Duration::from_secs_f64(seconds).into())
            }
            _ => {
                let message = format!(
                    "`{}` is a number of seconds, more than 0 and at most a year",
                    member.key
                );
                self.report(Severity::Warning, member.value.at, message, None);
                None
            }
        }
    }

    fn hangup(&mut self, member: &Member) {
        let hangup = match &member.value.json {
            Json::Text(text) if &**text == "wait" => Hangup::Wait,
            Json::Text(text) if &**text == "refuse" => Hangup::Refuse,
            _ => {
                self.report(
                    Severity::Warning,
                    member.value.at,
                    "`hangup` is \"wait\" or \"refuse\"; it counts as \"refuse\"".into(),
                    None,
                );
                Hangup::Refuse
            }
        };
        self.content.hangup = Some(self.said(member.value.at, hangup));
    }

    fn surfaces(&mut self, member: &Member) {
        let Json::List(entries) = &member.value.json else {
            let kind = member.value.json.kind();
            let message = format!("`surfaces` is a list, and this is {kind}");
            self.report(Severity::Warning, member.value.at, message, None);
            return;
        };
        for entry in entries {
            let surface = match &entry.json {
                Json::Text(text) => surface(text),
                _ => None,
            };
            match surface {
                Some(surface) => {
                    let said = self.said(entry.at, surface);
                    self.content.surfaces.push(said);
                }
                None => self.report(
                    Severity::Warning,
                    entry.at,
                    "this names no surface".into(),
                    Some("it is one of \"terminal\", \"web\", \"chat\""),
                ),
            }
        }
    }

    /// A classifier may say yes, so that only the person's own files and the managed ones name one.
    fn classifier(&mut self, member: &Member) {
        if !matches!(
            self.place.source,
            RuleSource::UserSettings | RuleSource::PolicySettings
        ) {
            self.report(
                Severity::Warning,
                member.key_at,
                "a classifier counts in your own or the managed settings alone".into(),
                Some("a project can't choose who says yes; move it to your own pointsman settings"),
            );
            return;
        }
        let Json::Object(members) = &member.value.json else {
            let kind = member.value.json.kind();
            let message = format!("`classifier` is an object, and this is {kind}");
            self.report(Severity::Warning, member.value.at, message, None);
            return;
        };
        self.doubles(members);
        let mut command = Vec::new();
        let mut timeout = Millis::from(CLASSIFIER_TIMEOUT);
        for member in members {
            match &*member.key {
                "command" => command = self.texts(member).unwrap_or_default(),
                "timeout_s" => timeout = self.seconds(member).unwrap_or(timeout),
                _ => self.unknown_key(member, "`classifier`", &[keys::CLASSIFIER]),
            }
        }
        if command.is_empty() {
            self.report(
                Severity::Warning,
                member.key_at,
                "this classifier has no `command`, so there is none".into(),
                Some("write the program and its arguments as a list of strings"),
            );
            return;
        }
        let classifier = ClassifierSettings {
            command,
            timeout,
            source: self.place.source,
        };
        self.content.classifier = Some(self.said(member.key_at, classifier));
    }
}

/// The surface of that name. The command in another terminal is none of them: that it can be
/// started doesn't mean that someone is there.
fn surface(name: &str) -> Option<Surface> {
    match name {
        "terminal" => Some(Surface::Terminal),
        "web" => Some(Surface::Web),
        "chat" => Some(Surface::Chat),
        _ => None,
    }
}
