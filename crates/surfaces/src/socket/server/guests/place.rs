//! One client's place: what it does there, since when, and whether it has to go.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{GRACE, OrderLeave};

/// What a client is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Doing {
    /// It has asked nothing yet, or nothing more, or waits for leave to be done what it asked.
    Nothing,
    /// What it asked is being done: it can't go before that.
    Asking,
    /// It is told what came of it, as fast as it reads.
    Telling,
    /// It is told what becomes of requests, when there is something to tell.
    Watching,
    /// It is being told, as fast as it reads.
    Watched,
}

/// It has to go: its place is another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Gone;

/// What place and client know together.
#[derive(Debug)]
enum Stay {
    Does { what: Doing, since: Instant },
    HasToGo,
}

/// A client's own end of its place here.
pub(in super::super) struct Guest {
    stay: Arc<Mutex<Stay>>,
    go: CancellationToken,
    bell: Arc<Notify>,
    orders: Arc<Semaphore>,
}

impl Guest {
    /// Tells what it is doing from now on, unless it has to go: then it begins nothing more.
    ///
    /// # Errors
    /// When it has to go.
    pub(in super::super) fn is(&self, what: Doing) -> Result<(), Gone> {
        let mut stay = lock(&self.stay);
        let Stay::Does { .. } = *stay else {
            return Err(Gone);
        };
        *stay = Stay::Does {
            what,
            since: Instant::now(),
        };
        drop(stay);
        self.bell.notify_one();
        Ok(())
    }

    /// Comes back when its place is another's. Cancel safe.
    pub(in super::super) async fn has_to_go(&self) {
        self.go.cancelled().await;
    }

    /// Leave to have one order carried out; waits until there is one. Cancel safe.
    ///
    /// # Errors
    /// When it has to go before that.
    pub(in super::super) async fn order_leave(&self) -> Result<OrderLeave, Gone> {
        tokio::select! {
            biased;
            () = self.has_to_go() => Err(Gone),
            leave = Arc::clone(&self.orders).acquire_owned() => leave.map_err(|_| Gone),
        }
    }
}

/// Whose turn to go it is among the clients of one process, the last first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// It hears what there is to hear. Of these the newest goes: whoever was there first and behaves stays.
    Listens(u64),
    /// It has just begun what it does. Of these the one goes that began first.
    HasBegun(Reverse<Instant>),
    /// It does not take what it is told. Of these the one goes that has been told for the longest.
    TakesNothing(Reverse<Instant>),
    /// It says nothing. Nothing is lost with it; of these the newest goes.
    IsSilent(u64),
}

/// The server's end of a client's place.
pub(super) struct Place {
    pid: i32,
    /// Grows with each that comes.
    number: u64,
    came: Instant,
    stay: Arc<Mutex<Stay>>,
    go: CancellationToken,
}

impl Place {
    /// A place for a client of that process, the so many-th that came; and the client's end of it.
    pub(super) fn taken(
        (pid, number): (i32, u64),
        bell: Arc<Notify>,
        orders: Arc<Semaphore>,
    ) -> (Self, Guest) {
        let came = Instant::now();
        let stay = Arc::new(Mutex::new(Stay::Does {
            what: Doing::Nothing,
            since: came,
        }));
        let go = CancellationToken::new();
        let guest = Guest {
            stay: Arc::clone(&stay),
            go: go.clone(),
            bell,
            orders,
        };
        let place = Self {
            pid,
            number,
            came,
            stay,
            go,
        };
        (place, guest)
    }

    pub(super) fn pid(&self) -> i32 {
        self.pid
    }

    pub(super) fn watches(&self) -> bool {
        match *lock(&self.stay) {
            Stay::Does { what, .. } => match what {
                Doing::Watching | Doing::Watched => true,
                Doing::Nothing | Doing::Asking | Doing::Telling => false,
            },
            Stay::HasToGo => false,
        }
    }

    /// When its first moment is over; nothing when it is.
    pub(super) fn grace_ends(&self) -> Option<Instant> {
        let end = self.came + GRACE;
        (Instant::now() < end).then_some(end)
    }

    /// Its turn to go; nothing while something is done for it.
    pub(super) fn turn(&self, now: Instant) -> Option<Turn> {
        let Stay::Does { what, since } = *lock(&self.stay) else {
            return None;
        };
        let is_long = now.saturating_duration_since(since) >= GRACE;
        Some(match (what, is_long) {
            (Doing::Asking, _) => return None,
            (Doing::Watching, _) => Turn::Listens(self.number),
            (Doing::Watched, false) => Turn::Listens(self.number),
            (Doing::Nothing | Doing::Telling, false) => Turn::HasBegun(Reverse(since)),
            (Doing::Watched | Doing::Telling, true) => Turn::TakesNothing(Reverse(since)),
            (Doing::Nothing, true) => Turn::IsSilent(self.number),
        })
    }

    /// From here on the client begins nothing more.
    pub(super) fn send_away(self) {
        *lock(&self.stay) = Stay::HasToGo;
        self.go.cancel();
    }
}

fn lock(stay: &Mutex<Stay>) -> MutexGuard<'_, Stay> {
    stay.lock().unwrap_or_else(PoisonError::into_inner)
}
