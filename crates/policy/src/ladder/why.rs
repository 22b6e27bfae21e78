//! Why a rung said what it said, by what it looked at: no text is made before someone asks for it.

use pointsman_model::{
    AbsPath, Cover, DecisionReason, Effect, EffectKind, GrantId, Matched, OpaqueWhy, PathUse,
    PathValue, PermissionMode, PermissionRule,
};
use smallvec::SmallVec;

use super::Question;

/// A reason without its texts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Why<'a> {
    Rule(&'a PermissionRule, Part<'a>),
    RuleMayMatch(&'a PermissionRule, Part<'a>),
    /// What covers stands beside the walk.
    Covered,
    Mode(PermissionMode),
    ProtectedPath(&'a AbsPath),
    CriticalRemoval(&'a Effect),
    NeedsPerson,
    OutsideDirectories(&'a Effect),
    Opaque(OpaqueWhy, &'a Effect),
    Hook {
        hook: &'a str,
        text: &'a str,
    },
    NothingDecided(Part<'a>),
}

/// The part of a call that a reason speaks of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    Tool,
    WholeCall,
    Effect(&'a Effect),
    /// A field of the input.
    Field(&'static str),
}

/// What covers a call's effects, each thing once. Most calls have one or two.
pub(crate) type CoveredBy<'a> = SmallVec<[CoverOf<'a>; 4]>;

/// A cover without a copy of its rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CoverOf<'a> {
    Rule(&'a PermissionRule),
    Grant(GrantId),
    KnownReader,
    InsideDirectories,
    Mode(PermissionMode),
    Spawn,
    Sandbox,
}

impl From<&CoverOf<'_>> for Cover {
    fn from(cover: &CoverOf<'_>) -> Self {
        match *cover {
            CoverOf::Rule(rule) => Self::Rule { rule: rule.clone() },
            CoverOf::Grant(grant) => Self::Grant { grant },
            CoverOf::KnownReader => Self::KnownReader,
            CoverOf::InsideDirectories => Self::InsideDirectories,
            CoverOf::Mode(mode) => Self::Mode { mode },
            CoverOf::Spawn => Self::Spawn,
            CoverOf::Sandbox => Self::Sandbox,
        }
    }
}

impl<'a> Why<'a> {
    /// The reason with its texts.
    pub(super) fn reason(
        self,
        q: &Question<'_>,
        covered: impl FnOnce() -> Vec<Cover>,
    ) -> DecisionReason {
        match self {
            Self::Rule(rule, part) => DecisionReason::Rule {
                rule: rule.clone(),
                matched: part.matched(q),
            },
            Self::RuleMayMatch(rule, part) => DecisionReason::RuleMayMatch {
                rule: rule.clone(),
                matched: part.matched(q),
            },
            Self::Covered => DecisionReason::Covered { by: covered() },
            Self::Mode(mode) => DecisionReason::Mode { mode },
            Self::ProtectedPath(path) => DecisionReason::ProtectedPath { path: path.clone() },
            Self::CriticalRemoval(effect) => DecisionReason::CriticalRemoval {
                matched: matched(effect),
            },
            Self::NeedsPerson => DecisionReason::NeedsPerson,
            Self::OutsideDirectories(effect) => DecisionReason::OutsideDirectories {
                matched: matched(effect),
            },
            Self::Opaque(why, effect) => DecisionReason::Opaque {
                why,
                matched: matched(effect),
            },
            Self::Hook { hook, text } => DecisionReason::Hook {
                hook: hook.into(),
                text: text.into(),
            },
            Self::NothingDecided(part) => DecisionReason::NothingDecided {
                matched: part.matched(q),
            },
        }
    }

    /// The rule that it names; of several that cover, the first.
    pub(super) fn rule(self, covered_by: &CoveredBy<'a>) -> Option<&'a PermissionRule> {
        match self {
            Self::Rule(rule, _) | Self::RuleMayMatch(rule, _) => Some(rule),
            Self::Covered => covered_by.iter().find_map(|cover| match *cover {
                CoverOf::Rule(rule) => Some(rule),
                CoverOf::Grant(_)
                | CoverOf::KnownReader
                | CoverOf::InsideDirectories
                | CoverOf::Mode(_)
                | CoverOf::Spawn
                | CoverOf::Sandbox => None,
            }),
            Self::Mode(_)
            | Self::ProtectedPath(_)
            | Self::CriticalRemoval(_)
            | Self::NeedsPerson
            | Self::OutsideDirectories(_)
            | Self::Opaque(..)
            | Self::Hook { .. }
            | Self::NothingDecided(_) => None,
        }
    }
}

impl Part<'_> {
    fn matched(self, q: &Question<'_>) -> Matched {
        let text = match self {
            Self::Effect(effect) => return matched(effect),
            Self::Tool => q.tool.as_str(),
            Self::WholeCall => match &q.effects.line {
                Some(line) => line,
                None => q.tool.as_str(),
            },
            Self::Field(name) => name,
        };
        Matched {
            text: text.into(),
            span: None,
        }
    }
}

/// How an effect is shown in a reason.
pub(crate) fn matched(effect: &Effect) -> Matched {
    let path = |used: &PathUse| Matched {
        text: match &used.path {
            PathValue::Known(path) => path.as_str().into(),
            PathValue::Pattern { base, glob } => format!("{base}/{glob}").into(),
            PathValue::Unknown(spelling) => (**spelling).into(),
        },
        span: used.span,
    };
    match &effect.kind {
        EffectKind::Run(run) => Matched {
            text: run.text.as_str().into(),
            span: Some(run.span),
        },
        EffectKind::Read(used) | EffectKind::Write { target: used, .. } => path(used),
        EffectKind::Connect(host) => Matched {
            text: match &host.host {
                Some(name) => name.as_str().into(),
                None => (*host.source).into(),
            },
            span: host.span,
        },
        EffectKind::Spawn(spawn) => Matched {
            text: spawn.agent.as_str().into(),
            span: None,
        },
        EffectKind::Opaque(opaque) => Matched {
            text: (*opaque.text).into(),
            span: opaque.span,
        },
    }
}
