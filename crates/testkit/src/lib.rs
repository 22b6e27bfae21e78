//! For tests alone: fake clock, scripted answerers, fixtures.

mod classifier;
mod clock;
mod hook;
mod model_server;
mod operator;
mod run;

pub use classifier::ScriptedClassifier;
pub use clock::FakeClock;
pub use hook::script_hook;
pub use model_server::{AnthropicReply, ChatReply, Ending, Heard, ModelAnswer, ModelServer};
pub use operator::{Operator, OperatorReport, Reply};
pub use run::run_start;
