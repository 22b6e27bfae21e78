//! Records: what the ledger keeps, one typed body for each thing that happens.
//!
//! A body is written once as JSON; those bytes are what the chain covers and what is read back. The
//! ledger redacts nothing: whoever must not have a text on disk leaves it out of the body.

mod call;
mod chain_event;
mod grant;
mod kind;
mod order;
mod request;
mod run;
mod turn;

use pointsman_model::{CallId, Digest, RequestId, RunId, WallTime, WorkerId};
use serde::{Deserialize, Serialize};

pub use call::{
    CallDecided, CallEnded, CallHooked, CallLeft, CallRequested, CallStarted, CallUnknown,
    HookCame, HookReport, HooksTold, ProcessGroupEnded, ProcessGroupStarted, SeenFile,
};
pub use chain_event::{DamageFound, RecordsLost, RunsPruned, SetAside};
pub use grant::{GrantEnd, GrantMade, GrantRevoked, GrantUsed, ModeChanged, RulesSaved, Tightened};
pub use kind::RecordKind;
pub use order::{HungUp, OrderGiven, RunOrder};
pub use request::{
    Advised, Explained, LateAnswer, Lateness, RequestClosed, RequestOpened, RequestReopened,
    RequestShown, Showing,
};
pub use run::{
    ChainPoint, RunEnded, RunInterrupted, RunResumed, RunStart, RunStarted, StopAsked, WorkerEnd,
    WorkerEnded, WorkerSpawned,
};

pub use turn::{ModelSpent, Speaker, TurnPart, TurnTaken};

/// A record's place among all records of a database, in the order in which they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub i64);

/// One record as it was read back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerRecord {
    /// Its place in the database.
    pub seq: Seq,
    /// The run it belongs to.
    pub run: RunId,
    /// Its place in the run's chain, counted from 1.
    pub number: u64,
    /// When it was handed in.
    pub at: WallTime,
    /// What it says.
    pub body: RecordBody,
    /// The fingerprint of the record before it in the run's chain.
    pub prev: Digest,
    /// Its own fingerprint.
    pub hash: Digest,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordBody {
    /// A leader started a run.
    RunStarted(RunStarted),
    /// A leader took up a run that another one left.
    RunResumed(RunResumed),
    /// The run came to its end.
    RunEnded(RunEnded),
    /// The leader of the run was found dead.
    RunInterrupted(RunInterrupted),
    /// Someone asked to stop something.
    StopAsked(StopAsked),
    /// A person changed the course of a run.
    OrderGiven(OrderGiven),
    /// An agent was started.
    WorkerSpawned(Box<WorkerSpawned>),
    /// An agent came to its end.
    WorkerEnded(WorkerEnded),
    /// An agent's mode was changed.
    ModeChanged(ModeChanged),
    /// An agent and its model went on by a turn.
    TurnTaken(TurnTaken),
    /// An agent asked for a call.
    CallRequested(CallRequested),
    /// The PreToolUse hooks had their turn.
    CallHooked(CallHooked),
    /// The hooks of another event had their turn.
    HooksTold(HooksTold),
    /// The ladder answered.
    CallDecided(Box<CallDecided>),
    /// A call was started.
    CallStarted(Box<CallStarted>),
    /// A call came to its end.
    CallEnded(CallEnded),
    /// A call started in a run whose leader died, and its result was never seen.
    CallUnknown(CallUnknown),
    /// A process group was started.
    ProcessGroupStarted(ProcessGroupStarted),
    /// A process group is gone.
    ProcessGroupEnded(ProcessGroupEnded),
    /// A question was opened.
    RequestOpened(Box<RequestOpened>),
    /// A question that a dead leader left was taken up again.
    RequestReopened(RequestReopened),
    /// A question went to the surfaces.
    RequestShown(RequestShown),
    /// A checker said something without deciding.
    Advised(Advised),
    /// A model explained what a question is about.
    Explained(Explained),
    /// A question got its one verdict.
    RequestClosed(RequestClosed),
    /// An answer came after the verdict.
    LateAnswer(LateAnswer),
    /// A grant was made.
    GrantMade(GrantMade),
    /// A grant let something pass.
    GrantUsed(GrantUsed),
    /// A grant is over.
    GrantRevoked(GrantRevoked),
    /// A deny or ask rule was added for all agents.
    Tightened(Tightened),
    /// Rules were saved to a settings file, or could not be.
    RulesSaved(RulesSaved),
    /// A damaged record was found.
    DamageFound(DamageFound),
    /// A damaged database was set aside.
    SetAside(SetAside),
    /// Records that were only queued could not be written.
    RecordsLost(RecordsLost),
    /// Runs were pruned.
    RunsPruned(RunsPruned),
}

/// What a record speaks of; stored beside its body so that it can be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The agent.
    pub worker: Option<WorkerId>,
    /// The call.
    pub call: Option<CallId>,
    /// The request.
    pub request: Option<RequestId>,
}

impl About {
    /// The same without ids of other runs, which mean nothing in the columns of this one's records.
    #[must_use]
    pub fn within(self, run: RunId) -> Self {
        Self {
            worker: self.worker.filter(|id| id.run() == run),
            call: self.call.filter(|id| id.run() == run),
            request: self.request.filter(|id| id.run() == run),
        }
    }

    const NOTHING: Self = Self {
        worker: None,
        call: None,
        request: None,
    };

    fn worker(worker: WorkerId) -> Self {
        Self {
            worker: Some(worker),
            ..Self::NOTHING
        }
    }

    fn call(worker: WorkerId, call: CallId) -> Self {
        Self {
            call: Some(call),
            ..Self::worker(worker)
        }
    }

    fn request(call: CallId, request: RequestId) -> Self {
        Self {
            call: Some(call),
            request: Some(request),
            ..Self::NOTHING
        }
    }
}

impl RecordBody {
    /// What it speaks of.
    #[must_use]
    pub fn about(&self) -> About {
        match self {
            Self::RunStarted(_)
            | Self::RunResumed(_)
            | Self::RunEnded(_)
            | Self::RunInterrupted(_)
            | Self::Tightened(_)
            | Self::RulesSaved(_)
            | Self::DamageFound(_)
            | Self::SetAside(_)
            | Self::RecordsLost(_)
            | Self::RunsPruned(_)
            | Self::GrantRevoked(_) => About::NOTHING,
            Self::StopAsked(stop) => About {
                worker: stop.worker,
                ..About::NOTHING
            },
            Self::OrderGiven(given) => About {
                worker: given.worker(),
                ..About::NOTHING
            },
            Self::WorkerSpawned(spawned) => About::worker(spawned.lineage.agent().worker),
            Self::WorkerEnded(ended) => About::worker(ended.worker),
            Self::ModeChanged(changed) => About::worker(changed.worker),
            Self::TurnTaken(turn) => About::worker(turn.worker),
            Self::CallRequested(requested) => About::call(requested.worker, requested.call.id),
            Self::CallHooked(hooked) => About::call(hooked.worker, hooked.call.id),
            Self::HooksTold(told) => About {
                worker: told.worker,
                call: told.call,
                request: None,
            },
            Self::CallDecided(decided) => About::call(decided.worker, decided.call.id),
            Self::CallStarted(started) => About {
                request: started.request,
                ..About::call(started.worker, started.call.id)
            },
            Self::CallEnded(ended) => About::call(ended.worker, ended.call),
            Self::CallUnknown(unknown) => About::call(unknown.worker, unknown.call),
            Self::ProcessGroupStarted(started) => About {
                worker: started.worker,
                call: started.call,
                request: None,
            },
            Self::ProcessGroupEnded(ended) => About {
                call: ended.call,
                ..About::NOTHING
            },
            Self::RequestOpened(opened) => About {
                worker: Some(opened.request.lineage.agent().worker),
                ..About::request(opened.request.call.id, opened.request.id)
            },
            Self::RequestReopened(of) => About::request(of.call, of.request),
            Self::RequestShown(of) => About::request(of.call, of.request),
            Self::Advised(of) => About::request(of.call, of.request),
            Self::Explained(of) => About::request(of.call, of.request),
            Self::RequestClosed(of) => About::request(of.call, of.request),
            Self::LateAnswer(of) => About::request(of.call, of.request),
            Self::GrantMade(made) => About {
                request: made.request,
                ..About::NOTHING
            },
            Self::GrantUsed(used) => About::call(used.worker, used.call),
        }
    }
}

macro_rules! bodies {
    ($($variant:ident),*) => {
        $(impl From<$variant> for RecordBody {
            fn from(body: $variant) -> Self {
                Self::$variant(body)
            }
        })*
    };
}

bodies!(
    RunStarted,
    RunResumed,
    RunEnded,
    RunInterrupted,
    StopAsked,
    OrderGiven,
    WorkerEnded,
    ModeChanged,
    TurnTaken,
    CallRequested,
    CallHooked,
    HooksTold,
    CallEnded,
    CallUnknown,
    ProcessGroupStarted,
    ProcessGroupEnded,
    RequestReopened,
    RequestShown,
    Advised,
    Explained,
    RequestClosed,
    LateAnswer,
    GrantMade,
    GrantUsed,
    GrantRevoked,
    Tightened,
    RulesSaved,
    DamageFound,
    SetAside,
    RecordsLost,
    RunsPruned
);

macro_rules! boxed_bodies {
    ($($variant:ident),*) => {
        $(impl From<$variant> for RecordBody {
            fn from(body: $variant) -> Self {
                Self::$variant(Box::new(body))
            }
        })*
    };
}

boxed_bodies!(WorkerSpawned, CallDecided, CallStarted, RequestOpened);
