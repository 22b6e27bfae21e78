//! A recorded transcript, driven again: the calls that an agent asked for in another run, in their
//! order, each through the door like any other call, and its end compared with the recorded one.
//!
//! Nothing is taken from the old run but what was asked for. What may run is decided anew, so that a
//! replay shows what a change of rules means for work that was really done.

use std::collections::HashSet;
use std::fmt;
use std::fmt::Write as _;

use async_trait::async_trait;
use pointsman_ledger::{LedgerRecord, RecordBody, WorkerEnd};
use pointsman_model::{CallId, CallState, JsonText, Origin, Outcome, ToolName, WorkerId};
use pointsman_tools::{AskedCall, CallEnd, Dispatch, SpawnedHow};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{Agent, AgentEnd};

/// How a call ended.
///
/// That it was allowed is no part of it: the ledger keeps how a permission ended only where that ended the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnd {
    /// Its end state.
    pub state: CallState,
    /// How its permission ended, where that ended the call.
    pub outcome: Option<Outcome>,
}

impl RecordedEnd {
    fn of(state: CallState, outcome: Option<Outcome>) -> Self {
        Self {
            state,
            outcome: outcome.filter(|outcome| *outcome != Outcome::Allowed),
        }
    }
}

impl fmt::Display for RecordedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome {
            Some(outcome) => write!(f, "{} ({outcome})", self.state),
            None => write!(f, "{}", self.state),
        }
    }
}

/// One call of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptCall {
    /// Its id in the run it was recorded in.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The input as the transcript keeps it; as the agent gave it where it never came to that.
    pub input: JsonText,
    /// How it ended; nothing when that was never seen.
    pub end: Option<RecordedEnd>,
}

/// The calls of one agent, in the order in which it asked for them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// The calls.
    pub calls: Vec<TranscriptCall>,
    /// How many of the agents that it started in the background did not do their task.
    #[serde(default)]
    pub not_done: usize,
}

impl Transcript {
    /// What the ledger has of one agent.
    #[must_use]
    pub fn of<'a>(records: impl IntoIterator<Item = &'a LedgerRecord>, worker: WorkerId) -> Self {
        let mut transcript = Self::default();
        let mut beside = HashSet::new();
        for record in records {
            match &record.body {
                RecordBody::WorkerSpawned(spawned)
                    if spawned.origin == Origin::Background
                        && spawned
                            .lineage
                            .steps()
                            .iter()
                            .rev()
                            .nth(1)
                            .is_some_and(|step| step.worker == worker) =>
                {
                    beside.insert(spawned.lineage.agent().worker);
                }
                RecordBody::WorkerEnded(ended)
                    if beside.contains(&ended.worker) && ended.end != WorkerEnd::Done =>
                {
                    transcript.not_done += 1;
                }
                body => transcript.take(body, worker),
            }
        }
        transcript
    }

    fn take(&mut self, body: &RecordBody, worker: WorkerId) {
        match body {
            RecordBody::CallRequested(requested) if requested.worker == worker => {
                self.calls.push(TranscriptCall {
                    id: requested.call.id,
                    tool: requested.call.tool.clone(),
                    input: requested.call.input.clone(),
                    end: None,
                });
            }
            RecordBody::CallDecided(decided) if decided.worker == worker => {
                if let Some(call) = self.call(decided.call.id) {
                    call.input = decided.recorded.input.clone();
                }
            }
            RecordBody::CallEnded(ended) if ended.worker == worker => {
                if let Some(call) = self.call(ended.call) {
                    call.end = Some(RecordedEnd::of(ended.state, ended.outcome));
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, id: CallId) -> Option<&mut TranscriptCall> {
        self.calls.iter_mut().find(|call| call.id == id)
    }
}

/// An agent that asks for what another one asked for.
pub struct ReplayAgent {
    transcript: Transcript,
}

impl ReplayAgent {
    /// The agent that drives this transcript.
    #[must_use]
    pub fn new(transcript: Transcript) -> Self {
        Self { transcript }
    }
}

#[async_trait]
impl Agent for ReplayAgent {
    /// A call that ends otherwise than it did is no failure of the replay: to show it is what a replay is for.
    async fn work(&mut self, dispatch: &Dispatch, stop: &CancellationToken) -> AgentEnd {
        let mut differences = Vec::new();
        for call in &self.transcript.calls {
            if stop.is_cancelled() {
                return AgentEnd::Stopped;
            }
            let asked = AskedCall {
                tool: call.tool.clone(),
                input: call.input.clone(),
            };
            let ends = dispatch.batch(vec![asked]).await;
            if stop.is_cancelled() {
                return AgentEnd::Stopped;
            }
            differences.extend(ends.iter().filter_map(|end| difference(call, end)));
            if let Some(halt) = dispatch.halted() {
                return AgentEnd::Halted {
                    reason: halt.reason,
                };
            }
        }
        let mut not_done = 0;
        loop {
            let beside = &dispatch.seat().in_background;
            let ended = tokio::select! {
                biased;
                () = stop.cancelled() => return AgentEnd::Stopped,
                ended = beside.next_ended() => ended,
            };
            if ended.is_empty() {
                break;
            }
            let failed = ended.iter().filter(|end| end.end == SpawnedHow::NotDone);
            not_done += failed.count();
        }
        let calls = self.transcript.calls.len();
        let mut summary = format!(
            "{calls} calls asked for again, {} ended otherwise",
            differences.len()
        );
        if not_done != self.transcript.not_done {
            differences.push(format!(
                "of the agents in its background {} did not do their task then, {not_done} now",
                self.transcript.not_done
            ));
        }
        for difference in differences {
            // Writing into a String can't fail.
            let _ = write!(summary, "\n{difference}");
        }
        AgentEnd::Done { summary }
    }
}

fn difference(call: &TranscriptCall, end: &CallEnd) -> Option<String> {
    let now = RecordedEnd::of(end.state, end.outcome);
    let then = match call.end {
        Some(then) if then == now => return None,
        Some(then) => then.to_string(),
        None => "never seen to end".into(),
    };
    let first = end.text.lines().next().unwrap_or_default();
    Some(format!(
        "{} {} {}: {then} then, {now} now: {first}",
        call.id,
        call.tool,
        call.input.as_str()
    ))
}

#[cfg(test)]
mod tests;
