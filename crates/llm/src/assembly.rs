//! Putting a reply together from the pieces that a stream brings.

use std::collections::BTreeMap;

use pointsman_model::JsonText;

use crate::{Delta, ModelPart, OtherPart, ToolInputText, ToolUse};

/// How many parts a reply may have; no real one has a tenth of it.
const PARTS_MAX: usize = 512;

/// Parts of a reply that still grow, by their place in it.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    parts: BTreeMap<u64, Growing>,
}

/// A part that grows.
#[derive(Debug)]
enum Growing {
    Text(String),
    Use {
        id: String,
        name: String,
        input: String,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    Other(JsonText),
}

/// A piece that does not fit what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    #[error("it has more than {PARTS_MAX} parts")]
    TooMany,
    #[error("a piece belongs to no part, or to one of another kind")]
    NoSuchPart,
    #[error("a part begins twice")]
    Twice,
    #[error("a tool is asked for without its name")]
    NoName,
}

/// Whether a reply may have so many parts, however it comes.
pub(crate) fn in_bounds(parts: usize) -> Result<(), Misfit> {
    if parts > PARTS_MAX {
        return Err(Misfit::TooMany);
    }
    Ok(())
}

impl Assembly {
    fn begin(&mut self, at: u64, part: Growing) -> Result<(), Misfit> {
        in_bounds(self.parts.len().saturating_add(1))?;
        match self.parts.insert(at, part) {
            None => Ok(()),
            Some(_) => Err(Misfit::Twice),
        }
    }

    /// Begins a part of words.
    pub(crate) fn begin_text(&mut self, at: u64, text: String) -> Result<(), Misfit> {
        self.begin(at, Growing::Text(text))
    }

    /// Begins the model's own notes.
    pub(crate) fn begin_thinking(&mut self, at: u64) -> Result<(), Misfit> {
        let (thinking, signature) = Default::default();
        self.begin(
            at,
            Growing::Thinking {
                thinking,
                signature,
            },
        )
    }

    /// Puts a part in that is kept as it came.
    pub(crate) fn put_other(&mut self, at: u64, part: JsonText) -> Result<(), Misfit> {
        self.begin(at, Growing::Other(part))
    }

    /// Begins a tool use.
    pub(crate) fn begin_use(&mut self, at: u64, id: String, name: String) -> Result<(), Misfit> {
        let input = String::new();
        self.begin(at, Growing::Use { id, name, input })
    }

    /// More of a tool's name: some servers send it behind its id, in pieces, or whole with each piece of the input.
    pub(crate) fn name(&mut self, at: u64, more: &str) -> Result<(), Misfit> {
        match self.parts.get_mut(&at) {
            Some(Growing::Use { name, .. }) if name == more => {}
            Some(Growing::Use { name, .. }) => name.push_str(more),
            _ => return Err(Misfit::NoSuchPart),
        }
        Ok(())
    }

    /// Whether a part has begun there.
    pub(crate) fn has(&self, at: u64) -> bool {
        self.parts.contains_key(&at)
    }

    /// The place of the last part.
    pub(crate) fn last(&self) -> Option<u64> {
        self.parts.last_key_value().map(|(at, _)| *at)
    }

    /// More words.
    pub(crate) fn text(&mut self, at: u64, more: &str) -> Result<(), Misfit> {
        match self.parts.get_mut(&at) {
            Some(Growing::Text(text)) => text.push_str(more),
            _ => return Err(Misfit::NoSuchPart),
        }
        Ok(())
    }

    /// More of a tool's input.
    pub(crate) fn input(&mut self, at: u64, more: &str) -> Result<(), Misfit> {
        match self.parts.get_mut(&at) {
            Some(Growing::Use { input, .. }) => input.push_str(more),
            // A part that is kept as it came can't grow; it was not asked for, so nothing is lost.
            Some(Growing::Other(_)) => {
                self.parts.remove(&at);
            }
            _ => return Err(Misfit::NoSuchPart),
        }
        Ok(())
    }

    /// More of the model's own notes.
    pub(crate) fn thinking(&mut self, at: u64, more: &str) -> Result<(), Misfit> {
        match self.parts.get_mut(&at) {
            Some(Growing::Thinking { thinking, .. }) => thinking.push_str(more),
            _ => return Err(Misfit::NoSuchPart),
        }
        Ok(())
    }

    /// More of the seal on the model's own notes.
    pub(crate) fn signature(&mut self, at: u64, more: &str) -> Result<(), Misfit> {
        match self.parts.get_mut(&at) {
            Some(Growing::Thinking { signature, .. }) => signature.push_str(more),
            _ => return Err(Misfit::NoSuchPart),
        }
        Ok(())
    }

    /// The parts as they stand now. Words that never came are left out.
    pub(crate) fn finish(self) -> Result<Vec<ModelPart>, Misfit> {
        let mut parts = Vec::new();
        for part in self.parts.into_values() {
            parts.push(match part {
                Growing::Text(text) if text.is_empty() => continue,
                Growing::Text(text) => ModelPart::Text(text),
                Growing::Use { name, .. } if name.is_empty() => return Err(Misfit::NoName),
                Growing::Use { id, name, input } => ModelPart::Use(ToolUse {
                    id,
                    name,
                    input: ToolInputText::read(input),
                }),
                Growing::Thinking {
                    thinking,
                    signature,
                } => {
                    let block = serde_json::json!({
                        "type": "thinking", "thinking": thinking, "signature": signature,
                    });
                    match JsonText::of(&block) {
                        Ok(block) => ModelPart::Other(OtherPart(block)),
                        Err(_) => continue,
                    }
                }
                Growing::Other(block) => ModelPart::Other(OtherPart(block)),
            });
        }
        Ok(parts)
    }
}

/// Whoever hears the pieces of a reply as they come in.
pub(crate) type OnDelta<'a> = &'a mut (dyn FnMut(Delta<'_>) + Send);
