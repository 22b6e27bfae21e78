//! The question that all benches ask, and who answers it.

use pointsman_ledger::{Clock as _, SystemClock};
use pointsman_model::{
    AbsPath, AgentName, Answerer, CallId, DecisionReason, Digest, Effects, ExecutedCall, IfNobody,
    Insistence, JsonText, Judgement, Lineage, LineageStep, Matched, Millis, Origin, OtherInput,
    PermissionDecision, PermissionMode, PermissionRequest, RequestId, RunId, Surface, ToolInput,
    ToolName, Trail, VerdictKind, WorkerId,
};
use tokio::runtime::Runtime;

pub(crate) fn request(run: RunId, number: u32) -> PermissionRequest {
    let now = SystemClock.now();
    let reason = DecisionReason::NothingDecided {
        matched: Matched {
            text: "git push".into(),
            span: None,
        },
    };
    let text = JsonText::parse(r#"{"command":"git push origin main"}"#).expect("an object");
    PermissionRequest {
        id: RequestId::new(run, number),
        call: ExecutedCall {
            id: CallId::new(run, number),
            tool: ToolName::parse("Bash").expect("a name"),
            input: ToolInput::Other(OtherInput { raw: text.clone() }),
            text,
        },
        rewritten_from: None,
        supersedes: None,
        unheld: None,
        lineage: Lineage::root(LineageStep {
            worker: WorkerId::new(run, number),
            label: "docs".into(),
            agent: AgentName::new("steps"),
        }),
        task: "write the docs".into(),
        folder: AbsPath::root(),
        mode: PermissionMode::Default,
        origin: Origin::Foreground,
        effects: Effects::default(),
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
        opened_at: now,
        deadline: now.plus(Millis(86_400_000)),
        context: Digest::of(b"context"),
        digest: Digest::of(b"request"),
    }
}

pub(crate) fn allow() -> VerdictKind {
    VerdictKind::Allow {
        edited: None,
        grant: None,
    }
}

pub(crate) fn person() -> Answerer {
    Answerer::Person {
        surface: Surface::Terminal,
    }
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime")
}
