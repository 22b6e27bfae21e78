//! Replies as a server of chat completions words them.

use serde_json::{Value, json};

use super::ModelAnswer;
use super::anthropic::threes;

/// A reply in the making: words, then tool calls.
#[derive(Debug, Clone, Default)]
pub struct ChatReply {
    text: String,
    calls: Vec<(String, String, String)>,
    stop: Option<&'static str>,
    tokens: Option<(u64, u64)>,
}

impl ChatReply {
    /// A reply that says this.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self {
            text: text.into(),
            tokens: Some((10, 5)),
            ..Self::default()
        }
    }

    /// A reply that asks for a tool.
    #[must_use]
    pub fn uses(id: &str, name: &str, input: &Value) -> Self {
        Self::text("").and_uses(id, name, input)
    }

    /// The same, and it asks for a tool.
    #[must_use]
    pub fn and_uses(mut self, id: &str, name: &str, input: &Value) -> Self {
        self.calls.push((id.into(), name.into(), input.to_string()));
        self
    }

    /// The same, stopped for this reason.
    #[must_use]
    pub fn stopped(mut self, reason: &'static str) -> Self {
        self.stop = Some(reason);
        self
    }

    /// The same from a server that counts no tokens.
    #[must_use]
    pub fn uncounted(mut self) -> Self {
        self.tokens = None;
        self
    }

    fn reason(&self) -> &'static str {
        self.stop.unwrap_or(if self.calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        })
    }

    fn usage(&self) -> Value {
        let Some((input, output)) = self.tokens else {
            return Value::Null;
        };
        json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
    }

    /// The reply in one piece.
    #[must_use]
    pub fn whole(&self) -> ModelAnswer {
        let content = Some(&self.text).filter(|text| !text.is_empty());
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|(id, name, arguments)| {
                json!({"id": id, "type": "function",
                       "function": {"name": name, "arguments": arguments}})
            })
            .collect();
        let calls = Some(calls).filter(|calls| !calls.is_empty());
        let message = json!({"role": "assistant", "content": content, "tool_calls": calls});
        ModelAnswer::json(
            200,
            &json!({
                "id": "chatcmpl-1", "object": "chat.completion", "model": "scripted",
                "choices": [{"index": 0, "message": message, "finish_reason": self.reason()}],
                "usage": self.usage(),
            }),
        )
    }

    /// The reply as a stream; words and inputs come in pieces of three characters, and the calls'
    /// pieces mixed with each other.
    #[must_use]
    pub fn streamed(&self) -> ModelAnswer {
        let mut deltas = vec![json!({"role": "assistant", "content": ""})];
        deltas.extend(
            threes(&self.text)
                .into_iter()
                .map(|text| json!({"content": text})),
        );
        for (index, (id, name, _)) in self.calls.iter().enumerate() {
            deltas.push(
                json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": ""}}]}),
            );
        }
        let inputs: Vec<Vec<String>> = self
            .calls
            .iter()
            .map(|(_, _, arguments)| threes(arguments))
            .collect();
        let longest = inputs.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..longest {
            for (index, input) in inputs.iter().enumerate() {
                if let Some(piece) = input.get(at) {
                    deltas.push(json!({"tool_calls": [{"index": index,
                        "function": {"arguments": piece}}]}));
                }
            }
        }
        let chunk = |choices: Value, usage: Value| {
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted",
                   "choices": choices, "usage": usage})
            .to_string()
        };
        let mut events: Vec<String> = deltas
            .into_iter()
            .map(|delta| {
                let choice = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
                chunk(choice, Value::Null)
            })
            .collect();
        let end = json!([{"index": 0, "delta": {}, "finish_reason": self.reason()}]);
        events.push(chunk(end, Value::Null));
        events.push(chunk(json!([]), self.usage()));
        events.push("[DONE]".into());
        ModelAnswer::events(events.into_iter().map(|event| (None, event)))
    }
}
