//! What lists and views show of requests, grants, agents and jobs. These are twins of the model's types,
//! converted by hand, so that the model may change without the words on the wire doing so.

use pointsman_approvals::Epoch;
use pointsman_model::{
    Attended, Digest, Grant, GrantId, GrantScope, HandlerKind, Millis, Overlay, PermissionContext,
    PermissionRequest, PermissionRule, Questions, RequestId, SandboxState, ToolSet, Uses, WallTime,
    WorkerId,
};
use pointsman_swarm::{JobCard, JobEnd, JobState};
use serde::{Deserialize, Serialize};

use crate::render::{call_line, is_grave, reason_kind, reason_line, request_text};
use crate::shown::Extent;

/// An open request as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCard {
    /// The request.
    pub id: RequestId,
    /// The agent that asks.
    pub worker: WorkerId,
    /// Who it is, from the job down.
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
    /// The leader's reign in which it is shown; an answer to it counts in no other.
    pub epoch: Epoch,
    /// Whether part of it can't be had back or told, or changes who may do or run what.
    pub grave: bool,
    /// The whole request, drawn for a person.
    pub drawn: String,
}

impl RequestCard {
    /// The card of a request at `now`, shown in that reign.
    #[must_use]
    pub fn of(request: &PermissionRequest, epoch: Epoch, now: WallTime) -> Self {
        Self {
            id: request.id,
            worker: request.lineage.agent().worker,
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
            epoch,
            grave: is_grave(request),
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

/// A rule as views show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCard {
    /// `allow`, `ask` or `deny`.
    pub behavior: String,
    /// Its text.
    pub rule: String,
    /// Whose word it is: one of the 8 sources.
    pub source: String,
    /// File, line and column, when it stands in a file.
    pub place: Option<String>,
    /// The folder that a path with one leading slash is seen from.
    pub anchor: String,
}

impl RuleCard {
    /// The card of a rule.
    #[must_use]
    pub fn of(rule: &PermissionRule) -> Self {
        Self {
            behavior: rule.behavior.to_string(),
            rule: rule.text.to_string(),
            source: rule.source.to_string(),
            place: rule.place.as_ref().map(ToString::to_string),
            anchor: rule.anchor.to_string(),
        }
    }
}

/// What an agent may do, as it was frozen when it was spawned; and what the leader has added since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextCard {
    /// The agent.
    pub worker: WorkerId,
    /// Who it is, from the job down.
    pub agent: String,
    /// The fingerprint of its context.
    pub digest: Digest,
    /// Its mode.
    pub mode: String,
    /// The mode it is held to since, when a person has lowered it.
    pub held_to: Option<String>,
    /// What becomes of its questions: `asked` or `refused`.
    pub questions: String,
    /// The tools it is offered; nothing for all there are.
    pub tools: Option<Vec<String>>,
    /// The folder it started in.
    pub folder: String,
    /// The folders it may read, and mode allowing edit, in.
    pub directories: Vec<String>,
    /// How many more generations it may spawn.
    pub depth_left: u32,
    /// Who answers its questions: `interactive`, `coordinator` or `swarm_worker`.
    pub handler: String,
    /// Whether someone can answer.
    pub attended: bool,
    /// `off`, `on` or `auto_allow`.
    pub sandbox: String,
    /// Its rules, in the order of their sources.
    pub rules: Vec<RuleCard>,
    /// Grants that count for it now.
    pub grants: Vec<GrantCard>,
    /// Deny and ask rules that were added for it since.
    pub tightenings: Vec<RuleCard>,
}

impl ContextCard {
    /// The card of an agent's context under what the leader adds now.
    #[must_use]
    pub fn of(context: &PermissionContext, overlay: &Overlay) -> Self {
        let parts = context.parts();
        let tools = match &parts.tools {
            ToolSet::All => None,
            ToolSet::Only(tools) => Some(tools.iter().map(ToString::to_string).collect()),
        };
        let handler = match parts.handler {
            HandlerKind::Interactive => "interactive",
            HandlerKind::Coordinator => "coordinator",
            HandlerKind::SwarmWorker => "swarm_worker",
        };
        let sandbox = match parts.sandbox {
            SandboxState::Off => "off",
            SandboxState::On => "on",
            SandboxState::AutoAllow => "auto_allow",
        };
        let questions = match parts.mode.questions() {
            Questions::Asked => "asked",
            Questions::Refused => "refused",
        };
        Self {
            worker: parts.lineage.agent().worker,
            agent: parts.lineage.to_string(),
            digest: context.digest(),
            mode: parts.mode.mode().to_string(),
            held_to: overlay.ceiling.map(|mode| mode.to_string()),
            questions: questions.into(),
            tools,
            folder: parts.folder.to_string(),
            directories: parts.directories.iter().map(ToString::to_string).collect(),
            depth_left: parts.depth_left,
            handler: handler.into(),
            attended: parts.attended == Attended::Yes,
            sandbox: sandbox.into(),
            rules: parts.rules.iter().map(RuleCard::of).collect(),
            grants: overlay.grants.iter().map(GrantCard::of).collect(),
            tightenings: overlay.tightenings.iter().map(RuleCard::of).collect(),
        }
    }
}

/// A job as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWire {
    /// Its name.
    pub name: String,
    /// Its worker at the latest try.
    pub worker: Option<WorkerId>,
    /// How often it was tried.
    pub tries: u32,
    /// `waits`, `runs`, or how it ended: `done`, `failed`, `timed_out`, `skipped`, `stopped`, `halted`.
    pub state: String,
    /// What it came to, in words.
    pub text: Option<String>,
}

impl JobWire {
    /// The card of a job.
    #[must_use]
    pub fn of(card: &JobCard) -> Self {
        let (state, text) = match &card.state {
            JobState::Waits => ("waits", None),
            JobState::Runs => ("runs", None),
            JobState::Ended(end) => (end.as_str(), end_text(end)),
        };
        Self {
            name: card.name.to_string(),
            worker: card.worker,
            tries: card.tries,
            state: state.into(),
            text,
        }
    }
}

fn end_text(end: &JobEnd) -> Option<String> {
    match end {
        JobEnd::Done { summary } => Some(summary.to_string()),
        JobEnd::Failed { reason } | JobEnd::Halted { reason } => Some(reason.to_string()),
        JobEnd::TimedOut { time_max } => Some(format!("after {} s", time_max.0 / 1_000)),
        JobEnd::Skipped { because } => Some(format!("`{because}` did not end well")),
        JobEnd::Stopped => None,
    }
}
