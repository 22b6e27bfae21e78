//! Why a run, or one agent of it, is stopped.

use std::fmt;
use std::sync::Arc;

/// Why everything is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A person asked for it, at a surface.
    Person {
        /// In their words, or what they touched.
        text: Box<str>,
    },
    /// The process was told to end: Ctrl-C, a termination signal.
    Signal {
        /// The signal's name.
        name: Box<str>,
    },
    /// Whoever had the run started in the background was gone before they could be told which run it is.
    StarterGone,
    /// A job failed, and the file says that this ends the run.
    JobFailed {
        /// The job.
        job: Arc<str>,
    },
    /// A hook, classifier or limit halted the run.
    Halted {
        /// What halted it, and why.
        text: Box<str>,
    },
}

impl StopReason {
    /// Whether this is a cancel from outside, which the exit code tells apart from all else.
    #[must_use]
    pub fn is_cancel(&self) -> bool {
        match self {
            Self::Person { .. } | Self::Signal { .. } | Self::StarterGone => true,
            Self::JobFailed { .. } | Self::Halted { .. } => false,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person { text } => write!(f, "a person stopped the run: {text}"),
            Self::Signal { name } => write!(f, "the run was stopped by {name}"),
            Self::StarterGone => {
                f.write_str("whoever started the run was gone before they were told of it")
            }
            Self::JobFailed { job } => write!(f, "the job `{job}` failed, which ends the run"),
            Self::Halted { text } => write!(f, "the run was halted: {text}"),
        }
    }
}
