//! What of the files counts: levels for single values, trust for what a project loosens, locks of
//! the managed settings over everything.

use super::*;
use crate::settings::content::Said;
use crate::settings::hooks::{HookDuty, HookRun, HookSetting};
use crate::settings::loaded::{DirectorySetting, ModeSetting};
use crate::settings::pointsman::Presence;
use crate::wild::Wild;

/// Whether what a project loosens counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    Missing,
}

impl Loading<'_> {
    /// Puts together what counts.
    pub(super) fn finish(mut self) -> Loaded {
        let read = std::mem::take(&mut self.read);
        self.switches(&read);
        for file in read.iter().filter(|file| file.is_of_project()) {
            file.content
                .hooks
                .iter()
                .for_each(|hook| self.project.hook(hook));
        }
        let project =
            std::mem::replace(&mut self.project, ProjectContent::new(&self.places.project));
        let content = project.finish(self.files);
        self.loaded.project_content = content;
        let record = self.places.trust.as_ref();
        let trust =
            if record.is_some_and(|record| record.covers(&self.places.main_checkout, content)) {
                Trust::Given
            } else {
                Trust::Missing
            };
        for file in &read {
            self.rules(file, trust);
            self.directories(file, trust);
            self.mode(file, trust);
            self.own_keys(file, trust);
        }
        self.hooks(&read, trust);
        self.agent_modes(trust);
        self.forbidden_mode();
        if trust == Trust::Missing {
            self.loaded.untrusted.clone_from(&self.loaded.loosens);
        }
        self.loaded
    }

    fn switches(&mut self, read: &[ReadFile]) {
        let switches = &mut self.loaded.switches;
        for content in read.iter().map(|file| &file.content) {
            if content.bypass_forbidden.is_some() {
                switches.bypass = Offer::Forbidden;
            }
            if content.auto_forbidden.is_some() {
                switches.auto = Offer::Forbidden;
            }
            if content.managed_rules_only.is_some() {
                switches.allow_rules = Whose::ManagedOnly;
            }
            if content.managed_hooks_only.is_some() {
                switches.hooks = Whose::ManagedOnly;
            }
        }
        // A managed file that can't be read may have held the locks.
        let lost = |file: &SettingsFile| {
            file.source == RuleSource::PolicySettings && file.found == Found::Unreadable
        };
        if self.loaded.files.iter().any(lost) {
            *switches = Switches {
                bypass: Offer::Forbidden,
                auto: Offer::Forbidden,
                allow_rules: Whose::ManagedOnly,
                hooks: Whose::ManagedOnly,
            };
        }
    }

    /// Notes what a project's file loosens; whether it counts.
    fn loosened(
        &mut self,
        file: &ReadFile,
        trust: Trust,
        kind: LooseningKind,
        what: &str,
        place: &FilePlace,
    ) -> Counts {
        if !file.is_of_project() {
            return Counts::Yes;
        }
        self.loaded.loosens.push(Loosening {
            kind,
            what: what.to_owned(),
            place: place.clone(),
        });
        match trust {
            Trust::Given => Counts::Yes,
            Trust::Missing => Counts::No,
        }
    }

    /// Deny and ask rules always count. No lock takes one away: sources add up, none erases another.
    fn rules(&mut self, file: &ReadFile, trust: Trust) {
        let mut locked = 0_usize;
        for rule in &file.content.rules {
            let counts = match (rule.behavior, &rule.place) {
                (RuleBehavior::Ask | RuleBehavior::Deny, _) | (_, None) => Counts::Yes,
                (RuleBehavior::Allow, Some(place)) => {
                    let what = rule.text.as_str();
                    self.loosened(file, trust, LooseningKind::AllowRule, what, place)
                }
            };
            if counts == Counts::No {
                continue;
            }
            if self.loaded.is_locked(rule) {
                locked += 1;
                continue;
            }
            self.loaded.rules.push(rule.clone());
        }
        if locked > 0 {
            self.loaded.problems.push(Problem {
                severity: Severity::DroppedAllow,
                place: Some(FilePlace {
                    file: file.place.path.as_str().into(),
                    line: 1,
                    column: 1,
                }),
                message: match locked {
                    1 => "an allow rule of this file doesn't count".to_owned(),
                    _ => format!("{locked} allow rules of this file don't count"),
                },
                hint: Some("the managed settings let their own allow rules count alone".into()),
            });
        }
    }

    fn directories(&mut self, file: &ReadFile, trust: Trust) {
        for Said { it, place } in &file.content.directories {
            let kind = LooseningKind::AdditionalDirectory;
            if self.loosened(file, trust, kind, &it.written, place) == Counts::Yes {
                self.loaded.additional_directories.push(DirectorySetting {
                    folder: it.it.clone(),
                    source: file.place.source,
                    place: place.clone(),
                });
            }
        }
    }

    /// The highest level that says a mode wins. Files of a project folder, where agents work, may
    /// not switch questions off: auto and bypassPermissions count as the default mode there.
    fn mode(&mut self, file: &ReadFile, trust: Trust) {
        let Some(Said { it: written, place }) = &file.content.mode else {
            return;
        };
        let in_project = matches!(
            file.place.source,
            RuleSource::ProjectSettings | RuleSource::LocalSettings
        );
        let mode = match written {
            PermissionMode::Auto | PermissionMode::BypassPermissions if in_project => {
                self.loaded.problems.push(Problem {
                    severity: Severity::Warning,
                    place: Some(place.clone()),
                    message: format!(
                        "settings in a project's folder can't set the mode `{written}`"
                    ),
                    hint: Some(
                        "the mode is `default`; set it in your own settings or when starting"
                            .into(),
                    ),
                });
                PermissionMode::Default
            }
            mode => *mode,
        };
        let now = self.loaded.default_mode.as_ref();
        let now = now.map_or(PermissionMode::Default, |setting| setting.mode);
        if mode > now {
            let kind = LooseningKind::DefaultMode;
            if self.loosened(file, trust, kind, mode.as_str(), place) == Counts::No {
                return;
            }
        }
        self.loaded.default_mode = Some(ModeSetting {
            mode,
            source: file.place.source,
            place: place.clone(),
        });
    }

    /// A mode that is forbidden counts as the default one, wherever it was set.
    fn forbidden_mode(&mut self) {
        let switches = self.loaded.switches;
        let Some(setting) = &mut self.loaded.default_mode else {
            return;
        };
        let offer = match setting.mode {
            PermissionMode::BypassPermissions => switches.bypass,
            PermissionMode::Auto => switches.auto,
            PermissionMode::Plan
            | PermissionMode::DontAsk
            | PermissionMode::Default
            | PermissionMode::AcceptEdits => Offer::Offered,
        };
        if offer == Offer::Forbidden {
            self.loaded.problems.push(Problem {
                severity: Severity::Warning,
                place: Some(setting.place.clone()),
                message: format!("the mode `{}` is switched off", setting.mode),
                hint: Some("the mode is `default`".into()),
            });
            setting.mode = PermissionMode::Default;
        }
    }

    fn own_keys(&mut self, file: &ReadFile, trust: Trust) {
        let content = &file.content;
        if let Some(Said { it, .. }) = &content.deadline {
            self.loaded.pointsman.deadline = Some(*it);
        }
        let may_loosen = !file.is_of_project() || trust == Trust::Given;
        match &content.unattended {
            Some(Said { it: true, .. }) => {
                self.loaded.pointsman.unattended = Presence::Unattended;
            }
            Some(Said { it: false, .. }) if may_loosen => {
                self.loaded.pointsman.unattended = Presence::AsFound;
            }
            Some(_) | None => {}
        }
        for Said { it, place } in &content.surfaces {
            let what = format!("{it:?}").to_lowercase();
            let counts = self.loosened(file, trust, LooseningKind::Surface, &what, place);
            let surfaces = &mut self.loaded.pointsman.surfaces;
            if counts == Counts::Yes && !surfaces.contains(it) {
                surfaces.push(*it);
            }
        }
        if let Some(Said { it, .. }) = &content.classifier {
            self.loaded.pointsman.classifier = Some(it.clone());
        }
    }

    fn hooks(&mut self, read: &[ReadFile], trust: Trust) {
        let off = self.hooks_off(read, trust);
        let urls = restriction(read, |content| content.hook_urls.as_deref());
        let env = restriction(read, |content| content.hook_env.as_deref());
        for file in read {
            let managed = file.place.source == RuleSource::PolicySettings;
            for hook in &file.content.hooks {
                let what = described(hook);
                let counts = self.loosened(file, trust, LooseningKind::Hook, &what, &hook.place);
                let silenced = match off {
                    None => false,
                    Some(RuleSource::PolicySettings) => true,
                    Some(_) => !managed,
                };
                let locked = self.loaded.switches.hooks == Whose::ManagedOnly && !managed;
                if counts == Counts::No || silenced || locked {
                    continue;
                }
                if let Some(hook) = self.restricted(hook, urls.as_deref(), env.as_deref()) {
                    self.loaded.hooks.hooks.push(hook);
                }
            }
        }
    }

    /// Who switched all hooks off, where someone did whose word counts.
    fn hooks_off(&mut self, read: &[ReadFile], trust: Trust) -> Option<RuleSource> {
        let mut off = None;
        for file in read {
            let Some(Said { it, place }) = &file.content.hooks_off else {
                continue;
            };
            let kind = LooseningKind::DisabledHooks;
            if *it {
                if self.loosened(file, trust, kind, "disableAllHooks", place) == Counts::Yes {
                    off = Some(file.place.source);
                }
            } else if !file.is_of_project() || trust == Trust::Given {
                off = None;
            }
        }
        off
    }

    /// The hook within what the settings let HTTP hooks do; nothing when its address is not among them.
    fn restricted(
        &mut self,
        hook: &HookSetting,
        urls: Option<&[Box<str>]>,
        env: Option<&[Box<str>]>,
    ) -> Option<HookSetting> {
        let mut hook = hook.clone();
        if let HookRun::Http {
            url, env: wanted, ..
        } = &mut hook.run
        {
            let fits = |pattern: &str| Wild::starred(pattern).matches(url.as_bytes());
            if urls.is_some_and(|urls| !urls.iter().any(|url| fits(url))) {
                let severity = match hook.duty {
                    HookDuty::Guard => Severity::StopsUnattended,
                    HookDuty::Plain => Severity::Warning,
                };
                let problem = Problem {
                    severity,
                    place: Some(hook.place.clone()),
                    message: format!("`{url}` is not among the `allowedHttpHookUrls`"),
                    hint: Some("the hook is left out".into()),
                };
                self.problems(vec![problem], hook.source);
                return None;
            }
            if let Some(env) = env {
                wanted.retain(|name| env.contains(name));
            }
        }
        Some(hook)
    }

    /// A mode that a project's agent asks for is a person's word once the project is trusted.
    fn agent_modes(&mut self, trust: Trust) {
        for agent in &mut self.loaded.agents {
            if agent.source != RuleSource::ProjectSettings {
                continue;
            }
            if let (Some(mode), Some(place)) = (agent.mode, &agent.mode_place)
                && mode > PermissionMode::Default
            {
                self.loaded.loosens.push(Loosening {
                    kind: LooseningKind::AgentMode,
                    what: format!("{} for agent {}", mode, agent.name),
                    place: place.clone(),
                });
            }
            agent.who_set_mode = match trust {
                Trust::Given => WhoSetMode::Person,
                Trust::Missing => WhoSetMode::Agent,
            };
        }
    }
}

/// Whether one thing that a file says counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Yes,
    No,
}

impl ReadFile {
    fn is_of_project(&self) -> bool {
        self.place.author == Author::Project
    }
}

impl Loaded {
    /// Keeps problems; the first that leaves something unguarded makes everything asked for, by an
    /// ask rule for every tool that stands where the problem does.
    pub(super) fn keep(&mut self, problems: Vec<Problem>, source: RuleSource, anchor: &AbsPath) {
        for problem in problems {
            if problem.severity == Severity::StopsUnattended && self.standing == Standing::Clean {
                self.standing = Standing::AskEverything;
                self.rules.push(PermissionRule {
                    behavior: RuleBehavior::Ask,
                    text: RuleText::new("*"),
                    source,
                    place: problem.place.clone(),
                    anchor: anchor.clone(),
                });
            }
            self.problems.push(problem);
        }
    }

    /// Whether a lock of the managed settings takes the rule away.
    fn is_locked(&self, rule: &PermissionRule) -> bool {
        self.switches.allow_rules == Whose::ManagedOnly
            && rule.behavior == RuleBehavior::Allow
            && rule.source != RuleSource::PolicySettings
    }

    /// Adds rules that come from no settings file: of the command line, a job file, a command. They
    /// are read and judged as those of files are (law 7), and locks of the managed settings hold for
    /// them too.
    pub fn add_rules(&mut self, rules: impl IntoIterator<Item = PermissionRule>) {
        for rule in rules {
            let problem = match parse_rule(rule.text.as_str()) {
                Err(error) => {
                    let (message, hint) = told(&error, rule.behavior);
                    (lost(rule.behavior), message, hint)
                }
                Ok(_) if self.is_locked(&rule) => (
                    Severity::DroppedAllow,
                    format!("the allow rule `{}` doesn't count", rule.text),
                    Some("the managed settings let their own allow rules count alone".into()),
                ),
                Ok(parsed) => {
                    self.problems.extend(lint::at_load(&rule, &parsed));
                    self.rules.push(rule);
                    continue;
                }
            };
            let (severity, message, hint) = problem;
            let problem = Problem {
                severity,
                place: rule.place,
                message,
                hint,
            };
            self.keep(vec![problem], rule.source, &rule.anchor);
        }
    }
}

/// What a hook runs, for people to read.
fn described(hook: &HookSetting) -> String {
    let run = match &hook.run {
        HookRun::Shell { line } => line.to_string(),
        HookRun::Program { program, args } => {
            let words: Vec<&str> = std::iter::once(program)
                .chain(args)
                .map(|word| &**word)
                .collect();
            words.join(" ")
        }
        HookRun::Http { url, .. } => url.to_string(),
    };
    format!("{}: {run}", hook.event.as_str())
}

/// What files together restrict something to; nothing when no file restricts it. The person's lists
/// count; a project's only where there is none of theirs, since it could but widen them.
fn restriction(
    read: &[ReadFile],
    list: impl Fn(&FileContent) -> Option<&[Box<str>]>,
) -> Option<Vec<Box<str>>> {
    let of = |of_project: bool| {
        let files = read
            .iter()
            .filter(|file| file.is_of_project() == of_project);
        let lists: Vec<&[Box<str>]> = files.filter_map(|file| list(&file.content)).collect();
        (!lists.is_empty()).then(|| lists.concat())
    };
    of(false).or_else(|| of(true))
}
