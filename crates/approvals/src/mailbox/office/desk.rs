//! What the leader knows of its workers' processes and of their letters: plain events in, effects out,
//! no line, no clock.

use std::time::Duration;

use pointsman_model::{PermissionRequest, RequestId, Verdict, WorkerId};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::time::Instant;

use crate::mailbox::Undelivered;
use crate::mailbox::line::{Pass, Stamp, ToLeader, ToWorker, VERSION};
use crate::{Epoch, Generation};

/// How long a worker may be without a line before its requests are withdrawn: long enough to dial again, short enough
/// that nobody answers for one that is dead.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// How long a line may be silent before it says whose it is.
const HELLO_WITHIN: Duration = Duration::from_secs(5);

/// How many requests of one worker's process may wait for their verdicts or to be told them.
const LETTERS_MAX: usize = 4096;

/// A line, by its number.
pub(super) type LineId = u64;

/// A request of one life of a worker's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LetterKey {
    pub(super) worker: WorkerId,
    generation: Generation,
    pub(super) request: RequestId,
}

pub(super) enum Event {
    /// A worker's process is about to be started, or was started by an earlier leader.
    Seat(Pass),
    /// A worker has ended.
    Unseat(WorkerId),
    /// A line was made.
    Came(LineId),
    /// A worker speaks.
    Frame(LineId, ToLeader),
    /// A line is broken.
    Gone(LineId),
    /// A letter is on disk.
    Queued(LetterKey),
    /// A letter is not taken.
    Refused(LetterKey, Undelivered),
    /// A letter has its verdict.
    Verdict(LetterKey, Box<Verdict>),
    /// Time has passed.
    Tick,
}

pub(super) enum Effect {
    Send(LineId, ToWorker),
    Close(LineId),
    /// Bring the request to the leader's table.
    Forward(LetterKey, Box<PermissionRequest>),
    /// Nobody waits for it any more.
    Withdraw(LetterKey),
}

type Effects = Vec<Effect>;

/// One worker's process.
struct Seat {
    pass: Pass,
    line: Option<LineId>,
    /// Since when it has no line.
    away_since: Option<Instant>,
    letters: FxHashMap<RequestId, Held>,
    /// Those that it asked before its present line.
    from_before: FxHashSet<RequestId>,
}

struct Held {
    digest: pointsman_model::Digest,
    state: HeldState,
}

enum HeldState {
    /// On its way to the disk.
    Opening,
    Queued,
    /// It has its verdict, and the worker has not said that it knows.
    Answered(Box<Verdict>),
}

/// A line whose worker has not said who it is, or has.
struct LineState {
    since: Instant,
    worker: Option<WorkerId>,
}

pub(super) struct Desk {
    epoch: Epoch,
    seats: FxHashMap<WorkerId, Seat>,
    lines: FxHashMap<LineId, LineState>,
    /// How many frames came from another epoch or life.
    stale: u64,
}

impl Desk {
    pub(super) fn new(epoch: Epoch) -> Self {
        Self {
            epoch,
            seats: FxHashMap::default(),
            lines: FxHashMap::default(),
            stale: 0,
        }
    }

    pub(super) fn stale(&self) -> u64 {
        self.stale
    }

    /// The generation of the life that a worker is to be started into.
    pub(super) fn next_generation(&self, worker: WorkerId) -> Generation {
        let last = self.seats.get(&worker).map(|seat| seat.pass.generation);
        last.map_or(Generation::FIRST, Generation::next)
    }

    /// When [`Event::Tick`] is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let silent = self.lines.values().filter(|line| line.worker.is_none());
        let silent = silent.map(|line| line.since + HELLO_WITHIN);
        let away = self.seats.values().filter(|seat| !seat.letters.is_empty());
        let away = away.filter_map(|seat| seat.away_since.map(|since| since + GRACE));
        silent.chain(away).min()
    }

    /// The line that has stood the longest without its worker having said who it is.
    pub(super) fn longest_silent(&self) -> Option<LineId> {
        let silent = self.lines.iter().filter(|(_, line)| line.worker.is_none());
        let oldest = silent.min_by_key(|(id, line)| (line.since, **id));
        oldest.map(|(id, _)| *id)
    }

    pub(super) fn handle(&mut self, event: Event, now: Instant, effects: &mut Effects) {
        match event {
            Event::Seat(pass) => self.seat(pass, now, effects),
            Event::Unseat(worker) => {
                if let Some(seat) = self.seats.remove(&worker) {
                    self.clear(seat, effects);
                }
            }
            Event::Came(line) => {
                let state = LineState {
                    since: now,
                    worker: None,
                };
                self.lines.insert(line, state);
            }
            Event::Frame(line, frame) => self.frame(line, frame, now, effects),
            Event::Gone(line) => self.gone(line, now),
            Event::Queued(key) => {
                if let Some((line, at, held)) = self.held(key) {
                    held.state = HeldState::Queued;
                    let id = key.request;
                    effects
                        .extend(line.map(|line| Effect::Send(line, ToWorker::Queued { at, id })));
                }
            }
            Event::Refused(key, why) => self.refused(key, why, effects),
            Event::Verdict(key, verdict) => {
                if let Some((line, at, held)) = self.held(key) {
                    held.state = HeldState::Answered(verdict.clone());
                    let id = key.request;
                    effects.extend(
                        line.map(|line| Effect::Send(line, ToWorker::Verdict { at, id, verdict })),
                    );
                }
            }
            Event::Tick => self.tick(now, effects),
        }
    }

    /// A new life: what the last one asked is withdrawn (P6 of the mailbox: an old life's answers are never used).
    fn seat(&mut self, pass: Pass, now: Instant, effects: &mut Effects) {
        let seat = Seat {
            line: None,
            away_since: Some(now),
            letters: FxHashMap::default(),
            from_before: FxHashSet::default(),
            pass,
        };
        if let Some(old) = self.seats.insert(seat.pass.worker, seat) {
            self.clear(old, effects);
        }
    }

    fn clear(&mut self, seat: Seat, effects: &mut Effects) {
        let generation = seat.pass.generation;
        let worker = seat.pass.worker;
        for request in seat.letters.into_keys() {
            effects.push(Effect::Withdraw(LetterKey {
                worker,
                generation,
                request,
            }));
        }
        if let Some(line) = seat.line {
            self.close(line, effects);
        }
    }

    fn close(&mut self, line: LineId, effects: &mut Effects) {
        self.lines.remove(&line);
        effects.push(Effect::Close(line));
    }

    /// Breaks a line on which nonsense was said; its worker may come again.
    fn hang_up(&mut self, line: LineId, why: &str, now: Instant, effects: &mut Effects) {
        tracing::warn!(line, why, "a worker's line is broken off");
        self.gone(line, now);
        effects.push(Effect::Close(line));
    }

    fn frame(&mut self, line: LineId, frame: ToLeader, now: Instant, effects: &mut Effects) {
        let Some(state) = self.lines.get(&line) else {
            return;
        };
        let Some(worker) = state.worker else {
            return match frame {
                ToLeader::Hello { version, pass } => self.hello(line, version, &pass, effects),
                ToLeader::Request { .. }
                | ToLeader::Withdraw { .. }
                | ToLeader::Got { .. }
                | ToLeader::Synced { .. } => {
                    self.hang_up(line, "it did not say who it is", now, effects);
                }
            };
        };
        match frame {
            ToLeader::Hello { .. } => self.hang_up(line, "it said twice who it is", now, effects),
            ToLeader::Request { at, request } => {
                if self.is_of_now(worker, at) {
                    self.request(line, worker, request, now, effects);
                }
            }
            ToLeader::Withdraw { at, id } => {
                if self.is_of_now(worker, at) {
                    self.forget(worker, id, effects);
                }
            }
            ToLeader::Got { at, id } => {
                if self.is_of_now(worker, at)
                    && let Some(seat) = self.seats.get_mut(&worker)
                    && let Some(held) = seat.letters.get(&id)
                    && matches!(held.state, HeldState::Answered(_))
                {
                    seat.letters.remove(&id);
                }
            }
            ToLeader::Synced { at, open } => {
                if self.is_of_now(worker, at) {
                    self.synced(worker, open, effects);
                }
            }
        }
    }

    fn hello(&mut self, line: LineId, version: u32, pass: &Pass, effects: &mut Effects) {
        let epoch = self.epoch;
        let known = self.seats.get_mut(&pass.worker);
        let known = known.filter(|seat| seat.pass.has_secret_of(pass));
        let why = match known {
            _ if version != VERSION => format!("the leader speaks version {VERSION}"),
            None => "the leader does not know this worker".into(),
            Some(seat) if seat.pass.generation != pass.generation => {
                self.stale = self.stale.saturating_add(1);
                "this worker was started again".into()
            }
            Some(seat) => {
                let at = Stamp {
                    epoch,
                    generation: pass.generation,
                };
                let before = seat.line.replace(line);
                seat.away_since = None;
                seat.from_before = seat.letters.keys().copied().collect();
                if let Some(state) = self.lines.get_mut(&line) {
                    state.worker = Some(pass.worker);
                }
                if let Some(before) = before {
                    self.close(before, effects);
                }
                return effects.push(Effect::Send(line, ToWorker::Welcome { at }));
            }
        };
        let away = ToWorker::TurnedAway { why: why.into() };
        effects.push(Effect::Send(line, away));
        self.close(line, effects);
    }

    fn is_of_now(&mut self, worker: WorkerId, at: Stamp) -> bool {
        let generation = self.seats.get(&worker).map(|seat| seat.pass.generation);
        let is = at.epoch == self.epoch && Some(at.generation) == generation;
        if !is {
            self.stale = self.stale.saturating_add(1);
        }
        is
    }

    fn request(
        &mut self,
        line: LineId,
        worker: WorkerId,
        request: Box<PermissionRequest>,
        now: Instant,
        effects: &mut Effects,
    ) {
        let id = request.id;
        if id.run() != worker.run() || !request.lineage.includes(worker) {
            return self.hang_up(line, "it asks in the name of another", now, effects);
        }
        let epoch = self.epoch;
        let Some(seat) = self.seats.get_mut(&worker) else {
            return;
        };
        let at = Stamp {
            epoch,
            generation: seat.pass.generation,
        };
        let refuse = |why: &str| {
            let why = Some(why.into());
            Effect::Send(line, ToWorker::Refused { at, id, why })
        };
        if let Some(held) = seat.letters.get(&id) {
            if held.digest != request.digest {
                return effects.push(refuse("another request has its id"));
            }
            return match &held.state {
                // It is told when it is on disk.
                HeldState::Opening => {}
                HeldState::Queued => {
                    effects.push(Effect::Send(line, ToWorker::Queued { at, id }));
                }
                HeldState::Answered(verdict) => {
                    let verdict = verdict.clone();
                    effects.push(Effect::Send(line, ToWorker::Verdict { at, id, verdict }));
                }
            };
        }
        if seat.letters.len() >= LETTERS_MAX {
            return effects.push(refuse("too many requests of this worker are open"));
        }
        let held = Held {
            digest: request.digest,
            state: HeldState::Opening,
        };
        seat.letters.insert(id, held);
        let key = LetterKey {
            worker,
            generation: seat.pass.generation,
            request: id,
        };
        effects.push(Effect::Forward(key, request));
    }

    /// The worker waits no longer for this request.
    fn forget(&mut self, worker: WorkerId, id: RequestId, effects: &mut Effects) {
        if let Some(seat) = self.seats.get_mut(&worker)
            && seat.letters.remove(&id).is_some()
        {
            effects.push(Effect::Withdraw(LetterKey {
                worker,
                generation: seat.pass.generation,
                request: id,
            }));
        }
    }

    /// The worker has asked for all that it waits for: of what it had asked on earlier lines, the rest is withdrawn.
    fn synced(&mut self, worker: WorkerId, open: Vec<RequestId>, effects: &mut Effects) {
        let Some(seat) = self.seats.get_mut(&worker) else {
            return;
        };
        let open: FxHashSet<RequestId> = open.into_iter().collect();
        let mut left: Vec<_> = std::mem::take(&mut seat.from_before)
            .into_iter()
            .filter(|id| !open.contains(id))
            .collect();
        left.sort_unstable();
        for id in left {
            self.forget(worker, id, effects);
        }
    }

    fn gone(&mut self, line: LineId, now: Instant) {
        let Some(LineState {
            worker: Some(worker),
            ..
        }) = self.lines.remove(&line)
        else {
            return;
        };
        if let Some(seat) = self.seats.get_mut(&worker)
            && seat.line == Some(line)
        {
            seat.line = None;
            seat.away_since = Some(now);
        }
    }

    fn refused(&mut self, key: LetterKey, why: Undelivered, effects: &mut Effects) {
        let Some((line, at, _)) = self.held(key) else {
            return;
        };
        if let Some(seat) = self.seats.get_mut(&key.worker) {
            seat.letters.remove(&key.request);
        }
        let why = match why {
            Undelivered::NotStored(why) => Some(why),
            Undelivered::Closed => None,
        };
        let id = key.request;
        effects.extend(line.map(|line| Effect::Send(line, ToWorker::Refused { at, id, why })));
    }

    /// The letter of that key, its worker's line, and what is written on what is said of it.
    fn held(&mut self, key: LetterKey) -> Option<(Option<LineId>, Stamp, &mut Held)> {
        let epoch = self.epoch;
        let seat = self.seats.get_mut(&key.worker)?;
        if seat.pass.generation != key.generation {
            return None;
        }
        let at = Stamp {
            epoch,
            generation: key.generation,
        };
        let line = seat.line;
        Some((line, at, seat.letters.get_mut(&key.request)?))
    }

    fn tick(&mut self, now: Instant, effects: &mut Effects) {
        let silent: Vec<LineId> = self
            .lines
            .iter()
            .filter(|(_, line)| line.worker.is_none() && now >= line.since + HELLO_WITHIN)
            .map(|(id, _)| *id)
            .collect();
        for line in silent {
            self.hang_up(line, "it did not say who it is in time", now, effects);
        }
        for seat in self.seats.values_mut() {
            if seat.away_since.is_some_and(|since| now >= since + GRACE) {
                let mut letters: Vec<_> = seat.letters.drain().map(|(id, _)| id).collect();
                letters.sort_unstable();
                let (worker, generation) = (seat.pass.worker, seat.pass.generation);
                effects.extend(letters.into_iter().map(|request| {
                    Effect::Withdraw(LetterKey {
                        worker,
                        generation,
                        request,
                    })
                }));
            }
        }
    }
}
