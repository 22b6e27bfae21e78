//! Lines between a worker that is a process of its own and its leader: what is said on them, and who
//! may speak.
//!
//! A line brings frames in order or breaks; nothing else is asked of it. Each frame names the leader's
//! epoch and the worker's generation, so one that comes late or twice is known for what it is.

use std::fmt;
use std::io::{self, Read as _};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use pointsman_model::{PermissionRequest, RequestId, Verdict, WorkerId};
use serde::{Deserialize, Serialize};

use crate::{Epoch, Generation};

/// The version of the frames. Either side turns a line with another one away.
pub(crate) const VERSION: u32 = 1;

/// How many requests of one worker's process may be on their way to the leader's disk; the next waits with the worker.
pub(crate) const UNQUEUED_MAX: usize = 64;

/// The epoch and the generation that a frame was sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The leader's.
    pub epoch: Epoch,
    /// The worker's.
    pub generation: Generation,
}

/// What a worker's process shows to be taken for that worker. Given to it when it is started, through a way that only it
/// can read.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The worker.
    pub worker: WorkerId,
    /// Which of its lives.
    pub generation: Generation,
    secret: Box<str>,
}

impl Pass {
    /// A new pass with a secret that nobody can guess.
    ///
    /// # Errors
    /// When the machine has no random bytes to give.
    pub(crate) fn new(worker: WorkerId, generation: Generation) -> io::Result<Self> {
        let mut bytes = [0_u8; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            worker,
            generation,
            secret: secret.into(),
        })
    }

    /// Whether the other pass has this one's secret. Takes as long whatever it has.
    pub(crate) fn has_secret_of(&self, other: &Self) -> bool {
        let pairs = self.secret.bytes().zip(other.secret.bytes());
        let difference = pairs.fold(0, |difference, (one, two)| difference | (one ^ two));
        self.secret.len() == other.secret.len() && difference == 0
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({}, life {})", self.worker, self.generation)
    }
}

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToLeader {
    /// Who it is; the first frame of a line.
    Hello {
        /// The version of its frames.
        version: u32,
        /// Its pass.
        pass: Pass,
    },
    /// It asks, or asks again for what it has no verdict on.
    Request {
        /// When.
        at: Stamp,
        /// What.
        request: Box<PermissionRequest>,
    },
    /// It waits no longer.
    Withdraw {
        /// When.
        at: Stamp,
        /// For what.
        id: RequestId,
    },
    /// It has the verdict.
    Got {
        /// When.
        at: Stamp,
        /// On what.
        id: RequestId,
    },
    /// All that it waits for has been sent on this line.
    Synced {
        /// When.
        at: Stamp,
        /// For what it waits.
        open: Vec<RequestId>,
    },
}

/// What the leader says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToWorker {
    /// The worker may speak.
    Welcome {
        /// When.
        at: Stamp,
    },
    /// It may not, now or ever.
    TurnedAway {
        /// Why.
        why: Box<str>,
    },
    /// A request is on the leader's disk.
    Queued {
        /// When.
        at: Stamp,
        /// Which.
        id: RequestId,
    },
    /// A request is not taken.
    Refused {
        /// When.
        at: Stamp,
        /// Which.
        id: RequestId,
        /// Why it can't be stored; nothing when the leader takes none any more.
        why: Option<Box<str>>,
    },
    /// A request has its verdict.
    Verdict {
        /// When.
        at: Stamp,
        /// Which.
        id: RequestId,
        /// The verdict; on disk.
        verdict: Box<Verdict>,
    },
}

/// One end of a line. It is broken when `incoming` comes to its end or `outgoing` takes nothing more.
pub struct Line<In, Out> {
    /// What the other side says.
    pub incoming: flume::Receiver<In>,
    /// What this side says.
    pub outgoing: flume::Sender<Out>,
    /// Moves the frames; whoever has the line runs it, and breaks the line by dropping it.
    pub drive: BoxFuture<'static, ()>,
}

/// The worker's end of a line.
pub type WorkerLine = Line<ToWorker, ToLeader>;

/// The leader's end of a line.
pub type LeaderLine = Line<ToLeader, ToWorker>;

/// How a worker gets a line to its leader, again and again.
#[async_trait]
pub trait Dial: Send + Sync {
    /// A new line.
    ///
    /// # Errors
    /// When the leader can't be reached just now.
    async fn dial(&self) -> io::Result<WorkerLine>;
}
