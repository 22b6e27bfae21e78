//! The way up: what each rung came to, and what is left standing at the end.
//!
//! A walk makes no texts: it notes which rule, effect or mode spoke. [`Walk::told`] makes the judgement of that
//! for whoever wants to know why, and [`Walk::ruled`] says the decision alone.

use pointsman_model::{
    Cover, DecisionReason, IfNobody, Insistence, Judgement, PermissionDecision, Questions, Rung,
    RungOutcome, Trail, TrailStep,
};
use smallvec::SmallVec;

use super::why::{CoveredBy, Part, Why};
use super::{Facts, Ruling};

/// A ladder has so many rungs; the last two speak of one question.
const RUNGS_MAX: usize = 12;

/// A walk in progress.
pub(crate) struct Walk<'a, 'f> {
    /// What is known of the call.
    pub(crate) facts: &'a Facts<'f>,
    steps: SmallVec<[Step<'a>; RUNGS_MAX]>,
    must: Option<Why<'a>>,
    /// The first part that nothing covers, and why it is a question.
    uncovered: Option<Why<'a>>,
    /// What covers the effects, where that decided.
    covered_by: CoveredBy<'a>,
}

/// One rung on the way.
#[derive(Clone, Copy)]
struct Step<'a> {
    rung: Rung,
    came_to: CameTo<'a>,
}

#[derive(Clone, Copy)]
enum CameTo<'a> {
    Passed,
    MustAsk(Why<'a>),
    WouldAsk(Why<'a>),
    HeldBack,
    Decided(Decided<'a>),
}

/// A decision that ends the walk.
#[derive(Clone, Copy)]
pub(crate) struct Decided<'a> {
    rung: Rung,
    decision: PermissionDecision,
    why: Why<'a>,
}

impl<'a, 'f> Walk<'a, 'f> {
    pub(crate) fn new(facts: &'a Facts<'f>) -> Self {
        Self {
            facts,
            steps: SmallVec::new(),
            must: None,
            uncovered: None,
            covered_by: CoveredBy::new(),
        }
    }

    /// Whether a rung demanded a person.
    pub(crate) fn must_ask(&self) -> bool {
        self.must.is_some()
    }

    pub(crate) fn passed(&mut self, rung: Rung) {
        self.step(rung, CameTo::Passed);
    }

    pub(crate) fn demand(&mut self, rung: Rung, why: Why<'a>) {
        self.step(rung, CameTo::MustAsk(why));
        self.must.get_or_insert(why);
    }

    pub(crate) fn would_ask(&mut self, rung: Rung, why: Why<'a>) {
        self.step(rung, CameTo::WouldAsk(why));
    }

    /// Says why it will be a question if nothing allows.
    pub(crate) fn uncovered(&mut self, why: Why<'a>) {
        self.uncovered.get_or_insert(why);
    }

    /// Denies here.
    pub(crate) fn deny(&mut self, rung: Rung, why: Why<'a>) -> Option<Decided<'a>> {
        Some(self.decide(rung, PermissionDecision::Deny, why))
    }

    /// Allows here, unless a person has to be asked.
    pub(crate) fn allow(&mut self, rung: Rung, why: Why<'a>) -> Option<Decided<'a>> {
        if self.must_ask() {
            self.step(rung, CameTo::HeldBack);
            return None;
        }
        Some(self.decide(rung, PermissionDecision::Allow, why))
    }

    /// Allows here since these together cover every effect.
    pub(crate) fn covered(&mut self, rung: Rung, by: CoveredBy<'a>) -> Option<Decided<'a>> {
        self.covered_by = by;
        self.allow(rung, Why::Covered)
    }

    /// Ends the walk: what nothing decided is a question, and a question is refused where the mode says so.
    pub(crate) fn end(&mut self, decided: Option<Decided<'a>>) -> Ended<'a> {
        if let Some(decided) = decided {
            return Ended::Decided(decided);
        }
        let why = self
            .must
            .or(self.uncovered)
            .unwrap_or(Why::NothingDecided(Part::WholeCall));
        match self.facts.q.mode().questions() {
            Questions::Asked => {
                let rung = Rung::NothingDecided;
                Ended::Decided(self.decide(rung, PermissionDecision::Ask, why))
            }
            Questions::Refused => {
                self.would_ask(Rung::NothingDecided, why);
                Ended::QuestionRefused(why)
            }
        }
    }

    /// The decision, with the rule that made it.
    pub(crate) fn ruled(&self, ended: Ended<'a>) -> Ruling {
        let (rung, decision, why) = match ended {
            Ended::Decided(it) => (it.rung, it.decision, it.why),
            Ended::QuestionRefused(why) => (Rung::Last, PermissionDecision::Deny, why),
        };
        Ruling {
            decision,
            insistence: self.insistence(),
            rung,
            rule: why.rule(&self.covered_by).cloned(),
        }
    }

    /// The judgement with all its texts.
    pub(crate) fn told(self, ended: Ended<'a>) -> Judgement {
        let (decision, reason) = match ended {
            Ended::Decided(it) => (it.decision, self.reason(it.why)),
            Ended::QuestionRefused(why) => (
                PermissionDecision::Deny,
                DecisionReason::DontAsk {
                    question: Box::new(self.reason(why)),
                },
            ),
        };
        let if_nobody = match decision {
            PermissionDecision::Allow | PermissionDecision::Deny => IfNobody {
                decision,
                reason: reason.clone(),
            },
            PermissionDecision::Ask => IfNobody {
                decision: PermissionDecision::Deny,
                reason: DecisionReason::NobodyCanAnswer {
                    question: Box::new(reason.clone()),
                },
            },
        };
        Judgement {
            decision,
            insistence: self.insistence(),
            trail: self.trail(ended, &reason),
            reason,
            if_nobody,
        }
    }

    fn trail(&self, ended: Ended<'a>, reason: &DecisionReason) -> Trail {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend(self.steps.iter().map(|step| TrailStep {
            rung: step.rung,
            came_to: match step.came_to {
                CameTo::Passed => RungOutcome::Passed,
                CameTo::MustAsk(why) => RungOutcome::MustAsk {
                    reason: self.reason(why),
                },
                CameTo::WouldAsk(why) => RungOutcome::WouldAsk {
                    reason: self.reason(why),
                },
                CameTo::HeldBack => RungOutcome::HeldBack,
                CameTo::Decided(it) => RungOutcome::Decided {
                    decision: it.decision,
                    // Nothing comes after what decided: it is the reason of all.
                    reason: reason.clone(),
                },
            },
        }));
        if let Ended::QuestionRefused(_) = ended {
            steps.push(TrailStep {
                rung: Rung::Last,
                came_to: RungOutcome::Decided {
                    decision: PermissionDecision::Deny,
                    reason: reason.clone(),
                },
            });
        }
        Trail(steps)
    }

    fn reason(&self, why: Why<'a>) -> DecisionReason {
        let covered = || self.covered_by.iter().map(Cover::from).collect();
        why.reason(self.facts.q, covered)
    }

    fn insistence(&self) -> Insistence {
        match self.must {
            Some(_) => Insistence::MustAsk,
            None => Insistence::MayBeAnswered,
        }
    }

    fn decide(&mut self, rung: Rung, decision: PermissionDecision, why: Why<'a>) -> Decided<'a> {
        let decided = Decided {
            rung,
            decision,
            why,
        };
        self.step(rung, CameTo::Decided(decided));
        decided
    }

    fn step(&mut self, rung: Rung, came_to: CameTo<'a>) {
        self.steps.push(Step { rung, came_to });
    }
}

/// How a walk ended.
#[derive(Clone, Copy)]
pub(crate) enum Ended<'a> {
    /// A rung decided.
    Decided(Decided<'a>),
    /// It was a question, and this agent's questions are refused.
    QuestionRefused(Why<'a>),
}
