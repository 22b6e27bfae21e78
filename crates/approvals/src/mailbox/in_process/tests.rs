use std::time::Duration;

use pointsman_model::{Outcome, VerdictKind};

use super::*;
use crate::sample;

fn of(worker: u32, number: u32) -> PermissionRequest {
    sample::request_of(number, sample::lineage(&[worker]))
}

fn verdict(letter: &Letter) -> Verdict {
    Verdict {
        kind: VerdictKind::Deny { text: None },
        by: sample::person(),
        at: sample::START,
        digest: letter.request().digest,
    }
}

#[tokio::test]
async fn law_11_a_worker_hears_queued_when_the_leader_says_so_and_not_before() {
    let (mailbox, mut inbox) = in_process(4);
    let forward = tokio::spawn(async move { mailbox.forward(of(1, 1)).await });
    let mut letter = inbox.next().await.unwrap();
    tokio::task::yield_now().await;
    assert!(!forward.is_finished(), "told before it was stored");
    letter.queued();
    let mut forwarded = forward.await.unwrap().unwrap();
    let verdict = verdict(&letter);
    letter.deliver(verdict.clone());
    assert_eq!(forwarded.verdict().await, Ok(verdict));
}

#[tokio::test]
async fn law_18_any_depth_arrives_with_its_whole_lineage() {
    let (mailbox, mut inbox) = in_process(4);
    for depth in [1_u32, 2, 3, 5] {
        let lineage = sample::lineage(&(1..=depth).collect::<Vec<_>>());
        let request = sample::request_of(depth, lineage.clone());
        let sender = mailbox.clone();
        let forward = tokio::spawn(async move { sender.forward(request).await.map(drop) });
        let mut letter = inbox.next().await.unwrap();
        assert_eq!(letter.request().lineage, lineage);
        letter.queued();
        forward.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_noisy_worker_holds_up_nobody_but_itself() {
    let (mailbox, mut inbox) = in_process(64);
    let mut senders = tokio::task::JoinSet::new();
    for number in 0..200 {
        let mailbox = mailbox.clone();
        senders.spawn(async move { mailbox.forward(of(1, number)).await.map(drop) });
    }
    // The noisy worker has sent all it may.
    while mailbox.tx.len() < LETTERS_PER_WORKER_MAX {
        tokio::task::yield_now().await;
    }
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(mailbox.tx.len(), LETTERS_PER_WORKER_MAX);
    let quiet = {
        let mailbox = mailbox.clone();
        tokio::spawn(async move { mailbox.forward(of(2, 900)).await.map(drop) })
    };
    while mailbox.tx.len() <= LETTERS_PER_WORKER_MAX {
        tokio::task::yield_now().await;
    }
    let turns = |letter: &Letter| letter.request().lineage.agent().worker.number();
    let first = inbox.next().await.unwrap();
    let second = inbox.next().await.unwrap();
    assert_eq!([turns(&first), turns(&second)], [1, 2]);
    for mut letter in [first, second] {
        letter.queued();
    }
    quiet.await.unwrap().unwrap();
    // All the others arrive too; none is dropped.
    for _ in 1..200 {
        inbox.next().await.unwrap().queued();
    }
    while let Some(sent) = senders.join_next().await {
        sent.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_mailbox_makes_a_worker_wait_and_loses_nothing() {
    let (mailbox, mut inbox) = in_process(1);
    let _first = tokio::spawn({
        let mailbox = mailbox.clone();
        async move { mailbox.forward(of(1, 1)).await.map(drop) }
    });
    let second = tokio::spawn(async move { mailbox.forward(of(2, 2)).await.map(drop) });
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!second.is_finished(), "a full queue is no failure");
    for number in [1, 2] {
        let mut letter = inbox.next().await.unwrap();
        assert_eq!(letter.request().id.number(), number);
        letter.queued();
    }
    second.await.unwrap().unwrap();
}

#[tokio::test]
async fn law_19_a_worker_hears_that_its_request_did_not_arrive() {
    let (mailbox, mut inbox) = in_process(4);
    let id = of(1, 1).id;
    let forward = |mailbox: &InProcessMailbox| {
        let mailbox = mailbox.clone();
        tokio::spawn(async move { mailbox.forward(of(1, 1)).await.map(drop) })
    };
    let lost = forward(&mailbox);
    drop(inbox.next().await.unwrap());
    assert_eq!(lost.await.unwrap(), Err(ForwardError::Lost(id)));

    let refused = forward(&mailbox);
    let why = Undelivered::NotStored("no space".into());
    inbox.next().await.unwrap().refuse(why);
    let not_stored = ForwardError::NotStored {
        request: id,
        why: "no space".into(),
    };
    assert_eq!(refused.await.unwrap(), Err(not_stored));

    let mut gone = {
        let mailbox = mailbox.clone();
        let sent = tokio::spawn(async move { mailbox.forward(of(1, 1)).await });
        inbox.next().await.unwrap().queued();
        sent.await.unwrap().unwrap()
    };
    assert_eq!(gone.verdict().await, Err(ForwardError::Lost(id)));

    let waiting = forward(&mailbox);
    while mailbox.tx.is_empty() {
        tokio::task::yield_now().await;
    }
    drop(inbox);
    assert_eq!(waiting.await.unwrap(), Err(ForwardError::Closed));
    let closed = forward(&mailbox).await.unwrap();
    assert_eq!(closed, Err(ForwardError::Closed));
}

#[tokio::test]
async fn law_21_a_worker_that_stops_waiting_is_noticed() {
    let (mailbox, mut inbox) = in_process(4);
    let forward = tokio::spawn(async move { mailbox.forward(of(1, 1)).await });
    let mut letter = inbox.next().await.unwrap();
    letter.queued();
    let forwarded = forward.await.unwrap().unwrap();
    {
        let mut withdrawn = Box::pin(letter.withdrawn());
        assert!(futures_util::poll!(&mut withdrawn).is_pending());
        drop(forwarded);
        withdrawn.await;
    }
    let verdict = verdict(&letter);
    assert_eq!(verdict.outcome(), Outcome::DeniedByPerson);
    letter.deliver(verdict);
}

#[tokio::test]
async fn law_12_a_worker_that_waits_for_a_slot_hears_when_the_leader_goes() {
    let (mailbox, inbox) = in_process(64);
    let senders: Vec<_> = (0..=LETTERS_PER_WORKER_MAX)
        .map(|number| {
            let mailbox = mailbox.clone();
            let request = of(1, u32::try_from(number).unwrap());
            tokio::spawn(async move { mailbox.forward(request).await.map(drop) })
        })
        .collect();
    while mailbox.tx.len() < LETTERS_PER_WORKER_MAX {
        tokio::task::yield_now().await;
    }
    // All slots lie with letters in the channel, which is never emptied.
    drop(inbox);
    for sender in senders {
        assert_eq!(sender.await.unwrap(), Err(ForwardError::Closed));
    }
}
