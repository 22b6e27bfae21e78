//! What a model is asked: instructions, the conversation so far, the tools it may ask for.

use std::fmt;

use pointsman_model::{JsonText, ToolSpec};
use serde::{Deserialize, Serialize};

/// One question to a model, complete: models remember nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// The conversation so far. It begins with a person's turn and ends with one.
    pub turns: Vec<Turn>,
    /// The tools it may ask for.
    pub tools: Vec<ToolSpec>,
    /// How many tokens it may answer with.
    pub output_tokens_max: u32,
    /// How freely it picks its words, from 0 to 1; the server's own choice when nothing is said.
    pub temperature: Option<f32>,
    /// A word of the instructions that is another one each time, and that the answer has to repeat. A recording is played
    /// as if it had been asked with the word of today. Plain letters and digits, at home nowhere else in the prompt.
    pub one_time_word: Option<Box<str>>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", content = "parts", rename_all = "snake_case")]
pub enum Turn {
    /// What a person, or the program in its place, says: words and results of tools.
    Person(Vec<PersonPart>),
    /// What the model said.
    Model(Vec<ModelPart>),
}

impl Turn {
    /// A person's turn of words alone.
    #[must_use]
    pub fn words(text: impl Into<String>) -> Self {
        Self::Person(vec![PersonPart::Text(text.into())])
    }
}

/// Part of a person's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonPart {
    /// Words.
    Text(String),
    /// What came of a tool use of the turn before.
    Result(ToolResult),
}

/// What came of a tool use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The model's id of the use.
    pub id: String,
    /// What the model is told.
    pub text: String,
    /// Whether it did what it was asked for.
    pub kind: ResultKind,
}

/// Whether a tool did what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    /// It did.
    Done,
    /// It failed, was refused or not run.
    NotDone,
}

/// Part of what a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPart {
    /// Words.
    Text(String),
    /// It asks for a tool.
    Use(ToolUse),
    /// A part that only its server understands; sent back as it came.
    Other(OtherPart),
}

/// A tool that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The model's id of this use.
    pub id: String,
    /// The tool, as the model spells it.
    pub name: String,
    /// Its input.
    pub input: ToolInputText,
}

/// The input of a tool as a model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolInputText {
    /// A JSON object, byte for byte.
    Object(JsonText),
    /// Something else: cut off, or never JSON. Nothing runs with it.
    Broken(String),
}

impl ToolInputText {
    /// Reads what a model wrote. Nothing at all stands for an empty object.
    #[must_use]
    pub fn read(text: String) -> Self {
        if text.trim().is_empty() {
            return Self::read("{}".into());
        }
        match JsonText::parse(&text) {
            Ok(object) => Self::Object(object),
            Err(_) => Self::Broken(text),
        }
    }
}

/// A part of a reply in a form that only its server understands, byte for byte.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherPart(pub(crate) JsonText);

impl OtherPart {
    /// The part as it came, to be kept.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// A part that was kept; nothing for what can't be one.
    #[must_use]
    pub fn kept(text: &str) -> Option<Self> {
        JsonText::parse(text).ok().map(Self)
    }
}

impl fmt::Debug for OtherPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OtherPart({} bytes)", self.0.as_str().len())
    }
}
