//! Who goes, on a clock of its own.

use tokio::task::yield_now;
use tokio::time::advance;

use super::*;

/// Takes in a client that does this until it has to go.
async fn comes(guests: &mut Guests, pid: i32, what: Doing) {
    guests.admit(pid, |guest| async move {
        if guest.is(what).is_ok() {
            guest.has_to_go().await;
        }
    });
    yield_now().await;
    guests.tidy();
}

/// The same, by as many processes with one connection each, the first of them with that number.
async fn come(guests: &mut Guests, first: i32, count: usize, what: Doing) {
    for pid in (first..).take(count) {
        comes(guests, pid, what).await;
    }
}

fn held_by(guests: &Guests, pid: i32) -> usize {
    let places = guests.places.values();
    places.filter(|place| place.pid() == pid).count()
}

fn held(guests: &Guests, first: i32, count: usize) -> usize {
    let pids = (first..).take(count);
    pids.map(|pid| held_by(guests, pid)).sum()
}

/// What clients can do that never ends by itself, but for what is being carried out: that has a bound of its own.
const IDLE: [Doing; 2] = [Doing::Nothing, Doing::Telling];

#[tokio::test(start_paused = true)]
async fn whoever_holds_the_most_makes_room_and_nobody_is_kept_out() {
    for what in IDLE {
        let mut guests = Guests::default();
        comes(&mut guests, 1, what).await;
        for _ in 0..2_000 {
            assert!(guests.has_room(), "{what:?}");
            comes(&mut guests, 2, what).await;
        }
        come(&mut guests, 3, 7, what).await;
        let held = [1, 3, 9, 2].map(|pid| held_by(&guests, pid));
        assert_eq!(held, [1, 1, 1, CLIENTS_MAX - 8], "{what:?}");
        guests.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn of_many_processes_each_has_its_moment_and_then_makes_room() {
    for what in IDLE {
        let mut guests = Guests::default();
        // Two of one process: its second makes room at once.
        come(&mut guests, 1, CLIENTS_MAX - 1, what).await;
        comes(&mut guests, 1, what).await;
        assert!(guests.has_room(), "{what:?}");
        comes(&mut guests, 100, what).await;
        assert_eq!((held_by(&guests, 1), held_by(&guests, 100)), (1, 1));
        // Now each has one, and all are new.
        assert!(!guests.has_room(), "{what:?}");
        let mut changes = 0;
        while !guests.has_room() {
            guests.changed().await;
            changes += 1;
        }
        // Bells of before may ring first.
        assert!(changes < 5, "{what:?}: woken for nothing");
        for pid in 200..200 + 2 * 64 {
            advance(GRACE).await;
            assert!(guests.has_room(), "{what:?}");
            comes(&mut guests, pid, what).await;
            assert_eq!(held_by(&guests, pid), 1, "{what:?}");
        }
        guests.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_is_being_told_stays_before_those_that_take_nothing_or_say_nothing() {
    let cases = [
        // Those before it are told and do not read: whoever is told for the longest goes.
        Doing::Telling,
        Doing::Nothing,
    ];
    for others in cases {
        let mut guests = Guests::default();
        come(&mut guests, 100, CLIENTS_MAX - 1, others).await;
        advance(4 * GRACE).await;
        comes(&mut guests, 1, Doing::Telling).await;
        // It takes longer than its first moment.
        advance(2 * GRACE).await;
        come(&mut guests, 300, CLIENTS_MAX - 2, Doing::Nothing).await;
        assert_eq!(held_by(&guests, 1), 1, "{others:?}");
        guests.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn of_silent_ones_the_newest_goes_and_whoever_was_there_first_stays() {
    let mut guests = Guests::default();
    comes(&mut guests, 1, Doing::Nothing).await;
    for pid in 100..300 {
        advance(GRACE).await;
        comes(&mut guests, pid, Doing::Nothing).await;
    }
    assert_eq!(held_by(&guests, 1), 1);
    assert_eq!(held(&guests, 100, CLIENTS_MAX - 2), CLIENTS_MAX - 2);
    guests.end().await;
}

#[tokio::test(start_paused = true)]
async fn those_that_watch_leave_room_for_those_that_ask() {
    let mut guests = Guests::default();
    comes(&mut guests, 1, Doing::Watching).await;
    for _ in 0..WATCHERS_MAX * 4 {
        comes(&mut guests, 2, Doing::Watching).await;
    }
    assert_eq!(held_by(&guests, 1), 1);
    assert_eq!(held_by(&guests, 2), WATCHERS_MAX - 1);
    assert!(guests.has_room());
    guests.end().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_watched_first_stays_however_many_processes_watch_after_it() {
    let mut guests = Guests::default();
    // It has a second connection now and then, for its orders: that is no second one of its kind.
    comes(&mut guests, 1, Doing::Watching).await;
    comes(&mut guests, 1, Doing::Nothing).await;
    come(&mut guests, 100, WATCHERS_MAX * 4, Doing::Watching).await;
    assert_eq!(held_by(&guests, 1), 2);
    assert_eq!(held(&guests, 100, WATCHERS_MAX - 1), WATCHERS_MAX - 1);
    // One that takes nothing goes before one that has just come.
    let mut guests = Guests::default();
    come(&mut guests, 100, WATCHERS_MAX, Doing::Watched).await;
    advance(GRACE).await;
    comes(&mut guests, 1, Doing::Watching).await;
    let others = held(&guests, 100, WATCHERS_MAX);
    assert_eq!((held_by(&guests, 1), others), (1, WATCHERS_MAX - 1));
}

#[tokio::test(start_paused = true)]
async fn orders_wait_for_leave_and_one_that_was_sent_away_begins_nothing() {
    let mut guests = Guests::default();
    let begun = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for pid in (1..).take(CLIENTS_MAX) {
        let begun = Arc::clone(&begun);
        guests.admit(pid, |guest| async move {
            let Ok(_leave) = guest.order_leave().await else {
                return;
            };
            if guest.is(Doing::Asking).is_ok() {
                begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                // An order that hangs.
                std::future::pending::<()>().await;
            }
        });
    }
    for _ in 0..CLIENTS_MAX {
        yield_now().await;
    }
    let count = || begun.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(count(), ORDERS_MAX);
    // Those that look come and go all the same.
    for pid in 1_000..1_000 + 500 {
        advance(GRACE).await;
        guests.tidy();
        assert!(guests.has_room());
        comes(&mut guests, pid, Doing::Telling).await;
        assert_eq!(held_by(&guests, pid), 1);
        assert!(guests.tasks.len() <= CLIENTS_MAX + 1);
    }
    assert_eq!(count(), ORDERS_MAX);
    guests.end().await;
}

#[tokio::test(start_paused = true)]
async fn tasks_have_a_bound_even_where_nobody_hears_that_it_has_to_go() {
    let mut guests = Guests::default();
    let mut came = 0;
    while guests.has_room() {
        guests.admit(7, |_guest| std::future::pending());
        came += 1;
        assert!(came <= TASKS_MAX);
    }
    assert_eq!(guests.tasks.len(), TASKS_MAX);
    guests.end().await;
}
