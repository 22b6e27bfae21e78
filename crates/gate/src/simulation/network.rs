//! The lines between workers and leaders: slow, cut at any moment, and bringing frames late, twice and
//! out of order.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use pointsman_approvals::{
    Dial, LeaderLine, Line, PostOfficeHandle, ToLeader, ToWorker, WorkerLine,
};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::lot::Lot;

/// The network of one simulation.
#[derive(Clone)]
pub(super) struct Network {
    lot: Lot,
    /// The office of the leader that lives.
    office: Arc<Mutex<Option<PostOfficeHandle>>>,
}

impl Network {
    pub(super) fn new(lot: &Lot) -> Self {
        Self {
            lot: lot.clone(),
            office: Arc::default(),
        }
    }

    pub(super) fn leader_is(&self, office: Option<PostOfficeHandle>) {
        *self.office.lock().unwrap() = office;
    }

    pub(super) fn office(&self) -> Option<PostOfficeHandle> {
        self.office.lock().unwrap().clone()
    }
}

#[async_trait]
impl Dial for Network {
    async fn dial(&self) -> io::Result<WorkerLine> {
        sleep(self.lot.up_to(50)).await;
        let nobody = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let office = self.office().ok_or_else(nobody)?;
        let (worker, leader) = line(&self.lot);
        office.attach(leader).await.map_err(|_| nobody())?;
        Ok(worker)
    }
}

fn line(lot: &Lot) -> (WorkerLine, LeaderLine) {
    // Some lines hold, some break before anything was said on them.
    let life = match lot.below(4) {
        0 => lot.up_to(200),
        1 => lot.up_to(20_000),
        _ => lot.up_to(3_000_000),
    };
    let cut = CancellationToken::new();
    let cut_at = Instant::now() + life;
    let (to_leader, said_by_worker) = flume::bounded::<ToLeader>(16_384);
    let (to_worker, said_by_leader) = flume::bounded::<ToWorker>(16_384);
    let (at_leader, heard_by_leader) = flume::bounded(16_384);
    let (at_worker, heard_by_worker) = flume::bounded(16_384);
    let worker = Line {
        incoming: heard_by_worker,
        outgoing: to_leader,
        drive: bring(lot.clone(), said_by_worker, at_leader, cut.clone(), cut_at).boxed(),
    };
    let leader = Line {
        incoming: heard_by_leader,
        outgoing: to_worker,
        drive: bring(lot.clone(), said_by_leader, at_worker, cut, cut_at).boxed(),
    };
    (worker, leader)
}

/// Brings frames from one end to the other until the line is cut; what is on its way then is lost.
async fn bring<F: Clone>(
    lot: Lot,
    said: flume::Receiver<F>,
    at: flume::Sender<F>,
    cut: CancellationToken,
    cut_at: Instant,
) {
    // An end that goes cuts the line for the other.
    let _cut = cut.clone().drop_guard();
    let mut on_the_way: BTreeMap<(Instant, u64), F> = BTreeMap::new();
    let mut count = 0_u64;
    loop {
        let next = on_the_way.first_key_value().map(|((due, _), _)| *due);
        tokio::select! {
            biased;
            () = cut.cancelled() => return,
            () = sleep_until(cut_at) => return,
            () = sleep_until(next.unwrap_or(cut_at)), if next.is_some() => {
                let Some((_, frame)) = on_the_way.pop_first() else { continue };
                if at.try_send(frame).is_err() {
                    return;
                }
            }
            frame = said.recv_async() => {
                let Ok(frame) = frame else {
                    break;
                };
                count += 1;
                if lot.percent(5) {
                    on_the_way.insert((Instant::now() + lot.up_to(500), count), frame.clone());
                    count += 1;
                }
                on_the_way.insert((Instant::now() + lot.up_to(40), count), frame);
            }
        }
    }
    // What was said before it was closed still arrives.
    for ((due, _), frame) in on_the_way {
        tokio::select! {
            biased;
            () = cut.cancelled() => return,
            () = sleep_until(due.min(cut_at)) => {}
        }
        if at.try_send(frame).is_err() {
            return;
        }
    }
}
