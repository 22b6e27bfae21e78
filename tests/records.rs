//! `log`, `why` and `explain`: what is on record, and why.

use std::process::Stdio;

use serde_json::Value;

use crate::ground::{Ended, Project};

const JOB: &str = r#"
[[job]]
name = "reads"
[[job.step]]
tool = "Read"
input = { file_path = "job.toml" }
[[job.step]]
tool = "Write"
input = { file_path = "asked.txt", content = "x" }
"#;

/// A hook of the person's that rewrites what is written.
const HOOK: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"Write","hooks":[{"type":"command",
"command":"printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"file_path\":\"asked.txt\",\"content\":\"from the hook\"}}}'"}]}]}}"#;

#[test]
fn why_answers_three_questions() {
    let project = Project::with_job(JOB);
    std::fs::create_dir_all(project.home().join(".claude")).unwrap();
    std::fs::write(project.home().join(".claude/settings.json"), HOOK).unwrap();
    project.run(["run", "job.toml"]).expect_code(3);
    let why = project.run(["why", "c1-2"]).expect_code(0);
    for part in [
        "what decided\n  ask: nothing covers",
        "the hooks changed it",
        "- content: x",
        "+ content: from the hook",
        "what with nobody in the room\n  deny, nobody can answer",
    ] {
        assert!(why.out.contains(part), "no `{part}` in\n{}", why.out);
    }
    let same = project.run(["why", "r1-1", "--json"]).expect_code(0);
    let story = same.objects().remove(0);
    assert_eq!(story["call"], "c1-2");
    assert_eq!(story["with_nobody"]["decision"], "deny");
    let forms: Vec<Value> = ["requested", "judged"]
        .iter()
        .map(|form| story["forms"][form].clone())
        .collect();
    assert!(forms[0].as_str().unwrap().contains("\"x\""));
    assert!(forms[1].as_str().unwrap().contains("from the hook"));
}

/// The kinds of effects, by which an effect is known.
const EFFECTS: [&str; 6] = ["Run", "Read", "Write", "Connect", "Spawn", "Opaque"];

/// The keys of an object and of all in it that are written otherwise.
fn odd_keys(value: &Value, odd: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let is_even = |sign: char| sign.is_ascii_lowercase() || sign == '_';
                if !EFFECTS.contains(&key.as_str()) && !key.chars().all(is_even) {
                    odd.push(key.clone());
                }
                odd_keys(member, odd);
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| odd_keys(entry, odd)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn all_keys_of_what_is_printed_for_programs_are_of_one_kind() {
    let project = Project::with_job(JOB);
    std::fs::create_dir_all(project.home().join(".claude")).unwrap();
    std::fs::write(project.home().join(".claude/settings.json"), HOOK).unwrap();
    let mut printed = project
        .run(["run", "--json", "job.toml"])
        .expect_code(3)
        .objects();
    let verbs: [&[&str]; 10] = [
        &["run", "--check", "--json", "job.toml"],
        &["log", "--json"],
        &["log", "--runs", "--json"],
        &["log", "verify", "--json"],
        &["runs", "--json"],
        &["why", "c1-2", "--json"],
        &["workers", "--all", "--run", "run-1", "--json"],
        &["check", "--json", "Bash", "touch x"],
        &["policy", "show", "--json"],
        &["hooks", "test", "--json"],
    ];
    for arguments in verbs {
        let mut command = project.command([]);
        let output = command.args(arguments).output().unwrap();
        let objects = Ended::of(output).objects();
        assert!(!objects.is_empty(), "{arguments:?}");
        printed.extend(objects);
    }
    let mut odd = Vec::new();
    for object in &printed {
        odd_keys(object, &mut odd);
    }
    odd.sort();
    odd.dedup();
    assert_eq!(odd, Vec::<String>::new());
}

#[test]
fn log_lists_runs_and_the_records_of_one() {
    let project = Project::with_job(JOB);
    project.run(["run", "job.toml"]).expect_code(3);
    project.run(["run", "job.toml"]).expect_code(3);
    let runs = project.run(["log", "--runs", "--json"]).expect_code(0);
    let numbers: Vec<Value> = runs
        .objects()
        .iter()
        .map(|run| run["run"].clone())
        .collect();
    assert_eq!(numbers, ["run-1", "run-2"]);
    let last = project.run(["log", "--json"]).expect_code(0);
    assert!(last.objects().iter().all(|record| record["run"] == "run-2"));
    let first = project.run(["log", "--run", "1", "--json"]).expect_code(0);
    assert!(
        first
            .objects()
            .iter()
            .all(|record| record["run"] == "run-1")
    );
}

#[test]
fn what_is_not_there_is_a_clear_error() {
    let project = Project::with_job(JOB);
    project.run(["run", "job.toml"]).expect_code(3);
    for (arguments, told) in [
        (["why", "c1-99"], "there is no `c1-99`"),
        (["why", "c9-1"], "there is no `c9-1`"),
        (["why", "17"], "write it like `c3-17` or `r3-4`"),
        (["log", "--run=run-7"], "there is no run-7"),
        (["explain", "because"], "there is no reason `because`"),
    ] {
        let ended = project.run(arguments).expect_code(2);
        assert!(ended.err.contains(told), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out, "");
    }
}

#[test]
fn log_into_a_closed_pipe_is_quiet() {
    let project = Project::with_job(JOB);
    project.run(["run", "job.toml"]).expect_code(3);
    let mut child = project
        .command(["log"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn every_reason_that_check_gives_is_explained() {
    let project = Project::new();
    for command in ["git push", "cat /etc/hosts", "eval \"$x\"", "pwd"] {
        let checked = project.run(["check", "Bash", command, "--json"]);
        let kind = checked.objects()[0]["reason"]["kind"].clone();
        let page = project
            .run(["explain", kind.as_str().unwrap()])
            .expect_code(0);
        assert!(page.out.starts_with("# "), "{}", page.out);
    }
}
