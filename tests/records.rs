//! `log`, `why` and `explain`: what is on record, and why.

use std::process::Stdio;

use serde_json::Value;

use crate::ground::Project;

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
    assert_eq!(story["withNobody"]["decision"], "deny");
    let forms: Vec<Value> = ["requested", "judged"]
        .iter()
        .map(|form| story["forms"][form].clone())
        .collect();
    assert!(forms[0].as_str().unwrap().contains("\"x\""));
    assert!(forms[1].as_str().unwrap().contains("from the hook"));
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
