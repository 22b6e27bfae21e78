//! Writing a prompt as a chat completions request.

use serde::Serialize;
use serde_json::value::RawValue;

use super::super::{Delivery, Outgoing};
use crate::{Endpoint, ModelPart, PersonPart, Prompt, ToolInputText, Turn};

/// The host whose models no longer take `max_tokens`, and know a newer name for it that other servers don't.
const HOST_OF_THE_NEWER_NAME: &str = "api.openai.com";

type Written<T> = Result<T, serde_json::Error>;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

/// Without it no server counts tokens in a stream.
#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
}

#[derive(Serialize, Default)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The request that asks this prompt.
pub(in super::super) fn request(
    endpoint: &Endpoint,
    prompt: &Prompt,
    delivery: Delivery,
) -> Written<Outgoing> {
    let streamed = delivery == Delivery::Streamed;
    let newer_name = endpoint.base_url.host() == HOST_OF_THE_NEWER_NAME;
    let max = Some(prompt.output_tokens_max);
    let request = Request {
        model: endpoint.model.as_str(),
        max_tokens: max.filter(|_| !newer_name),
        max_completion_tokens: max.filter(|_| newer_name),
        temperature: prompt.temperature,
        messages: messages(prompt),
        tools: prompt
            .tools
            .iter()
            .map(|tool| {
                Ok(Tool {
                    kind: "function",
                    function: Function {
                        name: tool.name.as_str(),
                        description: &tool.description,
                        parameters: RawValue::from_string(
                            tool.input_schema.as_str().trim().to_owned(),
                        )?,
                    },
                })
            })
            .collect::<Written<_>>()?,
        stream: streamed.then_some(true),
        stream_options: streamed.then_some(StreamOptions {
            include_usage: true,
        }),
    };
    Ok(Outgoing {
        url: endpoint.base_url.join("chat/completions"),
        headers: Vec::new(),
        key_header: ("authorization", "Bearer "),
        body: serde_json::to_vec(&request)?.into(),
        one_time_word: prompt.one_time_word.clone(),
    })
}

fn messages(prompt: &Prompt) -> Vec<Message<'_>> {
    let mut messages = Vec::with_capacity(prompt.turns.len() + 1);
    if !prompt.system.is_empty() {
        messages.push(words("system", prompt.system.clone()));
    }
    for turn in &prompt.turns {
        match turn {
            Turn::Person(parts) => person(parts, &mut messages),
            Turn::Model(parts) => messages.extend(model(parts)),
        }
    }
    messages
}

fn words(role: &'static str, content: String) -> Message<'static> {
    Message {
        role,
        content: Some(content),
        ..Message::default()
    }
}

/// Each result is a message of its own, and they come before any words: servers want them right behind
/// the turn that asked for them.
fn person<'a>(parts: &'a [PersonPart], messages: &mut Vec<Message<'a>>) {
    let mut said = Vec::new();
    for part in parts {
        match part {
            PersonPart::Text(text) => said.push(text.as_str()),
            PersonPart::Result(result) => messages.push(Message {
                role: "tool",
                content: Some(result.text.clone()),
                tool_call_id: Some(&result.id),
                ..Message::default()
            }),
        }
    }
    if !said.is_empty() {
        messages.push(words("user", said.join("\n\n")));
    }
}

fn model(parts: &[ModelPart]) -> Option<Message<'_>> {
    let mut said = Vec::new();
    let mut tool_calls = Vec::new();
    for part in parts {
        match part {
            ModelPart::Text(text) => said.push(text.as_str()),
            ModelPart::Use(tool_use) => tool_calls.push(Call {
                id: &tool_use.id,
                kind: "function",
                function: Called {
                    name: &tool_use.name,
                    arguments: match &tool_use.input {
                        ToolInputText::Object(object) => object.as_str(),
                        // Servers parse it to build their own prompt; the result says what was wrong.
                        ToolInputText::Broken(_) => "{}",
                    },
                },
            }),
            // Of the other dialect: this server would not know it.
            ModelPart::Other(_) => {}
        }
    }
    if said.is_empty() && tool_calls.is_empty() {
        return None;
    }
    Some(Message {
        role: "assistant",
        content: (!said.is_empty()).then(|| said.join("\n\n")),
        tool_calls,
        ..Message::default()
    })
}
