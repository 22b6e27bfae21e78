//! What happened: the one SQLite database of a project, its writer and its transactions.
//!
//! A [`Ledger`] is the handle of one writer thread, which groups all that is queued into one synced
//! transaction. A [`LedgerReader`] reads beside it and after a crash. Records are append-only and
//! chained, each to the one before it in its run; nothing here decides anything.

#[cfg(feature = "by-hand")]
mod by_hand;
mod clock;
mod record;

mod chain;
mod held_run;
mod highest;
#[cfg(feature = "kill-points")]
pub mod kill_points;
mod run_lock;
mod schema;
mod whereabouts;

mod ledger;
mod open;
mod prune;
mod recovery;
mod salvage;
mod unwritten;
mod writer;

mod reader;

#[cfg(feature = "by-hand")]
pub use by_hand::HandWriter;
pub use clock::{Clock, SystemClock};
pub use held_run::HeldRun;
pub use ledger::{AppendError, Ledger, PendingAppend, RequestTrace};
pub use open::{
    DeadRun, HighestIds, OpenError, OpenReport, ResumeError, ResumeReport, SetAsideReport,
};
pub use prune::{Compacted, Keep, PruneError, PruneReport, compact, prunable, prune};
pub use reader::{
    CallStory, CensusRow, ChainDamage, Filter, LedgerReader, Pages, PastReign, ReadError,
    RecordList, RequestStory, RunInfo, RunState, UnreadableRecord, VerifyReport,
};
pub use record::{
    About, Advised, CallDecided, CallEnded, CallHooked, CallLeft, CallRequested, CallStarted,
    CallUnknown, ChainPoint, DamageFound, Explained, GrantEnd, GrantMade, GrantRevoked, GrantUsed,
    HookCame, HookReport, HooksTold, HungUp, LateAnswer, Lateness, LedgerRecord, ModeChanged,
    ModelSpent, OrderGiven, ProcessGroupEnded, ProcessGroupStarted, RecordBody, RecordKind,
    RecordsLost, RequestClosed, RequestOpened, RequestReopened, RequestShown, RulesSaved, RunEnded,
    RunInterrupted, RunOrder, RunResumed, RunStart, RunStarted, RunsPruned, SeenFile, Seq,
    SetAside, Showing, Speaker, StopAsked, Tightened, TurnPart, TurnTaken, WorkerEnd, WorkerEnded,
    WorkerSpawned,
};
pub use salvage::SalvageError;

#[cfg(test)]
mod tests;
