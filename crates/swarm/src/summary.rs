//! What a run came to: its jobs, its calls, what nobody could answer, its exit code.

use std::sync::Arc;

use pointsman_model::{
    CallId, Lineage, Millis, NoVoteCause, Outcome, RuleText, RunId, ToolName, WorkerId,
};

use crate::StopReason;

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// Its work is done.
    Done {
        /// What its agent says of it.
        summary: Box<str>,
    },
    /// It failed, at its last try too.
    Failed {
        /// Why.
        reason: Box<str>,
    },
    /// Its time was up, at its last try too.
    TimedOut {
        /// The time it had.
        time_max: Millis,
    },
    /// It never started: a job that it needs did not end well.
    Skipped {
        /// That job.
        because: Arc<str>,
    },
    /// It was stopped, at work or before that, or never started since the run was being stopped.
    Stopped,
    /// A hook, a classifier or a limit halted its agent.
    Halted {
        /// What, and why.
        reason: Box<str>,
    },
}

impl JobEnd {
    /// The word for it in summaries and records.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::TimedOut { .. } => "timed_out",
            Self::Skipped { .. } => "skipped",
            Self::Stopped => "stopped",
            Self::Halted { .. } => "halted",
        }
    }
}

/// One job's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobResult {
    /// Its name.
    pub name: Arc<str>,
    /// Its worker at the last try; nothing when it never started.
    pub worker: Option<WorkerId>,
    /// How often it was tried.
    pub tries: u32,
    /// How it ended.
    pub end: JobEnd,
    /// How long its tries took together.
    pub took: Millis,
}

/// A call that was refused because nobody could answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusLine {
    /// The call.
    pub call: CallId,
    /// Whose call it was.
    pub lineage: Lineage,
    /// Its tool.
    pub tool: ToolName,
    /// What it would have done: the command line, the path.
    pub what: Box<str>,
    /// How its question ended.
    pub outcome: Outcome,
    /// Why the classifier did not judge it, where it stood in for the question.
    pub unjudged: Option<NoVoteCause>,
    /// The narrowest rule that would have let it pass; nothing when no rule may.
    pub rule: Option<RuleText>,
}

/// How many calls of a run ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCounts {
    /// All calls.
    pub calls: u64,
    /// Ran and came to their end.
    pub succeeded: u64,
    /// Ran, or could not run, and failed by themselves.
    pub failed: u64,
    /// Refused by a rule, the mode, a hook or a classifier.
    pub refused: u64,
    /// Refused by a person.
    pub denied_by_person: u64,
    /// Refused because nobody could answer, or since the mode lets nobody be asked; the census lists them.
    pub unanswered: u64,
    /// Cancelled with their agent.
    pub cancelled: u64,
    /// Started, and nobody knows how they ended.
    pub unknown: u64,
    /// Questions that were opened.
    pub questions: u64,
    /// Agents that were started.
    pub agents: u64,
}

/// How the leader's process ends (DESIGN section 6). The first that fits, from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitCode {
    /// 130: somebody stopped the run.
    Cancelled,
    /// 4: a hook, classifier or limit halted it.
    Halted,
    /// 2: arguments, settings or the job file are wrong.
    BadInput,
    /// 1: a job failed.
    JobFailed,
    /// 3: calls were refused because nobody could answer.
    Unanswered,
    /// 0: all is done.
    Done,
}

impl ExitCode {
    /// The number for the operating system.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Cancelled => 130,
            Self::Halted => 4,
            Self::BadInput => 2,
            Self::JobFailed => 1,
            Self::Unanswered => 3,
            Self::Done => 0,
        }
    }

    /// The code of a run that was stopped for `stop`, had these ends, and in whose records this was found.
    pub(crate) fn of<'a>(
        stop: Option<&StopReason>,
        ends: impl Iterator<Item = &'a JobEnd> + Clone,
        found: Found,
    ) -> Self {
        let halted = |end: &JobEnd| matches!(end, JobEnd::Halted { .. });
        let done = |end: &JobEnd| matches!(end, JobEnd::Done { .. });
        match stop {
            Some(stop) if stop.is_cancel() => Self::Cancelled,
            Some(StopReason::Halted { .. }) => Self::Halted,
            Some(_) | None if found.halted > 0 || ends.clone().any(halted) => Self::Halted,
            Some(_) | None if !ends.clone().all(done) => Self::JobFailed,
            Some(_) | None if found.unanswered > 0 => Self::Unanswered,
            Some(_) | None => Self::Done,
        }
    }
}

/// What the records of a run hold beside the ends of its jobs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// How many calls nobody could answer.
    pub(crate) unanswered: u64,
    /// How many agents were halted, at whatever depth.
    pub(crate) halted: usize,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The run.
    pub run: RunId,
    /// Its jobs, in the order of the file.
    pub jobs: Vec<JobResult>,
    /// Its exit code.
    pub exit: ExitCode,
    /// Why it was stopped, when it was.
    pub stopped: Option<StopReason>,
    /// Each call that was refused because nobody could answer.
    pub census: Vec<CensusLine>,
    /// Its calls in numbers.
    pub counts: CallCounts,
    /// What went wrong on the way without ending the run, like an agent that did not stop in time.
    pub remarks: Vec<Box<str>>,
    /// How long it took.
    pub took: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stop: Option<StopReason>, ends: &[JobEnd], unanswered: u64, expect: u8) {
        let found = Found {
            unanswered,
            halted: 0,
        };
        let exit = ExitCode::of(stop.as_ref(), ends.iter(), found);
        assert_eq!(exit.code(), expect);
    }

    fn done() -> JobEnd {
        JobEnd::Done { summary: "".into() }
    }

    fn failed() -> JobEnd {
        JobEnd::Failed { reason: "".into() }
    }

    fn halted() -> JobEnd {
        JobEnd::Halted { reason: "".into() }
    }

    #[test]
    fn the_first_that_fits_wins() {
        let signal = StopReason::Signal {
            name: "SIGINT".into(),
        };
        let halt = StopReason::Halted { text: "".into() };
        let by_job = StopReason::JobFailed { job: "a".into() };
        check(Some(signal.clone()), &[halted(), failed()], 3, 130);
        check(Some(signal), &[done()], 0, 130);
        check(Some(StopReason::StarterGone), &[JobEnd::Stopped], 3, 130);
        check(Some(halt), &[JobEnd::Stopped, failed()], 3, 4);
        check(None, &[halted(), failed()], 3, 4);
        check(Some(by_job), &[failed(), JobEnd::Stopped], 3, 1);
        check(None, &[failed(), done()], 3, 1);
        check(
            None,
            &[
                done(),
                JobEnd::TimedOut {
                    time_max: Millis(1),
                },
            ],
            0,
            1,
        );
        let below = Found {
            unanswered: 1,
            halted: 1,
        };
        assert_eq!(
            ExitCode::of(None, [done(), failed()].iter(), below),
            ExitCode::Halted
        );
        check(None, &[done()], 1, 3);
        check(None, &[done()], 0, 0);
    }
}
