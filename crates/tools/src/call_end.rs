//! What becomes of a call: its moves from state to state, and its end.

use pointsman_model::{CallId, CallState, Outcome, RunId, WallTime, WorkerId};

/// One move of a call, published to whoever watches the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallMoved {
    /// The run.
    pub run: RunId,
    /// The agent that asked for the call.
    pub worker: WorkerId,
    /// The call.
    pub call: CallId,
    /// Where it stood; nothing when it has just come in.
    pub from: Option<CallState>,
    /// Where it stands now.
    pub to: CallState,
    /// When.
    pub at: WallTime,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEnd {
    /// The call.
    pub id: CallId,
    /// `success`, `error` or `cancelled`.
    pub state: CallState,
    /// How its permission ended. Nothing when it never came to that: its input does not fit.
    pub outcome: Option<Outcome>,
    /// What the agent is told: the tool's output, or what was refused, by what, and what it may do instead.
    pub text: String,
    /// The status a command ended with.
    pub exit_code: Option<i32>,
}

impl CallEnd {
    /// Whether it was refused: by a rule, mode, hook, classifier, person, or because nobody can answer. A call
    /// that ran and failed is not refused, nor is one whose input does not fit.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self.outcome {
            None | Some(Outcome::Allowed) => false,
            Some(
                Outcome::DeniedByPerson
                | Outcome::DeniedByHook
                | Outcome::DeniedByClassifier
                | Outcome::Refused
                | Outcome::NobodyCanAnswer
                | Outcome::Expired
                | Outcome::Cancelled
                | Outcome::Superseded
                | Outcome::Unavailable
                | Outcome::Interrupted,
            ) => true,
        }
    }
}
