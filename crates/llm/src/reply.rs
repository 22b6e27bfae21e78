//! What a model answers.

use std::collections::HashSet;

use crate::transport::Reworded;
use crate::{ModelPart, ToolUse, Usage};

/// A whole answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it said, in order.
    pub parts: Vec<ModelPart>,
    /// Why it stopped.
    pub stop: Stop,
    /// What it cost; nothing when the server does not say.
    pub usage: Option<Usage>,
    /// The model as its server names it.
    pub model: Box<str>,
}

impl Reply {
    /// All its words, parts joined by line feeds.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            ModelPart::Text(text) => Some(text.as_str()),
            ModelPart::Use(_) | ModelPart::Other(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The same with ids that are each given once. Some servers give one id to several uses, and then nobody could say
    /// which of them a result belongs to; the server is shown the new ones as well.
    pub(crate) fn with_ids_once(mut self) -> Self {
        let mut given = HashSet::new();
        for part in &mut self.parts {
            let ModelPart::Use(tool_use) = part else {
                continue;
            };
            let first = tool_use.id.clone();
            let mut number = 2_u32;
            while !given.insert(tool_use.id.clone()) {
                tool_use.id = format!("{first}-{number}");
                number = number.saturating_add(1);
            }
        }
        self
    }

    /// The same, its words as if they had been said today.
    pub(crate) fn reworded(mut self, reworded: &Reworded) -> Self {
        for part in &mut self.parts {
            if let ModelPart::Text(text) = part {
                *text = reworded.text(text);
            }
        }
        self
    }

    /// The tools it asks for, in order.
    pub fn uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.parts.iter().filter_map(|part| match part {
            ModelPart::Use(tool_use) => Some(tool_use),
            ModelPart::Text(_) | ModelPart::Other(_) => None,
        })
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It had said all.
    Done,
    /// It asks for tools.
    ToolUse,
    /// Its answer was as long as it may be; what it said last may be cut off.
    OutputLimit,
    /// The conversation is as long as it may be.
    ContextFull,
    /// It, or its server, will not answer this.
    Declined,
    /// Something else, in the server's words.
    Other(Box<str>),
}

/// A piece of a reply, as it comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Words.
    Text(&'a str),
    /// It begins to ask for a tool.
    UseBegins {
        /// The tool, as the model spells it.
        name: &'a str,
    },
    /// What came so far does not count: the stream broke, and the question is asked anew.
    StartsOver,
}
