//! What stands around a running leader: the full screen or the prompt, the control socket, the
//! signals, the telling.
//!
//! The leader is a task of its own. Nothing that is shown or printed stands before it, a stop or a signal, and
//! nothing of that is waited for without an end.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{Clock, HungUp};
use pointsman_model::Attended;
use pointsman_policy::settings::Hangup;
use pointsman_process::is_executable;
use pointsman_surfaces::render::minute_of_day;
use pointsman_surfaces::socket::{ControlSocket, Served};
use pointsman_surfaces::{
    Bell, Desktop, Link, Look, NotifyOptions, NotifyService, ScreenOptions, ScreenService,
    TYPING_MAX, Terminal, TerminalOptions, TerminalService, leave_full_screen,
};
use pointsman_swarm::{Leader, LeaderHandle, RunSummary, StopReason};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::greeting;
use super::hangup::refuse_all;
use super::prepare::{Front, Notice};
use super::printer::{Patience, Printer, Stalled};
use super::records::{Paint, Verdicts};
use super::signals::{HANG_UP, Signals};
use super::telling::{Stage, Telling};
use crate::log::{LogFile, divert};
use crate::output::Form;
use crate::verbs::tail::Tail;

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
    pub(super) notice: Notice,
    pub(super) printer: Printer,
}

/// Whether the run has a terminal that it may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminals {
    /// It does.
    One,
    /// It does not, or not any more.
    None,
}

/// The surfaces of one run, and what is told of it.
pub(super) struct Scene {
    stand: Stand,
    services_wait: Duration,
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
            notice,
            printer,
        } = options;
        let shutdown = CancellationToken::new();
        let mut stand = Stand {
            handle: handle.clone(),
            person_stops: CancellationToken::new(),
            services: JoinSet::new(),
            front_down: shutdown.child_token(),
            shutdown,
            clock,
            terminals: Terminals::None,
            hangup: notice.hangup,
            bell: Bell::of(&notice.settings),
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
        match attended {
            Attended::Yes => stand.give_notice(notice, &stage),
            Attended::No => {}
        }
        let verdicts = match stage {
            Stage::Errors => Verdicts::Told,
            Stage::Prompt(_) | Stage::Screen(_) => Verdicts::AtPrompt,
        };
        let on_screen = matches!(stage, Stage::Screen(_));
        let terminals = match stage {
            Stage::Errors => Terminals::None,
            Stage::Prompt(_) | Stage::Screen(_) => Terminals::One,
        };
        if printer.form() == Form::Person && !on_screen {
            let text = greeting(handle.run(), attended, verdicts);
            printer.note(text).await;
        }
        let services_wait = services_wait(&stage);
        let telling = Telling {
            stage,
            printer: printer.clone(),
            paint: paint(),
            tail: Some(Tail::of(&ledger, handle.run())),
            warnings,
            said: handle.said(),
            log: LogFile::beside(&ledger),
        };
        stand.terminals = terminals;
        Self {
            stand,
            services_wait,
            printer,
            telling,
        }
    }

    /// Stands by until the run is over, and takes all surfaces down. Says with how much patience the rest may be told.
    pub(super) async fn watch(mut self, leader: Leader, signals: &mut Signals) -> (Left, Patience) {
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
                    // A session that ends sends it several times; that is nobody who wants to leave at once.
                    if name == HANG_UP && (self.stand.hung_up() == Terminals::One || signalled) {
                        continue;
                    }
                    patience = Patience::Stopped;
                    if signalled {
                        break Left::AtOnce;
                    }
                    signalled = true;
                    self.stand.handle.stop(StopReason::Signal { name: name.into() });
                }
                () = self.stand.person_stops.cancelled(), if !person_stopped => {
                    patience = Patience::Stopped;
                    person_stopped = true;
                    self.stand.handle.stop(StopReason::Person { text: "`stop` at the terminal".into() });
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
        self.stand.shutdown.cancel();
        let wait = match told.map(drop) {
            Ok(()) => self.services_wait,
            Err(Stalled) => ABORT_WAIT_MAX,
        };
        end_services(self.stand.services, wait).await;
        (left, patience)
    }
}

/// How long all surfaces may take to end. A full screen stays for as long as somebody types into it.
fn services_wait(stage: &Stage) -> Duration {
    match stage {
        Stage::Errors | Stage::Prompt(_) => SERVICES_WAIT_MAX,
        Stage::Screen(_) => SERVICES_WAIT_MAX + TYPING_MAX,
    }
}

/// Lets the surfaces end. Those that don't are broken off: one of them may wait for a terminal that takes nothing.
async fn end_services(mut services: JoinSet<()>, wait: Duration) {
    let all = async |services: &mut JoinSet<()>| while services.join_next().await.is_some() {};
    if tokio::time::timeout(wait, all(&mut services)).await.is_ok() {
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
    front_down: CancellationToken,
    clock: Arc<dyn Clock>,
    bell: Bell,
    terminals: Terminals,
    hangup: Hangup,
}

impl Stand {
    /// Takes a closed terminal's surface down and leaves the questions to what the settings say. Says whether there was
    /// a terminal to lose; a run without one is ended by this signal as by others.
    fn hung_up(&mut self) -> Terminals {
        let had = std::mem::replace(&mut self.terminals, Terminals::None);
        match (had, self.front_down.is_cancelled()) {
            (Terminals::None, false) => return Terminals::None,
            // A shell that is closed sends it once more.
            (Terminals::None, true) => return Terminals::One,
            (Terminals::One, _) => {}
        }
        self.front_down.cancel();
        let questions = match self.hangup {
            Hangup::Wait => HungUp::Wait,
            Hangup::Refuse => HungUp::Refused,
        };
        let handle = self.handle.clone();
        self.services.spawn(async move {
            // The run goes on all the same, and a ledger that takes nothing more ends it by itself.
            let _ = handle.hung_up(questions).await;
        });
        match self.hangup {
            Hangup::Wait => {}
            Hangup::Refuse => {
                let requests = self.handle.requests().clone();
                self.services
                    .spawn(refuse_all(requests, self.shutdown.clone()));
            }
        }
        Terminals::One
    }

    /// Has the person told of what waits, in the way they want it.
    fn give_notice(&mut self, notice: Notice, stage: &Stage) {
        let desktop = match (notice.settings.desktop, stage) {
            (false, _) => Desktop::Nowhere,
            (true, _) if has_display() => Desktop::Program(NOTIFIER.into()),
            (true, Stage::Screen(screen)) => Desktop::Screen(screen.clone()),
            (true, Stage::Errors | Stage::Prompt(_)) => Desktop::Nowhere,
        };
        let service = NotifyService::new(NotifyOptions {
            requests: self.handle.requests().clone(),
            clock: Arc::clone(&self.clock),
            minute_of_day,
            settings: notice.settings,
            earlier: notice.earlier,
            desktop,
            folder: notice.folder,
            environment: notice.environment,
            screen: match stage {
                Stage::Screen(screen) => Some(screen.clone()),
                Stage::Errors | Stage::Prompt(_) => None,
            },
        });
        self.services.spawn(service.run(self.shutdown.clone()));
    }

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
            leader: Link::Here(self.handle.clone()),
            jobs,
            ledger: ledger.into(),
            clock: Arc::clone(&self.clock),
            look: Look::of_environment(),
            stop: self.person_stops.clone(),
            bell: self.bell,
        };
        match ScreenService::open(options) {
            Ok((screen, service)) => {
                let down = self.front_down.clone();
                self.services.spawn_blocking(move || service.run(down));
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
        self.services.spawn(service.run(self.front_down.clone()));
        Stage::Prompt(prompt)
    }
}

/// The program that tells the desktop.
const NOTIFIER: &str = "notify-send";

/// Whether there is a desktop, and a program that tells it things.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|set| !set.is_empty());
    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
        && std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| is_executable(&folder.join(NOTIFIER)))
        })
}

fn paint() -> Paint {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if wanted && std::io::stderr().is_terminal() {
        Paint::Colour
    } else {
        Paint::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One may wait for a terminal that takes nothing; only before a full screen may somebody be typing.
    #[tokio::test(start_paused = true)]
    async fn a_surface_that_does_not_end_is_broken_off_as_soon_as_nobody_can_be_typing() {
        let began = tokio::time::Instant::now();
        let mut services = JoinSet::new();
        services.spawn(std::future::pending());
        end_services(services, services_wait(&Stage::Errors)).await;
        assert_eq!(began.elapsed(), SERVICES_WAIT_MAX);
    }
}
