//! Handlers: the strategies by which an open question finds its one verdict.

mod checks;
mod coordinator;
mod interactive;
mod panel;
mod swarm_worker;

use async_trait::async_trait;
use pointsman_model::{HandlerKind, PermissionRequest, Verdict};

pub use self::coordinator::CoordinatorHandler;
pub use self::interactive::InteractiveHandler;
pub use self::panel::Panel;
pub use self::swarm_worker::SwarmWorkerHandler;

/// Finds the one verdict of a request. Fixed in an agent's context when it is spawned.
#[async_trait]
pub trait PermissionHandler: Send + Sync {
    /// Which strategy it is.
    fn kind(&self) -> HandlerKind;

    /// The verdict. Always comes: each request has a deadline, and a failure of whatever kind is a
    /// refusal with its own outcome, never a yes.
    ///
    /// Cancellation: dropping the future ends the request as cancelled and stops its answerers.
    async fn resolve(&self, request: PermissionRequest) -> Verdict;
}

#[cfg(test)]
mod tests;
