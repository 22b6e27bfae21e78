//! What the tests of this crate stand on: a real door, with folder, bash and ledger, and a person who
//! says no.

use std::sync::Arc;

use async_trait::async_trait;
use pointsman_approvals::Grants;
use pointsman_gate::{HookPlace, Hooks, PermissionHandler};
use pointsman_ledger::{Clock, Ledger, SystemClock};
use pointsman_model::*;
use pointsman_policy::settings::{HookSettings, Whose};
use pointsman_policy::{DiskTree, Frozen};
use pointsman_process::Environment;
use pointsman_testkit::run_start;
use pointsman_tools::{Dispatch, NoSpawner, RunIds, Seat, Toolbox};
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// A person who says no to everything.
struct NoSayer;

#[async_trait]
impl PermissionHandler for NoSayer {
    fn kind(&self) -> HandlerKind {
        HandlerKind::Interactive
    }

    async fn resolve(&self, request: PermissionRequest) -> Verdict {
        Verdict {
            kind: VerdictKind::Deny {
                text: Some("not today".into()),
            },
            by: Answerer::Person {
                surface: Surface::Terminal,
            },
            at: request.opened_at,
            digest: request.digest,
        }
    }
}

/// A door, and what it stands on.
pub(crate) struct Bench {
    pub(crate) keep: TempDir,
    pub(crate) dispatch: Dispatch,
    pub(crate) stop: CancellationToken,
}

impl Bench {
    /// An agent that may run `echo`, `false` and `cat`, and not `rm`.
    pub(crate) async fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(keep.path()).unwrap();
        let root = AbsPath::parse(root.to_str().unwrap()).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (ledger, _) = Ledger::open(&keep.path().join("ledger.db"), Arc::clone(&clock)).unwrap();
        let start = run_start(root.clone());
        let run = ledger.begin_run(start).await.unwrap();
        let ids = Arc::new(RunIds::new(run));
        let worker = ids.next_worker();
        let environment = Environment::empty().with("PATH", std::env::var_os("PATH").unwrap());
        let place = HookPlace {
            project: root.clone(),
            home: root.clone(),
            environment: environment.clone(),
            attended: Attended::Yes,
            tree: Arc::new(DiskTree),
            allow_rules: Whose::Everyones,
            ledger: Some(ledger.clone()),
        };
        let stop = CancellationToken::new();
        let dispatch = Dispatch::new(Seat {
            frozen: Frozen::new(context(&root, worker)).0,
            handler: Arc::new(NoSayer),
            hooks: Arc::new(Hooks::new(HookSettings::default(), place)),
            grants: Grants::new(run, ledger.clone(), Arc::clone(&clock)),
            ledger,
            clock,
            run,
            worker,
            task: "take steps".into(),
            origin: Origin::Foreground,
            toolbox: Arc::new(Toolbox::built_in()),
            spawner: Arc::new(NoSpawner),
            ids,
            answer_within: Millis(60_000),
            stop: stop.clone(),
            pace: pointsman_tools::Pace::default(),
            follow_ups: pointsman_tools::FollowUps::none(),
            in_background: Arc::new(pointsman_tools::InBackground::of(&stop)),
            moves: broadcast::channel(16).0,
            environment,
            tree: Arc::new(DiskTree),
        });
        Self {
            keep,
            dispatch,
            stop,
        }
    }
}

fn context(root: &AbsPath, worker: WorkerId) -> PermissionContext {
    let rule = |behavior, text| PermissionRule {
        behavior,
        text: RuleText::new(text),
        source: RuleSource::FlagSettings,
        place: None,
        anchor: root.clone(),
    };
    PermissionContext::freeze(ContextParts {
        lineage: Lineage::root(LineageStep {
            worker,
            label: "steps".into(),
            agent: AgentName::new("steps"),
        }),
        mode: ModeInForce::root(PermissionMode::Default),
        rules: Arc::from([
            rule(RuleBehavior::Allow, "Bash(echo *)"),
            rule(RuleBehavior::Allow, "Bash(false)"),
            rule(RuleBehavior::Deny, "Bash(rm *)"),
        ]),
        tools: ToolSet::All,
        tools_to_pass_on: ToolSet::All,
        folder: root.clone(),
        project: root.clone(),
        home: root.clone(),
        directories: Arc::from([root.clone()]),
        depth_left: 0,
        handler: HandlerKind::Interactive,
        attended: Attended::Yes,
        sandbox: SandboxState::Off,
    })
}
