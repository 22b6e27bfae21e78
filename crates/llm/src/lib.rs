//! Talking to models: Anthropic and OpenAI-compatible, streaming, retries, budgets.
//!
//! A [`Client`] sends a [`Prompt`] and brings back a [`Reply`], or a [`Failure`] that says whether
//! trying again could help. It knows two dialects and no agent: what a reply means, and whether a
//! tool it asks for may run, is for others to say. It reads no environment; endpoint, key and prices
//! are given to it.

mod assembly;
mod budget;
mod cassette;
mod client;
mod dialect;
mod endpoint;
mod fault;
mod key;
mod money;
mod prompt;
mod reply;
mod retry;
mod tls;
mod transport;

pub use budget::{Budget, Spending, Spent, Usage};
pub use cassette::{Cassette, CassetteError, Recorder};
pub use client::{Client, ClientError, Limits};
pub use dialect::Dialect;
pub use endpoint::{BaseUrl, BaseUrlError, Endpoint, ModelName};
pub use fault::{BudgetPart, Failure, Fault, FaultNature};
pub use key::ApiKey;
pub use money::{Money, PriceError, Prices};
pub use prompt::{
    ModelPart, OtherPart, PersonPart, Prompt, ResultKind, ToolInputText, ToolResult, ToolUse, Turn,
};
pub use reply::{Delta, Reply, Stop};
pub use tls::install_tls_provider;
pub use transport::Transport;
