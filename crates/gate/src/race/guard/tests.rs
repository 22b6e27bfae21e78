use super::*;

/// Every order of `items`.
#[cfg(not(any(feature = "loom", feature = "shuttle")))]
fn orders<T: Copy>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(at);
        for order in orders(&rest) {
            all.push([vec![first], order].concat());
        }
    }
    all
}

#[cfg(not(any(feature = "loom", feature = "shuttle")))]
#[test]
fn law_9_the_first_claim_wins_in_every_order() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Event {
        Claims(u8),
        LeftToPeople,
    }
    use Event::{Claims, LeftToPeople};
    for order in orders(&[Claims(0), Claims(1), Claims(2), Claims(3), LeftToPeople]) {
        let guard = Guard::new();
        let first = order[0];
        for (at, event) in order.iter().enumerate() {
            match event {
                LeftToPeople => guard.leave_to_people(),
                Claims(number) => {
                    let expect = match first {
                        _ if at == 0 => Claim::Won,
                        Claims(winner) => Claim::Late {
                            winner: Contender(winner),
                        },
                        LeftToPeople => Claim::LeftToPeople,
                    };
                    assert_eq!(guard.claim(Contender(*number)), expect, "{order:?}");
                }
            }
        }
    }
}

#[cfg(not(any(feature = "loom", feature = "shuttle")))]
#[test]
fn law_9_of_many_threads_one_wins_and_all_others_hear_who() {
    for _ in 0..200 {
        let guard = Guard::new();
        let start = std::sync::Barrier::new(16);
        let claims: Vec<Claim> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16)
                .map(|number| {
                    let (guard, start) = (&guard, &start);
                    scope.spawn(move || {
                        start.wait();
                        guard.claim(Contender(number))
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let winners: Vec<u8> = (0..16)
            .filter(|at| claims[usize::from(*at)] == Claim::Won)
            .collect();
        let [winner] = winners[..] else {
            panic!("{claims:?}")
        };
        let late = Claim::Late {
            winner: Contender(winner),
        };
        assert_eq!(claims.iter().filter(|claim| **claim == late).count(), 15);
    }
}

/// What a thread does with the guard in a modelled race.
#[cfg(any(feature = "loom", feature = "shuttle"))]
#[derive(Debug, Clone, Copy)]
enum Move {
    Claims(u8),
    LeavesToPeople,
}

/// Whether what the threads heard is the truth: one was first, and everyone else heard who.
#[cfg(any(feature = "loom", feature = "shuttle"))]
fn check(heard: &[(Move, Option<Claim>)]) {
    let winners: Vec<u8> = heard
        .iter()
        .filter_map(|(step, claim)| match (step, claim) {
            (Move::Claims(number), Some(Claim::Won)) => Some(*number),
            _ => None,
        })
        .collect();
    let leaves = heard
        .iter()
        .any(|(step, _)| matches!(step, Move::LeavesToPeople));
    let losers: Vec<Claim> = heard
        .iter()
        .filter_map(|(_, claim)| *claim)
        .filter(|claim| *claim != Claim::Won)
        .collect();
    let truth = match winners[..] {
        [winner] => Claim::Late {
            winner: Contender(winner),
        },
        [] if leaves => Claim::LeftToPeople,
        _ => panic!("{heard:?}"),
    };
    assert!(losers.iter().all(|claim| *claim == truth), "{heard:?}");
}

#[cfg(any(feature = "loom", feature = "shuttle"))]
fn make(guard: &Guard, step: Move) -> (Move, Option<Claim>) {
    match step {
        Move::Claims(number) => (step, Some(guard.claim(Contender(number)))),
        Move::LeavesToPeople => {
            guard.leave_to_people();
            (step, None)
        }
    }
}

/// Every order of the steps of three threads and the memory effects between them.
#[cfg(feature = "loom")]
#[test]
fn loom_law_9_one_claim_wins_in_every_order() {
    for last in [Move::Claims(2), Move::LeavesToPeople] {
        loom::model(move || {
            let guard = loom::sync::Arc::new(Guard::new());
            let threads: Vec<_> = [Move::Claims(0), Move::Claims(1)]
                .map(|step| {
                    let guard = loom::sync::Arc::clone(&guard);
                    loom::thread::spawn(move || make(&guard, step))
                })
                .into();
            let mut heard = vec![make(&guard, last)];
            heard.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
            check(&heard);
        });
    }
}

/// Sixteen threads under schedules that are drawn by lot; how many is set by `POINTSMAN_SCHEDULES`.
#[cfg(all(feature = "shuttle", not(feature = "loom")))]
#[test]
fn shuttle_law_9_of_many_threads_one_wins() {
    fn race() {
        let guard = shuttle::sync::Arc::new(Guard::new());
        let steps = (0..15).map(Move::Claims).chain([Move::LeavesToPeople]);
        let threads: Vec<_> = steps
            .map(|step| {
                let guard = shuttle::sync::Arc::clone(&guard);
                shuttle::thread::spawn(move || make(&guard, step))
            })
            .collect();
        let heard: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        check(&heard);
    }
    let schedules =
        std::env::var("POINTSMAN_SCHEDULES").map_or(200, |number| number.parse().unwrap());
    shuttle::check_random(race, schedules);
    shuttle::check_pct(race, schedules, 3);
}
