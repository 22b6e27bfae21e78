//! Why a classifier has no vote on a question.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Why a classifier has no vote. These never get mixed up: each is another thing to mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoVoteCause {
    /// It can't be reached, or not in time.
    Unavailable,
    /// The action is longer than it reads; it sees all of an action or none of it.
    TooLong,
    /// It refused too often, or its budget is used up.
    OverLimits,
    /// Such an action is for people alone.
    LeftToPeople,
    /// What it answered is no answer.
    Unreadable,
}

/// What becomes of an agent whose question was not judged while nobody was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AfterNoVote {
    /// The call is refused, and the agent goes on.
    GoesOn,
    /// The agent halts: it stops instead of guessing (DESIGN section 7).
    Halts,
}

impl NoVoteCause {
    /// Each of them.
    pub const ALL: [Self; 5] = [
        Self::Unavailable,
        Self::TooLong,
        Self::OverLimits,
        Self::LeftToPeople,
        Self::Unreadable,
    ];

    /// Its name in records and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::TooLong => "too_long",
            Self::OverLimits => "over_limits",
            Self::LeftToPeople => "left_to_people",
            Self::Unreadable => "unreadable",
        }
    }

    /// How a question ends that the classifier stood in for and did not judge, with nobody there to be asked instead.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Unavailable | Self::Unreadable => Outcome::Unavailable,
            Self::TooLong | Self::OverLimits | Self::LeftToPeople => Outcome::NobodyCanAnswer,
        }
    }

    /// What becomes of the agent then.
    #[must_use]
    pub fn afterwards(self) -> AfterNoVote {
        match self {
            Self::TooLong | Self::OverLimits => AfterNoVote::Halts,
            Self::Unavailable | Self::LeftToPeople | Self::Unreadable => AfterNoVote::GoesOn,
        }
    }
}

impl fmt::Display for NoVoteCause {
    /// Its name on screen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "unavailable",
            Self::TooLong => "too long",
            Self::OverLimits => "over its limits",
            Self::LeftToPeople => "left to people",
            Self::Unreadable => "unreadable answer",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_name_is_the_one_on_record() {
        for cause in NoVoteCause::ALL {
            let written = serde_json::to_string(&cause).unwrap();
            assert_eq!(written, format!("\"{}\"", cause.as_str()));
            let read: NoVoteCause = serde_json::from_str(&written).unwrap();
            assert_eq!(read, cause);
        }
    }
}
