//! The service over a real ledger.

use std::collections::HashSet;

use pointsman_ledger::{Filter, LedgerReader, RecordBody, RecordKind};
use pointsman_model::{PermissionRequest, WallTime};
use tokio::task::JoinHandle;

use super::*;
use crate::sample::{self, Place};

struct Running {
    place: Place,
    requests: Requests,
    shutdown: CancellationToken,
    service: JoinHandle<()>,
}

impl Running {
    async fn new() -> Self {
        Self::with(&RequestsOptions::default()).await
    }

    async fn with(options: &RequestsOptions) -> Self {
        let place = Place::new().await;
        let clock = Arc::new(place.clock.clone());
        let (requests, service) = RequestsService::new(place.ledger.clone(), clock, options);
        let shutdown = CancellationToken::new();
        let service = tokio::spawn(service.run(shutdown.clone()));
        Self {
            place,
            requests,
            shutdown,
            service,
        }
    }

    fn reader(&self) -> LedgerReader {
        self.place.ledger.reader().unwrap()
    }

    fn kinds_of(&self, request: &PermissionRequest) -> Vec<RecordKind> {
        let filter = Filter {
            request: Some(request.id),
            ..Filter::default()
        };
        let list = self.reader().records(&filter).unwrap();
        list.records.iter().map(|r| r.body.kind()).collect()
    }

    async fn answer(&self, number: u32, kind: VerdictKind) -> Answered {
        let id = sample::request(number).id;
        let answer = sample::answer(kind, sample::person());
        self.requests.answer(id, answer).await.unwrap()
    }
}

#[tokio::test]
async fn law_11_whatever_anyone_hears_of_is_on_disk() {
    let running = Running::new().await;
    let mut events = running.requests.subscribe();
    let request = sample::request(1);
    let open = running.requests.open(request.clone(), Showing::AfterChecks);
    let mut ticket = open.await.unwrap();
    assert_eq!(running.kinds_of(&request), [RecordKind::RequestOpened]);
    let Some(RequestEvent::Opened(open)) = events.next().await else {
        panic!("not told");
    };
    assert!(!open.shown);
    assert_eq!(running.requests.list(), [open]);

    running.requests.show(request.id).await;
    assert_eq!(
        events.next().await,
        Some(RequestEvent::Shown { id: request.id })
    );
    let answered = running.answer(1, sample::allow()).await;
    let verdict = ticket.verdict().await;
    assert_eq!(answered, Answered::Won(verdict.clone()));
    assert_eq!(ticket.verdict().await, verdict, "it is given again");
    assert!(
        running
            .kinds_of(&request)
            .contains(&RecordKind::RequestClosed)
    );
    assert!(matches!(
        events.next().await,
        Some(RequestEvent::Closed { .. })
    ));
    assert!(running.requests.list().is_empty());
}

/// All surfaces have one order: that in which requests came to them. What checks look at first stands behind.
#[tokio::test]
async fn requests_are_listed_in_the_order_in_which_they_were_opened() {
    let running = Running::new().await;
    let mut tickets = Vec::new();
    for (number, showing) in [
        (1, Showing::AfterChecks),
        (2, Showing::AtOnce),
        (3, Showing::AfterChecks),
        (4, Showing::AtOnce),
    ] {
        let request = PermissionRequest {
            // Whatever the order of their ids.
            opened_at: WallTime(1_000 - i64::from(number)),
            ..sample::request(number)
        };
        let open = running.requests.open(request, showing);
        tickets.push(open.await.unwrap());
    }
    let listed = || {
        let list = running.requests.list().into_iter();
        let ids = list.map(|open| open.request.id);
        ids.collect::<Vec<_>>()
    };
    let ids = |numbers: [u32; 4]| numbers.map(|number| sample::request(number).id);
    assert_eq!(listed(), ids([4, 2, 3, 1]));
    let mut events = running.requests.subscribe();
    for number in [3, 1] {
        let id = sample::request(number).id;
        running.requests.show(id).await;
        while events.next().await != Some(RequestEvent::Shown { id }) {}
    }
    assert_eq!(listed(), ids([4, 3, 2, 1]));
}

/// How many requests are raced for, when that is set; `scripts/answer-race` sets a hundred thousand.
const REQUESTS: &str = "POINTSMAN_REQUESTS";

const RACERS: u32 = 64;

#[tokio::test(start_paused = true)]
async fn a_row_of_late_answers_hears_the_truth_each_time_and_fills_no_disk() {
    let running = Running::new().await;
    let open = running.requests.open(sample::request(1), Showing::AtOnce);
    let _ticket = open.await.unwrap();
    let Answered::Won(winner) = running.answer(1, sample::allow()).await else {
        panic!("nobody else has answered");
    };
    for _ in 0..1000 {
        let conflict = Answered::Conflict {
            winner: winner.clone(),
        };
        assert_eq!(running.answer(1, sample::deny()).await, conflict);
    }
    running.place.ledger.close().await;
    let filter = Filter {
        kinds: vec![RecordKind::LateAnswer],
        ..Filter::default()
    };
    let late = running.reader().records(&filter).unwrap().records;
    let numbers: Vec<u32> = late
        .iter()
        .map(|record| match &record.body {
            RecordBody::LateAnswer(late) => late.number,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512]);
}

/// How many of them are open at once.
const OPEN_AT_ONCE: u32 = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn law_9_of_sixty_four_answerers_one_wins_and_all_others_hear_the_truth() {
    let all: u32 = std::env::var(REQUESTS).map_or(100, |number| number.parse().unwrap());
    let running = Running::new().await;
    let mut losers = 0;
    let mut first = 1;
    while first <= all {
        let last = all.min(first + OPEN_AT_ONCE - 1);
        losers += race_for(&running.requests, first..=last).await;
        first = last + 1;
    }
    println!("{all} requests: one winner each, {losers} others, all told the truth");
    assert_eq!(losers, u64::from(all) * u64::from(RACERS - 1));
    assert!(running.reader().verify().unwrap().is_sound());
}

/// All racers answer all these requests; returns how many answers did not win.
async fn race_for(requests: &Requests, numbers: std::ops::RangeInclusive<u32>) -> u64 {
    let mut tickets = Vec::new();
    for number in numbers.clone() {
        let open = requests.open(sample::request(number), Showing::AtOnce);
        tickets.push(open.await.unwrap());
    }
    let mut racers = JoinSet::new();
    for racer in 0..RACERS {
        let (requests, numbers) = (requests.clone(), numbers.clone());
        racers.spawn(async move {
            let mut told = Vec::new();
            let (first, count) = (*numbers.start(), numbers.end() - numbers.start() + 1);
            for at in 0..count {
                // Each begins somewhere else, so that all meet everywhere.
                let number = first + (at + racer * 7) % count;
                let kind = if racer % 2 == 0 {
                    sample::allow()
                } else {
                    sample::deny()
                };
                let answer = sample::answer(kind.clone(), sample::person());
                let id = sample::request(number).id;
                told.push((id, kind, requests.answer(id, answer).await.unwrap()));
            }
            told
        });
    }
    let mut told: std::collections::HashMap<RequestId, Vec<_>> = std::collections::HashMap::new();
    for (id, kind, answered) in racers.join_all().await.into_iter().flatten() {
        told.entry(id).or_default().push((kind, answered));
    }
    let mut losers = 0;
    for mut ticket in tickets {
        let verdict = ticket.verdict().await;
        let of_this = &told[&ticket.id()];
        assert_eq!(of_this.len(), RACERS as usize);
        let mut won = 0;
        for (kind, answered) in of_this {
            match answered {
                Answered::Won(winner) => {
                    won += 1;
                    assert_eq!((winner, kind), (&verdict, &verdict.kind));
                }
                Answered::SameAgain { winner } => {
                    losers += 1;
                    assert_eq!((winner, kind), (&verdict, &verdict.kind));
                }
                Answered::Conflict { winner } => {
                    losers += 1;
                    assert_eq!(winner, &verdict);
                    assert_ne!(kind, &verdict.kind);
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(won, 1);
    }
    losers
}

#[tokio::test(start_paused = true)]
async fn law_12_nobody_answers_and_the_wait_ends_as_expired() {
    let running = Running::new().await;
    let open = running.requests.open(sample::request(1), Showing::AtOnce);
    let mut ticket = open.await.unwrap();
    assert_eq!(ticket.verdict().await.outcome(), Outcome::Expired);
    assert_eq!(running.answer(1, sample::allow()).await, Answered::Expired);
}

#[tokio::test(start_paused = true)]
async fn a_clock_set_forward_is_noticed_without_anyone_asking() {
    let running = Running::new().await;
    let open = running.requests.open(sample::request(1), Showing::AtOnce);
    let mut ticket = open.await.unwrap();
    let begun = Instant::now();
    running
        .place
        .clock
        .set(WallTime(sample::START.0 + 3_600_000));
    assert_eq!(ticket.verdict().await.outcome(), Outcome::Expired);
    assert!(begun.elapsed() <= WALL_CHECK.duration() * 2);
}

#[tokio::test]
async fn law_21_a_dropped_ticket_withdraws_its_request() {
    let running = Running::new().await;
    let mut events = running.requests.subscribe();
    let open = running.requests.open(sample::request(1), Showing::AtOnce);
    drop(open.await.unwrap());
    let closed = loop {
        match events.next().await.unwrap() {
            RequestEvent::Closed { verdict, .. } => break verdict,
            _ => continue,
        }
    };
    assert_eq!(closed.outcome(), Outcome::Cancelled);
    let late = running.answer(1, sample::allow()).await;
    assert!(matches!(late, Answered::Conflict { winner } if winner == *closed));
}

#[tokio::test]
async fn an_open_that_is_given_up_half_way_leaves_nothing_open() {
    let running = Running::new().await;
    let mut events = running.requests.subscribe();
    {
        let open = running.requests.open(sample::request(1), Showing::AtOnce);
        let mut open = Box::pin(open);
        // Polled once: the request is on its way, and nobody waits for it any more.
        assert!(futures_util::poll!(&mut open).is_pending());
    }
    let outcome = loop {
        if let RequestEvent::Closed { verdict, .. } = events.next().await.unwrap() {
            break verdict.outcome();
        }
    };
    assert_eq!(outcome, Outcome::Cancelled);
}

#[tokio::test]
async fn a_stop_reaches_an_agent_and_all_below_it_and_no_other() {
    let running = Running::new().await;
    let lineages: [&[u32]; 4] = [&[1], &[1, 2], &[1, 2, 3], &[4]];
    let mut tickets = Vec::new();
    for (number, lineage) in (1..).zip(lineages) {
        let request = sample::request_of(number, sample::lineage(lineage));
        let open = running.requests.open(request, Showing::AtOnce);
        tickets.push(open.await.unwrap());
    }
    let subtree = EndScope::SubtreeOf(sample::step(2).worker);
    let count = running
        .requests
        .end_all_of(subtree, Outcome::Cancelled, "stopped by a person")
        .await;
    assert_eq!(count, 2);
    for ticket in &mut tickets[1..3] {
        assert_eq!(ticket.verdict().await.outcome(), Outcome::Cancelled);
    }
    let open: HashSet<_> = running
        .requests
        .list()
        .iter()
        .map(|o| o.request.id)
        .collect();
    assert_eq!(open, HashSet::from([tickets[0].id(), tickets[3].id()]));
    let one = running
        .requests
        .end(tickets[0].id(), Outcome::Superseded, "changed");
    assert!(one.await);
    assert_eq!(tickets[0].verdict().await.outcome(), Outcome::Superseded);
    let again = running
        .requests
        .end(tickets[0].id(), Outcome::Superseded, "changed");
    assert!(!again.await);
}

#[tokio::test]
async fn when_the_leader_stops_everyone_is_told_and_nothing_is_opened_any_more() {
    let running = Running::new().await;
    let mut events = running.requests.subscribe();
    let mut tickets = Vec::new();
    for number in 1..=3 {
        let open = running
            .requests
            .open(sample::request(number), Showing::AtOnce);
        tickets.push(open.await.unwrap());
    }
    running.shutdown.cancel();
    running.service.await.unwrap();
    for ticket in &mut tickets {
        assert_eq!(ticket.verdict().await.outcome(), Outcome::Cancelled);
    }
    let mut closed = 0;
    while let Some(event) = events.next().await {
        closed += usize::from(matches!(event, RequestEvent::Closed { .. }));
    }
    assert_eq!(closed, 3, "the subscription ended before all was told");
    let refused = running
        .requests
        .open(sample::request(9), Showing::AtOnce)
        .await;
    assert!(matches!(refused, Err(OpenError::Closed)));
    assert!(running.requests.list().is_empty());
}

#[tokio::test]
async fn a_late_answer_hears_the_truth_from_the_ledger_and_is_kept() {
    let running = Running::new().await;
    let request = sample::request(1);
    let mut ticket = running
        .requests
        .open(request.clone(), Showing::AtOnce)
        .await
        .unwrap();
    let _ = running.answer(1, sample::allow()).await;
    let verdict = ticket.verdict().await;
    // Another service over the same ledger remembers nothing of it.
    let clock = Arc::new(running.place.clock.clone());
    let (other, service) = RequestsService::new(
        running.place.ledger.clone(),
        clock,
        &RequestsOptions::default(),
    );
    let shutdown = CancellationToken::new();
    let service = tokio::spawn(service.run(shutdown.clone()));
    let same = sample::answer(sample::allow(), sample::person());
    assert_eq!(
        other.answer(request.id, same).await.unwrap(),
        Answered::SameAgain {
            winner: verdict.clone()
        }
    );
    let against = sample::answer(sample::deny(), sample::person());
    assert_eq!(
        other.answer(request.id, against).await.unwrap(),
        Answered::Conflict { winner: verdict }
    );
    let unknown = sample::request(77).id;
    let anything = sample::answer(sample::deny(), sample::person());
    assert_eq!(
        other.answer(unknown, anything).await.unwrap(),
        Answered::NotFound
    );
    shutdown.cancel();
    service.await.unwrap();
    running.place.ledger.close().await;
    let late = running
        .kinds_of(&request)
        .into_iter()
        .filter(|kind| *kind == RecordKind::LateAnswer)
        .count();
    assert_eq!(late, 2);
}

#[tokio::test]
async fn a_subscriber_that_lags_is_told_to_look_again() {
    let options = RequestsOptions {
        events_kept_max: 4,
        ..RequestsOptions::default()
    };
    let running = Running::with(&options).await;
    let mut events = running.requests.subscribe();
    let mut tickets = Vec::new();
    for number in 1..=20 {
        let open = running
            .requests
            .open(sample::request(number), Showing::AtOnce);
        tickets.push(open.await.unwrap());
    }
    assert!(matches!(
        events.next().await,
        Some(RequestEvent::Missed { events }) if events >= 16
    ));
    assert_eq!(running.requests.list().len(), 20);
}

#[tokio::test]
async fn a_request_that_is_brought_twice_is_one_request_with_one_verdict() {
    let running = Running::new().await;
    let open = || running.requests.open(sample::request(1), Showing::AtOnce);
    let (mut one, two) = (open().await.unwrap(), open().await.unwrap());
    drop(two);
    let _ = running.answer(1, sample::deny()).await;
    let verdict = one.verdict().await;
    assert_eq!(verdict.outcome(), Outcome::DeniedByPerson);
    let mut third = open().await.unwrap();
    assert_eq!(third.verdict().await, verdict);
    let opened = running.kinds_of(&sample::request(1));
    assert_eq!(
        opened,
        [RecordKind::RequestOpened, RecordKind::RequestClosed]
    );
}

#[tokio::test]
async fn a_disk_that_fails_asks_nobody_and_leaves_nobody_waiting() {
    let running = Running::new().await;
    let open = running.requests.open(sample::request(1), Showing::AtOnce);
    let mut ticket = open.await.unwrap();
    running.place.ledger.close().await;
    let refused = running
        .requests
        .open(sample::request(2), Showing::AtOnce)
        .await;
    assert!(matches!(refused, Err(OpenError::NotStored(_))));
    assert_eq!(running.requests.list().len(), 1);
    let answer = sample::answer(sample::allow(), sample::person());
    let refused = running.requests.answer(ticket.id(), answer).await;
    assert!(matches!(refused, Err(AnswerError::NotStored(_))));
    assert_eq!(running.requests.list().len(), 1, "it is open still");
    assert!(
        running
            .requests
            .end(ticket.id(), Outcome::Cancelled, "stop")
            .await
    );
    assert_eq!(ticket.verdict().await.outcome(), Outcome::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_while_the_leader_stops_is_told() {
    for _ in 0..20 {
        let running = Running::new().await;
        let mut asking = JoinSet::new();
        for number in 1..=50 {
            let requests = running.requests.clone();
            asking.spawn(async move {
                match requests
                    .open(sample::request(number), Showing::AtOnce)
                    .await
                {
                    Ok(mut ticket) => ticket.verdict().await.outcome() == Outcome::Cancelled,
                    Err(error) => matches!(error, OpenError::Closed),
                }
            });
        }
        running.shutdown.cancel();
        running.service.await.unwrap();
        assert!(asking.join_all().await.into_iter().all(|told| told));
    }
}
