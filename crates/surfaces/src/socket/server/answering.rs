//! What a client is answered. Decides nothing: answers go to the requests, orders to the leader.

mod adding;
mod granting;
mod modes;

use std::sync::Arc;

use pointsman_approvals::{Answer, AnswerError, Answered, Epoch, GrantsError, OpenRequest};
use pointsman_gate::Lifted;
use pointsman_model::{
    Answerer, Digest, GrantId, GrantRequest, JsonText, PermissionRule, RequestId, RuleBehavior,
    RuleSource, RuleText, Surface, Uses, Verdict, VerdictKind, WorkerId,
};
use pointsman_swarm::{JobStop, LeaderHandle, OrderError, RetryWhich, StopReason, StopWorker};
use pointsman_tools::Course;

use crate::render::{moment, verdict_line};
use crate::session::{fault_as, fault_of, grant_for};
use crate::shown;
use crate::socket::cards::{ContextCard, GrantCard, JobWire, RequestCard};
use crate::socket::wire::{
    AlwaysWire, AnswerWord, Ask, Came, CourseWord, Reply, Seat, StatusWire, TightenWord,
};
use crate::terminal::lifted_words;

/// Whoever is on the other side: the same user, by command.
pub(super) const PERSON: Answerer = Answerer::Person {
    surface: Surface::Command,
};

/// Why something is stopped, when they say nothing of it.
const BY_COMMAND: &str = "`pointsman stop`";

/// An answer as a client gives it.
struct Given {
    id: RequestId,
    answer: AnswerWord,
    text: Option<String>,
    always: Option<AlwaysWire>,
    edited: Option<String>,
}

/// The question that a client answers, as far as it says which one it saw.
struct Named {
    id: RequestId,
    digest: Option<Digest>,
    epoch: Option<Epoch>,
}

/// Does what a client asks, and says what came of it.
pub(super) async fn answer(ask: Ask, leader: &LeaderHandle) -> Reply {
    match ask {
        Ask::Queue | Ask::Watch => queue(leader),
        Ask::Card { id } => cards(leader.requests().get(id).into_iter(), leader),
        Ask::Answer {
            id,
            answer,
            text,
            always,
            edited,
            digest,
            epoch,
            at,
        } => {
            let given = Given {
                id,
                answer,
                text,
                always,
                edited,
            };
            match verdict_kind(leader, given) {
                Err(text) => Reply::BadInput { text },
                Ok(kind) => {
                    let question = Named { id, digest, epoch };
                    give(kind, question, surface(at), leader).await
                }
            }
        }
        Ask::Touch { id } => {
            leader.requests().touch(id).await;
            done(format!("a person is at {id}"))
        }
        Ask::Grants => Reply::Grants {
            run: leader.run(),
            grants: leader.grants().list().iter().map(GrantCard::of).collect(),
        },
        Ask::Revoke { id } => revoke(id, leader).await,
        Ask::Status => status(leader),
        Ask::Context { worker } => context(worker, leader),
        ask @ (Ask::Stop { .. }
        | Ask::StopJob { .. }
        | Ask::Course { .. }
        | Ask::Retry { .. }
        | Ask::Add { .. }
        | Ask::Tell { .. }
        | Ask::Mode { .. }
        | Ask::Tighten { .. }) => order(ask, leader).await,
    }
}

/// Gives an answer, and says what became of it.
async fn give(
    kind: VerdictKind,
    question: Named,
    surface: Surface,
    leader: &LeaderHandle,
) -> Reply {
    let Named { id, digest, epoch } = question;
    let lifts = Lifts::by(&kind);
    let by = Answerer::Person { surface };
    let answer = Answer { kind, by, digest };
    let requests = leader.requests();
    let answered = match (digest, epoch) {
        (Some(_), Some(epoch)) => requests.answer_seen_in(epoch, id, answer).await,
        // It is no answer to a question that was seen; of one that has ended it hears the end.
        (None, _) | (_, None) => requests.answer_unseen(id, answer).await,
    };
    match answered {
        Ok(answered) => match lifts.lifted(id, &answered, surface, leader) {
            Some(reply) => reply,
            None => granting::told(came(id, &answered), &answered, leader).await,
        },
        Err(error @ AnswerError::Misfit { .. }) => Reply::BadInput {
            text: format!("{error}; nothing was answered"),
        },
        Err(error @ AnswerError::Unseen(_)) => Reply::BadInput {
            text: format!(
                "{error}: an answer carries the `digest` and `epoch` that `queue` tells of it; nothing was answered"
            ),
        },
        Err(error) => failed(&error),
    }
}

/// The open requests, in the order in which they came to the surfaces.
pub(super) fn queue(leader: &LeaderHandle) -> Reply {
    cards(leader.requests().list().into_iter(), leader)
}

fn cards(open: impl Iterator<Item = Arc<OpenRequest>>, leader: &LeaderHandle) -> Reply {
    let now = leader.clock().now();
    Reply::Queue {
        run: leader.run(),
        requests: open
            .map(|open| RequestCard::of(&open.request, open.epoch, now))
            .collect(),
    }
}

fn surface(at: Seat) -> Surface {
    match at {
        Seat::Command => Surface::Command,
        Seat::Screen => Surface::Terminal,
    }
}

fn done(text: String) -> Reply {
    Reply::Done { text }
}

fn failed(error: &dyn std::error::Error) -> Reply {
    Reply::Error {
        text: shown::with_causes(error),
    }
}

fn status(leader: &LeaderHandle) -> Reply {
    Reply::Status(StatusWire {
        run: leader.run(),
        course: match leader.course() {
            Course::On => CourseWord::On,
            Course::Paused => CourseWord::Paused,
        },
        held: leader.held(),
        jobs: leader.jobs().iter().map(JobWire::of).collect(),
        waiting: leader.requests().list().len(),
        at_work: leader.workers().len(),
        classifier: leader.on_classifier(),
    })
}

fn context(worker: WorkerId, leader: &LeaderHandle) -> Reply {
    match leader.context(worker) {
        None => Reply::NotFound {
            text: format!("{worker} was not started in {}", leader.run()),
        },
        Some(frozen) => {
            let lineage = &frozen.context.parts().lineage;
            let overlay = leader.grants().overlay_for(lineage, leader.clock().now());
            Reply::Context(Box::new(ContextCard::of(&frozen.context, &overlay)))
        }
    }
}

/// Carries an order to the leader.
async fn order(ask: Ask, leader: &LeaderHandle) -> Reply {
    match ask {
        Ask::Stop { worker, text } => stop(worker, text, leader).await,
        Ask::StopJob { job, text, at } => stop_job(&job, text, surface(at), leader).await,
        Ask::Course { worker, course } => set_course(worker, course, leader).await,
        Ask::Retry { jobs } => {
            let which = match jobs {
                None => RetryWhich::AllFailed,
                Some(names) => {
                    RetryWhich::Named(names.into_iter().map(String::into_boxed_str).collect())
                }
            };
            jobs_reply(leader.retry(which, PERSON).await)
        }
        Ask::Add { file, at, digest } => match adding::read(file, at, digest, leader).await {
            Err(reply) => reply,
            Ok(job_file) => jobs_reply(leader.add_jobs(job_file, PERSON).await),
        },
        Ask::Tell { worker, text } => match leader.follow_up(worker, &text, PERSON).await {
            Ok(()) => done(format!("{worker} reads it before its next turn")),
            Err(error) => not_done(&error),
        },
        Ask::Mode { worker, mode } => modes::change(worker, mode, leader).await,
        Ask::Tighten { behavior, rule } => tighten(behavior, &rule, leader).await,
        // Those that only look are answered above.
        Ask::Queue
        | Ask::Card { .. }
        | Ask::Watch
        | Ask::Answer { .. }
        | Ask::Touch { .. }
        | Ask::Grants
        | Ask::Revoke { .. }
        | Ask::Status
        | Ask::Context { .. } => Reply::Error {
            text: "this is no order".into(),
        },
    }
}

async fn set_course(of: Option<WorkerId>, course: CourseWord, leader: &LeaderHandle) -> Reply {
    let (course, told) = match course {
        CourseWord::Paused => (Course::Paused, "paused"),
        CourseWord::On => (Course::On, "going on"),
    };
    if let Err(error) = leader.set_course(of, course, PERSON).await {
        return not_done(&error);
    }
    let held: Vec<String> = leader.held().iter().map(ToString::to_string).collect();
    done(match (of, course) {
        (Some(worker), _) => format!("{worker} and all agents below it are {told}"),
        (None, Course::On) if !held.is_empty() => format!(
            "{} is {told}; {} are still paused for themselves",
            leader.run(),
            held.join(", ")
        ),
        (None, Course::On | Course::Paused) => format!("{} is {told}", leader.run()),
    })
}

fn not_done(error: &OrderError) -> Reply {
    let text = error.to_string();
    match error {
        OrderError::NotAtWork(_)
        | OrderError::NotYet(_)
        | OrderError::Deaf(_)
        | OrderError::NotRetried(_)
        | OrderError::NoSuchJob { .. }
        | OrderError::JobEnded { .. }
        | OrderError::NotTakenUp(_)
        | OrderError::NameTaken(_)
        | OrderError::AgentTaken(_) => Reply::NotFound { text },
        _ => Reply::Error { text },
    }
}

fn jobs_reply(came: Result<Vec<Arc<str>>, OrderError>) -> Reply {
    match came {
        Ok(names) => Reply::Jobs {
            jobs: names.iter().map(ToString::to_string).collect(),
        },
        Err(error) => not_done(&error),
    }
}

async fn stop(worker: Option<WorkerId>, text: Option<String>, leader: &LeaderHandle) -> Reply {
    let text = text.unwrap_or_else(|| BY_COMMAND.into());
    let Some(worker) = worker else {
        leader.stop(StopReason::Person { text: text.into() });
        return done(format!("{} is being stopped", leader.run()));
    };
    match leader.stop_worker(worker, &text).await {
        Ok(came) => stopped(worker, came, leader),
        Err(error) => failed(&error),
    }
}

fn stopped(worker: WorkerId, came: StopWorker, leader: &LeaderHandle) -> Reply {
    match came {
        StopWorker::Stopping => done(format!(
            "{worker} and all agents below it are being stopped"
        )),
        StopWorker::Ahead => done(format!(
            "{worker} does not live again yet: what was open for it and all agents below it is ended, and it is stopped as soon as it does"
        )),
        StopWorker::NotAtWork => Reply::NotFound {
            text: format!(
                "{worker} is not at work in {}: `pointsman workers` tells who is",
                leader.run()
            ),
        },
    }
}

async fn stop_job(
    job: &str,
    text: Option<String>,
    surface: Surface,
    leader: &LeaderHandle,
) -> Reply {
    let text = text.unwrap_or_else(|| BY_COMMAND.into());
    let by = Answerer::Person { surface };
    match leader.stop_job(job, &text, by).await {
        Ok(JobStop::Worker(worker, came)) => stopped(worker, came, leader),
        Ok(JobStop::Waited { skipped }) if skipped.is_empty() => {
            done(format!("the job `{job}` is stopped; it was not at work"))
        }
        Ok(JobStop::Waited { skipped }) => done(format!(
            "the job `{job}` is stopped; it was not at work. What needs it is skipped: {}",
            skipped.join(", ")
        )),
        Err(error) => not_done(&error),
    }
}

async fn tighten(behavior: TightenWord, rule: &str, leader: &LeaderHandle) -> Reply {
    let behavior = match behavior {
        TightenWord::Deny => RuleBehavior::Deny,
        TightenWord::Ask => RuleBehavior::Ask,
    };
    let text = RuleText::new(rule);
    // One that can't match would hold nothing, and whoever wrote it would count on it (law 7).
    if let Some(fault) = fault_as(behavior, &text) {
        let rule = shown::line(rule);
        return Reply::BadInput {
            text: format!("`{rule}` would hold nothing: {fault}"),
        };
    }
    let rule = PermissionRule {
        behavior,
        text,
        source: RuleSource::Session,
        place: None,
        anchor: leader.project().clone(),
    };
    let told = format!(
        "{behavior} {} holds from the next call of every agent on",
        shown::line(rule.text.as_str())
    );
    match leader.grants().tighten(rule, PERSON).await {
        Ok(()) => done(told),
        // It is in force all the same; the record alone is missing.
        Err(error @ GrantsError::NotRecorded(_)) => done(format!("{told}; {error}")),
        Err(error @ (GrantsError::NoRule { .. } | GrantsError::NotTighter(_))) => Reply::BadInput {
            text: error.to_string(),
        },
        Err(error) => failed(&error),
    }
}

async fn revoke(id: GrantId, leader: &LeaderHandle) -> Reply {
    match leader.grants().revoke(id, PERSON).await {
        Ok(()) => Reply::Revoked { id },
        // It is over all the same; the record alone is missing.
        Err(error @ GrantsError::NotRecorded(_)) => {
            tracing::warn!(%error, grant = %id, "the end of a grant was not recorded");
            Reply::Revoked { id }
        }
        Err(error @ GrantsError::NotFound(_)) => Reply::NotFound {
            text: error.to_string(),
        },
        Err(error) => failed(&error),
    }
}

fn verdict_kind(leader: &LeaderHandle, given: Given) -> Result<VerdictKind, String> {
    let Given {
        id,
        answer,
        text,
        always,
        edited,
    } = given;
    match answer {
        AnswerWord::Deny => Ok(VerdictKind::Deny {
            text: text.map(String::into_boxed_str),
        }),
        AnswerWord::Allow => {
            let edited = match edited {
                None => None,
                Some(input) => Some(JsonText::parse(&input).map_err(|error| error.to_string())?),
            };
            let grant = match (always, leader.requests().get(id)) {
                (Some(always), Some(open)) => Some(granted(&open.request, always)?),
                // A request that is no longer open is answered plainly, to hear what became of it.
                (None, _) | (Some(_), None) => None,
            };
            Ok(VerdictKind::Allow { edited, grant })
        }
    }
}

/// What a yes for more than one call grants: a proposal, or what the person wrote in its place.
fn granted(
    request: &pointsman_model::PermissionRequest,
    always: AlwaysWire,
) -> Result<GrantRequest, String> {
    let proposed =
        grant_for(request, always.proposal, always.scope).map_err(|error| error.to_string())?;
    let grant = GrantRequest {
        lasts: always.lasts,
        uses: always.uses.map_or(Uses::Unlimited, Uses::Left),
        ..proposed
    };
    let Some(rules) = always.rules else {
        return Ok(grant);
    };
    if rules.is_empty() {
        return Err("there is no rule to grant".into());
    }
    let rules: Vec<RuleText> = rules.iter().map(|rule| RuleText::new(rule)).collect();
    for rule in &rules {
        if let Some(fault) = fault_of(rule) {
            return Err(format!("`{}`: {fault}", shown::line(rule.as_str())));
        }
    }
    Ok(GrantRequest { rules, ..grant })
}

/// Whether an answer lifts what the classifier has refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lifts {
    /// A yes to the call as it was asked for.
    TheCall,
    /// A no, or a yes to another call in its place.
    Nothing,
}

impl Lifts {
    fn by(kind: &VerdictKind) -> Self {
        match kind {
            VerdictKind::Allow { edited: None, .. } => Self::TheCall,
            VerdictKind::Allow {
                edited: Some(_), ..
            }
            | VerdictKind::Deny { .. }
            | VerdictKind::Ended { .. }
            | VerdictKind::Unjudged { .. } => Self::Nothing,
        }
    }

    /// A yes to what the classifier has refused lifts that for the next time, though the verdict stands.
    fn lifted(
        self,
        id: RequestId,
        answered: &Answered,
        at: Surface,
        leader: &LeaderHandle,
    ) -> Option<Reply> {
        let (Self::TheCall, Answered::Conflict { winner }) = (self, answered) else {
            return None;
        };
        match (&winner.by, &winner.kind) {
            (Answerer::Classifier { .. }, VerdictKind::Deny { .. }) => {}
            _ => return None,
        }
        let lifted = leader.lifts().lift(id, at);
        if lifted == Lifted::NotRefused {
            return None;
        }
        let text = lifted_words(id, lifted);
        Some(Reply::Answered {
            id,
            came: Came::Lifted,
            text,
        })
    }
}

fn came(id: RequestId, answered: &Answered) -> Reply {
    let told = |winner: &Verdict| format!("{} at {}", verdict_line(winner), moment(winner.at));
    let (came, text) = match answered {
        Answered::Won(verdict) => (Came::Won, format!("{id} is {}", verdict_line(verdict))),
        Answered::SameAgain { winner } => (
            Came::SameAgain,
            format!("{id} was answered the same way before: {}", told(winner)),
        ),
        Answered::Conflict { winner } => (
            Came::Conflict,
            format!(
                "{id} was answered before, and that stands: {}",
                told(winner)
            ),
        ),
        Answered::Expired => (
            Came::Expired,
            format!("{id} is no longer open: nobody answered in time"),
        ),
        Answered::PersonAtIt => (
            Came::Conflict,
            format!("a person is answering {id} at another surface"),
        ),
        Answered::NotFound => (Came::NotFound, format!("there is no question {id}")),
    };
    Reply::Answered { id, came, text }
}
