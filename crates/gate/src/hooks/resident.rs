//! Hooks that stay: one process for all agents of a run, one line each way, one question at a time.
//!
//! A process that dies, is late, or writes what is no answer is ended, and the next question starts
//! another one. Its answers are never mixed: what it says to a question that nobody waits for any more
//! is thrown away, and it is ended when that takes too long. An answer that repeats the number of its line
//! surely belongs to it; of one that doesn't nobody can tell ([`Step`]), since a stray line looks the same.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pointsman_ledger::{Ledger, ProcessGroupEnded, ProcessGroupStarted};
use pointsman_model::{GroupFacts, RunId};
use pointsman_policy::settings::HookRun;
use pointsman_process::{Resident, ResidentSpec};
use serde::Deserialize;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::strict;

/// How many questions may wait for one process; a further one waits for a place.
const QUESTIONS_MAX: usize = 256;

/// How long a process may still take over an answer that nobody waits for, before it is ended.
const GIVEN_UP_GRACE: Duration = Duration::from_secs(1);

/// How long a process may take to end once its input is closed.
const END_GRACE: Duration = Duration::from_millis(500);

/// The processes of all hooks that stay, each started at its first question.
#[derive(Default)]
pub(super) struct Residents {
    handles: Mutex<Vec<(HookRun, mpsc::Sender<Question>)>>,
    stop: CancellationToken,
}

/// Where a process runs, for its first question.
pub(super) struct Home<'a> {
    pub(super) run: RunId,
    pub(super) ledger: Option<&'a Ledger>,
    /// Holds the task that serves it.
    pub(super) tasks: &'a TaskTracker,
}

/// A line that waits for its answer.
struct Question {
    line: Vec<u8>,
    deadline: Instant,
    reply: oneshot::Sender<Result<Line, String>>,
}

/// What a process answered.
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    pub(super) step: Step,
}

/// Whether an answer surely belongs to the line that it came after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It names the number of the line.
    Named,
    /// It names none, so it may be an earlier line's, come late or twice.
    Unnamed,
}

impl Residents {
    /// Asks the process of a hook; an error says why there is no answer.
    ///
    /// Cancel safe: what is answered later is thrown away.
    pub(super) async fn ask(
        &self,
        hook: &HookRun,
        spec: impl FnOnce() -> ResidentSpec,
        home: &Home<'_>,
        line: &[u8],
        time_max: Duration,
    ) -> Result<Line, String> {
        let deadline = Instant::now() + time_max;
        let questions = self.handle(hook, spec, home);
        let (reply, answer) = oneshot::channel();
        let question = Question {
            line: line.to_vec(),
            deadline,
            reply,
        };
        let answered = async {
            questions.send(question).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout_at(deadline, answered).await {
            Ok(Some(answer)) => answer,
            Ok(None) => Err("it was stopped".into()),
            Err(_) => Err("it took longer than its time limit".into()),
        }
    }

    /// Tells all processes to end; their tasks end with them.
    pub(super) fn end(&self) {
        self.stop.cancel();
    }

    fn handle(
        &self,
        hook: &HookRun,
        spec: impl FnOnce() -> ResidentSpec,
        home: &Home<'_>,
    ) -> mpsc::Sender<Question> {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = handles.iter().find(|(run, _)| run == hook) {
            return known.clone();
        }
        let (sender, questions) = mpsc::channel(QUESTIONS_MAX);
        let service = Service {
            spec: spec(),
            questions,
            stop: self.stop.clone(),
            run: home.run,
            ledger: home.ledger.cloned(),
            running: None,
            turn: 0,
        };
        home.tasks.spawn(service.serve());
        handles.push((hook.clone(), sender.clone()));
        sender
    }
}

/// The task that owns one hook's process.
struct Service {
    spec: ResidentSpec,
    questions: mpsc::Receiver<Question>,
    stop: CancellationToken,
    run: RunId,
    ledger: Option<Ledger>,
    running: Option<(Resident, GroupFacts)>,
    /// The number of the question in hand.
    turn: u64,
}

/// What an answer may carry to say which question it is for.
#[derive(Deserialize)]
struct Numbered {
    turn: Option<u64>,
}

impl Service {
    async fn serve(mut self) {
        loop {
            let question = tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                question = self.questions.recv() => match question {
                    Some(question) => question,
                    None => break,
                },
            };
            if !question.reply.is_closed() {
                self.answer(question).await;
            }
        }
        if let Some((resident, group)) = self.running.take() {
            resident.end(END_GRACE).await;
            self.ended(group, "the run ended").await;
        }
    }

    async fn answer(&mut self, question: Question) {
        let Question {
            line,
            deadline,
            mut reply,
        } = question;
        let stop = self.stop.clone();
        let answered = tokio::select! {
            biased;
            answered = self.exchange(&line) => answered,
            () = tokio::time::sleep_until(deadline) => {
                Err("it took longer than its time limit".into())
            }
            () = given_up(&mut reply) => Err("nobody waited for its answer".into()),
            () = stop.cancelled() => Err("it was stopped".into()),
        };
        if let Err(why) = &answered
            && let Some((resident, group)) = self.running.take()
        {
            // Dropped, its whole group is killed.
            drop(resident);
            self.ended(group, why).await;
        }
        // Whoever asked may have given up.
        let _ = reply.send(answered);
    }

    async fn exchange(&mut self, line: &[u8]) -> Result<Line, String> {
        self.turn += 1;
        let turn = self.turn;
        let line = numbered(line, turn);
        let resident = self.ready().await?;
        let text = resident
            .exchange(&line)
            .await
            .map_err(|error| error.to_string())?;
        match strict::object::<Numbered>(&text) {
            Ok(Numbered { turn: Some(named) }) if named == turn => Ok(Line {
                text,
                step: Step::Named,
            }),
            Ok(Numbered { turn: Some(other) }) => {
                Err(format!("it answered to line {other}, and {turn} was asked"))
            }
            Ok(Numbered { turn: None }) => Ok(Line {
                text,
                step: Step::Unnamed,
            }),
            Err(error) => Err(format!("what it wrote is no answer: {error}")),
        }
    }

    /// A process that can be asked: the one that runs, or a new one where it is of no use any more.
    async fn ready(&mut self) -> Result<&mut Resident, String> {
        if let Some((mut resident, group)) = self.running.take() {
            if resident.is_ready() {
                self.running = Some((resident, group));
            } else {
                drop(resident);
                self.ended(group, "it ended, or wrote without being asked")
                    .await;
            }
        }
        if self.running.is_none() {
            let resident = Resident::start(&self.spec).map_err(|error| error.to_string())?;
            let group = resident.group().facts().clone();
            self.started(&group).await;
            self.running = Some((resident, group));
        }
        match &mut self.running {
            Some((resident, _)) => Ok(resident),
            None => Err("it does not run".into()),
        }
    }

    async fn started(&self, group: &GroupFacts) {
        let record = ProcessGroupStarted {
            worker: None,
            call: None,
            group: group.clone(),
            program: self.spec.program.as_str().into(),
        };
        super::turn::note(self.ledger.as_ref(), self.run, record).await;
    }

    async fn ended(&self, group: GroupFacts, why: &str) {
        let record = ProcessGroupEnded {
            call: None,
            group,
            text: why.into(),
        };
        super::turn::note(self.ledger.as_ref(), self.run, record).await;
    }
}

/// Returns some time after nobody waits for the answer any more.
async fn given_up(reply: &mut oneshot::Sender<Result<Line, String>>) {
    reply.closed().await;
    tokio::time::sleep(GIVEN_UP_GRACE).await;
}

/// The line with its number, so that a hook can say what it answers to.
fn numbered(line: &[u8], turn: u64) -> Vec<u8> {
    let mut numbered = format!("{{\"turn\":{turn},").into_bytes();
    numbered.extend_from_slice(line.strip_prefix(b"{").unwrap_or(line));
    numbered
}

#[cfg(test)]
mod tests;
