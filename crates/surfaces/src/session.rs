//! "For this session": which grant comes with a yes, said in the words that every surface takes.

use std::fmt;
use std::str::FromStr;

use pointsman_model::{GrantRequest, GrantScope, PermissionRequest, RuleBehavior, RuleText, Uses};
use pointsman_policy::parse_rule;
use serde::{Deserialize, Serialize};

/// For whom a yes counts beyond its one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionScope {
    /// The agent that asks, not those it spawns.
    Worker,
    /// The whole job: its worker and all agents below it.
    Job,
    /// All agents of the run.
    Run,
}

/// A word that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope: it is one of worker, job, run")]
pub struct ParseScopeError(String);

impl FromStr for SessionScope {
    type Err = ParseScopeError;
    fn from_str(text: &str) -> Result<Self, ParseScopeError> {
        match text {
            "worker" => Ok(Self::Worker),
            "job" => Ok(Self::Job),
            "run" => Ok(Self::Run),
            other => Err(ParseScopeError(other.into())),
        }
    }
}

impl fmt::Display for SessionScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker => "worker",
            Self::Job => "job",
            Self::Run => "run",
        })
    }
}

/// Why no grant can come with a yes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Nothing of it may be granted for later.
    #[error("nothing of `{0}` may be granted for later; answer it once")]
    NothingProposed(pointsman_model::RequestId),
    /// There are fewer proposals.
    #[error("`{id}` has {count} proposals, none numbered {wanted}")]
    NoSuchProposal {
        /// The request.
        id: pointsman_model::RequestId,
        /// What was asked for, counted from 1.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
}

/// The grant that comes with a yes to `request`: its proposal of that number, counted from 1.
///
/// # Errors
/// When nothing is proposed, or nothing of that number.
pub fn grant_for(
    request: &PermissionRequest,
    wanted: usize,
    scope: SessionScope,
) -> Result<GrantRequest, SessionError> {
    if request.proposals.is_empty() {
        return Err(SessionError::NothingProposed(request.id));
    }
    let chosen = wanted
        .checked_sub(1)
        .and_then(|at| request.proposals.get(at))
        .ok_or(SessionError::NoSuchProposal {
            id: request.id,
            wanted,
            count: request.proposals.len(),
        })?;
    let agent = request.lineage.agent().worker;
    let scope = match scope {
        SessionScope::Worker => GrantScope::Worker { worker: agent },
        SessionScope::Job => GrantScope::Job {
            worker: request
                .lineage
                .steps()
                .first()
                .map_or(agent, |step| step.worker),
        },
        SessionScope::Run => GrantScope::Run { run: agent.run() },
    };
    Ok(GrantRequest {
        rules: chosen.rules.clone(),
        scope,
        lasts: None,
        uses: Uses::Unlimited,
    })
}

/// Why a rule that a person wrote can't be granted; nothing when it can.
pub(crate) fn fault_of(rule: &RuleText) -> Option<String> {
    fault_as(RuleBehavior::Allow, rule)
}

/// Why a rule that a person wrote does nothing; nothing when it does something.
pub(crate) fn fault_as(behavior: RuleBehavior, rule: &RuleText) -> Option<String> {
    match parse_rule(rule.as_str()) {
        Err(error) => Some(error.to_string()),
        Ok(parsed) => parsed.fault(behavior).map(|fault| fault.message),
    }
}
