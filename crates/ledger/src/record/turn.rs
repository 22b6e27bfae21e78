//! Records of what a thinking agent and its model say to each other: the transcript, in its tidied form.
//!
//! What calls came to is not said twice: a result names its call, whose records hold the text.

use pointsman_model::{CallId, Millis, WorkerId};
use serde::{Deserialize, Serialize};

/// A conversation went on by a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTaken {
    /// Whose conversation.
    pub worker: WorkerId,
    /// Its place in the conversation, counted from 1.
    pub number: u32,
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub parts: Vec<TurnPart>,
    /// What the model had spent for it since the one before; with its own turns alone. Records of earlier versions
    /// don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<ModelSpent>,
}

/// What talking to a model took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpent {
    /// How often it was asked, attempts that failed counted each.
    pub calls: u64,
    /// Tokens that it read, and neither from a cache nor into one.
    pub input: u64,
    /// Tokens that it said.
    pub output: u64,
    /// Tokens that it read from a cache.
    pub cache_read: u64,
    /// Tokens that went into one.
    pub cache_write: u64,
    /// How long it was waited for.
    pub waited: Millis,
}

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The model.
    Model,
    /// A person, or the program in their place: the task, results of tools.
    Person,
}

/// Part of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum TurnPart {
    /// Words.
    Text {
        /// As they were said.
        text: String,
    },
    /// The model asks for a tool.
    Use {
        /// Its id of the use.
        id: String,
        /// The tool, as it spells it.
        tool: String,
        /// The input: tidied where the tool could read it, else as it came.
        input: String,
    },
    /// What came of a use.
    Result {
        /// The model's id of the use.
        id: String,
        /// The call that it became.
        call: CallId,
    },
    /// A use that became no call.
    NotRun {
        /// The model's id of the use.
        id: String,
        /// What the model is told.
        text: String,
    },
    /// A part that only the model's server understands, byte for byte.
    Other {
        /// As it came.
        text: String,
    },
}
