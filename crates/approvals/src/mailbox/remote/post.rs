//! What a worker's process knows of its requests: plain events in, effects out, no line, no clock.

use std::collections::BTreeMap;
use std::time::Duration;

use pointsman_model::{PermissionRequest, RequestId, Verdict};
use smallvec::{SmallVec, smallvec};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::mailbox::ForwardError;
use crate::mailbox::line::{Pass, Stamp, ToLeader, ToWorker, VERSION};
use crate::{Epoch, Generation};

/// How long the leader may be out of reach before those who wait for it are told: longer than its restart takes, shorter
/// than a person's patience.
pub(super) const UNREACHABLE_AFTER: Duration = Duration::from_secs(30);

/// Someone who waits for a request: to be told that it is queued, and then for its verdict.
pub(super) struct Waiter {
    pub(super) told: Option<oneshot::Sender<Result<(), ForwardError>>>,
    pub(super) verdict: oneshot::Sender<Verdict>,
}

impl Waiter {
    fn has_gone(&self) -> bool {
        let told = self.told.as_ref();
        self.verdict.is_closed() || told.is_some_and(oneshot::Sender::is_closed)
    }

    fn queued(&mut self) {
        if let Some(told) = self.told.take() {
            // One that has gone is found out when its withdrawal comes.
            let _ = told.send(Ok(()));
        }
    }

    fn fail(self, error: &ForwardError) {
        // One that was told "queued" hears that its verdict is lost, by the drop of its end.
        if let Some(told) = self.told {
            let _ = told.send(Err(error.clone()));
        }
    }
}

struct Waited {
    request: Box<PermissionRequest>,
    queued: bool,
    waiters: SmallVec<[Waiter; 1]>,
}

pub(super) enum Event {
    /// Someone asks.
    Forward(Box<PermissionRequest>, Waiter),
    /// Someone who asked has gone.
    Dropped(RequestId),
    /// A line stands.
    Dialed,
    /// The leader speaks.
    Frame(ToWorker),
    /// The line is broken.
    LineGone,
    /// Time has passed.
    Tick,
}

pub(super) enum Effect {
    Send(ToLeader),
    HangUp,
}

enum State {
    Down {
        since: Instant,
    },
    Greeting {
        since: Instant,
    },
    Up,
    /// The leader does not want this worker any more.
    Away,
}

pub(super) struct Post {
    pass: Pass,
    epoch: Epoch,
    state: State,
    waited: BTreeMap<RequestId, Waited>,
}

type Effects = Vec<Effect>;

impl Post {
    pub(super) fn new(pass: Pass, now: Instant) -> Self {
        Self {
            pass,
            epoch: Epoch::new(0),
            state: State::Down { since: now },
            waited: BTreeMap::new(),
        }
    }

    /// Whether a line is wanted.
    pub(super) fn wants_line(&self) -> bool {
        match self.state {
            State::Down { .. } => true,
            State::Greeting { .. } | State::Up | State::Away => false,
        }
    }

    /// When [`Event::Tick`] is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        match self.state {
            State::Down { since } | State::Greeting { since } if !self.waited.is_empty() => {
                Some(since + UNREACHABLE_AFTER)
            }
            State::Down { .. } | State::Greeting { .. } | State::Up | State::Away => None,
        }
    }

    pub(super) fn handle(&mut self, event: Event, now: Instant, effects: &mut Effects) {
        match event {
            Event::Forward(request, waiter) => self.forward(request, waiter, effects),
            Event::Dropped(id) => self.dropped(id, effects),
            Event::Dialed => {
                // The leader has to be heard, not merely reached, before the time of its absence ends.
                let since = match self.state {
                    State::Down { since } | State::Greeting { since } => since,
                    State::Up | State::Away => now,
                };
                self.state = State::Greeting { since };
                effects.push(Effect::Send(ToLeader::Hello {
                    version: VERSION,
                    pass: self.pass.clone(),
                }));
            }
            Event::Frame(frame) => self.frame(frame, effects),
            Event::LineGone => match self.state {
                State::Up => self.state = State::Down { since: now },
                State::Greeting { since } => self.state = State::Down { since },
                State::Down { .. } | State::Away => {}
            },
            Event::Tick => self.tick(now, effects),
        }
    }

    fn forward(&mut self, request: Box<PermissionRequest>, waiter: Waiter, effects: &mut Effects) {
        let id = request.id;
        if waiter.has_gone() {
            return;
        }
        if matches!(self.state, State::Away) {
            return waiter.fail(&ForwardError::Closed);
        }
        if let Some(waited) = self.waited.get_mut(&id) {
            let mut waiter = waiter;
            if waited.request.digest != request.digest {
                return waiter.fail(&ForwardError::NotStored {
                    request: id,
                    why: "another request has its id".into(),
                });
            }
            if waited.queued {
                waiter.queued();
            }
            return waited.waiters.push(waiter);
        }
        if matches!(self.state, State::Up) {
            effects.push(Effect::Send(ToLeader::Request {
                at: self.stamp(),
                request: request.clone(),
            }));
        }
        self.waited.insert(
            id,
            Waited {
                request,
                queued: false,
                waiters: smallvec![waiter],
            },
        );
    }

    fn dropped(&mut self, id: RequestId, effects: &mut Effects) {
        let Some(waited) = self.waited.get_mut(&id) else {
            return;
        };
        waited.waiters.retain(|waiter| !waiter.has_gone());
        if !waited.waiters.is_empty() {
            return;
        }
        self.waited.remove(&id);
        // While the line is broken nothing has to be said: what is not asked for again is withdrawn.
        if matches!(self.state, State::Up) {
            let at = self.stamp();
            effects.push(Effect::Send(ToLeader::Withdraw { at, id }));
        }
    }

    fn frame(&mut self, frame: ToWorker, effects: &mut Effects) {
        match frame {
            ToWorker::Welcome { at } => self.welcomed(at, effects),
            ToWorker::TurnedAway { why } => {
                tracing::warn!(%why, "the leader turns this worker away");
                self.state = State::Away;
                self.fail_all(&ForwardError::Closed);
                effects.push(Effect::HangUp);
            }
            ToWorker::Queued { at, id } => {
                if self.is_of_now(at)
                    && let Some(waited) = self.waited.get_mut(&id)
                {
                    waited.queued = true;
                    waited.waiters.iter_mut().for_each(Waiter::queued);
                }
            }
            ToWorker::Refused { at, id, why } => {
                if self.is_of_now(at)
                    && let Some(waited) = self.waited.remove(&id)
                {
                    let error = match why {
                        Some(why) => ForwardError::NotStored { request: id, why },
                        None => ForwardError::Closed,
                    };
                    waited
                        .waiters
                        .into_iter()
                        .for_each(|waiter| waiter.fail(&error));
                }
            }
            ToWorker::Verdict { at, id, verdict } => self.verdict(at, id, &verdict, effects),
        }
    }

    fn welcomed(&mut self, at: Stamp, effects: &mut Effects) {
        let State::Greeting { .. } = self.state else {
            return;
        };
        if at.generation != self.pass.generation || at.epoch < self.epoch {
            // An older leader, which must not rule any more.
            return effects.push(Effect::HangUp);
        }
        self.epoch = at.epoch;
        self.state = State::Up;
        for waited in self.waited.values() {
            effects.push(Effect::Send(ToLeader::Request {
                at: self.stamp(),
                request: waited.request.clone(),
            }));
        }
        effects.push(Effect::Send(ToLeader::Synced {
            at: self.stamp(),
            open: self.waited.keys().copied().collect(),
        }));
    }

    fn verdict(&mut self, at: Stamp, id: RequestId, verdict: &Verdict, effects: &mut Effects) {
        if !self.is_of_now(at) {
            return;
        }
        if let Some(waited) = self.waited.get(&id)
            && waited.request.digest != verdict.digest
        {
            tracing::error!(%id, "a verdict on something else came, and is not used");
            return;
        }
        if let Some(waited) = self.waited.remove(&id) {
            for mut waiter in waited.waiters {
                waiter.queued();
                // One that has gone wants no verdict.
                let _ = waiter.verdict.send(verdict.clone());
            }
        }
        // Also for one that came before, so that the leader may forget it.
        effects.push(Effect::Send(ToLeader::Got {
            at: self.stamp(),
            id,
        }));
    }

    fn tick(&mut self, now: Instant, effects: &mut Effects) {
        if self.next_due().is_none_or(|due| now < due) {
            return;
        }
        self.fail_all(&ForwardError::Unreachable);
        // One that took the line and says nothing is as good as gone.
        if matches!(self.state, State::Greeting { .. }) {
            effects.push(Effect::HangUp);
        }
    }

    fn fail_all(&mut self, error: &ForwardError) {
        for waited in std::mem::take(&mut self.waited).into_values() {
            waited
                .waiters
                .into_iter()
                .for_each(|waiter| waiter.fail(error));
        }
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            epoch: self.epoch,
            generation: self.pass.generation,
        }
    }

    fn is_of_now(&self, at: Stamp) -> bool {
        let generation: Generation = self.pass.generation;
        matches!(self.state, State::Up) && at.epoch == self.epoch && at.generation == generation
    }
}
