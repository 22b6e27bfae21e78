//! The life of one call: its state, moved by the one table of legal moves, each move published.

use std::sync::Arc;

use pointsman_gate::{HookWish, HookWord};
use pointsman_ledger::Clock;
use pointsman_model::{CallEvent, CallId, CallState, IllegalTransition, RunId, WorkerId};
use tokio::sync::broadcast;

use crate::{CallMoved, PastQuestion, Seat};

/// A call on its way. Dropped before its end, it ends as cancelled.
pub(super) struct Life {
    id: CallId,
    run: RunId,
    worker: WorkerId,
    state: CallState,
    clock: Arc<dyn Clock>,
    moves: broadcast::Sender<CallMoved>,
    /// What hooks want the agent told with the end of the call.
    notes: Vec<HookWord>,
    /// What hooks loosen beyond the call; taken in when it starts.
    owed: Vec<HookWish>,
    past: LifePast,
}

/// What an earlier reign left of a call.
#[derive(Debug)]
pub(super) enum LifePast {
    /// The call is new.
    None,
    /// It was asked for; this is its question, if it came to one.
    Asked(Option<PastQuestion>),
    /// It had started an agent, whose own calls are taken up in its place.
    Started,
}

impl Life {
    /// A call comes in.
    pub(super) fn begin(seat: &Seat) -> Self {
        Self::with(seat, seat.ids.next_call(), LifePast::None)
    }

    /// A call of an earlier reign is taken up.
    pub(super) fn again(seat: &Seat, id: CallId, past: LifePast) -> Self {
        Self::with(seat, id, past)
    }

    fn with(seat: &Seat, id: CallId, past: LifePast) -> Self {
        let life = Self {
            id,
            run: seat.run,
            worker: seat.worker,
            state: CallState::Validating,
            clock: Arc::clone(&seat.clock),
            moves: seat.moves.clone(),
            notes: Vec::new(),
            owed: Vec::new(),
            past,
        };
        life.publish(None);
        life
    }

    pub(super) fn id(&self) -> CallId {
        self.id
    }

    pub(super) fn worker(&self) -> WorkerId {
        self.worker
    }

    pub(super) fn state(&self) -> CallState {
        self.state
    }

    /// What an earlier reign left of it.
    pub(super) fn past(&self) -> &LifePast {
        &self.past
    }

    /// Whether it is asked already, as an earlier reign left it.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.past, LifePast::Asked(Some(_)))
    }

    /// The question that it had come to; given once.
    pub(super) fn take_question(&mut self) -> Option<PastQuestion> {
        match &mut self.past {
            LifePast::Asked(question) => question.take(),
            LifePast::None | LifePast::Started => None,
        }
    }

    /// Puts its question back: it has its verdict, which is to be heard.
    pub(super) fn give_back(&mut self, question: PastQuestion) {
        self.past = LifePast::Asked(Some(question));
    }

    /// Keeps what hooks want the agent told until the call ends.
    pub(super) fn keep(&mut self, notes: Vec<HookWord>) {
        self.notes.extend(notes);
    }

    /// Keeps what hooks loosen beyond the call until it starts. A call that is refused takes it with it.
    pub(super) fn owe(&mut self, wishes: Vec<HookWish>) {
        self.owed.extend(wishes);
    }

    /// What hooks loosen beyond the call; given once.
    pub(super) fn take_owed(&mut self) -> Vec<HookWish> {
        std::mem::take(&mut self.owed)
    }

    /// What hooks want the agent told.
    pub(super) fn notes(&self) -> &[HookWord] {
        &self.notes
    }

    /// Moves the call on.
    pub(super) fn apply(&mut self, event: CallEvent) -> Result<(), IllegalTransition> {
        let from = self.state;
        self.state = from.apply(event)?;
        self.publish(Some(from));
        Ok(())
    }

    fn publish(&self, from: Option<CallState>) {
        // Nobody may be watching.
        let _ = self.moves.send(CallMoved {
            run: self.run,
            worker: self.worker,
            call: self.id,
            from,
            to: self.state,
            at: self.clock.now(),
        });
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // An end state refuses the move, which is what is wanted.
        let _ = self.apply(CallEvent::Cancel);
    }
}
