use std::num::NonZeroU32;

use pointsman_ledger::{Clock as _, Filter, RecordKind};
use pointsman_model::Millis;

use super::*;
use crate::sample::{self, Place, START};

async fn book() -> (Place, Grants) {
    let place = Place::new().await;
    let clock = Arc::new(place.clock.clone());
    let grants = Grants::new(place.run, place.ledger.clone(), clock);
    (place, grants)
}

fn new(scope: GrantScope) -> NewGrant {
    NewGrant {
        rules: vec![RuleText::new("Bash(make *)")],
        scope,
        anchor: sample::path_of("/w/proj"),
        until: None,
        uses: Uses::Unlimited,
        by: sample::person(),
        request: None,
    }
}

fn worker(number: u32) -> WorkerId {
    sample::step(number).worker
}

fn rule(behavior: RuleBehavior, text: &str) -> PermissionRule {
    PermissionRule {
        behavior,
        text: RuleText::new(text),
        source: RuleSource::Session,
        place: None,
        anchor: sample::path_of("/w/proj"),
    }
}

fn kinds(place: &Place) -> Vec<RecordKind> {
    let list = place.ledger.reader().unwrap().records(&Filter::default());
    let records = list.unwrap().records;
    records.iter().map(|record| record.body.kind()).collect()
}

#[tokio::test]
async fn law_17_a_grant_reaches_those_its_scope_names_and_nobody_else() {
    let call = CallId::new(sample::run(), 7);
    let cases: [(GrantScope, &[u32], bool); 9] = [
        (GrantScope::Worker { worker: worker(1) }, &[1], true),
        // The child of the one it was granted to.
        (GrantScope::Worker { worker: worker(1) }, &[1, 2], false),
        (GrantScope::Worker { worker: worker(2) }, &[1, 2], true),
        (GrantScope::Job { worker: worker(1) }, &[1], true),
        (GrantScope::Job { worker: worker(1) }, &[1, 2, 3], true),
        (GrantScope::Job { worker: worker(1) }, &[4], false),
        (GrantScope::Run { run: sample::run() }, &[4, 5], true),
        (GrantScope::Call { call }, &[1], true),
        (
            GrantScope::Call {
                call: CallId::new(sample::run(), 8),
            },
            &[1],
            false,
        ),
    ];
    for (scope, lineage, reaches) in cases {
        let (_place, grants) = book().await;
        let made = grants.add(new(scope.clone())).await.unwrap();
        let overlay = grants.overlay_for_call(&sample::lineage(lineage), call, START);
        let expected = if reaches { made } else { Vec::new() };
        assert_eq!(overlay.grants, expected, "{scope:?} for {lineage:?}");
    }
}

#[tokio::test]
async fn a_grant_of_a_call_is_none_for_the_agent() {
    let (_place, grants) = book().await;
    let call = CallId::new(sample::run(), 7);
    grants.add(new(GrantScope::Call { call })).await.unwrap();
    let overlay = grants.overlay_for(&sample::lineage(&[1]), START);
    assert!(overlay.grants.is_empty());
}

#[tokio::test]
async fn law_14_a_grant_is_on_record_before_it_counts_and_all_are_told() {
    let (place, grants) = book().await;
    let mut changes = grants.changes();
    let two = NewGrant {
        rules: vec![
            RuleText::new("Bash(make *)"),
            RuleText::new("Edit(/docs/**)"),
        ],
        ..new(GrantScope::Run { run: sample::run() })
    };
    let made = grants.add(two).await.unwrap();
    assert_eq!(made.len(), 2);
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    let made_on_record = kinds(&place)
        .iter()
        .filter(|kind| **kind == RecordKind::GrantMade)
        .count();
    assert_eq!(made_on_record, 2);
    assert_eq!(grants.list(), made);

    grants.revoke(made[0].id, sample::person()).await.unwrap();
    assert!(changes.has_changed().unwrap());
    assert_eq!(grants.list(), made[1..]);
    let again = grants.revoke(made[0].id, sample::person()).await;
    assert!(matches!(again, Err(GrantsError::NotFound(_))));
}

#[tokio::test]
async fn what_cannot_be_recorded_loosens_nothing_and_tightens_all_the_same() {
    let (place, grants) = book().await;
    let run = GrantScope::Run { run: sample::run() };
    let kept = grants.add(new(run.clone())).await.unwrap();
    place.ledger.close().await;
    let refused = grants.add(new(run)).await;
    assert!(matches!(refused, Err(GrantsError::NotMade(_))));
    assert_eq!(grants.list(), kept);

    let deny = rule(RuleBehavior::Deny, "Bash(rm *)");
    let tightened = grants.tighten(deny.clone(), sample::person()).await;
    assert!(matches!(tightened, Err(GrantsError::NotRecorded(_))));
    let overlay = grants.overlay_for(&sample::lineage(&[3]), START);
    assert_eq!(overlay.tightenings, [deny]);

    let revoked = grants.revoke(kept[0].id, sample::person()).await;
    assert!(matches!(revoked, Err(GrantsError::NotRecorded(_))));
    assert!(grants.list().is_empty());
}

#[tokio::test]
async fn only_rules_that_do_something_are_taken() {
    let (_place, grants) = book().await;
    let no_rule = NewGrant {
        rules: vec![RuleText::new("Bash(make")],
        ..new(GrantScope::Run { run: sample::run() })
    };
    let refused = grants.add(no_rule).await;
    assert!(matches!(refused, Err(GrantsError::NoRule { .. })));
    let allow = rule(RuleBehavior::Allow, "Bash(make *)");
    let refused = grants.tighten(allow, sample::person()).await;
    assert!(matches!(refused, Err(GrantsError::NotTighter(_))));
}

#[tokio::test]
async fn a_grant_ends_with_its_time_its_agent_and_its_uses() {
    let (place, grants) = book().await;
    let agent = sample::lineage(&[1]);
    let until = START.plus(Millis(1000));
    let timed = NewGrant {
        until: Some(until),
        ..new(GrantScope::Worker { worker: worker(1) })
    };
    let timed = grants.add(timed).await.unwrap();
    assert_eq!(grants.overlay_for(&agent, START).grants, timed);
    assert!(grants.overlay_for(&agent, until).grants.is_empty());
    place.clock.set(until);
    let call = CallId::new(sample::run(), 1);
    let late = grants.use_once(timed[0].id, worker(1), call).await;
    assert!(matches!(late, Err(UseError::Over(_))));

    grants
        .add(new(GrantScope::Job { worker: worker(1) }))
        .await
        .unwrap();
    grants.retire(worker(2)).await;
    assert_eq!(grants.list().len(), 1);
    grants.retire(worker(1)).await;
    assert!(grants.list().is_empty());
}

/// Whoever sets the clock back makes no grant last longer.
#[tokio::test(start_paused = true)]
async fn law_17_a_grant_ends_with_its_time_though_the_clock_is_set_back() {
    let (place, grants) = book().await;
    let agent = sample::lineage(&[1]);
    let timed = NewGrant {
        until: Some(START.plus(Millis(1000))),
        ..new(GrantScope::Worker { worker: worker(1) })
    };
    let timed = grants.add(timed).await.unwrap();
    tokio::time::advance(Millis(999).duration()).await;
    place.clock.set(WallTime(START.0 - 3_600_000));
    let in_force = || grants.overlay_for(&agent, place.clock.now()).grants.len();
    assert_eq!(in_force(), 1);
    tokio::time::advance(Millis(1).duration()).await;
    assert_eq!(in_force(), 0);
    let call = CallId::new(sample::run(), 1);
    let late = grants.use_once(timed[0].id, worker(1), call).await;
    assert!(matches!(late, Err(UseError::Over(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_counted_grant_is_used_as_often_as_it_says_whoever_races() {
    let (place, grants) = book().await;
    let three = NewGrant {
        uses: Uses::Left(NonZeroU32::new(3).unwrap()),
        ..new(GrantScope::Run { run: sample::run() })
    };
    let id = grants.add(three).await.unwrap()[0].id;
    let mut racers = tokio::task::JoinSet::new();
    for number in 1..=40 {
        let grants = grants.clone();
        let call = CallId::new(sample::run(), number);
        racers.spawn(async move { grants.use_once(id, worker(1), call).await.is_ok() });
    }
    let used = racers.join_all().await.into_iter().filter(|ok| *ok).count();
    assert_eq!(used, 3);
    assert!(grants.list().is_empty(), "it is used up");
    let on_record = kinds(&place)
        .iter()
        .filter(|kind| **kind == RecordKind::GrantUsed)
        .count();
    assert_eq!(on_record, 3);
}

#[tokio::test]
async fn a_call_that_is_judged_again_uses_a_grant_once() {
    let (place, grants) = book().await;
    let two = NewGrant {
        uses: Uses::Left(NonZeroU32::new(2).unwrap()),
        ..new(GrantScope::Run { run: sample::run() })
    };
    let id = grants.add(two).await.unwrap()[0].id;
    let call = |number| CallId::new(sample::run(), number);
    for of in [1, 1, 1, 2, 1, 2] {
        grants.use_once(id, worker(1), call(of)).await.unwrap();
    }
    let third = grants.use_once(id, worker(1), call(3)).await;
    assert!(matches!(third, Err(UseError::Over(_))));
    let used = kinds(&place);
    let used = used.iter().filter(|kind| **kind == RecordKind::GrantUsed);
    assert_eq!(used.count(), 2);
}

#[tokio::test]
async fn law_17_a_grant_with_a_life_and_a_count_ends_with_whichever_is_first_in_every_scope() {
    let call = CallId::new(sample::run(), 7);
    let scopes = [
        GrantScope::Call { call },
        GrantScope::Worker { worker: worker(1) },
        GrantScope::Job { worker: worker(1) },
        GrantScope::Run { run: sample::run() },
    ];
    let agent = sample::lineage(&[1]);
    let until = START.plus(Millis(1000));
    for scope in scopes {
        let (place, grants) = book().await;
        let once = NewGrant {
            until: Some(until),
            uses: Uses::Left(NonZeroU32::MIN),
            ..new(scope.clone())
        };
        let by_count = grants.add(once.clone()).await.unwrap()[0].id;
        let in_force = || {
            let now = place.clock.now();
            grants.overlay_for_call(&agent, call, now).grants.len()
        };
        assert_eq!(in_force(), 1, "{scope:?}");
        grants.use_once(by_count, worker(1), call).await.unwrap();
        assert_eq!(in_force(), 0, "{scope:?}: used up");
        let by_time = grants.add(once).await.unwrap()[0].id;
        assert_eq!(in_force(), 1, "{scope:?}");
        place.clock.set(until);
        assert_eq!(in_force(), 0, "{scope:?}: its time is up");
        let late = grants.use_once(by_time, worker(1), call).await;
        assert!(matches!(late, Err(UseError::Over(_))), "{scope:?}");
    }
}
