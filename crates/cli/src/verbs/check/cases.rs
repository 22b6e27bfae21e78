//! `pointsman check --cases`: a team's policy test. Each line brings its own rules and files along;
//! nothing of the machine is read.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use pointsman_model::PermissionDecision;
use pointsman_policy::{CaseResult, run_case};
use pointsman_surfaces::render::{reason_line, trail_text};

use crate::failure::{Code, Failure};
use crate::output::Output;

/// Judges each line; tells those that disagree in full.
pub(in crate::verbs) fn run(file: &Path, output: &mut Output) -> Result<Code, Failure> {
    let shown = file.display();
    let opened = File::open(file).map_err(|error| Failure::of(&error).at(&shown))?;
    let (mut agree, mut differ) = (0_usize, 0_usize);
    for (at, line) in BufReader::new(opened).lines().enumerate() {
        let number = at.saturating_add(1);
        let line = line.map_err(|error| Failure::of(&error).at(format!("{shown}:{number}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let result = run_case(&line).map_err(|error| {
            Failure::of(&error)
                .at(format!("{shown}:{number}"))
                .hint("a case is one JSON object a line; see docs/check.md")
        })?;
        output.object(&result);
        if result.ok {
            agree += 1;
        } else {
            differ += 1;
            output.text(&difference(&result));
        }
    }
    output.text(&format!("{agree} agree, {differ} differ\n"));
    Ok(if differ == 0 {
        Code::Done
    } else {
        Code::Failed
    })
}

fn difference(result: &CaseResult) -> String {
    let expected = result
        .expected
        .map_or("nothing", PermissionDecision::as_str);
    format!(
        "{}: {}, expected {expected}: {}\n{}",
        result.id,
        result.decision,
        reason_line(&result.reason),
        trail_text(&result.trail)
    )
}
