//! The seven states of a call, and the one table of legal moves between them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Its input is checked, hooks and the ladder have their say.
    Validating,
    /// A question is open.
    AwaitingApproval,
    /// It may run, and waits for its turn.
    Scheduled,
    /// It runs.
    Executing,
    /// It ran and came to its end.
    Success,
    /// It failed, or a rule, hook, classifier or the absence of anyone refused it.
    Error,
    /// A person said no or stopped it, or it expired or was superseded.
    Cancelled,
}

/// What moves a call on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEvent {
    /// The ladder came to a question.
    Ask,
    /// The ladder or a verdict let it pass.
    Admit,
    /// What it was approved for changed before it ran; it is asked anew.
    Supersede,
    /// It is started.
    Start,
    /// It came to its end.
    Finish,
    /// It failed or was refused.
    Fail,
    /// It was cancelled.
    Cancel,
}

impl fmt::Display for CallEvent {
    /// Fits behind "it can" and "it can't".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ask => "be asked about",
            Self::Admit => "be let pass",
            Self::Supersede => "be asked about anew",
            Self::Start => "start",
            Self::Finish => "come to its end",
            Self::Fail => "fail",
            Self::Cancel => "be cancelled",
        })
    }
}

/// A move that the table does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a call that is {state} can't {event}")]
pub struct IllegalTransition {
    state: CallState,
    event: CallEvent,
}

impl CallState {
    /// All states, in the order of a call's life.
    pub const ALL: [Self; 7] = [
        Self::Validating,
        Self::AwaitingApproval,
        Self::Scheduled,
        Self::Executing,
        Self::Success,
        Self::Error,
        Self::Cancelled,
    ];

    /// The state after `event`.
    ///
    /// # Errors
    /// When a call in this state can't take that move; end states take none.
    pub fn apply(self, event: CallEvent) -> Result<Self, IllegalTransition> {
        use CallEvent as E;
        use CallState as S;
        match (self, event) {
            (S::Validating, E::Ask) => Ok(S::AwaitingApproval),
            (S::Validating | S::AwaitingApproval, E::Admit) => Ok(S::Scheduled),
            (S::Scheduled, E::Supersede) => Ok(S::AwaitingApproval),
            (S::Scheduled, E::Start) => Ok(S::Executing),
            (S::Executing, E::Finish) => Ok(S::Success),
            (S::Validating | S::AwaitingApproval | S::Scheduled | S::Executing, E::Fail) => {
                Ok(S::Error)
            }
            (S::Validating | S::AwaitingApproval | S::Scheduled | S::Executing, E::Cancel) => {
                Ok(S::Cancelled)
            }
            (state, event) => Err(IllegalTransition { state, event }),
        }
    }

    /// Whether nothing moves it any more.
    #[must_use]
    pub fn is_end(self) -> bool {
        match self {
            Self::Success | Self::Error | Self::Cancelled => true,
            Self::Validating | Self::AwaitingApproval | Self::Scheduled | Self::Executing => false,
        }
    }

    /// The state's name in records and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Validating => "validating",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Scheduled => "scheduled",
            Self::Executing => "executing",
            Self::Success => "success",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [CallEvent; 7] = [
        CallEvent::Ask,
        CallEvent::Admit,
        CallEvent::Supersede,
        CallEvent::Start,
        CallEvent::Finish,
        CallEvent::Fail,
        CallEvent::Cancel,
    ];

    #[test]
    fn the_table_of_legal_moves() {
        let mut table = String::new();
        for state in CallState::ALL {
            for event in EVENTS {
                if let Ok(next) = state.apply(event) {
                    table.push_str(&format!("{state} {event:?} {next}\n"));
                }
            }
        }
        assert_eq!(
            table,
            "validating Ask awaiting_approval\nvalidating Admit scheduled\nvalidating Fail error\n\
             validating Cancel cancelled\nawaiting_approval Admit scheduled\nawaiting_approval Fail error\n\
             awaiting_approval Cancel cancelled\nscheduled Supersede awaiting_approval\nscheduled Start executing\n\
             scheduled Fail error\nscheduled Cancel cancelled\nexecuting Finish success\nexecuting Fail error\n\
             executing Cancel cancelled\n"
        );
    }

    #[test]
    fn nothing_leaves_an_end_and_each_other_state_can_be_cancelled() {
        for state in CallState::ALL {
            let moves = EVENTS
                .into_iter()
                .filter(|event| state.apply(*event).is_ok())
                .count();
            assert_eq!(moves == 0, state.is_end());
            assert_eq!(state.apply(CallEvent::Cancel).is_ok(), !state.is_end());
        }
    }

    #[test]
    fn an_illegal_move_is_told_in_words() {
        let told = |state: CallState, event| state.apply(event).unwrap_err().to_string();
        assert_eq!(
            told(CallState::Success, CallEvent::Start),
            "a call that is success can't start"
        );
        assert_eq!(
            told(CallState::Executing, CallEvent::Supersede),
            "a call that is executing can't be asked about anew"
        );
    }
}
