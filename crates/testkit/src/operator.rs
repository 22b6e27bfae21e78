//! A person in a script: sees each question when it is shown, and answers as the script says.

use std::collections::HashSet;
use std::sync::Arc;

use pointsman_approvals::{Answer, Answered, OpenRequest, RequestEvent, Requests};
use pointsman_model::{Answerer, PermissionRequest, RequestId, Surface, VerdictKind};

/// What an operator does with a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Answers it.
    Answer(VerdictKind),
    /// Leaves it open.
    LeaveOpen,
}

impl Reply {
    /// A plain yes, for this call alone.
    #[must_use]
    pub fn allow() -> Self {
        Self::Answer(VerdictKind::Allow {
            edited: None,
            grant: None,
        })
    }

    /// A no with words for the agent.
    #[must_use]
    pub fn deny(text: &str) -> Self {
        Self::Answer(VerdictKind::Deny {
            text: Some(text.into()),
        })
    }
}

/// What an operator saw and did, in order.
#[derive(Debug, Clone, Default)]
pub struct OperatorReport {
    /// The questions that were shown.
    pub seen: Vec<Arc<PermissionRequest>>,
    /// The answers, and what became of each.
    pub answers: Vec<(RequestId, Answered)>,
}

/// Someone who answers questions at the surface of commands.
pub struct Operator<F> {
    requests: Requests,
    script: F,
    looked_at: HashSet<RequestId>,
}

impl<F: FnMut(&PermissionRequest) -> Reply> Operator<F> {
    /// An operator who looks at these requests and answers as `script` says.
    pub fn new(requests: Requests, script: F) -> Self {
        Self {
            requests,
            script,
            looked_at: HashSet::new(),
        }
    }

    /// Answers until the leader has stopped.
    pub async fn work(mut self) -> OperatorReport {
        let mut events = self.requests.subscribe();
        let mut report = OperatorReport::default();
        self.look_at_all(&mut report).await;
        while let Some(event) = events.next().await {
            match event {
                RequestEvent::Opened(open) if open.shown => self.look(&open, &mut report).await,
                RequestEvent::Shown { id } => {
                    if let Some(open) = self.requests.get(id) {
                        self.look(&open, &mut report).await;
                    }
                }
                RequestEvent::Missed { .. } => self.look_at_all(&mut report).await,
                RequestEvent::Opened(_)
                | RequestEvent::Touched { .. }
                | RequestEvent::Advised { .. }
                | RequestEvent::Explained { .. }
                | RequestEvent::DeadlineSoon { .. }
                | RequestEvent::Closed { .. } => {}
            }
        }
        report
    }

    async fn look_at_all(&mut self, report: &mut OperatorReport) {
        for open in self.requests.list() {
            if open.shown {
                self.look(&open, report).await;
            }
        }
    }

    async fn look(&mut self, open: &OpenRequest, report: &mut OperatorReport) {
        let id = open.request.id;
        if !self.looked_at.insert(id) {
            return;
        }
        report.seen.push(Arc::clone(&open.request));
        let Reply::Answer(kind) = (self.script)(&open.request) else {
            return;
        };
        let answer = Answer {
            kind,
            by: Answerer::Person {
                surface: Surface::Command,
            },
            digest: Some(open.request.digest),
        };
        if let Ok(answered) = self.requests.answer(id, answer).await {
            report.answers.push((id, answered));
        }
    }
}
