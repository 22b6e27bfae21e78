//! Carrying out what hooks want changed: into the run's book, and into files where they may.

use pointsman_approvals::{Grants, GrantsError, NewGrant, save_rules};
use pointsman_ledger::RulesSaved;
use pointsman_model::{
    AbsPath, Answerer, GrantScope, PermissionMode, PermissionRule, RuleBehavior, RuleSource,
    RuleText, Uses, WorkerId,
};
use pointsman_policy::resolve_path;
use pointsman_policy::settings::{DiskFiles, Whose, main_checkout};

use super::merge::scope_of;
use super::wish::{HookUpdate, HookWish};
use super::{Hooks, turn};

/// The agent whose call a hook was asked about.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// Which.
    pub worker: WorkerId,
    /// Its mode.
    pub mode: PermissionMode,
    /// Where it is.
    pub folder: &'a AbsPath,
    /// The folders it may work in.
    pub directories: &'a [AbsPath],
}

impl Hooks {
    /// Carries out what a hook wants: deny and ask rules for every agent, allow rules, edits and
    /// folders as grants. What is to be kept in a file is written there too; that it could not be is on
    /// record, and no failure of the call.
    ///
    /// # Errors
    /// When a rule is none, or what loosens can't be recorded.
    pub async fn carry_out(
        &self,
        wish: &HookWish,
        asker: &Asker<'_>,
        grants: &Grants,
    ) -> Result<(), GrantsError> {
        match &wish.update {
            HookUpdate::AddRules {
                behavior: RuleBehavior::Allow,
                rules,
            } => {
                let scope = scope_of(wish.hook_source, asker.worker);
                self.grant(wish, rules.clone(), scope, grants).await?;
            }
            HookUpdate::AddRules { behavior, rules } => {
                self.tighten(wish, *behavior, rules, grants).await?;
            }
            HookUpdate::SetMode(_) | HookUpdate::AddDirectories(_) | HookUpdate::TakeBack(_) => {
                self.carry_out_beside_rules(wish, asker, grants).await?;
            }
        }
        self.keep_in_file(wish, asker).await;
        Ok(())
    }

    /// The same for an answer that became the verdict: its allow rules are granted with the verdict, so
    /// only their file is left.
    ///
    /// # Errors
    /// As [`Self::carry_out`].
    pub async fn follow_up(
        &self,
        wish: &HookWish,
        asker: &Asker<'_>,
        grants: &Grants,
    ) -> Result<(), GrantsError> {
        match &wish.update {
            HookUpdate::AddRules { .. } => {}
            HookUpdate::SetMode(_) | HookUpdate::AddDirectories(_) | HookUpdate::TakeBack(_) => {
                self.carry_out_beside_rules(wish, asker, grants).await?;
            }
        }
        self.keep_in_file(wish, asker).await;
        Ok(())
    }

    /// A running agent keeps its mode and folders; what comes in their place are grants to it.
    async fn carry_out_beside_rules(
        &self,
        wish: &HookWish,
        asker: &Asker<'_>,
        grants: &Grants,
    ) -> Result<(), GrantsError> {
        let rules = match &wish.update {
            HookUpdate::SetMode(PermissionMode::AcceptEdits) => {
                rules_below("Edit", asker.directories.iter().cloned())
            }
            HookUpdate::AddDirectories(folders) => self.rules_of_folders(folders, asker),
            HookUpdate::SetMode(_) | HookUpdate::TakeBack(_) | HookUpdate::AddRules { .. } => {
                Vec::new()
            }
        };
        if rules.is_empty() {
            return Ok(());
        }
        let scope = GrantScope::Worker {
            worker: asker.worker,
        };
        self.grant(wish, rules, scope, grants).await
    }

    /// Folders may be read in; where the mode lets edits pass, they pass in these too.
    fn rules_of_folders(&self, folders: &[Box<str>], asker: &Asker<'_>) -> Vec<RuleText> {
        let at = pointsman_shell::Surroundings {
            folder: asker.folder.clone(),
            home: self.means.place.home.clone(),
            case: pointsman_shell::NameCase::Counts,
        };
        let folders: Vec<AbsPath> = folders
            .iter()
            .filter_map(|folder| resolve_path(folder, &at))
            .collect();
        let mut rules = rules_below("Read", folders.iter().cloned());
        match asker.mode {
            PermissionMode::AcceptEdits | PermissionMode::Auto => {
                rules.extend(rules_below("Edit", folders.into_iter()));
            }
            PermissionMode::Plan
            | PermissionMode::DontAsk
            | PermissionMode::Default
            | PermissionMode::BypassPermissions => {}
        }
        rules
    }

    async fn grant(
        &self,
        wish: &HookWish,
        rules: Vec<RuleText>,
        scope: GrantScope,
        grants: &Grants,
    ) -> Result<(), GrantsError> {
        if !self.may_allow(wish.hook_source) {
            return Ok(());
        }
        let grant = NewGrant {
            rules,
            scope,
            anchor: self.means.place.project.clone(),
            until: None,
            uses: Uses::Unlimited,
            by: by(wish),
            request: None,
        };
        grants.add(grant).await.map(drop)
    }

    /// Whether the keeper of the machine lets allow rules of hooks from there count.
    fn may_allow(&self, hook: RuleSource) -> bool {
        match self.means.place.allow_rules {
            Whose::Everyones => true,
            Whose::ManagedOnly => hook == RuleSource::PolicySettings,
        }
    }

    /// Takes the allow rules that don't count out of what hooks answered; their yes to the call stands.
    pub(super) fn leave_out_locked(&self, turns: &mut [turn::Turn]) {
        for turn in turns {
            if !self.may_allow(turn.source) {
                turn.wishes.retain(|wish| {
                    !matches!(
                        wish.update,
                        HookUpdate::AddRules {
                            behavior: RuleBehavior::Allow,
                            ..
                        }
                    )
                });
            }
        }
    }

    /// Adds deny or ask rules. All that can be are in force when it returns, whatever it returns.
    async fn tighten(
        &self,
        wish: &HookWish,
        behavior: RuleBehavior,
        rules: &[RuleText],
        grants: &Grants,
    ) -> Result<(), GrantsError> {
        let mut failed = Ok(());
        for text in rules {
            let rule = PermissionRule {
                behavior,
                text: text.clone(),
                source: RuleSource::Session,
                place: None,
                anchor: self.means.place.project.clone(),
            };
            match grants.tighten(rule, by(wish)).await {
                // In force, but not on record: the ledger's failure ends the call by itself.
                Ok(()) | Err(GrantsError::NotRecorded(_)) => {}
                Err(error) => failed = Err(error),
            }
        }
        failed
    }

    /// Writes rules to the settings that the hook names, and records that, or why not.
    async fn keep_in_file(&self, wish: &HookWish, asker: &Asker<'_>) {
        let HookUpdate::AddRules { behavior, rules } = &wish.update else {
            return;
        };
        let Some(file) = wish.file.and_then(|source| self.file_of(source)) else {
            return;
        };
        let (behavior, rules) = (*behavior, rules.clone());
        let saving = {
            // No file but the managed ones may allow then, so nothing is kept in one, whoever wants it.
            let locked = self.means.place.allow_rules == Whose::ManagedOnly
                && behavior == RuleBehavior::Allow;
            let (file, rules) = (file.clone(), rules.clone());
            let save = move || save_rules(file.as_path(), behavior, &rules);
            (!locked).then(|| tokio::task::spawn_blocking(save))
        };
        let failure = match saving {
            None => Some("the managed settings let their own allow rules count alone".into()),
            Some(saving) => match saving.await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string().into()),
                Err(error) => Some(error.to_string().into()),
            },
        };
        let record = RulesSaved {
            behavior,
            rules,
            file: file.as_str().into(),
            failure,
        };
        let ledger = self.means.place.ledger.as_ref();
        turn::note(ledger, asker.worker.run(), record).await;
    }

    /// The file that Claude Code would write to, so that both see what was kept.
    fn file_of(&self, source: RuleSource) -> Option<AbsPath> {
        let place = &self.means.place;
        match source {
            RuleSource::UserSettings => Some(place.home.join(".claude/settings.json")),
            RuleSource::ProjectSettings => Some(place.project.join(".claude/settings.json")),
            RuleSource::LocalSettings => {
                let checkout = main_checkout(&place.project, &DiskFiles);
                Some(checkout.join(".claude/settings.local.json"))
            }
            RuleSource::PolicySettings
            | RuleSource::FlagSettings
            | RuleSource::CliArg
            | RuleSource::Command
            | RuleSource::Session => None,
        }
    }
}

fn by(wish: &HookWish) -> Answerer {
    Answerer::Hook {
        name: wish.hook.clone(),
    }
}

/// Rules for all below some folders. A folder whose name a pattern would read otherwise gets none.
fn rules_below(tool: &str, folders: impl Iterator<Item = AbsPath>) -> Vec<RuleText> {
    let plain = |folder: &AbsPath| {
        !folder
            .as_str()
            .contains(['*', '?', '[', ']', '\\', '!', '(', ')'])
    };
    folders
        .filter(plain)
        .map(|folder| RuleText::new(&format!("{tool}(/{folder}/**)")))
        .collect()
}

#[cfg(test)]
mod tests;
