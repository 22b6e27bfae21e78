//! The storm: 1,000 jobs at once, each with an agent below it that forwards one question. None is
//! answered before all are open, so that memory is read with every worker parked.

use std::sync::Arc;
use std::time::Instant;

use pointsman_approvals::{Answer, Answered, Requests};
use pointsman_model::{Answerer, Attended, Surface, VerdictKind};
use pointsman_swarm::ExitCode;

use crate::stage::{Stage, storm_jobs};

const WORKERS: usize = 1_000;

/// Runs the storm once and prints what it took.
pub(crate) fn report() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(storm());
}

async fn storm() {
    let stage = Stage::new();
    let before = resident_kib();
    let started = Instant::now();
    let (handle, leader) = stage.start(&storm_jobs(WORKERS), Attended::Yes).await;
    let run = tokio::spawn(leader.finish());
    let requests = handle.requests().clone();
    while requests.list().iter().filter(|open| open.shown).count() < WORKERS {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let asked = started.elapsed();
    let parked = resident_kib();
    let answering = Instant::now();
    let won = answer_all(&requests).await;
    let summary = run.await.unwrap();
    let answered = answering.elapsed();
    assert_eq!((summary.exit, won), (ExitCode::Done, WORKERS));
    assert_eq!(summary.counts.questions, WORKERS as u64);

    println!("storm: {WORKERS} jobs at once, an agent below each, one forwarded question each");
    println!("  all started, forwarded, stored and shown   {asked:>10.1?}");
    println!("  all answered, stored, run and ended        {answered:>10.1?}");
    println!("  verdicts                                   {won:>10} of {WORKERS}, each once");
    println!(
        "  memory (RSS)                               {:>6} MiB before, {} MiB with all parked",
        before / 1024,
        parked / 1024
    );
    println!(
        "  a parked job with its agent and question   {:>6.1} KiB",
        parked.saturating_sub(before) as f64 / WORKERS as f64
    );
    println!();
}

/// Answers all open questions, many at a time as a crowd of operators would; how many answers won.
async fn answer_all(requests: &Requests) -> usize {
    let mut answers = tokio::task::JoinSet::new();
    for open in requests.list() {
        let requests = requests.clone();
        let open = Arc::clone(&open);
        answers.spawn(async move {
            let answer = Answer {
                kind: VerdictKind::Allow {
                    edited: None,
                    grant: None,
                },
                by: Answerer::Person {
                    surface: Surface::Command,
                },
                digest: Some(open.request.digest),
            };
            let answered = requests.answer(open.request.id, answer).await.unwrap();
            usize::from(matches!(answered, Answered::Won(_)))
        });
    }
    answers.join_all().await.into_iter().sum()
}

/// Resident memory of this process, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
