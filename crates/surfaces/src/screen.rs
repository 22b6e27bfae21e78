//! The full screen: agents, the queue of requests, each request in full, and the answers of the
//! person at the terminal.
//!
//! [`ScreenService`] owns the terminal while a run is on. All that it shows and does goes through a
//! plain state machine (`state`) and plain drawing (`draw`); the service reads keys, carries answers
//! to the requests' service, and draws. It decides nothing: an answer is bound to the very request
//! that was drawn, and whether it counts is said elsewhere.

mod key;
mod look;

mod sheet;

mod field;
mod scroll;

mod afar;
mod before;
mod bell;
mod event;
mod layout;
mod link;
mod news;
mod notice;
mod queue;
mod refused;

mod dialog;
mod overview;
mod preview;
mod scene;
mod stop;
mod transcript;

mod draw;
mod state;

mod device;

#[cfg(test)]
mod pictures;
#[cfg(test)]
mod stage;

pub use self::bell::Bell;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;

use crossterm::event::{Event as Input, EventStream};
use futures_util::StreamExt as _;
use pointsman_approvals::OpenRequest;
use pointsman_ledger::{Clock, Filter, LedgerReader, LedgerRecord};
use pointsman_model::{RequestId, VerdictKind, WorkerId};
use ratatui::layout::Size;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use self::afar::Afar;
use self::before::Before;
use self::device::{Device, Lease, Panicked};
use self::event::{Effect, Event};
use self::key::Key;
use self::news::{Flow, Flows, News, listed};
use self::state::{Course, Hands, Seat, State};
use crate::pause::{Pause, Pauses};
use crate::socket::JobWire;

pub use self::device::leave_full_screen;
pub use self::link::{FarLeader, Link};
pub use self::look::Look;

/// Records that wait to be shown; whoever has more waits with them.
const RECORDS_MAX: usize = 1_024;
/// Shortest time between two frames: what a person sees as one movement.
const FRAME: Duration = Duration::from_millis(33);
/// From this long without a key a person no longer types: twice what the slowest take between two.
const TYPING_PAUSE: Duration = Duration::from_secs(1);
/// Longest time that a screen is held, once it is to end, for somebody who types on. Whoever waits for its end waits for
/// this besides.
pub const TYPING_MAX: Duration = Duration::from_secs(10);
/// How often ages are drawn anew.
const TICK: Duration = Duration::from_secs(1);

/// Why there is no full screen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScreenError {
    /// Standard input or standard output is something else.
    #[error("standard input and standard output are no terminal")]
    NoTerminal,
    /// It does not do what a terminal does.
    #[error("the terminal can't be set up as a full screen")]
    SetUp(#[source] io::Error),
}

/// What a screen is opened for.
pub struct ScreenOptions {
    /// The running leader.
    pub leader: Link,
    /// The names of the run's jobs, in the order of the file.
    pub jobs: Vec<String>,
    /// The ledger, for transcripts.
    pub ledger: PathBuf,
    /// The run's clock.
    pub clock: Arc<dyn Clock>,
    /// Whether colours are used.
    pub look: Look,
    /// Cancelled when the person stops the run.
    pub stop: CancellationToken,
    /// Whether the bell rings when something waits.
    pub bell: Bell,
}

/// What was read from the disk for the screen.
enum ReadFile {
    Transcript(WorkerId, Vec<Arc<LedgerRecord>>),
    Before(RequestId, Before),
}

/// What a screen is told.
enum Told {
    Record(Arc<LedgerRecord>),
    CaughtUp,
    Jobs(Vec<JobWire>),
    Desktop(String),
    Notice(String),
}

/// The full screen of one run.
pub struct ScreenService {
    options: ScreenOptions,
    device: Device,
    state: State,
    news: News,
    told: flume::Receiver<Told>,
    input: EventStream,
    pauses: Pauses,
    answers: JoinSet<Option<Event>>,
    readings: JoinSet<ReadFile>,
}

/// Tells the screen what was written to the ledger. Cheap to clone.
#[derive(Clone)]
pub struct ScreenHandle {
    told: flume::Sender<Told>,
}

/// The screen has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the full screen has ended")]
pub struct ScreenGone;

impl ScreenHandle {
    /// Shows a record; waits while many wait.
    ///
    /// Cancel safe: a dropped call shows nothing or all of it.
    ///
    /// # Errors
    /// When the screen has ended.
    pub async fn record(&self, record: Arc<LedgerRecord>) -> Result<(), ScreenGone> {
        self.tell(Told::Record(record)).await
    }

    /// All records that were there when the screen was opened have been shown: from now on they are news. Only for a
    /// leader in another process.
    ///
    /// # Errors
    /// When the screen has ended.
    pub async fn caught_up(&self) -> Result<(), ScreenGone> {
        self.tell(Told::CaughtUp).await
    }

    /// Shows how far the jobs are. Only for a leader in another process.
    ///
    /// # Errors
    /// When the screen has ended.
    pub async fn jobs(&self, jobs: Vec<JobWire>) -> Result<(), ScreenGone> {
        self.tell(Told::Jobs(jobs)).await
    }

    /// Tells the person something in the last row, until a key or the next such text.
    ///
    /// # Errors
    /// When the screen has ended.
    pub async fn notice(&self, text: String) -> Result<(), ScreenGone> {
        self.tell(Told::Notice(text)).await
    }

    /// Has the terminal tell the desktop something, as far as it can.
    ///
    /// # Errors
    /// When the screen has ended.
    pub async fn tell_desktop(&self, text: String) -> Result<(), ScreenGone> {
        self.tell(Told::Desktop(text)).await
    }

    async fn tell(&self, told: Told) -> Result<(), ScreenGone> {
        self.told.send_async(told).await.map_err(|_| ScreenGone)
    }
}

impl ScreenService {
    /// Takes the terminal over for a run. Has to be called within a Tokio runtime.
    ///
    /// # Errors
    /// When there is no terminal, or it can't be set up; it is as it was then.
    pub fn open(options: ScreenOptions) -> Result<(ScreenHandle, Self), ScreenError> {
        let pauses = Pauses::new();
        let device = Device::open()?;
        let (sender, told) = flume::bounded(RECORDS_MAX);
        let mut state = State::new(options.leader.run(), &options.jobs, device.size());
        let news = match &options.leader {
            Link::Here(leader) => News::Here {
                requests: leader.requests().subscribe(),
                run: leader.events(),
            },
            Link::There(_) => {
                state.seat = Seat::Attached;
                News::There(Afar::new())
            }
        };
        let service = Self {
            news,
            options,
            state,
            device,
            told,
            input: EventStream::new(),
            pauses,
            answers: JoinSet::new(),
            readings: JoinSet::new(),
        };
        Ok((ScreenHandle { told: sender }, service))
    }

    /// Serves the person until `shutdown`, or until they leave a leader in another process; gives the terminal back.
    ///
    /// Takes a thread of its own for as long: it is to be called on one for blocking work. Drawing waits for the terminal,
    /// and a worker of the runtime that waits hands its tasks to another thread. With each frame they would move on, and
    /// what lives long would come to lie all over the heaps of all threads, none of which could be used up.
    pub fn run(self, shutdown: CancellationToken) {
        Handle::current().block_on(self.serve(shutdown));
    }

    async fn serve(mut self, shutdown: CancellationToken) {
        if let Link::Here(leader) = &self.options.leader {
            let open = listed(leader.requests());
            self.take(Event::Listed(open));
        }
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut flows = Flows::open();
        let mut drawn = Instant::now() - FRAME;
        let mut dirty = true;
        while !shutdown.is_cancelled() {
            let event = tokio::select! {
                () = shutdown.cancelled() => break,
                () = tokio::time::sleep_until(drawn + FRAME), if dirty => {
                    dirty = self.draw().await == Again::Yes;
                    drawn = Instant::now();
                    continue;
                }
                event = self.next(&mut tick, &mut flows) => event,
            };
            for event in event {
                self.take(event);
                dirty = true;
            }
            if self.state.seat == Seat::Left {
                break;
            }
        }
        self.outlast_typing().await;
        // Answers on their way are carried to their end: the leader ends what stays open.
        while self.answers.join_next().await.is_some() {}
        self.readings.shutdown().await;
    }

    /// The screen is to end under a text that the person is writing. The rest of it is not for the shell behind the screen:
    /// the last frame stays until the keys pause.
    async fn outlast_typing(&mut self) {
        let writes = self.state.seat != Seat::Left && self.state.is_being_written();
        if !writes || self.state.course == Course::Stopping || self.device.lease() == Lease::Lent {
            return;
        }
        let text = "the screen closes; what you were writing was not sent";
        let now = self.options.clock.now();
        self.state.handle(Event::Notice(text.into()), now);
        self.draw().await;
        let end = Instant::now() + TYPING_MAX;
        while Instant::now() < end {
            match tokio::time::timeout(TYPING_PAUSE, self.input.next()).await {
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(_)) | None) | Err(_) => return,
            }
        }
    }

    async fn pause(&mut self, pause: Pause) -> Event {
        match pause {
            Pause::Asked => {
                self.device.lend();
                Pauses::stop_here();
                Event::Tick
            }
            Pause::Over => match self.device.take_back() {
                Ok(Lease::Held) => {
                    self.drop_keys().await;
                    Event::TakenBack
                }
                // A terminal that can't be taken over is not drawn on; the next time it may.
                Ok(Lease::Lent) | Err(_) => Event::Tick,
            },
        }
    }

    /// Throws away what was typed by now: what the terminal still has, and what was read of it. Waits for nothing.
    ///
    /// The keys wake whoever looked for them last and found none: that has to be this task, or the next key is not seen
    /// before something else wakes it.
    async fn drop_keys(&mut self) {
        self.device.drop_input();
        let input = &mut self.input;
        poll_fn(|task| {
            while let Poll::Ready(Some(Ok(_))) = input.poll_next_unpin(task) {}
            Poll::Ready(())
        })
        .await;
    }

    /// Stops, as Ctrl-Z does in any other program, where a shell is there to let it go on.
    fn ask_pause(&mut self) {
        if !Pauses::ask() {
            let text =
                "no shell waits behind this screen, which could let pointsman go on: it stays";
            for event in [Event::TakenBack, Event::Notice(text.into())] {
                self.state.handle(event, self.options.clock.now());
            }
        }
    }

    /// What comes next, if it is anything to the screen. Cancel safe.
    async fn next(&mut self, tick: &mut Interval, flows: &mut Flows) -> Vec<Event> {
        let event = tokio::select! {
            event = self.news.next(flows, &self.options.leader) => event,
            told = self.told.recv_async(), if flows.told == Flow::Open => match told {
                Ok(Told::Record(record)) => {
                    let more = match &mut self.news {
                        News::Here { .. } => None,
                        News::There(afar) => afar.record(&record),
                    };
                    return [Event::Record(record)].into_iter().chain(more).collect();
                }
                Ok(Told::CaughtUp) => match &mut self.news {
                    News::Here { .. } => None,
                    News::There(afar) => Some(afar.caught_up()),
                },
                Ok(Told::Jobs(jobs)) => Some(Event::Jobs(jobs)),
                Ok(Told::Notice(text)) => Some(Event::Notice(text)),
                Ok(Told::Desktop(text)) => {
                    self.device.tell_desktop(&text);
                    None
                }
                Err(_) => {
                    flows.told = Flow::Ended;
                    None
                }
            },
            input = self.input.next(), if flows.input == Flow::Open => match input {
                Some(Ok(input)) => event_of_input(input),
                Some(Err(_)) | None => {
                    flows.input = Flow::Ended;
                    Some(Event::Notice(
                        "the terminal gives no keys; `pointsman answer` still reaches this run".into(),
                    ))
                }
            },
            Some(done) = self.answers.join_next() => done.unwrap_or_default(),
            Some(read) = self.readings.join_next() => match read {
                Ok(ReadFile::Transcript(worker, records)) => Some(Event::Loaded(worker, records)),
                Ok(ReadFile::Before(id, before)) => Some(Event::Before(id, before)),
                Err(_) => Some(Event::Notice("what was to be shown can't be read".into())),
            },
            pause = self.pauses.next() => Some(self.pause(pause).await),
            // A shell that had let it go on in the background tells nothing when it brings it back.
            _ = tick.tick() => match self.device.lease() {
                Lease::Held => Some(match self.state.hands {
                    Hands::Here | Hands::Returning(_) => Event::Tick,
                    // It was to stop and did not.
                    Hands::Away => Event::TakenBack,
                }),
                Lease::Lent => Some(self.pause(Pause::Over).await),
            },
        };
        event.into_iter().collect()
    }

    fn take(&mut self, event: Event) {
        for effect in self.state.handle(event, self.options.clock.now()) {
            match effect {
                Effect::Answer(open, kind) => self.answer(&open, kind),
                Effect::Touch(id) => {
                    let leader = self.options.leader.clone();
                    self.answers.spawn(async move {
                        leader.touch(id).await;
                        None
                    });
                }
                Effect::Lift(id) => {
                    let leader = self.options.leader.clone();
                    self.answers.spawn(async move {
                        let text = leader.lift(id).await;
                        Some(Event::Lifted(id, text))
                    });
                }
                Effect::StopWorker(worker) => self.stop_worker(worker),
                Effect::StopJob(job) => self.stop_job(job),
                Effect::StopRun => self.options.stop.cancel(),
                Effect::Interrupt => {
                    let _ = rustix::process::kill_process(
                        rustix::process::getpid(),
                        rustix::process::Signal::INT,
                    );
                }
                Effect::Load(worker) => self.load(worker),
                Effect::LookAt(id, file) => {
                    self.readings
                        .spawn_blocking(move || ReadFile::Before(id, before::look(file.as_path())));
                }
                // What was read already comes within the grace, and is dropped there.
                Effect::DropInput => self.device.drop_input(),
                Effect::Pause => self.ask_pause(),
                Effect::Redraw => {
                    // A terminal that can't be wiped is drawn on as it is.
                    let _ = self.device.wipe();
                }
                Effect::Ring if self.options.bell.rings_at(self.options.clock.now()) => {
                    self.device.ring();
                }
                Effect::Ring => {}
            }
        }
    }

    fn answer(&mut self, open: &Arc<OpenRequest>, kind: VerdictKind) {
        let leader = self.options.leader.clone();
        let open = Arc::clone(open);
        self.answers.spawn(async move {
            let refused = leader.answer(&open, kind).await;
            refused.map(|text| Event::Refused(open.request.id, text))
        });
    }

    fn stop_worker(&mut self, worker: WorkerId) {
        let leader = self.options.leader.clone();
        self.answers.spawn(async move {
            let failed = leader.stop_worker(worker).await;
            failed.map(Event::Notice)
        });
    }

    fn stop_job(&mut self, job: String) {
        let leader = self.options.leader.clone();
        self.answers.spawn(async move {
            let failed = leader.stop_job(&job).await;
            failed.map(Event::Notice)
        });
    }

    fn load(&mut self, worker: WorkerId) {
        let ledger = self.options.ledger.clone();
        self.readings
            .spawn_blocking(move || ReadFile::Transcript(worker, records_of(&ledger, worker)));
    }

    /// Draws a frame; says whether having seen it changes what is to be drawn. Blocks while the
    /// terminal takes it.
    async fn draw(&mut self) -> Again {
        if !self.device.takes_output() {
            return Again::Yes;
        }
        let now = self.options.clock.now();
        match self.device.ready() {
            Ok(Panicked::No) => {}
            Ok(Panicked::Yes) => {
                let text =
                    "a part of pointsman panicked; its message is there when this screen is left";
                self.state.handle(Event::Notice(text.into()), now);
            }
            Err(_) => return Again::No,
        }
        self.device.set_title(title(&self.state));
        let size = self.device.size();
        self.state.handle(Event::Resized(size), now);
        // What was typed before a panel is shown is no answer in it, however fast the frame comes behind the key that
        // opened it.
        if self.state.shows_new_panel() {
            self.drop_keys().await;
        }
        let began = Instant::now();
        let scene = self.state.scene();
        let (state, look) = (&self.state, self.options.look);
        let drawn = self.device.draw(scene, |frame| {
            let cursor = draw::draw(state, now, look, frame.buffer_mut());
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        });
        let drew = drawn.is_ok_and(|drawn| drawn == size);
        if !drew {
            return Again::No;
        }
        self.tell_frame(began.elapsed());
        let unseen = self.state.unseen();
        self.state.handle(Event::Drawn, self.options.clock.now());
        if self.state.unseen() == unseen {
            Again::No
        } else {
            Again::Yes
        }
    }
}

impl ScreenService {
    /// For whoever measures: how long a frame took, and how long the requests that are new in it had waited for it.
    fn tell_frame(&mut self, took: Duration) {
        let fresh = self.state.take_fresh();
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        let now = self.options.clock.now();
        let waits: Vec<String> = fresh
            .iter()
            .map(|opened| now.since(*opened).0.to_string())
            .collect();
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(took_us, waited_ms = waits.join(","), "frame");
    }
}

/// Whether a frame calls for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Yes,
    No,
}

/// The window's title: whoever has it in a row of others sees whether somebody waits.
fn title(state: &State) -> String {
    match state.queue.len() {
        0 => format!("pointsman {}", state.run),
        count => format!("({count}) pointsman {}", state.run),
    }
}

fn event_of_input(input: Input) -> Option<Event> {
    match input {
        Input::Key(key) => Key::of(key).map(Event::Key),
        Input::Paste(text) => Some(Event::Pasted(text)),
        Input::Resize(width, height) => Some(Event::Resized(Size::new(width, height))),
        Input::FocusGained | Input::FocusLost | Input::Mouse(_) => None,
    }
}

/// The records of an agent, the latest of them. Blocks on the disk; what can't be read is left out.
fn records_of(ledger: &std::path::Path, worker: WorkerId) -> Vec<Arc<LedgerRecord>> {
    let Ok(reader) = LedgerReader::open(ledger) else {
        return Vec::new();
    };
    let filter = Filter {
        worker: Some(worker),
        ..Filter::of_run(worker.run())
    };
    let mut records = VecDeque::new();
    // What was read before the disk failed is shown.
    let _ = reader.each(&filter, |record| {
        if records.len() == transcript::RECORDS_MAX {
            records.pop_front();
        }
        records.push_back(Arc::new(record));
    });
    records.into()
}
