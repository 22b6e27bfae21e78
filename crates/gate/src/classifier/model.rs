//! The classifier that asks a model.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_ledger::Clock;
use pointsman_llm::{
    Client, ClientError, Endpoint, Failure, Fault, Limits, Prompt, Spending, Stop, Transport, Turn,
};
use pointsman_model::{PermissionRequest, Verdict};

use super::answer::{Said, read};
use super::showing::{self, Shown};
use super::{Bench, ClassifierGuidance, ClassifierHealth, Mute};
use crate::{Classifier, ClassifierVote};

/// How long its answer may be: a code, a word and a sentence.
const OUTPUT_TOKENS_MAX: u32 = 400;

/// Asks a model whether an action would pass.
pub struct ModelClassifier {
    name: Box<str>,
    client: Client,
    guidance: ClassifierGuidance,
    bench: Bench,
}

impl ModelClassifier {
    /// A classifier that asks the model at `endpoint`. One judgement takes no longer than `limits` say, new
    /// attempts included; see [`Limits::judgement`].
    ///
    /// # Errors
    /// When the key would travel unencrypted.
    pub fn new(
        endpoint: Endpoint,
        transport: Transport,
        spending: Spending,
        limits: Limits,
        guidance: ClassifierGuidance,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClientError> {
        let name = endpoint.model.as_str().into();
        Ok(Self {
            name,
            client: Client::new(endpoint, transport, limits, spending)?,
            guidance,
            bench: Bench::new(clock),
        })
    }

    async fn ask(&self, shown: Shown) -> Result<Said, Mute> {
        let prompt = Prompt {
            system: showing::instructions(&self.guidance, &shown.code),
            turns: vec![Turn::words(shown.text)],
            tools: Vec::new(),
            output_tokens_max: OUTPUT_TOKENS_MAX,
            temperature: None,
            one_time_word: Some(shown.code.as_str().into()),
        };
        let reply = self.client.complete(&prompt).await.map_err(mute)?;
        if reply.stop != Stop::Done {
            let why = "it stopped before its answer was complete";
            return Err(Mute::Unreadable(why.into()));
        }
        Ok(read(&reply, &shown.code)?)
    }
}

fn mute(failure: Failure) -> Mute {
    let why = failure.to_string();
    match failure.fault {
        Fault::TooLong { .. } => Mute::TooLong(why),
        Fault::OverBudget(_) => Mute::OverBudget(why),
        _ => Mute::Unavailable(why),
    }
}

#[async_trait]
impl Classifier for ModelClassifier {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, request: &PermissionRequest) -> ClassifierVote {
        self.bench.judge(request, |shown| self.ask(shown)).await
    }

    fn told(&self, request: &PermissionRequest, verdict: &Verdict) {
        self.bench.told(request, verdict);
    }

    fn health(&self) -> ClassifierHealth {
        self.bench.health.read()
    }
}
