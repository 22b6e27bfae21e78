//! Permission modes: ceilings on what an agent may do unasked, and how a child's mode follows from
//! its parent's (DESIGN section 7).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A permission mode. The order of the variants is the order of trust, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Reads pass, every change is refused.
    Plan,
    /// What rules don't allow is refused instead of asked.
    DontAsk,
    /// What rules don't decide is asked.
    Default,
    /// Edits and plain file commands inside the directories pass.
    AcceptEdits,
    /// A classifier takes the place of a question.
    Auto,
    /// Everything passes but denies and what must be asked.
    BypassPermissions,
}

/// A text that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no permission mode: it is one of default, plan, acceptEdits, auto, dontAsk, bypassPermissions"
)]
pub struct ParseModeError(String);

impl PermissionMode {
    /// All modes, least trust first.
    pub const ALL: [Self; 6] = [
        Self::Plan,
        Self::DontAsk,
        Self::Default,
        Self::AcceptEdits,
        Self::Auto,
        Self::BypassPermissions,
    ];

    /// The mode's name in settings and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Auto => "auto",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for PermissionMode {
    type Err = ParseModeError;

    /// Reads a mode's name; `manual` is an accepted other name of `default`.
    fn from_str(text: &str) -> Result<Self, ParseModeError> {
        if text == "manual" {
            return Ok(Self::Default);
        }
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| ParseModeError(text.into()))
    }
}

/// What becomes of a question at the end of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Questions {
    /// It goes to the agent's handler.
    Asked,
    /// It is refused, as in dontAsk.
    Refused,
}

/// Who chose the mode that a child asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhoSetMode {
    /// A person wrote it in a file that is trusted (a job file, a user's or trusted project's agent file).
    Person,
    /// The agent that spawns asks for it, or the file is not trusted.
    Agent,
}

/// The mode an agent is under: the mode itself, and how its questions end. The two are apart since
/// plan and dontAsk may both stand in one lineage; then it is plan with refused questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModeInForce {
    mode: PermissionMode,
    questions: Questions,
}

impl ModeInForce {
    /// The mode of an agent without a parent.
    #[must_use]
    pub fn root(mode: PermissionMode) -> Self {
        let questions = match mode {
            PermissionMode::DontAsk => Questions::Refused,
            PermissionMode::Plan
            | PermissionMode::Default
            | PermissionMode::AcceptEdits
            | PermissionMode::Auto
            | PermissionMode::BypassPermissions => Questions::Asked,
        };
        Self { mode, questions }
    }

    /// The mode under a ceiling that a person has set since: never more trusting than it, and questions are refused
    /// where either is dontAsk.
    #[must_use]
    pub fn under(self, ceiling: PermissionMode) -> Self {
        let questions = match (self.questions, ceiling) {
            (Questions::Refused, _) | (_, PermissionMode::DontAsk) => Questions::Refused,
            (Questions::Asked, _) => Questions::Asked,
        };
        Self {
            mode: self.mode.min(ceiling),
            questions,
        }
    }

    /// The mode of a child that asks for `set`, or for nothing.
    ///
    /// plan and dontAsk, the child's own or inherited, always stand. Otherwise an unset mode is the
    /// parent's; a set one is the child's own, unless the parent's is acceptEdits, auto or
    /// bypassPermissions and more trusting: then the parent's. More trust than the parent's comes
    /// only from a person.
    #[must_use]
    pub fn child(self, set: Option<(PermissionMode, WhoSetMode)>) -> Self {
        let Some((set, who)) = set else { return self };
        let questions = match (self.questions, set) {
            (Questions::Refused, _) | (_, PermissionMode::DontAsk) => Questions::Refused,
            (Questions::Asked, _) => Questions::Asked,
        };
        let mode = if self.mode == PermissionMode::Plan || set == PermissionMode::Plan {
            PermissionMode::Plan
        } else if self.mode == PermissionMode::DontAsk || set == PermissionMode::DontAsk {
            PermissionMode::DontAsk
        } else if set > self.mode {
            match who {
                WhoSetMode::Person => set,
                WhoSetMode::Agent => self.mode,
            }
        } else {
            self.mode
        };
        Self { mode, questions }
    }

    /// The mode.
    #[must_use]
    pub fn mode(self) -> PermissionMode {
        self.mode
    }

    /// How a question ends.
    #[must_use]
    pub fn questions(self) -> Questions {
        self.questions
    }
}

#[cfg(test)]
mod tests {
    use super::PermissionMode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Plan};
    use super::*;

    #[test]
    fn trust_grows_in_the_order_of_the_design() {
        assert!(Plan < DontAsk && DontAsk < Default && Default < AcceptEdits);
        assert!(AcceptEdits < Auto && Auto < BypassPermissions);
    }

    #[test]
    fn a_child_never_gets_more_by_asking_for_it() {
        for parent in PermissionMode::ALL {
            for set in PermissionMode::ALL {
                let child = ModeInForce::root(parent).child(Some((set, WhoSetMode::Agent)));
                assert!(
                    child.mode() <= parent,
                    "{parent} spawned {} on asking for {set}",
                    child.mode()
                );
            }
        }
    }

    #[test]
    fn plan_and_dont_ask_stand_through_the_lineage() {
        for between in PermissionMode::ALL {
            let via = |first: PermissionMode, last: PermissionMode| {
                ModeInForce::root(first)
                    .child(Some((between, WhoSetMode::Person)))
                    .child(Some((last, WhoSetMode::Person)))
            };
            assert_eq!(via(Plan, BypassPermissions).mode(), Plan);
            assert_eq!(via(DontAsk, Auto).questions(), Questions::Refused);
            let both = via(DontAsk, Plan);
            assert_eq!((both.mode(), both.questions()), (Plan, Questions::Refused));
        }
    }

    #[test]
    fn a_trusting_parent_gives_its_mode_and_a_person_may_give_more() {
        let person = |parent, set| {
            ModeInForce::root(parent)
                .child(Some((set, WhoSetMode::Person)))
                .mode()
        };
        assert_eq!(person(AcceptEdits, Default), AcceptEdits);
        assert_eq!(person(Default, AcceptEdits), AcceptEdits);
        assert_eq!(person(Default, Default), Default);
        assert_eq!(ModeInForce::root(Auto).child(None).mode(), Auto);
    }

    #[test]
    fn names_read_back() {
        for mode in PermissionMode::ALL {
            assert_eq!(mode.as_str().parse(), Ok(mode));
        }
        assert_eq!("manual".parse(), Ok(Default));
        assert!("Plan".parse::<PermissionMode>().is_err());
    }
}
