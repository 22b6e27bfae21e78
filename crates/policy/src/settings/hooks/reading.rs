//! Reading hooks: each entry alone, so that a broken one never takes others with it.

use std::time::Duration;

use pointsman_model::{Millis, RuleSource, RuleText};

use super::guards::{SHAPE, StrayHook};
use super::{HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting};
use crate::settings::document::{Json, Located, Member};
use crate::settings::keys;
use crate::settings::reading::Reader;
use crate::{Severity, parse_rule};

/// How long a hook may take when its settings don't say, as in Claude Code.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The same at the end of a session, where someone waits to get out.
const TIMEOUT_AT_END: Duration = Duration::from_millis(1500);

/// What the entries of one hook say, before they are put together.
struct Entry<'m> {
    kind: Option<&'m str>,
    command: Option<&'m str>,
    args: Option<Vec<Box<str>>>,
    url: Option<&'m str>,
    headers: Vec<(Box<str>, Box<str>)>,
    env: Vec<Box<str>>,
    condition: Option<RuleText>,
    timeout: Option<Millis>,
    duty: HookDuty,
    life: HookLife,
    /// A field that can't be read: the hook is left out, since what it would do is not known.
    broken: bool,
}

impl Entry<'_> {
    fn new() -> Self {
        Self {
            kind: None,
            command: None,
            args: None,
            url: None,
            headers: Vec::new(),
            env: Vec::new(),
            condition: None,
            timeout: None,
            duty: HookDuty::Plain,
            life: HookLife::OneCall,
            broken: false,
        }
    }
}

impl Reader<'_> {
    /// Reads the object under `hooks`.
    pub(in crate::settings) fn hooks(&mut self, value: &Located) {
        let Json::Object(events) = &value.json else {
            let message = format!("`hooks` is an object, and this is {}", value.json.kind());
            self.report(self.loss_of(value), value.at, message, Some(SHAPE));
            return;
        };
        self.doubles(events);
        let stray = self.hook_among_events(value, events);
        for member in events {
            let key = &*member.key;
            let event = HookEvent::ALL
                .into_iter()
                .find(|event| event.as_str() == key);
            match (event, stray) {
                (Some(event), _) => self.groups(event, member),
                (None, _) if keys::HOOK_EVENTS_OTHER.contains(&key) => {
                    self.silent_event(member);
                }
                // Told with the hook that it is of.
                (None, StrayHook::Told) if keys::HOOK.contains(&key) => {}
                (None, StrayHook::Told | StrayHook::None) => self.no_event(member),
            }
        }
    }

    fn groups(&mut self, event: HookEvent, member: &Member) {
        let Json::List(groups) = &member.value.json else {
            let kind = member.value.json.kind();
            let message = format!("`{}` is a list, and this is {kind}", member.key);
            self.report(
                self.loss_of(&member.value),
                member.value.at,
                message,
                Some(SHAPE),
            );
            return;
        };
        for group in groups {
            self.group(event, group);
        }
    }

    fn group(&mut self, event: HookEvent, group: &Located) {
        let Json::Object(members) = &group.json else {
            let message = format!(
                "this is an object with `matcher` and `hooks`, not {}",
                group.json.kind()
            );
            self.report(self.loss_of(group), group.at, message, None);
            return;
        };
        self.doubles(members);
        if self.is_bare_hook(group, members) {
            return;
        }
        let mut matcher = Ok(HookMatcher::All);
        let mut matched = None;
        let mut entries: Vec<&Located> = Vec::new();
        let mut said = false;
        for member in members {
            match (&*member.key, &member.value.json) {
                ("matcher", Json::Text(text)) => {
                    matched = Some(&member.value);
                    matcher = HookMatcher::parse(text).map_err(|why| (member.value.at, why));
                }
                ("matcher", Json::Null) => {}
                ("matcher", other) => {
                    let why = format!("it is a string, and this is {}", other.kind());
                    matcher = Err((member.value.at, why));
                }
                // Two lists are both read.
                ("hooks", Json::List(list)) => {
                    entries.extend(list);
                    said = true;
                }
                ("hooks", other) => {
                    let message = format!("`hooks` is a list, and this is {}", other.kind());
                    let hint = "write the hook in `[` and `]`";
                    self.report(
                        self.loss_of(&member.value),
                        member.value.at,
                        message,
                        Some(hint),
                    );
                    said = true;
                }
                ("guard", _) => self.guard_of_a_group(member),
                (key, _) => {
                    said |= keys::nearest(key, keys::HOOK_GROUP) == Some("hooks");
                    self.unknown_key(member, "a group of hooks", &[keys::HOOK_GROUP]);
                }
            }
        }
        if !said {
            let message = "here a list `hooks` is missing".to_owned();
            self.report(self.loss_of(group), group.at, message, None);
        }
        let severity = self.loss_of(group);
        let matcher = matcher.map_err(|(at, why)| {
            let hint = "the hooks below it are left out; write names, or a regular expression";
            self.report(
                severity,
                at,
                format!("this matcher can't be read: {why}"),
                Some(hint),
            );
        });
        let Ok(matcher) = matcher else { return };
        if let Some(matched) = matched {
            self.unmet_matcher(event, &matcher, matched, severity);
        }
        for entry in entries {
            self.hook(event, &matcher, entry);
        }
    }

    fn hook(&mut self, event: HookEvent, matcher: &HookMatcher, entry: &Located) {
        let Json::Object(members) = &entry.json else {
            let message = format!("a hook is an object, and this is {}", entry.json.kind());
            self.report(self.loss_of(entry), entry.at, message, None);
            return;
        };
        let severity = self.loss_of(entry);
        self.doubles_weighing(members, severity);
        let mut read = Entry::new();
        for member in members {
            self.field(severity, member, &mut read);
        }
        if read.broken {
            return;
        }
        let run = match what_runs(&mut read) {
            Ok(run) => run,
            Err((message, hint)) => {
                self.report(severity, entry.at, message, Some(hint));
                return;
            }
        };
        if read.condition.is_some() && !event.is_of_a_call() {
            let message = format!(
                "this hook never runs: `if` asks for a call, and {} is of none",
                event.as_str()
            );
            self.report(severity, entry.at, message, Some("leave `if` out"));
            return;
        }
        let managed = self.place.source == RuleSource::PolicySettings;
        if event == HookEvent::PreToolUse && managed {
            read.duty = HookDuty::Guard;
        }
        if read.duty == HookDuty::Guard && read.life == HookLife::Detached {
            let message = "a guard is waited for, and `async` says not to".to_owned();
            let hint = "leave `async` out; until then it is waited for";
            self.report(Severity::Warning, entry.at, message, Some(hint));
            read.life = HookLife::OneCall;
        }
        self.content.hooks.push(HookSetting {
            event,
            matcher: matcher.clone(),
            condition: read.condition,
            run,
            timeout: read.timeout.unwrap_or_else(|| default_timeout(event)),
            duty: read.duty,
            life: read.life,
            source: self.place.source,
            place: self.source.place(entry.at),
        });
    }

    fn field<'m>(&mut self, severity: Severity, member: &'m Member, read: &mut Entry<'m>) {
        match (&*member.key, &member.value.json) {
            ("type", Json::Text(text)) => read.kind = Some(text),
            ("command", Json::Text(text)) => read.command = Some(text),
            ("url", Json::Text(text)) => read.url = Some(text),
            ("args", Json::List(_)) => read.args = self.texts(member),
            ("allowedEnvVars", Json::List(_)) => read.env = self.texts(member).unwrap_or_default(),
            ("headers", Json::Object(headers)) => {
                for header in headers {
                    match &header.value.json {
                        Json::Text(text) => read.headers.push((header.key.clone(), text.clone())),
                        other => {
                            let message =
                                format!("a header is a string, and this is {}", other.kind());
                            self.report(severity, header.value.at, message, None);
                            read.broken = true;
                        }
                    }
                }
            }
            ("if", Json::Text(text)) => match parse_rule(text) {
                Ok(parsed) => {
                    self.unmet_condition(severity, member, text, &parsed);
                    read.condition = Some(RuleText::new(text));
                }
                Err(error) => {
                    let place = self.source.place_within(member.value.at, error.column());
                    let message = format!("this hook's `if` can't be read: {error}");
                    self.problems.push(crate::Problem {
                        severity,
                        place: Some(place),
                        message,
                        hint: Some("the hook is left out".into()),
                    });
                    read.broken = true;
                }
            },
            ("timeout", Json::Number(_)) => read.timeout = self.seconds(member),
            ("guard", Json::Bool(true)) => read.duty = HookDuty::Guard,
            // What another mark said stands.
            ("guard", Json::Bool(false)) => {}
            ("resident", Json::Bool(true)) if read.life == HookLife::OneCall => {
                read.life = HookLife::Resident;
            }
            ("resident", Json::Bool(_)) => {}
            ("async" | "asyncRewake", Json::Bool(true)) => read.life = HookLife::Detached,
            ("async" | "asyncRewake", Json::Bool(false)) => {}
            ("shell", Json::Text(shell)) if &**shell == "bash" => {}
            ("statusMessage" | "once", _) => {}
            (key, other) if keys::HOOK.contains(&key) => {
                let message = format!("`{key}` of a hook can't be {}", kind_or_text(other));
                self.report(
                    severity,
                    member.value.at,
                    message,
                    Some("the hook is left out"),
                );
                read.broken = true;
            }
            (key, _) if keys::HOOK_OTHER.contains(&key) => {}
            _ => self.unknown_key(member, "a hook", &[keys::HOOK, keys::HOOK_OTHER]),
        }
    }
}

fn kind_or_text(json: &Json) -> String {
    match json {
        Json::Text(text) => format!("`{text}`"),
        other => other.kind().to_owned(),
    }
}

/// What a hook runs, from its fields.
fn what_runs(read: &mut Entry<'_>) -> Result<HookRun, (String, &'static str)> {
    let kind = read.kind.unwrap_or_default();
    match kind {
        "command" => {
            let missing = || {
                (
                    "this hook has no `command`".to_owned(),
                    "write the command line to run",
                )
            };
            let command = read.command.filter(|command| !command.trim().is_empty());
            let command = command.ok_or_else(missing)?;
            Ok(match read.args.take() {
                None => HookRun::Shell {
                    line: command.into(),
                },
                Some(args) => HookRun::Program {
                    program: command.into(),
                    args,
                },
            })
        }
        "http" => {
            let is_address = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
            let url = read.url.filter(is_address).ok_or_else(|| {
                (
                    "this hook has no `url` that begins with http:// or https://".to_owned(),
                    "write the address to send the input to",
                )
            })?;
            Ok(HookRun::Http {
                url: url.into(),
                headers: std::mem::take(&mut read.headers),
                env: std::mem::take(&mut read.env),
            })
        }
        "mcp_tool" | "prompt" | "agent" => Err((
            format!("hooks of type `{kind}` are not run here"),
            "use a hook of type \"command\" or \"http\"",
        )),
        "" => Err((
            "this hook has no `type`".to_owned(),
            "write \"type\": \"command\" or \"http\"",
        )),
        other => Err((
            format!("`{other}` is no type of hook"),
            "write \"type\": \"command\" or \"http\"",
        )),
    }
}

pub(super) fn default_timeout(event: HookEvent) -> Millis {
    match event {
        HookEvent::SessionEnd => TIMEOUT_AT_END.into(),
        HookEvent::PreToolUse
        | HookEvent::PermissionRequest
        | HookEvent::PermissionDenied
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::Notification
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::SessionStart
        | HookEvent::Stop => TIMEOUT.into(),
    }
}
