//! From the verdict to the end.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use pointsman_ledger::{AppendError, CallEnded, CallLeft, CallStarted};
use pointsman_model::{
    CallEvent, CallId, CallState, IllegalTransition, Judgement, Millis, Outcome,
    PermissionDecision, RequestId, Superseded,
};
use pointsman_policy::judge_denies_and_asks;
use tokio::time::Instant;

use super::ask::ASKS_MAX;
use super::bound::Bound;
use super::life::{Life, LifePast};
use super::refusal::Refusal;
use super::{AdmittedCall, Dispatch, JudgedForm, Pass, Passed, hooks};
use crate::past::unknown_end;
use crate::{CallEnd, ToolError, ToolOutput, ToolScene};

/// How long a tool may take to end once its agent is stopped. Longer than the grace that Bash gives a command.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// How much of what the agent was told goes on the ledger.
const RECORDED_BYTES_MAX: usize = 16 * 1024;

/// Why a call does not run.
enum NotStarted {
    /// It is refused.
    Refused(Refusal),
    /// The ledger knows of a start of it already (law 20).
    Before,
}

impl From<AppendError> for NotStarted {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::StartedBefore(_) => Self::Before,
            error => Self::Refused(error.into()),
        }
    }
}

impl From<IllegalTransition> for NotStarted {
    fn from(error: IllegalTransition) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Refusal> for NotStarted {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Dispatch {
    /// Runs a call that was admitted. What it is bound to is compared first: what changed since is judged and,
    /// where need be, asked anew. It is started at most once, after its start is on disk.
    ///
    /// Cancellation: dropping the future stops the tool and what it started; on the ledger the call stays without
    /// a result, which reads as unknown.
    pub async fn execute(&self, admitted: AdmittedCall) -> CallEnd {
        let AdmittedCall { mut life, passed } = admitted;
        if life.worker() != self.seat.worker {
            return Box::pin(self.end_refused(life, Refusal::another_agents())).await;
        }
        let ready = tokio::select! {
            biased;
            () = self.seat.stop.cancelled() => Err(Refusal::stopped()),
            ready = Box::pin(self.make_ready(&mut life, passed)) => ready,
        };
        let started = match ready {
            Err(refusal) => Err(refusal),
            Ok(passed) => match Box::pin(self.start(&mut life, &passed)).await {
                Ok(()) => Ok(passed),
                Err(NotStarted::Refused(refusal)) => Err(refusal),
                // Its end is on record, or is known to nobody: neither is to be written over.
                Err(NotStarted::Before) => return unknown_end(life.id()),
            },
        };
        match started {
            Err(refusal) => Box::pin(self.end_refused(life, refusal)).await,
            Ok(mut passed) => {
                passed.form.shrink();
                let began = Instant::now();
                let result = self.run(&passed).await;
                Box::pin(self.end_run(life, &passed.form, result, began.elapsed().into())).await
            }
        }
    }

    /// Compares what would run now with what was let pass (law 10), until they are the same.
    async fn make_ready(
        &self,
        life: &mut Life,
        mut passed: Box<Passed>,
    ) -> Result<Box<Passed>, Refusal> {
        if let Some(objection) = self.new_objection(&passed) {
            passed = Box::pin(self.object(life, passed, objection)).await?;
        }
        for _ in 0..ASKS_MAX {
            let form = &passed.form;
            let now = Bound::now(&self.seat, &form.call, &form.folder, &form.effects).await?;
            if now.is_same(&passed.bound) {
                return Ok(passed);
            }
            let difference = passed.bound.difference(&now);
            let mut form = passed.form;
            form.judgement = self.judge_again(&form);
            self.decided(&form).await?;
            let request = match (form.judgement.decision, passed.pass) {
                (PermissionDecision::Deny, _) => return Err(self.refused(&form)),
                // The ladder lets the changed call pass as well; no answer was given for the other.
                (PermissionDecision::Allow, Pass::Ladder) => {
                    *passed = Passed {
                        form,
                        pass: Pass::Ladder,
                        bound: now,
                    };
                    continue;
                }
                (PermissionDecision::Ask, Pass::Ladder) => None,
                (PermissionDecision::Allow | PermissionDecision::Ask, Pass::Verdict(request)) => {
                    Some(request)
                }
            };
            life.apply(CallEvent::Supersede)?;
            let supersedes = Superseded {
                request,
                difference: difference.into(),
            };
            *passed = self.ask(life, form, Some(supersedes)).await?;
        }
        Err(Refusal::never_settled(ASKS_MAX))
    }

    /// A deny or ask rule that was made since the call was let pass: no pass outlives it (laws 1 and 14).
    fn new_objection(&self, passed: &Passed) -> Option<Judgement> {
        let form = &passed.form;
        let overlay = self.overlay(form.call.id);
        let (call, effects, folder) = (&form.call, &form.effects, &form.folder);
        let question = self.question(call, effects, folder, &overlay, &form.vote);
        let objection = judge_denies_and_asks(&question)?;
        match (objection.decision, passed.pass) {
            (PermissionDecision::Deny, _) | (PermissionDecision::Ask, Pass::Ladder) => {
                Some(objection)
            }
            // It was asked.
            (PermissionDecision::Ask, Pass::Verdict(_)) | (PermissionDecision::Allow, _) => None,
        }
    }

    async fn object(
        &self,
        life: &mut Life,
        passed: Box<Passed>,
        objection: Judgement,
    ) -> Result<Box<Passed>, Refusal> {
        let mut form = passed.form;
        form.judgement = objection;
        self.decided(&form).await?;
        if form.judgement.decision == PermissionDecision::Deny {
            return Err(self.refused(&form));
        }
        life.apply(CallEvent::Supersede)?;
        let since = Superseded {
            request: None,
            difference: "a rule that was made since wants it asked".into(),
        };
        self.ask(life, form, Some(since)).await.map(Box::new)
    }

    /// Puts the start on disk; from here on the call is never started again (law 20).
    async fn start(&self, life: &mut Life, passed: &Passed) -> Result<(), NotStarted> {
        if let LifePast::Started = life.past() {
            // An earlier reign put it on record, and what it does is to wait for an agent.
            life.apply(CallEvent::Start)?;
            return Ok(());
        }
        let record = CallStarted {
            worker: self.seat.worker,
            call: passed.form.call.clone(),
            folder: passed.form.folder.clone(),
            request: passed.pass.request(),
            digest: passed.bound.digest,
        };
        self.seat.ledger.append(self.seat.run, record).await?;
        life.apply(CallEvent::Start)?;
        // Nothing refuses it any more.
        let owed = life.take_owed();
        Ok(self.take_wishes(&owed, &passed.form.folder).await?)
    }

    async fn run(&self, passed: &Passed) -> Result<ToolOutput, ToolError> {
        let target = passed.bound.target.as_ref();
        let scene = ToolScene {
            seat: &self.seat,
            folder: &passed.form.folder,
            target,
            seen: target.and_then(|target| self.state.seen(target)),
        };
        let run = passed.form.tool.run(&passed.form.call, &scene);
        let stop = async {
            self.seat.stop.cancelled().await;
            tokio::time::sleep(STOP_GRACE).await;
        };
        let result = tokio::select! {
            biased;
            // A tool that panics has failed; the agent and its run go on.
            result = AssertUnwindSafe(run).catch_unwind() => result
                .unwrap_or_else(|_| Err(ToolError::Failed("the tool broke off".into()))),
            () = stop => Err(ToolError::Stopped(
                "(broken off: this agent was stopped, or its time was over)".into()
            )),
        };
        if let Ok(output) = &result {
            if let Some(folder) = &output.moved_to {
                self.state.move_to(folder.clone());
            }
            if let Some(seen) = &output.seen {
                self.state.saw(seen.clone());
            }
        }
        result
    }

    async fn end_run(
        &self,
        mut life: Life,
        form: &JudgedForm,
        result: Result<ToolOutput, ToolError>,
        took: Millis,
    ) -> CallEnd {
        let mut left = CallLeft::default();
        let (event, outcome, mut text, exit_code) = match result {
            Ok(output) => {
                let event = match output.exit_code {
                    None | Some(0) => CallEvent::Finish,
                    Some(_) => CallEvent::Fail,
                };
                left = CallLeft {
                    moved_to: output.moved_to,
                    seen: output.seen,
                };
                (event, None, output.text, output.exit_code)
            }
            Err(ToolError::Failed(text)) => (CallEvent::Fail, None, text, None),
            Err(ToolError::Stopped(text)) => {
                (CallEvent::Cancel, Some(Outcome::Cancelled), text, None)
            }
        };
        self.tell_ran(&mut life, form, event, &mut text, took).await;
        let end = CallEnd {
            id: life.id(),
            state: end_state(life.state(), event),
            outcome,
            text,
            exit_code,
        };
        self.end(life, event, end, Some((took, left))).await
    }

    pub(super) async fn end_refused(&self, life: Life, refusal: Refusal) -> CallEnd {
        let event = refusal.event();
        let end = CallEnd {
            id: life.id(),
            state: end_state(life.state(), event),
            outcome: refusal.outcome,
            text: refusal.text,
            exit_code: None,
        };
        self.end(life, event, end, None).await
    }

    /// Records the end, then tells it. An end that can't be recorded is told nevertheless: the agent has to know
    /// what was done, and the ledger says by its gap that it does not.
    async fn end(
        &self,
        mut life: Life,
        event: CallEvent,
        mut end: CallEnd,
        ran: Option<(Millis, CallLeft)>,
    ) -> CallEnd {
        hooks::add_notes(&mut end.text, life.notes());
        let (took, left) = ran.unzip();
        let left = left.unwrap_or_default();
        let record = CallEnded {
            worker: self.seat.worker,
            call: end.id,
            state: end.state,
            outcome: end.outcome,
            // Before it is cut, which could leave half a key.
            text: recorded_text(&self.seat.environment.without_keys(&end.text)).into(),
            exit_code: end.exit_code,
            took,
            left,
        };
        // What ran is waited for; a refusal is on disk with the next commit.
        let recorded = match took {
            Some(_) => self
                .seat
                .ledger
                .append(self.seat.run, record)
                .await
                .map(drop),
            None => self.seat.ledger.note(self.seat.run, record).await,
        };
        if let Err(error) = recorded {
            report_lost(end.id, &error);
        }
        // Each state that is no end can fail and be cancelled, and only an executing call finishes.
        let _ = life.apply(event);
        end
    }
}

impl Pass {
    fn request(self) -> Option<RequestId> {
        match self {
            Self::Ladder => None,
            Self::Verdict(request) => Some(request),
        }
    }
}

/// Where the table leads; a call that can't take the move is cancelled when it is dropped.
fn end_state(state: CallState, event: CallEvent) -> CallState {
    state.apply(event).unwrap_or(CallState::Cancelled)
}

fn report_lost(call: CallId, error: &AppendError) {
    // The ledger has said that it fails, and keeps the end until it can be written.
    tracing::debug!(%call, %error, "the end of a call could not be recorded");
}

/// Head and tail of a long text.
fn recorded_text(text: &str) -> String {
    if text.len() <= RECORDED_BYTES_MAX {
        return text.to_owned();
    }
    let half = RECORDED_BYTES_MAX / 2;
    let head = text
        .get(..text.floor_char_boundary(half))
        .unwrap_or_default();
    let tail_at = text.ceil_char_boundary(text.len() - half);
    let tail = text.get(tail_at..).unwrap_or_default();
    let cut = text.len() - head.len() - tail.len();
    format!("{head}\n[{cut} bytes left out]\n{tail}")
}
