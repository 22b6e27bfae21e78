//! The two dialects that models' servers speak: how a prompt is written, how a reply is read.

mod anthropic;
mod chat;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::assembly::{Misfit, OnDelta};
use crate::fault::ServerError;
use crate::{Endpoint, Fault, Prompt, Reply};

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat completions as OpenAI made them and many servers speak them.
    OpenAi,
}

/// How a reply comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// In one piece.
    Whole,
    /// As a stream of events.
    Streamed,
}

/// What is sent.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) url: reqwest::Url,
    /// Headers that may be recorded.
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    /// The header that carries the key, and what stands before the key in it.
    pub(crate) key_header: (&'static str, &'static str),
    pub(crate) body: Bytes,
    /// The word of the prompt that is another one each time.
    pub(crate) one_time_word: Option<Box<str>>,
}

/// What an event of a stream came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to come.
    More,
    /// The reply is whole.
    Whole,
}

/// Why an event of a stream can't be taken.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It is not what the dialect says.
    Unreadable(String),
    /// It is an error of the server's.
    Error(ServerError),
}

impl From<Misfit> for Trouble {
    fn from(misfit: Misfit) -> Self {
        Self::Unreadable(misfit.to_string())
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// One reply, read from a stream of events.
#[derive(Debug)]
pub(crate) enum StreamReader {
    Anthropic(anthropic::Stream),
    OpenAi(chat::Stream),
}

impl StreamReader {
    /// Takes the data of one event.
    pub(crate) fn take(&mut self, data: &str, on_delta: OnDelta<'_>) -> Result<Progress, Trouble> {
        match self {
            Self::Anthropic(stream) => stream.take(data, on_delta),
            Self::OpenAi(stream) => stream.take(data, on_delta),
        }
    }

    /// The reply, when what came makes a whole one.
    pub(crate) fn finish(self) -> Result<Option<Reply>, Trouble> {
        match self {
            Self::Anthropic(stream) => stream.finish(),
            Self::OpenAi(stream) => stream.finish(),
        }
    }
}

impl Dialect {
    /// The request that asks this prompt.
    pub(crate) fn request(
        self,
        endpoint: &Endpoint,
        prompt: &Prompt,
        delivery: Delivery,
    ) -> Result<Outgoing, Fault> {
        let written = match self {
            Self::Anthropic => anthropic::request(endpoint, prompt, delivery),
            Self::OpenAi => chat::request(endpoint, prompt, delivery),
        };
        written.map_err(|error| Fault::Unwritable(error.to_string().into()))
    }

    /// Reads a reply that came in one piece.
    pub(crate) fn whole(self, body: &[u8]) -> Result<Reply, Trouble> {
        // A reader of JSON lets any bytes pass in what it skips.
        let body = std::str::from_utf8(body)
            .map_err(|error| Trouble::Unreadable(format!("it is no text: {error}")))?;
        match self {
            Self::Anthropic => anthropic::whole(body),
            Self::OpenAi => chat::whole(body),
        }
    }

    /// A reader for a stream.
    pub(crate) fn stream(self) -> StreamReader {
        match self {
            Self::Anthropic => StreamReader::Anthropic(anthropic::Stream::default()),
            Self::OpenAi => StreamReader::OpenAi(chat::Stream::default()),
        }
    }

    /// Reads the body of an error; one that is in no known form is its own text.
    pub(crate) fn error(self, body: &[u8]) -> ServerError {
        #[derive(Deserialize)]
        struct Wrapped {
            error: serde_json::Value,
        }
        match serde_json::from_slice::<Wrapped>(body) {
            Ok(wrapped) => error_of(&wrapped.error),
            Err(_) => ServerError {
                kind: String::new(),
                text: String::from_utf8_lossy(body).into_owned(),
            },
        }
    }
}

/// An error as both dialects write it: a text, or an object with `type`, `code` and `message`.
fn error_of(error: &serde_json::Value) -> ServerError {
    let field = |name: &str| error.get(name).and_then(|value| value.as_str());
    ServerError {
        kind: field("code")
            .or_else(|| field("type"))
            .unwrap_or_default()
            .to_owned(),
        text: field("message")
            .or_else(|| error.as_str())
            .unwrap_or_default()
            .to_owned(),
    }
}
