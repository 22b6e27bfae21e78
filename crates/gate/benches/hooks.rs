//! What hooks cost, beside what the same costs bare: a spawn by tokio's own Command, a line through the
//! pipes of a process that stays, and an open question with nobody racing for it.
//!
//! `spawned` and `bare_command` run the same line with the same input; so do `resident` and `pipe_echo`.

#![expect(
    clippy::unwrap_used,
    reason = "a bench that can not be set up has nothing to measure"
)]

use std::process::Stdio;
use std::sync::Arc;

use async_trait::async_trait;
use divan::Bencher;
use pointsman_approvals::{Answer, Grants, Requests, RequestsOptions, RequestsService};
use pointsman_gate::{
    Classifier, ClassifierVote, HookPlace, HookScene, Hooks, InteractiveHandler, Lifts, Panel,
    PermissionHandler as _, Votes, sample_request,
};
use pointsman_ledger::{Ledger, RunStart, SystemClock};
use pointsman_model::{
    AbsPath, Answerer, Attended, BashInput, CallId, Effects, FilePlace, HookedCall, JsonText,
    Lineage, LineageStep, Millis, NoVoteCause, PermissionMode, PermissionRequest, RequestId,
    RuleSource, RunId, Surface, ToolInput, ToolName, VerdictKind, WallTime, WorkerId,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{
    HookDuty, HookEvent, HookLife, HookMatcher, HookRun, HookSetting, HookSettings, Whose,
};
use pointsman_process::Environment;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// A hook that reads all and says nothing, as a spawned one and as one that stays.
const ONE_CALL: &str = "cat >/dev/null; echo {}";
const RESIDENT: &str = "while read -r line; do echo '{}'; done";

/// What a leader of some thousand agents holds, and more.
const LARGE_BYTES: usize = 512 * 1024 * 1024;

/// Hooks that run at once where many are asked: four a core of a small machine.
const WIDTH: usize = 8;

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

fn root() -> AbsPath {
    AbsPath::parse("/tmp").unwrap()
}

fn environment() -> Environment {
    Environment::empty().with("PATH", std::env::var_os("PATH").unwrap())
}

fn place(ledger: Option<Ledger>) -> HookPlace {
    HookPlace {
        project: root(),
        home: root(),
        environment: environment(),
        attended: Attended::Yes,
        tree: Arc::new(DiskTree),
        allow_rules: Whose::Everyones,
        ledger,
    }
}

fn hook(event: HookEvent, life: HookLife, line: &str) -> HookSetting {
    HookSetting {
        event,
        matcher: HookMatcher::All,
        condition: None,
        run: HookRun::Shell { line: line.into() },
        timeout: Millis(60_000),
        duty: HookDuty::Plain,
        life,
        source: RuleSource::UserSettings,
        place: FilePlace {
            file: "settings.json".into(),
            line: 1,
            column: 1,
        },
    }
}

fn hooks(life: HookLife, line: &str) -> Hooks {
    let hooks = vec![hook(HookEvent::PreToolUse, life, line)];
    Hooks::new(
        HookSettings {
            hooks,
            ..HookSettings::default()
        },
        place(None),
    )
}

fn run_id() -> RunId {
    RunId::new(1).unwrap()
}

fn request() -> PermissionRequest {
    let input = BashInput {
        command: "cargo test --workspace".into(),
        description: None,
        timeout_ms: None,
        run_in_background: None,
    };
    let text = JsonText::of(&input).unwrap();
    let tool = ToolName::parse("Bash").unwrap();
    let mode = PermissionMode::Default;
    sample_request(tool, ToolInput::Bash(input), text, mode, &place(None)).unwrap()
}

/// Asks the hooks about one call.
async fn ask(hooks: &Hooks) {
    let lineage = Lineage::root(LineageStep {
        worker: WorkerId::new(run_id(), 1),
        label: "bench".into(),
        agent: pointsman_model::AgentName::new("bench"),
    });
    let call = HookedCall {
        id: CallId::new(run_id(), 1),
        tool: ToolName::parse("Bash").unwrap(),
        input: JsonText::parse(r#"{"command":"cargo test --workspace"}"#).unwrap(),
    };
    let never = CancellationToken::new();
    let scene = HookScene {
        lineage: &lineage,
        folder: &root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop: &never,
    };
    let turn = hooks.pre_tool_use(&call, &scene).await;
    assert!(turn.reports.iter().all(|report| report.text.is_empty()));
}

/// The floor: the same line by tokio's own Command, with as much input.
async fn bare() {
    let mut child = Command::new("/bin/sh")
        .args(["-c", ONE_CALL])
        .current_dir("/tmp")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&[b'x'; 400]).await.unwrap();
    drop(stdin);
    let mut output = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut output).await.unwrap();
    child.wait().await.unwrap();
    assert_eq!(output, "{}\n");
}

#[divan::bench]
fn spawned(bencher: Bencher<'_, '_>) {
    let (runtime, hooks) = (runtime(), hooks(HookLife::OneCall, ONE_CALL));
    bencher.bench_local(|| runtime.block_on(ask(&hooks)));
}

/// The same in a process that holds much memory: a spawn that copied its page tables would show it.
#[divan::bench]
fn spawned_by_a_large_leader(bencher: Bencher<'_, '_>) {
    let held = vec![1_u8; LARGE_BYTES];
    let (runtime, hooks) = (runtime(), hooks(HookLife::OneCall, ONE_CALL));
    bencher.bench_local(|| runtime.block_on(ask(&hooks)));
    assert_eq!(held.iter().step_by(4096).max(), Some(&1));
}

#[divan::bench]
fn bare_command(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.bench_local(|| runtime.block_on(bare()));
}

/// `WIDTH` calls at once; divide for the rate.
#[divan::bench]
fn spawned_at_once(bencher: Bencher<'_, '_>) {
    let (runtime, hooks) = (runtime(), hooks(HookLife::OneCall, ONE_CALL));
    bencher.bench_local(|| {
        runtime.block_on(async {
            futures_util::future::join_all((0..WIDTH).map(|_| ask(&hooks))).await;
        });
    });
}

#[divan::bench]
fn bare_commands_at_once(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.bench_local(|| {
        runtime.block_on(async {
            futures_util::future::join_all((0..WIDTH).map(|_| bare())).await;
        });
    });
}

#[divan::bench]
fn resident(bencher: Bencher<'_, '_>) {
    let (runtime, hooks) = (runtime(), hooks(HookLife::Resident, RESIDENT));
    runtime.block_on(ask(&hooks));
    bencher.bench_local(|| runtime.block_on(ask(&hooks)));
    runtime.block_on(hooks.finish());
}

/// The floor of `resident`: the same program, its pipes alone.
#[divan::bench]
fn pipe_echo(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (mut child, mut stdin, mut stdout) = runtime.block_on(async {
        let mut child = Command::new("/bin/sh")
            .args(["-c", RESIDENT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        (child, stdin, stdout)
    });
    let mut line = vec![b'x'; 400];
    line.push(b'\n');
    bencher.bench_local(|| {
        runtime.block_on(async {
            stdin.write_all(&line).await.unwrap();
            let mut answer = String::new();
            stdout.read_line(&mut answer).await.unwrap();
        });
    });
    runtime.block_on(child.kill()).unwrap();
}

/// A classifier that never comes to a vote.
struct Slow;

#[async_trait]
impl Classifier for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn classify(&self, _request: &PermissionRequest) -> ClassifierVote {
        std::future::pending::<()>().await;
        ClassifierVote::NoVote {
            cause: NoVoteCause::Unavailable,
            why: "never".into(),
        }
    }
}

/// The table of open requests that a race is run over.
struct Table {
    runtime: Runtime,
    _folder: tempfile::TempDir,
    requests: Requests,
    panel: Panel,
    run: RunId,
}

fn table(hooks: Vec<HookSetting>, classifier: Option<Arc<dyn Classifier>>) -> Table {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let clock: Arc<SystemClock> = Arc::new(SystemClock);
    let path = folder.path().join("ledger.db");
    let (requests, panel, run) = runtime.block_on(async {
        let (ledger, _) = Ledger::open(&path, clock.clone()).unwrap();
        let start = RunStart {
            project: root(),
            job_file: None,
            job_file_digest: None,
            job_file_at: None,
            attended: Attended::Yes,
            version: "bench".into(),
        };
        let run = ledger.begin_run(start).await.unwrap();
        let options = RequestsOptions::default();
        let (requests, service) = RequestsService::new(ledger.clone(), clock.clone(), &options);
        tokio::spawn(service.run(CancellationToken::new()));
        let panel = Panel {
            requests: requests.clone(),
            hooks: Arc::new(Hooks::new(
                HookSettings {
                    hooks,
                    ..HookSettings::default()
                },
                place(None),
            )),
            classifier,
            lifts: Lifts::default(),
            votes: Votes::default(),
            grants: Grants::new(run, ledger, clock.clone()),
            attended: Attended::Yes,
            clock,
        };
        (requests, panel, run)
    });
    Table {
        runtime,
        _folder: folder,
        requests,
        panel,
        run,
    }
}

/// Opens a question, and has a person answer it as soon as it is open.
fn race(bencher: Bencher<'_, '_>, table: &Table) {
    let handler = InteractiveHandler::new(table.panel.clone());
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let mut asked = request();
        asked.id = RequestId::new(table.run, number);
        asked.deadline = WallTime(i64::MAX / 2);
        let id = asked.id;
        table.runtime.block_on(async {
            let answering = async {
                while table.requests.list().is_empty() {
                    tokio::task::yield_now().await;
                }
                let answer = Answer {
                    kind: VerdictKind::Deny { text: None },
                    by: Answerer::Person {
                        surface: Surface::Terminal,
                    },
                    digest: None,
                };
                let _ = table.requests.answer(id, answer).await.unwrap();
            };
            tokio::join!(handler.resolve(asked), answering);
        });
    });
}

/// A person, four automatic answerers' worth: three hooks that stay and never answer, and a classifier.
#[divan::bench]
fn race_of_five(bencher: Bencher<'_, '_>) {
    let silent = |number: u32| {
        let line = format!("read -r line; sleep 60{number}");
        hook(HookEvent::PermissionRequest, HookLife::Resident, &line)
    };
    let table = table((0..3).map(silent).collect(), Some(Arc::new(Slow)));
    race(bencher, &table);
}

/// The floor: the same question, and the person alone.
#[divan::bench]
fn question_alone(bencher: Bencher<'_, '_>) {
    race(bencher, &table(Vec::new(), None));
}
