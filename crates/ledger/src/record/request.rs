//! Records of questions and their answers.

use pointsman_model::{
    Answerer, CallId, Explanation, NoVoteCause, PermissionRequest, RequestId, Verdict, VerdictKind,
};
use serde::{Deserialize, Serialize};

/// When a request goes to the surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Showing {
    /// At once, beside the automatic checks.
    AtOnce,
    /// When the automatic checks came to no answer.
    AfterChecks,
}

/// A question was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestOpened {
    /// The question in full.
    pub request: PermissionRequest,
    /// When it is shown.
    pub showing: Showing,
}

/// A question that a dead leader left was taken up again, with the same id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestReopened {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
}

/// A question went to the surfaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestShown {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
}

/// A checker said something without deciding: a classifier's no in a handler, a hook's failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advised {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
    /// Who.
    pub by: Answerer,
    /// What it said.
    pub text: Box<str>,
    /// Why it has no vote, when it is a classifier that has none. Older records don't tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_vote: Option<NoVoteCause>,
}

/// A model explained what a question is about, for the people it was shown to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explained {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
    /// What they were told.
    pub explanation: Explanation,
}

/// A question got its one verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestClosed {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
    /// The verdict.
    pub verdict: Verdict,
}

/// How an answer was late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lateness {
    /// It said the same as the verdict.
    SameAgain,
    /// It said something else.
    Conflict,
    /// The request had expired.
    Expired,
    /// A person was at the dialog, so an automatic check's result was dropped.
    PersonAtIt,
}

/// An answer came too late to count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateAnswer {
    /// The question.
    pub request: RequestId,
    /// Its call.
    pub call: CallId,
    /// Who answered.
    pub by: Answerer,
    /// What the answer said.
    pub answer: VerdictKind,
    /// How it was late.
    pub lateness: Lateness,
    /// The how many late answer to this question it is, counted from 1. Of many late answers not each is recorded; this
    /// tells how many there were.
    #[serde(default = "first_late")]
    pub number: u32,
}

fn first_late() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_from_before_causes_were_recorded_is_read() {
        let old = r#"{"request":"r1-1","call":"c1-1","by":{"kind":"classifier","name":"c"},"text":"has no vote: late"}"#;
        let read: Advised = serde_json::from_str(old).unwrap();
        assert_eq!(read.no_vote, None);
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
        let new = Advised {
            no_vote: Some(NoVoteCause::TooLong),
            ..read
        };
        let written = serde_json::to_string(&new).unwrap();
        assert!(written.ends_with(r#","no_vote":"too_long"}"#), "{written}");
        assert_eq!(serde_json::from_str::<Advised>(&written).unwrap(), new);
    }
}
