//! What of the files counts: levels for single values, trust for what a project loosens, locks of
//! the managed settings over everything.

use super::*;
use crate::settings::content::Said;
use crate::settings::loaded::{DirectorySetting, Lock, LockSetting, ModeSetting};
use crate::settings::pointsman::{Hangup, Presence};

/// Whether what a project loosens counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
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
        let (content, scripts) = project.finish(self.files);
        self.loaded.project_content = content;
        self.loaded.hooks.scripts = scripts;
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
        let HookSettings { hooks, scripts } = &mut self.loaded.hooks;
        scripts.add(&*hooks, &self.places.project, self.files);
        self.agent_modes(trust);
        self.forbidden_mode();
        if trust == Trust::Missing {
            self.loaded.untrusted.clone_from(&self.loaded.loosens);
        }
        self.loaded
    }

    fn switches(&mut self, read: &[ReadFile]) {
        let switches = &mut self.loaded.switches;
        for file in read {
            let content = &file.content;
            let said = [
                (Lock::Bypass, &content.bypass_forbidden),
                (Lock::Auto, &content.auto_forbidden),
                (Lock::OthersAllowRules, &content.managed_rules_only),
                (Lock::OthersHooks, &content.managed_hooks_only),
            ];
            for (lock, place) in said {
                let Some(place) = place else { continue };
                switches.turn_off(lock);
                self.loaded.locks.push(LockSetting {
                    lock,
                    source: file.place.source,
                    place: place.clone(),
                });
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
    pub(super) fn loosened(
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
        if let Some(Said { it, .. }) = &content.notify {
            self.loaded.pointsman.notify = it.clone();
        }
        match &content.hangup {
            Some(Said {
                it: Hangup::Refuse, ..
            }) => self.loaded.pointsman.hangup = Hangup::Refuse,
            Some(Said {
                it: Hangup::Wait, ..
            }) if may_loosen => {
                self.loaded.pointsman.hangup = Hangup::Wait;
            }
            Some(_) | None => {}
        }
        if let Some(Said { it, .. }) = &content.explainer {
            self.loaded.pointsman.explainer = Some(it.clone());
        }
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
pub(super) enum Counts {
    Yes,
    No,
}

impl ReadFile {
    pub(super) fn is_of_project(&self) -> bool {
        self.place.author == Author::Project
    }
}
