//! Questions to test with.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use pointsman_ledger::{Clock, Ledger, RunStart};
use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, BashInput, CallId, DecisionReason, Digest, Effects,
    ExecutedCall, IfNobody, Insistence, JsonText, Judgement, Lineage, LineageStep, Matched, Millis,
    Origin, PermissionDecision, PermissionMode, PermissionRequest, RequestId, RunId, Surface,
    ToolInput, ToolName, Trail, VerdictKind, WallTime, WorkerId,
};

use crate::Answer;

/// When everything begins.
pub(crate) const START: WallTime = WallTime(1_800_000_000_000);

/// How long the sample requests wait.
pub(crate) const PATIENCE: Millis = Millis(600_000);

/// A clock that a test moves.
#[derive(Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START.0)))
    }

    pub(crate) fn set(&self, time: WallTime) {
        self.0.store(time.0, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> WallTime {
        WallTime(self.0.load(Ordering::SeqCst))
    }
}

/// A ledger in a folder of its own, with a run begun.
pub(crate) struct Place {
    pub(crate) _folder: tempfile::TempDir,
    pub(crate) ledger: Ledger,
    pub(crate) clock: HandClock,
    pub(crate) run: RunId,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = HandClock::new();
        let path = folder.path().join("ledger.db");
        let (ledger, _) = Ledger::open(&path, Arc::new(clock.clone())).unwrap();
        let start = RunStart {
            project: path_of("/w/proj"),
            job_file: None,
            job_file_digest: None,
            job_file_at: None,
            attended: Attended::Yes,
            version: "0".into(),
        };
        let run = ledger.begin_run(start).await.unwrap();
        Self {
            _folder: folder,
            ledger,
            clock,
            run,
        }
    }
}

pub(crate) fn path_of(text: &str) -> AbsPath {
    AbsPath::parse(text).unwrap()
}

pub(crate) fn run() -> RunId {
    RunId::new(1).unwrap()
}

pub(crate) fn step(number: u32) -> LineageStep {
    LineageStep {
        worker: WorkerId::new(run(), number),
        label: format!("agent {number}").into(),
        agent: AgentName::new("steps"),
    }
}

/// The lineage of an agent and its ancestors, the job's worker first.
pub(crate) fn lineage(numbers: &[u32]) -> Lineage {
    let steps: Vec<_> = numbers.iter().map(|number| step(*number)).collect();
    Lineage::try_from(steps).unwrap()
}

pub(crate) fn bash(call: CallId, command: &str) -> ExecutedCall {
    let input = BashInput {
        command: command.into(),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    };
    ExecutedCall {
        id: call,
        tool: ToolName::parse("Bash").unwrap(),
        text: JsonText::of(&input).unwrap(),
        input: ToolInput::Bash(input),
    }
}

/// A question of the agent at the end of that lineage.
pub(crate) fn request_of(number: u32, lineage: Lineage) -> PermissionRequest {
    let reason = DecisionReason::NothingDecided {
        matched: Matched {
            text: "make".into(),
            span: None,
        },
    };
    PermissionRequest {
        id: RequestId::new(run(), number),
        call: bash(CallId::new(run(), number), "make"),
        rewritten_from: None,
        supersedes: None,
        unheld: None,
        lineage,
        task: "build it".into(),
        folder: path_of("/w/proj"),
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
        opened_at: START,
        deadline: START.plus(PATIENCE),
        context: Digest::of(b"context"),
        digest: Digest::of(&number.to_le_bytes()),
    }
}

pub(crate) fn request(number: u32) -> PermissionRequest {
    request_of(number, lineage(&[1]))
}

pub(crate) fn person() -> Answerer {
    Answerer::Person {
        surface: Surface::Terminal,
    }
}

pub(crate) fn hook() -> Answerer {
    Answerer::Hook { name: "h".into() }
}

pub(crate) fn allow() -> VerdictKind {
    VerdictKind::Allow {
        edited: None,
        grant: None,
    }
}

pub(crate) fn deny() -> VerdictKind {
    VerdictKind::Deny {
        text: Some("no".into()),
    }
}

pub(crate) fn answer(kind: VerdictKind, by: Answerer) -> Answer {
    Answer {
        kind,
        by,
        digest: None,
    }
}
