//! The tour: the README's job file, run with nobody there, compared with what is stored.
//!
//! Times and ids differ from run to run and are left out; what was decided does not.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value, json};

/// The job file.
const JOB_FILE: &str = "examples/tour.toml";
/// What it is to come to.
const STORED: &str = "examples/tour.expected.json";

/// What a comparison came to.
pub(crate) enum Outcome {
    /// As stored.
    Same,
    /// Otherwise.
    Different {
        /// What is stored.
        stored: String,
        /// What came out.
        found: String,
    },
}

/// Runs the tour and compares it with what is stored.
pub(crate) fn compare(root: &Path) -> Result<Outcome> {
    let found = run(root)?;
    let stored = std::fs::read_to_string(root.join(STORED)).unwrap_or_default();
    Ok(if stored == found {
        Outcome::Same
    } else {
        Outcome::Different { stored, found }
    })
}

/// Runs the tour and stores what came out.
pub(crate) fn update(root: &Path) -> Result<Outcome> {
    let found = run(root)?;
    std::fs::write(root.join(STORED), found).with_context(|| format!("`{STORED}`"))?;
    Ok(Outcome::Same)
}

fn run(root: &Path) -> Result<String> {
    let state = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO"))
        .args([
            "run",
            "--quiet",
            "--",
            "run",
            "--unattended",
            "--json",
            JOB_FILE,
        ])
        .current_dir(root)
        // A ledger of its own, so that every run is the first.
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo can't be started")?;
    let code = output.status.code().context("the tour was killed")?;
    let text = String::from_utf8(output.stdout).context("the tour printed no UTF-8")?;
    let last = text.lines().last().context("the tour printed nothing")?;
    let printed: Value = serde_json::from_str(last).context("the tour printed no JSON")?;
    let summary = printed
        .get("summary")
        .context("the last line is no summary")?;
    ensure!(
        summary.get("exit").and_then(Value::as_i64) == Some(code.into()),
        "the summary names another exit code than {code}"
    );
    let compared = json!({
        "exit": code,
        "jobs": parts(summary, "jobs", &["name", "end"], root),
        "counts": summary.get("counts"),
        "census": parts(summary, "census", &["agent", "tool", "what", "outcome", "rule"], root),
    });
    Ok(serde_json::to_string_pretty(&compared)? + "\n")
}

/// These fields of each entry of a list, sorted: agents run at the same time, in any order.
fn parts(summary: &Value, list: &str, fields: &[&str], root: &Path) -> Vec<Value> {
    let entries = summary.get(list).and_then(Value::as_array);
    let mut parts: Vec<Value> = entries
        .into_iter()
        .flatten()
        .map(|entry| {
            let field = |name: &&str| {
                let value = entry.get(*name).cloned().unwrap_or_default();
                ((*name).to_owned(), without_place(value, root))
            };
            Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
        })
        .collect();
    parts.sort_by_key(Value::to_string);
    parts
}

/// The value with the repository's place, which differs from machine to machine, left out.
fn without_place(value: Value, root: &Path) -> Value {
    match value {
        Value::String(text) => text.replace(&*root.to_string_lossy(), "/PROJECT").into(),
        other => other,
    }
}
