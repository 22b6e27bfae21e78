//! Reading a Messages reply, in one piece or as a stream of events.

use pointsman_model::JsonText;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::{Progress, Trouble, error_of};
use crate::assembly::{Assembly, OnDelta, in_bounds};
use crate::{Delta, ModelPart, OtherPart, Reply, Stop, ToolInputText, ToolUse, Usage};

#[derive(Deserialize)]
struct WholeReply {
    content: Vec<Box<RawValue>>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Counted>,
    #[serde(default)]
    model: String,
}

/// What the server counted. In a stream the numbers come in parts, each complete for itself.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct Counted {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Counted {
    fn overlaid(self, newer: Self) -> Self {
        Self {
            input_tokens: newer.input_tokens.or(self.input_tokens),
            output_tokens: newer.output_tokens.or(self.output_tokens),
            cache_read_input_tokens: newer
                .cache_read_input_tokens
                .or(self.cache_read_input_tokens),
            cache_creation_input_tokens: newer
                .cache_creation_input_tokens
                .or(self.cache_creation_input_tokens),
        }
    }

    /// Nothing when the server left out what is always there.
    fn usage(self) -> Option<Usage> {
        Some(Usage {
            input: self.input_tokens?,
            output: self.output_tokens?,
            cache_read: self.cache_read_input_tokens.unwrap_or(0),
            cache_write: self.cache_creation_input_tokens.unwrap_or(0),
        })
    }
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct TextBlock {
    text: String,
}

#[derive(Deserialize)]
struct UseBlock {
    id: String,
    name: String,
    #[serde(default)]
    input: Option<Box<RawValue>>,
}

/// Reads a reply that came in one piece.
pub(in super::super) fn whole(body: &str) -> Result<Reply, Trouble> {
    let reply: WholeReply = serde_json::from_str(body)?;
    in_bounds(reply.content.len())?;
    let mut parts = Vec::with_capacity(reply.content.len());
    for block in &reply.content {
        let kind: Kind = serde_json::from_str(block.get())?;
        match kind.kind.as_str() {
            "text" => {
                let block: TextBlock = serde_json::from_str(block.get())?;
                if !block.text.is_empty() {
                    parts.push(ModelPart::Text(block.text));
                }
            }
            "tool_use" => {
                let block: UseBlock = serde_json::from_str(block.get())?;
                let input = block.input.map(|input| input.get().to_owned());
                parts.push(ModelPart::Use(ToolUse {
                    id: block.id,
                    name: block.name,
                    input: ToolInputText::read(input.unwrap_or_default()),
                }));
            }
            _ => parts.push(ModelPart::Other(OtherPart(kept(block)?))),
        }
    }
    let Some(stop) = reply.stop_reason else {
        return Err(Trouble::Unreadable("it has no `stop_reason`".into()));
    };
    Ok(Reply {
        parts,
        stop: stop_of(&stop),
        usage: reply.usage.and_then(Counted::usage),
        model: reply.model.into(),
    })
}

fn kept(block: &RawValue) -> Result<JsonText, Trouble> {
    JsonText::parse(block.get()).map_err(|error| Trouble::Unreadable(error.to_string()))
}

fn stop_of(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" => Stop::Done,
        "tool_use" => Stop::ToolUse,
        "max_tokens" => Stop::OutputLimit,
        "model_context_window_exceeded" => Stop::ContextFull,
        "refusal" => Stop::Declined,
        other => Stop::Other(other.into()),
    }
}

/// A reply, read from a stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    assembly: Assembly,
    counted: Counted,
    model: String,
    stop: Option<Stop>,
    whole: bool,
}

#[derive(Deserialize)]
struct Started {
    message: StartedMessage,
}

#[derive(Deserialize)]
struct StartedMessage {
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct BlockStarted {
    index: u64,
    content_block: Box<RawValue>,
}

#[derive(Deserialize)]
struct BlockGrew {
    index: u64,
    delta: Grown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Grown {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageGrew {
    delta: MessageDelta,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Failed {
    error: serde_json::Value,
}

impl Stream {
    /// Takes the data of one event. Kinds that are not known are passed over, as the protocol wants it.
    pub(in super::super) fn take(
        &mut self,
        data: &str,
        on_delta: OnDelta<'_>,
    ) -> Result<Progress, Trouble> {
        let kind: Kind = serde_json::from_str(data)?;
        match kind.kind.as_str() {
            "message_start" => {
                let started: Started = serde_json::from_str(data)?;
                self.model = started.message.model;
                self.counted = self
                    .counted
                    .overlaid(started.message.usage.unwrap_or_default());
            }
            "content_block_start" => self.begin(&serde_json::from_str(data)?, on_delta)?,
            "content_block_delta" => self.grow(serde_json::from_str(data)?, on_delta)?,
            "message_delta" => {
                let grew: MessageGrew = serde_json::from_str(data)?;
                self.counted = self.counted.overlaid(grew.usage.unwrap_or_default());
                if let Some(reason) = grew.delta.stop_reason {
                    self.stop = Some(stop_of(&reason));
                }
            }
            "message_stop" => {
                self.whole = true;
                return Ok(Progress::Whole);
            }
            "error" => {
                let failed: Failed = serde_json::from_str(data)?;
                return Err(Trouble::Error(error_of(&failed.error)));
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn begin(&mut self, started: &BlockStarted, on_delta: OnDelta<'_>) -> Result<(), Trouble> {
        let at = started.index;
        let block = started.content_block.get();
        let kind: Kind = serde_json::from_str(block)?;
        match kind.kind.as_str() {
            "text" => {
                let block: TextBlock = serde_json::from_str(block)?;
                if !block.text.is_empty() {
                    on_delta(Delta::Text(&block.text));
                }
                self.assembly.begin_text(at, block.text)?;
            }
            "tool_use" => {
                let block: UseBlock = serde_json::from_str(block)?;
                on_delta(Delta::UseBegins { name: &block.name });
                self.assembly.begin_use(at, block.id, block.name)?;
                // The start carries an empty object, unless a server sends all of it at once.
                if let Some(input) = block.input.filter(|input| !is_empty_object(input)) {
                    self.assembly.input(at, input.get())?;
                }
            }
            "thinking" => self.assembly.begin_thinking(at)?,
            _ => self.assembly.put_other(at, kept(&started.content_block)?)?,
        }
        Ok(())
    }

    fn grow(&mut self, grew: BlockGrew, on_delta: OnDelta<'_>) -> Result<(), Trouble> {
        let at = grew.index;
        match grew.delta {
            Grown::TextDelta { text } => {
                self.assembly.text(at, &text)?;
                on_delta(Delta::Text(&text));
            }
            Grown::InputJsonDelta { partial_json } => self.assembly.input(at, &partial_json)?,
            Grown::ThinkingDelta { thinking } => self.assembly.thinking(at, &thinking)?,
            Grown::SignatureDelta { signature } => self.assembly.signature(at, &signature)?,
            Grown::Unknown => {}
        }
        Ok(())
    }

    /// The reply, when its end came.
    pub(in super::super) fn finish(self) -> Result<Option<Reply>, Trouble> {
        let (true, Some(stop)) = (self.whole, self.stop) else {
            return Ok(None);
        };
        Ok(Some(Reply {
            parts: self.assembly.finish()?,
            stop,
            usage: self.counted.usage(),
            model: self.model.into(),
        }))
    }
}

fn is_empty_object(input: &RawValue) -> bool {
    input
        .get()
        .chars()
        .filter(|char| !char.is_whitespace())
        .eq("{}".chars())
}
