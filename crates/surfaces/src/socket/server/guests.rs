//! The clients of one socket: how many there may be, and who makes room for the next.
//!
//! A program that opens connections and only holds them must not keep the operator out. So a newcomer is always taken
//! in as long as any client is silent: the process that holds the most gives one up, its oldest. Clients that watch
//! stay for hours and have a bound of their own below that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

/// Clients at the same time. Each is a person or a script at one command.
pub(super) const CLIENTS_MAX: usize = 64;
/// Those among them that watch: half, so that whoever has one thing to ask always finds a place.
pub(super) const WATCHERS_MAX: usize = 32;

/// What a client is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// It has asked nothing yet, or nothing more.
    Nothing,
    /// What it asked is being done.
    Asking,
    /// It is told what becomes of requests.
    Watching,
}

/// A client's own end of its place here.
pub(super) struct Guest {
    doing: Arc<Mutex<Doing>>,
    go: CancellationToken,
    bell: Arc<Notify>,
}

impl Guest {
    /// Tells what it is doing from now on.
    pub(super) fn is(&self, doing: Doing) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing;
        self.bell.notify_one();
    }

    /// Comes back when its place is another's. Cancel safe.
    pub(super) async fn has_to_go(&self) {
        self.go.cancelled().await;
    }
}

struct Place {
    pid: i32,
    /// Grows with each that comes.
    number: u64,
    doing: Arc<Mutex<Doing>>,
    go: CancellationToken,
}

impl Place {
    fn doing(&self) -> Doing {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See the module's words.
#[derive(Default)]
pub(super) struct Guests {
    tasks: JoinSet<()>,
    /// Those that have a place; one that has to go has none any more.
    places: HashMap<Id, Place>,
    came: u64,
    bell: Arc<Notify>,
}

impl Guests {
    /// Whether one more may come: there is a place, or one is silent and can give up its own.
    pub(super) fn has_room(&self) -> bool {
        self.places.len() < CLIENTS_MAX || self.one_of(Doing::Nothing).is_some()
    }

    /// Takes a client in; one that is silent gives up its place when there is none.
    pub(super) fn admit<F>(&mut self, pid: i32, serve: impl FnOnce(Guest) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if self.places.len() >= CLIENTS_MAX
            && let Some(id) = self.one_of(Doing::Nothing)
        {
            self.send_away(id);
        }
        let doing = Arc::new(Mutex::new(Doing::Nothing));
        let go = CancellationToken::new();
        let guest = Guest {
            doing: Arc::clone(&doing),
            go: go.clone(),
            bell: Arc::clone(&self.bell),
        };
        let task = self.tasks.spawn(serve(guest));
        self.came = self.came.saturating_add(1);
        let place = Place {
            pid,
            number: self.came,
            doing,
            go,
        };
        self.places.insert(task.id(), place);
    }

    /// Sends watchers away that are too many.
    pub(super) fn bound_watchers(&mut self) {
        let watches = |place: &&Place| place.doing() == Doing::Watching;
        let mut watching = self.places.values().filter(watches).count();
        while watching > WATCHERS_MAX
            && let Some(id) = self.one_of(Doing::Watching)
        {
            self.send_away(id);
            watching = watching.saturating_sub(1);
        }
    }

    /// Comes back when a client has gone or does something else. Cancel safe.
    pub(super) async fn changed(&mut self) {
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => {
                let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                self.places.remove(&id);
            }
            () = self.bell.notified() => {}
        }
    }

    /// Ends all.
    pub(super) async fn end(mut self) {
        self.tasks.shutdown().await;
    }

    /// Of those that do this, the oldest of the process that has the most.
    fn one_of(&self, doing: Doing) -> Option<Id> {
        let mut held: HashMap<i32, usize> = HashMap::new();
        let those = || {
            self.places
                .iter()
                .filter(|(_, place)| place.doing() == doing)
        };
        for (_, place) in those() {
            let count = held.entry(place.pid).or_default();
            *count = count.saturating_add(1);
        }
        let most = |(_, place): &(&Id, &Place)| {
            let held = held.get(&place.pid).copied().unwrap_or(0);
            (held, std::cmp::Reverse(place.number))
        };
        those().max_by_key(most).map(|(id, _)| *id)
    }

    fn send_away(&mut self, id: Id) {
        if let Some(place) = self.places.remove(&id) {
            place.go.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes in a client that does this until it has to go.
    fn comes(guests: &mut Guests, pid: i32, doing: Doing) {
        guests.admit(pid, |guest| async move {
            guest.is(doing);
            guest.has_to_go().await;
        });
    }

    fn held_by(guests: &Guests, pid: i32) -> usize {
        let places = guests.places.values();
        places.filter(|place| place.pid == pid).count()
    }

    #[tokio::test]
    async fn whoever_holds_the_most_makes_room_and_nobody_is_kept_out() {
        let mut guests = Guests::default();
        comes(&mut guests, 1, Doing::Nothing);
        for _ in 0..2_000 {
            assert!(guests.has_room());
            comes(&mut guests, 2, Doing::Nothing);
        }
        for pid in 3..10 {
            comes(&mut guests, pid, Doing::Nothing);
        }
        let held = [1, 3, 9, 2].map(|pid| held_by(&guests, pid));
        assert_eq!(held, [1, 1, 1, CLIENTS_MAX - 8]);
        guests.end().await;
    }

    #[tokio::test]
    async fn those_that_watch_leave_room_for_those_that_ask() {
        let mut guests = Guests::default();
        comes(&mut guests, 1, Doing::Watching);
        for _ in 0..WATCHERS_MAX * 4 {
            comes(&mut guests, 2, Doing::Watching);
            tokio::task::yield_now().await;
            guests.bound_watchers();
        }
        assert_eq!(held_by(&guests, 1), 1);
        assert_eq!(held_by(&guests, 2), WATCHERS_MAX - 1);
        assert!(guests.has_room());
        guests.end().await;
    }
}
