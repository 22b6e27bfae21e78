//! How a person is told that something waits: the keys under `notify`.
//!
//! They name programs that run on this machine beside every rule, so only the person's own files and
//! the managed ones have a say.

use pointsman_model::{Millis, RuleSource};
use serde::Serialize;

use crate::Severity;
use crate::settings::document::{Json, Member};
use crate::settings::keys;
use crate::settings::reading::Reader;

/// Reminders of one request. More would be noise, not news.
const REMINDERS_MAX: usize = 8;
/// Minutes of a day.
const DAY_MINUTES: u16 = 24 * 60;

/// How a person is told that something waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotifySettings {
    /// The program and its arguments, which gets the request as JSON on its standard input. Empty for none.
    pub command: Vec<Box<str>>,
    /// Whether the terminal's bell rings.
    pub bell: bool,
    /// Whether the desktop is told, where there is one.
    pub desktop: bool,
    /// The ages at which a request that still waits is told of again, in order.
    pub reminders: Vec<Millis>,
    /// Who is told when nobody came.
    pub escalation: Option<Escalation>,
    /// When nobody is disturbed.
    pub quiet: Option<QuietHours>,
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            bell: true,
            desktop: true,
            reminders: Vec::new(),
            escalation: None,
            quiet: None,
        }
    }
}

/// A second program, for requests that nobody came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Escalation {
    /// The age of the request.
    pub after: Millis,
    /// The program and its arguments.
    pub command: Vec<Box<str>>,
}

/// A part of each day, in local time, in which nobody is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QuietHours {
    /// Its first minute of the day.
    from: u16,
    /// The first minute that is not in it any more; at or before `from` it is one of the next day.
    to: u16,
}

impl QuietHours {
    /// Reads `22:00-07:00`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from.trim())?, minute(to.trim())?);
        (from != to).then_some(Self { from, to })
    }

    /// Whether that minute of the day is in it.
    #[must_use]
    pub fn holds(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }

    /// How many minutes after that minute of the day it is over; nothing when it does not hold then.
    #[must_use]
    pub fn minutes_left(self, minute: u16) -> Option<u16> {
        let minute = minute % DAY_MINUTES;
        self.holds(minute)
            .then(|| (self.to + DAY_MINUTES - minute) % DAY_MINUTES)
    }

    /// How many minutes before that minute of the day it began; nothing when it does not hold then.
    #[must_use]
    pub fn minutes_past(self, minute: u16) -> Option<u16> {
        let minute = minute % DAY_MINUTES;
        self.holds(minute)
            .then(|| (minute + DAY_MINUTES - self.from) % DAY_MINUTES)
    }
}

/// The minute of the day of `07:30`.
fn minute(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let digits = |text: &str| {
        let plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<u16>().ok()).flatten()
    };
    let (hour, minute) = (digits(hour)?, digits(minute)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

impl Reader<'_> {
    /// Reads `notify`: an object, or the command alone.
    pub(super) fn notify(&mut self, member: &Member) {
        if !matches!(
            self.place.source,
            RuleSource::UserSettings | RuleSource::PolicySettings
        ) {
            self.report(
                Severity::Warning,
                member.key_at,
                "`notify` counts in your own or the managed settings alone".into(),
                Some("a project can't choose what runs on your machine; move it to your own pointsman settings"),
            );
            return;
        }
        let mut notify = NotifySettings::default();
        match &member.value.json {
            Json::Text(_) | Json::List(_) => notify.command = self.command(member),
            Json::Object(members) => {
                self.doubles(members);
                for member in members {
                    self.notify_key(member, &mut notify);
                }
            }
            other => {
                let message = format!(
                    "`notify` is a command or an object, and this is {}",
                    other.kind()
                );
                self.report(Severity::Warning, member.value.at, message, None);
                return;
            }
        }
        self.content.notify = Some(self.said(member.key_at, notify));
    }

    fn notify_key(&mut self, member: &Member, notify: &mut NotifySettings) {
        match &*member.key {
            "command" => notify.command = self.command(member),
            "bell" => notify.bell = self.boolean(member).unwrap_or(true),
            "desktop" => notify.desktop = self.boolean(member).unwrap_or(true),
            "remind_s" => notify.reminders = self.reminders(member),
            "escalate" => notify.escalation = self.escalation(member),
            "quiet" => {
                let quiet = match &member.value.json {
                    Json::Text(text) => QuietHours::parse(text),
                    _ => None,
                };
                if quiet.is_none() {
                    self.report(
                        Severity::Warning,
                        member.value.at,
                        "this is no part of a day".into(),
                        Some("write it like \"22:00-07:00\""),
                    );
                }
                notify.quiet = quiet;
            }
            _ => self.unknown_key(member, "`notify`", &[keys::NOTIFY]),
        }
    }

    /// A program with its arguments; a text alone is a command line of `sh`.
    fn command(&mut self, member: &Member) -> Vec<Box<str>> {
        let command = match &member.value.json {
            Json::Text(text) if !text.trim().is_empty() => {
                vec!["sh".into(), "-c".into(), text.clone()]
            }
            Json::List(_) => self.texts(member).unwrap_or_default(),
            _ => Vec::new(),
        };
        if command.is_empty() {
            self.report(
                Severity::Warning,
                member.value.at,
                format!("`{}` names no command, so there is none", member.key),
                Some("write a command line, or the program and its arguments as a list of strings"),
            );
        }
        command
    }

    fn reminders(&mut self, member: &Member) -> Vec<Millis> {
        let Json::List(entries) = &member.value.json else {
            let message = format!(
                "`remind_s` is a list of seconds, and this is {}",
                member.value.json.kind()
            );
            self.report(Severity::Warning, member.value.at, message, None);
            return Vec::new();
        };
        let mut reminders: Vec<Millis> = entries
            .iter()
            .filter_map(|entry| {
                self.seconds(&Member {
                    key: member.key.clone(),
                    key_at: entry.at,
                    value: entry.clone(),
                })
            })
            .collect();
        reminders.sort_unstable();
        reminders.dedup();
        if reminders.len() > REMINDERS_MAX {
            let message =
                format!("at most {REMINDERS_MAX} reminders are given; the rest is dropped");
            self.report(Severity::Warning, member.value.at, message, None);
            reminders.truncate(REMINDERS_MAX);
        }
        reminders
    }

    fn escalation(&mut self, member: &Member) -> Option<Escalation> {
        let Json::Object(members) = &member.value.json else {
            let message = format!(
                "`escalate` is an object, and this is {}",
                member.value.json.kind()
            );
            self.report(Severity::Warning, member.value.at, message, None);
            return None;
        };
        self.doubles(members);
        let (mut after, mut command) = (None, Vec::new());
        for member in members {
            match &*member.key {
                "after_s" => after = self.seconds(member),
                "command" => command = self.command(member),
                _ => self.unknown_key(member, "`escalate`", &[keys::ESCALATE]),
            }
        }
        match after {
            Some(after) if !command.is_empty() => Some(Escalation { after, command }),
            _ => {
                self.report(
                    Severity::Warning,
                    member.key_at,
                    "this escalation lacks `after_s` or `command`, so there is none".into(),
                    None,
                );
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let night = QuietHours::parse("22:00-07:30").unwrap();
        for (minute, holds) in [
            (21 * 60 + 59, false),
            (22 * 60, true),
            (0, true),
            (449, true),
            (450, false),
        ] {
            assert_eq!(night.holds(minute), holds, "{minute}");
        }
        assert_eq!(night.minutes_left(23 * 60), Some(60 + 450));
        assert_eq!(night.minutes_left(12 * 60), None);
        for (minute, past) in [
            (22 * 60, Some(0)),
            (23 * 60, Some(60)),
            (60, Some(180)),
            (450, None),
        ] {
            assert_eq!(night.minutes_past(minute), past, "{minute}");
        }
        let noon = QuietHours::parse("12:00 - 13:00").unwrap();
        assert_eq!(noon.minutes_left(12 * 60 + 59), Some(1));
        for bad in [
            "",
            "22-7",
            "24:00-07:00",
            "7:00-8:00",
            "08:00-08:00",
            "22:00",
            "+1:00-02:00",
        ] {
            assert_eq!(QuietHours::parse(bad), None, "{bad}");
        }
    }
}
