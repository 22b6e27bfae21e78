//! What client and server say to each other. These are twins of the model's types, converted by
//! hand, so that the model may change without the words on the wire doing so.

use std::io::{self, BufRead, Read as _};

use pointsman_model::{
    Digest, Grant, GrantId, GrantScope, Millis, PermissionRequest, RequestId, RunId, Uses, WallTime,
};
use serde::{Deserialize, Serialize};

use crate::render::{call_line, reason_kind, reason_line, request_text};
use crate::session::SessionScope;
use crate::shown::Extent;

/// Longest line either side reads: a request shown whole holds a file's content, which is bounded
/// far below this.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a client wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// All open requests.
    Queue,
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
        /// The digest of what the person was shown; none when the request is open no longer.
        digest: Option<Digest>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlwaysWire {
    /// For whom.
    pub scope: SessionScope,
    /// Which proposal, counted from 1.
    pub proposal: usize,
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
    /// It had been answered another way.
    Conflict,
    /// Its deadline has passed, or it was withdrawn.
    Expired,
    /// There is no such request.
    NotFound,
}

/// An open request as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCard {
    /// The request.
    pub id: RequestId,
    /// Who asks, from the job down.
    pub agent: String,
    /// What the agent works on.
    pub task: String,
    /// The tool.
    pub tool: String,
    /// The call on one line.
    pub call: String,
    /// The input that would run, exactly.
    pub input: String,
    /// Where it would run.
    pub folder: String,
    /// The agent's mode.
    pub mode: String,
    /// The kind of reason it is asked for.
    pub reason: String,
    /// That reason as a sentence.
    pub because: String,
    /// What a yes may grant beyond the one call: all rules of a proposal together.
    pub proposals: Vec<Vec<String>>,
    /// When it was opened.
    pub opened_at: WallTime,
    /// How long it has waited.
    pub waits: Millis,
    /// When it ends unanswered.
    pub deadline: WallTime,
    /// What an answer is bound to.
    pub digest: Digest,
    /// The whole request, drawn for a person.
    pub drawn: String,
}

impl RequestCard {
    /// The card of a request at `now`.
    #[must_use]
    pub fn of(request: &PermissionRequest, now: WallTime) -> Self {
        Self {
            id: request.id,
            agent: request.lineage.to_string(),
            task: request.task.to_string(),
            tool: request.call.tool.to_string(),
            call: call_line(&request.call),
            input: request.call.text.as_str().into(),
            folder: request.folder.to_string(),
            mode: request.mode.to_string(),
            reason: reason_kind(&request.judgement.reason).into(),
            because: reason_line(&request.judgement.reason),
            proposals: request
                .proposals
                .iter()
                .map(|proposal| proposal.rules.iter().map(ToString::to_string).collect())
                .collect(),
            opened_at: request.opened_at,
            waits: now.since(request.opened_at),
            deadline: request.deadline,
            digest: request.digest,
            drawn: request_text(request, Extent::Whole),
        }
    }
}

/// A grant as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantCard {
    /// The grant.
    pub id: GrantId,
    /// What it allows, as a rule.
    pub rule: String,
    /// For whom: `call`, `worker`, `job` or `run`.
    pub scope: String,
    /// The call, worker or run that the scope names; of a job its worker.
    pub of: String,
    /// Until when; nothing when until the end of its scope.
    pub until: Option<WallTime>,
    /// How often it may still be used; nothing when without a bound.
    pub uses: Option<u32>,
}

impl GrantCard {
    /// The card of a grant.
    #[must_use]
    pub fn of(grant: &Grant) -> Self {
        let (scope, of) = match &grant.scope {
            GrantScope::Call { call } => ("call", call.to_string()),
            GrantScope::Worker { worker } => ("worker", worker.to_string()),
            GrantScope::Job { worker } => ("job", worker.to_string()),
            GrantScope::Run { run } => ("run", run.to_string()),
        };
        Self {
            id: grant.id,
            rule: grant.rule.text.to_string(),
            scope: scope.into(),
            of,
            until: grant.until,
            uses: match grant.uses {
                Uses::Unlimited => None,
                Uses::Left(left) => Some(left.get()),
            },
        }
    }
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

    #[test]
    fn words_on_the_wire_are_as_they_were() {
        let ask = Ask::Answer {
            id: fixture::request(17, "git push").id,
            answer: AnswerWord::Allow,
            text: None,
            always: Some(AlwaysWire {
                scope: SessionScope::Job,
                proposal: 2,
            }),
            digest: Some(Digest::of(b"shown")),
        };
        insta::assert_snapshot!(serde_json::to_string_pretty(&ask).unwrap());
        let card = RequestCard::of(&fixture::request(17, "git push"), WallTime(3_000));
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
