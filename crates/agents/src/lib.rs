//! Who asks: the llm loop, the scripted agent (`steps`), replay.
//!
//! An agent gets a [`pointsman_tools::Dispatch`] and nothing else to act with; it neither knows the
//! leader nor who answers its questions.

mod agent;
mod llm;
mod replay;
mod steps;
mod steps_agent;

#[cfg(test)]
mod fixture;

pub use agent::{Agent, AgentEnd};
pub use llm::{
    AgentSaid, BudgetSettings, LlmAgent, LlmLimits, LlmRole, ModelAccess, ModelDialect,
    ModelSettings, ModelSettingsError, PriceSettings, RecordedConversation, SaidWhat,
    SubAgentChoice, conversation_of, spent_of,
};
pub use replay::{RecordedEnd, ReplayAgent, Transcript, TranscriptCall};
pub use steps::{CallStep, Expect, ExpectedOutcome, OnRefusal, Pattern, Step, StepError, Steps};
pub use steps_agent::StepsAgent;
