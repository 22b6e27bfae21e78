//! Which hooks count: switches, locks, and the addresses that HTTP hooks may be sent to.

use super::counting::{Counts, Trust};
use super::*;
use crate::settings::content::Said;
use crate::settings::hooks::{HookDuty, HookRun, HookSetting};
use crate::settings::loaded::{Lock, LockSetting};
use crate::wild::Wild;

impl Loading<'_> {
    /// Keeps the hooks that count.
    pub(super) fn hooks(&mut self, read: &[ReadFile], trust: Trust) {
        let off = self.hooks_off(read, trust);
        let urls = restriction(read, |content| content.hook_urls.as_deref());
        let env = restriction(read, |content| content.hook_env.as_deref());
        for file in read {
            let managed = file.place.source == RuleSource::PolicySettings;
            for hook in &file.content.hooks {
                let what = hook.described_with_limit();
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
                    self.loaded.locks.push(LockSetting {
                        lock: Lock::AllHooks,
                        source: file.place.source,
                        place: place.clone(),
                    });
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
