//! One agent at a real ledger, in a real folder, whose questions are answered by a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pointsman_approvals::Grants;
use pointsman_gate::{HookPlace, Hooks, PermissionHandler};
use pointsman_ledger::{
    Clock, Filter, Ledger, LedgerReader, LedgerRecord, RecordBody, RunStart, SystemClock,
};
use pointsman_model::*;
use pointsman_policy::settings::{
    HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting, HookSettings, Whose,
};
use pointsman_policy::{DiskTree, Frozen};
use pointsman_process::Environment;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::*;

/// What a scripted handler says to a request.
type Script = Box<dyn FnMut(&PermissionRequest) -> Option<(VerdictKind, Answerer)> + Send>;

/// Answers each request as its script says; where the script says nothing, never.
pub(super) struct ScriptedHandler {
    script: Mutex<Script>,
    digest: Option<Digest>,
    seen: Mutex<VecDeque<PermissionRequest>>,
    asked: tokio::sync::Notify,
}

#[async_trait]
impl PermissionHandler for ScriptedHandler {
    fn kind(&self) -> HandlerKind {
        HandlerKind::Interactive
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        let said = (self.script.lock().unwrap())(&request);
        let digest = self.digest.unwrap_or(request.digest);
        self.seen.lock().unwrap().push_back(request);
        self.asked.notify_one();
        match said {
            Some((kind, by)) => Verdict {
                kind,
                by,
                at: SystemClock.now(),
                digest,
            },
            None => std::future::pending().await,
        }
    }
}

pub(super) fn person() -> Answerer {
    Answerer::Person {
        surface: Surface::Terminal,
    }
}

pub(super) fn yes() -> VerdictKind {
    VerdictKind::Allow {
        edited: None,
        grant: None,
    }
}

/// How a bench is laid out.
pub(super) struct Layout {
    pub(super) rules: &'static [&'static str],
    pub(super) mode: PermissionMode,
    pub(super) hooks: Vec<(HookEvent, HookDuty, String)>,
    pub(super) script: Script,
    /// What every verdict is for; the request's own if not said.
    pub(super) digest: Option<Digest>,
}

impl Layout {
    /// Everything that is asked is let pass by a person.
    pub(super) fn rules(rules: &'static [&'static str]) -> Self {
        Self {
            rules,
            mode: PermissionMode::Default,
            hooks: Vec::new(),
            script: Box::new(|_| Some((yes(), person()))),
            digest: None,
        }
    }

    pub(super) fn mode(self, mode: PermissionMode) -> Self {
        Self { mode, ..self }
    }

    /// A PreToolUse hook: a line for `sh -c`.
    pub(super) fn hook(self, line: &str) -> Self {
        self.told(HookEvent::PreToolUse, line)
    }

    /// A hook of any event: a line for `sh -c`.
    pub(super) fn told(mut self, event: HookEvent, line: &str) -> Self {
        self.hooks.push((event, HookDuty::Plain, line.into()));
        self
    }

    /// A PreToolUse hook that is a guard: a line for `sh -c`.
    pub(super) fn guard(mut self, line: &str) -> Self {
        let hook = (HookEvent::PreToolUse, HookDuty::Guard, line.into());
        self.hooks.push(hook);
        self
    }

    pub(super) fn answer(
        self,
        script: impl FnMut(&PermissionRequest) -> Option<(VerdictKind, Answerer)> + Send + 'static,
    ) -> Self {
        Self {
            script: Box::new(script),
            ..self
        }
    }

    pub(super) async fn build(self) -> Bench {
        Bench::new(self).await
    }
}

pub(super) struct Bench {
    _keep: TempDir,
    pub(super) root: AbsPath,
    pub(super) dispatch: Dispatch,
    pub(super) handler: Arc<ScriptedHandler>,
    pub(super) stop: CancellationToken,
    moves: Mutex<broadcast::Receiver<CallMoved>>,
    ledger: Ledger,
    run: RunId,
}

impl Bench {
    async fn new(layout: Layout) -> Self {
        let keep = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(keep.path()).unwrap();
        let base = AbsPath::parse(base.to_str().unwrap()).unwrap();
        let root = base.join("project");
        std::fs::create_dir(root.as_path()).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (ledger, _) =
            Ledger::open(base.join("ledger.db").as_path(), Arc::clone(&clock)).unwrap();
        let run = ledger.begin_run(start(&root)).await.unwrap();
        let handler = Arc::new(ScriptedHandler {
            script: Mutex::new(layout.script),
            digest: layout.digest,
            seen: Mutex::new(VecDeque::new()),
            asked: tokio::sync::Notify::new(),
        });
        let (moves, watched) = broadcast::channel(1_000);
        let stop = CancellationToken::new();
        let ids = Arc::new(RunIds::new(run));
        let worker = ids.next_worker();
        let (frozen, _) = Frozen::new(context(&root, worker, layout.rules, layout.mode));
        let environment = Environment::empty().with("PATH", std::env::var_os("PATH").unwrap());
        let place = HookPlace {
            project: root.clone(),
            home: base.join("home"),
            environment: environment.clone(),
            attended: Attended::Yes,
            tree: Arc::new(DiskTree),
            allow_rules: Whose::Everyones,
            ledger: Some(ledger.clone()),
        };
        let hooks = HookSettings {
            hooks: layout.hooks.into_iter().zip(1..).map(hook).collect(),
            ..HookSettings::default()
        };
        let seat = Seat {
            frozen,
            handler: handler.clone(),
            hooks: Arc::new(Hooks::new(hooks, place)),
            grants: Grants::new(run, ledger.clone(), Arc::clone(&clock)),
            ledger: ledger.clone(),
            clock,
            run,
            worker,
            task: "test the door".into(),
            origin: Origin::Foreground,
            toolbox: Arc::new(Toolbox::built_in()),
            spawner: Arc::new(NoSpawner),
            ids,
            answer_within: Millis(60_000),
            stop: stop.clone(),
            pace: Pace::default(),
            follow_ups: FollowUps::none(),
            in_background: Arc::new(InBackground::of(&stop)),
            moves,
            environment,
            tree: Arc::new(DiskTree),
        };
        Self {
            _keep: keep,
            root,
            dispatch: Dispatch::new(seat),
            handler,
            stop,
            moves: Mutex::new(watched),
            ledger,
            run,
        }
    }

    pub(super) fn asked(tool: &str, input: &Value) -> AskedCall {
        AskedCall {
            tool: ToolName::parse(tool).unwrap(),
            input: JsonText::of(input).unwrap(),
        }
    }

    /// From the ask to the end.
    pub(super) async fn call(&self, tool: &str, input: Value) -> CallEnd {
        match self.dispatch.admit(Self::asked(tool, &input)).await {
            Admission::Admitted(call) => self.dispatch.execute(call).await,
            Admission::Ended(end) => end,
        }
    }

    pub(super) async fn admitted(&self, tool: &str, input: Value) -> AdmittedCall {
        match self.dispatch.admit(Self::asked(tool, &input)).await {
            Admission::Admitted(call) => call,
            Admission::Ended(end) => panic!("not admitted: {}", end.text),
        }
    }

    pub(super) fn write(&self, name: &str, content: &str) -> AbsPath {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
        std::fs::write(path.as_path(), content).unwrap();
        path
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name).as_path()).unwrap()
    }

    /// The questions that were asked since the last look.
    pub(super) fn questions(&self) -> Vec<PermissionRequest> {
        self.handler.seen.lock().unwrap().drain(..).collect()
    }

    /// Waits until a question is asked.
    pub(super) async fn until_asked(&self) {
        self.handler.asked.notified().await;
    }

    /// The states that were published since the last look, in order.
    pub(super) fn moves(&self) -> Vec<CallState> {
        let mut moves = self.moves.lock().unwrap();
        std::iter::from_fn(|| moves.try_recv().ok())
            .map(|moved| moved.to)
            .collect()
    }

    pub(super) fn all_moves(&self) -> Vec<CallMoved> {
        let mut moves = self.moves.lock().unwrap();
        std::iter::from_fn(|| moves.try_recv().ok()).collect()
    }

    /// All records of the run so far.
    pub(super) async fn records(&self) -> Vec<LedgerRecord> {
        // What is queued is written before this returns.
        let mark = pointsman_ledger::StopAsked {
            worker: None,
            reason: "mark".into(),
        };
        self.ledger.append(self.run, mark).await.unwrap();
        let reader: LedgerReader = self.ledger.reader().unwrap();
        reader.records(&Filter::default()).unwrap().records
    }

    pub(super) async fn kinds(&self) -> Vec<&'static str> {
        self.records()
            .await
            .iter()
            .map(|record| record.body.kind().as_str())
            .filter(|kind| !["run_started", "stop_asked"].contains(kind))
            .collect()
    }

    /// The bodies of one kind.
    pub(super) async fn bodies<T>(&self, pick: impl Fn(RecordBody) -> Option<T>) -> Vec<T> {
        self.records()
            .await
            .into_iter()
            .filter_map(|record| pick(record.body))
            .collect()
    }
}

fn start(root: &AbsPath) -> RunStart {
    RunStart {
        project: root.clone(),
        job_file: None,
        job_file_digest: None,
        job_file_at: None,
        attended: Attended::Yes,
        version: "test".into(),
    }
}

fn context(
    root: &AbsPath,
    worker: WorkerId,
    rules: &[&str],
    mode: PermissionMode,
) -> PermissionContext {
    let rules = rules.iter().zip(1..).map(|(rule, line)| {
        let (behavior, text) = rule.split_once(' ').unwrap();
        PermissionRule {
            behavior: match behavior {
                "allow" => RuleBehavior::Allow,
                "ask" => RuleBehavior::Ask,
                "deny" => RuleBehavior::Deny,
                other => panic!("no behaviour: {other}"),
            },
            text: RuleText::new(text),
            source: RuleSource::ProjectSettings,
            place: Some(FilePlace {
                file: "settings.json".into(),
                line,
                column: 1,
            }),
            anchor: root.clone(),
        }
    });
    PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(LineageStep {
            worker,
            label: "tester".into(),
            agent: AgentName::new("steps"),
        }),
        mode: ModeInForce::root(mode),
        rules: rules.collect(),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: root.clone(),
        project: root.clone(),
        home: root.parent().unwrap().join("home"),
        directories: Arc::from([root.clone()]),
        depth_left: 2,
        handler: HandlerKind::Interactive,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    })
}

fn hook(((event, duty, line), number): ((HookEvent, HookDuty, String), u32)) -> HookSetting {
    HookSetting {
        event,
        matcher: HookMatcher::All,
        condition: None,
        run: HookRun::Shell { line: line.into() },
        timeout: Millis(10_000),
        duty,
        life: HookLife::OneCall,
        source: RuleSource::UserSettings,
        place: FilePlace {
            file: "settings.json".into(),
            line: number,
            column: 1,
        },
    }
}
