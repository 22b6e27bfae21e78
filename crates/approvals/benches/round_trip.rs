//! A question there and back: over the durable service with others pending, and the mailbox in
//! memory beside bare flume.

#![expect(
    clippy::expect_used,
    reason = "a bench that can't be set up has nothing to measure"
)]

use std::sync::Arc;

use divan::{Bencher, counter::ItemsCount};
use pointsman_approvals::{
    Answer, Answered, InProcessMailbox, Inbox, Mailbox as _, Requests, RequestsOptions,
    RequestsService, Ticket, in_process,
};
use pointsman_ledger::{Clock as _, Ledger, RunStart, Showing, SystemClock};
use pointsman_model::{
    AbsPath, AgentName, Answerer, Attended, CallId, DecisionReason, Digest, Effects, ExecutedCall,
    IfNobody, Insistence, JsonText, Judgement, Lineage, LineageStep, Matched, Millis, Origin,
    OtherInput, PermissionDecision, PermissionMode, PermissionRequest, RequestId, RunId, Surface,
    ToolInput, ToolName, Trail, Verdict, VerdictKind, WorkerId,
};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

fn request(run: RunId, number: u32) -> PermissionRequest {
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

fn allow() -> VerdictKind {
    VerdictKind::Allow {
        edited: None,
        grant: None,
    }
}

fn person() -> Answerer {
    Answerer::Person {
        surface: Surface::Terminal,
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime")
}

/// A service over a ledger on disk, with so many requests pending.
struct Durable {
    _folder: tempfile::TempDir,
    runtime: Runtime,
    requests: Requests,
    run: RunId,
    next: u32,
    _pending: Vec<Ticket>,
}

impl Durable {
    fn with_pending(pending: u32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = runtime();
        let path = folder.path().join("ledger.db");
        let clock = Arc::new(SystemClock);
        let (ledger, _) = Ledger::open(&path, clock.clone()).expect("a ledger");
        let start = RunStart {
            project: AbsPath::root(),
            job_file: None,
            job_file_digest: None,
            attended: Attended::Yes,
            version: "0".into(),
        };
        let run = runtime.block_on(ledger.begin_run(start)).expect("a run");
        let options = RequestsOptions::default();
        let (requests, service) = RequestsService::new(ledger, clock, &options);
        runtime.spawn(service.run(CancellationToken::new()));
        let tickets = runtime.block_on(async {
            let mut opens = tokio::task::JoinSet::new();
            for number in 1..=pending {
                let requests = requests.clone();
                opens.spawn(
                    async move { requests.open(request(run, number), Showing::AtOnce).await },
                );
            }
            opens.join_all().await
        });
        Self {
            _folder: folder,
            runtime,
            requests,
            run,
            next: pending,
            _pending: tickets.into_iter().map(|t| t.expect("a ticket")).collect(),
        }
    }

    /// So many questions opened and answered, all at once.
    fn round_trips(&mut self, count: u32) {
        let from = self.next;
        self.next += count;
        self.runtime.block_on(async {
            let mut trips = tokio::task::JoinSet::new();
            for number in from + 1..=from + count {
                let (requests, run) = (self.requests.clone(), self.run);
                trips.spawn(round_trip(requests, run, number));
            }
            while let Some(trip) = trips.join_next().await {
                trip.expect("a task");
            }
        });
    }
}

async fn round_trip(requests: Requests, run: RunId, number: u32) {
    let open = requests.open(request(run, number), Showing::AtOnce);
    let mut ticket = open.await.expect("a ticket");
    let answer = Answer {
        kind: allow(),
        by: person(),
        digest: None,
    };
    let answered = requests.answer(ticket.id(), answer).await;
    assert!(matches!(answered, Ok(Answered::Won(_))));
    ticket.verdict().await;
}

#[divan::bench(args = [1, 1000, 100_000], sample_count = 20, sample_size = 1)]
fn durable_one_by_pending(bencher: Bencher<'_, '_>, pending: u32) {
    let mut durable = Durable::with_pending(pending);
    bencher.bench_local(|| durable.round_trips(1));
}

#[divan::bench(args = [1000, 10_000], sample_count = 10, sample_size = 1)]
fn durable_many_at_once(bencher: Bencher<'_, '_>, askers: u32) {
    let mut durable = Durable::with_pending(1);
    bencher
        .counter(ItemsCount::new(askers))
        .bench_local(|| durable.round_trips(askers));
}

/// Takes each letter, says at once that it is queued, and answers it.
async fn answer_all(mut inbox: Inbox) {
    while let Some(mut letter) = inbox.next().await {
        letter.queued();
        let verdict = Verdict {
            kind: allow(),
            by: person(),
            at: SystemClock.now(),
            digest: letter.request().digest,
        };
        letter.deliver(verdict);
    }
}

const TRIPS: u32 = 1000;

#[divan::bench(sample_count = 50)]
fn mailbox_in_memory(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (mailbox, inbox): (InProcessMailbox, Inbox) = in_process(1024);
    runtime.spawn(answer_all(inbox));
    let run = RunId::new(1).expect("a run");
    let template = request(run, 1);
    bencher.counter(ItemsCount::new(TRIPS)).bench_local(|| {
        let (mailbox, template) = (mailbox.clone(), template.clone());
        let trips = runtime.spawn(async move {
            for _ in 0..TRIPS {
                let mut sent = mailbox.forward(template.clone()).await.expect("queued");
                sent.verdict().await.expect("a verdict");
            }
        });
        runtime.block_on(trips).expect("a task");
    });
}

/// The floor: a number there by flume, and back by oneshot.
#[divan::bench(sample_count = 50)]
fn floor_bare_flume(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (tx, rx) = flume::bounded::<(u32, tokio::sync::oneshot::Sender<u32>)>(1024);
    runtime.spawn(async move {
        while let Ok((number, back)) = rx.recv_async().await {
            let _ = back.send(number);
        }
    });
    bencher.counter(ItemsCount::new(TRIPS)).bench_local(|| {
        let tx = tx.clone();
        let trips = runtime.spawn(async move {
            for number in 0..TRIPS {
                let (back, answer) = tokio::sync::oneshot::channel();
                tx.send_async((number, back)).await.expect("sent");
                answer.await.expect("an answer");
            }
        });
        runtime.block_on(trips).expect("a task");
    });
}
