//! Grants as dispatch meets them: made by verdicts and hooks, used up by calls.

use pointsman_approvals::{GrantsError, NewGrant, UseError};
use pointsman_gate::{HookRule, PreToolUse};
use pointsman_model::{
    Answerer, CallId, Cover, DecisionReason, GrantId, GrantScope, Judgement, PermissionRule,
    RequestId, RuleBehavior, RuleSource, Uses, Verdict, VerdictKind,
};

use super::Dispatch;
use super::refusal::Refusal;

impl Dispatch {
    /// Uses the grants that cover a call; false when one of them was used up or revoked meanwhile.
    pub(super) async fn use_grants(
        &self,
        judgement: &Judgement,
        call: CallId,
    ) -> Result<bool, Refusal> {
        for grant in covering(judgement) {
            match self
                .seat
                .grants
                .use_once(grant, self.seat.worker, call)
                .await
            {
                Ok(()) => {}
                Err(UseError::Over(_)) => return Ok(false),
                Err(error) => return Err(Refusal::unavailable(&error)),
            }
        }
        Ok(true)
    }

    /// Puts into the book what an answer grants beyond its call. The call passes even when that fails: the answer
    /// stands by itself, and what is missing is asked again.
    pub(super) async fn make_grants(&self, verdict: &Verdict, request: RequestId) {
        let VerdictKind::Allow {
            grant: Some(grant), ..
        } = &verdict.kind
        else {
            return;
        };
        let made = self.seat.grants.add(NewGrant {
            rules: grant.rules.clone(),
            scope: grant.scope.clone(),
            anchor: self.seat.frozen.context.parts().project.clone(),
            until: None,
            uses: Uses::Unlimited,
            by: verdict.by.clone(),
            request: Some(request),
        });
        if let Err(error) = made.await {
            tracing::warn!(%request, %error, "an answer's grant could not be made");
        }
    }

    /// Takes the rules that hooks add into the session. A deny or ask that can't be taken in refuses the call, since
    /// the hook counts on it.
    pub(super) async fn take_hook_rules(&self, turn: &PreToolUse) -> Result<(), Refusal> {
        for rule in &turn.rules {
            match (rule.behavior, self.take_hook_rule(rule).await) {
                // In force, but not on record: the ledger's failure ends the call by itself.
                (_, Ok(()) | Err(GrantsError::NotRecorded(_))) => {}
                (RuleBehavior::Allow, Err(error)) => {
                    tracing::warn!(hook = &*rule.hook, rule = %rule.text, %error, "a hook's rule was not taken in");
                }
                (RuleBehavior::Deny | RuleBehavior::Ask, Err(error)) => {
                    return Err(Refusal::by_hook(
                        &rule.hook,
                        &format!(
                            "it adds {} {}, which can't be taken in: {error}",
                            rule.behavior, rule.text
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    async fn take_hook_rule(&self, rule: &HookRule) -> Result<(), GrantsError> {
        let by = Answerer::Hook {
            name: rule.hook.clone(),
        };
        let anchor = self.seat.frozen.context.parts().project.clone();
        match rule.behavior {
            RuleBehavior::Deny | RuleBehavior::Ask => {
                let rule = PermissionRule {
                    behavior: rule.behavior,
                    text: rule.text.clone(),
                    source: RuleSource::Session,
                    place: None,
                    anchor,
                };
                self.seat.grants.tighten(rule, by).await
            }
            RuleBehavior::Allow => {
                let grant = NewGrant {
                    rules: vec![rule.text.clone()],
                    scope: self.scope_of_hook(rule.hook_source),
                    anchor,
                    until: None,
                    uses: Uses::Unlimited,
                    by,
                    request: None,
                };
                self.seat.grants.add(grant).await.map(drop)
            }
        }
    }

    /// The person's own and the managed hooks speak for the whole run, a project's for the agent whose call it saw.
    fn scope_of_hook(&self, source: RuleSource) -> GrantScope {
        match source {
            RuleSource::PolicySettings | RuleSource::UserSettings => {
                GrantScope::Run { run: self.seat.run }
            }
            RuleSource::ProjectSettings
            | RuleSource::LocalSettings
            | RuleSource::FlagSettings
            | RuleSource::CliArg
            | RuleSource::Command
            | RuleSource::Session => GrantScope::Worker {
                worker: self.seat.worker,
            },
        }
    }
}

/// The grants that a judgement leans on.
fn covering(judgement: &Judgement) -> Vec<GrantId> {
    let DecisionReason::Covered { by } = &judgement.reason else {
        return Vec::new();
    };
    by.iter()
        .filter_map(|cover| match cover {
            Cover::Grant { grant } => Some(*grant),
            Cover::Rule { .. }
            | Cover::KnownReader
            | Cover::InsideDirectories
            | Cover::Mode { .. }
            | Cover::Spawn
            | Cover::Sandbox
            | Cover::Hook { .. } => None,
        })
        .collect()
}
