//! Ends of calls that do not run: which outcome they have, which state that makes, and what the
//! agent is told. The text says what was refused, by what, and what the agent may do instead; it
//! never says that a person declined when none did.

use pointsman_model::{
    CallEvent, Cover, DecisionReason, IllegalTransition, Judgement, NoVoteCause, Outcome,
    PermissionDecision, RuleText, ToolName, Verdict, VerdictKind, visible,
};

use super::agent_state::Halt;
use crate::InputProblem;

/// What a refused agent may do, when the refusal will stand.
const ANOTHER_WAY: &str = "Asking again will be refused again: do it in another way that is allowed, or leave it and \
    say so in your report.";

/// How a call ends that does not run.
#[derive(Debug)]
pub(super) struct Refusal {
    /// How its permission ended; nothing when it never came to that.
    pub(super) outcome: Option<Outcome>,
    /// What the agent is told.
    pub(super) text: String,
}

impl Refusal {
    fn new(outcome: Outcome, text: String) -> Self {
        Self {
            outcome: Some(outcome),
            text,
        }
    }

    /// The move that ends the call (DESIGN section 1).
    pub(super) fn event(&self) -> CallEvent {
        match self.outcome {
            None
            | Some(
                Outcome::Allowed
                | Outcome::DeniedByHook
                | Outcome::DeniedByClassifier
                | Outcome::Refused
                | Outcome::NobodyCanAnswer
                | Outcome::Unavailable,
            ) => CallEvent::Fail,
            Some(
                Outcome::DeniedByPerson
                | Outcome::Expired
                | Outcome::Cancelled
                | Outcome::Superseded
                | Outcome::Interrupted,
            ) => CallEvent::Cancel,
        }
    }

    /// Names the hook that made a question of the call, when the question ended without anybody's word.
    pub(super) fn name_asking_hook(&mut self, reason: &DecisionReason) {
        let unanswered = matches!(
            self.outcome,
            Some(Outcome::NobodyCanAnswer | Outcome::Expired | Outcome::Unavailable)
        );
        if let DecisionReason::Hook { .. } = reason
            && unanswered
        {
            self.add(&format!("It had to be asked: {}.", why(reason)));
        }
    }

    /// Tells the agent one thing more.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(text);
    }

    /// Rung 0: the tool is none.
    pub(super) fn unknown_tool(name: &ToolName, offered: &[ToolName]) -> Self {
        let names: Vec<&str> = offered.iter().map(ToolName::as_str).collect();
        Self {
            outcome: None,
            text: format!("there is no tool `{name}`; there is {}", names.join(", ")),
        }
    }

    /// Rung 0: the input does not fit.
    pub(super) fn unfit(tool: &ToolName, problems: &[InputProblem]) -> Self {
        let list: Vec<String> = problems
            .iter()
            .map(|problem| format!("- {}", visible(&problem.to_string())))
            .collect();
        Self {
            outcome: None,
            text: format!(
                "the input does not fit `{tool}`, so nothing was run:\n{}",
                list.join("\n")
            ),
        }
    }

    /// The agent's context leaves the tool out.
    pub(super) fn not_its_tool(tool: &ToolName) -> Self {
        Self::new(
            Outcome::Refused,
            format!("refused: `{tool}` is not among the tools of this agent. {ANOTHER_WAY}"),
        )
    }

    /// A PreToolUse hook denied or halted.
    pub(super) fn by_hook(hook: &str, text: &str) -> Self {
        let said = if text.is_empty() {
            String::new()
        } else {
            format!(": {text}")
        };
        Self::new(
            Outcome::DeniedByHook,
            format!("refused by hook `{hook}`{said}"),
        )
    }

    /// A hook's rewrite does not fit the tool.
    pub(super) fn misfit_rewrite(
        hooks: &[&str],
        tool: &ToolName,
        problems: &[InputProblem],
    ) -> Self {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::new(
            Outcome::DeniedByHook,
            format!(
                "refused: hook `{}` rewrote the input of `{tool}` into one that does not fit it ({}). This is no \
                 fault of yours; say so in your report.",
                hooks.join("`, `"),
                problems.join("; ")
            ),
        )
    }

    /// The ladder refused.
    pub(super) fn by_judgement(judgement: &Judgement, rule: Option<&RuleText>) -> Self {
        let reason = &judgement.reason;
        let outcome = match reason {
            DecisionReason::NobodyCanAnswer { .. } => Outcome::NobodyCanAnswer,
            DecisionReason::Hook { .. } => Outcome::DeniedByHook,
            DecisionReason::Classifier { .. } => Outcome::DeniedByClassifier,
            DecisionReason::Rule { .. }
            | DecisionReason::RuleMayMatch { .. }
            | DecisionReason::Covered { .. }
            | DecisionReason::Mode { .. }
            | DecisionReason::ProtectedPath { .. }
            | DecisionReason::CriticalRemoval { .. }
            | DecisionReason::NeedsPerson
            | DecisionReason::OutsideDirectories { .. }
            | DecisionReason::Opaque { .. }
            | DecisionReason::NothingDecided { .. }
            | DecisionReason::DontAsk { .. } => Outcome::Refused,
        };
        let way = match reason {
            DecisionReason::Mode { .. } => {
                "Describe the change in your report instead of making it.".into()
            }
            DecisionReason::DontAsk { .. } | DecisionReason::NobodyCanAnswer { .. } => {
                format!("{}{ANOTHER_WAY}", would_allow(rule))
            }
            DecisionReason::Rule { .. }
            | DecisionReason::RuleMayMatch { .. }
            | DecisionReason::Covered { .. }
            | DecisionReason::ProtectedPath { .. }
            | DecisionReason::CriticalRemoval { .. }
            | DecisionReason::NeedsPerson
            | DecisionReason::OutsideDirectories { .. }
            | DecisionReason::Opaque { .. }
            | DecisionReason::Hook { .. }
            | DecisionReason::Classifier { .. }
            | DecisionReason::NothingDecided { .. } => ANOTHER_WAY.into(),
        };
        Self::new(outcome, format!("refused: {}. {way}", why(reason)))
    }

    /// The request's verdict is no allow.
    pub(super) fn by_verdict(verdict: &Verdict, rule: Option<&RuleText>) -> Self {
        let outcome = verdict.outcome();
        let text = match &verdict.kind {
            VerdictKind::Allow { .. } => String::new(),
            VerdictKind::Deny { text: Some(text) } => {
                format!("refused by {}: {text}", verdict.by)
            }
            VerdictKind::Deny { text: None } => format!("refused by {}. {ANOTHER_WAY}", verdict.by),
            VerdictKind::Ended { outcome, text } => match outcome {
                Outcome::NobodyCanAnswer => {
                    format!("refused: {text}. {}{ANOTHER_WAY}", would_allow(rule))
                }
                Outcome::Expired => format!(
                    "not run: nobody answered in time ({text}). Nobody said no; go on with something else, or \
                     leave it and say so in your report."
                ),
                Outcome::Unavailable => format!(
                    "not run: whoever could have answered was out of reach ({text}). Nobody said no; it may be \
                     asked again later."
                ),
                Outcome::Cancelled | Outcome::Interrupted => format!("not run: {text}"),
                Outcome::Allowed
                | Outcome::DeniedByPerson
                | Outcome::DeniedByHook
                | Outcome::DeniedByClassifier
                | Outcome::Refused
                | Outcome::Superseded => format!("refused: {text}. {ANOTHER_WAY}"),
            },
            VerdictKind::Unjudged { cause, text } => unjudged(*cause, text, rule),
        };
        Self::new(outcome, text)
    }

    /// An answer edited the input into one that does not fit.
    pub(super) fn misfit_edit(by: &impl std::fmt::Display, problems: &[InputProblem]) -> Self {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::new(
            Outcome::Unavailable,
            format!(
                "not run: the input as edited by {by} does not fit the tool ({})",
                problems.join("; ")
            ),
        )
    }

    /// The agent was stopped.
    pub(super) fn stopped() -> Self {
        Self::new(Outcome::Cancelled, "not run: this agent was stopped".into())
    }

    /// The agent was halted before.
    pub(super) fn halted(halt: &Halt) -> Self {
        Self::new(
            Outcome::Cancelled,
            format!("not run: this agent was halted: {}", halt.reason),
        )
    }

    /// The machinery failed; what can't be recorded or bound is not run.
    pub(super) fn unavailable(error: &dyn std::error::Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(next) = cause {
            text.push_str(&format!(": {next}"));
            cause = next.source();
        }
        Self::new(Outcome::Unavailable, format!("not run: {text}"))
    }

    /// It was approved again and again, and changed each time before it could run.
    pub(super) fn never_settled(asks: u32) -> Self {
        Self::new(
            Outcome::Superseded,
            format!("not run: it was asked {asks} times, and changed after each answer"),
        )
    }

    /// The input holds a key that the leader keeps to itself.
    pub(super) fn holds_key() -> Self {
        Self::new(
            Outcome::Refused,
            "not run: its input holds a key to the models of this run, which goes into no call and no record. What needs \
             that key is for a person to do"
                .into(),
        )
    }

    /// The call was admitted by another agent's dispatch.
    pub(super) fn another_agents() -> Self {
        Self::new(
            Outcome::Refused,
            "not run: the call was admitted for another agent".into(),
        )
    }
}

impl From<IllegalTransition> for Refusal {
    fn from(error: IllegalTransition) -> Self {
        Self::unavailable(&error)
    }
}

impl From<super::bound::BindError> for Refusal {
    fn from(error: super::bound::BindError) -> Self {
        Self::unavailable(&error)
    }
}

impl From<pointsman_ledger::AppendError> for Refusal {
    fn from(error: pointsman_ledger::AppendError) -> Self {
        Self::unavailable(&error)
    }
}

/// What an agent is told whose call the classifier did not judge.
fn unjudged(cause: NoVoteCause, text: &str, rule: Option<&RuleText>) -> String {
    match cause {
        NoVoteCause::Unavailable | NoVoteCause::Unreadable => {
            format!("not run: {text}. Nobody said no; it may be asked again later.")
        }
        NoVoteCause::LeftToPeople => {
            format!("refused: {text}. {}{ANOTHER_WAY}", would_allow(rule))
        }
        NoVoteCause::TooLong | NoVoteCause::OverLimits => {
            format!(
                "refused: {text}. {}This agent halts here.",
                would_allow(rule)
            )
        }
    }
}

/// Whether a judgement refuses.
pub(super) fn is_deny(judgement: &Judgement) -> bool {
    match judgement.decision {
        PermissionDecision::Deny => true,
        PermissionDecision::Allow | PermissionDecision::Ask => false,
    }
}

fn would_allow(rule: Option<&RuleText>) -> String {
    rule.map(|rule| format!("A person could let it pass with the rule `{rule}`. "))
        .unwrap_or_default()
}

/// A reason as a clause for the agent.
pub(super) fn why(reason: &DecisionReason) -> String {
    match reason {
        DecisionReason::Rule { rule, matched } => {
            format!("`{}` matches {rule}", visible(&matched.text))
        }
        DecisionReason::RuleMayMatch { rule, matched } => format!(
            "`{}` is not known before it runs and might match {rule}",
            visible(&matched.text)
        ),
        DecisionReason::Covered { by } => {
            let covers: Vec<String> = by.iter().map(cover).collect();
            format!("it is covered by {}", covers.join(", "))
        }
        DecisionReason::Mode { mode } => format!("mode {mode} decides so"),
        DecisionReason::ProtectedPath { path } => {
            format!("it changes the protected path `{}`", visible(path.as_str()))
        }
        DecisionReason::CriticalRemoval { matched } => format!(
            "`{}` removes what nobody wants removed",
            visible(&matched.text)
        ),
        DecisionReason::NeedsPerson => "the tool needs a person".into(),
        DecisionReason::OutsideDirectories { matched } => format!(
            "`{}` lies outside the directories of this agent",
            visible(&matched.text)
        ),
        DecisionReason::Opaque { matched, .. } => format!(
            "what `{}` does can't be told before it runs",
            visible(&matched.text)
        ),
        DecisionReason::Hook { hook, text } => format!("hook `{hook}` says: {text}"),
        DecisionReason::Classifier { name, text } => format!("classifier `{name}` says: {text}"),
        DecisionReason::NothingDecided { matched } => {
            format!("no rule covers `{}`", visible(&matched.text))
        }
        DecisionReason::DontAsk { question } => format!(
            "it would have to be asked ({}), and the questions of this agent are refused (dontAsk)",
            why(question)
        ),
        DecisionReason::NobodyCanAnswer { question } => format!(
            "it would have to be asked ({}), and nobody is there to answer",
            why(question)
        ),
    }
}

fn cover(cover: &Cover) -> String {
    match cover {
        Cover::Rule { rule } => rule.to_string(),
        Cover::Grant { grant } => format!("grant {grant}"),
        Cover::KnownReader => "being a known reader".into(),
        Cover::InsideDirectories => "reading inside the directories".into(),
        Cover::Mode { mode } => format!("mode {mode}"),
        Cover::Spawn => "starting an agent".into(),
        Cover::Sandbox => "the sandbox".into(),
        Cover::Hook { hook } => format!("hook `{hook}`"),
    }
}
