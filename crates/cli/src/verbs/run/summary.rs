//! The summary of a run for a program: the last line of `run --json`.

use pointsman_swarm::{JobEnd, RunSummary};
use serde_json::{Value, json};

/// One object with all that the summary says.
pub(super) fn object(summary: &RunSummary) -> Value {
    let jobs: Vec<Value> = summary
        .jobs
        .iter()
        .map(|job| {
            json!({
                "name": &*job.name,
                "worker": job.worker,
                "tries": job.tries,
                "end": job.end.as_str(),
                "text": end_text(&job.end),
                "took_ms": job.took,
            })
        })
        .collect();
    let census: Vec<Value> = summary
        .census
        .iter()
        .map(|line| {
            json!({
                "call": line.call,
                "agent": line.lineage.to_string(),
                "tool": line.tool,
                "what": &*line.what,
                "outcome": line.outcome,
                "unjudged": line.unjudged,
                "rule": line.rule,
            })
        })
        .collect();
    let counts = &summary.counts;
    json!({ "summary": {
        "run": summary.run,
        "exit": summary.exit.code(),
        "stopped": summary.stopped.as_ref().map(ToString::to_string),
        "jobs": jobs,
        "census": census,
        "counts": {
            "calls": counts.calls,
            "succeeded": counts.succeeded,
            "failed": counts.failed,
            "refused": counts.refused,
            "denied_by_person": counts.denied_by_person,
            "unanswered": counts.unanswered,
            "cancelled": counts.cancelled,
            "unknown": counts.unknown,
            "questions": counts.questions,
            "agents": counts.agents,
        },
        "remarks": summary.remarks,
        "took_ms": summary.took,
    }})
}

fn end_text(end: &JobEnd) -> Option<String> {
    match end {
        JobEnd::Done { summary } => Some(summary.to_string()),
        JobEnd::Failed { reason } | JobEnd::Halted { reason } => Some(reason.to_string()),
        JobEnd::TimedOut { time_max } => Some(format!("after {} ms", time_max.0)),
        JobEnd::Skipped { because } => Some(format!("`{because}` did not end well")),
        JobEnd::Stopped => None,
    }
}
