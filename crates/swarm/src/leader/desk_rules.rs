//! What the leader itself says of a forwarded request: deny and ask rules, then the grants whose
//! scope names the agent, all under the asking agent's own frozen context.

use std::sync::Arc;

use async_trait::async_trait;
use dashmap::DashMap;
use pointsman_approvals::Grants;
use pointsman_gate::{LeaderRules, LeaderSays};
use pointsman_ledger::Clock;
use pointsman_model::{
    DecisionReason, GrantId, Insistence, JsonText, Judgement, PermissionDecision, PermissionMode,
    PermissionRequest, Superseded, ToolInput, WorkerId,
};
use pointsman_policy::{
    Frozen, HookVote, Question, Tree, effects_of, judge, judge_denies_and_asks, name_case,
};
use pointsman_shell::Surroundings;

/// The rules of the leader's desk.
pub(super) struct DeskRules {
    pub(super) grants: Grants,
    pub(super) contexts: Arc<DashMap<WorkerId, Frozen>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) tree: Arc<dyn Tree>,
}

#[async_trait]
impl LeaderRules for DeskRules {
    async fn judge(&self, request: &PermissionRequest) -> LeaderSays {
        match self.walk(request) {
            Walked::Says(says) => *says,
            Walked::Covered(grants) => self.take(&grants, request).await,
        }
    }
}

/// What the rules and grants come to before any grant is used.
enum Walked {
    Says(Box<LeaderSays>),
    /// These grants cover it, together with what its context allows.
    Covered(Vec<GrantId>),
}

impl Walked {
    fn ask() -> Self {
        Self::Says(Box::new(LeaderSays::Ask))
    }
}

impl DeskRules {
    fn walk(&self, request: &PermissionRequest) -> Walked {
        let worker = request.lineage.agent().worker;
        let Some(frozen) = self.contexts.get(&worker).map(|found| found.clone()) else {
            // Nobody that this leader started; a person may still know it.
            return Walked::ask();
        };
        let now = self.clock.now();
        let overlay = self
            .grants
            .overlay_for_call(&request.lineage, request.call.id, now);
        let question = Question {
            tool: &request.call.tool,
            input: &request.call.text,
            effects: &request.effects,
            folder: &request.folder,
            frozen: &frozen,
            overlay: &overlay,
            // The hooks were asked where the call was made; what they insist on stands in the request.
            vote: &HookVote::None,
            tree: self.tree.as_ref(),
        };
        let judgement = judge(&question);
        // Also what no deny rule says: a mode that was lowered while the question was open (law 14).
        if judgement.decision == PermissionDecision::Deny {
            return Walked::Says(Box::new(objection(judgement)));
        }
        if let Some(objecting) = judge_denies_and_asks(&question) {
            return Walked::Says(Box::new(objection(objecting)));
        }
        let must_ask = request.judgement.insistence == Insistence::MustAsk;
        // What was allowed has changed since. A rule given with that answer was given for what nobody sees now (law 10).
        let changed = |past: &Superseded| past.request.is_some();
        let asked_anew = request.supersedes.as_ref().is_some_and(changed);
        if must_ask || asked_anew || overlay.grants.is_empty() {
            return Walked::ask();
        }
        let grants: Vec<GrantId> = judgement.reason.grants().collect();
        if judgement.decision == PermissionDecision::Allow && !grants.is_empty() {
            Walked::Covered(grants)
        } else {
            Walked::ask()
        }
    }

    /// Why the call would be refused with that input in the place of its own, in the leader's words, if it would.
    ///
    /// `text` is the input as it came, and `read` as its tool reads it.
    pub(super) fn refusal_of(
        &self,
        request: &PermissionRequest,
        text: &JsonText,
        read: &ToolInput,
    ) -> Option<Box<str>> {
        let worker = request.lineage.agent().worker;
        let frozen = self.contexts.get(&worker).map(|found| found.clone())?;
        let at = Surroundings {
            folder: request.folder.clone(),
            home: frozen.context.parts().home.clone(),
            case: name_case(self.tree.as_ref()),
        };
        let now = self.clock.now();
        let judgement = judge(&Question {
            tool: &request.call.tool,
            input: text,
            effects: &effects_of(&request.call.tool, read, &at),
            folder: &request.folder,
            frozen: &frozen,
            overlay: &self
                .grants
                .overlay_for_call(&request.lineage, request.call.id, now),
            vote: &HookVote::None,
            tree: self.tree.as_ref(),
        });
        match judgement.decision {
            PermissionDecision::Deny => {
                Some(format!("refused by {}", refuser(&judgement.reason)).into())
            }
            PermissionDecision::Ask | PermissionDecision::Allow => None,
        }
    }

    /// Uses the grants. One that is over by now, or whose use can't be recorded, lets nothing pass.
    async fn take(&self, grants: &[GrantId], request: &PermissionRequest) -> LeaderSays {
        let worker = request.lineage.agent().worker;
        for grant in grants {
            let used = self.grants.use_once(*grant, worker, request.call.id).await;
            if let Err(error) = used {
                tracing::info!(%grant, %error, "a grant did not let a request pass");
                return LeaderSays::Ask;
            }
        }
        match grants.first() {
            Some(grant) => LeaderSays::Granted { grant: *grant },
            None => LeaderSays::Ask,
        }
    }
}

/// What the rules or a lowered mode hold against it, in the leader's words.
fn objection(judgement: Judgement) -> LeaderSays {
    match judgement.decision {
        PermissionDecision::Deny => {
            let text = format!("refused by {}", refuser(&judgement.reason)).into();
            LeaderSays::Deny { judgement, text }
        }
        PermissionDecision::Ask => LeaderSays::MustAsk { judgement },
        // Rungs 1a and 1b allow nothing; were it so, a person would be asked.
        PermissionDecision::Allow => LeaderSays::Ask,
    }
}

/// What refuses it.
fn refuser(reason: &DecisionReason) -> String {
    match reason {
        DecisionReason::Rule { rule, .. } | DecisionReason::RuleMayMatch { rule, .. } => {
            format!("the rule {rule}")
        }
        DecisionReason::Mode { mode } => format!("mode {mode}"),
        DecisionReason::DontAsk { .. } => format!("mode {}", PermissionMode::DontAsk),
        DecisionReason::Hook { hook, .. } => format!("hook `{hook}`"),
        DecisionReason::Classifier { name, .. } => format!("classifier `{name}`"),
        DecisionReason::NobodyCanAnswer { .. } => "the absence of anyone who could answer".into(),
        // Questions each, or what lets pass; none of them refuses by itself.
        DecisionReason::Covered { .. }
        | DecisionReason::ProtectedPath { .. }
        | DecisionReason::CriticalRemoval { .. }
        | DecisionReason::NeedsPerson
        | DecisionReason::OutsideDirectories { .. }
        | DecisionReason::Opaque { .. }
        | DecisionReason::NothingDecided { .. } => "the ladder".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_model::{
        IfNobody, Matched, PermissionRule, RuleBehavior, RuleSource, RuleText, Trail,
    };

    /// What the leader says of a judgement that refuses for this reason.
    fn said(reason: DecisionReason) -> String {
        let judgement = Judgement {
            decision: PermissionDecision::Deny,
            insistence: Insistence::MayBeAnswered,
            trail: Trail::default(),
            if_nobody: IfNobody {
                decision: PermissionDecision::Deny,
                reason: reason.clone(),
            },
            reason,
        };
        match objection(judgement) {
            LeaderSays::Deny { text, .. } => text.into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_objection_names_what_refuses() {
        let matched = Matched {
            text: "touch x".into(),
            span: None,
        };
        let deny = PermissionRule {
            behavior: RuleBehavior::Deny,
            text: RuleText::new("Bash(touch *)"),
            source: RuleSource::Session,
            place: None,
            anchor: pointsman_model::AbsPath::parse("/w").unwrap(),
        };
        let by_rule = DecisionReason::Rule {
            rule: deny,
            matched: matched.clone(),
        };
        let by_rule = said(by_rule);
        assert!(by_rule.starts_with("refused by the rule "), "{by_rule}");
        assert!(by_rule.contains("Bash(touch *)"), "{by_rule}");
        let plan = DecisionReason::Mode {
            mode: PermissionMode::Plan,
        };
        assert_eq!(said(plan), "refused by mode plan");
        let question = Box::new(DecisionReason::NothingDecided { matched });
        assert_eq!(
            said(DecisionReason::DontAsk { question }),
            "refused by mode dontAsk"
        );
    }
}
