//! Questions and verdicts between real processes, while the leader is killed again and again: from
//! outside at any moment, or by itself at a named point of a request's way.
//!
//! `scripts/kills` runs ten thousand; without it a few hundred are run.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use pointsman_approvals::{
    Answer, ForwardError, Grants, Mailbox as _, Pass, PostSocket, Reign, RemoteMailbox,
    RequestEvent, Requests, RequestsOptions, RequestsService, SocketDial, in_process, post_office,
    remote,
};
use pointsman_ledger::kill_points::{DIE_AT, KillPoint};
use pointsman_ledger::{
    Clock, Filter, Ledger, LedgerReader, RecordBody, RecordKind, RunStart, SystemClock,
};
use pointsman_model::{
    AbsPath, Answerer, Attended, Millis, Outcome, PermissionRequest, RequestId, RunId, Surface,
    VerdictKind, WorkerId,
};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::{HookSettings, Whose};
use pointsman_process::Environment;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::fixture::question;
use crate::{Adjudicator, CoordinatorHandler, HookPlace, Hooks, LeaderRules, LeaderSays, Panel};

/// How many pairs are wanted, when that is set.
const PAIRS: &str = "POINTSMAN_PAIRS";

const PAIRS_SHORT: u32 = 300;

/// So many are asked of one run at most. Each new leader reads all that its run holds, so that a run of thousands would be
/// a trial of reading.
const PAIRS_OF_A_RUN: u32 = 400;

/// Tells a child that it is a leader, and how.
const LEADER: &str = "POINTSMAN_TEST_LEADER";

/// How many questions are open at once.
const AT_ONCE: u32 = 32;

/// Longer than a whole test takes.
const PATIENCE: Millis = Millis(24 * 3_600_000);

/// How a leader's process is started.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Orders {
    database: PathBuf,
    socket: PathBuf,
    /// The run to take up, and the pass of its worker; nothing for the first leader.
    resumed: Option<(RunId, Pass)>,
}

/// A leader that has no rules of its own.
struct NoRules;

#[async_trait]
impl LeaderRules for NoRules {
    async fn judge(&self, _request: &PermissionRequest) -> LeaderSays {
        LeaderSays::Ask
    }
}

/// The answer that every person gives to this question.
fn answer_to(id: RequestId) -> VerdictKind {
    if id.number().is_multiple_of(2) {
        VerdictKind::Allow {
            edited: None,
            grant: None,
        }
    } else {
        VerdictKind::Deny { text: None }
    }
}

/// A leader's process: serves until it is killed.
fn be_a_leader(orders: &str) -> ! {
    let orders: Orders = serde_json::from_str(orders).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(lead(orders));
    unreachable!("it is killed long before")
}

async fn lead(orders: Orders) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (ledger, _) = Ledger::open(&orders.database, Arc::clone(&clock)).unwrap();
    let (run, reign, left) = match &orders.resumed {
        None => {
            let start = RunStart {
                project: AbsPath::root(),
                job_file: None,
                job_file_digest: None,
                job_file_at: None,
                attended: Attended::Yes,
                version: "0".into(),
            };
            (
                ledger.begin_run(start).await.unwrap(),
                Reign::FIRST,
                Vec::new(),
            )
        }
        Some((run, _)) => {
            let report = ledger.hold_run(*run).await.unwrap().resume().await.unwrap();
            (*run, Reign::resumed(&report), report.open)
        }
    };
    let options = RequestsOptions {
        reign,
        ..RequestsOptions::default()
    };
    let (requests, service) = RequestsService::new(ledger.clone(), Arc::clone(&clock), &options);
    let (mailbox, inbox) = in_process(64);
    let (office, office_service) = post_office(reign.epoch, mailbox);
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    tasks.spawn(service.run(stop.clone()));
    tasks.spawn(office_service.run(stop.clone()));
    let pass = match orders.resumed {
        None => office.admit(WorkerId::new(run, 1)).await.unwrap(),
        Some((_, pass)) => {
            office.readmit(pass.clone()).await.unwrap();
            pass
        }
    };
    let panel = panel(run, ledger, requests.clone(), clock);
    let desk = Adjudicator::new(CoordinatorHandler::new(panel), Arc::new(NoRules));
    tasks.spawn(desk.run(inbox, stop.clone()));
    tasks.spawn(answer_all(requests.clone()));
    let (taken_up, stopped) = (requests.clone(), stop.clone());
    tasks.spawn(async move {
        let _held = taken_up.take_up(left).await;
        stopped.cancelled().await;
    });
    let socket = PostSocket::bind(&orders.socket).unwrap();
    tasks.spawn(socket.run(office, stop));
    // The worker may dial from here on.
    println!("\nready {}", serde_json::to_string(&(run, pass)).unwrap());
    while tasks.join_next().await.is_some() {}
}

fn panel(run: RunId, ledger: Ledger, requests: Requests, clock: Arc<dyn Clock>) -> Panel {
    Panel {
        requests,
        hooks: Arc::new(Hooks::new(
            HookSettings::default(),
            HookPlace {
                project: AbsPath::root(),
                home: AbsPath::root(),
                environment: Environment::empty(),
                attended: Attended::Yes,
                tree: Arc::new(DiskTree),
                allow_rules: Whose::Everyones,
                ledger: Some(ledger.clone()),
            },
        )),
        classifier: None,
        lifts: crate::Lifts::default(),
        votes: crate::Votes::default(),
        grants: Grants::new(run, ledger, Arc::clone(&clock)),
        attended: Attended::Yes,
        clock,
    }
}

/// A person who answers everything at once.
async fn answer_all(requests: Requests) {
    let mut events = requests.subscribe();
    while let Some(event) = events.next().await {
        let shown: Vec<_> = match event {
            RequestEvent::Opened(open) if open.shown => vec![open.request.id],
            RequestEvent::Shown { id } => vec![id],
            RequestEvent::Missed { .. } => requests.list().iter().map(|o| o.request.id).collect(),
            _ => continue,
        };
        for id in shown {
            let answer = Answer {
                kind: answer_to(id),
                by: Answerer::Person {
                    surface: Surface::Command,
                },
                digest: None,
            };
            // One that is answered already says so, which is all right.
            let _ = requests.answer(id, answer).await;
        }
    }
}

/// Starts a leader's process, and waits until it can be dialled. Nothing comes of one that dies before.
fn start(orders: &Orders, die_at: Option<(KillPoint, u64)>) -> (Child, Option<(RunId, Pass)>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "processes::law_20_pairs_between_processes_outlive_every_kill_of_the_leader",
            "--nocapture",
        ])
        .env(LEADER, serde_json::to_string(orders).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some((point, count)) = die_at {
        command.env(DIE_AT, format!("{}:{count}", point.name()));
    }
    let mut child = command.spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let ready = out
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(serde_json::from_str(line.strip_prefix("ready ")?).unwrap()));
    (child, ready)
}

/// How many leaders died, and how.
#[derive(Debug, Default)]
struct Deaths {
    from_outside: u32,
    at_points: BTreeMap<&'static str, u32>,
}

/// Starts leaders and kills them until everything is done.
fn reign_and_kill(mut orders: Orders, first: Child, done: &AtomicU32, pairs: u32) -> Deaths {
    let mut deaths = Deaths::default();
    let mut lot = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |bound: u64| {
        lot ^= lot << 13;
        lot ^= lot >> 7;
        lot ^= lot << 17;
        lot % bound
    };
    let mut child = first;
    let mut point = None;
    let mut at_least = 0;
    loop {
        // It gets some pairs done before it dies, so that all come to their end; how many is left to chance.
        let until = at_least + u32::try_from(draw(60)).unwrap();
        let began = Instant::now();
        let died = loop {
            if let Some(_status) = child.try_wait().unwrap() {
                break true;
            }
            let now_done = done.load(Ordering::SeqCst);
            if now_done >= pairs || (point.is_none() && now_done >= until) {
                break false;
            }
            // A point that is never reached must not hold up the test.
            if began.elapsed() > Duration::from_secs(20) {
                break false;
            }
            std::thread::sleep(Duration::from_micros(200 + draw(3000)));
        };
        if died {
            if let Some((point, _)) = point {
                *deaths.at_points.entry(KillPoint::name(point)).or_default() += 1;
            }
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
            deaths.from_outside += 1;
        }
        at_least = done.load(Ordering::SeqCst);
        if at_least >= pairs {
            return deaths;
        }
        point = match draw(6) {
            0 | 1 => None,
            number => Some((KillPoint::ALL[number as usize - 2], 1 + draw(80))),
        };
        loop {
            let (next, ready) = start(&orders, point);
            child = next;
            if let Some(resumed) = ready {
                orders.resumed = Some(resumed);
                break;
            }
            // It died at its point before it could be dialled.
            child.wait().unwrap();
            if let Some((point, _)) = point.take() {
                *deaths.at_points.entry(KillPoint::name(point)).or_default() += 1;
            }
        }
    }
}

/// Asks one thing until it has its verdict, however often the leader dies meanwhile.
async fn ask(mailbox: RemoteMailbox, request: PermissionRequest) -> (RequestId, Outcome) {
    let id = request.id;
    loop {
        let told = match mailbox.forward(request.clone()).await {
            Ok(mut forwarded) => forwarded.verdict().await,
            Err(error) => Err(error),
        };
        match told {
            Ok(verdict) => return (id, verdict.outcome()),
            Err(ForwardError::Closed | ForwardError::Lost(_) | ForwardError::Unreachable) => {}
            Err(error) => panic!("{id}: {error}"),
        }
    }
}

async fn ask_all(orders: &Orders, pairs: u32, done: Arc<AtomicU32>) -> Vec<(RequestId, Outcome)> {
    let (run, pass) = orders.resumed.clone().unwrap();
    let (mailbox, service) = remote(pass, Arc::new(SocketDial::new(&orders.socket)));
    let mut tasks = JoinSet::new();
    tasks.spawn(service.run(CancellationToken::new()));
    let mut asking = JoinSet::new();
    let mut told = Vec::new();
    for number in 1..=pairs {
        let request = question(run, 1, number, SystemClock.now(), PATIENCE);
        asking.spawn(ask(mailbox.clone(), request));
        while asking.len() >= AT_ONCE as usize || (number == pairs && !asking.is_empty()) {
            told.push(asking.join_next().await.unwrap().unwrap());
            done.fetch_add(1, Ordering::SeqCst);
        }
    }
    told
}

#[test]
fn law_20_pairs_between_processes_outlive_every_kill_of_the_leader() {
    if let Ok(orders) = std::env::var(LEADER) {
        be_a_leader(&orders);
    }
    let pairs = std::env::var(PAIRS).map_or(PAIRS_SHORT, |number| number.parse().unwrap());
    for asked in (0..pairs).step_by(PAIRS_OF_A_RUN as usize) {
        one_run(PAIRS_OF_A_RUN.min(pairs - asked));
    }
}

/// A run of so many pairs whose leaders are killed, one after another.
fn one_run(pairs: u32) {
    let folder = tempfile::tempdir().unwrap();
    let mut orders = Orders {
        database: folder.path().join("ledger.db"),
        socket: folder.path().join("workers.sock"),
        resumed: None,
    };
    let began = Instant::now();
    let (first, ready) = start(&orders, None);
    orders.resumed = ready;
    let run = orders.resumed.clone().unwrap().0;
    let done = Arc::new(AtomicU32::new(0));
    let (told, deaths) = std::thread::scope(|scope| {
        let killer = scope.spawn(|| reign_and_kill(orders.clone(), first, &done, pairs));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let told = runtime.block_on(ask_all(&orders, pairs, Arc::clone(&done)));
        (told, killer.join().unwrap())
    });
    println!(
        "{pairs} pairs in {:?}, leaders killed: {deaths:?}",
        began.elapsed()
    );
    check(
        &LedgerReader::open(&orders.database).unwrap(),
        run,
        &told,
        pairs,
    );
}

/// Whether every question has its one right verdict, on record as its worker was told.
fn check(reader: &LedgerReader, run: RunId, told: &[(RequestId, Outcome)], pairs: u32) {
    assert_eq!(told.len(), pairs as usize, "lost");
    assert!(reader.verify().unwrap().is_sound());
    let filter = Filter {
        kinds: vec![
            RecordKind::RequestOpened,
            RecordKind::RequestReopened,
            RecordKind::RequestClosed,
        ],
        ..Filter::of_run(run)
    };
    let mut verdicts: BTreeMap<RequestId, Vec<_>> = BTreeMap::new();
    let mut opened: BTreeMap<RequestId, u32> = BTreeMap::new();
    for record in reader.records(&filter).unwrap().records {
        match record.body {
            RecordBody::RequestOpened(of) => *opened.entry(of.request.id).or_default() += 1,
            RecordBody::RequestClosed(of) => {
                verdicts.entry(of.request).or_default().push(of.verdict);
            }
            RecordBody::RequestReopened(of) => {
                // Only the end that a leader's death has made may be taken back.
                let taken_back = verdicts.entry(of.request).or_default().pop();
                let interrupted =
                    |verdict: &pointsman_model::Verdict| verdict.outcome() == Outcome::Interrupted;
                assert!(
                    taken_back.as_ref().is_none_or(interrupted),
                    "{taken_back:?}"
                );
            }
            _ => {}
        }
    }
    assert_eq!(opened.len(), pairs as usize);
    assert!(opened.values().all(|count| *count == 1), "asked twice");
    for (id, outcome) in told {
        let [verdict] = &verdicts[id][..] else {
            panic!("{id} has {:?}", verdicts[id]);
        };
        assert_eq!(verdict.kind, answer_to(*id), "{id} has another's answer");
        assert_eq!(verdict.outcome(), *outcome, "{id} was told something else");
    }
}
