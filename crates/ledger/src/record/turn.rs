//! Records of what a thinking agent and its model say to each other: the transcript, in its tidied form.
//!
//! What calls came to is not said twice: a result names its call, whose records hold the text.

use pointsman_model::{CallId, WorkerId};
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
