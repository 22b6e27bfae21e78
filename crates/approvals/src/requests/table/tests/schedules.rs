//! The table with one owner and many threads that speak to it, under schedules that are drawn by lot.

use shuttle::sync::mpsc;
use shuttle::thread;

use super::*;

/// What a thread asks of the table's owner.
enum Message {
    Take(Step),
    /// The disk has finished its oldest store.
    Disk(Disk),
}

/// Answerers, agents, operators and a disk that fails now and then, all at once; how many schedules are tried is set by
/// `POINTSMAN_SCHEDULES`.
#[test]
fn shuttle_law_9_one_verdict_whoever_speaks_when() {
    let schedules =
        std::env::var("POINTSMAN_SCHEDULES").map_or(200, |number| number.parse().unwrap());
    for steps in [
        &[Step::Stop, Step::Touch][..],
        &[Step::Withdraw, Step::Again],
        &[Step::Expire, Step::TimePasses],
        &[Step::Shutdown, Step::Again, Step::Touch],
    ] {
        let model = move || race(steps);
        shuttle::check_random(model, schedules);
        shuttle::check_pct(model, schedules, 3);
    }
}

fn race(more: &'static [Step]) {
    let (tx, messages) = mpsc::channel();
    let answers = [Step::Allow, Step::Deny, Step::Hook, Step::Allow, Step::Deny];
    let mut threads: Vec<_> = answers
        .into_iter()
        .chain(more.iter().copied())
        .map(|step| {
            let tx = tx.clone();
            thread::spawn(move || tx.send(Message::Take(step)).unwrap())
        })
        .collect();
    threads.push(thread::spawn(move || {
        for disk in [Disk::Takes, Disk::Fails, Disk::Takes, Disk::Takes] {
            tx.send(Message::Disk(disk)).unwrap();
        }
    }));
    let owner = thread::spawn(move || {
        let mut harness = Harness::new();
        harness.open();
        let mut order = Vec::new();
        let mut opening = true;
        for message in messages {
            match message {
                Message::Take(step) => {
                    order.push(step);
                    harness.take(step);
                }
                // A request that was never stored has no verdict, which is another test's matter.
                Message::Disk(_) if opening => {
                    opening = false;
                    harness.finish_store(Disk::Takes);
                }
                Message::Disk(disk) => harness.finish_store(disk),
            }
        }
        (harness, order)
    });
    for thread in threads {
        thread.join().unwrap();
    }
    let (mut harness, order) = owner.join().unwrap();
    while !harness.in_flight.is_empty() {
        harness.finish_store(Disk::Takes);
    }
    harness.take(Step::Expire);
    while !harness.in_flight.is_empty() {
        harness.finish_store(Disk::Takes);
    }
    assert!(harness.table.is_empty(), "{order:?}: left open");
    harness.check(&order);
}
