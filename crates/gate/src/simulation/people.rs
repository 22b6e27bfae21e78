//! People and the like: they see what is shown, answer late or early, twice, or against each other, and
//! ask again what is long closed.

use pointsman_approvals::{Answer, Epoch, RequestEvent, Requests};
use pointsman_model::{Answerer, Digest, RequestId, Surface};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::leader::{World, word};

/// How many look at the same questions.
const PEOPLE: u64 = 3;

pub(super) fn come(tasks: &mut JoinSet<()>, world: &World, requests: &Requests) {
    for number in 0..PEOPLE {
        let surface = match number {
            0 => Surface::Terminal,
            1 => Surface::Command,
            _ => Surface::Web,
        };
        tasks.spawn(look(world.clone(), requests.clone(), surface));
    }
}

async fn look(world: World, requests: Requests, surface: Surface) {
    let mut events = requests.subscribe();
    let mut answering = JoinSet::new();
    for open in requests.list() {
        let (id, digest) = (open.request.id, open.request.digest);
        answering.spawn(answer(world.clone(), requests.clone(), surface, id, digest));
    }
    while let Some(event) = events.next().await {
        let id = match event {
            RequestEvent::Opened(open) if open.shown => open.request.id,
            RequestEvent::Shown { id } => id,
            _ => continue,
        };
        if let Some(open) = requests.get(id) {
            let digest = open.request.digest;
            answering.spawn(answer(world.clone(), requests.clone(), surface, id, digest));
        }
    }
}

/// Answers one question, if at all; sometimes as one who still sees the question of an earlier leader.
async fn answer(world: World, requests: Requests, surface: Surface, id: RequestId, digest: Digest) {
    let lot = &world.lot;
    if lot.percent(30) {
        return;
    }
    sleep(lot.up_to(60_000)).await;
    if lot.percent(10) {
        requests.touch(id).await;
        sleep(lot.up_to(5_000)).await;
    }
    for _ in 0..=lot.below(2) {
        let kind = word(lot);
        let by = Answerer::Person { surface };
        let seen_in = match lot.below(10) {
            0 => Epoch::new(requests.epoch().number().saturating_sub(1)),
            _ => requests.epoch(),
        };
        let answer = Answer {
            kind: kind.clone(),
            by: by.clone(),
            digest: lot.percent(80).then_some(digest),
        };
        let given = requests.answer_seen_in(seen_in, id, answer).await;
        world.witness.see(|seen| {
            seen.trace.push(format!("{by} on {id}: {given:?}"));
            seen.given.push((id, by, kind, given));
        });
        sleep(lot.up_to(1_000)).await;
    }
}
