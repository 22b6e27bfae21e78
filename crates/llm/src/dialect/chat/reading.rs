//! Reading a chat completion, in one piece or as a stream of chunks.
//!
//! Servers differ in what they leave out, so that little is demanded: one choice, why it stopped, and
//! a name for each tool it asks for.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::{Progress, Trouble, error_of};
use crate::assembly::{Assembly, OnDelta, in_bounds};
use crate::{Delta, ModelPart, Reply, Stop, ToolInputText, ToolUse, Usage};

/// What ends a stream.
const END: &str = "[DONE]";

#[derive(Deserialize)]
struct WholeReply {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Counted>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Said,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct Said {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Called,
}

#[derive(Deserialize, Default)]
struct Called {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
struct Counted {
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize, Clone, Copy)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Counted {
    fn usage(self) -> Usage {
        let cached = self.prompt_tokens_details.and_then(|it| it.cached_tokens);
        let cache_read = cached.unwrap_or(0).min(self.prompt_tokens);
        Usage {
            input: self.prompt_tokens - cache_read,
            output: self.completion_tokens,
            cache_read,
            cache_write: 0,
        }
    }
}

/// Reads a reply that came in one piece.
pub(in super::super) fn whole(body: &str) -> Result<Reply, Trouble> {
    let reply: WholeReply = serde_json::from_str(body)?;
    if let Some(error) = &reply.error {
        return Err(Trouble::Error(error_of(error)));
    }
    let Some(choice) = reply.choices.into_iter().next() else {
        return Err(Trouble::Unreadable("it has no choice".into()));
    };
    let mut parts = Vec::new();
    let declined = choice.message.refusal.filter(|text| !text.is_empty());
    let stop = match (&declined, choice.finish_reason) {
        (Some(_), _) => Stop::Declined,
        (None, Some(reason)) => stop_of(&reason),
        (None, None) => {
            return Err(Trouble::Unreadable("it has no `finish_reason`".into()));
        }
    };
    let text = choice.message.content.filter(|text| !text.is_empty());
    parts.extend(text.or(declined).map(ModelPart::Text));
    let calls = choice.message.tool_calls.unwrap_or_default();
    in_bounds(calls.len())?;
    for (call, number) in calls.into_iter().zip(1_u32..) {
        let name = call.function.name.unwrap_or_default();
        if name.is_empty() {
            return Err(Trouble::Unreadable(
                "a tool is asked for without its name".into(),
            ));
        }
        parts.push(ModelPart::Use(ToolUse {
            id: id_of(call.id, u64::from(number)),
            name,
            input: ToolInputText::read(call.function.arguments.unwrap_or_default()),
        }));
    }
    Ok(Reply {
        stop: with_uses(stop, &parts),
        parts,
        usage: reply.usage.map(Counted::usage),
        model: reply.model.unwrap_or_default().into(),
    })
}

/// The server's id for a call, or one of our own where it gave none.
fn id_of(id: Option<String>, number: u64) -> String {
    id.filter(|id| !id.is_empty())
        .unwrap_or_else(|| format!("call_{number}"))
}

fn stop_of(reason: &str) -> Stop {
    match reason {
        "stop" => Stop::Done,
        "tool_calls" | "function_call" => Stop::ToolUse,
        "length" => Stop::OutputLimit,
        "content_filter" => Stop::Declined,
        other => Stop::Other(other.into()),
    }
}

/// Some servers say `stop` though tools are asked for.
fn with_uses(stop: Stop, parts: &[ModelPart]) -> Stop {
    let uses = parts.iter().any(|part| matches!(part, ModelPart::Use(_)));
    if stop == Stop::Done && uses {
        Stop::ToolUse
    } else {
        stop
    }
}

/// A reply, read from a stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    assembly: Assembly,
    /// Where the calls stand, by their id.
    by_id: BTreeMap<String, u64>,
    /// Where the call stands that came last under an index.
    by_index: BTreeMap<u64, u64>,
    counted: Option<Usage>,
    model: String,
    stop: Option<Stop>,
    declined: bool,
}

/// Where the words stand among the parts; calls come behind them.
const WORDS: u64 = 0;

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<ChunkChoice>,
    #[serde(default)]
    usage: Option<Counted>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct ChunkChoice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Option<Said>,
    #[serde(default)]
    finish_reason: Option<String>,
}

impl Stream {
    /// Takes the data of one event.
    pub(in super::super) fn take(
        &mut self,
        data: &str,
        on_delta: OnDelta<'_>,
    ) -> Result<Progress, Trouble> {
        if data.trim() == END {
            return Ok(Progress::Whole);
        }
        let chunk: Chunk = serde_json::from_str(data)?;
        if let Some(error) = &chunk.error {
            return Err(Trouble::Error(error_of(error)));
        }
        if let Some(counted) = chunk.usage {
            self.counted = Some(counted.usage());
        }
        if let Some(model) = chunk.model {
            self.model = model;
        }
        // Only one choice is ever asked for.
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            if let Some(said) = choice.delta {
                self.grow(said, on_delta)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.stop = Some(stop_of(&reason));
            }
        }
        Ok(Progress::More)
    }

    fn grow(&mut self, said: Said, on_delta: OnDelta<'_>) -> Result<(), Trouble> {
        let refusal = said.refusal.filter(|text| !text.is_empty());
        self.declined |= refusal.is_some();
        let text = said.content.filter(|text| !text.is_empty()).or(refusal);
        if let Some(text) = text {
            if !self.assembly.has(WORDS) {
                self.assembly.begin_text(WORDS, String::new())?;
            }
            self.assembly.text(WORDS, &text)?;
            on_delta(Delta::Text(&text));
        }
        for call in said.tool_calls.into_iter().flatten() {
            let at = self.place(&call);
            let name = call.function.name.filter(|name| !name.is_empty());
            if !self.assembly.has(at) {
                let name = name.unwrap_or_default();
                on_delta(Delta::UseBegins { name: &name });
                self.assembly.begin_use(at, id_of(call.id, at), name)?;
            } else if let Some(name) = name {
                self.assembly.name(at, &name)?;
            }
            if let Some(arguments) = call.function.arguments {
                self.assembly.input(at, &arguments)?;
            }
        }
        Ok(())
    }

    /// Where a piece of a call stands: with the other pieces of its id; else of its index, unless another id has come
    /// there, which makes it a call of its own; with neither it is the last one's.
    fn place(&mut self, call: &Call) -> u64 {
        let next = self.assembly.last().unwrap_or(WORDS) + 1;
        let id = call.id.as_deref().filter(|id| !id.is_empty());
        let of_index = call.index.and_then(|index| self.by_index.get(&index));
        let at = match (id.and_then(|id| self.by_id.get(id)), of_index) {
            (Some(at), _) => *at,
            // An id that comes behind the beginning of its call.
            (None, Some(at)) if id.is_none() || !self.by_id.values().any(|it| it == at) => *at,
            (None, Some(_)) => next,
            (None, None) if id.is_some() || call.index.is_some() => next,
            (None, None) => (next - 1).max(WORDS + 1),
        };
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), at);
        }
        if let Some(index) = call.index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// The reply, when its end came: a reason to stop. The closing mark and the count come behind it,
    /// and some servers leave out either.
    pub(in super::super) fn finish(self) -> Result<Option<Reply>, Trouble> {
        let Some(stop) = self.stop else {
            return Ok(None);
        };
        let parts = self.assembly.finish()?;
        Ok(Some(Reply {
            stop: if self.declined {
                Stop::Declined
            } else {
                with_uses(stop, &parts)
            },
            parts,
            usage: self.counted,
            model: self.model.into(),
        }))
    }
}
