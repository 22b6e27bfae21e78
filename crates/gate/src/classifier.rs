//! Classifiers: would this action pass? A model or a program says.
//!
//! Off unless the person's own or the managed settings name one. It comes after the rules and never
//! lifts what they forbid or want a person for; that is held elsewhere, whatever it says here. It
//! judges an action only when it can be shown whole. What agents and tools wrote is shown to it as
//! evidence, never as permission, and an answer in any other form than the one asked for is no vote.

mod answer;
mod health;
mod limits;
mod model;
mod out_of_reach;
mod program;
mod scripts;
mod showing;

use std::sync::Arc;

use pointsman_ledger::Clock;
use pointsman_model::{Answerer, NoVoteCause, PermissionRequest, Verdict, VerdictKind};

use self::answer::{Misread, Said};
use self::limits::{Limit, RefusalCounts};
use self::showing::{Codes, Shown, Unfit, needs_person, show};
use crate::ClassifierVote;

pub use self::health::{ClassifierHealth, ClassifierState};
pub use self::model::ModelClassifier;
pub use self::out_of_reach::ClassifierOutOfReach;
pub use self::program::ProgramClassifier;
pub(crate) use self::showing::effect_in_words;

/// What a person adds to the instructions, in prose. Comes from the person's own or the managed
/// settings alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassifierGuidance {
    /// What is usual here: hosts, tools, habits.
    pub environment: Vec<String>,
    /// What may pass.
    pub allow: Vec<String>,
    /// What may not, whatever else is said.
    pub refuse: Vec<String>,
}

/// What is the same whoever judges: what is shown, how often it may refuse, how it is doing.
struct Bench {
    counts: RefusalCounts,
    health: health::Book,
    codes: Codes,
}

/// Why whoever judges said nothing that counts.
enum Mute {
    /// It can't be reached, or not in time.
    Unavailable(String),
    /// It is well; it is the action that does not fit.
    TooLong(String),
    /// What it may cost is used up.
    OverBudget(String),
    /// It said something else.
    Unreadable(String),
}

impl From<Misread> for Mute {
    fn from(misread: Misread) -> Self {
        Self::Unreadable(format!("its answer can't be read: {misread}"))
    }
}

impl Bench {
    fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            counts: RefusalCounts::default(),
            health: health::Book::new(clock),
            codes: Codes::default(),
        }
    }

    /// A vote on a request; `ask` puts the action before whoever judges.
    async fn judge<T>(
        &self,
        request: &PermissionRequest,
        ask: impl FnOnce(Shown) -> T,
    ) -> ClassifierVote
    where
        T: Future<Output = Result<Said, Mute>>,
    {
        let agent = request.lineage.agent().worker;
        if let Some(limit) = self.counts.over(agent) {
            return no_vote(NoVoteCause::OverLimits, over(limit));
        }
        let read = match needs_person(request) {
            Ok(()) => scripts::read(request).await,
            Err(unfit) => Err(unfit),
        };
        let shown = read.and_then(|scripts| show(request, &scripts, &self.codes));
        let shown = match shown {
            Ok(shown) => shown,
            Err(Unfit::TooLong { bytes }) => {
                let why = format!("the action has {bytes} bytes, which is more than it reads");
                return no_vote(NoVoteCause::TooLong, why);
            }
            Err(Unfit::NeedsPerson { why }) => return no_vote(NoVoteCause::LeftToPeople, why),
        };
        match ask(shown).await {
            Ok(Said::Allow { reason }) => {
                self.health.voted();
                self.counts.allowed(agent);
                ClassifierVote::Yes { text: reason }
            }
            Ok(Said::Refuse { reason }) => {
                self.health.voted();
                self.counts.refused(agent);
                ClassifierVote::No { text: reason }
            }
            Err(Mute::TooLong(why)) => no_vote(NoVoteCause::TooLong, why),
            Err(Mute::OverBudget(why)) => self.failed(NoVoteCause::OverLimits, why),
            Err(Mute::Unavailable(why)) => self.failed(NoVoteCause::Unavailable, why),
            Err(Mute::Unreadable(why)) => self.failed(NoVoteCause::Unreadable, why),
        }
    }

    fn failed(&self, cause: NoVoteCause, why: String) -> ClassifierVote {
        self.health.failed(&why);
        no_vote(cause, why)
    }

    /// A person's yes shows that agent and person understand each other, so a row of refusals ends with it.
    fn told(&self, request: &PermissionRequest, verdict: &Verdict) {
        let is_yes = matches!(verdict.kind, VerdictKind::Allow { .. });
        if is_yes && matches!(verdict.by, Answerer::Person { .. }) {
            self.counts.lifted(request.lineage.agent().worker);
        }
    }
}

fn no_vote(cause: NoVoteCause, why: impl Into<Box<str>>) -> ClassifierVote {
    ClassifierVote::NoVote {
        cause,
        why: why.into(),
    }
}

fn over(limit: Limit) -> String {
    match limit {
        Limit::InARow(count) => {
            format!("it refused {count} actions of this agent in a row, so people are asked again")
        }
        Limit::InAll(count) => {
            format!("it refused {count} actions of this agent, so people are asked again")
        }
    }
}

#[cfg(test)]
mod tests;
