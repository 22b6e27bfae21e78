//! The client: asks a model, waits within limits, asks again where that can help.

mod attempt;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use self::attempt::Attempt;
use crate::assembly::OnDelta;
use crate::dialect::Delivery;
use crate::retry::{BackOff, Next};
use crate::{Delta, Endpoint, Failure, Fault, FaultNature, Prompt, Reply, Spending, Transport};

/// How long and how often a client tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often one question is asked at most.
    pub attempts_max: u32,
    /// The wait before the second attempt; it doubles with each, up to [`Self::wait_max`].
    pub first_wait: Duration,
    /// The longest wait between attempts that is chosen here; a server may ask for longer.
    pub wait_max: Duration,
    /// How long a server may say nothing.
    pub silence_max: Duration,
    /// How long one attempt may take; one that takes longer is made again.
    pub attempt_max: Duration,
    /// How long one question may take, all attempts and waits included.
    pub time_max: Duration,
    /// How large a reply may be.
    pub bytes_max: usize,
}

impl Limits {
    /// For an agent at work: long answers of a large model, busy servers.
    pub const AGENT: Self = Self {
        attempts_max: 6,
        first_wait: Duration::from_secs(1),
        wait_max: Duration::from_secs(60),
        silence_max: Duration::from_secs(120),
        attempt_max: Duration::from_secs(20 * 60),
        time_max: Duration::from_secs(20 * 60),
        bytes_max: 32 * 1024 * 1024,
    };

    /// For a short judgement that something waits for.
    #[must_use]
    pub const fn judgement(time_max: Duration) -> Self {
        Self {
            attempts_max: 3,
            first_wait: Duration::from_millis(250),
            wait_max: Duration::from_secs(4),
            silence_max: time_max,
            attempt_max: time_max,
            time_max,
            bytes_max: 1024 * 1024,
        }
    }

    /// The same with a limit of each attempt.
    #[must_use]
    pub const fn with_attempts_of(self, attempt_max: Duration) -> Self {
        Self {
            attempt_max,
            ..self
        }
    }
}

/// Why there is no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The key would travel unencrypted.
    #[error("the key would travel to `{host}` unencrypted: use `https://`")]
    KeyInTheClear {
        /// The server.
        host: Box<str>,
    },
    /// Money is limited, and nobody said what tokens cost.
    #[error("a limit in money needs the prices of the model's tokens")]
    NoPrices,
    /// The proxy can't be used.
    #[error("the proxy can't be used: {0}")]
    Proxy(Box<str>),
    /// The network can't be used.
    #[error("the network can't be used: {0}")]
    Network(Box<str>),
}

/// Asks one model. Cheap to clone; clones share connections and budget.
#[derive(Debug, Clone)]
pub struct Client {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    endpoint: Endpoint,
    transport: Transport,
    limits: Limits,
    spending: Spending,
}

impl Client {
    /// A client of this model.
    ///
    /// # Errors
    /// When the key would travel unencrypted.
    pub fn new(
        endpoint: Endpoint,
        transport: Transport,
        limits: Limits,
        spending: Spending,
    ) -> Result<Self, ClientError> {
        if endpoint.key.is_some() && endpoint.base_url.is_in_the_clear() {
            return Err(ClientError::KeyInTheClear {
                host: endpoint.base_url.host().into(),
            });
        }
        Ok(Self {
            parts: Arc::new(Parts {
                endpoint,
                transport,
                limits,
                spending,
            }),
        })
    }

    /// The model it asks, and where.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.parts.endpoint
    }

    /// The book of what is spent.
    #[must_use]
    pub fn spending(&self) -> &Spending {
        &self.parts.spending
    }

    /// Asks, and waits for the whole answer.
    ///
    /// # Errors
    /// When there is no answer within the limits, or none to be had.
    ///
    /// # Cancellation safety
    /// Dropping the future breaks the connection; what the model said by then is charged as set aside.
    pub async fn complete(&self, prompt: &Prompt) -> Result<Reply, Failure> {
        self.ask(prompt, Delivery::Whole, &mut |_| {}).await
    }

    /// Asks, and tells of each piece of the answer as it comes. What counts is the reply alone: when a
    /// stream breaks and the question is asked anew, [`Delta::StartsOver`] says so.
    ///
    /// # Errors
    /// As [`Self::complete`].
    ///
    /// # Cancellation safety
    /// As [`Self::complete`].
    pub async fn stream(
        &self,
        prompt: &Prompt,
        on_delta: &mut (dyn FnMut(Delta<'_>) + Send),
    ) -> Result<Reply, Failure> {
        self.ask(prompt, Delivery::Streamed, on_delta).await
    }

    async fn ask(
        &self,
        prompt: &Prompt,
        delivery: Delivery,
        on_delta: OnDelta<'_>,
    ) -> Result<Reply, Failure> {
        let limits = self.parts.limits;
        let begun = Instant::now();
        let mut last: Option<Fault> = None;
        let mut attempts = 0;
        loop {
            let left = limits.time_max.saturating_sub(begun.elapsed());
            let attempt = Attempt {
                parts: &self.parts,
                prompt,
                delivery,
                left,
            };
            attempts += 1;
            let mut heard = false;
            let mut listen = |delta: Delta<'_>| {
                heard = true;
                on_delta(delta);
            };
            let fault = match attempt.make(&mut listen).await {
                Ok(reply) => return Ok(reply),
                Err(fault) => fault,
            };
            let fault = match fault {
                Fault::OutOfTime { limit, .. } => Fault::OutOfTime {
                    limit,
                    last: last.map(Box::new),
                },
                fault => fault,
            };
            let wait = match self.after(&fault, attempts, begun, prompt) {
                Some(wait) => wait,
                None => return Err(Failure { fault, attempts }),
            };
            tracing::debug!(%fault, attempts, wait_ms = wait.as_millis(), "asking again");
            if heard {
                on_delta(Delta::StartsOver);
            }
            last = Some(fault);
            tokio::time::sleep(wait).await;
        }
    }

    /// How long to wait before the next attempt; nothing when there is to be none.
    fn after(
        &self,
        fault: &Fault,
        attempts: u32,
        begun: Instant,
        prompt: &Prompt,
    ) -> Option<Duration> {
        let limits = self.parts.limits;
        if fault.nature() == FaultNature::Final || attempts >= limits.attempts_max {
            return None;
        }
        let back_off = BackOff {
            first: limits.first_wait,
            longest: limits.wait_max,
        };
        let left = limits.time_max.saturating_sub(begun.elapsed());
        match back_off.next(attempts, fault.wait(), left, salt(prompt, attempts)) {
            Next::Wait(wait) => Some(wait),
            Next::TooLate => None,
        }
    }
}

/// Differs from agent to agent, since their prompts do; needs no randomness.
fn salt(prompt: &Prompt, attempts: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    attempts.hash(&mut hasher);
    prompt.system.hash(&mut hasher);
    format!("{:?}", prompt.turns.first()).hash(&mut hasher);
    hasher.finish()
}
