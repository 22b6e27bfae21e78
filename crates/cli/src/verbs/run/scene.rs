//! What stands around a running leader: the full screen or the prompt, the control socket, the
//! signals, the telling.
//!
//! The leader is a task of its own. Nothing that is shown or printed stands before it, a stop or a signal, and
//! nothing of that is waited for without an end.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::Clock;
use pointsman_model::Attended;
use pointsman_surfaces::socket::{ControlSocket, Served};
use pointsman_surfaces::{
    Look, ScreenOptions, ScreenService, Terminal, TerminalOptions, TerminalService,
    leave_full_screen,
};
use pointsman_swarm::{Leader, LeaderHandle, RunSummary, StopReason};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::greeting;
use super::prepare::Front;
use super::printer::{Patience, Printer, Stalled};
use super::records::{Paint, Tail, Verdicts};
use super::signals::Signals;
use super::telling::{LogFile, Stage, Telling};
use crate::log::divert;
use crate::output::Form;

/// How long the surfaces may take to end: an answer on its way, a last frame.
const SERVICES_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long tasks that were told to break off are waited for. Only one that hangs in the system outlasts it.
const ABORT_WAIT_MAX: Duration = Duration::from_secs(1);

/// How a run was left.
pub(super) enum Left {
    /// It has ended, and this is what it came to.
    Ended(Box<RunSummary>),
    /// A second signal asked to leave at once.
    AtOnce,
    /// The leader broke off, which is a defect.
    Broken(JoinError),
}

/// What a scene is set with.
pub(super) struct SceneOptions {
    pub(super) handle: LeaderHandle,
    pub(super) attended: Attended,
    pub(super) front: Front,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ledger: PathBuf,
    pub(super) printer: Printer,
}

/// The surfaces of one run, and what is told of it.
pub(super) struct Scene {
    handle: LeaderHandle,
    person_stops: CancellationToken,
    services: JoinSet<()>,
    shutdown: CancellationToken,
    printer: Printer,
    telling: Telling,
}

impl Scene {
    /// Sets up the full screen or the prompt, when there is a terminal, and the socket. A socket that
    /// can't be made is told; the run goes on without it.
    pub(super) async fn set(options: SceneOptions) -> Self {
        let SceneOptions {
            handle,
            attended,
            front,
            clock,
            ledger,
            printer,
        } = options;
        let mut stand = Stand {
            handle: handle.clone(),
            person_stops: CancellationToken::new(),
            services: JoinSet::new(),
            shutdown: CancellationToken::new(),
            clock,
        };
        match ControlSocket::bind(handle.socket()) {
            Ok(socket) => stand.serve(socket),
            Err(error) => {
                let text = format!(
                    "{error}; `pointsman queue` and `pointsman answer` can't reach this run\n"
                );
                printer.note(text).await;
            }
        }
        let warnings = divert();
        let stage = stand.open(front, &ledger, &printer).await;
        let verdicts = match stage {
            Stage::Errors => Verdicts::Told,
            Stage::Prompt(_) | Stage::Screen(_) => Verdicts::AtPrompt,
        };
        let on_screen = matches!(stage, Stage::Screen(_));
        if printer.form() == Form::Person && !on_screen {
            let text = greeting(handle.run(), attended, verdicts);
            printer.note(text).await;
        }
        let telling = Telling {
            stage,
            printer: printer.clone(),
            paint: paint(),
            tail: Some(Tail::of(&ledger, handle.run())),
            warnings,
            said: handle.said(),
            log: LogFile::beside(&ledger),
        };
        Self {
            handle,
            person_stops: stand.person_stops,
            services: stand.services,
            shutdown: stand.shutdown,
            printer,
            telling,
        }
    }

    /// Stands by until the run is over, and takes all surfaces down. Says with how much patience the rest may be told.
    pub(super) async fn watch(self, leader: Leader, signals: &mut Signals) -> (Left, Patience) {
        let over = CancellationToken::new();
        let mut telling = AbortOnDropHandle::new(tokio::spawn(self.telling.run(over.clone())));
        let mut run = AbortOnDropHandle::new(tokio::spawn(leader.finish()));
        let mut patience = Patience::Ended;
        let mut signalled = false;
        let mut person_stopped = false;
        let left = loop {
            tokio::select! {
                ended = &mut run => break match ended {
                    Ok(summary) => Left::Ended(Box::new(summary)),
                    Err(error) => Left::Broken(error),
                },
                name = signals.next() => {
                    patience = Patience::Stopped;
                    if signalled {
                        break Left::AtOnce;
                    }
                    signalled = true;
                    self.handle.stop(StopReason::Signal { name: name.into() });
                }
                () = self.person_stops.cancelled(), if !person_stopped => {
                    patience = Patience::Stopped;
                    person_stopped = true;
                    self.handle.stop(StopReason::Person { text: "`stop` at the terminal".into() });
                }
            }
        };
        if let Left::AtOnce = left {
            // Its end kills what it started.
            run.abort();
            let _ = tokio::time::timeout(ABORT_WAIT_MAX, run).await;
        }
        over.cancel();
        let told = patience
            .wait(self.printer.progress(), signals, &mut telling)
            .await;
        drop(telling);
        self.shutdown.cancel();
        end_services(self.services, told.map(drop)).await;
        (left, patience)
    }
}

/// Lets the surfaces end. Those that don't are broken off: one of them may wait for a terminal that takes nothing.
async fn end_services(mut services: JoinSet<()>, told: Result<(), Stalled>) {
    let patience = match told {
        Ok(()) => SERVICES_WAIT_MAX,
        Err(Stalled) => ABORT_WAIT_MAX,
    };
    let all = async |services: &mut JoinSet<()>| while services.join_next().await.is_some() {};
    if tokio::time::timeout(patience, all(&mut services))
        .await
        .is_ok()
    {
        return;
    }
    services.abort_all();
    if tokio::time::timeout(ABORT_WAIT_MAX, all(&mut services))
        .await
        .is_err()
    {
        leave_full_screen();
    }
}

/// The surfaces as they are set up.
struct Stand {
    handle: LeaderHandle,
    person_stops: CancellationToken,
    services: JoinSet<()>,
    shutdown: CancellationToken,
    clock: Arc<dyn Clock>,
}

impl Stand {
    fn serve(&mut self, socket: ControlSocket) {
        let served = Served {
            leader: self.handle.clone(),
        };
        self.services
            .spawn(socket.run(served, self.shutdown.clone()));
    }

    /// Takes the terminal over. One that can't be a full screen is asked at line by line.
    async fn open(&mut self, front: Front, ledger: &Path, printer: &Printer) -> Stage {
        let jobs = match front {
            Front::Nowhere => return Stage::Errors,
            Front::Prompt(terminal) => return self.prompt(terminal),
            Front::Screen { jobs } => jobs,
        };
        let options = ScreenOptions {
            leader: self.handle.clone(),
            jobs,
            ledger: ledger.into(),
            clock: Arc::clone(&self.clock),
            look: Look::of_environment(),
            stop: self.person_stops.clone(),
        };
        match ScreenService::open(options) {
            Ok((screen, service)) => {
                self.services.spawn(service.run(self.shutdown.clone()));
                Stage::Screen(screen)
            }
            Err(error) => {
                printer
                    .note(format!("{error}; it is asked line by line\n"))
                    .await;
                match Terminal::open() {
                    Ok(terminal) => self.prompt(terminal),
                    Err(_) => Stage::Errors,
                }
            }
        }
    }

    fn prompt(&mut self, terminal: Terminal) -> Stage {
        let options = TerminalOptions {
            requests: self.handle.requests().clone(),
            clock: Arc::clone(&self.clock),
            stop: self.person_stops.clone(),
        };
        let (prompt, service) = TerminalService::new(terminal, options);
        self.services.spawn(service.run(self.shutdown.clone()));
        Stage::Prompt(prompt)
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
