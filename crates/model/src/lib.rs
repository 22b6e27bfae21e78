//! The vocabulary of pointsman: calls, effects, rules, modes, contexts, decisions, requests,
//! verdicts and ids.
//!
//! Everything else in the workspace speaks in these types. Nothing here reads a clock, a file, the
//! environment or randomness, and nothing here decides: a value of this crate only says what is so.

mod call;
mod context;
mod decision;
mod digest;
mod effect;
mod explanation;
mod grant;
mod group;
mod host;
mod id;
mod input;
mod lineage;
mod mode;
mod no_vote;
mod path;
mod request;
mod rule;
mod run;
mod state;
mod tool;
mod verdict;
mod visible;
mod when;

pub use call::{ExecutedCall, HookedCall, JsonText, JsonTextError, RecordedCall, RequestedCall};
pub use context::{
    Attended, ChildContext, ContextParts, HandlerKind, PermissionContext, SandboxState,
    SpawnContextError, ToolSet,
};
pub use decision::{
    Cover, DecisionReason, IfNobody, Insistence, Judgement, Matched, PermissionDecision, Rung,
    RungOutcome, Trail, TrailStep,
};
pub use digest::{Digest, DigestBuilder, ParseDigestError};
pub use effect::{
    Change, CodeSources, Copied, Effect, EffectKind, EffectView, Effects, HostUse, Opaque,
    OpaqueWhy, PathRole, PathUse, PathValue, Reach, SpawnUse,
};
pub use explanation::{ExplainedBy, Explanation, RiskLevel};
pub use grant::{Grant, GrantScope, Overlay, Uses};
pub use group::GroupFacts;
pub use host::HostName;
pub use id::{CallId, GrantId, ParseIdError, RequestId, RuleId, RunId, WorkerId};
pub use input::{
    BashInput, EditInput, GlobInput, GrepInput, GrepOutput, OtherInput, ReadInput, SpawnInput,
    ToolInput, WriteInput,
};
pub use lineage::{EmptyLineage, Lineage, LineageStep};
pub use mode::{ModeInForce, ParseModeError, PermissionMode, Questions, WhoSetMode};
pub use no_vote::{AfterNoVote, NoVoteCause};
pub use path::{AbsPath, AbsPathError};
pub use request::{Origin, PermissionRequest, RuleProposal, Superseded};
pub use rule::{FilePlace, PermissionRule, RuleBehavior, RuleSource, RuleText};
pub use run::{Assignment, AssignmentWeight, Risk, RiskTag, Run, RunNature, Span, Word, WordValue};
pub use state::{CallEvent, CallState, IllegalTransition};
pub use tool::{AgentName, ToolName, ToolNameError, ToolNature, ToolSpec};
pub use verdict::{Answerer, GrantRequest, Outcome, Surface, Verdict, VerdictKind};
pub use visible::{HiddenChar, first_hidden, plain_json, visible};
pub use when::{Millis, WallTime};
