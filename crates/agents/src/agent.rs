//! What every agent is to the leader: something that works until it ends.

use async_trait::async_trait;
use pointsman_tools::Dispatch;
use tokio_util::sync::CancellationToken;

/// Asks for tool calls until its work is done.
#[async_trait]
pub trait Agent: Send {
    /// Works to the end. The end is told as it is: an agent that was refused what it needed says so in its summary,
    /// and one that gave up did not succeed.
    ///
    /// Ends soon after `stop` is cancelled, and when [`Dispatch::halted`] says so.
    ///
    /// Cancellation: dropping the future cancels the calls it waits for.
    async fn work(&mut self, dispatch: &Dispatch, stop: &CancellationToken) -> AgentEnd;
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEnd {
    /// It came to the end of its work.
    Done {
        /// What it did, and what it was refused.
        summary: String,
    },
    /// It could not do its work.
    Failed {
        /// Why, and what it was refused.
        reason: String,
    },
    /// It was stopped.
    Stopped,
    /// A hook or a limit ended it.
    Halted {
        /// Why.
        reason: String,
    },
}
