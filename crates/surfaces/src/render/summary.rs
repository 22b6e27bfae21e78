//! The end of a run: its jobs, its calls in numbers, and a census of what nobody could answer.

use std::fmt::Write as _;

use pointsman_swarm::{CallCounts, CensusLine, JobEnd, JobResult, RunSummary};

use super::moment::length;
use crate::shown;

/// The whole summary, ending in a line feed.
#[must_use]
pub fn summary_text(summary: &RunSummary) -> String {
    let mut text = String::from("\n");
    let name_width = summary
        .jobs
        .iter()
        .map(|job| job.name.chars().count())
        .max()
        .unwrap_or(0);
    for job in &summary.jobs {
        put(&mut text, &job_line(job, name_width));
    }
    if !summary.census.is_empty() {
        put(
            &mut text,
            "refused because nobody could answer, and the narrowest rule that would have allowed it",
        );
        for line in &summary.census {
            put(&mut text, &census_line(line));
        }
    }
    if let Some(stopped) = &summary.stopped {
        put(&mut text, &shown::line(&stopped.to_string()));
    }
    for remark in &summary.remarks {
        put(&mut text, &format!("note: {}", shown::line(remark)));
    }
    put(
        &mut text,
        &format!(
            "{}  {}, {}",
            summary.run,
            counts_line(&summary.counts),
            length(summary.took)
        ),
    );
    text
}

fn job_line(job: &JobResult, name_width: usize) -> String {
    let how = match &job.end {
        JobEnd::Done { summary } => format!("done      {}", first_line(summary)),
        JobEnd::Failed { reason } => format!("failed    {}", first_line(reason)),
        JobEnd::TimedOut { time_max } => format!("timed out after {}", length(*time_max)),
        JobEnd::Skipped { because } => {
            format!("skipped   `{}` did not end well", shown::line(because))
        }
        JobEnd::Stopped => "stopped".into(),
        JobEnd::Halted { reason } => format!("halted    {}", first_line(reason)),
    };
    let tries = match job.tries {
        0 | 1 => String::new(),
        tries => format!(" (try {tries})"),
    };
    let name = shown::line(&job.name);
    format!("{name:<name_width$}  {}{tries}", how.trim_end())
}

/// The first line of what an agent says of its work; the ledger has the rest.
fn first_line(text: &str) -> String {
    shown::line(text.lines().next().unwrap_or_default())
}

fn census_line(line: &CensusLine) -> String {
    let rule = match &line.rule {
        Some(rule) => format!("allow `{}`", shown::line(rule.as_str())),
        None => "no rule may".into(),
    };
    let mut how = line.outcome.as_str().replace('_', " ");
    if let Some(cause) = line.unjudged {
        how.push_str(&format!(", the classifier: {cause}"));
    }
    format!(
        "  {}  {}: {} {}  ({how})\n      {rule}",
        line.call,
        shown::line(&line.lineage.to_string()),
        line.tool,
        // To a shell the carriage returns of a command are part of its words.
        shown::line(&shown::command(&line.what)),
    )
}

/// The numbers that are not zero.
fn counts_line(counts: &CallCounts) -> String {
    let numbers = [
        (counts.succeeded, "ran"),
        (counts.failed, "failed"),
        (counts.refused, "refused"),
        (counts.denied_by_person, "denied by a person"),
        (counts.unanswered, "unanswered"),
        (counts.cancelled, "cancelled"),
        (counts.unknown, "without a known result"),
    ];
    let told: Vec<String> = numbers
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let counted = |count: u64, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    let calls = format!(
        "{} of {}",
        counted(counts.calls, "call"),
        counted(counts.agents, "agent")
    );
    if told.is_empty() {
        calls
    } else {
        format!("{calls}: {}; {} asked", told.join(", "), counts.questions)
    }
}

fn put(text: &mut String, line: &str) {
    // Writing into a String can't fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use pointsman_model::{Outcome, RuleText};

    use super::*;
    use crate::fixture;

    #[test]
    fn law_22_a_refused_command_is_told_with_its_carriage_returns() {
        let request = fixture::request(1, "");
        let line = CensusLine {
            call: request.call.id,
            lineage: request.lineage,
            tool: request.call.tool,
            what: "ls\r\nrm x".into(),
            outcome: Outcome::NobodyCanAnswer,
            unjudged: None,
            rule: Some(RuleText::new("Bash(ls)")),
        };
        let told = census_line(&line);
        assert!(told.contains(": Bash ls‹U+000D›⏎rm x  ("), "{told}");
    }
}
