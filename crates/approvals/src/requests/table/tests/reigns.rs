//! Requests of an earlier leader, asked again.

use super::*;

/// A harness whose leader took the run up again after one that had asked the one request.
fn resumed(left: impl FnOnce(&mut Harness)) -> Harness {
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    left(&mut harness);
    let report = pointsman_ledger::ResumeReport {
        run: sample::run(),
        epoch: 2,
        open: Vec::new(),
        ended: Vec::new(),
        unknown: Vec::new(),
        highest: pointsman_ledger::HighestIds {
            request: REQUEST.id.number(),
            ..Default::default()
        },
    };
    harness.table = Table::new(Millis(0), Reign::resumed(&report));
    harness.published.clear();
    harness.waiters.clear();
    harness.opens.clear();
    harness.answers.clear();
    harness
}

#[test]
fn law_9_a_verdict_that_a_dead_leader_stored_is_the_verdict_for_whoever_asks_again() {
    let mut harness = resumed(|harness| {
        harness.take(Step::Deny);
        harness.finish_store(Disk::Takes);
    });
    harness.open();
    assert!(matches!(harness.opens[0].try_recv(), Ok(Ok(()))));
    let verdict = harness.waiters[0].try_recv().unwrap();
    assert_eq!(verdict.outcome(), Outcome::DeniedByPerson);
    assert!(harness.in_flight.is_empty(), "it was asked a second time");
    assert!(harness.published.is_empty(), "a surface was told of it");
}

#[test]
fn a_request_that_a_dead_leader_left_open_is_the_same_request_for_whoever_asks_again() {
    for interrupted in [false, true] {
        let mut harness = resumed(|harness| {
            if interrupted {
                harness.closings.push(Verdict {
                    kind: VerdictKind::Ended {
                        outcome: Outcome::Interrupted,
                        text: "the leader ended".into(),
                    },
                    by: Answerer::Runtime,
                    at: START,
                    digest: REQUEST.digest,
                });
            }
        });
        harness.open();
        let (_, body) = harness.in_flight.front().unwrap();
        assert!(matches!(body, RecordBody::RequestReopened(_)), "{body:?}");
        harness.finish_store(Disk::Takes);
        let old = answer_seen_in(&mut harness, Epoch::FIRST);
        assert!(
            matches!(old, Some(Err(AnswerError::OtherReign { epoch, .. })) if epoch == Epoch::new(2)),
            "{old:?}"
        );
        assert!(harness.in_flight.is_empty(), "it claimed");
        assert!(answer_seen_in(&mut harness, Epoch::new(2)).is_none());
        harness.finish_store(Disk::Takes);
        let verdict = harness.waiters[0].try_recv().unwrap();
        assert_eq!(verdict.outcome(), Outcome::Allowed);
    }
}

/// Gives a yes as one who was shown the request in that epoch; what was made of it at once.
fn answer_seen_in(harness: &mut Harness, epoch: Epoch) -> Option<Result<Answered, AnswerError>> {
    let (done, mut answered) = oneshot::channel();
    harness.handle(Event::Answer {
        id: REQUEST.id,
        answer: sample::answer(sample::allow(), sample::person()),
        seen: Seen::In(epoch),
        done,
    });
    answered.try_recv().ok()
}

#[test]
fn an_id_of_an_earlier_reign_is_not_given_to_another_request() {
    let mut harness = resumed(|_| {});
    harness.refuses_another_of_the_same_id();
}

#[test]
fn law_12_a_clock_set_back_between_two_leaders_makes_no_wait_longer() {
    let mut harness = resumed(|_| {});
    harness.now.wall.0 -= 3_600_000;
    harness.open();
    harness.finish_store(Disk::Takes);
    harness.now.mono += Duration::from_millis(sample::PATIENCE.0);
    harness.handle(Event::Tick);
    harness.finish_store(Disk::Takes);
    let verdict = harness.waiters[0].try_recv().unwrap();
    assert_eq!(verdict.outcome(), Outcome::Expired);
}

/// A messenger that never heard the verdict brings a request again, long after this leader has forgotten it.
#[test]
fn law_9_a_request_that_is_no_longer_in_memory_is_not_asked_a_second_time() {
    let mut harness = Harness::new();
    harness.open();
    harness.finish_store(Disk::Takes);
    harness.take(Step::Deny);
    harness.finish_store(Disk::Takes);
    for number in 2..=20_000 {
        let other = sample::request(number);
        let verdict = harness.closings[0].clone();
        harness
            .table
            .closed
            .remember(&other, verdict, LateCount::default());
    }
    assert!(harness.table.closed.get(REQUEST.id).is_none());
    harness.waiters.clear();
    harness.opens.clear();
    harness.open();
    assert!(matches!(harness.opens[0].try_recv(), Ok(Ok(()))));
    let verdict = harness.waiters[0].try_recv().unwrap();
    assert_eq!(verdict.outcome(), Outcome::DeniedByPerson);
    assert!(harness.in_flight.is_empty(), "it was asked a second time");
}
