//! Cassettes: exact bytes of requests and replies on record, to be looked at and played again.
//!
//! One JSON object a line. A request's one-time word stands beside it: such a word never comes again, so it is no part of
//! what makes two requests the same. The bytes of a reply are kept chunk by chunk as they came, but for the
//! key: where a server sends that back, the chunks are joined and the key is taken out.

mod taping;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::dialect::Outgoing;
use crate::transport::{Incoming, Reworded, host_of};
use crate::{ApiKey, Fault};

pub(crate) use self::taping::Taping;

/// Headers of a reply that are kept; others may hold what is nobody's business.
const HEADERS_KEPT: [&str; 5] = [
    "content-type",
    "retry-after",
    "retry-after-ms",
    "request-id",
    "x-request-id",
];

/// Whether a header of a reply is kept.
pub(crate) fn recordable(name: &str) -> bool {
    HEADERS_KEPT.contains(&name)
}

/// Why a cassette can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file can't be read or written.
    #[error("the cassette `{path}` can't be used")]
    File {
        /// The file.
        path: Box<str>,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A line is no exchange.
    #[error("line {line} of the cassette `{path}` is no exchange")]
    Line {
        /// The file.
        path: Box<str>,
        /// The line, counted from 1.
        line: usize,
        /// Why.
        #[source]
        error: serde_json::Error,
    },
}

/// One request and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Exchange {
    request: Sent,
    came: Came,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sent {
    url: String,
    headers: Vec<(String, String)>,
    body: Piece,
    /// The word in it that is another one each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_time_word: Option<Box<str>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Came {
    /// No answer at all.
    Nothing,
    /// An answer.
    Reply {
        status: u16,
        headers: Vec<(String, String)>,
        chunks: Vec<Piece>,
        end: End,
    },
}

/// How the body of an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    /// It came to its end.
    Whole,
    /// The connection broke.
    Cut,
    /// Nobody read further.
    Left,
}

/// Bytes, as text where they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
    Text(String),
    Hex(String),
}

impl Piece {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    fn bytes(&self) -> Bytes {
        match self {
            Self::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
            Self::Hex(digits) => digits
                .as_bytes()
                .chunks(2)
                .map_while(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect(),
        }
    }
}

/// Writes exchanges to a file. A cheap handle.
#[derive(Debug, Clone)]
pub struct Recorder {
    file: Arc<Mutex<File>>,
}

impl Recorder {
    /// Records to this file, behind what is there already. Only its owner can read it: prompts hold
    /// what agents have read.
    ///
    /// # Errors
    /// When the file can't be opened.
    pub fn create(path: &Path) -> Result<Self, CassetteError> {
        let file = File::options()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)
            .map_err(|error| file_error(path, error))?;
        Ok(Self {
            file: Arc::new(Mutex::new(file)),
        })
    }

    /// A failure is told in the log alone: a recording is no part of anything that must not fail.
    fn write(&self, exchange: &Exchange) {
        let written = serde_json::to_string(exchange)
            .map_err(io::Error::from)
            .and_then(|mut line| {
                line.push('\n');
                let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
                file.write_all(line.as_bytes())
            });
        if let Err(error) = written {
            tracing::warn!(%error, "an exchange could not be recorded");
        }
    }
}

/// A recording, to be played. Each exchange is played once, to the first request that equals its own.
#[derive(Debug, Clone)]
pub struct Cassette {
    left: Arc<Mutex<Vec<Exchange>>>,
}

impl Cassette {
    /// Reads a recording.
    ///
    /// # Errors
    /// When the file can't be read, or a line of it is no exchange.
    pub fn open(path: &Path) -> Result<Self, CassetteError> {
        let text = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
        let exchanges = text.lines().zip(1..).map(|(line, number)| {
            serde_json::from_str(line).map_err(|error| CassetteError::Line {
                path: path.to_string_lossy().into(),
                line: number,
                error,
            })
        });
        Ok(Self {
            left: Arc::new(Mutex::new(exchanges.collect::<Result<_, _>>()?)),
        })
    }

    /// How many exchanges were not played yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.exchanges().len()
    }

    fn exchanges(&self) -> std::sync::MutexGuard<'_, Vec<Exchange>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn play(
        &self,
        outgoing: &Outgoing,
        key: Option<&ApiKey>,
    ) -> Result<Incoming, Fault> {
        let sent = Sent::of(outgoing, key);
        let mut left = self.exchanges();
        // The host may be another than on the day of the recording: a server on a loopback port.
        let path = |url: &str| {
            reqwest::Url::parse(url)
                .map(|url| url.path().to_owned())
                .unwrap_or_default()
        };
        let sent_body = sent.body.of_any_run();
        let same = |exchange: &Exchange| {
            path(&exchange.request.url) == path(&sent.url)
                && exchange.request.body_for(&sent).of_any_run() == sent_body
        };
        let Some(at) = left.iter().position(same) else {
            let what = left.first().map_or_else(
                || "all of it was played".into(),
                |next| difference(&next.request.body_for(&sent).of_any_run(), &sent_body),
            );
            return Err(Fault::NotOnCassette { what: what.into() });
        };
        let exchange = left.remove(at);
        drop(left);
        let reworded = exchange.request.reworded_for(&sent);
        let host = host_of(outgoing);
        match exchange.came {
            Came::Nothing => Err(Fault::Unreachable {
                host,
                why: "so the cassette has it".into(),
            }),
            Came::Reply {
                status,
                headers,
                chunks,
                end,
            } => {
                let cut = (end != End::Whole).then(|| Err(Fault::Cut { host }));
                let chunks = chunks.into_iter().map(|chunk| Ok(chunk.bytes())).chain(cut);
                Ok(Incoming {
                    status,
                    headers,
                    body: stream::iter(chunks.collect::<Vec<_>>()).boxed(),
                    reworded,
                })
            }
        }
    }
}

impl Sent {
    fn of(outgoing: &Outgoing, key: Option<&ApiKey>) -> Self {
        let (name, before) = outgoing.key_header;
        let key_header = key.map(|_| {
            (
                name.to_owned(),
                format!("{before}{}", pointsman_process::KEY_LEFT_OUT),
            )
        });
        let plain = outgoing
            .headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            url: outgoing.url.to_string(),
            headers: plain.chain(key_header).collect(),
            body: without_key(&outgoing.body, key),
            one_time_word: outgoing.one_time_word.clone(),
        }
    }

    /// The word of this recorded request, and that of the one which is sent today in its place.
    fn reworded_for(&self, sent: &Self) -> Option<Reworded> {
        Some(Reworded {
            recorded: self.one_time_word.clone()?,
            today: sent.one_time_word.clone()?,
        })
    }

    /// The body of this recorded request with the word of the one that is sent today.
    fn body_for(&self, sent: &Self) -> Piece {
        match (self.reworded_for(sent), &self.body) {
            (Some(reworded), Piece::Text(text)) => Piece::Text(reworded.text(text)),
            (Some(_) | None, body) => body.clone(),
        }
    }
}

/// An id of a run's agent, call or request: the run's number, then its own.
static ID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?<kind>[wcr])[0-9]+-(?<number>[0-9]+)\b").ok());

impl Piece {
    /// The same of whatever run it is: the numbers of runs taken out of ids, which agents are told and tell on.
    fn of_any_run(&self) -> Cow<'_, Self> {
        match (self, &*ID) {
            (Self::Text(text), Some(id)) => Cow::Owned(Self::Text(
                id.replace_all(text, "$kind-$number").into_owned(),
            )),
            _ => Cow::Borrowed(self),
        }
    }
}

fn without_key(bytes: &[u8], key: Option<&ApiKey>) -> Piece {
    match key {
        Some(key) if key.is_in(bytes) => {
            Piece::Text(key.taken_out_of(&String::from_utf8_lossy(bytes)))
        }
        _ => Piece::of(bytes),
    }
}

/// Where two bodies part, with some of what stands there in each.
fn difference(recorded: &Piece, sent: &Piece) -> String {
    const SHOWN: usize = 60;
    let (recorded, sent) = (recorded.bytes(), sent.bytes());
    let same = recorded
        .iter()
        .zip(&sent)
        .take_while(|(old, new)| old == new)
        .count();
    let there = |bytes: &[u8]| {
        let rest = bytes.get(same..).unwrap_or_default();
        let some = rest.get(..SHOWN.min(rest.len())).unwrap_or_default();
        String::from_utf8_lossy(some).into_owned()
    };
    format!(
        "from byte {same} on the next one recorded has `{}`, and this one `{}`",
        there(&recorded),
        there(&sent)
    )
}

fn file_error(path: &Path, error: io::Error) -> CassetteError {
    CassetteError::File {
        path: path.to_string_lossy().into(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        for bytes in [
            &b""[..],
            b"data: {}\n\n",
            b"\xc3",
            b"\xf0\x9f\x98",
            b"\x00\xff",
        ] {
            assert_eq!(Piece::of(bytes).bytes(), bytes);
        }
    }

    #[test]
    fn a_difference_names_its_place() {
        let text = difference(&Piece::of(b"{\"a\":1}"), &Piece::of(b"{\"a\":2}"));
        assert_eq!(
            text,
            "from byte 5 on the next one recorded has `1}`, and this one `2}`"
        );
    }
}
