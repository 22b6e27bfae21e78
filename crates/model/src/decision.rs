//! What the ladder answers: the decision, the one thing that decided it, each rung passed on the
//! way, and what would have become of it with nobody there.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{AbsPath, GrantId, OpaqueWhy, PermissionMode, PermissionRule, Span};

/// The ladder's answer. The order of the variants is that of strictness, the most permissive first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionDecision {
    /// It may run.
    Allow,
    /// Someone has to answer.
    Ask,
    /// It may not run.
    Deny,
}

impl PermissionDecision {
    /// Its name on screen, in records and in cases.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for PermissionDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of a call that a reason speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// The text that matched: a simple command, a path, a host, a tool's name.
    /// Copies share it: a reason stands in several places of a judgement.
    pub text: Arc<str>,
    /// Where it stands in the command line; nothing for other tools.
    pub span: Option<Span>,
}

/// The one thing that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum DecisionReason {
    /// A rule matched.
    Rule {
        /// The rule, with its source and place.
        rule: PermissionRule,
        /// What it matched.
        matched: Matched,
    },
    /// A rule might match: it names something that this call leaves unknown.
    RuleMayMatch {
        /// The rule, with its source and place.
        rule: PermissionRule,
        /// What is unknown.
        matched: Matched,
    },
    /// Every effect is covered, by the named things together.
    Covered {
        /// What covers the effects, each named once.
        by: Vec<Cover>,
    },
    /// The mode decided.
    Mode {
        /// The mode.
        mode: PermissionMode,
    },
    /// It changes a protected path.
    ProtectedPath {
        /// The path.
        path: AbsPath,
    },
    /// It removes a folder that nobody wants removed: the root, a home, the project.
    CriticalRemoval {
        /// What it removes, as far as known.
        matched: Matched,
    },
    /// The tool is there to talk to a person.
    NeedsPerson,
    /// An operand lies outside the agent's directories.
    OutsideDirectories {
        /// The operand.
        matched: Matched,
    },
    /// Part of it can't be told before it runs.
    Opaque {
        /// Why.
        why: OpaqueWhy,
        /// The part.
        matched: Matched,
    },
    /// A PreToolUse hook voted.
    Hook {
        /// The hook.
        hook: Box<str>,
        /// What it said.
        text: Box<str>,
    },
    /// The classifier judged.
    Classifier {
        /// Its name.
        name: Box<str>,
        /// What it said.
        text: Box<str>,
    },
    /// Nothing decided; this part is not covered.
    NothingDecided {
        /// The first part that nothing covers.
        matched: Matched,
    },
    /// It was a question, and this agent's questions are refused.
    DontAsk {
        /// Why it was a question.
        question: Box<DecisionReason>,
    },
    /// It was a question, and nobody can answer.
    NobodyCanAnswer {
        /// Why it was a question.
        question: Box<DecisionReason>,
    },
}

impl DecisionReason {
    /// Why it was a question, where it was refused for want of an answer.
    #[must_use]
    pub fn unanswered(&self) -> Option<&Self> {
        match self {
            Self::DontAsk { question } | Self::NobodyCanAnswer { question } => Some(question),
            Self::Rule { .. }
            | Self::RuleMayMatch { .. }
            | Self::Covered { .. }
            | Self::Mode { .. }
            | Self::ProtectedPath { .. }
            | Self::CriticalRemoval { .. }
            | Self::NeedsPerson
            | Self::OutsideDirectories { .. }
            | Self::Opaque { .. }
            | Self::Hook { .. }
            | Self::Classifier { .. }
            | Self::NothingDecided { .. } => None,
        }
    }

    /// The grants that it leans on: each is used once when the call passes.
    pub fn grants(&self) -> impl Iterator<Item = GrantId> {
        let by = match self {
            Self::Covered { by } => by.as_slice(),
            Self::Rule { .. }
            | Self::RuleMayMatch { .. }
            | Self::Mode { .. }
            | Self::DontAsk { .. }
            | Self::ProtectedPath { .. }
            | Self::CriticalRemoval { .. }
            | Self::NeedsPerson
            | Self::OutsideDirectories { .. }
            | Self::Opaque { .. }
            | Self::Hook { .. }
            | Self::Classifier { .. }
            | Self::NobodyCanAnswer { .. }
            | Self::NothingDecided { .. } => &[],
        };
        by.iter().filter_map(|cover| match cover {
            Cover::Grant { grant } => Some(*grant),
            Cover::Rule { .. }
            | Cover::KnownReader
            | Cover::InsideDirectories
            | Cover::Mode { .. }
            | Cover::Spawn
            | Cover::Sandbox
            | Cover::Hook { .. } => None,
        })
    }
}

/// Something that covers an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Cover {
    /// An allow rule.
    Rule {
        /// The rule.
        rule: PermissionRule,
    },
    /// A grant.
    Grant {
        /// The grant.
        grant: GrantId,
    },
    /// It is a known reader.
    KnownReader,
    /// It reads inside the agent's directories.
    InsideDirectories,
    /// The mode lets edits and file commands inside the directories pass.
    Mode {
        /// The mode.
        mode: PermissionMode,
    },
    /// It starts an agent, whose own calls are judged.
    Spawn,
    /// It runs in the sandbox.
    Sandbox,
    /// A hook of the person's allowed it.
    Hook {
        /// The hook.
        hook: Box<str>,
    },
}

/// The rungs of the ladder, in order (DESIGN section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rung {
    /// 1a: deny rules.
    #[serde(rename = "1a")]
    DenyRules,
    /// 1b: ask rules.
    #[serde(rename = "1b")]
    AskRules,
    /// 1c: the tool's own check.
    #[serde(rename = "1c")]
    ToolCheck,
    /// 1d: the PreToolUse hooks' vote.
    #[serde(rename = "1d")]
    HookVote,
    /// 2a: mode plan.
    #[serde(rename = "2a")]
    Plan,
    /// 2b: mode bypassPermissions.
    #[serde(rename = "2b")]
    Bypass,
    /// 2c: modes acceptEdits and auto.
    #[serde(rename = "2c")]
    AcceptEdits,
    /// 2d: a hook's allow.
    #[serde(rename = "2d")]
    HookAllow,
    /// 2e: everything covered.
    #[serde(rename = "2e")]
    Covered,
    /// 3: nothing decided.
    #[serde(rename = "3")]
    NothingDecided,
    /// 4: the classifier of mode auto.
    #[serde(rename = "4")]
    Classifier,
    /// last: dontAsk, or nobody there.
    #[serde(rename = "last")]
    Last,
}

impl Rung {
    /// The rung's name in the design.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DenyRules => "1a",
            Self::AskRules => "1b",
            Self::ToolCheck => "1c",
            Self::HookVote => "1d",
            Self::Plan => "2a",
            Self::Bypass => "2b",
            Self::AcceptEdits => "2c",
            Self::HookAllow => "2d",
            Self::Covered => "2e",
            Self::NothingDecided => "3",
            Self::Classifier => "4",
            Self::Last => "last",
        }
    }

    /// The question it asks, for people.
    #[must_use]
    pub fn question(self) -> &'static str {
        match self {
            Self::DenyRules => "does a deny rule match?",
            Self::AskRules => "does an ask rule match?",
            Self::ToolCheck => "does the tool's own check object?",
            Self::HookVote => "how did the hooks vote?",
            Self::Plan => "is it a change in mode plan?",
            Self::Bypass => "is the mode bypassPermissions?",
            Self::AcceptEdits => "does acceptEdits or auto let it pass?",
            Self::HookAllow => "did a hook allow it?",
            Self::Covered => "is every effect covered?",
            Self::NothingDecided => "did nothing decide?",
            Self::Classifier => "does the classifier stand in for the question?",
            Self::Last => "can anybody answer?",
        }
    }
}

/// What a rung came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum RungOutcome {
    /// It had nothing to say.
    Passed,
    /// It demands a person, whatever the later rungs say.
    MustAsk {
        /// Why.
        reason: DecisionReason,
    },
    /// It wants a question unless a later rung allows.
    WouldAsk {
        /// Why.
        reason: DecisionReason,
    },
    /// It was held back by an earlier must-ask.
    HeldBack,
    /// It decided.
    Decided {
        /// What.
        decision: PermissionDecision,
        /// Why.
        reason: DecisionReason,
    },
}

/// One rung on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailStep {
    /// The rung.
    pub rung: Rung,
    /// What it came to.
    #[serde(flatten)]
    pub came_to: RungOutcome,
}

/// Each rung passed, in order; the last one decided.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trail(pub Vec<TrailStep>);

/// What would have become of the call with nobody in the room, worked out at the moment of the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IfNobody {
    /// The decision; never Ask.
    pub decision: PermissionDecision,
    /// Why.
    pub reason: DecisionReason,
}

/// How strongly an Ask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Insistence {
    /// A person, or a PermissionRequest hook of the person's own or the policy settings, has to discharge it (law 2).
    MustAsk,
    /// Any answerer will do.
    MayBeAnswered,
}

/// The ladder's answer in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The decision.
    pub decision: PermissionDecision,
    /// What decided.
    pub reason: DecisionReason,
    /// How strongly a question stands; means something for Ask only.
    pub insistence: Insistence,
    /// The way there.
    pub trail: Trail,
    /// The same call with nobody there.
    pub if_nobody: IfNobody,
}

impl Judgement {
    /// Whether the call's own check asked for a person: it changes a protected place, or removes what nobody wants
    /// removed. An ask rule that asked first does not hide it.
    #[must_use]
    pub fn touches_protected(&self) -> bool {
        let guarded = |reason: &DecisionReason| {
            matches!(
                reason,
                DecisionReason::ProtectedPath { .. } | DecisionReason::CriticalRemoval { .. }
            )
        };
        let told = self.trail.0.iter().any(|step| match &step.came_to {
            RungOutcome::MustAsk { reason } => guarded(reason),
            RungOutcome::Passed
            | RungOutcome::WouldAsk { .. }
            | RungOutcome::HeldBack
            | RungOutcome::Decided { .. } => false,
        });
        told || guarded(&self.reason)
    }
}
