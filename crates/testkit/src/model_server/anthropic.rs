//! Replies as an Anthropic server words them.

use serde_json::{Value, json};

use super::ModelAnswer;

/// A reply in the making: words and tool uses, in order.
#[derive(Debug, Clone, Default)]
pub struct AnthropicReply {
    blocks: Vec<Value>,
    stop: Option<&'static str>,
    tokens: (u64, u64),
}

impl AnthropicReply {
    /// A reply that says this.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self {
            tokens: (10, 5),
            ..Self::default()
        }
        .and_text(text)
    }

    /// A reply that asks for a tool.
    #[must_use]
    pub fn uses(id: &str, name: &str, input: Value) -> Self {
        Self {
            tokens: (10, 5),
            ..Self::default()
        }
        .and_uses(id, name, input)
    }

    /// The same, and it says more.
    #[must_use]
    pub fn and_text(mut self, text: &str) -> Self {
        self.blocks.push(json!({"type": "text", "text": text}));
        self
    }

    /// The same, and it asks for a tool.
    #[must_use]
    pub fn and_uses(mut self, id: &str, name: &str, input: Value) -> Self {
        self.blocks
            .push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        self
    }

    /// The same with a block of any kind.
    #[must_use]
    pub fn and_block(mut self, block: Value) -> Self {
        self.blocks.push(block);
        self
    }

    /// The same, stopped for this reason.
    #[must_use]
    pub fn stopped(mut self, reason: &'static str) -> Self {
        self.stop = Some(reason);
        self
    }

    /// The same, counted as so many tokens in and out.
    #[must_use]
    pub fn counted(mut self, input: u64, output: u64) -> Self {
        self.tokens = (input, output);
        self
    }

    fn reason(&self) -> &'static str {
        let uses = self.blocks.iter().any(|block| block["type"] == "tool_use");
        self.stop
            .unwrap_or(if uses { "tool_use" } else { "end_turn" })
    }

    /// The reply in one piece.
    #[must_use]
    pub fn whole(&self) -> ModelAnswer {
        ModelAnswer::json(
            200,
            &json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                "content": self.blocks, "stop_reason": self.reason(), "stop_sequence": null,
                "usage": {"input_tokens": self.tokens.0, "output_tokens": self.tokens.1},
            }),
        )
    }

    /// The reply as a stream; words and inputs come in pieces of three characters.
    #[must_use]
    pub fn streamed(&self) -> ModelAnswer {
        let (input, output) = self.tokens;
        let mut events = vec![
            json!({"type": "message_start", "message": {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                "content": [], "stop_reason": null,
                "usage": {"input_tokens": input, "output_tokens": 1},
            }}),
            json!({"type": "ping"}),
        ];
        for (index, block) in self.blocks.iter().enumerate() {
            let (start, deltas) = split(block);
            events.push(json!({
                "type": "content_block_start", "index": index, "content_block": start,
            }));
            events.extend(deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
        events.push(json!({
            "type": "message_delta",
            "delta": {"stop_reason": self.reason(), "stop_sequence": null},
            "usage": {"output_tokens": output},
        }));
        events.push(json!({"type": "message_stop"}));
        ModelAnswer::events(events.iter().map(|event| {
            let kind = event["type"].as_str();
            (kind, event.to_string())
        }))
    }
}

/// How a block begins in a stream, and the deltas that follow.
fn split(block: &Value) -> (Value, Vec<Value>) {
    match block["type"].as_str() {
        Some("text") => {
            let text = block["text"].as_str().unwrap_or_default();
            let deltas = threes(text)
                .into_iter()
                .map(|text| json!({"type": "text_delta", "text": text}));
            (json!({"type": "text", "text": ""}), deltas.collect())
        }
        Some("tool_use") => {
            let start = json!({
                "type": "tool_use", "id": block["id"], "name": block["name"], "input": {},
            });
            let deltas = threes(&block["input"].to_string())
                .into_iter()
                .map(|json| json!({"type": "input_json_delta", "partial_json": json}));
            (start, deltas.collect())
        }
        Some("thinking") => (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                json!({"type": "signature_delta", "signature": block["signature"]}),
            ],
        ),
        _ => (block.clone(), Vec::new()),
    }
}

/// A text in pieces of three characters.
pub(super) fn threes(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(3)
        .map(|piece| piece.iter().collect())
        .collect()
}
