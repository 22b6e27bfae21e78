//! What comes to the screen, and what is done for it.

use std::sync::Arc;

use pointsman_approvals::{Advice, OpenRequest};
use pointsman_ledger::LedgerRecord;
use pointsman_model::{AbsPath, Explanation, RequestId, Verdict, VerdictKind, WorkerId};
use pointsman_swarm::RunEvent;
use ratatui::layout::Size;

use super::before::Before;
use super::key::Key;
use crate::socket::JobWire;

/// What comes to the screen.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// A request is to be shown.
    Shown(Arc<OpenRequest>),
    /// These are all that are to be shown, after some news may have been missed.
    Listed(Vec<Arc<OpenRequest>>),
    /// A checker said something of a request.
    Advised(RequestId, Advice),
    /// A model has explained a request.
    Explained(RequestId, Arc<Explanation>),
    /// A request has its verdict.
    Closed(RequestId, Arc<Verdict>),
    /// An answer of ours did not get in: who was first, or what failed.
    Refused(RequestId, String),
    /// What became of lifting a refusal.
    Lifted(RequestId, String),
    /// Something was written to the ledger.
    Record(Arc<LedgerRecord>),
    /// Something happened to the run.
    Run(RunEvent),
    /// So far are the jobs.
    Jobs(Vec<JobWire>),
    /// The records of an agent, as they were asked for.
    Loaded(WorkerId, Vec<Arc<LedgerRecord>>),
    /// What lies where a request would write.
    Before(RequestId, Before),
    /// A key was pressed.
    Key(Key),
    /// A text was pasted.
    Pasted(String),
    /// The terminal was lent, and is the screen's again.
    TakenBack,
    /// The terminal has this size.
    Resized(Size),
    /// The screen as it is was put before the person's eyes.
    Drawn,
    /// Something is to be told.
    Notice(String),
    /// Time went by.
    Tick,
}

/// What is done for the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Carry an answer.
    Answer(Arc<OpenRequest>, VerdictKind),
    /// Lift what the classifier refused.
    Lift(RequestId),
    /// Tell that a person is at a request.
    Touch(RequestId),
    /// Stop an agent and all below it.
    StopWorker(WorkerId),
    /// Stop a job that is not at work.
    StopJob(String),
    /// Stop the run.
    StopRun,
    /// Pass a Ctrl-C on, as the terminal would.
    Interrupt,
    /// Read the records of an agent.
    Load(WorkerId),
    /// Look at the file that a request would write.
    LookAt(RequestId, AbsPath),
    /// Throw away what was typed and not read yet.
    DropInput,
    /// Give the terminal back and stop, until somebody lets this process go on.
    Pause,
    /// Draw everything anew.
    Redraw,
    /// Ring the bell: somebody is waited for.
    Ring,
}
