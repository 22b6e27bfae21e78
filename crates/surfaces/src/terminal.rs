//! The terminal prompt: shows open requests to the person at the terminal, takes typed answers, and
//! prints what the run has to tell above the line that is being typed.
//!
//! [`TerminalService`] owns the terminal while a run is on. It never decides: what was typed becomes
//! an answer bound to the request that was drawn, and the requests' service says whether it counts.

mod desk;
mod draft;
mod tty;
mod words;

use std::sync::Arc;

use pointsman_approvals::{Answer, AnswerError, Answered, RequestEvent, RequestEvents, Requests};
use pointsman_gate::Lifted;
use pointsman_ledger::Clock;
use pointsman_model::{Answerer, PermissionRequest, RequestId, Surface, VerdictKind};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::pause::{Pause, Pauses};
use crate::render::{explanation_lines, length, verdict_line};
use crate::shown;
use desk::{Desk, Effect, Event};
use tty::Tty;

pub use tty::TerminalError;

/// The terminal of this process, taken over: its keys come one by one until this is dropped.
#[derive(Debug)]
pub struct Terminal(Tty);

impl Terminal {
    /// Takes over the terminal. Has to be called within a Tokio runtime.
    ///
    /// # Errors
    /// When there is none, or another program has it in the foreground.
    pub fn open() -> Result<Self, TerminalError> {
        Tty::open().map(Self)
    }
}

/// Lines that wait to be printed; whoever has more waits with them.
const NOTICES_MAX: usize = 256;

/// What a terminal is opened for.
pub struct TerminalOptions {
    /// The open requests of the run.
    pub requests: Requests,
    /// The run's clock.
    pub clock: Arc<dyn Clock>,
    /// Cancelled when the person says `stop`.
    pub stop: CancellationToken,
}

/// The terminal prompt of one run.
pub struct TerminalService {
    options: TerminalOptions,
    tty: Tty,
    desk: Desk,
    events: RequestEvents,
    notices: flume::Receiver<String>,
    answers: JoinSet<Option<(RequestId, String)>>,
    pauses: Pauses,
    wants_stop: bool,
}

/// Prints to the terminal while the prompt has it. Cheap to clone.
#[derive(Clone)]
pub struct TerminalHandle {
    notices: flume::Sender<String>,
}

impl TerminalHandle {
    /// Prints a text that ends in a line feed; waits while many wait. After the prompt has ended it
    /// is dropped.
    ///
    /// Cancel safe: a dropped call prints nothing or all of it.
    pub async fn say(&self, text: String) {
        // A prompt that has ended prints nothing any more.
        let _ = self.notices.send_async(text).await;
    }
}

impl TerminalService {
    /// The prompt of a run at this terminal.
    #[must_use]
    pub fn new(terminal: Terminal, options: TerminalOptions) -> (TerminalHandle, Self) {
        let (sender, notices) = flume::bounded(NOTICES_MAX);
        let service = Self {
            events: options.requests.subscribe(),
            options,
            tty: terminal.0,
            desk: Desk::default(),
            notices,
            answers: JoinSet::new(),
            pauses: Pauses::new(),
            wants_stop: false,
        };
        (TerminalHandle { notices: sender }, service)
    }

    /// Serves the person until `shutdown`, prints what is left to print, and gives the terminal back.
    pub async fn run(mut self, shutdown: CancellationToken) {
        self.take(Event::Listed(self.listed())).await;
        let mut keys = true;
        let mut requests = true;
        loop {
            let event = tokio::select! {
                () = shutdown.cancelled() => break,
                event = self.events.next(), if requests => match event {
                    Some(event) => self.event_of(event),
                    None => {
                        requests = false;
                        continue;
                    }
                },
                Ok(text) = self.notices.recv_async() => Event::Notice(text),
                pause = self.pauses.next() => match pause {
                    Pause::Asked => {
                        self.tty.lend();
                        Pauses::stop_here();
                        continue;
                    }
                    Pause::Over => {
                        self.tty.take_back();
                        // Draws the prompt again.
                        Event::Notice(String::new())
                    }
                },
                Some(done) = self.answers.join_next() => {
                    self.stop_if_wanted();
                    match done {
                        Ok(Some((id, text))) => Event::Refused(id, text),
                        Ok(None) | Err(_) => continue,
                    }
                }
                read = self.tty.read(), if keys => match read {
                    Ok(bytes) if !bytes.is_empty() => Event::Keys(bytes),
                    Ok(_) | Err(_) => {
                        keys = false;
                        Event::InputEnded
                    }
                },
            };
            self.take(event).await;
        }
        self.answers.shutdown().await;
        let rest: String = self.notices.try_iter().collect();
        self.tty.draw(&rest, "").await;
    }

    /// All requests that are to be on the surfaces now.
    fn listed(&self) -> Vec<Arc<PermissionRequest>> {
        let open = self.options.requests.list();
        open.iter()
            .filter(|open| open.shown)
            .map(|open| Arc::clone(&open.request))
            .collect()
    }

    fn event_of(&self, event: RequestEvent) -> Event {
        match event {
            RequestEvent::Opened(open) if open.shown => Event::Shown(Arc::clone(&open.request)),
            RequestEvent::Opened(_) | RequestEvent::Touched { .. } => Event::Notice(String::new()),
            RequestEvent::Shown { id } => match self.options.requests.get(id) {
                Some(open) => Event::Shown(Arc::clone(&open.request)),
                None => Event::Notice(String::new()),
            },
            RequestEvent::Advised { id, advice } => Event::Notice(format!(
                "{id}  {} says: {}\n",
                shown::line(&advice.by.to_string()),
                shown::line(&advice.text)
            )),
            RequestEvent::Explained { id, explanation } => {
                let lines = explanation_lines(&explanation);
                let lines = lines.iter().map(|line| format!("{id}  {line}\n"));
                Event::Notice(lines.collect())
            }
            RequestEvent::DeadlineSoon { id, left } => {
                Event::Notice(format!("{id}  ends unanswered in {}\n", length(left)))
            }
            RequestEvent::Closed { id, verdict } => Event::Closed(id, (*verdict).clone()),
            RequestEvent::Missed { .. } => Event::Listed(self.listed()),
        }
    }

    async fn take(&mut self, event: Event) {
        let mut text = String::new();
        for effect in self.desk.handle(event, self.options.clock.now()) {
            match effect {
                Effect::Say(said) => text.push_str(&said),
                Effect::Prompt(prompt) => self.tty.draw(&std::mem::take(&mut text), &prompt).await,
                Effect::DropInput => self.tty.drop_input(),
                Effect::Touch(id) => self.options.requests.touch(id).await,
                Effect::Answer(request, kind) => self.answer(&request, kind),
                Effect::Stop => self.wants_stop = true,
            }
        }
        self.stop_if_wanted();
    }

    /// Stops the run once the last answer has been carried.
    fn stop_if_wanted(&self) {
        if self.wants_stop && self.answers.is_empty() {
            self.options.stop.cancel();
        }
    }

    fn answer(&mut self, request: &PermissionRequest, kind: VerdictKind) {
        let (id, digest) = (request.id, request.digest);
        let requests = self.options.requests.clone();
        self.answers.spawn(async move {
            let answer = Answer {
                kind,
                by: Answerer::Person {
                    surface: Surface::Terminal,
                },
                digest: Some(digest),
            };
            // The prompt ends with its leader: what it shows is of this reign.
            let answered = requests.answer_seen_in(requests.epoch(), id, answer).await;
            refusal(answered).map(|text| (id, text))
        });
    }
}

/// What became of lifting a classifier's no.
pub(crate) fn lifted_words(id: RequestId, lifted: Lifted) -> String {
    match lifted {
        Lifted::Now => format!(
            "{id} was refused by the classifier, which is lifted now: it passes when the agent asks for it again"
        ),
        Lifted::Before => {
            format!("{id} was lifted before: it passes when the agent asks for it again")
        }
        Lifted::NotRefused => format!("{id} was refused too long ago to be lifted"),
    }
}

/// What the person is told when an answer did not become the verdict.
pub(crate) fn refusal(answered: Result<Answered, AnswerError>) -> Option<String> {
    match answered {
        Ok(Answered::Won(_)) => None,
        Ok(Answered::SameAgain { winner } | Answered::Conflict { winner }) => {
            Some(format!("was answered before: {}", verdict_line(&winner)))
        }
        Ok(Answered::Expired) => Some("is no longer open: its time was up".into()),
        Ok(Answered::PersonAtIt) => Some("is being answered at another surface".into()),
        Ok(Answered::NotFound) => Some("is not open any more".into()),
        Err(error) => Some(format!(
            "{}; nothing was answered",
            shown::with_causes(&error)
        )),
    }
}
