//! The mailbox in memory: one trip at a time with others pending, a storm of a hundred thousand, and
//! what one that waits takes.

use divan::{Bencher, counter::ItemsCount};
use pointsman_approvals::{Forwarded, InProcessMailbox, Inbox, Letter, Mailbox as _, in_process};
use pointsman_ledger::{Clock as _, SystemClock};
use pointsman_model::{PermissionRequest, RunId, Verdict};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::question::{allow, person, request, runtime};

/// How many make a crowd.
const CROWD: u32 = 100_000;

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
    let (tx, rx) = flume::bounded::<(u32, oneshot::Sender<u32>)>(1024);
    runtime.spawn(async move {
        while let Ok((number, back)) = rx.recv_async().await {
            let _ = back.send(number);
        }
    });
    bencher.counter(ItemsCount::new(TRIPS)).bench_local(|| {
        let tx = tx.clone();
        let trips = runtime.spawn(async move {
            for number in 0..TRIPS {
                let (back, answer) = oneshot::channel();
                tx.send_async((number, back)).await.expect("sent");
                answer.await.expect("an answer");
            }
        });
        runtime.block_on(trips).expect("a task");
    });
}

fn verdict_on(request: &PermissionRequest) -> Verdict {
    Verdict {
        kind: allow(),
        by: person(),
        at: SystemClock.now(),
        digest: request.digest,
    }
}

/// Tells each letter that it is queued, keeps the first so many, and answers all others at once.
async fn answer_after(mut inbox: Inbox, kept: u32) {
    let mut pending: Vec<Letter> = Vec::new();
    while let Some(mut letter) = inbox.next().await {
        letter.queued();
        if pending.len() < kept as usize {
            pending.push(letter);
        } else {
            let verdict = verdict_on(letter.request());
            letter.deliver(verdict);
        }
    }
}

fn park(runtime: &Runtime, mailbox: &InProcessMailbox, run: RunId, count: u32) -> Vec<Forwarded> {
    runtime.block_on(async {
        let mut asking = JoinSet::new();
        for number in 1..=count {
            let mailbox = mailbox.clone();
            asking.spawn(async move { mailbox.forward(request(run, number)).await });
        }
        let asked = asking.join_all().await;
        asked
            .into_iter()
            .map(|sent| sent.expect("queued"))
            .collect()
    })
}

#[divan::bench(args = [1, 1000, 100_000], sample_count = 50)]
fn mailbox_in_memory_by_pending(bencher: Bencher<'_, '_>, pending: u32) {
    let runtime = runtime();
    let (mailbox, inbox) = in_process(1024);
    runtime.spawn(answer_after(inbox, pending));
    let run = RunId::new(1).expect("a run");
    let parked = park(&runtime, &mailbox, run, pending);
    let template = request(run, pending + 1);
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
    drop(parked);
}

/// A hundred thousand workers ask at once and are answered as they come.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn storm(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (mailbox, inbox) = in_process(1024);
    runtime.spawn(answer_all(inbox));
    let run = RunId::new(1).expect("a run");
    bencher.counter(ItemsCount::new(CROWD)).bench_local(|| {
        runtime.block_on(async {
            let mut asking = JoinSet::new();
            for number in 1..=CROWD {
                let mailbox = mailbox.clone();
                asking.spawn(async move {
                    let mut sent = mailbox.forward(request(run, number)).await.expect("queued");
                    sent.verdict().await.expect("a verdict");
                });
            }
            asking.join_all().await;
        });
    });
}

/// The floor of the storm: as many tasks, each with its request, by bare flume and oneshot.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn floor_storm_bare_flume(bencher: Bencher<'_, '_>) {
    type Asked = (Box<PermissionRequest>, oneshot::Sender<Verdict>);
    let runtime = runtime();
    let (tx, rx) = flume::bounded::<Asked>(1024);
    runtime.spawn(async move {
        while let Ok((request, back)) = rx.recv_async().await {
            let _ = back.send(verdict_on(&request));
        }
    });
    let run = RunId::new(1).expect("a run");
    bencher.counter(ItemsCount::new(CROWD)).bench_local(|| {
        runtime.block_on(async {
            let mut asking = JoinSet::new();
            for number in 1..=CROWD {
                let tx = tx.clone();
                asking.spawn(async move {
                    let (back, answer) = oneshot::channel();
                    tx.send_async((Box::new(request(run, number)), back))
                        .await
                        .expect("sent");
                    answer.await.expect("a verdict");
                });
            }
            asking.join_all().await;
        });
    });
}

/// Parks a crowd and prints what each of it takes, beside a crowd by bare flume and oneshot.
pub(crate) fn report() {
    let run = RunId::new(1).expect("a run");
    let bare = {
        let runtime = runtime();
        let (tx, rx) = flume::bounded::<(Box<PermissionRequest>, oneshot::Sender<Verdict>)>(1024);
        let before = resident_bytes();
        let (kept, waiting) = runtime.block_on(async {
            let mut waiting = JoinSet::new();
            for number in 1..=CROWD {
                let tx = tx.clone();
                waiting.spawn(async move {
                    let (back, answer) = oneshot::channel();
                    let sent = tx.send_async((Box::new(request(run, number)), back)).await;
                    sent.expect("sent");
                    answer.await.is_ok()
                });
            }
            let mut kept = Vec::with_capacity(CROWD as usize);
            while kept.len() < CROWD as usize {
                kept.push(rx.recv_async().await.expect("a request"));
            }
            (kept, waiting)
        });
        let taken = resident_bytes().saturating_sub(before);
        drop((kept, waiting));
        taken
    };
    let ours = {
        let runtime = runtime();
        let (mailbox, mut inbox) = in_process(1024);
        let before = resident_bytes();
        let (kept, waiting) = runtime.block_on(async {
            let mut waiting = JoinSet::new();
            for number in 1..=CROWD {
                let mailbox = mailbox.clone();
                waiting.spawn(async move {
                    let mut sent = mailbox.forward(request(run, number)).await.expect("queued");
                    sent.verdict().await.is_ok()
                });
            }
            let mut kept = Vec::with_capacity(CROWD as usize);
            while kept.len() < CROWD as usize {
                let mut letter = inbox.next().await.expect("a letter");
                letter.queued();
                kept.push(letter);
            }
            (kept, waiting)
        });
        let taken = resident_bytes().saturating_sub(before);
        drop((kept, waiting));
        taken
    };
    let each = |bytes: u64| bytes / u64::from(CROWD);
    println!("{CROWD} workers that wait, each with its task, its question and its way back");
    println!("  by this mailbox            {:>6} bytes each", each(ours));
    println!("  by bare flume and oneshot  {:>6} bytes each", each(bare));
    println!();
}

/// The memory that this process has in use, as the kernel counts it.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}
