//! Worker to leader to worker: the floor, the mailbox, and the whole way over the disk.

use pointsman_approvals::{Mailbox as _, in_process};
use pointsman_model::{
    Answerer, Attended, PermissionRequest, RequestId, RunId, Verdict, VerdictKind, WallTime,
};
use pointsman_testkit::{Operator, Reply};
use tokio::runtime::Runtime;

use crate::stage::{Stage, storm_jobs};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// The floor: a number there and back through two bounded flume channels.
#[divan::bench]
fn bare_flume(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    let (ask, asked) = flume::bounded::<u32>(64);
    let (answer, answered) = flume::bounded::<u32>(64);
    let leader = runtime.spawn(async move {
        while let Ok(number) = asked.recv_async().await {
            if answer.send_async(number).await.is_err() {
                break;
            }
        }
    });
    bencher.bench_local(|| {
        runtime.block_on(async {
            ask.send_async(1).await.unwrap();
            answered.recv_async().await.unwrap()
        })
    });
    leader.abort();
}

/// The mailbox in between, with a leader that stores nothing: letter there, "queued" back, verdict back.
#[divan::bench]
fn mailbox_without_disk(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    let request = a_request(&runtime);
    let (mailbox, mut inbox) = in_process(64);
    let leader = runtime.spawn(async move {
        while let Some(mut letter) = inbox.next().await {
            let digest = letter.request().digest;
            letter.queued();
            letter.deliver(Verdict {
                kind: VerdictKind::Deny { text: None },
                by: Answerer::Ladder,
                at: WallTime(0),
                digest,
            });
        }
    });
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let request = PermissionRequest {
            id: RequestId::new(RunId::FIRST, number),
            ..request.clone()
        };
        runtime.block_on(async {
            let mut forwarded = mailbox.forward(request).await.unwrap();
            forwarded.verdict().await.unwrap()
        })
    });
    leader.abort();
}

/// The whole way of one question from depth 2: forwarded, judged, on disk, shown, answered, on disk, delivered,
/// run, recorded. A new run each time, so what a run costs by itself is in it.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn whole_run_of_one_question(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    let stage = Stage::new();
    bencher.bench_local(|| {
        runtime.block_on(async {
            let (handle, leader) = stage.start(&storm_jobs(1), Attended::Yes).await;
            let operator = Operator::new(handle.requests().clone(), |_| Reply::allow());
            let operator = tokio::spawn(operator.work());
            let summary = leader.finish().await;
            operator.await.unwrap();
            summary
        })
    });
}

/// A real request, as a run makes it.
fn a_request(runtime: &Runtime) -> PermissionRequest {
    let stage = Stage::new();
    let (_, report) = runtime.block_on(stage.run_with(&storm_jobs(1), |_| Reply::allow()));
    report
        .seen
        .first()
        .map(|seen| PermissionRequest::clone(seen))
        .unwrap()
}
