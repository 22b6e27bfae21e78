//! How requests travel: over the network, over it and onto a cassette, or from a cassette alone.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _};
use reqwest::header::{HeaderName, HeaderValue};

use crate::cassette::{Taping, recordable};
use crate::dialect::Outgoing;
use crate::{ApiKey, Cassette, ClientError, Fault, Recorder, tls};

/// How long a connection may take; a server that is there answers much sooner.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// How requests travel. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Transport(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Network(reqwest::Client),
    Recorded(reqwest::Client, Recorder),
    Cassette(Cassette),
}

/// What comes back.
pub(crate) struct Incoming {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: BoxStream<'static, Result<Bytes, Fault>>,
    /// What its words repeat of another day's prompt, where it comes from a recording.
    pub(crate) reworded: Option<Reworded>,
}

/// A one-time word that was recorded, and the one that stands in its place today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reworded {
    pub(crate) recorded: Box<str>,
    pub(crate) today: Box<str>,
}

impl Reworded {
    /// The same text, as if it had been written today.
    pub(crate) fn text(&self, text: &str) -> String {
        text.replace(&*self.recorded, &self.today)
    }
}

impl Incoming {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Transport {
    /// Over the network. Redirects are not followed, since they would carry the key elsewhere, and no
    /// proxy is used but the one that is given, since this crate reads no environment.
    ///
    /// # Errors
    /// When the proxy's address is none, or the machine has no root certificates.
    pub fn network(proxy: Option<&str>) -> Result<Self, ClientError> {
        Ok(Self(Kind::Network(client(proxy)?)))
    }

    /// The same, and all that travels is recorded.
    ///
    /// # Errors
    /// As [`Self::network`].
    pub fn recorded(proxy: Option<&str>, recorder: Recorder) -> Result<Self, ClientError> {
        Ok(Self(Kind::Recorded(client(proxy)?, recorder)))
    }

    /// From a cassette: nothing reaches the network.
    #[must_use]
    pub fn cassette(cassette: Cassette) -> Self {
        Self(Kind::Cassette(cassette))
    }

    /// Sends a request. The body of the answer comes as it arrives.
    ///
    /// Cancellation: dropping the future, or the body, breaks the connection.
    pub(crate) async fn send(
        &self,
        outgoing: &Outgoing,
        key: Option<&ApiKey>,
    ) -> Result<Incoming, Fault> {
        match &self.0 {
            Kind::Network(client) => over_network(client, outgoing, key).await,
            Kind::Recorded(client, recorder) => {
                let taping = Taping::begin(recorder.clone(), outgoing, key.cloned());
                match over_network(client, outgoing, key).await {
                    Ok(incoming) => Ok(taping.onto_tape(incoming)),
                    Err(fault) => {
                        taping.unreachable();
                        Err(fault)
                    }
                }
            }
            Kind::Cassette(cassette) => cassette.play(outgoing, key),
        }
    }
}

fn client(proxy: Option<&str>) -> Result<reqwest::Client, ClientError> {
    tls::install_tls_provider();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_MAX)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("pointsman/", env!("CARGO_PKG_VERSION")))
        .no_proxy();
    if let Some(proxy) = proxy {
        let bad =
            |error: reqwest::Error| ClientError::Proxy(error.without_url().to_string().into());
        builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(bad)?);
    }
    builder
        .build()
        .map_err(|error| ClientError::Network(chain(&error).into()))
}

async fn over_network(
    client: &reqwest::Client,
    outgoing: &Outgoing,
    key: Option<&ApiKey>,
) -> Result<Incoming, Fault> {
    let mut request = client
        .post(outgoing.url.clone())
        .header("content-type", "application/json")
        .body(outgoing.body.clone());
    for (name, value) in &outgoing.headers {
        request = request.header(*name, *value);
    }
    if let Some(key) = key {
        let (name, before) = outgoing.key_header;
        let mut value = HeaderValue::from_str(&format!("{before}{}", key.expose()))
            .map_err(|error| Fault::Unwritable(error.to_string().into()))?;
        // Kept out of what the HTTP stack logs.
        value.set_sensitive(true);
        request = request.header(HeaderName::from_static(name), value);
    }
    let host = host_of(outgoing);
    let unreachable = |error: reqwest::Error| Fault::Unreachable {
        host: host.clone(),
        why: chain(&error.without_url()).into(),
    };
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .filter(|(name, _)| recordable(name.as_str()))
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect();
    let body = response
        .bytes_stream()
        .map(move |chunk| chunk.map_err(|_| Fault::Cut { host: host.clone() }))
        .boxed();
    Ok(Incoming {
        status,
        headers,
        body,
        reworded: None,
    })
}

/// The host and port that a request goes to.
pub(crate) fn host_of(outgoing: &Outgoing) -> Box<str> {
    let host = outgoing.url.host_str().unwrap_or_default();
    match outgoing.url.port() {
        Some(port) => format!("{host}:{port}").into(),
        None => host.into(),
    }
}

/// An error and all that caused it, on one line: the outermost of HTTP stacks says nothing.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
