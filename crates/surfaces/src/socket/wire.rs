//! What client and server say to each other. These are twins of the model's types, converted by
//! hand, so that the model may change without the words on the wire doing so.

use std::io::{self, BufRead, Read as _};
use std::num::NonZeroU32;

use pointsman_approvals::Epoch;
use pointsman_model::{
    AbsPath, Digest, GrantId, Millis, PermissionMode, RequestId, RunId, WorkerId,
};
use serde::{Deserialize, Serialize};

use super::cards::{ContextCard, GrantCard, JobWire, RequestCard};
use crate::session::SessionScope;

/// Longest line either side reads: a request shown whole holds a file's content, which is bounded
/// far below this.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a client wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// All open requests.
    Queue,
    /// One of the open requests, if it is one; the reply is that of [`Self::Queue`].
    Card {
        /// Which.
        id: RequestId,
    },
    /// An answer to one.
    Answer {
        /// Which.
        id: RequestId,
        /// Yes or no.
        answer: AnswerWord,
        /// What the agent is told with a no.
        text: Option<String>,
        /// What a yes grants beyond the one call.
        always: Option<AlwaysWire>,
        /// The input that is to run instead, with a yes; deny and ask rules judge it again.
        #[serde(default)]
        edited: Option<String>,
        /// The digest of what the person was shown; without it no open request is answered.
        digest: Option<Digest>,
        /// The reign in which the person was shown it; without it no open request is answered.
        #[serde(default)]
        epoch: Option<Epoch>,
        /// Where the person is.
        #[serde(default)]
        at: Seat,
    },
    /// A person is at a request: no automatic check answers it any more (law 13).
    Touch {
        /// Which.
        id: RequestId,
    },
    /// All open requests, and from then on what becomes of them, a line each, until the client goes.
    Watch,
    /// How the run stands.
    Status,
    /// What an agent may do.
    Context {
        /// The agent.
        worker: WorkerId,
    },
    /// The end of the run, or of one agent and all below it.
    Stop {
        /// The agent; the run when none is named.
        worker: Option<WorkerId>,
        /// Why, in the person's words.
        text: Option<String>,
    },
    /// The end of a job: one that is not at work is not begun any more.
    StopJob {
        /// Its name.
        job: String,
        /// Why, in the person's words.
        text: Option<String>,
        /// Where the person is.
        #[serde(default)]
        at: Seat,
    },
    /// Hold the run or one agent, or let it go on.
    Course {
        /// The agent, with all below it; the run when none is named.
        #[serde(default)]
        worker: Option<WorkerId>,
        /// Which of the two.
        course: CourseWord,
    },
    /// Try jobs again that did not end well.
    Retry {
        /// Their names; all that did not end well when none is named.
        jobs: Option<Vec<String>>,
    },
    /// Let the jobs of a file join.
    Add {
        /// The file's name, as it was given.
        file: String,
        /// Where it lies: the leader reads it there, whatever its length.
        at: AbsPath,
        /// The fingerprint of the text that the person named: nothing joins of what lies there a moment later.
        digest: Digest,
    },
    /// Say something to an agent at work.
    Tell {
        /// The agent.
        worker: WorkerId,
        /// What.
        text: String,
    },
    /// Change what an agent may do from its next call on: lower its mode, or grant it edits inside its folders.
    Mode {
        /// The agent.
        worker: WorkerId,
        /// The mode it is to have.
        mode: PermissionMode,
    },
    /// Add a deny or ask rule for all agents, from their next call on.
    Tighten {
        /// `deny` or `ask`.
        behavior: TightenWord,
        /// The rule.
        rule: String,
    },
    /// All grants in force.
    Grants,
    /// The end of one.
    Revoke {
        /// Which.
        id: GrantId,
    },
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWord {
    /// It may run.
    Allow,
    /// It may not run.
    Deny,
}

/// A yes for more than one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlwaysWire {
    /// For whom.
    pub scope: SessionScope,
    /// Which proposal, counted from 1.
    pub proposal: usize,
    /// The rules that the person wrote in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
    /// For how long from the answer on; until the end of the scope when not said.
    #[serde(rename = "lasts_ms", default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Millis>,
    /// For how many calls beside the one that was asked about; any number when not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<NonZeroU32>,
}

/// Where the person behind a client is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// At a command.
    #[default]
    Command,
    /// At a full screen that is attached to the run.
    Screen,
}

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CourseWord {
    /// It is held: agents wait at their next calls, and no job of a held run starts.
    Paused,
    /// It goes on.
    On,
}

/// What a rule added to a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TightenWord {
    /// What it matches is refused.
    Deny,
    /// What it matches is asked.
    Ask,
}

/// What the leader says to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// The open requests, oldest first.
    Queue {
        /// The leader's run.
        run: RunId,
        /// The requests.
        requests: Vec<RequestCard>,
    },
    /// What came of an answer.
    Answered {
        /// The request.
        id: RequestId,
        /// What came of it.
        came: Came,
        /// The same for a person.
        text: String,
    },
    /// The grants in force, oldest first.
    Grants {
        /// The leader's run.
        run: RunId,
        /// The grants.
        grants: Vec<GrantCard>,
    },
    /// A grant no longer counts.
    Revoked {
        /// Which.
        id: GrantId,
    },
    /// A request is open, told to a client that watches.
    Opened {
        /// The request.
        request: Box<RequestCard>,
    },
    /// A request has ended, told to a client that watches.
    Closed {
        /// The request.
        id: RequestId,
        /// How, and by whom.
        text: String,
    },
    /// How the run stands.
    Status(StatusWire),
    /// What an agent may do.
    Context(Box<ContextCard>),
    /// Jobs were tried again, or joined.
    Jobs {
        /// Their names.
        jobs: Vec<String>,
    },
    /// It is done.
    Done {
        /// What was done, for a person.
        text: String,
    },
    /// A job file can't be used; nothing of it joined.
    Problems {
        /// Each with its place and what to do.
        problems: Vec<ProblemWire>,
    },
    /// There is no such thing, or it can't be had that way.
    NotFound {
        /// What is wrong.
        text: String,
    },
    /// What was asked for can't be meant so.
    BadInput {
        /// What is wrong.
        text: String,
    },
    /// The leader does not understand, or failed.
    Error {
        /// What is wrong.
        text: String,
    },
}

/// What came of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// It is the verdict.
    Won,
    /// The request had been answered the same way before; nothing changed.
    SameAgain,
    /// The classifier had refused it; it passes when the agent asks for it again.
    Lifted,
    /// It had been answered another way.
    Conflict,
    /// Its deadline has passed, or it was withdrawn.
    Expired,
    /// There is no such request.
    NotFound,
}

/// How a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusWire {
    /// The run.
    pub run: RunId,
    /// Whether it goes on.
    pub course: CourseWord,
    /// The agents that are held for themselves.
    #[serde(default)]
    pub held: Vec<WorkerId>,
    /// Its jobs.
    pub jobs: Vec<JobWire>,
    /// How many requests are open.
    pub waiting: usize,
    /// How many agents are at work.
    pub at_work: usize,
    /// How the classifier does, where there is one.
    pub classifier: Option<String>,
}

/// What is wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemWire {
    /// File, line and column.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The other side closed without a word.
    #[error("the other side closed the connection")]
    Closed,
    /// The line does not end within the bound.
    #[error("the line is longer than {0} bytes")]
    TooLong(u64),
    /// Reading failed, or took too long.
    #[error("the connection failed")]
    Io(#[source] io::Error),
    /// It is not what was expected.
    #[error("the line is not understood")]
    Shape(#[source] serde_json::Error),
}

/// Reads one line and understands it. Blocks.
///
/// # Errors
/// When there is none, it is too long or it is not of the wanted shape.
pub fn read_line<T: for<'de> Deserialize<'de>>(from: &mut impl BufRead) -> Result<T, LineError> {
    let mut line = Vec::new();
    from.take(LINE_BYTES_MAX)
        .read_until(b'\n', &mut line)
        .map_err(LineError::Io)?;
    match line.last() {
        None => Err(LineError::Closed),
        Some(b'\n') => serde_json::from_slice(&line).map_err(LineError::Shape),
        Some(_) if line.len() as u64 >= LINE_BYTES_MAX => Err(LineError::TooLong(LINE_BYTES_MAX)),
        Some(_) => Err(LineError::Closed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use pointsman_model::WallTime;

    #[test]
    fn words_on_the_wire_are_as_they_were() {
        let ask = Ask::Answer {
            id: fixture::request(17, "git push").id,
            answer: AnswerWord::Allow,
            text: None,
            always: Some(AlwaysWire {
                scope: SessionScope::Job,
                proposal: 2,
                rules: None,
                lasts: Some(Millis(1_800_000)),
                uses: NonZeroU32::new(3),
            }),
            edited: None,
            at: Seat::Command,
            digest: Some(Digest::of(b"shown")),
            epoch: Some(Epoch::FIRST),
        };
        insta::assert_snapshot!(serde_json::to_string_pretty(&ask).unwrap());
        let card = RequestCard::of(
            &fixture::request(17, "git push"),
            Epoch::FIRST,
            WallTime(3_000),
        );
        insta::assert_snapshot!(serde_json::to_string_pretty(&card).unwrap());
    }

    #[test]
    fn a_line_is_read_whole_or_not_at_all() {
        let read = |text: &str| read_line::<Ask>(&mut text.as_bytes());
        assert!(matches!(read("{\"ask\":\"queue\"}\n"), Ok(Ask::Queue)));
        assert!(matches!(read(""), Err(LineError::Closed)));
        assert!(matches!(
            read("{\"ask\":\"queue\"}"),
            Err(LineError::Closed)
        ));
        assert!(matches!(
            read("{\"ask\":\"all\"}\n"),
            Err(LineError::Shape(_))
        ));
        assert!(matches!(read("queue\n"), Err(LineError::Shape(_))));
    }
}
