//! The way up: what each rung came to, and what is left standing at the end.

use pointsman_model::{
    DecisionReason, IfNobody, Insistence, Judgement, Matched, PermissionDecision, Questions, Rung,
    RungOutcome, Trail, TrailStep,
};

use super::Facts;

/// A walk in progress.
pub(crate) struct Walk<'a> {
    /// What is known of the call.
    pub(crate) facts: &'a Facts<'a>,
    steps: Vec<TrailStep>,
    must: Option<DecisionReason>,
    /// The first part that nothing covers, and why it is a question.
    uncovered: Option<DecisionReason>,
}

/// A decision that ends the walk.
pub(crate) struct Decided {
    decision: PermissionDecision,
    reason: DecisionReason,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>) -> Self {
        Self {
            facts,
            steps: Vec::with_capacity(10),
            must: None,
            uncovered: None,
        }
    }

    /// Whether a rung demanded a person.
    pub(crate) fn must_ask(&self) -> bool {
        self.must.is_some()
    }

    pub(crate) fn passed(&mut self, rung: Rung) {
        self.step(rung, RungOutcome::Passed);
    }

    pub(crate) fn demand(&mut self, rung: Rung, reason: DecisionReason) {
        self.step(
            rung,
            RungOutcome::MustAsk {
                reason: reason.clone(),
            },
        );
        self.must.get_or_insert(reason);
    }

    pub(crate) fn would_ask(&mut self, rung: Rung, reason: DecisionReason) {
        self.step(rung, RungOutcome::WouldAsk { reason });
    }

    /// Says why it will be a question if nothing allows.
    pub(crate) fn uncovered(&mut self, reason: DecisionReason) {
        self.uncovered.get_or_insert(reason);
    }

    /// Denies here.
    pub(crate) fn deny(&mut self, rung: Rung, reason: DecisionReason) -> Option<Decided> {
        Some(self.decide(rung, PermissionDecision::Deny, reason))
    }

    /// Allows here, unless a person has to be asked.
    pub(crate) fn allow(&mut self, rung: Rung, reason: DecisionReason) -> Option<Decided> {
        if self.must_ask() {
            self.step(rung, RungOutcome::HeldBack);
            return None;
        }
        Some(self.decide(rung, PermissionDecision::Allow, reason))
    }

    /// Ends the walk: what nothing decided is a question, and a question is refused where the mode says so.
    pub(crate) fn finish(mut self, decided: Option<Decided>) -> Judgement {
        let insistence = match self.must {
            Some(_) => Insistence::MustAsk,
            None => Insistence::MayBeAnswered,
        };
        let decided = match decided {
            Some(decided) => decided,
            None => self.question(),
        };
        let if_nobody = match decided.decision {
            PermissionDecision::Allow | PermissionDecision::Deny => IfNobody {
                decision: decided.decision,
                reason: decided.reason.clone(),
            },
            PermissionDecision::Ask => IfNobody {
                decision: PermissionDecision::Deny,
                reason: DecisionReason::NobodyCanAnswer {
                    question: Box::new(decided.reason.clone()),
                },
            },
        };
        Judgement {
            decision: decided.decision,
            reason: decided.reason,
            insistence,
            trail: Trail(self.steps),
            if_nobody,
        }
    }

    fn question(&mut self) -> Decided {
        let reason = self
            .must
            .clone()
            .or_else(|| self.uncovered.clone())
            .unwrap_or_else(|| DecisionReason::NothingDecided {
                matched: self.whole_call(),
            });
        let questions = self.facts.q.mode().questions();
        match questions {
            Questions::Asked => self.decide(Rung::NothingDecided, PermissionDecision::Ask, reason),
            Questions::Refused => {
                self.would_ask(Rung::NothingDecided, reason.clone());
                let reason = DecisionReason::DontAsk {
                    question: Box::new(reason),
                };
                self.decide(Rung::Last, PermissionDecision::Deny, reason)
            }
        }
    }

    /// The call as a whole, for reasons that speak of no part.
    pub(crate) fn whole_call(&self) -> Matched {
        Matched {
            text: match &self.facts.q.effects.line {
                Some(line) => (**line).into(),
                None => self.facts.q.tool.as_str().into(),
            },
            span: None,
        }
    }

    fn decide(
        &mut self,
        rung: Rung,
        decision: PermissionDecision,
        reason: DecisionReason,
    ) -> Decided {
        self.step(
            rung,
            RungOutcome::Decided {
                decision,
                reason: reason.clone(),
            },
        );
        Decided { decision, reason }
    }

    fn step(&mut self, rung: Rung, came_to: RungOutcome) {
        self.steps.push(TrailStep { rung, came_to });
    }
}
