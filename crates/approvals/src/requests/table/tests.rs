//! Every order in which things can happen to one request.

mod reigns;
#[cfg(feature = "shuttle")]
mod schedules;

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::time::Duration;

use pointsman_ledger::RequestOpened;

use super::*;
use crate::sample::{self, START};

/// The one request that all is about.
static REQUEST: LazyLock<Arc<PermissionRequest>> = LazyLock::new(|| Arc::new(sample::request(1)));

/// What happens, apart from stores coming to their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A person allows.
    Allow,
    /// Another person denies.
    Deny,
    /// A hook allows.
    Hook,
    /// Time passes beyond the deadline, and the service looks.
    Expire,
    /// Time passes beyond the deadline, and nobody looks.
    TimePasses,
    /// The agent goes away.
    Withdraw,
    /// The operator stops everything.
    Stop,
    /// A person touches the dialog.
    Touch,
    /// The leader stops.
    Shutdown,
    /// The request is brought a second time.
    Again,
}

/// An answer that was given, and what was made of it.
type Given = (
    Answerer,
    VerdictKind,
    oneshot::Receiver<Result<Answered, AnswerError>>,
);

/// What a store comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disk {
    Takes,
    Fails,
}

/// The table with a disk that finishes its stores when it is told to.
struct Harness {
    table: Table,
    now: Now,
    in_flight: VecDeque<(Key, RecordBody)>,
    /// Whether the request is on disk.
    on_record: bool,
    /// Closings that are on disk.
    closings: Vec<Verdict>,
    published: Vec<RequestEvent>,
    touched: bool,
    answers: Vec<Given>,
    waiters: Vec<oneshot::Receiver<Verdict>>,
    opens: Vec<oneshot::Receiver<Result<(), OpenError>>>,
    ends: Vec<oneshot::Receiver<usize>>,
}

impl Harness {
    /// Another request under the id of the one is not taken.
    #[track_caller]
    fn refuses_another_of_the_same_id(&mut self) {
        let (waiter, _verdict) = oneshot::channel();
        let (done, mut opened) = oneshot::channel();
        let other = PermissionRequest {
            digest: pointsman_model::Digest::of(b"another"),
            ..sample::request(1)
        };
        self.handle(Event::Open(Asked {
            request: Arc::new(other),
            showing: Showing::AtOnce,
            opening: Opening::Fresh,
            waiter,
            done,
        }));
        let error = opened.try_recv().unwrap().unwrap_err();
        assert!(matches!(error, OpenError::IdTaken(_)), "{error}");
    }

    fn new() -> Self {
        Self {
            table: Table::new(Millis(0), Reign::FIRST),
            now: Now {
                wall: START,
                mono: Instant::now(),
            },
            in_flight: VecDeque::new(),
            on_record: false,
            closings: Vec::new(),
            published: Vec::new(),
            touched: false,
            answers: Vec::new(),
            waiters: Vec::new(),
            opens: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn handle(&mut self, event: Event) {
        let mut effects = Vec::new();
        self.table.handle(event, self.now, &mut effects);
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Store { key, body, .. } => self.in_flight.push_back((key, body)),
            Effect::Note { .. } | Effect::KeepClose(_) => {}
            Effect::Publish(event) => {
                if let RequestEvent::Closed { verdict, .. } = &event {
                    self.must_be_on_disk(verdict);
                }
                self.published.push(event);
            }
            Effect::LookUp { id, answer, done } => {
                let trace = Ok(self.trace());
                self.handle(Event::LookedUp {
                    id,
                    answer,
                    done,
                    trace,
                });
            }
            Effect::LookUpAsked(asked) => {
                let trace = Ok(self.trace());
                self.handle(Event::AskedLookedUp { asked, trace });
            }
            Effect::Opened(done, result) => drop(done.send(result)),
            Effect::Answered(done, result) => drop(done.send(result)),
            Effect::Ended(done, count) => drop(done.send(count)),
            Effect::Deliver(waiter, verdict) => {
                self.must_be_on_disk(&verdict);
                drop(waiter.send(verdict));
            }
        }
    }

    /// What is on record of the one request.
    fn trace(&self) -> RequestTrace {
        RequestTrace {
            opened: self.on_record.then(|| RequestOpened {
                request: REQUEST.as_ref().clone(),
                showing: Showing::AtOnce,
            }),
            closed: self.closings.last().map(|verdict| RequestClosed {
                request: REQUEST.id,
                call: REQUEST.call.id,
                verdict: verdict.clone(),
            }),
        }
    }

    /// Law 11, but for the refusal that stands in for one that the disk does not take.
    #[track_caller]
    fn must_be_on_disk(&self, verdict: &Verdict) {
        let on_disk = self.closings.contains(verdict);
        assert!(
            on_disk || verdict.outcome() == Outcome::Unavailable,
            "told before stored: {verdict:?}"
        );
    }

    fn finish_store(&mut self, disk: Disk) {
        let Some((key, body)) = self.in_flight.pop_front() else {
            return;
        };
        let result = if disk == Disk::Takes {
            match body {
                RecordBody::RequestClosed(closed) => self.closings.push(closed.verdict),
                RecordBody::RequestOpened(_) => self.on_record = true,
                // It is taken up again: a dead leader's end of it counts no more.
                RecordBody::RequestReopened(_) => self.closings.clear(),
                _ => {}
            }
            Ok(Seq(1))
        } else {
            Err(AppendError::Full("ledger.db".into()))
        };
        self.handle(Event::Stored { key, result });
    }

    fn open(&mut self) {
        let (waiter, verdict) = oneshot::channel();
        let (done, opened) = oneshot::channel();
        self.waiters.push(verdict);
        self.opens.push(opened);
        self.handle(Event::Open(Asked {
            request: Arc::clone(&REQUEST),
            showing: Showing::AtOnce,
            opening: Opening::Fresh,
            waiter,
            done,
        }));
    }

    fn answer(&mut self, kind: VerdictKind, by: Answerer) {
        let (done, answered) = oneshot::channel();
        self.answers.push((by.clone(), kind.clone(), answered));
        self.handle(Event::Answer {
            id: REQUEST.id,
            answer: sample::answer(kind, by),
            seen: Seen::In(Epoch::FIRST),
            done,
        });
    }

    fn take(&mut self, step: Step) {
        let id = REQUEST.id;
        let late = Duration::from_millis(sample::PATIENCE.0 + 1);
        match step {
            Step::Allow => self.answer(sample::allow(), sample::person()),
            Step::Deny => self.answer(sample::deny(), sample::person()),
            Step::Hook => self.answer(sample::allow(), sample::hook()),
            Step::Expire => {
                self.now.mono += late;
                self.handle(Event::Tick);
            }
            Step::TimePasses => self.now.wall = START.plus(late.into()),
            Step::Withdraw => {
                self.waiters.iter_mut().for_each(oneshot::Receiver::close);
                self.handle(Event::Withdraw { id });
            }
            Step::Stop => {
                let (done, ended) = oneshot::channel();
                self.ends.push(ended);
                let ending = Ending::Because {
                    outcome: Outcome::Cancelled,
                    text: "stopped".into(),
                };
                self.handle(Event::End {
                    scope: EndScope::Everything,
                    ending,
                    done,
                });
            }
            Step::Touch => {
                self.touched = true;
                self.handle(Event::Touch { id });
            }
            Step::Shutdown => self.handle(Event::Stop),
            Step::Again => self.open(),
        }
    }

    /// Looks whether everyone was told, exactly once and truly.
    #[track_caller]
    fn check(mut self, steps: &[Step]) {
        assert!(
            self.closings.len() <= 1,
            "two verdicts: {:?}",
            self.closings
        );
        let closed: Vec<_> = self
            .published
            .iter()
            .filter_map(|event| match event {
                RequestEvent::Closed { verdict, .. } => Some(verdict.as_ref().clone()),
                _ => None,
            })
            .collect();
        assert!(closed.len() <= 1, "closed twice: {closed:?}");
        let mut opened = 0;
        for (open, waiter) in self.opens.iter_mut().zip(&mut self.waiters) {
            match open.try_recv().expect("an opener was told nothing") {
                Ok(()) => {
                    opened += 1;
                    // A verdict, and the one there is; nothing only for a ticket that was dropped or a request still open.
                    match waiter.try_recv() {
                        Ok(verdict) => assert_eq!(closed, [verdict]),
                        Err(_) => assert!(steps.contains(&Step::Withdraw) || closed.is_empty()),
                    }
                }
                Err(_) => assert!(waiter.try_recv().is_err(), "a verdict on nothing"),
            }
        }
        let winner = closed.first();
        let mut won = 0;
        for (by, kind, mut answered) in self.answers {
            match answered.try_recv().expect("an answerer was told nothing") {
                Ok(Answered::Won(verdict)) => {
                    won += 1;
                    assert_eq!(Some(&verdict), winner);
                    assert_eq!((verdict.by, verdict.kind), (by, kind));
                }
                Ok(Answered::SameAgain { winner: told }) => {
                    assert_eq!(Some(&told), winner);
                    assert_eq!(told.kind, kind);
                }
                Ok(Answered::Conflict { winner: told }) => {
                    assert_eq!(Some(&told), winner);
                    assert_ne!(told.kind, kind);
                }
                Ok(Answered::Expired) => {
                    assert_eq!(winner.map(Verdict::outcome), Some(Outcome::Expired));
                }
                Ok(Answered::PersonAtIt) => assert!(self.touched && by == sample::hook()),
                Ok(Answered::NotFound) => assert!(winner.is_none() || opened == 0),
                Err(AnswerError::NotStored(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        let by_answer = winner.is_some_and(|verdict| verdict.by != Answerer::Runtime);
        assert_eq!(won, usize::from(by_answer), "{won} winners");
        for mut end in self.ends {
            let count = end.try_recv().expect("a stopper was told nothing");
            assert!(count <= 1);
        }
    }
}

/// All orders of the steps, each with stores that finish as `finish` says: after step number n the oldest store ends if
/// bit n is set. The first `failing` stores behind the opening fail.
fn try_all(steps: &[Step]) {
    let mut orders = Vec::new();
    permute(&mut steps.to_vec(), 0, &mut orders);
    for order in orders {
        for finish in 0..1_u32 << (order.len() + 1) {
            for failing in 0..3_u32 {
                run_through(&order, finish, failing);
            }
        }
    }
}

fn run_through(order: &[Step], finish: u32, mut failing: u32) {
    let mut harness = Harness::new();
    harness.open();
    let mut opening = true;
    let mut store = |harness: &mut Harness| {
        let fails = !opening && failing > 0 && !harness.in_flight.is_empty();
        if fails {
            failing -= 1;
        }
        opening &= harness.in_flight.is_empty();
        harness.finish_store(if fails { Disk::Fails } else { Disk::Takes });
    };
    for (at, step) in order.iter().enumerate() {
        if finish >> at & 1 == 1 {
            store(&mut harness);
        }
        harness.take(*step);
    }
    // In the end each store finishes, and what is still open is found to have expired.
    while !harness.in_flight.is_empty() {
        store(&mut harness);
    }
    if is_given_up(order) {
        assert!(
            harness.table.is_empty(),
            "{order:?}, stores {finish:b}: nobody wants it, and it is open"
        );
    }
    harness.take(Step::Expire);
    while !harness.in_flight.is_empty() {
        store(&mut harness);
    }
    assert!(
        harness.table.is_empty(),
        "{order:?}, stores {finish:b}: left open"
    );
    assert!(harness.table.tallies.is_empty());
    harness.check(order);
}

/// Whether after these steps nobody may be left waiting: the leader stops, or the last ticket was dropped.
fn is_given_up(order: &[Step]) -> bool {
    let last = |wanted: Step| order.iter().rposition(|step| *step == wanted);
    let withdrawn = last(Step::Withdraw);
    order.contains(&Step::Shutdown) || (withdrawn.is_some() && withdrawn > last(Step::Again))
}

fn permute(steps: &mut Vec<Step>, from: usize, orders: &mut Vec<Vec<Step>>) {
    if from == steps.len() {
        orders.push(steps.clone());
    }
    for at in from..steps.len() {
        steps.swap(from, at);
        permute(steps, from + 1, orders);
        steps.swap(from, at);
    }
}

#[test]
fn law_9_exactly_one_verdict_in_every_order_of_answers_and_ends() {
    try_all(&[
        Step::Allow,
        Step::Deny,
        Step::Hook,
        Step::Expire,
        Step::Stop,
    ]);
    try_all(&[
        Step::Allow,
        Step::Deny,
        Step::Withdraw,
        Step::Stop,
        Step::Shutdown,
    ]);
    try_all(&[Step::Allow, Step::Deny, Step::TimePasses, Step::Again]);
    try_all(&[
        Step::Allow,
        Step::Allow,
        Step::Deny,
        Step::Again,
        Step::Withdraw,
    ]);
}

#[test]
fn law_13_after_a_touch_no_hook_wins_in_any_order() {
    try_all(&[Step::Touch, Step::Hook, Step::Allow, Step::Expire]);
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    harness.take(Step::Touch);
    harness.take(Step::Hook);
    let (_, _, answered) = &mut harness.answers[0];
    assert!(matches!(answered.try_recv(), Ok(Ok(Answered::PersonAtIt))));
    assert!(harness.in_flight.is_empty(), "the hook claimed");
}

#[test]
fn law_12_a_deadline_ends_the_wait_by_whichever_clock_gets_there_first() {
    let late = Duration::from_millis(sample::PATIENCE.0);
    let an_hour = Millis(3_600_000);
    type Change = fn(&mut Now, Duration, Millis);
    let ends: [(&str, Change, bool); 5] = [
        ("monotonic", |now, late, _| now.mono += late, true),
        (
            "wall set forward",
            |now, _, hour| now.wall = now.wall.plus(hour),
            true,
        ),
        (
            "wall set back",
            |now, _, hour| now.wall.0 -= hour.0 as i64,
            false,
        ),
        (
            "wall set back, time passes",
            |now, late, hour| {
                now.wall.0 -= hour.0 as i64;
                now.mono += late;
            },
            true,
        ),
        ("nothing", |_, _, _| {}, false),
    ];
    for (what, change, expired) in ends {
        let mut harness = Harness::new();
        harness.open();
        harness.finish_store(Disk::Takes);
        change(&mut harness.now, late, an_hour);
        harness.handle(Event::Tick);
        harness.finish_store(Disk::Takes);
        let outcome = harness.waiters[0].try_recv().ok().map(|v| v.outcome());
        assert_eq!(outcome, expired.then_some(Outcome::Expired), "{what}");
    }
}

#[test]
fn an_answer_after_the_deadline_never_counts_even_when_nobody_looked() {
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    harness.take(Step::TimePasses);
    harness.take(Step::Allow);
    harness.finish_store(Disk::Takes);
    let (_, _, answered) = &mut harness.answers[0];
    assert!(matches!(answered.try_recv(), Ok(Ok(Answered::Expired))));
    assert_eq!(
        harness.waiters[0].try_recv().unwrap().outcome(),
        Outcome::Expired
    );
}

#[test]
fn an_answer_to_something_else_is_told_so_and_does_not_count() {
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    let (done, mut answered) = oneshot::channel();
    harness.handle(Event::Answer {
        id: sample::request(1).id,
        answer: Answer {
            digest: Some(pointsman_model::Digest::of(b"what was shown before")),
            ..sample::answer(sample::allow(), sample::person())
        },
        seen: Seen::In(Epoch::FIRST),
        done,
    });
    let error = answered.try_recv().unwrap().unwrap_err();
    assert!(matches!(error, AnswerError::Differs { .. }), "{error}");
    assert!(harness.in_flight.is_empty(), "it claimed");
}

#[test]
fn law_10_an_answer_that_saw_nothing_counts_for_nothing_that_is_open() {
    let unseen = |harness: &mut Harness| {
        let (done, answered) = oneshot::channel();
        harness.handle(Event::Answer {
            id: sample::request(1).id,
            answer: sample::answer(sample::allow(), sample::person()),
            seen: Seen::Nothing,
            done,
        });
        answered
    };
    let mut harness = Harness::new();
    harness.open();
    // Not while it is being stored either, which comes to the same a moment later.
    let mut early = unseen(&mut harness);
    assert!(early.try_recv().is_err());
    harness.finish_store(Disk::Takes);
    for mut told in [early, unseen(&mut harness)] {
        let error = told.try_recv().unwrap().unwrap_err();
        assert!(matches!(error, AnswerError::Unseen(_)), "{error}");
    }
    assert!(harness.in_flight.is_empty(), "it claimed");
    // Of one that is no longer open it hears what became of it.
    harness.take(Step::Allow);
    harness.finish_store(Disk::Takes);
    let came = unseen(&mut harness).try_recv().unwrap().unwrap();
    assert!(matches!(came, Answered::SameAgain { .. }), "{came:?}");
}

#[test]
fn an_id_that_is_taken_is_not_given_to_another_request() {
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    for closed in [false, true] {
        if closed {
            harness.take(Step::Allow);
            harness.finish_store(Disk::Takes);
        }
        harness.refuses_another_of_the_same_id();
    }
}

#[test]
fn a_deadline_is_announced_once_before_it_passes() {
    let mut harness = Harness::new();
    harness.table = Table::new(Millis(30_000), Reign::FIRST);
    harness.open();
    harness.finish_store(Disk::Takes);
    let before = Duration::from_millis(sample::PATIENCE.0 - 20_000);
    harness.now.mono += before;
    harness.handle(Event::Tick);
    harness.handle(Event::Tick);
    let soon: Vec<_> = harness
        .published
        .iter()
        .filter(|event| matches!(event, RequestEvent::DeadlineSoon { .. }))
        .collect();
    assert_eq!(
        soon,
        [&RequestEvent::DeadlineSoon {
            id: sample::request(1).id,
            left: Millis(20_000)
        }]
    );
    assert!(harness.in_flight.is_empty(), "it was ended too early");
}
