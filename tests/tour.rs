//! The tour of the README, on this repository, with nobody there.

use std::process::Command;

use serde_json::Value;

use crate::ground::program;

fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

#[test]
fn every_kind_of_answer_occurs() {
    let state = tempfile::tempdir().unwrap();
    let output = Command::new(program())
        .args(["run", "--unattended", "--json", "examples/tour.toml"])
        .current_dir(repository())
        .env("XDG_STATE_HOME", state.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    let out = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decided: Vec<&Value> = objects
        .iter()
        .map(|object| &object["body"])
        .filter(|body| body["kind"] == "call_decided")
        .map(|body| &body["judgement"])
        .collect();
    let some = |decision: &str, reason: &str| {
        let found = decided.iter().any(|judgement| {
            judgement["decision"] == decision && judgement["reason"]["kind"] == reason
        });
        assert!(found, "no {decision} by {reason}");
    };
    let by_rule = decided.iter().any(|judgement| {
        let covers = judgement["reason"]["by"].as_array();
        covers.is_some_and(|covers| covers.iter().any(|cover| cover["kind"] == "rule"))
    });
    assert!(by_rule, "nothing was allowed by a rule");
    some("deny", "rule");
    some("deny", "mode");
    some("ask", "nothingDecided");
    let forwarded = objects.iter().any(|object| {
        let lineage = &object["body"]["request"]["lineage"];
        object["body"]["kind"] == "request_opened"
            && lineage.as_array().is_some_and(|l| l.len() == 2)
    });
    assert!(forwarded, "nothing was forwarded from depth 2");
}
