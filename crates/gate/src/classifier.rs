//! The classifier that asks a model: would this action pass?
//!
//! Off unless the person's own or the managed settings name one. It comes after the rules and never
//! lifts what they forbid or want a person for; that is held elsewhere, whatever it says here. It
//! judges an action only when it can be shown whole. What agents and tools wrote is shown to it as
//! evidence, never as permission, and an answer in any other form than the one asked for is no vote.

mod answer;
mod health;
mod limits;
mod showing;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pointsman_ledger::Clock;
use pointsman_llm::{
    Client, ClientError, Endpoint, Failure, Fault, Limits, Prompt, Spending, Stop, Transport, Turn,
};
use pointsman_model::PermissionRequest;

use self::answer::{Said, read};
use self::limits::{Limit, RefusalCounts};
use self::showing::{Unfit, show};
use crate::{Classifier, ClassifierVote, NoVoteCause};

pub use self::health::{ClassifierHealth, ClassifierState};
pub(crate) use self::showing::effect_in_words;

/// How long its answer may be: a code, a word and a sentence.
const OUTPUT_TOKENS_MAX: u32 = 400;

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

/// Asks a model whether an action would pass.
pub struct ModelClassifier {
    name: Box<str>,
    client: Client,
    guidance: ClassifierGuidance,
    counts: RefusalCounts,
    health: health::Book,
}

impl ModelClassifier {
    /// A classifier that asks the model at `endpoint`. One judgement takes no longer than `time_max`, new
    /// attempts included, of which there are at most three.
    ///
    /// # Errors
    /// When the key would travel unencrypted.
    pub fn new(
        endpoint: Endpoint,
        transport: Transport,
        spending: Spending,
        time_max: Duration,
        guidance: ClassifierGuidance,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClientError> {
        let name = endpoint.model.as_str().into();
        let limits = Limits::judgement(time_max);
        Ok(Self {
            name,
            client: Client::new(endpoint, transport, limits, spending)?,
            guidance,
            counts: RefusalCounts::default(),
            health: health::Book::new(clock),
        })
    }

    /// How it is doing.
    #[must_use]
    pub fn health(&self) -> ClassifierHealth {
        self.health.read()
    }

    async fn judge(&self, request: &PermissionRequest) -> ClassifierVote {
        let agent = request.lineage.agent().worker;
        if let Some(limit) = self.counts.over(agent) {
            return no_vote(NoVoteCause::OverLimits, over(limit));
        }
        let shown = match show(request) {
            Ok(shown) => shown,
            Err(Unfit::TooLong { bytes }) => {
                let why = format!("the action has {bytes} bytes, which is more than it reads");
                return no_vote(NoVoteCause::TooLong, why);
            }
            Err(Unfit::NeedsPerson { why }) => return no_vote(NoVoteCause::NeedsPerson, why),
        };
        let prompt = Prompt {
            system: showing::instructions(&self.guidance, &shown.code),
            turns: vec![Turn::words(shown.text)],
            tools: Vec::new(),
            output_tokens_max: OUTPUT_TOKENS_MAX,
            temperature: None,
        };
        let reply = match self.client.complete(&prompt).await {
            Ok(reply) => reply,
            Err(failure) => return self.failed(&failure),
        };
        if reply.stop != Stop::Done {
            let why = "it stopped before its answer was complete";
            self.health.failed(why);
            return no_vote(NoVoteCause::Unreadable, why);
        }
        match read(&reply, &shown.code) {
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
            Err(misread) => {
                let why = format!("its answer can't be read: {misread}");
                self.health.failed(&why);
                no_vote(NoVoteCause::Unreadable, why)
            }
        }
    }

    fn failed(&self, failure: &Failure) -> ClassifierVote {
        let cause = match &failure.fault {
            // The model is well; it is the action that does not fit.
            Fault::TooLong { .. } => {
                return no_vote(NoVoteCause::TooLong, failure.to_string());
            }
            Fault::OverBudget(_) => NoVoteCause::OverLimits,
            _ => NoVoteCause::Unavailable,
        };
        let why = failure.to_string();
        self.health.failed(&why);
        no_vote(cause, why)
    }
}

#[async_trait]
impl Classifier for ModelClassifier {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, request: &PermissionRequest) -> ClassifierVote {
        self.judge(request).await
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
