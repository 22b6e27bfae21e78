//! The past of a run that is taken up again: which tries its jobs had, which agents those started, and what all of
//! them did. Read from the ledger once; each agent takes its own part when it comes to live again.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pointsman_ledger::{
    Filter, LedgerReader, LedgerRecord, ReadError, RecordBody, RecordKind, WorkerEnd,
};
use pointsman_model::{CallId, Digest, Lineage, Outcome, PermissionRequest, RunId, WorkerId};
use pointsman_tools::{Became, CallEnd, PastCall};

use crate::job_file::Work;
use crate::plan::TryEnd;

/// Commands that move an agent to another folder.
const MOVES: [&str; 3] = ["cd", "pushd", "popd"];

/// Why a model's work does not go on.
const MODEL: &str =
    "its leader died, and what a model had in mind died with it; what it did is in the ledger";
/// Why an agent does not go on that may be in another folder than is known.
const MOVED: &str = "its leader died after a command that may have moved it to another folder, and where to is not on record";

/// An agent of an earlier reign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PastWorker {
    pub(super) worker: WorkerId,
    /// The fingerprint of the context it was given for good.
    pub(super) context: Digest,
    /// How it ended; nothing when its leader died before it.
    pub(super) end: Option<(WorkerEnd, Box<str>)>,
    /// Whether its last command may have moved it: where to is not on record.
    pub(super) place: LastPlace,
}

/// Whether it is known where an agent was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastPlace {
    Known,
    Unknown,
}

/// What is left of the past.
#[derive(Default)]
pub(super) struct Past(Mutex<Left>);

#[derive(Default)]
struct Left {
    /// By job, in the order in which they were started.
    tries: HashMap<Box<str>, VecDeque<PastWorker>>,
    /// By the agent that started them, with their type and task.
    children: HashMap<WorkerId, Vec<(Lineage, Box<str>, PastWorker)>>,
    calls: HashMap<WorkerId, Vec<PastCall>>,
}

impl Past {
    /// Reads it. Blocks on the disk.
    pub(super) fn read(ledger: &Path, run: RunId) -> Result<Self, ReadError> {
        let records = LedgerReader::open(ledger)?.records(&Filter {
            kinds: vec![
                RecordKind::WorkerSpawned,
                RecordKind::WorkerEnded,
                RecordKind::CallRequested,
                RecordKind::CallDecided,
                RecordKind::CallStarted,
                RecordKind::CallEnded,
                RecordKind::RequestOpened,
            ],
            ..Filter::of_run(run)
        })?;
        let mut reading = Reading::default();
        for record in records.records {
            reading.take(record);
        }
        Ok(Self(Mutex::new(reading.left())))
    }

    fn lock(&self) -> MutexGuard<'_, Left> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tries of a job, for a look at what they were given.
    pub(super) fn tries_of(&self, job: &str) -> Vec<PastWorker> {
        let left = self.lock();
        left.tries
            .get(job)
            .map_or_else(Vec::new, |tries| tries.iter().cloned().collect())
    }

    /// The next try of a job that was begun.
    pub(super) fn next_try(&self, job: &str) -> Option<PastWorker> {
        self.lock().tries.get_mut(job)?.pop_front()
    }

    /// The agent that `parent` had started for this task.
    pub(super) fn child(&self, parent: WorkerId, label: &str, task: &str) -> Option<PastWorker> {
        let mut left = self.lock();
        let children = left.children.get_mut(&parent)?;
        let same = |(lineage, of_child, _): &(Lineage, Box<str>, PastWorker)| {
            &*lineage.agent().label == label && **of_child == *task
        };
        let at = children.iter().position(same)?;
        Some(children.remove(at).2)
    }

    /// What that agent did.
    pub(super) fn calls(&self, worker: WorkerId) -> Vec<PastCall> {
        self.lock().calls.remove(&worker).unwrap_or_default()
    }

    /// The calls that started and have no known result, one line each, but for those that only started an agent: its
    /// own calls are what counts.
    pub(super) fn unknown(&self) -> Vec<Box<str>> {
        let left = self.lock();
        let mut unknown: Vec<&PastCall> = left
            .calls
            .values()
            .flatten()
            .filter(|call| call.became == Became::Unknown && call.tool.as_str() != "Agent")
            .collect();
        unknown.sort_by_key(|call| call.id);
        let line = |call: &&PastCall| {
            format!(
                "{} ({} {}) had started when the leader died: nobody knows what it did, and it is not repeated",
                call.id,
                call.tool,
                call.input.as_str()
            )
            .into()
        };
        unknown.iter().map(line).collect()
    }
}

/// The records, taken in one after the other.
#[derive(Default)]
struct Reading {
    workers: Vec<(Lineage, Box<str>, PastWorker)>,
    calls: BTreeMap<CallId, (WorkerId, PastCall)>,
}

impl Reading {
    fn take(&mut self, record: LedgerRecord) {
        match record.body {
            RecordBody::WorkerSpawned(spawned) => {
                let worker = PastWorker {
                    worker: spawned.lineage.agent().worker,
                    context: spawned.context,
                    end: None,
                    place: LastPlace::Known,
                };
                self.workers.push((spawned.lineage, spawned.task, worker));
            }
            RecordBody::WorkerEnded(ended) => {
                let of = |(_, _, past): &&mut (Lineage, Box<str>, PastWorker)| {
                    past.worker == ended.worker
                };
                if let Some((_, _, past)) = self.workers.iter_mut().find(of) {
                    past.end = Some((ended.end, ended.text));
                }
            }
            RecordBody::CallRequested(requested) => {
                let call = PastCall {
                    id: requested.call.id,
                    tool: requested.call.tool,
                    input: requested.call.input,
                    folder: None,
                    became: Became::Waited(None),
                };
                self.calls.insert(call.id, (requested.worker, call));
            }
            RecordBody::CallDecided(decided) => {
                self.change(decided.call.id, |call| call.folder = Some(decided.folder));
            }
            RecordBody::RequestOpened(opened) => {
                let request: Box<PermissionRequest> = Box::new(opened.request);
                self.change(request.call.id, |call| {
                    call.became = Became::Waited(Some(request))
                });
            }
            RecordBody::CallStarted(started) => {
                self.change(started.call.id, |call| call.became = Became::Unknown);
            }
            // What only the death of the leader has ended is as it was before.
            RecordBody::CallEnded(ended) if ended.outcome != Some(Outcome::Interrupted) => {
                let end = CallEnd {
                    id: ended.call,
                    state: ended.state,
                    outcome: ended.outcome,
                    text: ended.text.into(),
                    exit_code: ended.exit_code,
                };
                self.change(ended.call, |call| call.became = Became::Ended(end));
            }
            // The filter wants no other kind.
            _ => {}
        }
    }

    fn change(&mut self, call: CallId, change: impl FnOnce(&mut PastCall)) {
        if let Some((_, call)) = self.calls.get_mut(&call) {
            change(call);
        }
    }

    /// Sorts it by whose it is.
    fn left(self) -> Left {
        let mut left = Left::default();
        for (worker, call) in self.calls.into_values() {
            left.calls.entry(worker).or_default().push(call);
        }
        for (lineage, task, mut past) in self.workers {
            let last = left.calls.get(&past.worker).and_then(|calls| calls.last());
            if last.is_some_and(may_have_moved) {
                past.place = LastPlace::Unknown;
            }
            let above = lineage.steps().iter().rev().nth(1).map(|step| step.worker);
            match above {
                None => {
                    let job = Box::from(&*lineage.agent().label);
                    left.tries.entry(job).or_default().push_back(past);
                }
                Some(parent) => {
                    let children = left.children.entry(parent).or_default();
                    children.push((lineage, task, past));
                }
            }
        }
        left
    }
}

/// How a try of an earlier reign came out, when nothing of it can go on: it has ended, or nobody can do its work from
/// where it stands.
pub(super) fn settled(past: &PastWorker, work: &Work) -> Option<TryEnd> {
    let failed = |reason: &str| {
        Some(TryEnd::Failed {
            reason: reason.into(),
        })
    };
    match (&past.end, work) {
        (Some((WorkerEnd::Done, text)), _) => Some(TryEnd::Done {
            summary: text.clone(),
        }),
        (Some((WorkerEnd::Failed, text)), _) => failed(text),
        (Some((WorkerEnd::Halted, text)), _) => Some(TryEnd::Halted {
            reason: text.clone(),
        }),
        (Some((WorkerEnd::Stopped, _)), _) => Some(TryEnd::Stopped),
        (None, Work::Model(_)) => failed(MODEL),
        (None, Work::Steps(_) | Work::Replay(_)) => match past.place {
            LastPlace::Known => None,
            LastPlace::Unknown => failed(MOVED),
        },
    }
}

/// Whether a call that came to its end may have moved its agent.
fn may_have_moved(call: &PastCall) -> bool {
    let ended = matches!(call.became, Became::Ended(_));
    let mut words = call
        .input
        .as_str()
        .split(|char: char| !char.is_ascii_alphanumeric());
    ended && call.tool.as_str() == "Bash" && words.any(|word| MOVES.contains(&word))
}
