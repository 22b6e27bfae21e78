//! What the hooks of an event come to, all of them together.

use pointsman_ledger::HookReport;
use pointsman_model::{JsonText, RuleBehavior, RuleSource, RuleText, VerdictKind};
use pointsman_policy::HookVote;

/// What the PreToolUse hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreToolUse {
    /// What they say.
    pub vote: PreToolUseVote,
    /// The input they made of it, merged in the order of configuration; not checked against the
    /// tool's schema yet.
    pub rewritten: Option<JsonText>,
    /// Rules they want to add.
    pub rules: Vec<HookRule>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// The merged vote of the PreToolUse hooks: halt over deny over ask over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreToolUseVote {
    /// The ladder goes on with this.
    Ladder(HookVote),
    /// The call ends here.
    Deny {
        /// The hook.
        hook: Box<str>,
        /// What the agent is told.
        text: Box<str>,
    },
    /// The call ends here, and the agent that made it stops.
    Halt {
        /// The hook.
        hook: Box<str>,
        /// Why.
        text: Box<str>,
    },
}

/// A rule that a hook wants to add. It goes into the session's overlay; into a file only when the
/// hook is the person's own or of the managed settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRule {
    /// The hook.
    pub hook: Box<str>,
    /// Whose file configures the hook.
    pub hook_source: RuleSource,
    /// What the rule does.
    pub behavior: RuleBehavior,
    /// The rule; not parsed yet.
    pub text: RuleText,
    /// Where the hook wants it kept; never the managed settings.
    pub destination: RuleSource,
}

/// What the PermissionRequest hooks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionTurn {
    /// Their answer.
    pub answer: PermissionAnswer,
    /// Deny and ask rules they want to add. Allow rules are the grant of their answer.
    pub rules: Vec<HookRule>,
    /// Each hook's turn, in the order of configuration, failures among them.
    pub reports: Vec<HookReport>,
}

/// The merged answer of the PermissionRequest hooks: deny over a failed guard over allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// None answered.
    None,
    /// One did. Its verdict may be an allow or a deny, never an end.
    Given {
        /// The hook.
        hook: Box<str>,
        /// What it says.
        kind: VerdictKind,
    },
    /// A guard failed: no hook and no classifier may say yes any more (law 15).
    GuardFailed {
        /// The guard.
        hook: Box<str>,
        /// How it failed.
        text: Box<str>,
    },
}
