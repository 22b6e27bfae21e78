//! A sample question, for rehearsals.

use std::sync::Arc;

use pointsman_model::{
    AgentName, CallId, DecisionReason, Digest, ExecutedCall, IfNobody, Insistence, JsonText,
    Judgement, Lineage, LineageStep, Matched, Millis, Origin, PermissionDecision, PermissionMode,
    PermissionRequest, RequestId, RunId, ToolInput, ToolName, Trail, WallTime, WorkerId,
};
use pointsman_policy::effects_of;
use pointsman_shell::Surroundings;

use crate::hooks::HookPlace;

/// How long the sample would stay open.
const OPEN_FOR: Millis = Millis(60_000);

/// A question about a call, as the root agent of a first run would ask it in the project's root.
#[must_use]
pub fn sample_request(
    tool: ToolName,
    input: ToolInput,
    text: JsonText,
    mode: PermissionMode,
    place: &HookPlace,
) -> Option<PermissionRequest> {
    let run = RunId::new(1)?;
    let at = Surroundings {
        folder: place.project.clone(),
        home: place.home.clone(),
        case: pointsman_shell::NameCase::Counts,
    };
    let reason = DecisionReason::NothingDecided {
        matched: Matched {
            text: text.as_str().into(),
            span: None,
        },
    };
    let opened_at = WallTime(0);
    Some(PermissionRequest {
        id: RequestId::new(run, 1),
        effects: effects_of(&tool, &input, &at),
        digest: text.digest(),
        call: ExecutedCall {
            id: CallId::new(run, 1),
            tool,
            input,
            text,
        },
        rewritten_from: None,
        supersedes: None,
        unheld: None,
        lineage: Lineage::root(LineageStep {
            worker: WorkerId::new(run, 1),
            label: Arc::from("rehearsal"),
            agent: AgentName::new("rehearsal"),
        }),
        task: "rehearse the hooks".into(),
        folder: place.project.clone(),
        mode,
        origin: Origin::Foreground,
        judgement: Judgement {
            decision: PermissionDecision::Ask,
            reason: reason.clone(),
            insistence: Insistence::MayBeAnswered,
            trail: Trail::default(),
            if_nobody: IfNobody {
                decision: PermissionDecision::Deny,
                reason,
            },
        },
        proposals: Vec::new(),
        opened_at,
        deadline: opened_at.plus(OPEN_FOR),
        context: Digest::of(b"rehearsal"),
    })
}
