//! Where a model is, and how it is spoken to.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use crate::{ApiKey, Dialect};

/// A model's name, as its server knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName(Arc<str>);

impl ModelName {
    /// The model of that name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address that all requests to a server begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(reqwest::Url);

/// A text that is no such address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// No address at all.
    #[error(
        "what stands there is no address (not shown: it may be a key): write it like `https://api.example.com/v1`"
    )]
    NoUrl,
    /// Not of the web.
    #[error(
        "an address with `{scheme}:` is none of the web: it begins with neither `https://` nor `http://`"
    )]
    NotWeb {
        /// How it begins; the rest may be secret.
        scheme: Box<str>,
    },
    /// It holds a user, a password, a query or a fragment.
    #[error("the address of `{host}` holds more than host and path: give the key by itself")]
    HoldsMore {
        /// The host; the rest may be secret.
        host: Box<str>,
    },
}

impl BaseUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is no plain web address.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = reqwest::Url::parse(text.trim()).map_err(|_| BaseUrlError::NoUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlError::NotWeb {
                scheme: url.scheme().into(),
            });
        }
        let Some(host) = url.host_str() else {
            return Err(BaseUrlError::NoUrl);
        };
        let more = [url.query(), url.fragment(), url.password()];
        if more.iter().any(Option::is_some) || !url.username().is_empty() {
            return Err(BaseUrlError::HoldsMore { host: host.into() });
        }
        Ok(Self(url))
    }

    /// The address of what lies at `path` below it.
    pub(crate) fn join(&self, path: &str) -> reqwest::Url {
        let mut url = self.0.clone();
        let base = self.0.path().trim_end_matches('/');
        url.set_path(&format!("{base}/{path}"));
        url
    }

    /// Whether its path ends so.
    pub(crate) fn ends_with(&self, segment: &str) -> bool {
        self.0
            .path()
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .is_some_and(|last| last == segment)
    }

    /// The host, without port.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Whether what is sent there can be read on the way.
    pub(crate) fn is_in_the_clear(&self) -> bool {
        self.0.scheme() == "http" && !self.is_loopback()
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host);
        host == "localhost"
            || host
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// A model at its server.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// How it is spoken to.
    pub dialect: Dialect,
    /// Where.
    pub base_url: BaseUrl,
    /// The key; a model on one's own machine needs none.
    pub key: Option<ApiKey>,
    /// Which model.
    pub model: ModelName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, path: &str, expect: &str) {
        let base = BaseUrl::parse(base).unwrap();
        assert_eq!(base.join(path).as_str(), expect);
    }

    #[test]
    fn paths_are_put_below_the_base() {
        check("https://a.b", "v1/messages", "https://a.b/v1/messages");
        check("https://a.b/", "v1/messages", "https://a.b/v1/messages");
        check("https://a.b/x/", "y", "https://a.b/x/y");
        check("http://127.0.0.1:8/v1", "y", "http://127.0.0.1:8/v1/y");
    }

    #[test]
    fn only_plain_web_addresses_are_taken() {
        for text in [
            "",
            "api.example.com",
            "ftp://a.b",
            "file:///x",
            "https://u:p@a.b",
            "https://u@a.b",
            "https://a.b?key=1",
            "https://a.b#x",
        ] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_secret_in_an_address_is_not_repeated() {
        let error = BaseUrl::parse("https://user:hunter2@a.b").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn only_loopback_is_safe_without_encryption() {
        let cases = [
            ("http://127.0.0.1:80", false),
            ("http://localhost", false),
            ("http://[::1]:80", false),
            ("https://a.b", false),
            ("http://a.b", true),
            ("http://192.168.1.2", true),
            ("http://localhost.a.b", true),
        ];
        for (url, clear) in cases {
            assert_eq!(
                BaseUrl::parse(url).unwrap().is_in_the_clear(),
                clear,
                "{url}"
            );
        }
    }
}
