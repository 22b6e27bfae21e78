//! The scripted agent: takes its steps in order, holds each call to what is expected of it, reacts
//! to refusals as the script says. Needs no model, no key, no network.

use std::sync::Arc;

use std::fmt::Write as _;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use pointsman_model::CallState;
use pointsman_tools::{AskedCall, CallEnd, Dispatch, SpawnedHow};
use tokio_util::sync::CancellationToken;

use crate::steps::{how_it_ended, quoted};
use crate::{Agent, AgentEnd, CallStep, OnRefusal, Step, Steps};

/// An agent with a script.
pub struct StepsAgent {
    steps: Arc<Steps>,
}

impl StepsAgent {
    /// The agent that takes these steps.
    #[must_use]
    pub fn new(steps: impl Into<Arc<Steps>>) -> Self {
        Self {
            steps: steps.into(),
        }
    }
}

#[async_trait]
impl Agent for StepsAgent {
    async fn work(&mut self, dispatch: &Dispatch, stop: &CancellationToken) -> AgentEnd {
        let mut walk = Walk {
            dispatch,
            stop,
            report: Report::default(),
        };
        let mut end = walk.take(&self.steps.steps, "").await;
        if end.is_ok() {
            end = walk.wait_for_background().await;
        }
        let report = walk.report;
        match end {
            Ok(()) => AgentEnd::Done {
                summary: report.text(None),
            },
            Err(Early::Stop(why)) => AgentEnd::Done {
                summary: report.text(Some(&why)),
            },
            Err(Early::Fail(why)) => AgentEnd::Failed {
                reason: report.text(Some(&why)),
            },
            Err(Early::Stopped) => AgentEnd::Stopped,
            Err(Early::Halted(reason)) => AgentEnd::Halted { reason },
        }
    }
}

/// Why a script does not go on.
enum Early {
    /// The script says so.
    Stop(String),
    /// Something was not as expected.
    Fail(String),
    /// The agent was stopped.
    Stopped,
    /// The agent was halted.
    Halted(String),
}

/// One way through a script.
struct Walk<'a> {
    dispatch: &'a Dispatch,
    stop: &'a CancellationToken,
    report: Report,
}

impl Walk<'_> {
    /// Takes steps in order. `within` is where the list stands in the script, as in `3.`.
    fn take<'a>(
        &'a mut self,
        steps: &'a [Step],
        within: &'a str,
    ) -> BoxFuture<'a, Result<(), Early>> {
        Box::pin(async move {
            for (step, number) in steps.iter().zip(1_u32..) {
                let calls = match step {
                    Step::Call(call) => std::slice::from_ref(call),
                    Step::Parallel(calls) => calls.as_slice(),
                };
                self.step(calls, &format!("{within}{number}")).await?;
            }
            Ok(())
        })
    }

    async fn step(&mut self, calls: &[CallStep], place: &str) -> Result<(), Early> {
        if self.stop.is_cancelled() {
            return Err(Early::Stopped);
        }
        let asked = calls
            .iter()
            .map(|call| {
                let input = call.input_text().map_err(|error| {
                    Early::Fail(format!("step {place}: the input can't be written: {error}"))
                })?;
                Ok(AskedCall {
                    tool: call.tool.clone(),
                    input,
                })
            })
            .collect::<Result<Vec<_>, Early>>()?;
        let ends = self.dispatch.batch(asked).await;
        if self.stop.is_cancelled() {
            return Err(Early::Stopped);
        }
        for (call, end) in calls.iter().zip(&ends) {
            let named = match &call.name {
                Some(name) => format!("{place} ({name})"),
                None => place.to_owned(),
            };
            self.judge(call, end, &named).await?;
        }
        match self.dispatch.halted() {
            Some(halt) => Err(Early::Halted(halt.reason)),
            None => Ok(()),
        }
    }

    /// Waits for the agents that its steps have started in the background; each is to do its task.
    async fn wait_for_background(&mut self) -> Result<(), Early> {
        let mut failed = None;
        loop {
            let ended = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(Early::Stopped),
                ended = self.dispatch.seat().in_background.next_ended() => ended,
            };
            if ended.is_empty() {
                break;
            }
            for end in ended {
                if end.end == SpawnedHow::NotDone {
                    failed = failed.or(Some(end.worker));
                }
                self.report.background.push(end.in_background());
            }
        }
        match (self.dispatch.halted(), failed) {
            (Some(halt), _) => Err(Early::Halted(halt.reason)),
            (None, Some(worker)) => Err(Early::Fail(format!(
                "the last step: {worker} did not do its task in the background"
            ))),
            (None, None) => Ok(()),
        }
    }

    /// Compares an end with what was expected, and reacts.
    async fn judge(&mut self, call: &CallStep, end: &CallEnd, place: &str) -> Result<(), Early> {
        self.report.count(call, end, place);
        let expected_refusal = call
            .expect
            .as_ref()
            .is_some_and(|expect| expect.wants_refusal());
        if end.is_refusal() && !expected_refusal {
            return self.react(call, end, place).await;
        }
        let disappointment = match &call.expect {
            Some(expect) => expect.disappointment(end),
            None => (end.state != CallState::Success)
                .then(|| format!("{}: {}", how_it_ended(end), quoted(&end.text))),
        };
        match disappointment {
            None => Ok(()),
            Some(what) => Err(Early::Fail(format!("step {place}, {}: {what}", call.tool))),
        }
    }

    async fn react(&mut self, call: &CallStep, end: &CallEnd, place: &str) -> Result<(), Early> {
        let refused = || format!("step {place}, {}: {}", call.tool, quoted(&end.text));
        match (&call.on_refusal, &call.expect) {
            (None, Some(expect)) => match expect.disappointment(end) {
                None => Ok(()),
                Some(what) => Err(Early::Fail(format!("step {place}, {}: {what}", call.tool))),
            },
            (None | Some(OnRefusal::Continue), _) => Ok(()),
            (Some(OnRefusal::Fail), _) => Err(Early::Fail(refused())),
            (Some(OnRefusal::Stop), _) => Err(Early::Stop(refused())),
            (Some(OnRefusal::Steps(steps)), _) => self.take(steps, &format!("{place}.")).await,
        }
    }
}

/// What an agent has to tell at its end.
#[derive(Default)]
struct Report {
    succeeded: u32,
    failed: u32,
    refusals: Vec<String>,
    /// What came of agents in the background.
    background: Vec<String>,
}

impl Report {
    fn count(&mut self, call: &CallStep, end: &CallEnd, place: &str) {
        if end.is_refusal() {
            let first = end.text.lines().next().unwrap_or_default();
            self.refusals
                .push(format!("step {place}, {}: {}", call.tool, quoted(first)));
        } else if end.state == CallState::Success {
            self.succeeded += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Why it ended early, then a line of counts, then each refusal: lists show the first line.
    fn text(&self, early: Option<&str>) -> String {
        let mut text = String::new();
        // Writing into a String can't fail.
        if let Some(why) = early {
            let _ = writeln!(text, "ended at {why}");
        }
        let _ = write!(
            text,
            "{} {} done, {} failed, {} refused",
            self.succeeded,
            if self.succeeded == 1 { "call" } else { "calls" },
            self.failed,
            self.refusals.len()
        );
        for refusal in &self.refusals {
            let _ = write!(text, "\nrefused: {refusal}");
        }
        for notice in &self.background {
            let _ = write!(text, "\n{notice}");
        }
        text
    }
}

#[cfg(test)]
mod tests;
