//! What hooks want changed beyond the call they were asked about, and what of it they may change.
//!
//! A hook tightens for everyone. It loosens as far as whoever configured it may: the person's own and
//! the managed hooks for the whole run and in files, a project's for the agent whose call it saw, and
//! never a mode, a folder or a file (DESIGN section 7).

use pointsman_model::{PermissionMode, RuleBehavior, RuleSource, RuleText};

use pointsman_policy::settings::is_the_persons;

use super::answer::Update;

/// What a hook wants changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookUpdate {
    /// Rules to add.
    AddRules {
        /// What they do.
        behavior: RuleBehavior,
        /// The rules; not parsed yet.
        rules: Vec<RuleText>,
    },
    /// Another mode for the agent.
    SetMode(PermissionMode),
    /// Folders that the agent may read in too, as the hook wrote them.
    AddDirectories(Vec<Box<str>>),
    /// Rules or folders to take back, by the name of the update; no hook may.
    TakeBack(Box<str>),
}

/// An update that a hook may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookWish {
    /// The hook.
    pub hook: Box<str>,
    /// Whose file configures the hook.
    pub hook_source: RuleSource,
    /// What it wants.
    pub update: HookUpdate,
    /// The settings it is written to as well; nothing when it is for this run alone.
    pub file: Option<RuleSource>,
}

impl HookWish {
    /// Whether it lets something pass that was asked before.
    #[must_use]
    pub fn loosens(&self) -> bool {
        match &self.update {
            HookUpdate::AddRules { behavior, .. } => match behavior {
                RuleBehavior::Allow => true,
                RuleBehavior::Deny | RuleBehavior::Ask => false,
            },
            HookUpdate::SetMode(_) | HookUpdate::AddDirectories(_) | HookUpdate::TakeBack(_) => {
                true
            }
        }
    }
}

/// Sorts the updates of a hook's answer: what counts, and what is to be said of the rest.
pub(super) fn sort(
    updates: Vec<Update>,
    hook: &str,
    hook_source: RuleSource,
) -> (Vec<HookWish>, Vec<String>) {
    let persons = is_the_persons(hook_source);
    let mut wishes = Vec::new();
    let mut remarks = Vec::new();
    for Update {
        update,
        destination,
    } in updates
    {
        let kept_in = Some(destination).filter(|place| *place != RuleSource::Session);
        if let Some(why) = objection(&update, hook_source) {
            remarks.push(why);
            continue;
        }
        let is_rules = matches!(update, HookUpdate::AddRules { .. });
        let file = kept_in.filter(|_| persons && is_rules);
        if let (Some(place), None) = (kept_in, file) {
            remarks.push(format!(
                "it counts for this run alone and is not written to `{place}`"
            ));
        }
        wishes.push(HookWish {
            hook: hook.into(),
            hook_source,
            update,
            file,
        });
    }
    (wishes, remarks)
}

/// Why an update does not count.
fn objection(update: &HookUpdate, hook_source: RuleSource) -> Option<String> {
    match (update, is_the_persons(hook_source)) {
        (HookUpdate::AddRules { .. }, _)
        | (HookUpdate::AddDirectories(_), true)
        | (HookUpdate::SetMode(PermissionMode::AcceptEdits), true) => None,
        (HookUpdate::AddDirectories(_), false) => {
            Some("only hooks of your own or the managed settings add folders".into())
        }
        (HookUpdate::SetMode(PermissionMode::AcceptEdits), false) => Some(
            "only hooks of your own or the managed settings let edits pass for the session".into(),
        ),
        (HookUpdate::SetMode(mode), _) => Some(format!(
            "mode {mode} is not set, since a running agent keeps its mode"
        )),
        (HookUpdate::TakeBack(kind), _) => Some(format!(
            "`{kind}` does not count: a hook adds, it takes nothing back"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(update: HookUpdate, destination: RuleSource, source: RuleSource) -> String {
        let update = Update {
            update,
            destination,
        };
        let (wishes, remarks) = sort(vec![update], "h", source);
        let wish = wishes.first().map(|wish| match wish.file {
            Some(file) => format!("counts, in {file}"),
            None => "counts".to_owned(),
        });
        [wish, remarks.first().cloned()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[track_caller]
    fn check(update: &HookUpdate, destination: RuleSource, project: &str, users: &str) {
        let of = |source| sorted(update.clone(), destination, source);
        assert_eq!(of(RuleSource::ProjectSettings), project);
        assert_eq!(of(RuleSource::LocalSettings), project);
        assert_eq!(of(RuleSource::UserSettings), users);
        assert_eq!(of(RuleSource::PolicySettings), users);
    }

    #[test]
    fn files_modes_and_folders_are_for_the_persons_hooks_alone() {
        let rules = |behavior| HookUpdate::AddRules {
            behavior,
            rules: vec![RuleText::new("Bash(ls *)")],
        };
        let run_alone = "counts; it counts for this run alone and is not written to `userSettings`";
        for behavior in [RuleBehavior::Allow, RuleBehavior::Ask, RuleBehavior::Deny] {
            check(&rules(behavior), RuleSource::Session, "counts", "counts");
            check(
                &rules(behavior),
                RuleSource::UserSettings,
                run_alone,
                "counts, in userSettings",
            );
        }
        check(
            &HookUpdate::SetMode(PermissionMode::AcceptEdits),
            RuleSource::Session,
            "only hooks of your own or the managed settings let edits pass for the session",
            "counts",
        );
        check(
            &HookUpdate::AddDirectories(vec!["/data".into()]),
            RuleSource::Session,
            "only hooks of your own or the managed settings add folders",
            "counts",
        );
    }

    #[test]
    fn law_6_no_hook_changes_another_mode_or_takes_a_rule_back() {
        for mode in PermissionMode::ALL {
            if mode == PermissionMode::AcceptEdits {
                continue;
            }
            let expect = format!("mode {mode} is not set, since a running agent keeps its mode");
            check(
                &HookUpdate::SetMode(mode),
                RuleSource::Session,
                &expect,
                &expect,
            );
        }
        let expect = "`removeRules` does not count: a hook adds, it takes nothing back";
        let take_back = HookUpdate::TakeBack("removeRules".into());
        check(&take_back, RuleSource::UserSettings, expect, expect);
    }
}
