//! The leader that a screen is in front of: in this process, or behind its control socket.
//!
//! Both take the same answers. What there is to see comes from the leader's own news here, and from the records of the
//! ledger there: the same stored list.

use std::path::PathBuf;

use pointsman_approvals::{Answer, OpenRequest};
use pointsman_model::{
    Answerer, GrantRequest, GrantScope, RequestId, RunId, Surface, Uses, VerdictKind, WorkerId,
};
use pointsman_swarm::{JobStop, LeaderHandle, OrderError, StopWorker};

use crate::session::SessionScope;
use crate::shown;
use crate::socket::{AlwaysWire, AnswerWord, Ask, Came, Client, Reply, Seat};
use crate::terminal::{lifted_words, refusal};

/// What is kept on record of a stop from a screen.
const AT_TERMINAL: &str = "stopped at the terminal";

/// A leader in another process.
#[derive(Debug, Clone)]
pub struct FarLeader {
    run: RunId,
    socket: PathBuf,
}

/// See the module's words.
#[derive(Clone)]
pub enum Link {
    /// The leader is in this process.
    Here(LeaderHandle),
    /// It is in another one.
    There(FarLeader),
}

impl FarLeader {
    /// The leader of that run, behind that socket.
    #[must_use]
    pub fn new(run: RunId, socket: PathBuf) -> Self {
        Self { run, socket }
    }

    /// Asks it one thing on a thread that may block.
    async fn ask(&self, ask: Ask) -> Result<Reply, String> {
        let socket = self.socket.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let mut client = Client::connect(&socket).map_err(|error| error.to_string())?;
            client.ask(&ask).map_err(|error| error.to_string())
        });
        asked.await.map_err(|error| error.to_string())?
    }

    /// Has it carry out an order; says what kept it from that.
    async fn order(&self, order: Ask) -> Option<String> {
        match self.ask(order).await {
            Ok(Reply::Done { .. }) => None,
            Ok(Reply::Error { text } | Reply::BadInput { text } | Reply::NotFound { text }) => {
                Some(text)
            }
            Ok(_) => Some("the leader answered something else".into()),
            Err(why) => Some(why),
        }
    }

    async fn lift(&self, id: RequestId) -> String {
        let ask = Ask::Answer {
            id,
            answer: AnswerWord::Allow,
            text: None,
            always: None,
            edited: None,
            // It is open no longer; the leader compares what is asked for again with what was refused.
            digest: None,
            epoch: None,
            at: Seat::Screen,
        };
        match self.ask(ask).await {
            Ok(
                Reply::Answered { text, .. }
                | Reply::Error { text }
                | Reply::BadInput { text }
                | Reply::NotFound { text },
            ) => text,
            Ok(_) => "the leader answered something else; nothing was lifted".into(),
            Err(why) => format!("{why}; nothing was lifted"),
        }
    }

    async fn answer(&self, open: &OpenRequest, kind: VerdictKind) -> Option<String> {
        let (answer, text, edited, grant) = match kind {
            VerdictKind::Allow { edited, grant } => (AnswerWord::Allow, None, edited, grant),
            VerdictKind::Deny { text } => (AnswerWord::Deny, text, None, None),
            // A surface answers; it never ends a request in another way.
            VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => {
                return Some("nothing was answered".into());
            }
        };
        let ask = Ask::Answer {
            id: open.request.id,
            answer,
            text: text.map(String::from),
            always: grant.as_ref().and_then(always),
            edited: edited.map(|input| input.as_str().to_owned()),
            digest: Some(open.request.digest),
            epoch: Some(open.epoch),
            at: Seat::Screen,
        };
        match self.ask(ask).await {
            Ok(Reply::Answered {
                came: Came::Won, ..
            }) => None,
            Ok(
                Reply::Answered { text, .. }
                | Reply::Error { text }
                | Reply::BadInput { text }
                | Reply::NotFound { text },
            ) => Some(text),
            Ok(_) => Some("the leader answered something else; nothing was answered".into()),
            Err(why) => Some(format!("{why}; nothing was answered")),
        }
    }
}

/// A grant as the socket takes it; what holds for one call needs none.
fn always(grant: &GrantRequest) -> Option<AlwaysWire> {
    let scope = match grant.scope {
        GrantScope::Call { .. } => return None,
        GrantScope::Worker { .. } => SessionScope::Worker,
        GrantScope::Job { .. } => SessionScope::Job,
        GrantScope::Run { .. } => SessionScope::Run,
    };
    let rules = grant.rules.iter().map(ToString::to_string).collect();
    Some(AlwaysWire {
        scope,
        proposal: 1,
        rules: Some(rules),
        lasts: grant.lasts,
        uses: match grant.uses {
            Uses::Unlimited => None,
            Uses::Left(left) => Some(left),
        },
    })
}

impl Link {
    /// The run.
    pub(super) fn run(&self) -> RunId {
        match self {
            Self::Here(leader) => leader.run(),
            Self::There(far) => far.run,
        }
    }

    /// Carries an answer; says what kept it from being the verdict.
    pub(super) async fn answer(&self, open: &OpenRequest, kind: VerdictKind) -> Option<String> {
        match self {
            Self::There(far) => far.answer(open, kind).await,
            Self::Here(leader) => {
                let answer = Answer {
                    kind,
                    by: Answerer::Person {
                        surface: Surface::Terminal,
                    },
                    digest: Some(open.request.digest),
                };
                let requests = leader.requests();
                let id = open.request.id;
                refusal(requests.answer_seen_in(open.epoch, id, answer).await)
            }
        }
    }

    /// Lifts what the classifier refused, and says what came of it.
    pub(super) async fn lift(&self, id: RequestId) -> String {
        match self {
            Self::There(far) => far.lift(id).await,
            Self::Here(leader) => {
                let lifted = leader.lifts().lift(id, Surface::Terminal);
                lifted_words(id, lifted)
            }
        }
    }

    /// Tells that a person is at a request.
    pub(super) async fn touch(&self, id: RequestId) {
        match self {
            Self::Here(leader) => leader.requests().touch(id).await,
            // Who can't be told may still be answered first by a check; the answer says so then.
            Self::There(far) => drop(far.ask(Ask::Touch { id }).await),
        }
    }

    /// Stops a job that is not at work, and its worker when it has begun meanwhile; says what kept it from that.
    pub(super) async fn stop_job(&self, job: &str) -> Option<String> {
        let text = AT_TERMINAL;
        let why = match self {
            Self::Here(leader) => {
                let by = Answerer::Person {
                    surface: Surface::Terminal,
                };
                match leader.stop_job(job, text, by).await {
                    Ok(
                        JobStop::Waited { .. }
                        | JobStop::Worker(_, StopWorker::Stopping | StopWorker::Ahead),
                    ) => return None,
                    Ok(JobStop::Worker(worker, StopWorker::NotAtWork)) => {
                        format!("{worker} is about to begin")
                    }
                    // It was, and the record alone is missing.
                    Err(error @ OrderError::NotRecorded(_)) => {
                        return Some(shown::with_causes(&error));
                    }
                    Err(error) => error.to_string(),
                }
            }
            Self::There(far) => {
                let stop = Ask::StopJob {
                    job: job.into(),
                    text: Some(text.into()),
                    at: Seat::Screen,
                };
                far.order(stop).await?
            }
        };
        Some(format!(
            "the job `{}` was not stopped: {}",
            shown::line(job),
            shown::line(&why)
        ))
    }

    /// Stops an agent and all below it; says what kept it from that.
    pub(super) async fn stop_worker(&self, worker: WorkerId) -> Option<String> {
        let text = AT_TERMINAL;
        match self {
            Self::Here(leader) => {
                let stopped = leader.stop_worker(worker, text).await;
                let error = stopped.err()?;
                Some(format!(
                    "{worker} is stopped, and that could not be recorded: {error}"
                ))
            }
            Self::There(far) => {
                let stop = Ask::Stop {
                    worker: Some(worker),
                    text: Some(text.into()),
                };
                let why = far.order(stop).await?;
                Some(format!("{worker} was not stopped: {why}"))
            }
        }
    }
}
