//! A program that was to tell somebody and did not.

use std::fmt;
use std::time::Duration;

use pointsman_process::{End, RunError};

use crate::shown;

/// See the module's words. Two of the same words are the same failure.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Failure {
    program: String,
    how: How,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum How {
    NotRun(String),
    TookTooLong(Duration),
    EndedBadly(String),
}

impl Failure {
    /// Of a program that could not be run.
    pub(super) fn not_run(program: String, error: &RunError) -> Self {
        Self {
            program,
            how: How::NotRun(error.to_string()),
        }
    }

    /// Of one that had so long; nothing when it did well, or was stopped by its owner.
    pub(super) fn of_end(program: String, end: End, time_max: Duration) -> Option<Self> {
        let how = match end {
            End::Exited(0) | End::Stopped => return None,
            End::Exited(code) => How::EndedBadly(format!("exit code {code}")),
            End::Signalled(signal) => How::EndedBadly(format!("signal {signal}")),
            End::TimedOut => How::TookTooLong(time_max),
        };
        Some(Self { program, how })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = shown::line(&self.program);
        match &self.how {
            How::NotRun(why) => write!(f, "no notice is given: {}", shown::line(why)),
            How::TookTooLong(time) => write!(
                f,
                "the notice program `{program}` was killed after {} s",
                time.as_secs()
            ),
            How::EndedBadly(how) => {
                write!(f, "the notice program `{program}` did not end well: {how}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_fail_has_words_and_an_end_by_its_owner_has_none() {
        let of = |end| {
            let failure = Failure::of_end("tell".into(), end, Duration::from_secs(10));
            failure.map(|failure| failure.to_string())
        };
        assert_eq!(of(End::Exited(0)), None);
        assert_eq!(of(End::Stopped), None);
        assert_eq!(
            of(End::Exited(3)).unwrap(),
            "the notice program `tell` did not end well: exit code 3"
        );
        assert_eq!(
            of(End::TimedOut).unwrap(),
            "the notice program `tell` was killed after 10 s"
        );
    }
}
