//! One worker's process: asks many things at once over lines that break, does what it may, and dies and
//! is started again.

use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::{ForwardError, Mailbox as _, Pass, RemoteMailbox, remote};
use pointsman_ledger::{Clock as _, RecordKind};
use pointsman_model::{Answerer, Outcome, PermissionRequest, RunId, Verdict};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::leader::World;
use super::network::Network;
use super::request_of;
use super::witness::{Asked, Told};

/// How much longer than a request's deadline its worker waits for the leader's word.
const PAST_DEADLINE: Duration = Duration::from_secs(5);

/// One life of a worker. Dropped, it is killed.
pub(super) struct Worker {
    pub(super) pass: Pass,
    asking: JoinSet<()>,
    _service: JoinSet<()>,
}

impl Worker {
    /// Starts a life that asks so many questions.
    pub(super) fn start(
        world: &World,
        network: &Network,
        run: RunId,
        pass: Pass,
        numbers: std::ops::Range<u32>,
    ) -> Self {
        let (mailbox, service) = remote(pass.clone(), Arc::new(network.clone()));
        let mut services = JoinSet::new();
        services.spawn(service.run(CancellationToken::new()));
        let mut asking = JoinSet::new();
        for number in numbers {
            let worker = pass.worker.number();
            asking.spawn(ask(world.clone(), mailbox.clone(), run, worker, number));
        }
        world.witness.see(|seen| seen.workers += 1);
        Self {
            pass,
            asking,
            _service: services,
        }
    }

    /// Waits until it was told everything. Cancel safe.
    pub(super) async fn finished(&mut self) {
        while self.asking.join_next().await.is_some() {}
    }
}

async fn ask(world: World, mailbox: RemoteMailbox, run: RunId, worker: u32, number: u32) {
    sleep(world.lot.up_to(20_000)).await;
    let request = request_of(run, worker, number, &world.clock, &world.lot);
    let id = request.id;
    let asked = Asked {
        digest: request.digest,
        at: Instant::now(),
        queued: false,
        // It dies with its worker, unless it is told before.
        told: Some((Instant::now(), Told::Died)),
    };
    world.witness.see(|seen| seen.asked.insert(id, asked));
    let left = request.deadline.since(world.clock.now()).duration();
    // Some lose their patience before the leader does.
    let patience = match world.lot.below(10) {
        0 => world.lot.up_to(30_000),
        _ => left + PAST_DEADLINE,
    };
    let told = match timeout(patience, forward(&world, &mailbox, request)).await {
        Ok(Ok(verdict)) => Told::Verdict(verdict),
        Ok(Err(error)) => Told::Failed(error),
        Err(_) => Told::Died,
    };
    world.witness.see(|seen| {
        seen.trace.push(format!("{id}: {told:?}"));
        if let Told::Verdict(verdict) = &told
            && verdict.outcome() == Outcome::Allowed
        {
            *seen.done.entry(id).or_default() += 1;
        }
        if let Some(asked) = seen.asked.get_mut(&id) {
            asked.told = Some((Instant::now(), told));
        }
    });
}

async fn forward(
    world: &World,
    mailbox: &RemoteMailbox,
    request: PermissionRequest,
) -> Result<Verdict, ForwardError> {
    let id = request.id;
    let mut forwarded = mailbox.forward(request).await?;
    world.witness.see(|seen| {
        if let Some(asked) = seen.asked.get_mut(&id) {
            asked.queued = true;
        }
    });
    world.must_be_on_disk(id, RecordKind::RequestOpened);
    let verdict = forwarded.verdict().await?;
    if verdict.by != Answerer::Runtime {
        world.must_be_on_disk(id, RecordKind::RequestClosed);
    }
    Ok(verdict)
}
