//! Hooks that are addresses: the event is posted, the body of the answer is what the hook says.
//!
//! A redirect is not followed, since it would take the event and the headers elsewhere than the settings say.
//! Addresses on this machine are spoken to directly; others through the proxy that the environment names.

use std::sync::OnceLock;
use std::time::Duration;

use pointsman_policy::settings::HookEvent;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, Url};
use tokio_util::sync::CancellationToken;

use super::answer::{self, Said};

/// How much of an answer is read, in bytes; as much as of a program's.
const BODY_BYTES_MAX: usize = 4 << 20;

/// Looks up the variables that headers name.
pub(super) type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The clients that hooks are asked with, each made when it is first needed.
#[derive(Default)]
pub(super) struct Addresses {
    here: OnceLock<Result<Client, Box<str>>>,
    plain: OnceLock<Result<Client, Box<str>>>,
    secured: OnceLock<Result<Client, Box<str>>>,
}

/// What is posted where.
pub(super) struct Post<'a> {
    pub(super) event: HookEvent,
    pub(super) url: &'a str,
    /// Headers; `$NAME` or `${NAME}` in a value stands for a variable.
    pub(super) headers: &'a [(Box<str>, Box<str>)],
    /// The variables that headers may hold.
    pub(super) allowed: &'a [Box<str>],
    pub(super) variables: &'a Variables,
    pub(super) body: &'a [u8],
    pub(super) time_max: Duration,
    pub(super) stop: &'a CancellationToken,
}

impl Addresses {
    /// Asks an address. Cancellation: dropping the future breaks the connection.
    pub(super) async fn ask(&self, post: &Post<'_>) -> Said {
        let asked = tokio::time::timeout(post.time_max, self.exchange(post));
        tokio::select! {
            biased;
            () = post.stop.cancelled() => Said::failed("it was stopped"),
            asked = asked => match asked {
                Ok(Ok((status, body))) => answer::read_response(post.event, status, &body),
                Ok(Err(why)) => Said::failed(&why),
                Err(_) => Said::failed("it took longer than its time limit"),
            },
        }
    }

    async fn exchange(&self, post: &Post<'_>) -> Result<(u16, Vec<u8>), String> {
        let url = Url::parse(post.url).map_err(|error| format!("it has no address: {error}"))?;
        let request = self
            .client(&url)?
            .post(url)
            .headers(headers(post)?)
            .body(post.body.to_vec());
        let response = request
            .send()
            .await
            .map_err(|error| format!("it can't be reached: {}", chain(error)))?;
        let status = response.status().as_u16();
        Ok((status, read(response).await?))
    }

    fn client(&self, url: &Url) -> Result<&Client, String> {
        let (slot, make): (_, fn(ClientBuilder) -> ClientBuilder) = match url.scheme() {
            "https" => (&self.secured, |builder| builder),
            _ if is_here(url) => (&self.here, |builder| builder.no_proxy().tls_certs_only([])),
            _ => (&self.plain, |builder| builder.tls_certs_only([])),
        };
        let client = slot.get_or_init(|| {
            pointsman_llm::install_tls_provider();
            let builder = Client::builder().redirect(reqwest::redirect::Policy::none());
            make(builder)
                .build()
                .map_err(|error| format!("no address can be asked: {}", chain(error)).into())
        });
        client.as_ref().map_err(|why| why.to_string())
    }
}

fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || address
                .parse()
                .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
    })
}

async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > BODY_BYTES_MAX => {
                return Err(format!("its answer is longer than {BODY_BYTES_MAX} bytes"));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(format!("its answer broke off: {}", chain(error))),
        }
    }
}

fn headers(post: &Post<'_>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in post.headers {
        let allowed = |variable: &str| {
            let named = post.allowed.iter().any(|allowed| **allowed == *variable);
            named.then(|| (post.variables)(variable)).flatten()
        };
        let wrong = |_| format!("its header `{name}` can't be sent");
        let key =
            HeaderName::from_bytes(name.as_bytes()).map_err(|error| wrong(error.to_string()))?;
        let mut value = HeaderValue::from_str(&filled(value, allowed))
            .map_err(|error| wrong(error.to_string()))?;
        // It may hold a secret, which no log is to show.
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// A header's value with variables in their places. One that may not be used, or is not set, leaves
/// nothing.
fn filled(value: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let braced = after
            .strip_prefix('{')
            .and_then(|text| text.split_once('}'));
        let (name, behind) = braced.unwrap_or_else(|| {
            let of_name = |char: char| !(char.is_ascii_alphanumeric() || char == '_');
            after.split_at(after.find(of_name).unwrap_or(after.len()))
        });
        if name.is_empty() {
            filled.push('$');
        } else {
            filled.push_str(&variable(name).unwrap_or_default());
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// An error with its causes, without the address, which may hold a secret.
fn chain(error: reqwest::Error) -> String {
    use std::error::Error as _;
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

#[cfg(test)]
mod tests;
