//! `pointsman attach`: the full screen of a run that another process leads.
//!
//! What it shows are the records of the ledger; what it does goes through the control socket. Leaving it, or losing its
//! terminal, changes nothing for the run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pointsman_ledger::{RecordBody, SystemClock};
use pointsman_model::RunId;
use pointsman_surfaces::socket::{Ask, Client, ClientError, JobWire, Reply};
use pointsman_surfaces::{
    Bell, FarLeader, Link, Look, ScreenGone, ScreenHandle, ScreenOptions, ScreenService, shown,
};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::leader::{leader, leader_died, refused};
use super::rules::settings;
use super::run::Signals;
use super::tail::Tail;
use crate::arguments::AttachArguments;
use crate::failure::{Code, Failure};
use crate::log::{Diverted, LogFile, divert};
use crate::output::Output;
use crate::place::{Place, is_dumb_terminal};

/// How often new records are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many looks lie between two questions for how the jobs stand.
const LOOKS_PER_STATUS: u32 = 10;

/// How it came to its end.
enum Left {
    /// The person left; the run goes on.
    ByPerson,
    /// The run has ended, in these words.
    Ended(String),
    /// The leader can't be reached any more.
    Gone,
}

/// Shows the run until it ends or the person leaves.
pub(super) fn run(arguments: &AttachArguments, output: &mut Output) -> Result<Code, Failure> {
    let place = Place::here()?;
    if is_dumb_terminal() {
        return Err(no_screen(Failure::bad_input(
            "this terminal can't be a full screen: `TERM` is not set, or `dumb`",
        )));
    }
    let (run, mut client) = leader(&place, arguments.run)?;
    let jobs = jobs(&mut client)?;
    drop(client);
    let (_, loaded) = settings(&[], &place)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(&error))?;
    let seat = AttachedSeat {
        run,
        socket: place.state.socket(run),
        ledger: place.state.ledger(),
        bell: Bell::of(&loaded.pointsman.notify),
    };
    let left = runtime.block_on(seat.attach(jobs));
    runtime.shutdown_background();
    match left? {
        Left::ByPerson => {
            output.text(&format!(
                "{run} goes on; `pointsman attach {run}` comes back to it\n"
            ));
            Ok(Code::Done)
        }
        Left::Ended(text) => {
            output.text(&format!("{run} has ended: {}\n", shown::line(&text)));
            Ok(Code::Done)
        }
        Left::Gone => Err(leader_died(run)),
    }
}

fn no_screen(failure: Failure) -> Failure {
    failure.hint("`pointsman queue --watch` and `pointsman answer` need no full screen")
}

fn jobs(client: &mut Client) -> Result<Vec<JobWire>, Failure> {
    match client
        .ask(&Ask::Status)
        .map_err(|error| Failure::of(&error))?
    {
        Reply::Status(status) => Ok(status.jobs),
        reply => Err(refused(reply)),
    }
}

/// What is attached to.
struct AttachedSeat {
    run: RunId,
    socket: PathBuf,
    ledger: PathBuf,
    bell: Bell,
}

impl AttachedSeat {
    async fn attach(self, jobs: Vec<JobWire>) -> Result<Left, Failure> {
        let stop = CancellationToken::new();
        let options = ScreenOptions {
            leader: Link::There(FarLeader::new(self.run, self.socket.clone())),
            jobs: jobs.iter().map(|job| job.name.clone()).collect(),
            ledger: self.ledger.clone(),
            clock: Arc::new(SystemClock),
            look: Look::of_environment(),
            stop: stop.clone(),
            bell: self.bell,
        };
        // From here on the terminal is the screen's alone.
        let warnings = divert();
        let (screen, service) =
            ScreenService::open(options).map_err(|error| no_screen(Failure::of(&error)))?;
        let shutdown = CancellationToken::new();
        let down = shutdown.clone();
        let service = tokio::task::spawn_blocking(move || service.run(down));
        // Whoever leaves early takes the screen down.
        let _down = shutdown.clone().drop_guard();
        let mut service = AbortOnDropHandle::new(service);
        // A screen that has nobody before it any more is as good as left.
        let shown = screen.jobs(jobs).await;
        let left = match shown {
            Ok(()) => self.show(&screen, &mut service, &stop, &warnings).await,
            Err(ScreenGone) => Left::ByPerson,
        };
        shutdown.cancel();
        if !service.is_finished() {
            let _ = service.await;
        }
        self.keep(&warnings).await;
        Ok(left)
    }

    async fn show(
        &self,
        screen: &ScreenHandle,
        service: &mut AbortOnDropHandle<()>,
        stop: &CancellationToken,
        warnings: &Diverted,
    ) -> Left {
        let mut tail = Some(Tail::of(&self.ledger, self.run));
        let mut past = Some(());
        let mut looks = 0_u32;
        let mut stopping = false;
        let mut asking: Option<Asking> = None;
        let mut signals = Signals::new();
        loop {
            self.keep(warnings).await;
            let Some(mut looking) = tail.take() else {
                return Left::Gone;
            };
            let look = tokio::task::spawn_blocking(move || {
                let records = looking.read();
                (looking, records)
            });
            let Ok((looked, records)) = look.await else {
                return Left::Gone;
            };
            tail = Some(looked);
            let more = records.is_some();
            for record in records.into_iter().flatten() {
                if let RecordBody::RunEnded(ended) = &record.body {
                    return Left::Ended(ended.text.to_string());
                }
                if screen.record(Arc::new(record)).await.is_err() {
                    return Left::ByPerson;
                }
            }
            if more {
                continue;
            }
            if past.take().is_some() && screen.caught_up().await.is_err() {
                return Left::ByPerson;
            }
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS_PER_STATUS) && asking.is_none() {
                asking = Some(self.ask(Ask::Status));
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = &mut *service => return Left::ByPerson,
                // Whatever ends this process, the terminal is given back first.
                _ = signals.next() => return Left::ByPerson,
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    let text = Some("`stop` at an attached terminal".into());
                    asking = Some(self.ask(Ask::Stop { worker: None, text }));
                }
                // Beside the others: a leader that is silent keeps nobody from leaving.
                heard = heard(&mut asking) => match heard {
                    Heard::Reply(Reply::Status(status)) => {
                        let _ = screen.jobs(status.jobs).await;
                    }
                    Heard::Reply(_) => {}
                    // It lives, as far as anybody knows.
                    Heard::Silent(text) => {
                        let _ = screen.notice(text).await;
                    }
                    // One more look, for the record of its end.
                    Heard::Gone if stopping || looks > LOOKS_PER_STATUS * 2 => {
                        return self.gone(tail).await;
                    }
                    Heard::Gone => {}
                },
            }
        }
    }

    /// Keeps what was warned of where it disturbs nothing.
    async fn keep(&self, warnings: &Diverted) {
        let log = LogFile::beside(&self.ledger);
        for line in warnings.rest() {
            log.add(line).await;
        }
    }

    /// The leader does not answer: its last record says whether it has ended as it should.
    async fn gone(&self, tail: Option<Tail>) -> Left {
        let Some(mut tail) = tail else {
            return Left::Gone;
        };
        let look = tokio::task::spawn_blocking(move || {
            let rest = std::iter::from_fn(|| tail.read()).flatten();
            rest.filter_map(|record| match record.body {
                RecordBody::RunEnded(ended) => Some(ended.text.to_string()),
                _ => None,
            })
            .last()
        });
        let ended = look.await.ok().flatten();
        ended.map_or(Left::Gone, Left::Ended)
    }

    /// Asks the leader one thing.
    fn ask(&self, ask: Ask) -> Asking {
        let socket = self.socket.clone();
        AbortOnDropHandle::new(tokio::task::spawn_blocking(move || {
            let asked = match Client::connect(&socket) {
                Ok(mut client) => client.ask(&ask),
                Err(_) => return Heard::Gone,
            };
            match asked {
                Ok(reply) => Heard::Reply(reply),
                Err(late @ ClientError::Late(_)) => Heard::Silent(late.to_string()),
                Err(_) => Heard::Gone,
            }
        }))
    }
}

/// A question to the leader that is on its way.
type Asking = AbortOnDropHandle<Heard>;

/// What came of a question to the leader.
enum Heard {
    Reply(Reply),
    /// It takes questions and answers none, in these words: it is stopped, or busy.
    Silent(String),
    /// Nobody is there.
    Gone,
}

/// What comes of the question that is on its way, if there is one. Cancel safe.
async fn heard(asking: &mut Option<Asking>) -> Heard {
    let heard = match asking {
        Some(asked) => asked.await.unwrap_or(Heard::Gone),
        None => std::future::pending().await,
    };
    *asking = None;
    heard
}
