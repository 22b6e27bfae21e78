//! Records of a small life.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, BashInput, CallId, CallState, DecisionReason, Digest,
    Effects, ExecutedCall, GroupFacts, IfNobody, Insistence, JsonText, Judgement, Lineage,
    LineageStep, Matched, Millis, Origin, Outcome, PermissionDecision, PermissionMode,
    PermissionRequest, RecordedCall, RequestId, RequestedCall, RunId, Surface, ToolInput, ToolName,
    Trail, Verdict, VerdictKind, WallTime, WorkerId,
};

use crate::{
    CallDecided, CallEnded, CallLeft, CallRequested, CallStarted, Clock, RequestClosed,
    RequestOpened, RunStart, Showing,
};

/// A clock on which each look takes a millisecond.
struct Steps(AtomicI64);

impl Clock for Steps {
    fn now(&self) -> WallTime {
        WallTime(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(Steps(AtomicI64::new(1_800_000_000_000)))
}

pub(crate) fn run_start() -> RunStart {
    RunStart {
        project: path("/w/proj"),
        job_file: Some("jobs.toml".into()),
        job_file_digest: Some(Digest::of(b"jobs")),
        job_file_at: None,
        attended: Attended::Yes,
        version: "0.1.0".into(),
    }
}

pub(crate) fn path(text: &str) -> AbsPath {
    AbsPath::parse(text).unwrap()
}

pub(crate) fn worker(run: RunId) -> WorkerId {
    WorkerId::new(run, 1)
}

fn lineage(run: RunId) -> Lineage {
    Lineage::root(LineageStep {
        worker: worker(run),
        label: "docs".into(),
        agent: AgentName::new("steps"),
    })
}

pub(crate) fn executed(call: CallId) -> ExecutedCall {
    let command = format!("echo {call}");
    ExecutedCall {
        id: call,
        tool: bash(),
        text: input(call),
        input: ToolInput::Bash(BashInput {
            command,
            description: None,
            timeout_ms: None,
            run_in_background: None,
        }),
    }
}

fn bash() -> ToolName {
    ToolName::parse("Bash").unwrap()
}

fn input(call: CallId) -> JsonText {
    JsonText::parse(&format!(r#"{{"command":"echo {call}"}}"#)).unwrap()
}

pub(crate) fn judgement(decision: PermissionDecision) -> Judgement {
    let reason = DecisionReason::NothingDecided {
        matched: Matched {
            text: "echo".into(),
            span: None,
        },
    };
    Judgement {
        decision,
        reason: reason.clone(),
        insistence: Insistence::MayBeAnswered,
        trail: Trail::default(),
        if_nobody: IfNobody {
            decision: PermissionDecision::Deny,
            reason,
        },
    }
}

pub(crate) fn requested(call: CallId) -> CallRequested {
    CallRequested {
        worker: worker(call.run()),
        call: RequestedCall {
            id: call,
            tool: bash(),
            input: input(call),
        },
    }
}

pub(crate) fn decided(call: CallId, decision: PermissionDecision) -> CallDecided {
    CallDecided {
        worker: worker(call.run()),
        call: executed(call),
        recorded: RecordedCall {
            id: call,
            tool: bash(),
            input: input(call),
        },
        folder: path("/w/proj"),
        effects: Effects::default(),
        judgement: judgement(decision),
        context: Digest::of(b"context"),
        grants: Vec::new(),
    }
}

pub(crate) fn started(call: CallId) -> CallStarted {
    CallStarted {
        worker: worker(call.run()),
        call: executed(call),
        folder: path("/w/proj"),
        request: None,
        digest: Digest::of(b"call"),
    }
}

pub(crate) fn ended(call: CallId, outcome: Option<Outcome>) -> CallEnded {
    CallEnded {
        worker: worker(call.run()),
        call,
        state: match outcome {
            None => CallState::Success,
            Some(_) => CallState::Error,
        },
        outcome,
        text: "done".into(),
        exit_code: Some(0),
        took: Some(Millis(3)),
        left: CallLeft::default(),
    }
}

pub(crate) fn request(id: RequestId, call: CallId) -> PermissionRequest {
    PermissionRequest {
        id,
        call: executed(call),
        rewritten_from: None,
        lineage: lineage(id.run()),
        task: "write the docs".into(),
        folder: path("/w/proj"),
        mode: PermissionMode::Default,
        origin: Origin::Foreground,
        effects: Effects::default(),
        judgement: judgement(PermissionDecision::Ask),
        proposals: Vec::new(),
        opened_at: WallTime(1_800_000_000_000),
        deadline: WallTime(1_800_000_600_000),
        context: Digest::of(b"context"),
        digest: Digest::of(b"request"),
        supersedes: None,
        unheld: None,
    }
}

pub(crate) fn opened(id: RequestId, call: CallId) -> RequestOpened {
    RequestOpened {
        request: request(id, call),
        showing: Showing::AtOnce,
    }
}

pub(crate) fn closed(id: RequestId, call: CallId) -> RequestClosed {
    RequestClosed {
        request: id,
        call,
        verdict: Verdict {
            kind: VerdictKind::Allow {
                edited: None,
                grant: None,
            },
            by: Answerer::Person {
                surface: Surface::Terminal,
            },
            at: WallTime(1_800_000_000_500),
            digest: Digest::of(b"request"),
        },
    }
}

pub(crate) fn group() -> GroupFacts {
    GroupFacts {
        pgid: 4242,
        started_ticks: 7,
        boot: "boot".into(),
        mark: "1.2.3".into(),
    }
}
