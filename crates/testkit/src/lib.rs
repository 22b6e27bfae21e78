//! For tests alone: fake clock, scripted answerers, fixtures.

mod classifier;
mod clock;
mod hook;
mod operator;

pub use classifier::ScriptedClassifier;
pub use clock::FakeClock;
pub use hook::script_hook;
pub use operator::{Operator, OperatorReport, Reply};
