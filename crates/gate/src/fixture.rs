//! What the tests of this crate stand on: a ledger, a served table of requests, a book of grants,
//! hooks that are real programs, and a classifier that says what it is told to.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use pointsman_approvals::{
    Answer, Answered, Grants, RequestEvent, Requests, RequestsOptions, RequestsService,
};
use pointsman_ledger::{Clock, Ledger, SystemClock};
use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, BashInput, CallId, DecisionReason, Digest, Effects,
    ExecutedCall, FilePlace, IfNobody, Insistence, JsonText, Judgement, Lineage, LineageStep,
    Matched, Millis, NoVoteCause, Origin, PermissionDecision, PermissionMode, PermissionRequest,
    RequestId, RuleSource, RunId, Surface, ToolInput, ToolName, Trail, VerdictKind, WallTime,
    WorkerId,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{
    DiskFiles, HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookScripts, HookSetting,
    HookSettings, Whose,
};
use pointsman_process::Environment;
use pointsman_testkit::run_start;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{Classifier, ClassifierVote, HookPlace, Hooks, Lifts, Panel, Votes};

/// A run, its ledger and its table of requests, in a folder of their own.
pub(crate) struct Ground {
    pub(crate) folder: TempDir,
    pub(crate) ledger: Ledger,
    pub(crate) requests: Requests,
    pub(crate) grants: Grants,
    pub(crate) run: RunId,
    pub(crate) clock: Arc<dyn Clock>,
    numbers: AtomicU32,
    _service: JoinHandle<()>,
}

impl Ground {
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let path = folder.path().join("ledger.db");
        let (ledger, _) = Ledger::open(&path, Arc::clone(&clock)).unwrap();
        let start = run_start(abs(&folder));
        let run = ledger.begin_run(start).await.unwrap();
        let options = RequestsOptions::default();
        let (requests, service) =
            RequestsService::new(ledger.clone(), Arc::clone(&clock), &options);
        let grants = Grants::new(run, ledger.clone(), Arc::clone(&clock));
        Self {
            folder,
            ledger,
            requests,
            grants,
            run,
            clock,
            numbers: AtomicU32::new(1),
            _service: tokio::spawn(service.run(CancellationToken::new())),
        }
    }

    pub(crate) fn root(&self) -> AbsPath {
        abs(&self.folder)
    }

    /// A path in the ground's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A shell script in the ground's folder.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().into()
    }

    /// A pipe with a name in the ground's folder.
    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        path
    }

    /// A place for hooks of this ground.
    pub(crate) fn hook_place(&self, attended: Attended) -> HookPlace {
        let path = std::env::var_os("PATH").unwrap();
        HookPlace {
            project: self.root(),
            home: self.root(),
            environment: Environment::empty().with("PATH", path),
            attended,
            tree: Arc::new(DiskTree),
            allow_rules: Whose::Everyones,
            ledger: Some(self.ledger.clone()),
        }
    }

    pub(crate) fn hooks(&self, hooks: Vec<HookSetting>, attended: Attended) -> Arc<Hooks> {
        let scripts = HookScripts::read(&hooks, &self.root(), &DiskFiles);
        let settings = HookSettings { hooks, scripts };
        Arc::new(Hooks::new(settings, self.hook_place(attended)))
    }

    pub(crate) fn panel(&self, hooks: Vec<HookSetting>) -> Panel {
        Panel {
            requests: self.requests.clone(),
            hooks: self.hooks(hooks, Attended::Yes),
            classifier: None,
            lifts: Lifts::default(),
            votes: Votes::default(),
            grants: self.grants.clone(),
            attended: Attended::Yes,
            clock: Arc::clone(&self.clock),
        }
    }

    pub(crate) fn worker(&self, number: u32) -> LineageStep {
        LineageStep {
            worker: WorkerId::new(self.run, number),
            label: format!("agent-{number}").into(),
            agent: AgentName::new("steps"),
        }
    }

    /// A question of the first worker about a command.
    pub(crate) fn request(&self, command: &str) -> PermissionRequest {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let input = BashInput {
            command: command.into(),
            description: None,
            timeout_ms: None,
            run_in_background: None,
        };
        let reason = DecisionReason::NothingDecided {
            matched: Matched {
                text: command.into(),
                span: None,
            },
        };
        let now = self.clock.now();
        PermissionRequest {
            id: RequestId::new(self.run, number),
            call: ExecutedCall {
                id: CallId::new(self.run, number),
                tool: ToolName::parse("Bash").unwrap(),
                text: JsonText::of(&input).unwrap(),
                input: ToolInput::Bash(input),
            },
            rewritten_from: None,
            supersedes: None,
            unheld: None,
            lineage: Lineage::root(self.worker(1)),
            task: "a task".into(),
            folder: self.root(),
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
            deadline: now.plus(Millis(3_600_000)),
            context: Digest::of(b"context"),
            digest: Digest::of(command.as_bytes()),
        }
    }

    /// Answers as a person at the terminal.
    pub(crate) async fn person(&self, id: RequestId, kind: VerdictKind) -> Answered {
        let answer = Answer {
            kind,
            by: a_person(),
            digest: None,
        };
        self.requests.answer(id, answer).await.unwrap()
    }

    /// Waits until the request is shown. The events must have been subscribed to before it was.
    pub(crate) async fn shown(
        &self,
        events: &mut pointsman_approvals::RequestEvents,
        wanted: RequestId,
    ) {
        loop {
            match events.next().await.unwrap() {
                RequestEvent::Opened(open) if open.request.id == wanted && open.shown => return,
                RequestEvent::Shown { id } if id == wanted => return,
                _ => {}
            }
        }
    }
}

fn abs(folder: &TempDir) -> AbsPath {
    let path = folder.path().canonicalize().unwrap();
    AbsPath::parse(path.to_str().unwrap()).unwrap()
}

/// A question of a worker that needs no ground of its own.
pub(crate) fn question(
    run: RunId,
    worker: u32,
    number: u32,
    now: WallTime,
    patience: Millis,
) -> PermissionRequest {
    let input = BashInput {
        command: format!("make {number}"),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    };
    let reason = DecisionReason::NothingDecided {
        matched: Matched {
            text: "make".into(),
            span: None,
        },
    };
    let lineage = Lineage::root(LineageStep {
        worker: WorkerId::new(run, worker),
        label: format!("agent {worker}").into(),
        agent: AgentName::new("steps"),
    });
    PermissionRequest {
        id: RequestId::new(run, number),
        call: ExecutedCall {
            id: CallId::new(run, number),
            tool: ToolName::parse("Bash").unwrap(),
            text: JsonText::of(&input).unwrap(),
            input: ToolInput::Bash(input),
        },
        rewritten_from: None,
        supersedes: None,
        unheld: None,
        lineage,
        task: "build it".into(),
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
        deadline: now.plus(patience),
        context: Digest::of(b"context"),
        digest: Digest::of(&number.to_le_bytes()),
    }
}

pub(crate) fn a_person() -> Answerer {
    Answerer::Person {
        surface: Surface::Terminal,
    }
}

pub(crate) fn allow() -> VerdictKind {
    VerdictKind::Allow {
        edited: None,
        grant: None,
    }
}

pub(crate) fn deny(text: &str) -> VerdictKind {
    VerdictKind::Deny {
        text: Some(text.into()),
    }
}

/// A hook of the project's for all tools; its name is `settings.json:LINE:1`.
pub(crate) fn hook(event: HookEvent, line: u32, command: &str) -> HookSetting {
    HookSetting {
        event,
        matcher: HookMatcher::All,
        condition: None,
        run: HookRun::Shell {
            line: command.into(),
        },
        timeout: Millis(600_000),
        duty: HookDuty::Plain,
        life: HookLife::OneCall,
        source: RuleSource::ProjectSettings,
        place: FilePlace {
            file: "settings.json".into(),
            line,
            column: 1,
        },
    }
}

/// The same as a guard.
pub(crate) fn guard(hook: HookSetting) -> HookSetting {
    HookSetting {
        duty: HookDuty::Guard,
        ..hook
    }
}

/// The same in the person's own settings.
pub(crate) fn users(hook: HookSetting) -> HookSetting {
    HookSetting {
        source: RuleSource::UserSettings,
        ..hook
    }
}

/// A command that answers a PermissionRequest.
pub(crate) fn answers(behavior: &str, more: &str) -> String {
    format!(
        r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"{behavior}"{more}}}}}}}'"#
    )
}

/// A classifier that says what it is told to, when it is let.
pub(crate) struct Told {
    pub(crate) vote: ClassifierVote,
    pub(crate) asked: AtomicU32,
    pub(crate) gate: tokio::sync::Semaphore,
}

impl Told {
    /// Says it at once.
    pub(crate) fn now(vote: ClassifierVote) -> Arc<Self> {
        Self::after(vote, 1_000)
    }

    /// Says it when the gate was opened.
    pub(crate) fn when_let(vote: ClassifierVote) -> Arc<Self> {
        Self::after(vote, 0)
    }

    fn after(vote: ClassifierVote, permits: usize) -> Arc<Self> {
        Arc::new(Self {
            vote,
            asked: AtomicU32::new(0),
            gate: tokio::sync::Semaphore::new(permits),
        })
    }

    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Classifier for Told {
    fn name(&self) -> &str {
        "told"
    }

    async fn classify(&self, _request: &PermissionRequest) -> ClassifierVote {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let _permit = self.gate.acquire().await.unwrap();
        self.vote.clone()
    }
}

pub(crate) fn yes() -> ClassifierVote {
    ClassifierVote::Yes {
        text: "harmless".into(),
    }
}

pub(crate) fn no() -> ClassifierVote {
    ClassifierVote::No {
        text: "not harmless".into(),
    }
}

pub(crate) fn no_vote() -> ClassifierVote {
    ClassifierVote::NoVote {
        cause: NoVoteCause::Unavailable,
        why: "not available".into(),
    }
}
