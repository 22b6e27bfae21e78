//! What stands around a running leader: the full screen or the prompt, the control socket, the
//! signals, the telling.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{Clock, LedgerRecord};
use pointsman_model::Attended;
use pointsman_surfaces::socket::{ControlSocket, Served};
use pointsman_surfaces::{
    Look, ScreenHandle, ScreenOptions, ScreenService, Terminal, TerminalHandle, TerminalOptions,
    TerminalService,
};
use pointsman_swarm::{Leader, LeaderHandle, RunSummary, StopReason};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::greeting;
use super::prepare::Front;
use super::records::{Paint, Tail, Teller, Verdicts};
use crate::output::{Form, Output};

/// How often new records are looked for while the run is on.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Where what happens is told to the person.
enum Stage {
    /// On standard error.
    Errors,
    /// Above the prompt.
    Prompt(TerminalHandle),
    /// On the full screen.
    Screen(ScreenHandle),
}

/// The surfaces of one run, and what is told of it.
pub(super) struct Scene {
    handle: LeaderHandle,
    stage: Stage,
    person_stops: CancellationToken,
    services: JoinSet<()>,
    shutdown: CancellationToken,
    tail: Option<Tail>,
    teller: Teller,
}

impl Scene {
    /// Sets up the full screen or the prompt, when there is a terminal, and the socket. A socket that
    /// can't be made is told; the run goes on without it.
    pub(super) fn set(
        handle: LeaderHandle,
        (attended, front): (Attended, Front),
        clock: Arc<dyn Clock>,
        ledger: &Path,
        output: &Output,
    ) -> Self {
        let mut services = JoinSet::new();
        let shutdown = CancellationToken::new();
        let person_stops = CancellationToken::new();
        match ControlSocket::bind(handle.socket()) {
            Ok(socket) => {
                let served = Served {
                    run: handle.run(),
                    requests: handle.requests().clone(),
                    grants: handle.grants().clone(),
                    clock: Arc::clone(&clock),
                };
                services.spawn(socket.run(served, shutdown.clone()));
            }
            Err(error) => output.note(&format!(
                "{error}; `pointsman queue` and `pointsman answer` can't reach this run\n"
            )),
        }
        let mut scene = Self {
            teller: Teller::new(paint(), Verdicts::Told),
            tail: Some(Tail::of(ledger, handle.run())),
            handle,
            stage: Stage::Errors,
            person_stops,
            services,
            shutdown,
        };
        scene.stage = scene.open(front, clock, ledger, output);
        let verdicts = match scene.stage {
            Stage::Errors => Verdicts::Told,
            Stage::Prompt(_) | Stage::Screen(_) => Verdicts::AtPrompt,
        };
        scene.teller = Teller::new(paint(), verdicts);
        let on_screen = matches!(scene.stage, Stage::Screen(_));
        if output.form() == Form::Person && !on_screen {
            output.note(&greeting(scene.handle.run(), attended, verdicts));
        }
        scene
    }

    /// Takes the terminal over. One that can't be a full screen is asked at line by line.
    fn open(
        &mut self,
        front: Front,
        clock: Arc<dyn Clock>,
        ledger: &Path,
        output: &Output,
    ) -> Stage {
        let jobs = match front {
            Front::Nowhere => return Stage::Errors,
            Front::Prompt(terminal) => return self.prompt(terminal, clock),
            Front::Screen { jobs } => jobs,
        };
        let options = ScreenOptions {
            leader: self.handle.clone(),
            jobs,
            ledger: ledger.into(),
            clock: Arc::clone(&clock),
            look: Look::of_environment(),
            stop: self.person_stops.clone(),
        };
        match ScreenService::open(options) {
            Ok((screen, service)) => {
                self.services.spawn(service.run(self.shutdown.clone()));
                Stage::Screen(screen)
            }
            Err(error) => {
                output.note(&format!("{error}; it is asked line by line\n"));
                match Terminal::open() {
                    Ok(terminal) => self.prompt(terminal, clock),
                    Err(_) => Stage::Errors,
                }
            }
        }
    }

    fn prompt(&mut self, terminal: Terminal, clock: Arc<dyn Clock>) -> Stage {
        let options = TerminalOptions {
            requests: self.handle.requests().clone(),
            clock,
            stop: self.person_stops.clone(),
        };
        let (prompt, service) = TerminalService::new(terminal, options);
        self.services.spawn(service.run(self.shutdown.clone()));
        Stage::Prompt(prompt)
    }

    /// Stands by until the run is over, and takes all surfaces down. Nothing when a second signal
    /// asked to leave at once.
    pub(super) async fn watch(mut self, leader: Leader, output: &mut Output) -> Option<RunSummary> {
        let mut signals = Signals::new();
        let mut signalled = false;
        let mut person_stopped = false;
        let mut run = Box::pin(leader.finish());
        let summary = loop {
            tokio::select! {
                summary = &mut run => break Some(summary),
                name = signals.next() => {
                    if signalled {
                        break None;
                    }
                    signalled = true;
                    self.handle.stop(StopReason::Signal { name: name.into() });
                }
                () = self.person_stops.cancelled(), if !person_stopped => {
                    person_stopped = true;
                    self.handle.stop(StopReason::Person { text: "`stop` at the terminal".into() });
                }
                () = tokio::time::sleep(LOOK_EVERY) => {
                    self.tell_new(output).await;
                }
            }
        };
        drop(run);
        while self.tell_new(output).await > 0 {}
        self.shutdown.cancel();
        while self.services.join_next().await.is_some() {}
        summary
    }

    /// Tells the records that are new, at most a page; how many these were.
    async fn tell_new(&mut self, output: &mut Output) -> usize {
        let Some(mut tail) = self.tail.take() else {
            return 0;
        };
        let read = tokio::task::spawn_blocking(move || {
            let records = tail.read();
            (tail, records)
        });
        let Ok((tail, records)) = read.await else {
            return 0;
        };
        self.tail = Some(tail);
        let count = records.len();
        for record in records {
            self.tell(record, output).await;
        }
        count
    }

    async fn tell(&mut self, record: LedgerRecord, output: &mut Output) {
        output.object(&record);
        let line = match &self.stage {
            Stage::Screen(screen) => {
                if screen.record(Arc::new(record)).await.is_err() {
                    self.stage = Stage::Errors;
                    self.teller = Teller::new(paint(), Verdicts::Told);
                    output.note(
                        "the full screen has ended; `pointsman queue` lists the questions, `pointsman answer` answers them\n",
                    );
                }
                return;
            }
            Stage::Prompt(_) => self.teller.line(&record),
            Stage::Errors if output.form() == Form::Program => None,
            Stage::Errors => self.teller.line(&record),
        };
        match (line, &self.stage) {
            (Some(line), Stage::Prompt(terminal)) => terminal.say(line).await,
            (Some(line), Stage::Errors | Stage::Screen(_)) => output.note(&line),
            (None, _) => {}
        }
    }
}

fn paint() -> Paint {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if wanted && std::io::stderr().is_terminal() {
        Paint::Colour
    } else {
        Paint::Plain
    }
}

/// The signals that end a run.
struct Signals(Vec<(&'static str, Signal)>);

impl Signals {
    /// Listens for them. One that can't be listened for keeps its usual effect.
    fn new() -> Self {
        let kinds = [
            ("SIGINT", SignalKind::interrupt()),
            ("SIGTERM", SignalKind::terminate()),
            ("SIGHUP", SignalKind::hangup()),
        ];
        let listening = kinds
            .into_iter()
            .filter_map(|(name, kind)| Some((name, signal(kind).ok()?)));
        Self(listening.collect())
    }

    /// The name of the next one. Cancel safe.
    async fn next(&mut self) -> &'static str {
        std::future::poll_fn(|context| {
            for (name, signal) in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*name);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}
