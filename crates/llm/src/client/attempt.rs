//! One attempt: reserve, send, read.

use std::time::Duration;

use bytes::Bytes;
use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::stream::{self, BoxStream, StreamExt as _};

use super::Parts;
use crate::assembly::OnDelta;
use crate::budget::Reservation;
use crate::dialect::{Delivery, Outgoing, Progress, Trouble};
use crate::retry::server_asks;
use crate::transport::{Incoming, host_of};
use crate::{Delta, Fault, Prompt, Reply};

/// How much of an error's body is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// How long a line of a stream may get. One holds a piece of a reply, a few bytes of words or of a tool's input; the time
/// to take a line to pieces grows faster than its length.
const LINE_BYTES_MAX: usize = 1024 * 1024;

/// How many bytes of a request make a token, for setting aside before anyone has counted. Few, so that
/// rather too much is set aside.
const BYTES_PER_TOKEN: usize = 3;

pub(super) struct Attempt<'a> {
    pub(super) parts: &'a Parts,
    pub(super) prompt: &'a Prompt,
    pub(super) delivery: Delivery,
    /// How long it may take.
    pub(super) left: Duration,
}

impl Attempt<'_> {
    /// Makes the attempt.
    ///
    /// Cancellation: dropping the future breaks the connection and charges what was set aside.
    pub(super) async fn make(&self, on_delta: OnDelta<'_>) -> Result<Reply, Fault> {
        let (outgoing, mut reservation) = self.reserve()?;
        let of_budget = reservation.time().unwrap_or(Duration::MAX);
        let of_all = self.left.min(of_budget);
        let of_one = self.parts.limits.attempt_max;
        let mut heard = false;
        let mut listen = |delta: Delta<'_>| {
            heard = true;
            on_delta(delta);
        };
        let exchange = self.exchange(&outgoing, &mut listen);
        let came = match tokio::time::timeout(of_all.min(of_one), exchange).await {
            Ok(came) => came,
            Err(_) if of_one < of_all => Err(Fault::Late {
                host: host_of(&outgoing),
                limit: of_one,
            }),
            Err(_) => Err(Fault::OutOfTime {
                limit: self.parts.limits.time_max.min(of_budget),
                last: None,
            }),
        };
        match &came {
            Ok(reply) => {
                if let Some(usage) = reply.usage {
                    reservation.costs(usage);
                }
            }
            Err(fault) if fault.before_the_model() && !heard => reservation.costs_nothing(),
            Err(_) => {}
        }
        came
    }

    /// Writes the request, its answer no longer than the budget has left for it.
    fn reserve(&self) -> Result<(Outgoing, Reservation), Fault> {
        let endpoint = &self.parts.endpoint;
        let written = |prompt: &Prompt| endpoint.dialect.request(endpoint, prompt, self.delivery);
        let outgoing = written(self.prompt)?;
        let input = u64::try_from(outgoing.body.len() / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
        let wanted = self.prompt.output_tokens_max;
        let reservation = self
            .parts
            .spending
            .reserve(input, wanted)
            .map_err(Fault::OverBudget)?;
        if reservation.output_max() == wanted {
            return Ok((outgoing, reservation));
        }
        let shorter = Prompt {
            output_tokens_max: reservation.output_max(),
            ..self.prompt.clone()
        };
        Ok((written(&shorter)?, reservation))
    }

    async fn exchange(&self, outgoing: &Outgoing, on_delta: OnDelta<'_>) -> Result<Reply, Fault> {
        let limits = self.parts.limits;
        let endpoint = &self.parts.endpoint;
        let key = endpoint.key.as_ref();
        let host = host_of(outgoing);
        let sent = self.parts.transport.send(outgoing, key);
        let incoming = tokio::time::timeout(limits.silence_max, sent)
            .await
            .map_err(|_| silent(&host, limits.silence_max))??;
        if incoming.status != 200 {
            return Err(self.error(incoming, &host).await);
        }
        let is_stream = incoming
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        let body = Body {
            stream: incoming.body,
            silence_max: limits.silence_max,
            bytes_left: limits.bytes_max,
            bytes_max: limits.bytes_max,
            host: host.clone(),
            line: if is_stream {
                Line::Bounded(0)
            } else {
                Line::Free
            },
        };
        let reworded = incoming.reworded;
        // A server that can't stream answers in one piece, and one that always streams is read as such.
        let read = if is_stream {
            self.streamed(body, on_delta).await?
        } else {
            endpoint.dialect.whole(&body.all().await?)
        };
        let reply = read
            .map(Reply::with_ids_once)
            .map_err(|trouble| self.fault(&host, trouble))?;
        Ok(match reworded {
            Some(reworded) => reply.reworded(&reworded),
            None => reply,
        })
    }

    async fn streamed(
        &self,
        body: Body,
        on_delta: OnDelta<'_>,
    ) -> Result<Result<Reply, Trouble>, Fault> {
        let host = body.host.clone();
        let mut reader = self.parts.endpoint.dialect.stream();
        let mut events = body.bounded().eventsource();
        while let Some(event) = events.next().await {
            let event = match event {
                Ok(event) => event,
                // What has come may be whole: some servers break off instead of ending.
                Err(EventStreamError::Transport(Fault::Cut { .. })) => break,
                Err(EventStreamError::Transport(fault)) => return Err(fault),
                Err(error) => return Ok(Err(Trouble::Unreadable(error.to_string()))),
            };
            match reader.take(&event.data, on_delta) {
                Ok(Progress::More) => {}
                Ok(Progress::Whole) => break,
                Err(trouble) => return Ok(Err(trouble)),
            }
        }
        match reader.finish() {
            Ok(Some(reply)) => Ok(Ok(reply)),
            Ok(None) => Err(Fault::Cut { host }),
            Err(trouble) => Ok(Err(trouble)),
        }
    }

    async fn error(&self, incoming: Incoming, host: &str) -> Fault {
        let endpoint = &self.parts.endpoint;
        let status = incoming.status;
        let wait = server_asks(|name| incoming.header(name).map(str::to_owned));
        let body = Body {
            stream: incoming.body,
            silence_max: self.parts.limits.silence_max,
            bytes_left: ERROR_BYTES_MAX,
            bytes_max: ERROR_BYTES_MAX,
            host: host.into(),
            line: Line::Free,
        };
        // The status says enough, whatever becomes of the text.
        let text = body.all().await.unwrap_or_default();
        let error = endpoint.dialect.error(&text);
        error.with_status(host, status, endpoint.key.as_ref(), wait)
    }

    fn fault(&self, host: &str, trouble: Trouble) -> Fault {
        match trouble {
            Trouble::Unreadable(what) => Fault::Unreadable {
                host: host.into(),
                what: what.into(),
            },
            Trouble::Error(error) => error.in_stream(host, self.parts.endpoint.key.as_ref()),
        }
    }
}

fn silent(host: &str, limit: Duration) -> Fault {
    Fault::Silent {
        host: host.into(),
        limit,
    }
}

/// The body of a reply, read within limits of size and silence.
struct Body {
    stream: BoxStream<'static, Result<Bytes, Fault>>,
    silence_max: Duration,
    bytes_left: usize,
    bytes_max: usize,
    host: Box<str>,
    line: Line,
}

/// How long one line may get.
enum Line {
    /// As long as the whole.
    Free,
    /// At most [`LINE_BYTES_MAX`]; so many bytes of one have come.
    Bounded(usize),
}

impl Line {
    /// Takes more in; whether the line that it ends in, or begins with, is still short enough.
    fn goes_on(&mut self, more: &[u8]) -> bool {
        let Self::Bounded(come) = self else {
            return true;
        };
        more.split_inclusive(|byte| *byte == b'\n').all(|piece| {
            *come = come.saturating_add(piece.len());
            let fits = *come <= LINE_BYTES_MAX;
            if piece.ends_with(b"\n") {
                *come = 0;
            }
            fits
        })
    }
}

impl Body {
    async fn next(&mut self) -> Option<Result<Bytes, Fault>> {
        let next = tokio::time::timeout(self.silence_max, self.stream.next()).await;
        let chunk = match next {
            Err(_) => return Some(Err(silent(&self.host, self.silence_max))),
            Ok(None) => return None,
            Ok(Some(Err(fault))) => return Some(Err(fault)),
            Ok(Some(Ok(chunk))) => chunk,
        };
        Some(match self.bytes_left.checked_sub(chunk.len()) {
            Some(_) if !self.line.goes_on(&chunk) => Err(Fault::TooLarge {
                host: self.host.clone(),
                bytes_max: LINE_BYTES_MAX,
            }),
            Some(left) => {
                self.bytes_left = left;
                Ok(chunk)
            }
            None => Err(Fault::TooLarge {
                host: self.host.clone(),
                bytes_max: self.bytes_max,
            }),
        })
    }

    async fn all(mut self) -> Result<Vec<u8>, Fault> {
        let mut all = Vec::new();
        while let Some(chunk) = self.next().await {
            all.extend_from_slice(&chunk?);
        }
        Ok(all)
    }

    fn bounded(self) -> BoxStream<'static, Result<Bytes, Fault>> {
        stream::unfold(self, |mut body| async move {
            let chunk = body.next().await?;
            Some((chunk, body))
        })
        .boxed()
    }
}
