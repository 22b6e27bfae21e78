//! What stands around a running leader: the prompt, the control socket, the signals, the telling.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{Clock, LedgerRecord};
use pointsman_model::Attended;
use pointsman_surfaces::socket::{ControlSocket, Served};
use pointsman_surfaces::{Terminal, TerminalHandle, TerminalOptions, TerminalService};
use pointsman_swarm::{Leader, LeaderHandle, RunSummary, StopReason};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::greeting;
use super::records::{Paint, Tail, Teller, Verdicts};
use crate::output::{Form, Output};

/// How often new records are looked for while the run is on.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The surfaces of one run, and what is told of it.
pub(super) struct Scene {
    handle: LeaderHandle,
    terminal: Option<TerminalHandle>,
    person_stops: CancellationToken,
    services: JoinSet<()>,
    shutdown: CancellationToken,
    tail: Option<Tail>,
    teller: Teller,
}

impl Scene {
    /// Sets up the prompt, when there is a terminal, and the socket. A socket that can't be made is
    /// told; the run goes on without it.
    pub(super) fn set(
        handle: LeaderHandle,
        (attended, terminal): (Attended, Option<Terminal>),
        clock: Arc<dyn Clock>,
        ledger: &Path,
        output: &Output,
    ) -> Self {
        let mut services = JoinSet::new();
        let shutdown = CancellationToken::new();
        let person_stops = CancellationToken::new();
        let requests = handle.requests().clone();
        match ControlSocket::bind(handle.socket()) {
            Ok(socket) => {
                let served = Served {
                    run: handle.run(),
                    requests: requests.clone(),
                    clock: Arc::clone(&clock),
                };
                services.spawn(socket.run(served, shutdown.clone()));
            }
            Err(error) => output.note(&format!(
                "{error}; `pointsman queue` and `pointsman answer` can't reach this run\n"
            )),
        }
        let terminal = terminal.map(|terminal| {
            let options = TerminalOptions {
                requests,
                clock,
                stop: person_stops.clone(),
            };
            let (prompt, service) = TerminalService::new(terminal, options);
            services.spawn(service.run(shutdown.clone()));
            prompt
        });
        let verdicts = match terminal {
            Some(_) => Verdicts::AtPrompt,
            None => Verdicts::Told,
        };
        let scene = Self {
            teller: Teller::new(paint(), verdicts),
            tail: Some(Tail::of(ledger, handle.run())),
            handle,
            terminal,
            person_stops,
            services,
            shutdown,
        };
        if output.form() == Form::Person {
            output.note(&greeting(scene.handle.run(), attended, verdicts));
        }
        scene
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
        for record in &records {
            self.tell(record, output).await;
        }
        records.len()
    }

    async fn tell(&mut self, record: &LedgerRecord, output: &mut Output) {
        output.object(record);
        if output.form() == Form::Program && self.terminal.is_none() {
            return;
        }
        if let Some(line) = self.teller.line(record) {
            match &self.terminal {
                Some(terminal) => terminal.say(line).await,
                None => output.note(&line),
            }
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
