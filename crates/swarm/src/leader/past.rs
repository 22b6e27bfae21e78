//! The past of a run that is taken up again: which tries its jobs had, which agents those started, and what all of
//! them did. Read from the ledger once; each agent takes its own part when it comes to live again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pointsman_agents::spent_of;
use pointsman_approvals::{Requests, TakenUp};
use pointsman_ledger::{
    CallLeft, Filter, LedgerReader, LedgerRecord, ModelSpent, RecordBody, RecordKind,
    RequestClosed, RequestOpened, TurnPart, TurnTaken, WorkerEnd,
};
use pointsman_llm::Spent;
use pointsman_model::{
    CallId, Lineage, Millis, Origin, Outcome, PermissionRequest, RequestId, RunId, WorkerId,
};
use pointsman_tools::{Became, CallEnd, PastAgent, PastCall, PastQuestion, Standing};

use super::changed::Given;
use super::nursery::Wanted;
use super::options::StartError;
use super::past_orders::PastOrders;
use crate::plan::TryEnd;

/// An agent of an earlier reign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PastWorker {
    pub(super) worker: WorkerId,
    /// What it was given for good.
    pub(super) given: Box<Given>,
    /// Whether its parent waited for it.
    pub(super) origin: Origin,
    /// The call that started it.
    pub(super) call: Option<CallId>,
    /// How it ended; nothing when its leader died before it.
    pub(super) end: Option<(WorkerEnd, Box<str>)>,
}

/// What is left of the past.
#[derive(Default)]
pub(super) struct Past {
    left: Mutex<Left>,
    /// What people had made of the run, and holds on.
    pub(super) orders: PastOrders,
}

#[derive(Default)]
struct Left {
    /// By job, in the order in which they were started.
    tries: HashMap<Box<str>, VecDeque<PastWorker>>,
    /// By the agent that started them, with their type and task.
    children: HashMap<WorkerId, Vec<(Lineage, Box<str>, PastWorker)>>,
    agents: HashMap<WorkerId, PastAgent>,
    /// What models had spent, by the agent that had them do so.
    spent: Vec<(Lineage, Spent)>,
}

impl Past {
    /// Reads it. Blocks on the disk.
    ///
    /// # Errors
    /// When the ledger can't be read, or a record of the run is damaged or lost: it may have held a rule that binds on, a
    /// verdict, or the start of a call that must not be done again.
    pub(super) fn read(ledger: &Path, run: RunId) -> Result<Self, StartError> {
        let filter = Filter {
            kinds: vec![
                RecordKind::WorkerSpawned,
                RecordKind::WorkerEnded,
                RecordKind::CallRequested,
                RecordKind::CallDecided,
                RecordKind::CallStarted,
                RecordKind::CallEnded,
                RecordKind::RequestOpened,
                RecordKind::RequestClosed,
                RecordKind::TurnTaken,
                RecordKind::OrderGiven,
                RecordKind::Tightened,
            ],
            ..Filter::of_run(run)
        };
        let reader = LedgerReader::open(ledger)?;
        let mut reading = Reading::default();
        let unreadable = reader.each(&filter, |record| reading.take(record))?;
        if !unreadable.is_empty() {
            return Err(StartError::PastDamaged {
                run,
                records: unreadable.len(),
            });
        }
        // Not marked as unknown call by call: what was lost may have held calls of which nothing is left.
        if let Some(damage) = reader.unknown_of_run(run)?.into_iter().next() {
            return Err(StartError::PastNotWhole {
                run,
                number: damage.number,
                why: damage.why,
            });
        }
        let orders = std::mem::take(&mut reading.orders);
        let left = Mutex::new(reading.left());
        Ok(Self { left, orders })
    }

    fn lock(&self) -> MutexGuard<'_, Left> {
        // No code that can panic runs under the lock.
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tries of a job, for a look at what they were given.
    pub(super) fn tries_of(&self, job: &str) -> Vec<PastWorker> {
        let left = self.lock();
        left.tries
            .get(job)
            .map_or_else(Vec::new, |tries| tries.iter().cloned().collect())
    }

    /// The agents that their leader's death has left without an end.
    pub(super) fn unended(&self) -> Vec<WorkerId> {
        let left = self.lock();
        let children = left.children.values().flatten();
        let all = left
            .tries
            .values()
            .flatten()
            .chain(children.map(|(.., past)| past));
        let unended = all.filter(|past| past.end.is_none());
        unended.map(|past| past.worker).collect()
    }

    /// The next try of a job that was begun.
    pub(super) fn next_try(&self, job: &str) -> Option<PastWorker> {
        self.lock().tries.get_mut(job)?.pop_front()
    }

    /// The agent that `parent` had started for this task.
    pub(super) fn child(&self, parent: WorkerId, wanted: &Wanted) -> Option<PastWorker> {
        let mut left = self.lock();
        let children = left.children.get_mut(&parent)?;
        let same = |(lineage, task, past): &(Lineage, Box<str>, PastWorker)| match past.call {
            Some(call) => wanted.call == Some(call),
            // A record of an earlier version does not tell the call.
            None => lineage.agent().agent == wanted.name && *task == wanted.task,
        };
        let at = children.iter().position(same)?;
        Some(children.remove(at).2)
    }

    /// The agents that `parent` had started.
    pub(super) fn children_of(&self, parent: WorkerId) -> Vec<(Lineage, PastWorker)> {
        let left = self.lock();
        let children = left.children.get(&parent).into_iter().flatten();
        let known = children.map(|(lineage, _, past)| (lineage.clone(), past.clone()));
        known.collect()
    }

    /// Takes out all that are left below an agent that has its end: none of them lives again.
    pub(super) fn take_below(&self, worker: WorkerId) -> Vec<WorkerId> {
        let mut left = self.lock();
        let mut below = vec![worker];
        let mut next = 0;
        while let Some(parent) = below.get(next).copied() {
            let children = left.children.remove(&parent).into_iter().flatten();
            below.extend(children.map(|(_, _, past)| past.worker));
            next += 1;
        }
        below.split_off(1)
    }

    /// The agents that `parent` had in the background, but for those whose start it asks for again since it never heard
    /// of it.
    pub(super) fn in_background(&self, parent: WorkerId) -> Vec<(WorkerId, Wanted)> {
        let left = self.lock();
        let calls = left
            .agents
            .get(&parent)
            .map_or(&[][..], |agent| &agent.calls);
        let is_asked_again = |of: Option<CallId>| {
            let unknown = |call: &&PastCall| matches!(call.became, Became::Unknown);
            calls.iter().filter(unknown).any(|call| Some(call.id) == of)
        };
        let children = left.children.get(&parent).into_iter().flatten();
        children
            .filter(|(_, _, past)| past.origin == Origin::Background && !is_asked_again(past.call))
            .map(|(lineage, task, past)| {
                let wanted = Wanted {
                    name: lineage.agent().agent.clone(),
                    task: task.clone(),
                    origin: past.origin,
                    call: past.call,
                };
                (past.worker, wanted)
            })
            .collect()
    }

    /// Whether a job is to be tried more often than was taken up so far: it was, or a person had ordered it.
    pub(super) fn has_more_tries(&self, job: &str) -> bool {
        let left = self.lock();
        left.tries.get(job).is_some_and(|tries| !tries.is_empty()) || self.orders.is_retried(job)
    }

    /// Takes what each agent's model had spent, which counts on.
    pub(super) fn take_spent(&self) -> Vec<(Lineage, Spent)> {
        std::mem::take(&mut self.lock().spent)
    }

    /// Opens the questions again that the dead leader left, before the agents that asked them live again: whoever answers
    /// is heard, however long the run is paused. They are held here until their agents come to them. One about something
    /// that has changed since is left to its agent, which asks anew.
    pub(super) async fn take_up(&self, requests: &Requests, left: Vec<RequestOpened>) {
        let asked = self.questions();
        let left = left
            .into_iter()
            .filter(|opened| asked.contains(&opened.request.id));
        let left: Vec<_> = left.collect();
        let unchanged = tokio::task::spawn_blocking(move || {
            let unchanged = left
                .into_iter()
                .filter(|opened| is_as_it_was(&opened.request));
            unchanged.collect()
        });
        // One that broke off leaves them all to their agents.
        let taken = requests.take_up(unchanged.await.unwrap_or_default()).await;
        let taken = taken.into_iter().map(|taken| (taken.id(), Box::new(taken)));
        let mut taken: HashMap<RequestId, Box<TakenUp>> = taken.collect();
        let mut left = self.lock();
        let calls = left.agents.values_mut().flat_map(|agent| &mut agent.calls);
        for call in calls {
            if let Became::Waited(Some(question)) = &mut call.became
                && let Some(open) = taken.remove(&question.request.id)
            {
                question.standing = Standing::Open(open);
            }
        }
    }

    /// The last questions of calls that waited.
    fn questions(&self) -> HashSet<RequestId> {
        let left = self.lock();
        let calls = left.agents.values().flat_map(|agent| &agent.calls);
        let asked = calls.filter_map(|call| match &call.became {
            Became::Waited(question) => question.as_ref().map(|asked| asked.request.id),
            Became::Ended(_) | Became::Unknown => None,
        });
        asked.collect()
    }

    /// What that agent did.
    pub(super) fn agent(&self, worker: WorkerId) -> PastAgent {
        self.lock().agents.remove(&worker).unwrap_or_default()
    }

    /// The calls that started and have no known result, one line each, but for those that only started an agent: its
    /// own calls are what counts.
    pub(super) fn unknown(&self) -> Vec<Box<str>> {
        let left = self.lock();
        let mut unknown: Vec<&PastCall> = left
            .agents
            .values()
            .flat_map(|agent| &agent.calls)
            .filter(|call| matches!(call.became, Became::Unknown) && !starts_agent(call))
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

/// Whether a call starts an agent, under the tool's name of today or its old one.
fn starts_agent(call: &PastCall) -> bool {
    matches!(call.tool.as_str(), "Agent" | "Task")
}

/// The records, taken in one after the other.
#[derive(Default)]
struct Reading {
    workers: Vec<(Lineage, Box<str>, PastWorker)>,
    calls: BTreeMap<CallId, (WorkerId, PastCall)>,
    /// Calls whose end a model was told: it goes on from its conversation and does not ask for them again.
    told: HashSet<CallId>,
    spent: HashMap<WorkerId, Vec<ModelSpent>>,
    orders: PastOrders,
}

impl Reading {
    fn take(&mut self, record: LedgerRecord) {
        match record.body {
            RecordBody::WorkerSpawned(spawned) => {
                let worker = PastWorker {
                    worker: spawned.lineage.agent().worker,
                    given: Box::new(Given::of(&spawned)),
                    origin: spawned.origin,
                    call: spawned.call,
                    end: None,
                };
                if spawned.lineage.depth() == 1 {
                    self.orders.tried(&spawned.lineage.agent().label);
                }
                self.workers.push((spawned.lineage, spawned.task, worker));
            }
            RecordBody::WorkerEnded(ended) => {
                let of = |(_, _, past): &&mut (Lineage, Box<str>, PastWorker)| {
                    past.worker == ended.worker
                };
                self.orders.ended(ended.worker);
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
                    left: CallLeft::default(),
                };
                self.calls.insert(call.id, (requested.worker, call));
            }
            RecordBody::CallDecided(decided) => {
                self.change(decided.call.id, |call| call.folder = Some(decided.folder));
            }
            RecordBody::RequestOpened(opened) => {
                let question = PastQuestion::left(opened.request);
                self.change(question.request.call.id, |call| {
                    call.became = Became::Waited(Some(question))
                });
            }
            RecordBody::RequestClosed(closed) => self.closed(&closed),
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
                self.change(ended.call, |call| {
                    call.became = Became::Ended(end);
                    call.left = ended.left;
                });
            }
            RecordBody::TurnTaken(turn) => self.turn(turn),
            RecordBody::OrderGiven(given) => self.orders.given(given.order),
            RecordBody::Tightened(tightened) => self.orders.tightenings.push(tightened.rule),
            // The filter wants no other kind.
            _ => {}
        }
    }

    fn closed(&mut self, closed: &RequestClosed) {
        let outcome = closed.verdict.outcome();
        self.change(closed.call, |call| {
            let Became::Waited(Some(question)) = &mut call.became else {
                return;
            };
            if question.request.id != closed.request {
                return;
            }
            match outcome {
                // Only the death of its leader has ended it.
                Outcome::Interrupted => {}
                // Nobody waits for its answer any more: the call went on without it.
                Outcome::Superseded => call.became = Became::Waited(None),
                Outcome::Allowed
                | Outcome::DeniedByPerson
                | Outcome::DeniedByHook
                | Outcome::DeniedByClassifier
                | Outcome::Refused
                | Outcome::NobodyCanAnswer
                | Outcome::Expired
                | Outcome::Cancelled
                | Outcome::Unavailable => question.standing = Standing::Closed,
            }
        });
    }

    fn turn(&mut self, turn: TurnTaken) {
        let told = turn.parts.iter().filter_map(|part| match part {
            TurnPart::Result { call, .. } => Some(*call),
            TurnPart::Text { .. }
            | TurnPart::Use { .. }
            | TurnPart::Other { .. }
            | TurnPart::NotRun { .. } => None,
        });
        self.told.extend(told);
        let spent = self.spent.entry(turn.worker).or_default();
        spent.extend(turn.spent);
    }

    fn change(&mut self, call: CallId, change: impl FnOnce(&mut PastCall)) {
        if let Some((_, call)) = self.calls.get_mut(&call) {
            change(call);
        }
    }

    /// Sorts it by whose it is.
    fn left(mut self) -> Left {
        let mut left = Left::default();
        for (lineage, ..) in &self.workers {
            let spent = self.spent.remove(&lineage.agent().worker);
            let spent = spent.iter().flatten().map(spent_of);
            left.spent
                .extend(spent.map(|spent| (lineage.clone(), spent)));
        }
        for (worker, call) in self.calls.into_values() {
            let agent = left.agents.entry(worker).or_default();
            if self.told.contains(&call.id) {
                agent.knows(call);
            } else {
                agent.calls.push(call);
            }
        }
        for (lineage, task, past) in self.workers {
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

/// Whether a question asks for the same still: the files that its call runs or changes are what they were (law 10).
/// Blocks on the disk.
fn is_as_it_was(request: &PermissionRequest) -> bool {
    let (call, folder, lineage) = (&request.call, &request.folder, &request.lineage);
    let now = pointsman_approvals::bind(call, folder, lineage, request.context, &request.effects);
    now.is_ok_and(|digest| digest == request.digest)
}

/// How a try of a job with that time came out under an earlier reign, when it had come to its end.
pub(super) fn settled(past: &PastWorker, time_max: Duration) -> Option<TryEnd> {
    let (end, text) = past.end.as_ref()?;
    Some(match end {
        WorkerEnd::Done => TryEnd::Done {
            summary: text.clone(),
        },
        WorkerEnd::Failed => TryEnd::Failed {
            reason: text.clone(),
        },
        WorkerEnd::Halted => TryEnd::Halted {
            reason: text.clone(),
        },
        WorkerEnd::Stopped => TryEnd::Stopped,
        WorkerEnd::TimedOut => TryEnd::TimedOut {
            time_max: Millis::from(time_max),
        },
    })
}

#[cfg(test)]
mod tests;
