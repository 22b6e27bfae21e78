//! Open requests: stored before told, answered exactly once, never waiting without an end.
//!
//! [`RequestsService`] is one event loop that owns the table of open requests; [`Requests`] is the
//! handle that handlers, surfaces and the mailbox hold. The service never decides anything: it takes
//! the first valid answer, puts it on disk, and tells everyone.

mod answer;
mod board;
mod deadlines;
mod inputs;
mod table;
mod taken_up;
mod ticket;

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use pointsman_ledger::{AppendError, Clock, Ledger, Seq, Showing};
use pointsman_model::{
    Explanation, Millis, NoVoteCause, Outcome, PermissionRequest, RequestId, VerdictKind, WorkerId,
};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::board::{Board, EndOfEvents};
use self::table::{Asked, Effect, Ending, Event, Key, Now, Opening, Seen, Table};
pub(crate) use self::ticket::Dropped;

pub use self::answer::{Answer, AnswerError, Answered, OpenError};
pub use self::board::{Advice, OpenRequest, RequestEvent, RequestEvents};
pub use self::inputs::{EditedInput, EditedInputs};
pub use self::taken_up::TakenUp;
pub use self::ticket::Ticket;

use crate::{Epoch, Reign};

/// How many messages may wait for the service. It only moves them on to the ledger's queue, so this bounds memory, not
/// rate.
const INBOX_MAX: usize = 4096;

/// How many messages the service takes before it looks at deadlines and finished stores again.
const BATCH_MAX: usize = 1024;

/// How long the wall clock may have jumped before anyone notices. Deadlines fire by the monotonic clock; this is for a
/// clock that was set forward and a machine that slept.
const WALL_CHECK: Millis = Millis(1000);

/// How many requests are looked up in the ledger at a time; whoever answers one more is told to try again.
const LOOKUPS_MAX: usize = 64;

/// What may be set.
#[derive(Debug, Clone)]
pub struct RequestsOptions {
    /// How long before its deadline a request is announced once more.
    pub soon: Millis,
    /// How many events a slow subscriber may lag behind before it has to look at the list anew.
    pub events_kept_max: usize,
    /// Whose reign it is: the first leader's of a run, or that of one who took it up again.
    pub reign: Reign,
    /// What becomes of inputs that an answer puts in the place of those that were asked about.
    pub inputs: EditedInputs,
}

impl Default for RequestsOptions {
    fn default() -> Self {
        Self {
            soon: Millis(30_000),
            events_kept_max: 4096,
            reign: Reign::FIRST,
            inputs: EditedInputs::default(),
        }
    }
}

/// Which requests are to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndScope {
    /// This one.
    One(RequestId),
    /// Those of an agent and of all agents below it.
    SubtreeOf(WorkerId),
    /// All.
    Everything,
}

/// The one who takes care of open requests. Its owner runs [`Self::run`] as a task and holds it.
pub struct RequestsService {
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    table: Table,
    board: EndOfEvents,
    inbox: flume::Receiver<Event>,
    dropped: Arc<Dropped>,
    stores: FuturesUnordered<Store>,
    lookups: JoinSet<Event>,
    _gone: DropGuard,
}

type Store = futures_util::future::BoxFuture<'static, (Key, Result<Seq, AppendError>)>;

impl RequestsService {
    /// A service that stores in `ledger`, and its handle. The runs of all requests must be led by that ledger.
    #[must_use]
    pub fn new(
        ledger: Ledger,
        clock: Arc<dyn Clock>,
        options: &RequestsOptions,
    ) -> (Requests, Self) {
        let (tx, inbox) = flume::bounded(INBOX_MAX);
        let board = Arc::new(Board::new(options.events_kept_max));
        let dropped = Arc::new(Dropped::default());
        let gone = CancellationToken::new();
        let handle = Requests {
            inner: Arc::new(Inner {
                tx,
                board: Arc::clone(&board),
                dropped: Arc::clone(&dropped),
                clock: Arc::clone(&clock),
                epoch: options.reign.epoch,
                inputs: options.inputs.clone(),
                gone: gone.clone(),
            }),
        };
        let service = Self {
            ledger,
            clock,
            table: Table::new(options.soon, options.reign),
            board: EndOfEvents(board),
            inbox,
            dropped,
            stores: FuturesUnordered::new(),
            lookups: JoinSet::new(),
            _gone: gone.drop_guard(),
        };
        (handle, service)
    }

    /// Serves until `shutdown`; then ends all open requests as cancelled, waits until that is on disk, and returns.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut stopping = false;
        while !(stopping && self.table.is_empty() && self.stores.is_empty()) {
            let next_look = self.next_look();
            let events = tokio::select! {
                biased;
                () = shutdown.cancelled(), if !stopping => {
                    stopping = true;
                    vec![Event::Stop]
                }
                () = self.dropped.bell.notified() => self.take_dropped(),
                Some((key, result)) = self.stores.next() => {
                    vec![Event::Stored { key, result }]
                }
                Some(looked_up) = self.lookups.join_next() => {
                    looked_up.into_iter().collect()
                }
                message = self.inbox.recv_async() => match message {
                    Ok(event) => vec![event],
                    // No handle is left, and so nobody who could answer; the tickets hold one each.
                    Err(_) if stopping => break,
                    Err(_) => {
                        stopping = true;
                        vec![Event::Stop]
                    }
                },
                () = sleep_until(next_look) => vec![Event::Tick],
            };
            self.handle_all(events).await;
        }
    }

    /// Handles the events, and with them all that is ready, so that one sync serves them all.
    async fn handle_all(&mut self, events: Vec<Event>) {
        let now = self.now();
        let mut effects = Vec::new();
        for event in events {
            self.table.handle(event, now, &mut effects);
        }
        while let Some(Some((key, result))) = self.stores.next().now_or_never() {
            self.table
                .handle(Event::Stored { key, result }, now, &mut effects);
        }
        for event in self.inbox.try_iter().take(BATCH_MAX) {
            self.table.handle(event, now, &mut effects);
        }
        for effect in effects {
            self.carry_out(effect).await;
        }
    }

    async fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Store { key, run, body } => {
                let submitted = self.ledger.submit(run, body).await;
                self.stores.push(
                    async move {
                        match submitted {
                            Ok(pending) => (key, pending.await),
                            Err(error) => (key, Err(error)),
                        }
                    }
                    .boxed(),
                );
            }
            Effect::Note { run, body } => {
                if let Err(error) = self.ledger.note(run, body).await {
                    tracing::warn!(%error, "a note about a request was not recorded");
                }
            }
            Effect::KeepClose(closed) => {
                // Of one that is closed nothing comes on record any more; the next start closes what it left.
                if let Err(error) = self.ledger.keep_close(closed).await {
                    tracing::debug!(%error, "the end of a request can't come on record");
                }
            }
            Effect::Publish(event) => self.board.0.publish(event),
            Effect::LookUp { id, answer, done } => self.look_up(id, answer, done),
            Effect::LookUpAsked(asked) => self.look_up_asked(asked),
            Effect::Opened(done, result) => drop(done.send(result)),
            Effect::Answered(done, result) => drop(done.send(result)),
            Effect::Ended(done, count) => drop(done.send(count)),
            Effect::Deliver(waiter, verdict) => drop(waiter.send(verdict)),
        }
    }

    /// Asks the ledger how a request ended that is no longer in memory.
    fn look_up(
        &mut self,
        id: RequestId,
        answer: Answer,
        done: oneshot::Sender<Result<Answered, AnswerError>>,
    ) {
        if self.lookups.len() >= LOOKUPS_MAX {
            let _ = done.send(Err(AnswerError::Unknown(id)));
            return;
        }
        let ledger = self.ledger.clone();
        self.lookups.spawn(async move {
            let trace = ledger.trace(id).await;
            Event::LookedUp {
                id,
                answer,
                done,
                trace,
            }
        });
    }

    /// Asks the ledger whether an earlier leader has dealt with a request that a messenger brings. Each asker waits for
    /// its answer, so these are bounded by those who ask.
    fn look_up_asked(&mut self, asked: Asked) {
        let ledger = self.ledger.clone();
        self.lookups.spawn(async move {
            let trace = ledger.trace(asked.request.id).await;
            Event::AskedLookedUp { asked, trace }
        });
    }

    fn take_dropped(&self) -> Vec<Event> {
        let ids = self.dropped.take();
        ids.into_iter().map(|id| Event::Withdraw { id }).collect()
    }

    fn next_look(&self) -> Option<Instant> {
        let wall_check = Instant::now() + WALL_CHECK.duration();
        self.table
            .next_deadline()
            .map(|deadline| deadline.min(wall_check))
    }

    fn now(&self) -> Now {
        Now {
            wall: self.clock.now(),
            mono: Instant::now(),
        }
    }
}

async fn sleep_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}

/// The handle of the service. Cheap to clone.
#[derive(Clone)]
pub struct Requests {
    inner: Arc<Inner>,
}

struct Inner {
    tx: flume::Sender<Event>,
    board: Arc<Board>,
    dropped: Arc<Dropped>,
    clock: Arc<dyn Clock>,
    epoch: Epoch,
    inputs: EditedInputs,
    /// A message that lies in the channel when the service goes is never dropped there, so this tells its sender.
    gone: CancellationToken,
}

impl Requests {
    /// Opens a request: on disk when it returns, and told to the surfaces by then as `showing` says (law 11).
    ///
    /// The same request may be opened again, by a messenger that does not know whether it arrived: it stays one request
    /// with one verdict, which all its tickets get. Dropping the future withdraws the request.
    ///
    /// # Errors
    /// When it can't be stored; then nobody is asked.
    pub async fn open(
        &self,
        request: impl Into<Arc<PermissionRequest>>,
        showing: Showing,
    ) -> Result<Ticket, OpenError> {
        self.open_as(request.into(), showing, Opening::Fresh).await
    }

    /// Takes a request up again that a dead leader left: same id, same deadline.
    ///
    /// # Errors
    /// When it can't be stored; then nobody is asked.
    async fn reopen(
        &self,
        request: impl Into<Arc<PermissionRequest>>,
        showing: Showing,
    ) -> Result<Ticket, OpenError> {
        self.open_as(request.into(), showing, Opening::Again).await
    }

    async fn open_as(
        &self,
        request: Arc<PermissionRequest>,
        showing: Showing,
        opening: Opening,
    ) -> Result<Ticket, OpenError> {
        let (waiter, verdict) = oneshot::channel();
        let (done, opened) = oneshot::channel();
        // Made first: should this future be dropped, the ticket goes with it and withdraws the request.
        let ticket = Ticket::new(
            &request,
            verdict,
            Arc::clone(&self.inner.dropped),
            Arc::clone(&self.inner.clock),
        );
        let event = Event::Open(Asked {
            request,
            showing,
            opening,
            waiter,
            done,
        });
        self.send(event).await.ok_or(OpenError::Closed)?;
        self.reply(opened).await.ok_or(OpenError::Closed)??;
        Ok(ticket)
    }

    /// Shows a request that was opened to be shown after the automatic checks. Shown already, or closed: nothing happens.
    pub async fn show(&self, id: RequestId) {
        // A stopped leader shows nothing any more.
        let _ = self.send(Event::Show { id }).await;
    }

    /// A person has touched the dialog after its grace: from now on automatic checks don't count (law 13).
    pub async fn touch(&self, id: RequestId) {
        let _ = self.send(Event::Touch { id }).await;
    }

    /// Puts a checker's word on the dialog: recorded and shown, no answer.
    pub async fn advise(&self, id: RequestId, advice: Advice) {
        let _ = self.send(Event::Advise { id, advice }).await;
    }

    /// Puts a model's explanation beside an open request. It decides nothing; a request that is open no longer is left
    /// alone.
    pub async fn explain(&self, id: RequestId, explanation: Explanation) {
        let explanation = Arc::new(explanation);
        let _ = self.send(Event::Explain { id, explanation }).await;
    }

    /// Answers a request for one who ends with this leader, such as an automatic check. The first valid answer is the
    /// verdict and is on disk when this returns.
    ///
    /// Dropping the future doesn't take the answer back.
    ///
    /// # Errors
    /// When the answer was given for something else, edits the input into one that does not fit, or can't be stored; then
    /// it doesn't count, and the request is open still.
    pub async fn answer(&self, id: RequestId, answer: Answer) -> Result<Answered, AnswerError> {
        self.answer_seen_in(self.inner.epoch, id, answer).await
    }

    /// Answers a request as one that was shown in that epoch; for answerers that may outlive a leader, as surfaces may.
    ///
    /// # Errors
    /// As with [`Self::answer`], and when the request is asked in another epoch now.
    pub async fn answer_seen_in(
        &self,
        epoch: Epoch,
        id: RequestId,
        answer: Answer,
    ) -> Result<Answered, AnswerError> {
        self.answer_seen(Seen::In(epoch), id, answer).await
    }

    /// Answers a request that the answerer did not see open, to hear what became of it. If it is open, nothing is
    /// answered: an answer counts for what was seen, never for whatever has an id.
    ///
    /// # Errors
    /// When the request is open, or the ledger can't be asked about it.
    pub async fn answer_unseen(
        &self,
        id: RequestId,
        answer: Answer,
    ) -> Result<Answered, AnswerError> {
        self.answer_seen(Seen::Nothing, id, answer).await
    }

    async fn answer_seen(
        &self,
        seen: Seen,
        id: RequestId,
        answer: Answer,
    ) -> Result<Answered, AnswerError> {
        if let VerdictKind::Allow {
            edited: Some(input),
            ..
        } = &answer.kind
        {
            // What is no longer open is answered nevertheless, to hear what became of it; that goes on record, too.
            let open = self.get(id);
            let edited = EditedInput {
                request: open.as_deref().map(|open| open.request.as_ref()),
                input,
                by: &answer.by,
            };
            let checked = self.inner.inputs.check(edited);
            checked.map_err(|why| AnswerError::Misfit { why })?;
        }
        let (done, answered) = oneshot::channel();
        let event = Event::Answer {
            id,
            answer,
            seen,
            done,
        };
        self.send(event).await.ok_or(AnswerError::Closed)?;
        self.reply(answered).await.ok_or(AnswerError::Closed)?
    }

    /// Ends a request without an answer. Returns whether it was open.
    pub async fn end(&self, id: RequestId, outcome: Outcome, text: &str) -> bool {
        self.end_all_of(EndScope::One(id), outcome, text).await > 0
    }

    /// Ends all requests of a scope without an answer, and returns how many were ended, when their verdicts are on disk
    /// and delivered.
    pub async fn end_all_of(&self, scope: EndScope, outcome: Outcome, text: &str) -> usize {
        let text = text.into();
        self.end_by(scope, Ending::Because { outcome, text }).await
    }

    /// Ends a request that a classifier stood in for and did not judge, with nobody there to be asked instead. Returns
    /// whether it was open.
    pub async fn end_unjudged(&self, id: RequestId, cause: NoVoteCause, text: &str) -> bool {
        let text = text.into();
        let ending = Ending::Unjudged { cause, text };
        self.end_by(EndScope::One(id), ending).await > 0
    }

    async fn end_by(&self, scope: EndScope, ending: Ending) -> usize {
        let (done, ended) = oneshot::channel();
        let event = Event::End {
            scope,
            ending,
            done,
        };
        match self.send(event).await {
            Some(()) => self.reply(ended).await.unwrap_or(0),
            // A stopped leader has ended everything already.
            None => 0,
        }
    }

    /// The number of this leader's reign.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.inner.epoch
    }

    /// All open requests, in the order in which they were opened; those that checks look at first come last.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<OpenRequest>> {
        self.inner.board.list()
    }

    /// One open request.
    #[must_use]
    pub fn get(&self, id: RequestId) -> Option<Arc<OpenRequest>> {
        self.inner.board.get(id)
    }

    /// What happens from now on. Subscribe first, then list: so nothing is missed.
    #[must_use]
    pub fn subscribe(&self) -> RequestEvents {
        self.inner.board.subscribe()
    }

    async fn send(&self, event: Event) -> Option<()> {
        self.inner.tx.send_async(event).await.ok()
    }

    /// The service's reply; nothing when it is gone.
    async fn reply<T>(&self, reply: oneshot::Receiver<T>) -> Option<T> {
        tokio::select! {
            biased;
            reply = reply => reply.ok(),
            () = self.inner.gone.cancelled() => None,
        }
    }
}

#[cfg(test)]
mod tests;
