//! The clients of one socket: how many there may be, and who makes room for the next.
//!
//! Whatever other programs of this user do with their connections, one that comes, says what it wants and reads what it
//! is told has to get its answer. So a client that is silent, or does not take what it is told, can be sent away at
//! any moment; orders that are being carried out, and those who watch for hours, have bounds of their own below that of
//! all. Who goes is of the process that holds the most of its kind. The one connection of a process has a moment to say
//! what it wants before it has to go for others: whoever opens them faster than that waits, as those behind it do.

mod place;

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::{Id, JoinSet};
use tokio::time::{Duration, Instant, sleep_until};

use self::place::{Place, Turn};

pub(super) use self::place::{Doing, Gone, Guest};

/// Clients at the same time. Each is a person or a script at one command.
pub(super) const CLIENTS_MAX: usize = 64;
/// Those among them that watch: half, so that whoever has one thing to ask always finds a place.
pub(super) const WATCHERS_MAX: usize = 32;
/// Answers and orders that are being carried out, which may wait for the disk. Together with the watchers they leave
/// places to those that only look.
pub(super) const ORDERS_MAX: usize = 16;
/// Tasks at the same time: the places, and those that were sent away and have not heard it.
const TASKS_MAX: usize = 2 * CLIENTS_MAX;
/// How long the one connection of a process has to say what it wants and to hear what it is told, whoever else comes.
/// A process that is far behind with its work needs a good part of it; as many times a second all places may change.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// See the module's words.
pub(super) struct Guests {
    tasks: JoinSet<()>,
    /// Those that have a place; one that has to go has none any more.
    places: HashMap<Id, Place>,
    came: u64,
    bell: Arc<Notify>,
    orders: Arc<Semaphore>,
}

impl Default for Guests {
    fn default() -> Self {
        Self {
            tasks: JoinSet::new(),
            places: HashMap::new(),
            came: 0,
            bell: Arc::default(),
            orders: Arc::new(Semaphore::new(ORDERS_MAX)),
        }
    }
}

/// Leave to carry out one order.
pub(super) type OrderLeave = OwnedSemaphorePermit;

impl Guests {
    /// Takes leave of those that have gone, and sends watchers away that are too many.
    pub(super) fn tidy(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.places.remove(&id_of(ended));
        }
        let watches = |place: &&Place| place.watches();
        let mut watching = self.places.values().filter(watches).count();
        while watching > WATCHERS_MAX
            && let Some(id) = self.watcher_to_go()
        {
            self.send_away(id);
            watching = watching.saturating_sub(1);
        }
    }

    /// Whether one more may come: there is a place, or one can be made.
    pub(super) fn has_room(&self) -> bool {
        self.tasks.len() < TASKS_MAX
            && (self.places.len() < CLIENTS_MAX || self.guest_to_go().is_some())
    }

    /// Takes a client in; another gives up its place when there is none.
    pub(super) fn admit<F>(&mut self, pid: i32, serve: impl FnOnce(Guest) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if self.places.len() >= CLIENTS_MAX
            && let Some(id) = self.guest_to_go()
        {
            self.send_away(id);
        }
        self.came = self.came.saturating_add(1);
        let (place, guest) = Place::taken(
            (pid, self.came),
            Arc::clone(&self.bell),
            Arc::clone(&self.orders),
        );
        let task = self.tasks.spawn(serve(guest));
        self.places.insert(task.id(), place);
    }

    /// Comes back when a client has gone or does something else, or when the moment of one is over that could make
    /// room. Cancel safe.
    pub(super) async fn changed(&mut self) {
        let grace = self.places.values().filter_map(Place::grace_ends).min();
        let is_full = self.places.len() >= CLIENTS_MAX;
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => {
                self.places.remove(&id_of(ended));
            }
            () = self.bell.notified() => {}
            () = async {
                match grace {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            }, if is_full => {}
        }
    }

    /// Ends all.
    pub(super) async fn end(mut self) {
        self.tasks.shutdown().await;
    }

    /// The one among those that only ask that goes next.
    fn guest_to_go(&self) -> Option<Id> {
        let now = Instant::now();
        self.next_to_go(
            |place| !place.watches(),
            |place, held| {
                place
                    .turn(now)
                    .filter(|_| held > 1 || place.grace_ends().is_none())
            },
        )
    }

    /// The one among those that watch that goes next.
    fn watcher_to_go(&self) -> Option<Id> {
        let now = Instant::now();
        self.next_to_go(Place::watches, |place, _| place.turn(now))
    }

    /// Of those of one kind that can go, the one whose turn it is at the process that holds the most of the kind.
    fn next_to_go(
        &self,
        is_of_kind: impl Fn(&Place) -> bool,
        turn: impl Fn(&Place, usize) -> Option<Turn>,
    ) -> Option<Id> {
        let of_kind = || self.places.iter().filter(|(_, place)| is_of_kind(place));
        let mut held: HashMap<i32, usize> = HashMap::new();
        for (_, place) in of_kind() {
            let count = held.entry(place.pid()).or_default();
            *count = count.saturating_add(1);
        }
        of_kind()
            .filter_map(|(id, place)| {
                let held = held.get(&place.pid()).copied().unwrap_or(0);
                Some(((held, turn(place, held)?), *id))
            })
            .max_by(|(one, _), (other, _)| one.cmp(other))
            .map(|(_, id)| id)
    }

    fn send_away(&mut self, id: Id) {
        if let Some(place) = self.places.remove(&id) {
            place.send_away();
        }
    }
}

fn id_of(ended: Result<(Id, ()), tokio::task::JoinError>) -> Id {
    ended.map_or_else(|error| error.id(), |(id, ())| id)
}

#[cfg(test)]
mod tests;
