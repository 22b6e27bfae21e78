//! A ledger that can't grow any more: nothing runs unrecorded, nothing of it is hidden, and the next run says it right.

use std::process::Command;

use crate::ground::{Ended, Project, program};

/// How far a file may grow in such a run, in blocks of 512 bytes: a few calls fit, the rest does not.
const BLOCKS_MAX: u32 = 512;

const CALLS: u64 = 40;

/// One job whose calls are large on record.
fn large_calls() -> Project {
    let project = Project::new();
    let content = "x".repeat(10_000);
    let mut job = "[[job]]\nname = \"a\"\nallow = [\"Edit(/out/**)\"]\n".to_owned();
    for step in 0..CALLS {
        job.push_str(&format!(
            "[[job.step]]\ntool = \"Write\"\ninput = {{ file_path = \"out/{step}\", content = \"{content}\" }}\n"
        ));
    }
    project.write("job.toml", &job);
    project
}

/// Runs the program where files may grow so far and no further. That ends a program unless it wants to be told, as a full
/// disk does.
fn run_bounded(project: &Project, arguments: &[&str]) -> Ended {
    let plain = project.command([]);
    let mut command = Command::new("sh");
    let bounded = format!("trap '' XFSZ; ulimit -f {BLOCKS_MAX}; exec \"$0\" \"$@\"");
    command
        .args(["-c", &bounded])
        .arg(program())
        .args(arguments);
    command.current_dir(project.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ended::of(command.stdin(std::process::Stdio::null()).output().unwrap())
}

#[test]
fn calls_that_can_t_be_recorded_are_not_run_and_the_exit_code_and_the_counts_say_so() {
    let project = large_calls();
    let ended = run_bounded(&project, &["run", "job.toml", "--json"]).expect_code(3);
    let summary = ended.summary();
    let count = |name: &str| summary["counts"][name].as_u64().unwrap();
    assert_eq!(count("calls"), CALLS, "{summary}");
    assert_eq!(count("succeeded") + count("unanswered"), CALLS, "{summary}");
    let written = std::fs::read_dir(project.root().join("out")).unwrap();
    assert_eq!(written.count() as u64, count("succeeded"));
    let remarks = summary["remarks"].to_string();
    assert!(
        remarks.contains("not on record, though counted here"),
        "{remarks}"
    );
    let told = ended.err.matches("nothing can be recorded").count();
    assert!((1..=3).contains(&told), "{}", ended.err);

    // There is space again: the next run says what became of this one, and goes its way.
    let next = project.run(["run", "job.toml", "--json"]).expect_code(0);
    let next = next.summary();
    assert_eq!(next["counts"]["succeeded"], CALLS);
    let remarks = next["remarks"].to_string();
    assert!(remarks.contains("or could not record its end"), "{remarks}");
    project.run(["log", "verify"]).expect_code(0);
    let runs = project.run(["runs", "--json"]).expect_code(0);
    assert_eq!(runs.objects()[0]["state"], "interrupted", "{}", runs.out);
}
