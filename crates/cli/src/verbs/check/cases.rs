//! `pointsman check --cases`: a team's policy test. Each line brings its own rules and files along;
//! nothing of the machine is read.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use pointsman_model::{PermissionDecision, visible};
use pointsman_policy::{CaseResult, run_case};
use pointsman_surfaces::render::{reason_line, trail_text};
use serde_json::json;

use crate::failure::{Code, Failure};
use crate::output::Output;

/// What came of the lines.
#[derive(Default)]
struct Tally {
    agree: usize,
    differ: usize,
    /// Lines that are no case.
    broken: usize,
}

/// Judges each line; tells those that disagree in full, and those that are no case with the reason. `-` is standard input.
pub(in crate::verbs) fn run(file: &Path, output: &mut Output) -> Result<Code, Failure> {
    let mut tally = Tally::default();
    if file == Path::new("-") {
        judge_all(io::stdin().lock(), "-", &mut tally, output)?;
    } else {
        let shown = file.display().to_string();
        let opened = File::open(file).map_err(|error| Failure::of(&error).at(&shown))?;
        judge_all(BufReader::new(opened), &shown, &mut tally, output)?;
    }
    let broken = match tally.broken {
        0 => String::new(),
        broken => format!(", {broken} no case"),
    };
    output.text(&format!(
        "{} agree, {} differ{broken}\n",
        tally.agree, tally.differ
    ));
    Ok(match tally {
        Tally { broken: 1.., .. } => Code::BadInput,
        Tally { differ: 1.., .. } => Code::Failed,
        Tally { .. } => Code::Done,
    })
}

fn judge_all(
    mut lines: impl BufRead,
    shown: &str,
    tally: &mut Tally,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut number = 0_usize;
    loop {
        number = number.saturating_add(1);
        let mut line = Vec::new();
        let read = lines
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::of(&error).at(format!("{shown}:{number}")))?;
        if read == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match judge(&line) {
            Ok(result) => {
                output.object(&result);
                if result.ok {
                    tally.agree += 1;
                } else {
                    tally.differ += 1;
                    output.text(&difference(&result));
                }
            }
            Err(failure) => {
                tally.broken += 1;
                output.object(&json!({"line": number, "error": failure.what()}));
                let failure = failure
                    .at(format!("{shown}:{number}"))
                    .hint("a case is one JSON object a line; see docs/check.md");
                output.note(&failure.to_string());
            }
        }
    }
}

fn judge(line: &[u8]) -> Result<CaseResult, Failure> {
    let line = std::str::from_utf8(line).map_err(|error| Failure::of(&error))?;
    run_case(line).map_err(|error| Failure::of(&error))
}

fn difference(result: &CaseResult) -> String {
    let expected = result
        .expected
        .map_or("nothing", PermissionDecision::as_str);
    let mut told = format!(
        "{}: {}, expected {expected}: {}\n{}",
        result.id,
        result.decision,
        reason_line(&result.reason),
        trail_text(&result.trail)
    );
    // What can't be read of its settings may be why.
    for problem in &result.problems {
        told.push_str(&format!("its settings: {}\n", visible(&problem.message)));
    }
    told
}
