//! Reading the object under `pointsman`.

use std::time::Duration;

use pointsman_model::{Millis, RuleSource, Surface};

use super::models::ModelDraft;
use super::{ClassifierBy, ClassifierSettings, ExplainerSettings, GuidanceSettings, Hangup};
use crate::Severity;
use crate::settings::document::{Json, Located, Member};
use crate::settings::keys;
use crate::settings::reading::Reader;

/// How long a classifier may take when its settings don't say: what a person waits for at a dialog.
const CLASSIFIER_TIMEOUT: Duration = Duration::from_secs(20);

/// The same of an explainer: a person has read the dialog by then.
const EXPLAINER_TIMEOUT: Duration = Duration::from_secs(15);

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
                "explainer" => self.explainer(member),
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

    /// A classifier may say yes, and an explainer is what people go by, so that only the person's own files
    /// and the managed ones name one.
    fn is_persons_word(&mut self, member: &Member) -> bool {
        let counts = matches!(
            self.place.source,
            RuleSource::UserSettings | RuleSource::PolicySettings
        );
        if !counts {
            let (message, hint) = match &*member.key {
                "classifier" => (
                    "a classifier counts in your own or the managed settings alone",
                    "a project can't choose who says yes; move it to your own pointsman settings",
                ),
                _ => (
                    "an explainer counts in your own or the managed settings alone",
                    "a project can't choose who explains its calls; move it to your own pointsman settings",
                ),
            };
            self.report(Severity::Warning, member.key_at, message.into(), Some(hint));
        }
        counts
    }

    /// The keys of a section; nothing when it is none.
    fn section<'m>(&mut self, member: &'m Member) -> Option<&'m [Member]> {
        let Json::Object(members) = &member.value.json else {
            let kind = member.value.json.kind();
            let message = format!("`{}` is an object, and this is {kind}", member.key);
            self.report(Severity::Warning, member.value.at, message, None);
            return None;
        };
        self.doubles(members);
        Some(members)
    }

    fn classifier(&mut self, member: &Member) {
        if !self.is_persons_word(member) {
            return;
        }
        let Some(members) = self.section(member) else {
            return;
        };
        let mut command = Vec::new();
        let mut timeout = Millis::from(CLASSIFIER_TIMEOUT);
        let mut attempt_timeout = None;
        let mut guidance = GuidanceSettings::default();
        let mut draft = ModelDraft::default();
        for member in members {
            match &*member.key {
                "command" => command = self.texts(member).unwrap_or_default(),
                "timeout_s" => timeout = self.timeout(member, &mut draft),
                "attempt_timeout_s" => attempt_timeout = Some(self.timeout(member, &mut draft)),
                "guidance" => guidance = self.guidance(member, &mut draft),
                _ if self.model_key(member, &mut draft) => {}
                _ => {
                    draft.broken = true;
                    self.unknown_key(member, "`classifier`", &[keys::CLASSIFIER]);
                }
            }
        }
        if draft.broken {
            return;
        }
        let by = match (command.is_empty(), draft.is_begun()) {
            (false, false) if attempt_timeout.is_some() => {
                Err("a program is asked once, so it has no `attempt_timeout_s`")
            }
            (false, false) => Ok(ClassifierBy::Program { command }),
            (true, true) => draft.finish().map(ClassifierBy::Model),
            (false, true) => Err("it has a `command` and a `model`, and can be one alone"),
            (true, false) => Err("it has neither a `command` nor a `model`"),
        };
        match by {
            Ok(by) => {
                let classifier = ClassifierSettings {
                    by,
                    timeout,
                    attempt_timeout,
                    guidance,
                    source: self.place.source,
                };
                self.content.classifier = Some(self.said(member.key_at, classifier));
            }
            Err(why) => self.report(
                Severity::Warning,
                member.key_at,
                format!("there is no classifier here: {why}"),
                Some("write a model with its dialect, or a program and its arguments as a list of strings"),
            ),
        }
    }

    fn explainer(&mut self, member: &Member) {
        if !self.is_persons_word(member) {
            return;
        }
        let Some(members) = self.section(member) else {
            return;
        };
        let mut timeout = Millis::from(EXPLAINER_TIMEOUT);
        let mut draft = ModelDraft::default();
        for member in members {
            match &*member.key {
                "timeout_s" => timeout = self.timeout(member, &mut draft),
                _ if self.model_key(member, &mut draft) => {}
                _ => {
                    draft.broken = true;
                    self.unknown_key(member, "`explainer`", &[keys::EXPLAINER]);
                }
            }
        }
        if draft.broken {
            return;
        }
        match draft.finish() {
            Ok(model) => {
                let explainer = ExplainerSettings {
                    model,
                    timeout,
                    source: self.place.source,
                };
                self.content.explainer = Some(self.said(member.key_at, explainer));
            }
            Err(why) => self.report(
                Severity::Warning,
                member.key_at,
                format!("there is no explainer here: {why}"),
                Some("write a model with its dialect"),
            ),
        }
    }

    fn timeout(&mut self, member: &Member, draft: &mut ModelDraft) -> Millis {
        let read = self.seconds(member);
        draft.broken |= read.is_none();
        read.unwrap_or(Millis(0))
    }

    /// What a person tells the classifier. What can't be read may have been to refuse something.
    fn guidance(&mut self, member: &Member, draft: &mut ModelDraft) -> GuidanceSettings {
        let mut guidance = GuidanceSettings::default();
        let Some(members) = self.section(member) else {
            draft.broken = true;
            return guidance;
        };
        for member in members {
            let list = match &*member.key {
                "environment" => &mut guidance.environment,
                "allow" => &mut guidance.allow,
                "refuse" => &mut guidance.refuse,
                _ => {
                    draft.broken = true;
                    self.unknown_key(member, "`guidance`", &[keys::GUIDANCE]);
                    continue;
                }
            };
            match all_texts(&member.value) {
                Some(texts) => *list = texts,
                None => {
                    let message = format!("`{}` is a list of strings", member.key);
                    self.spoilt(draft, member.value.at, message);
                }
            }
        }
        guidance
    }
}

/// The strings of a list that holds nothing else.
fn all_texts(value: &Located) -> Option<Vec<Box<str>>> {
    let Json::List(entries) = &value.json else {
        return None;
    };
    let text = |entry: &Located| match &entry.json {
        Json::Text(text) => Some(text.clone()),
        _ => None,
    };
    entries.iter().map(text).collect()
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
