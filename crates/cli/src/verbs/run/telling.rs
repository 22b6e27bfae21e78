//! The telling of a run: its records, and what is warned of, as they come.
//!
//! It is a task of its own that may wait for its readers as long as they like; the run does not wait for it.

use std::sync::Arc;
use std::time::Duration;

use pointsman_agents::AgentSaid;
use pointsman_ledger::LedgerRecord;
use pointsman_surfaces::{ScreenHandle, TerminalHandle};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::printer::Printer;
use super::records::{Paint, Teller, Verdicts};
use crate::log::{Diverted, LogFile};
use crate::output::Form;
use crate::verbs::tail::Tail;

/// How often new records are looked for while the run is on.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Where what happens is told to the person.
pub(super) enum Stage {
    /// On standard error.
    Errors,
    /// Above the prompt.
    Prompt(TerminalHandle),
    /// On the full screen.
    Screen(ScreenHandle),
}

/// Tells what happens.
pub(super) struct Telling {
    pub(super) stage: Stage,
    pub(super) printer: Printer,
    pub(super) paint: Paint,
    /// Where records are looked for; nothing once that has broken off.
    pub(super) tail: Option<Tail>,
    pub(super) warnings: Diverted,
    /// What thinking agents say.
    pub(super) said: broadcast::Receiver<AgentSaid>,
    pub(super) log: LogFile,
}

impl Telling {
    /// Tells all records until `over` is cancelled and nothing is new any more.
    ///
    /// Cancellation: dropped, what was not told yet is not told.
    pub(super) async fn run(mut self, over: CancellationToken) {
        let mut teller = Teller::new(self.paint, self.verdicts());
        loop {
            // Taken before the look: what was written before the end is seen by a look after it.
            let is_last = over.is_cancelled();
            let records = match self.tail.take() {
                None => None,
                Some(mut looking) => {
                    let look = tokio::task::spawn_blocking(move || {
                        let records = looking.read();
                        (looking, records)
                    });
                    // A look that broke off is the last one.
                    match look.await {
                        Ok((looked, records)) => {
                            self.tail = Some(looked);
                            records
                        }
                        Err(_) => None,
                    }
                }
            };
            let more = records.is_some();
            for record in records.into_iter().flatten() {
                self.tell(record, &mut teller).await;
            }
            for line in self.warnings.rest() {
                self.warn(line).await;
            }
            match (more, is_last) {
                (true, _) => {}
                (false, true) => return,
                (false, false) => tokio::select! {
                    () = over.cancelled() => {}
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                    line = self.warnings.next() => self.warn(line).await,
                    Some(said) = next_said(&mut self.said) => {
                        for line in teller.said(&said) {
                            self.say(line).await;
                        }
                    }
                },
            }
        }
    }

    fn verdicts(&self) -> Verdicts {
        match self.stage {
            Stage::Errors => Verdicts::Told,
            Stage::Prompt(_) | Stage::Screen(_) => Verdicts::AtPrompt,
        }
    }

    async fn tell(&mut self, record: LedgerRecord, teller: &mut Teller) {
        self.printer.object(&record).await;
        let line = match &self.stage {
            Stage::Screen(screen) => {
                if screen.record(Arc::new(record)).await.is_err() {
                    self.stage = Stage::Errors;
                    *teller = Teller::new(self.paint, Verdicts::Told);
                    let text = "the full screen has ended; `pointsman queue` lists the questions, `pointsman answer` answers them\n";
                    self.printer.note(text).await;
                }
                None
            }
            Stage::Prompt(_) => teller.line(&record),
            Stage::Errors if self.printer.form() == Form::Program => None,
            Stage::Errors => teller.line(&record),
        };
        match (line, &self.stage) {
            (Some(line), Stage::Prompt(terminal)) => terminal.say(line).await,
            (Some(line), Stage::Errors | Stage::Screen(_)) => self.printer.painted(line).await,
            (None, _) => {}
        }
        self.printer.progress().made();
    }

    /// Tells a line of what an agent says. On the full screen its transcript shows its turns.
    async fn say(&mut self, line: String) {
        match &self.stage {
            Stage::Errors if self.printer.form() == Form::Program => {}
            Stage::Errors => self.printer.note(line).await,
            Stage::Prompt(terminal) => terminal.say(line).await,
            Stage::Screen(_) => {}
        }
    }

    /// Tells a line of the log where it disturbs nothing.
    async fn warn(&mut self, line: String) {
        match &self.stage {
            Stage::Errors => self.printer.note(line).await,
            Stage::Prompt(terminal) => terminal.say(line).await,
            Stage::Screen(_) => self.log.add(line).await,
        }
    }
}

/// The next thing that an agent says; nothing once no agent will. What was missed stands in the ledger.
async fn next_said(said: &mut broadcast::Receiver<AgentSaid>) -> Option<AgentSaid> {
    loop {
        match said.recv().await {
            Ok(said) => return Some(said),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}
