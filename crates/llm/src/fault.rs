//! What goes wrong between here and a model, and whether asking again could help.

use std::fmt;
use std::time::Duration;

use pointsman_model::visible;

use crate::{ApiKey, Money};

/// How much of what a server says goes into an error.
const SERVER_TEXT_CHARS_MAX: usize = 400;

/// A question that got no answer.
#[derive(Debug, thiserror::Error)]
#[error("{fault}{}", tries(*attempts))]
pub struct Failure {
    /// What went wrong the last time.
    #[source]
    pub fault: Fault,
    /// How often it was asked.
    pub attempts: u32,
}

fn tries(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        more => format!(" (tried {more} times)"),
    }
}

/// Whether asking again could help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultNature {
    /// It may pass.
    Transient,
    /// The same question gets the same answer.
    Final,
}

/// The part of a budget that is used up, and how large it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetPart {
    /// Tokens.
    Tokens(u64),
    /// Money.
    Money(Money),
    /// Time.
    Time(Duration),
}

impl fmt::Display for BudgetPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(limit) => write!(f, "{limit} tokens"),
            Self::Money(limit) => write!(f, "{limit} in money"),
            Self::Time(limit) => write!(f, "{} s of waiting", limit.as_secs()),
        }
    }
}

/// One thing that went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// No connection, or it broke before the server answered.
    #[error("`{host}` can't be reached: {why}")]
    Unreachable {
        /// The server.
        host: Box<str>,
        /// Why, as far as known.
        why: Box<str>,
    },
    /// The server kept silent for too long.
    #[error("`{host}` said nothing for {} ms", limit.as_millis())]
    Silent {
        /// The server.
        host: Box<str>,
        /// How long was waited.
        limit: Duration,
    },
    /// The answer took longer than one attempt may.
    #[error("`{host}` did not end its answer within {} ms", limit.as_millis())]
    Late {
        /// The server.
        host: Box<str>,
        /// How long was waited.
        limit: Duration,
    },
    /// The reply broke off.
    #[error("the reply of `{host}` broke off before its end")]
    Cut {
        /// The server.
        host: Box<str>,
    },
    /// The server can't take it now.
    #[error("`{host}` can't answer now ({status}): {text}")]
    Busy {
        /// The server.
        host: Box<str>,
        /// The status of HTTP, or the kind of error within a stream.
        status: Box<str>,
        /// What it says.
        text: Box<str>,
        /// How long it asks to wait.
        wait: Option<Duration>,
    },
    /// The reply is not what the dialect says.
    #[error("the reply of `{host}` can't be read: {what}")]
    Unreadable {
        /// The server.
        host: Box<str>,
        /// What is wrong with it.
        what: Box<str>,
    },
    /// The server will not answer this.
    #[error("`{host}` refuses the request ({status}): {text}")]
    Refused {
        /// The server.
        host: Box<str>,
        /// The status of HTTP, or the kind of error within a stream.
        status: Box<str>,
        /// What it says.
        text: Box<str>,
    },
    /// The prompt is longer than the model reads.
    #[error("the prompt is longer than the model reads: {text}")]
    TooLong {
        /// What the server says.
        text: Box<str>,
    },
    /// The reply is larger than any real one.
    #[error("the reply of `{host}` has more than {bytes_max} bytes")]
    TooLarge {
        /// The server.
        host: Box<str>,
        /// The limit.
        bytes_max: usize,
    },
    /// The time for one answer, new attempts included, is up.
    #[error("no answer within {} ms{}", limit.as_millis(), because(last.as_deref()))]
    OutOfTime {
        /// The limit.
        limit: Duration,
        /// What went wrong with the attempt before, if there was one.
        last: Option<Box<Fault>>,
    },
    /// The budget is used up. Nothing was sent.
    #[error("the budget of {0} is used up")]
    OverBudget(BudgetPart),
    /// What is sent is not what was sent when the cassette was recorded.
    #[error("the cassette holds no answer to this request: {what}")]
    NotOnCassette {
        /// Where they part.
        what: Box<str>,
    },
    /// The request can't be written.
    #[error("the request can't be written: {0}")]
    Unwritable(Box<str>),
}

fn because(last: Option<&Fault>) -> String {
    last.map(|fault| format!("; before that, {fault}"))
        .unwrap_or_default()
}

impl Fault {
    /// Whether asking again could help.
    #[must_use]
    pub fn nature(&self) -> FaultNature {
        match self {
            Self::Unreachable { .. }
            | Self::Silent { .. }
            | Self::Late { .. }
            | Self::Cut { .. }
            | Self::Busy { .. }
            | Self::Unreadable { .. } => FaultNature::Transient,
            Self::Refused { .. }
            | Self::TooLong { .. }
            | Self::TooLarge { .. }
            | Self::OutOfTime { .. }
            | Self::OverBudget(_)
            | Self::NotOnCassette { .. }
            | Self::Unwritable(_) => FaultNature::Final,
        }
    }

    /// Whether the model never saw the prompt, so that it cost nothing.
    pub(crate) fn before_the_model(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::Refused { .. }
            | Self::TooLong { .. }
            | Self::OverBudget(_)
            | Self::NotOnCassette { .. }
            | Self::Unwritable(_) => true,
            Self::Silent { .. }
            | Self::Late { .. }
            | Self::Cut { .. }
            | Self::Unreadable { .. }
            | Self::TooLarge { .. }
            | Self::OutOfTime { .. } => false,
        }
    }

    /// How long the server asks to wait.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Busy { wait, .. } => *wait,
            _ => None,
        }
    }
}

/// An error as a server words it.
#[derive(Debug, Default, Clone)]
pub(crate) struct ServerError {
    /// Its kind or code, in the server's words.
    pub(crate) kind: String,
    /// Its text.
    pub(crate) text: String,
}

/// What servers of both dialects say of a prompt that is too long.
const TOO_LONG: [&str; 7] = [
    "context_length_exceeded",
    "exceed_context_size",
    "request_too_large",
    "prompt is too long",
    "maximum context length",
    "exceed context limit",
    "exceeds the context window",
];

/// Kinds of error that may pass, within a stream, where there is no status.
const MAY_PASS: [&str; 6] = [
    "overloaded_error",
    "api_error",
    "rate_limit_error",
    "timeout_error",
    "server_error",
    "rate_limit_exceeded",
];

/// A quota does not fill up again while one waits, whatever status it comes with.
const QUOTA: &str = "insufficient_quota";

/// What an error means for the next attempt.
#[derive(Debug, Clone, Copy)]
enum ErrorKind {
    TooLong,
    MayPass,
    Stays,
}

impl ServerError {
    /// What a reply with this status means.
    pub(crate) fn with_status(
        &self,
        host: &str,
        status: u16,
        key: Option<&ApiKey>,
        wait: Option<Duration>,
    ) -> Fault {
        let kind = match status {
            413 => ErrorKind::TooLong,
            400 | 422 if self.says_too_long() => ErrorKind::TooLong,
            429 if self.kind == QUOTA => ErrorKind::Stays,
            408 | 409 | 425 | 429 | 500 | 502..=599 => ErrorKind::MayPass,
            _ => ErrorKind::Stays,
        };
        self.fault(kind, host, &status.to_string(), tidy(&self.text, key), wait)
    }

    /// What an error within a stream means.
    pub(crate) fn in_stream(&self, host: &str, key: Option<&ApiKey>) -> Fault {
        let kind = if self.says_too_long() {
            ErrorKind::TooLong
        } else if MAY_PASS.contains(&self.kind.as_str()) {
            ErrorKind::MayPass
        } else {
            ErrorKind::Stays
        };
        let status = tidy(&self.kind, key);
        self.fault(kind, host, &status, tidy(&self.text, key), None)
    }

    fn fault(
        &self,
        kind: ErrorKind,
        host: &str,
        status: &str,
        text: Box<str>,
        wait: Option<Duration>,
    ) -> Fault {
        match kind {
            ErrorKind::TooLong => Fault::TooLong { text },
            ErrorKind::MayPass => Fault::Busy {
                host: host.into(),
                status: status.into(),
                text,
                wait,
            },
            ErrorKind::Stays => Fault::Refused {
                host: host.into(),
                status: status.into(),
                text,
            },
        }
    }

    fn says_too_long(&self) -> bool {
        let text = format!("{} {}", self.kind, self.text).to_lowercase();
        TOO_LONG.iter().any(|words| text.contains(words))
    }
}

/// A server's text for an error: one line, of bounded length, nothing hidden in it, without the key.
fn tidy(text: &str, key: Option<&ApiKey>) -> Box<str> {
    let text = key.map_or_else(|| text.to_owned(), |key| key.taken_out_of(text));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = visible(&line).chars().take(SERVER_TEXT_CHARS_MAX).collect();
    if shown.is_empty() {
        "it does not say why".into()
    } else {
        shown.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, kind: &str, text: &str, expect: &str) {
        let error = ServerError {
            kind: kind.into(),
            text: text.into(),
        };
        let fault = error.with_status("a.b", status, None, None);
        let found = match &fault {
            Fault::Busy { .. } => "busy",
            Fault::Refused { .. } => "refused",
            Fault::TooLong { .. } => "too long",
            _ => "something else",
        };
        assert_eq!(found, expect, "{status} {kind} {text}");
    }

    #[test]
    fn statuses_mean_what_both_dialects_say() {
        for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
            check(status, "", "", "busy");
        }
        for status in [301, 400, 401, 403, 404, 405, 501] {
            check(status, "", "", "refused");
        }
        check(429, "insufficient_quota", "", "refused");
        check(413, "", "", "too long");
        check(
            400,
            "invalid_request_error",
            "prompt is too long: 9 tokens > 8 maximum",
            "too long",
        );
        check(
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8",
            "too long",
        );
        check(500, "", "prompt is too long", "busy");
    }

    #[test]
    fn what_a_server_says_is_one_bounded_visible_line_without_the_key() {
        let key = ApiKey::new("sk-abcdef").unwrap();
        let text = tidy("no\n\u{202e}key sk-abcdef", Some(&key));
        assert_eq!(&*text, "no ‹U+202E›key [key]");
        assert_eq!(tidy(&"x".repeat(9_000), None).len(), SERVER_TEXT_CHARS_MAX);
        assert_eq!(&*tidy(" ", None), "it does not say why");
    }
}
