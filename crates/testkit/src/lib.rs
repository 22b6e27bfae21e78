//! For tests alone: fake clock, scripted answerers, fixtures.

mod clock;
mod operator;

pub use clock::FakeClock;
pub use operator::{Operator, OperatorReport, Reply};
