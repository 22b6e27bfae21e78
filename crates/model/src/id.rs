//! Ids: which run, worker, call, request, grant or rule is meant.
//!
//! A run's number is given by the ledger of its project; all other ids are that number and a count
//! within the run. They are short enough to be typed, unique within a project for good, and need no
//! randomness. Two kinds of id never mix:
//!
//! ```compile_fail
//! use pointsman_model::{CallId, RequestId, RunId};
//! let run = RunId::new(1).unwrap();
//! let call: CallId = RequestId::new(run, 1);
//! ```

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that is not the id it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {kind}: write it like `{example}`")]
pub struct ParseIdError {
    text: String,
    kind: &'static str,
    example: &'static str,
}

/// One run of a leader, as numbered by its project's ledger. Never used again for another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(NonZeroU32);

impl RunId {
    /// The first run of a ledger.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// The run of that number; `None` for 0, which numbers no run.
    #[must_use]
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The run's number in its ledger.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run-{}", self.0)
    }
}

impl FromStr for RunId {
    type Err = ParseIdError;

    /// Reads `run-3`, and `3` alone since people type that.
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let digits = text.strip_prefix("run-").unwrap_or(text);
        plain_number(digits)
            .and_then(Self::new)
            .ok_or_else(|| ParseIdError {
                text: text.into(),
                kind: "run",
                example: "run-3",
            })
    }
}

impl TryFrom<String> for RunId {
    type Error = ParseIdError;
    fn try_from(text: String) -> Result<Self, ParseIdError> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.to_string()
    }
}

/// Digits alone: no sign, no blanks, no leading zero, so that an id has one spelling.
fn plain_number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if plain && !leading_zero {
        digits.parse().ok()
    } else {
        None
    }
}

macro_rules! id_within_run {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name {
            run: RunId,
            number: u32,
        }

        impl $name {
            /// The id of that number within `run`.
            #[must_use]
            pub fn new(run: RunId, number: u32) -> Self {
                Self { run, number }
            }

            /// The run it belongs to.
            #[must_use]
            pub fn run(self) -> RunId {
                self.run
            }

            /// Its number within the run.
            #[must_use]
            pub fn number(self) -> u32 {
                self.number
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}-{}"), self.run.number(), self.number)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let parsed = text.strip_prefix($prefix).and_then(|rest| {
                    let (run, number) = rest.split_once('-')?;
                    Some(Self::new(RunId::new(plain_number(run)?)?, plain_number(number)?))
                });
                parsed.ok_or_else(|| ParseIdError {
                    text: text.into(),
                    kind: $kind,
                    example: concat!($prefix, "3-17"),
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseIdError;
            fn try_from(text: String) -> Result<Self, ParseIdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

id_within_run!(
    /// An agent of a run: the worker of a job, or a sub-agent that one of them spawned.
    WorkerId, "w", "worker"
);
id_within_run!(
    /// One use of a tool. The same call keeps its id through all its four versions.
    CallId, "c", "call"
);
id_within_run!(
    /// An open question. A call that is asked anew gets a new one.
    RequestId, "r", "request"
);
id_within_run!(
    /// An allow that outlives its call.
    GrantId, "g", "grant"
);

/// A rule's place in the frozen rule list of one context; means nothing outside that list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleId(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let run = RunId::new(3).unwrap();
        let id = RequestId::new(run, 17);
        assert_eq!(id.to_string(), "r3-17");
        assert_eq!("r3-17".parse::<RequestId>(), Ok(id));
        for wrong in [
            "r3", "r3-", "r-17", "c3-17", "r03-17", "r3-017", "r+3-1", "r3-1 ", "", "r0-1",
        ] {
            assert!(wrong.parse::<RequestId>().is_err(), "`{wrong}` was taken");
        }
    }

    #[test]
    fn a_wrong_id_says_how_it_should_look() {
        let error = "17".parse::<CallId>().unwrap_err();
        assert_eq!(error.to_string(), "`17` is no call: write it like `c3-17`");
    }

    #[test]
    fn a_run_is_typed_with_or_without_its_prefix() {
        assert_eq!("run-3".parse::<RunId>(), "3".parse::<RunId>());
        assert!("0".parse::<RunId>().is_err());
    }
}
