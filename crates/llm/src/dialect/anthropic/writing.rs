//! Writing a prompt as a Messages request.

use pointsman_model::JsonText;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::super::{Delivery, Outgoing};
use crate::{Endpoint, ModelPart, PersonPart, Prompt, ResultKind, ToolInputText, Turn};

/// The version of the protocol, which the server wants to be told.
const VERSION: &str = "2023-06-01";

type Written<T> = Result<T, serde_json::Error>;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Box<RawValue>,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Vec<Box<RawValue>>,
}

/// The mark that all up to here is worth a place in the server's cache.
#[derive(Serialize, Clone, Copy)]
struct Cached {
    #[serde(rename = "type")]
    kind: &'static str,
}

const CACHED: Cached = Cached { kind: "ephemeral" };

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cached>,
}

#[derive(Serialize)]
struct Use<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    name: &'a str,
    input: Box<RawValue>,
}

#[derive(Serialize)]
struct ResultBlock<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    tool_use_id: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cached>,
}

/// The request that asks this prompt.
pub(in super::super) fn request(
    endpoint: &Endpoint,
    prompt: &Prompt,
    delivery: Delivery,
) -> Written<Outgoing> {
    let system = (!prompt.system.is_empty()).then(|| text(&prompt.system, Some(CACHED)));
    let request = Request {
        model: endpoint.model.as_str(),
        max_tokens: prompt.output_tokens_max,
        temperature: prompt.temperature,
        system: Vec::from_iter(system),
        tools: prompt
            .tools
            .iter()
            .map(|tool| {
                Ok(Tool {
                    name: tool.name.as_str(),
                    description: &tool.description,
                    input_schema: raw(&tool.input_schema)?,
                })
            })
            .collect::<Written<_>>()?,
        messages: messages(&prompt.turns)?,
        stream: (delivery == Delivery::Streamed).then_some(true),
    };
    let base = &endpoint.base_url;
    // People write the base with or without the version that both dialects have in their paths.
    let path = if base.ends_with("v1") {
        "messages"
    } else {
        "v1/messages"
    };
    Ok(Outgoing {
        url: base.join(path),
        headers: vec![("anthropic-version", VERSION)],
        key_header: ("x-api-key", ""),
        body: serde_json::to_vec(&request)?.into(),
        one_time_word: prompt.one_time_word.clone(),
    })
}

fn messages(turns: &[Turn]) -> Written<Vec<Message>> {
    let mut messages = Vec::with_capacity(turns.len());
    for (turn, left) in turns.iter().zip((0..turns.len()).rev()) {
        let (role, content) = match turn {
            Turn::Person(parts) => ("user", person(parts, (left == 0).then_some(CACHED))?),
            Turn::Model(parts) => ("assistant", model(parts)?),
        };
        // The server refuses a turn without content; one in which nothing was said adds nothing.
        if !content.is_empty() {
            messages.push(Message { role, content });
        }
    }
    Ok(messages)
}

/// `mark` goes onto the last block.
fn person(parts: &[PersonPart], mark: Option<Cached>) -> Written<Vec<Box<RawValue>>> {
    let mut blocks = Vec::with_capacity(parts.len());
    for (part, left) in parts.iter().zip((0..parts.len()).rev()) {
        let cache_control = mark.filter(|_| left == 0);
        match part {
            PersonPart::Text(words) if words.is_empty() => {}
            PersonPart::Text(words) => blocks.push(to_raw_value(&text(words, cache_control))?),
            PersonPart::Result(result) => blocks.push(to_raw_value(&ResultBlock {
                kind: "tool_result",
                tool_use_id: &result.id,
                content: &result.text,
                is_error: match result.kind {
                    ResultKind::Done => None,
                    ResultKind::NotDone => Some(true),
                },
                cache_control,
            })?),
        }
    }
    Ok(blocks)
}

fn model(parts: &[ModelPart]) -> Written<Vec<Box<RawValue>>> {
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            ModelPart::Text(words) if words.trim().is_empty() => {}
            ModelPart::Text(words) => blocks.push(to_raw_value(&text(words, None))?),
            ModelPart::Use(tool_use) => blocks.push(to_raw_value(&Use {
                kind: "tool_use",
                id: &tool_use.id,
                name: &tool_use.name,
                input: match &tool_use.input {
                    ToolInputText::Object(object) => raw(object)?,
                    // The server takes objects alone; the result says what was wrong.
                    ToolInputText::Broken(_) => RawValue::from_string("{}".into())?,
                },
            })?),
            ModelPart::Other(part) => blocks.push(raw(&part.0)?),
        }
    }
    Ok(blocks)
}

fn text(text: &str, cache_control: Option<Cached>) -> Text<'_> {
    Text {
        kind: "text",
        text,
        cache_control,
    }
}

fn raw(json: &JsonText) -> Written<Box<RawValue>> {
    RawValue::from_string(json.as_str().trim().to_owned())
}
