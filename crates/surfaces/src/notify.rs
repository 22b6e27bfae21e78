//! Notice: whoever looks elsewhere is told that something waits for them.
//!
//! [`NotifyService`] hears of requests as surfaces do. What is told, when and how often is worked out by a plain state
//! machine (`watchman`); the service runs the programs, a few at a time, and tells the desktop. It answers nothing, and
//! nothing waits for it.

mod earlier;
mod errands;
mod failure;
mod watchman;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use pointsman_approvals::{RequestEvent, Requests};
use pointsman_ledger::Clock;
use pointsman_model::{AbsPath, RequestId, WallTime};
use pointsman_policy::settings::NotifySettings;
use pointsman_process::{CommandSpec, Environment, run};
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use self::earlier::ToldEarlier;
use self::errands::{Errand, Errands};
use self::failure::Failure;
use self::watchman::{Effect, Occasion, Watchman};
use crate::ScreenHandle;
use crate::socket::RequestCard;

/// Programs at the same time. A storm of requests must not become a storm of programs.
const PROGRAMS_MAX: usize = 4;
/// How long one program may take: it tells somebody something, and others wait for its turn to end.
const PROGRAM_TIME_MAX: Duration = Duration::from_secs(10);
/// How long it has to end when it is told to.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// What is kept of what it prints, for the log.
const OUTPUT_BYTES_MAX: usize = 4 * 1024;

/// How the desktop is told.
#[derive(Clone)]
pub enum Desktop {
    /// By a program: its name, found on the path.
    Program(String),
    /// By the terminal that the full screen is on.
    Screen(ScreenHandle),
    /// There is none.
    Nowhere,
}

/// What notice is given with.
pub struct NotifyOptions {
    /// The open requests.
    pub requests: Requests,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The minute of the person's day.
    pub minute_of_day: fn(WallTime) -> u16,
    /// How they want to be told.
    pub settings: NotifySettings,
    /// What was told by leaders of the run that died.
    pub earlier: ToldEarlier,
    /// How the desktop is told.
    pub desktop: Desktop,
    /// Where programs run.
    pub folder: AbsPath,
    /// What they see of the environment.
    pub environment: Environment,
    /// The full screen, which says that a program fails; without one the log alone does.
    pub screen: Option<ScreenHandle>,
}

/// See the module's words. Its owner runs it as a task and holds it.
pub struct NotifyService {
    options: NotifyOptions,
    watchman: Watchman,
    waiting: Errands,
    running: JoinSet<Option<Failure>>,
    /// What was said to fail: once is enough.
    failures: HashSet<Failure>,
    stop: CancellationToken,
}

/// What a program reads: the request, and why it is told of it.
#[derive(Serialize)]
struct Notice {
    occasion: Occasion,
    request: RequestCard,
}

impl NotifyService {
    /// A service with these options.
    #[must_use]
    pub fn new(options: NotifyOptions) -> Self {
        Self {
            watchman: Watchman::new(options.settings.clone()),
            options,
            waiting: Errands::default(),
            running: JoinSet::new(),
            failures: HashSet::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Gives notice until `shutdown`; then programs that run are ended, those that wait are not started.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut events = self.options.requests.subscribe();
        self.take_list();
        loop {
            self.start_programs();
            let due = self.watchman.next_due();
            let now = self.options.clock.now();
            let wait = due.map(|due| due.since(now).duration());
            let event = tokio::select! {
                () = shutdown.cancelled() => break,
                Some(ended) = self.running.join_next() => {
                    if let Ok(Some(failure)) = ended {
                        self.failed(failure);
                    }
                    continue;
                }
                event = events.next() => event,
                () = sleep(wait), if wait.is_some() => {
                    self.tick();
                    continue;
                }
            };
            match event {
                None => break,
                Some(RequestEvent::Opened(open)) if open.shown => {
                    self.shown(&open.request);
                }
                Some(RequestEvent::Shown { id }) => {
                    if let Some(open) = self.options.requests.get(id) {
                        self.shown(&open.request);
                    }
                }
                Some(RequestEvent::Closed { id, .. }) => {
                    self.watchman.closed(id);
                    self.waiting.keep(|waits| waits != id);
                }
                Some(RequestEvent::Missed { .. }) => self.take_list(),
                Some(
                    RequestEvent::Opened(_)
                    | RequestEvent::Touched { .. }
                    | RequestEvent::Advised { .. }
                    | RequestEvent::Explained { .. }
                    | RequestEvent::DeadlineSoon { .. },
                ) => {}
            }
        }
        self.stop.cancel();
        while self.running.join_next().await.is_some() {}
    }

    /// Takes all requests in that are on the surfaces now.
    fn take_list(&mut self) {
        let open = self.options.requests.list();
        let shown: Vec<_> = open.iter().filter(|open| open.shown).collect();
        let is_open = |id| shown.iter().any(|open| open.request.id == id);
        self.watchman.keep(is_open);
        self.waiting.keep(is_open);
        for open in shown {
            self.shown(&open.request);
        }
    }

    fn shown(&mut self, request: &pointsman_model::PermissionRequest) {
        let now = self.options.clock.now();
        let minute = (self.options.minute_of_day)(now);
        if let Some(until) = self.options.earlier.until(request.id) {
            self.watchman
                .told_before(request.id, request.opened_at, until);
        }
        let effects = self
            .watchman
            .shown(request.id, request.opened_at, now, minute);
        self.carry_out(effects);
    }

    fn tick(&mut self) {
        let now = self.options.clock.now();
        let minute = (self.options.minute_of_day)(now);
        let effects = self.watchman.tick(now, minute);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Run {
                    command,
                    id,
                    occasion,
                } => self.waiting.push(Errand::Of {
                    command,
                    id,
                    occasion,
                }),
                Effect::Desktop(text) => self.tell_desktop(text),
            }
        }
    }

    fn tell_desktop(&mut self, text: String) {
        match &self.options.desktop {
            Desktop::Nowhere => {}
            Desktop::Program(program) => {
                let command = vec![
                    program.as_str().into(),
                    "--app-name=pointsman".into(),
                    "pointsman".into(),
                    text.into(),
                ];
                self.waiting.push(Errand::Desktop { command });
            }
            Desktop::Screen(screen) => {
                let screen = screen.clone();
                self.running.spawn(async move {
                    // A screen that has ended tells nobody.
                    let _ = screen.tell_desktop(text).await;
                    None
                });
            }
        }
    }

    /// A program has not told anybody. Whoever is at the screen is told so, once for each way in which it fails.
    fn failed(&mut self, failure: Failure) {
        let text = failure.to_string();
        if !self.failures.insert(failure) {
            return;
        }
        if let Some(screen) = self.options.screen.clone() {
            self.running.spawn(async move {
                // A screen that has ended tells nobody.
                let _ = screen.notice(text).await;
                None
            });
        }
    }

    /// What the program reads of a request that is open still: as it stands when its turn has come.
    fn notice(&self, id: RequestId, occasion: Occasion) -> Option<Vec<u8>> {
        let open = self.options.requests.get(id)?;
        let now = self.options.clock.now();
        let request = RequestCard::of(&open.request, open.epoch, now);
        serde_json::to_vec(&Notice { occasion, request }).ok()
    }

    fn start_programs(&mut self) {
        while self.running.len() < PROGRAMS_MAX {
            let Some(errand) = self.waiting.pop() else {
                return;
            };
            let (command, stdin) = match errand {
                Errand::Of {
                    command,
                    id,
                    occasion,
                } => match self.notice(id, occasion) {
                    Some(stdin) => (command, stdin),
                    None => continue,
                },
                Errand::Desktop { command } => (command, Vec::new()),
            };
            let Some((program, args)) = command.split_first() else {
                continue;
            };
            let spec = CommandSpec {
                program: program.to_string(),
                args: args.iter().map(ToString::to_string).collect(),
                folder: self.options.folder.clone(),
                env: self.options.environment.clone(),
                stdin: Some(stdin),
                output_bytes_max: OUTPUT_BYTES_MAX,
                time_max: PROGRAM_TIME_MAX,
                kill_grace: KILL_GRACE,
            };
            let stop = self.stop.clone();
            self.running.spawn(async move {
                let program = spec.program.clone();
                match run(spec, &stop, &mut |_| {}).await {
                    Ok(finished) if finished.end == pointsman_process::End::Exited(0) => None,
                    Ok(finished) => {
                        tracing::warn!(program, end = ?finished.end, "a program that gives notice did not end well");
                        Failure::of_end(program, finished.end, PROGRAM_TIME_MAX)
                    }
                    Err(error) => {
                        tracing::warn!(program, %error, "a program that gives notice can't be run");
                        Some(Failure::not_run(program, &error))
                    }
                }
            });
        }
    }
}

async fn sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}
