//! Who asks: the scripted agent (`steps`), and the trait that those which follow implement.
//!
//! An agent gets a [`pointsman_tools::Dispatch`] and nothing else to act with; it neither knows the
//! leader nor who answers its questions.

mod agent;
mod steps;
mod steps_agent;

pub use agent::{Agent, AgentEnd};
pub use steps::{CallStep, Expect, ExpectedOutcome, OnRefusal, Pattern, Step, StepError, Steps};
pub use steps_agent::StepsAgent;
