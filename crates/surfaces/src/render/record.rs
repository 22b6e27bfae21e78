//! Records of the ledger, a line each.

use pointsman_ledger::{
    About, CallEnded, HookCame, HookReport, HungUp, LedgerRecord, OrderGiven, RecordBody, RunOrder,
    Speaker, TurnPart, TurnTaken, WorkerEnd,
};
use pointsman_model::{Attended, Verdict, VerdictKind};

use super::explanation::explanation_lines;
use super::moment::{length, time_of_day};
use super::reason::reason_line;
use super::request::call_line;
use super::verdict::{scope_words, verdict_line};
use crate::shown;

/// A record on one line: when, about what, what happened.
#[must_use]
pub fn record_line(record: &LedgerRecord) -> String {
    format!(
        "{}  {:<18} {}",
        time_of_day(record.at),
        subject(record.body.about()),
        body_line(&record.body)
    )
}

/// What hooks came to, each by its name.
fn voices(hooks: &[HookReport]) -> String {
    let voice =
        |report: &HookReport| format!("`{}` {}", shown::line(&report.hook), came_word(report.came));
    hooks.iter().map(voice).collect::<Vec<_>>().join(", ")
}

/// The narrowest thing the record is about, and the agent.
fn subject(about: About) -> String {
    let worker = about.worker.map(|id| id.to_string());
    let call = about.call.map(|id| id.to_string());
    let request = about.request.map(|id| id.to_string());
    let parts: Vec<String> = [worker, call, request].into_iter().flatten().collect();
    parts.join(" ")
}

fn body_line(body: &RecordBody) -> String {
    match body {
        RecordBody::RunStarted(_)
        | RecordBody::RunResumed(_)
        | RecordBody::RunEnded(_)
        | RecordBody::RunInterrupted(_)
        | RecordBody::StopAsked(_)
        | RecordBody::OrderGiven(_)
        | RecordBody::WorkerSpawned(_)
        | RecordBody::WorkerEnded(_)
        | RecordBody::ModeChanged(_) => run_line(body),
        RecordBody::TurnTaken(turn) => turn_line(turn),
        RecordBody::CallRequested(_)
        | RecordBody::CallHooked(_)
        | RecordBody::HooksTold(_)
        | RecordBody::CallDecided(_)
        | RecordBody::CallStarted(_)
        | RecordBody::CallEnded(_)
        | RecordBody::CallUnknown(_)
        | RecordBody::ProcessGroupStarted(_)
        | RecordBody::ProcessGroupEnded(_) => call_record_line(body),
        RecordBody::RequestOpened(_)
        | RecordBody::RequestReopened(_)
        | RecordBody::RequestShown(_)
        | RecordBody::Advised(_)
        | RecordBody::Explained(_)
        | RecordBody::RequestClosed(_)
        | RecordBody::LateAnswer(_) => request_line(body),
        RecordBody::GrantMade(_)
        | RecordBody::GrantUsed(_)
        | RecordBody::GrantRevoked(_)
        | RecordBody::Tightened(_)
        | RecordBody::RulesSaved(_)
        | RecordBody::DamageFound(_)
        | RecordBody::SetAside(_)
        | RecordBody::RecordsLost(_)
        | RecordBody::RunsPruned(_) => other_line(body),
    }
}

fn order_line(given: &OrderGiven) -> String {
    let list = |jobs: &[Box<str>]| {
        let names: Vec<String> = jobs.iter().map(|name| shown::line(name)).collect();
        names.join(", ")
    };
    let what = match &given.order {
        RunOrder::Pause => "pauses the run".into(),
        RunOrder::GoOn => "lets the run go on".into(),
        RunOrder::Hold { .. } => "pauses it".into(),
        RunOrder::LetGo { .. } => "lets it go on".into(),
        RunOrder::Retry { jobs } => format!("has jobs tried again: {}", list(jobs)),
        RunOrder::StopJob { job, text } => format!(
            "stops the job `{}`, which was not at work: {}",
            shown::line(job),
            shown::line(text)
        ),
        RunOrder::Add { jobs, file, .. } => {
            format!("adds jobs of {}: {}", shown::line(file), list(jobs))
        }
        RunOrder::LowerMode {
            worker: Some(_),
            mode,
        } => format!("holds it to mode {mode}"),
        RunOrder::LowerMode { worker: None, mode } => format!("holds all agents to mode {mode}"),
        RunOrder::HangUp { questions } => match questions {
            HungUp::Wait => "closed the terminal: the run goes on, and its questions wait".into(),
            HungUp::Refused => {
                "closed the terminal: the run goes on, and its questions are refused".into()
            }
        },
        RunOrder::FollowUp { text, .. } => format!("says to it: {}", shown::line(text)),
    };
    format!("{} {what}", given.by)
}

fn run_line(body: &RecordBody) -> String {
    match body {
        RecordBody::RunStarted(started) => {
            let attended = match started.start.attended {
                Attended::Yes => "attended",
                Attended::No => "unattended",
            };
            let file = started.start.job_file.as_deref().unwrap_or("no job file");
            format!(
                "{} started, {attended}, {} in {}",
                started.run,
                shown::line(file),
                shown::line(started.start.project.as_str())
            )
        }
        RecordBody::RunResumed(resumed) => {
            format!("taken up again, for the {}. time", resumed.epoch)
        }
        RecordBody::RunEnded(ended) => {
            format!(
                "ended with exit code {}: {}",
                ended.exit_code,
                shown::line(&ended.text)
            )
        }
        RecordBody::RunInterrupted(left) => format!(
            "interrupted: its leader did not record its end, with {} questions open, {} calls not started and {} unknown",
            left.requests, left.calls_not_started, left.calls_unknown
        ),
        RecordBody::StopAsked(stop) => format!("stop: {}", shown::line(&stop.reason)),
        RecordBody::OrderGiven(given) => order_line(given),
        RecordBody::WorkerSpawned(spawned) => format!(
            "{} starts, mode {}, in {}",
            shown::line(&spawned.lineage.to_string()),
            spawned.mode.mode(),
            shown::line(spawned.folder.as_str())
        ),
        RecordBody::WorkerEnded(ended) => {
            let how = match ended.end {
                WorkerEnd::Done => "done",
                WorkerEnd::Failed => "failed",
                WorkerEnd::Stopped => "stopped",
                WorkerEnd::Halted => "halted",
                WorkerEnd::TimedOut => "timed out",
            };
            format!("{how}: {}", shown::line(&ended.text))
        }
        RecordBody::ModeChanged(changed) => format!(
            "mode {} becomes {}, by {}",
            changed.from,
            changed.to,
            shown::line(&changed.by.to_string())
        ),
        _ => body.kind().to_string(),
    }
}

fn call_record_line(body: &RecordBody) -> String {
    match body {
        RecordBody::CallRequested(requested) => format!(
            "wants {} {}",
            requested.call.tool,
            shown::line(requested.call.input.as_str())
        ),
        RecordBody::CallHooked(hooked) => {
            let rewritten = match hooked.rewritten {
                Some(_) => ", rewritten",
                None => "",
            };
            format!("hooks: {}{rewritten}", voices(&hooked.hooks))
        }
        RecordBody::HooksTold(told) => {
            format!(
                "hooks of {}: {}",
                shown::line(&told.event),
                voices(&told.hooks)
            )
        }
        RecordBody::CallDecided(decided) => format!(
            "{}: {}",
            decided.judgement.decision,
            reason_line(&decided.judgement.reason)
        ),
        RecordBody::CallStarted(started) => format!("runs {}", call_line(&started.call)),
        RecordBody::CallEnded(ended) => ended_line(ended),
        RecordBody::CallUnknown(_) => {
            "unknown: it had started, and its end was not recorded".into()
        }
        RecordBody::ProcessGroupStarted(group) => {
            format!(
                "process group {}: {}",
                group.group.pgid,
                shown::line(&group.program)
            )
        }
        RecordBody::ProcessGroupEnded(group) => {
            format!(
                "process group {} ended: {}",
                group.group.pgid,
                shown::line(&group.text)
            )
        }
        _ => body.kind().to_string(),
    }
}

/// How a call ended: state, outcome, exit code, time.
#[must_use]
pub fn ended_line(ended: &CallEnded) -> String {
    let mut line = ended.state.to_string();
    if let Some(outcome) = ended.outcome {
        line.push_str(&format!(" ({})", outcome.as_str().replace('_', " ")));
    }
    if let Some(code) = ended.exit_code {
        line.push_str(&format!(", exit code {code}"));
    }
    if let Some(took) = ended.took {
        line.push_str(&format!(", {}", length(took)));
    }
    line
}

pub(super) fn came_word(came: HookCame) -> &'static str {
    match came {
        HookCame::Nothing => "said nothing",
        HookCame::Allow => "allows",
        HookCame::Deny => "denies",
        HookCame::Ask => "asks",
        HookCame::Halt => "halts the run",
        HookCame::Failed => "failed",
    }
}

/// A turn in a line: its words, and how many tools it asks for or hears of.
fn turn_line(turn: &TurnTaken) -> String {
    let who = match turn.speaker {
        Speaker::Model => "model says",
        Speaker::Person => "model is told",
    };
    let words = turn.parts.iter().filter_map(|part| match part {
        TurnPart::Text { text } => Some(shown::line(text)),
        TurnPart::NotRun { text, .. } => Some(shown::line(text)),
        TurnPart::Use { .. } | TurnPart::Result { .. } | TurnPart::Other { .. } => None,
    });
    let mut said: Vec<String> = words.collect();
    let uses = turn.parts.iter().filter_map(|part| match part {
        TurnPart::Use { tool, .. } => Some(format!("uses {}", shown::line(tool))),
        TurnPart::Result { call, .. } => Some(format!("what came of {call}")),
        TurnPart::Text { .. } | TurnPart::NotRun { .. } | TurnPart::Other { .. } => None,
    });
    said.extend(uses);
    format!("{who}: {}", said.join("; "))
}

fn request_line(body: &RecordBody) -> String {
    match body {
        RecordBody::RequestOpened(opened) => {
            format!("asked: {}", reason_line(&opened.request.judgement.reason))
        }
        RecordBody::RequestReopened(_) => "asked again, after its leader had died".into(),
        RecordBody::RequestShown(_) => "shown".into(),
        RecordBody::Advised(advice) => format!(
            "{} advises: {}",
            shown::line(&advice.by.to_string()),
            shown::line(&advice.text)
        ),
        RecordBody::Explained(explained) => explanation_lines(&explained.explanation).join("; "),
        RecordBody::RequestClosed(closed) => verdict_line(&closed.verdict),
        RecordBody::LateAnswer(late) => {
            let said = match &late.answer {
                VerdictKind::Allow { .. } => "allow",
                VerdictKind::Deny { .. } => "deny",
                VerdictKind::Ended { .. } | VerdictKind::Unjudged { .. } => "an end",
            };
            format!("too late: {said} by {}", shown::line(&late.by.to_string()))
        }
        _ => body.kind().to_string(),
    }
}

fn other_line(body: &RecordBody) -> String {
    match body {
        RecordBody::GrantMade(made) => format!(
            "{} made: {} to {}, by {}",
            made.grant.id,
            shown::line(&made.grant.rule.to_string()),
            scope_words(&made.grant.scope),
            shown::line(&made.by.to_string())
        ),
        RecordBody::GrantUsed(used) => format!("{} used", used.grant),
        RecordBody::GrantRevoked(revoked) => format!(
            "{} ended, by {}",
            revoked.grant,
            shown::line(&revoked.by.to_string())
        ),
        RecordBody::Tightened(tightened) => format!(
            "tightened: {}, by {}",
            shown::line(&tightened.rule.to_string()),
            shown::line(&tightened.by.to_string())
        ),
        RecordBody::RulesSaved(saved) => {
            let rules: Vec<&str> = saved.rules.iter().map(|rule| rule.as_str()).collect();
            let what = format!(
                "{} {} in {}",
                saved.behavior,
                shown::line(&rules.join(", ")),
                shown::line(&saved.file)
            );
            match &saved.failure {
                None => format!("saved: {what}"),
                Some(why) => format!("not saved: {what}: {}", shown::line(why)),
            }
        }
        RecordBody::DamageFound(damage) => format!(
            "damage found in {} at record {}: {}",
            damage.run,
            damage.number,
            shown::line(&damage.why)
        ),
        RecordBody::SetAside(aside) => format!(
            "a damaged ledger was set aside as {}: {}",
            shown::line(&aside.file),
            shown::line(&aside.why)
        ),
        RecordBody::RecordsLost(lost) => {
            format!(
                "{} records were lost: {}",
                lost.count,
                shown::line(&lost.why)
            )
        }
        RecordBody::RunsPruned(pruned) => format!(
            "{} runs with {} records are pruned",
            pruned.runs.len(),
            pruned.records
        ),
        _ => body.kind().to_string(),
    }
}

/// A verdict as part of a story: with its time.
pub(super) fn verdict_with_time(verdict: &Verdict) -> String {
    format!("{} at {}", verdict_line(verdict), time_of_day(verdict.at))
}
